#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: a glob of static probes: of the processes that come while it is being armed, or while dtrace cannot look, not one is left out
# @@needs: uprobe
# @@timeout: 240
. "$SRC/test/lib/check.sh"
cd "$TMPDIR" || exit 1
mkfifo in

# seen N: waits until N processes are seen
seen()
{
	for _ in $(seq 600); do
		[ "$(sort -u out | grep -c '^[0-9]')" = "$1" ] && break
		sleep 0.1
	done
	[ "$(sort -u out | grep -c '^[0-9]')" = "$1" ] || wrong "$(sort -u out | grep -c '^[0-9]') processes seen, not $1: $(cat err)"
}

# 40 children at intervals of 2 ms, the first of which come before it is armed, the last after that.
for round in 1 2 3; do
	rm -f out
	"$PROGS/family" 40 1 loop <in >all &
	pid=$!
	exec 3>in
	"$DTRACE" -x switchrate=10hz -Zqn 'BEGIN { printf("ready\n"); }
		fam*:::went /!seen[pid]/ { seen[pid] = 1; printf("%d\n", pid); }' >out 2>err 3>&- &
	dt=$!
	seen 40
	kill -TERM $dt
	wait $dt || wrong "round $round: status $?"
	exec 3>&-
	wait $pid || wrong "round $round: family: status $?"
done

# More forks than there is room for news of while the consumer stands still, and then the program.
rm -f out
"$DTRACE" -x switchrate=10hz -Zqn 'BEGIN { printf("ready\n"); }
	fam*:::went /!seen[pid]/ { seen[pid] = 1; printf("%d\n", pid); }' >out 2>err 3>&- &
dt=$!
says ready out
kill -STOP $dt
rm all
i=0
while [ $i -lt 4000 ]; do
	(:)
	i=$((i + 1))
done
"$PROGS/family" 5 1 loop <in >all &
pid=$!
exec 3>in
says all all
kill -CONT $dt
seen 5
kill -TERM $dt
wait $dt || wrong "full: status $?"
exec 3>&-
wait $pid || wrong "family: status $?"

# A process that has forked one, and ended, before it could be looked at; and one with the number of another.
rm -f out
"$DTRACE" -x switchrate=10hz -Zqn 'BEGIN { printf("ready\n"); }
	fam*:::went /!seen[pid, arg0]/ { seen[pid, arg0] = 1; printf("%d %d\n", pid, arg0); }' >out 2>err 3>&- &
dt=$!
says ready out
kill -STOP $dt
pid=$("$PROGS/family" 1 1 orphan)
kill -CONT $dt
says "$pid 1" out
kill -KILL $pid
rm all
"$PROGS/family" 1 1 again <in >all &
exec 3>in
for _ in $(seq 600); do
	[ "$(grep -c '^[0-9]* 1$' out)" = 2 ] && break
	sleep 0.1
done
echo >&3
for _ in $(seq 600); do
	[ -s all ] && break
	sleep 0.1
done
if grep -q again all; then
	says "$(sed -n 's/^\([0-9]*\) 1$/\1/p' out | tail -n 1) 2" out
fi
kill -TERM $dt
wait $dt || wrong "again: status $?"
exec 3>&-
finish
