#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: a speculation of all CPUs, committed on one: all of it is shown, under every policy; each firing is accounted for
# @@timeout: 300
. "$SRC/test/lib/check.sh"
for policy in switch fill ring; do
	for end in commit discard; do
		for temporal in 0 1; do
			run "$DTRACE" -q -b 4m -x specsize=1m -x accounting -x temporal=$temporal \
				-x bufpolicy=$policy -c "$PROGS/syscalls 3000" -n '
				BEGIN { s = speculation(); }
				syscall::getppid:entry /pid == $target/ { speculate(s); printf("%d\n", cpu); }
				END { '$end'(s); }'
			status 0
			no_err ' drop|failed'
			balanced
			sed -n 's/^\([0-9]* [0-9]*\)$/\1/p' "$TMPDIR/out" >"$TMPDIR/counts"
			[ -s "$TMPDIR/counts" ] || wrong "no counts: $(head -5 "$TMPDIR/out")"
			while read -r cpu made; do
				want=$made got=$(grep -c "^$cpu\$" "$TMPDIR/out")
				[ $end = commit ] || want=0
				[ "$got" = "$want" ] || wrong "CPU $cpu: $got of $want shown"
				acct=$(grep "CPU $cpu syscall:vmlinux:getppid" "$TMPDIR/err")
				# others call it too: fired - false is not only ours
				case $end in
				commit) re=" recorded $made .* discarded 0 " ;;
				discard) re=" recorded 0 .* discarded $made " ;;
				esac
				echo "$acct" | grep -q -- "$re" || wrong "CPU $cpu, $made calls: $acct"
			done <"$TMPDIR/counts"
		done
	done
done
finish
