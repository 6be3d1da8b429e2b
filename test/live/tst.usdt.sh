#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: static probes: names, operands of every form, places, counters, processes that come later, listing
# @@needs: uprobe
# @@timeout: 180
. "$SRC/test/lib/left.sh"
. "$SRC/test/lib/await.sh"
fault=0
same() # WHAT WANT: lines in any order
{
	if [ "$(LC_ALL=C sort "$TMPDIR/out" | grep -v '^$')" != "$2" ]; then
		printf '%s: got\n%s\nnot\n%s\nstderr: %s\n' "$1" "$(cat "$TMPDIR/out")" "$2" "$(cat "$TMPDIR/err")"
		fault=1
	fi
}
d() # PROGRAM COMMAND
{
	"$DTRACE" -qn "$1" -c "$2" >"$TMPDIR/out" 2>"$TMPDIR/err" || { echo "$1: status $?: $(cat "$TMPDIR/err")"; fault=1; }
}

d 'tprov$target:::forms-all { printf("%d %d %d %d %d %d %d %d %d %d\n", arg0, arg1, arg2, arg3, arg4, arg5, arg6, arg7,
   arg8, arg9); }' "$PROGS/usdtargs 2"
same operands "-1 -2 -3 200 60000 4000000000 7 -8 9 1
-1 -2 -3 200 60000 4000000000 7 -8 9 2"
d 'tprov$target:usdtargs:pass:second-place { printf("%d %d %s %s %s\n", arg0, arg1, probemod, probefunc, probename); }' \
	"$PROGS/usdtargs 2"
same places "1 1 usdtargs pass second-place
1 2 usdtargs pass second-place
2 1 usdtargs pass second-place
2 2 usdtargs pass second-place"
d 'tprov$target:::forms-all { printf("%d\n", args[5] == 4000000000 && args[0] == -1 && args[9] == 1); }' "$PROGS/usdtargs"
same types 1
d 'tprov$target:::symbols { printf("%d %d %d\n", arg0, arg1, arg2); }' "$PROGS/usdtargs 2"
same symbols "1 -21 22
2 -21 22"
d 'tprov$target:::own { printf("%d %d %d %d\n", arg0, arg1, arg2, arg3); }' "$PROGS/usdtargs 2"
same 'thread variables' "1 -31 32 33
2 -31 32 33"
d 'tprov$target:::own { printf("%d\n", arg4); } tprov$target:::counted { trace(arg0); }' "$PROGS/usdtargs"
same 'vector register' "0
1"
grep -Ex 'dtrace: arg4 of tprov[0-9]+:usdtargs:own:own cannot be read, it is 0: 8f@%xmm7' "$TMPDIR/err" >/dev/null || {
	cat "$TMPDIR/err"
	fault=1
}
[ "$(grep -c . "$TMPDIR/err")" = 1 ] || fault=1
d 'tprov$target:a.out::counted { @ = count(); } END { printa("%@d\n", @); }' "$PROGS/usdtargs 5"
same counter 5

# Three providers' probes in one program, each with the row and the operands of its own.
d 'tprov$target::: { @[probename, arg0] = count(); } END { printa("%s %d %@d\n", @); }' "$PROGS/usdtargs 1"
same all "counted 1 1
forms-all -1 1
own 1 1
second-place 1 2
symbols 1 1"

# A process that runs already, listed and traced by its number and by a glob; its counter is lowered again.
mkfifo "$TMPDIR/in"
"$PROGS/usdtargs" 3 wait <"$TMPDIR/in" &
pid=$!
exec 3>"$TMPDIR/in"
await waiting $pid
"$DTRACE" -ln "tprov$pid:::" 2>&1 | awk 'NR > 1 { print $2, $3, $4, $5 }' | LC_ALL=C sort >"$TMPDIR/out"
same list "tprov$pid usdtargs forms forms-all
tprov$pid usdtargs own own
tprov$pid usdtargs pass counted
tprov$pid usdtargs pass second-place
tprov$pid usdtargs pass symbols"
"$DTRACE" -ln 'tprov*:usdtargs::counted' 2>&1 | grep -c "tprov$pid .*counted" >"$TMPDIR/out"
same 'list by glob' 1
"$DTRACE" -lvn "tprov$pid:::counted" 2>&1 | sed -n 's/.*\(args\[0\].*\)/\1/p' >"$TMPDIR/out"
same 'types listed' "args[0]: int64_t"
"$DTRACE" -qn "tprov$pid:::counted { exit(1); } BEGIN { exit(0); }" >"$TMPDIR/out" 2>&1
"$DTRACE" -qn 'BEGIN { printf("ready\n"); } tprov*:::second-place /pid == $target/ { @ = count(); }
	END { printa("%@d\n", @); }' -p $pid >"$TMPDIR/out" 2>"$TMPDIR/err" 3>&- &
dt=$!
await has "$TMPDIR/out" ready
exec 3>&-
wait $dt || { echo "-p: status $?"; fault=1; }
wait $pid
same -p "6
ready"

# A process that starts while tracing; its first milliseconds pass, so it waits until there are more programs.
armed_more()
{
	[ "$(attached_of "$1" | grep -c .)" -gt "$before" ]
}
"$DTRACE" -Zqn 'BEGIN { printf("ready\n"); } tprov*:::counted { @[probeprov] = count(); }
	tprov*:::counted /arg0 == 9/ { exit(0); } END { printa("%s %@d\n", @); } tick-100s { exit(2); }' \
	>"$TMPDIR/out" 2>"$TMPDIR/err" 3>&- &
dt=$!
await has "$TMPDIR/out" ready
before=$(attached_of $dt | grep -c .)
"$PROGS/usdtargs" 9 wait <"$TMPDIR/in" &
pid=$!
exec 3>"$TMPDIR/in"
await waiting $pid
await armed_more $dt
await tracing $dt
exec 3>&-
wait $dt || { echo "later process: status $?"; fault=1; }
same 'later process' "ready
tprov$pid 9"

# Forks of a process that is traced: they execute nothing.
"$PROGS/usdtargs" 500 fork <"$TMPDIR/in" &
pid=$!
exec 3>"$TMPDIR/in"
await waiting $pid
"$DTRACE" -qn 'BEGIN { printf("ready\n"); } tprov*:::symbols /ppid == $target/ { printf("fork\n"); exit(0); }
	tick-40s { exit(2); }' -p $pid >"$TMPDIR/out" 2>"$TMPDIR/err" 3>&- &
dt=$!
await has "$TMPDIR/out" ready
exec 3>&-
wait $dt || { echo "fork: status $?"; fault=1; }
same fork "fork
ready"
kill $pid
wait $pid

# A command that executes the program: it is stopped for its probes, by number and by glob; not one is missed.
printf '#!/bin/sh\nexec %s 2\n' "$PROGS/usdtargs" >"$TMPDIR/script"
chmod +x "$TMPDIR/script"
for prov in 'tprov$target' 'tprov*'; do
	"$DTRACE" -Zqn "$prov:::counted"' /pid == $target/ { printf("%d\n", arg0); }' -c "$TMPDIR/script" >"$TMPDIR/out" 2>"$TMPDIR/err"
	same "executed: $prov" "1
2"
done
exit $fault
