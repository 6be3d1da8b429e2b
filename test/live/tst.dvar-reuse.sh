#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: what is read from a dynamic variable while another CPU, or an interrupt, stores to it and to others is its own
# @@needs: cpus:2
# @@timeout: 240
. "$SRC/test/lib/check.sh"
. "$SRC/test/lib/await.sh"
# The first two CPUs that are online: one reads, the other one writes.
set -- $(tr , '\n' </sys/devices/system/cpu/online | awk -F- '{ for (i = $1; i <= $NF; i++) print i }')
reader=$1 writer=$2
"$PROGS/syscalls" $ENDLESS >/dev/null &
load=$!
# Values of 4 KB, so that copying takes its time: with a 1 everywhere, or a 2.
check='this->v = VAR; this->s = this->v.v[0] | this->v.v[250] | this->v.v[499]; right += this->s == 1; wrong += this->s > 1; none += !this->s;'
check=$check$check$check$check
# Loads beside which the other CPU stored. In emulation one thread is all CPUs in turns.
goal=${EMULATED:+20}
goal=${goal:-5000}
cat >"$TMPDIR/begin.d" <<'D'
struct big { uint64_t v[500]; };
struct big one, two, a[int], x[int];
this struct big v, iv;
self struct big s, t;
string c[string];
uint64_t n[int], stores, beside, interrupts, right, wrong, none, nwrong, nnone, cwrong, cnone, iwrong, inone;
BEGIN {
	one.v[0] = one.v[250] = one.v[499] = 1;
	two.v[0] = two.v[250] = two.v[499] = 2;
	a[1] = one; n[1] = 1; c["one"] = "one";
}
D
cat >"$TMPDIR/end.d" <<'D'
tick-100ms /beside > GOAL && interrupts > 1000/ { exit(0); }
tick-60s { exit(0); }
END {
	printf("beside %d interrupts %d right %d none %d nnone %d cnone %d inone %d wrong %d nwrong %d cwrong %d iwrong %d",
	    beside, interrupts, right, none, nnone, cnone, inone, wrong, nwrong, cwrong, iwrong);
}
D

# trace MAY: runs $TMPDIR/s.d with what stands above. MAY is "none" if values may be missing.
trace()
{
	cat "$TMPDIR/begin.d" "$TMPDIR/s.d" "$TMPDIR/end.d" | sed "s/GOAL/$goal/" >"$TMPDIR/all.d"
	run "$DTRACE" -q -s "$TMPDIR/all.d"
	status 0
	cat "$TMPDIR/out"
	busy=$(awk '/dynamic variable drop/ { n += $2 } END { print n + 0 }' "$TMPDIR/err")
	echo "$busy dropped"
	awk -v may="$1" -v busy="$busy" '{
		for (i = 1; i < NF; i += 2)
			v[$i] = $(i + 1)
	} END {
		if (v["wrong"] + v["nwrong"] + v["cwrong"] + v["iwrong"] || NR != 1)
			exit 1
		if (may != "none")
			exit !v["right"] || v["none"] + v["nnone"] + v["cnone"] + v["inone"] > busy
	}' "$TMPDIR/out" || wrong "$(cat "$TMPDIR/out" "$TMPDIR/s.d")"
}

# Arrays: another CPU stores, which is interrupted by loads and stores.
for w in 'a[1] = one; a[1] = 0; a[2] = two; a[2] = 0; n[1] = 1; n[1] = 0; n[2] = 2; n[2] = 0;' \
	'a[2] = two; a[1] = one; n[2] = 2; n[1] = 1; c["two"] = "two"; c["one"] = "one";'; do
	cat >"$TMPDIR/s.d" <<D
syscall::getppid:entry /cpu == $writer/ { stores++; $w $w $w $w }
syscall::getppid:entry /cpu == $reader/ {
	this->stores = stores;
	$(echo "$check" | sed 's/VAR/a[1]/g')
	this->n = n[1]; nwrong += this->n > 1; nnone += !this->n;
	this->c = c["one"]; cwrong += this->c == "two"; cnone += this->c == NULL;
	beside += stores != this->stores;
}
profile-$OFTEN /cpu == $writer/ {
	interrupts++;
	this->iv = a[1];
	this->i = this->iv.v[0] | this->iv.v[250] | this->iv.v[499];
	iwrong += this->i > 1; inone += !this->i;
	x[1] = two; x[1] = one; x[1] = two; x[1] = one;
}
D
	case $w in
	*'= 0'*) trace none ;;
	*) trace ;;
	esac
done

# The variable of a thread: what interrupts it stores to it and to another one.
cat >"$TMPDIR/s.d" <<D
syscall::getppid:entry /cpu == $reader && execname == "syscalls"/ { beside++; self->s = one; $(echo "$check" | sed 's/VAR/self->s/g') }
profile-$OFTEN /cpu == $reader && execname == "syscalls"/ { interrupts++; self->s = one; self->t = two; self->s = one; self->t = two; }
D
trace
kill $load
finish
