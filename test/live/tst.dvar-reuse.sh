#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: what a CPU reads from an associative array while another deletes or replaces it is of its key, and is found
# @@timeout: 120
. "$SRC/test/lib/check.sh"
. "$SRC/test/lib/await.sh"
[ "$(nproc)" -ge 2 ] || {
	echo "needs two CPUs"
	exit 77
}
"$PROGS/syscalls" $ENDLESS >/dev/null &
load=$!
# A string of 4,096 times 1 for key 1, one with a 2 for key 2, so that copying takes its time; numbers alike.
{
	echo 'string a[int], one, two; uint64_t n[int], wrong, right, none, nwrong;'
	echo 'BEGIN { one = "1111111111111111111111111111111111111111111111111111111111111111"; two = strjoin("2", substr(one, 1)); }'
	for _ in 1 2 3 4 5 6; do echo 'BEGIN { one = strjoin(one, one); two = strjoin(two, two); }'; done
	cat <<'D'
BEGIN { a[1] = one; n[1] = 1; }
syscall::getppid:entry /cpu == 1/ { a[1] = one; n[1] = 1; WRITER }
syscall::getppid:entry /cpu == 0/ { this->v = a[1]; this->n = n[1]; nwrong += this->n > 1; }
syscall::getppid:entry /cpu == 0 && this->v == NULL/ { none++; }
syscall::getppid:entry /cpu == 0 && this->v != NULL && strchr(this->v, '2') != NULL/ { wrong++; }
syscall::getppid:entry /cpu == 0 && this->v != NULL && strchr(this->v, '2') == NULL/ { right++; none += !this->n; }
tick-4s { printf("%d %d %d %d", wrong, nwrong, right, none); exit(0); }
D
} >"$TMPDIR/all.d"
for writer in 'a[1] = 0; a[2] = two; a[2] = 0; n[1] = 0; n[2] = 2; n[2] = 0;' \
	'a[2] = two; n[2] = 2; a[1] = one; n[1] = 1; a[2] = two; n[2] = 2; a[1] = one; n[1] = 1;'; do
	sed "s/WRITER/$writer/" "$TMPDIR/all.d" >"$TMPDIR/s.d"
	run "$DTRACE" -q -x strsize=4200 -s "$TMPDIR/s.d"
	status 0
	read -r wrong nwrong right none <"$TMPDIR/out"
	busy=$(awk '/dynamic variable drop/ { n += $2 } END { print n + 0 }' "$TMPDIR/err")
	seen="$wrong strings and $nwrong numbers wrong, $right right, $none not found, $busy dropped"
	echo "$writer: $seen"
	[ "$wrong" = 0 ] && [ "$nwrong" = 0 ] && [ $((right + none)) -gt 0 ] || wrong "$writer: $seen"
	case $writer in
	*'= 0'*) ;;
	*) [ "$right" -gt 0 ] && [ "$none" -le "$busy" ] || wrong "$writer: $seen" ;;
	esac
done
kill $load
finish
