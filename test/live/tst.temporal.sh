#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: -x temporal: the records of all CPUs by time, across switches and nested firings, under every policy
# @@needs: cpus:2
# @@timeout: 120
. "$SRC/test/lib/check.sh"
D='syscall::getppid:entry { printf("%d %d\n", timestamp, cpu); }
syscall::getppid:return /timestamp/ { printf("%d %d\n", timestamp, cpu); }
profile-997 { printf("%d %d\n", timestamp, cpu); }'

# Every CPU has records, and none is older than the one before it.
in_order()
{
	awk 'NF == 2 { if ($1 < last) { bad++; print "after " last ": " $0 } last = $1; cpus[$2]++ }
		END { n = 0; for (c in cpus) n++; exit bad > 0 || n < 2 }' "$TMPDIR/trace" ||
		wrong "not in the order of time: $(tail -3 "$TMPDIR/trace")"
}

# fill ends when one CPU is full, perhaps before another has anything: there is room for all.
for policy in switch:256k ring:256k fill:4m; do
	rm -f "$TMPDIR/trace"
	run "$DTRACE" -q -o "$TMPDIR/trace" -x temporal -x bufpolicy=${policy%:*} -b ${policy#*:} -x switchrate=2ms -n "$D" -c "$PROGS/syscalls 20000"
	status 0
	in_order
done

# Drops are reported after the merge; BEGIN is first, END last.
run sh -c '"$DTRACE" -q -x temporal -b 200 -x switchrate=90ms -n "
	BEGIN { printf(\"begin\n\"); } tick-1ms { n++; } tick-1ms /n <= 100/ { printf(\"%d\n\", n); }
	tick-1ms /n >= 100/ { exit(0); } END { printf(\"end\n\"); }" 2>&1'
status 0
head -1 "$TMPDIR/out" | grep -qx begin || wrong "first: $(head -1 "$TMPDIR/out")"
tail -2 "$TMPDIR/out" | grep -qx end || wrong "last: $(tail -2 "$TMPDIR/out")"
awk '/^[0-9]+$/ { n++ } /drops? on CPU/ { drops += $2; if (!n) early = 1 } END { exit n + drops < 100 || n > 100 || early }' \
	"$TMPDIR/out" || wrong "records and drops: $(cat "$TMPDIR/out")"

# A snapshot of a ring has all of it once, up to the record that asked for it, and the end has it again.
rm -f "$TMPDIR/trace"
run "$DTRACE" -q -o "$TMPDIR/trace" -x temporal -x bufpolicy=ring -b 64k -n '
	tick-2ms { n++; printf("%d\n", n); } tick-2ms /n % 50 == 0/ { snapshot(); } tick-2ms /n == 525/ { exit(0); }'
status 0
awk 'NF { if ($1 == 1) parts++; else if ($1 != last[parts] + 1) { bad++; print last[parts] " then " $1 } last[parts] = $1 }
	END { for (p = 1; p < parts; p++) if (last[p] < 50 * p) { bad++; print "part " p " ends at " last[p] }
		print parts " parts, up to " last[parts]; exit bad > 0 || parts < 2 || last[parts] != 525 }' \
	"$TMPDIR/trace" >"$TMPDIR/parts" ||
	wrong "$(cat "$TMPDIR/parts")"
finish
