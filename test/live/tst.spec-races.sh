#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: speculations changed from all CPUs and from interrupts at once: each firing is accounted for, nothing is torn
# @@timeout: 300
. "$SRC/test/lib/check.sh"
calls=${CALLS:-100000}
cat >"$TMPDIR/s.d" <<'D'
#pragma D option quiet
#pragma D option accounting
#pragma D option nspec=8
#pragma D option specsize=8k
#pragma D option cleanrate=1000hz
#pragma D option switchrate=10ms
int64_t n, x;
syscall::getppid:entry /pid == $target/ { speculate((n & 7) + 1); printf("%d %d %s\n", cpu, timestamp, "call"); }
profile-$1 { speculate((n & 7) + 1); printf("%d %d %s\n", cpu, timestamp, "tick"); }
syscall::getppid:return /pid == $target && n++ % 61 == 0/ { commit((n & 7) + 1); }
syscall::getppid:return /pid == $target && n % 97 == 0/ { discard((n & 7) + 1); }
syscall::getppid:return /pid == $target && n % 13 == 0/ { x = speculation(); }
profile-997 { commit((n & 7) + 1); }
profile-1009 { discard(((n + 3) & 7) + 1); }
D
for policy in switch ring; do
	for temporal in 0 1; do
		run "$DTRACE" -x bufpolicy=$policy -x temporal=$temporal -b 16m -c "$PROGS/syscalls $calls" \
			-s "$TMPDIR/s.d" $OFTEN
		status 0
		balanced
		awk 'NF == 3 && ($3 != "call" && $3 != "tick" || $2 !~ /^[0-9]+$/ || $1 !~ /^[0-9]+$/) { print; bad = 1 }
			NF == 3 { n++ }
			END { if (!n) print "nothing was committed"; exit bad || !n }' "$TMPDIR/out" \
			>"$TMPDIR/torn" || wrong "torn: $(head -5 "$TMPDIR/torn")"
		# What the program counted is what was fired, less what other programs called.
		while read -r cpu made rest; do
			[ -n "$made" ] && [ -z "$rest" ] || continue
			awk -v cpu="$cpu" -v made="$made" '$6 == cpu && $7 ~ /getppid:entry/ {
				if ($9 - $11 - $23 != made) exit 1; found = 1 } END { exit !found }' "$TMPDIR/err" ||
				wrong "CPU $cpu, $made calls: $(grep getppid:entry "$TMPDIR/err")"
		done <"$TMPDIR/out"
	done
done
finish
