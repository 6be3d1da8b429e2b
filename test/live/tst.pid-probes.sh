#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: pid probes: arguments, returned values, offsets, aliases, modules, refused places
# @@needs: uprobe cmd:objdump
fault=0
check() # WHAT WANT: compares with $TMPDIR/out
{
	if [ "$(cat "$TMPDIR/out")" != "$2" ]; then
		printf '%s: got\n%s\nnot\n%s\nstderr: %s\n' "$1" "$(cat "$TMPDIR/out")" "$2" "$(cat "$TMPDIR/err")"
		fault=1
	fi
}
d() # PROGRAM COMMAND
{
	"$DTRACE" -qn "$1" -c "$2" >"$TMPDIR/out" 2>"$TMPDIR/err" || { echo "$1: status $?: $(cat "$TMPDIR/err")"; fault=1; }
}

d 'pid$target:a.out:f10:entry { printf("%d %d %d %d %d %d %d %d %d %d\n", arg0, arg1, arg2, arg3, arg4, arg5, arg6,
   arg7, arg8, arg9); }' "$PROGS/pidargs"
check arguments "1 2 3 4 5 6 7 8 9 10"

d 'pid$target:a.out:twice:return { @s = sum(arg1); } pid$target:a.out:f10:return { printf("%d\n", arg1); }
   END { printa("%@d\n", @s); }' "$PROGS/pidargs 3"
check returned "55
55
55
12"

d 'pid$target:a.out:recurse:entry { self->n++; @in = count(); } pid$target:a.out:recurse:return { @out = count(); }
   END { printa("%@d ", @in); printa("%@d\n", @out); }' "$PROGS/pidargs 5"
check recursion "20 20"

# Every instruction of a straight function fires once a call; so does each of them alone.
d 'pid$target:a.out:twice:* /probename != "entry" && probename != "return"/ { @[probename] = count(); }
   END { printa("%@d\n", @); }' "$PROGS/pidargs 4"
insns=$(objdump -d --no-show-raw-insn --disassemble=twice "$PROGS/pidargs" | grep -c '^ *[0-9a-f]*:	')
check instructions "$(for _ in $(seq "$insns"); do echo 4; done)"

# One probe an address, whatever its names; by either name if asked for.
d 'pid$target:a.out:alias*:entry { @[probefunc] = count(); } END { printa("%s %@d\n", @); }' "$PROGS/pidargs 2"
check aliases "aliased 2"
d 'pid$target:a.out:alias:entry { @[probefunc] = count(); } END { printa("%s %@d\n", @); }' "$PROGS/pidargs 2"
check alias "alias 2"

# The module's names, and an address.
for m in a.out pidargs 'pid*' 'LM0`a.out' ''; do
	d "pid\$target:$m:twice:entry { @[probemod] = count(); } END { printa(\"%s %@d\\n\", @); }" "$PROGS/pidargs"
	check "module $m" "a.out 1"
done
for m in libc.so.6 libc.so libc 'libc*'; do
	d "pid\$target:$m:exit:entry { printf(\"%s %d\\n\", probemod, arg0); }" "$PROGS/pidargs"
	check "module $m" "libc.so.6 0"
done

# A place that is refused does not end the enabling, and is told.
d 'pid$target:a.out:locked:entry, pid$target:a.out:twice:entry { @ = count(); } END { printa("%@d\n", @); }' \
	"$PROGS/pidargs 2"
check refused 2
grep -q "1 of 2 probes of pid_entry cannot be placed (locked:entry): Operation not supported" "$TMPDIR/err" ||
	{ echo "refused: $(cat "$TMPDIR/err")"; fault=1; }
if "$DTRACE" -qn 'pid$target:a.out:locked:entry { }' -c "$PROGS/pidargs" >"$TMPDIR/out" 2>&1; then
	echo "a single refused probe: status 0"
	fault=1
fi
grep -q "failed to create entry probe for 'locked'" "$TMPDIR/out" || { cat "$TMPDIR/out"; fault=1; }

# Clauses fire in program order.
d 'pid$target::twice:return { printf("1"); } pid$target::twice:return { printf("2"); }
   pid$target::twice:return { printf("3\n"); }' "$PROGS/pidargs 2"
check order "123
123"
exit $fault
