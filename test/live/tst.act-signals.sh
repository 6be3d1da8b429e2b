#!/bin/sh
# what: raise() and stop() reach the process that fires; numbers that are no signals are faults
# @@needs: root bpf
fail() { echo "$*"; exit 1; }

# The shell writes after each signal: its handler has run.
cat >$TMPDIR/raise.sh <<'S'
trap 'echo got usr1' USR1
sleep 0.2
kill -0 $$
echo end
S
$DTRACE -qwn 'syscall::kill:entry /pid == $target/ { raise(10); }' -c "sh $TMPDIR/raise.sh" \
	>$TMPDIR/out 2>&1 || fail "raise: $(cat $TMPDIR/out)"
grep -q 'got usr1' $TMPDIR/out && grep -q '^end' $TMPDIR/out || fail "raise: $(cat $TMPDIR/out)"

sh -c 'sleep 0.5; kill -0 $$; while :; do kill -0 $$; sleep 0.1; done' & looper=$!
$DTRACE -qwn 'syscall::kill:entry /pid == $1/ { stop(); exit(0); }' $looper >$TMPDIR/out 2>&1 ||
	fail "stop: $(cat $TMPDIR/out)"
n=0
while ! grep -q '^State:.*T' /proc/$looper/status; do
	n=$((n + 1))
	[ $n -lt 100 ] || fail "not stopped: $(grep State /proc/$looper/status)"
	sleep 0.1
done
kill -KILL $looper

$DTRACE -qwn 'BEGIN { raise(0); } BEGIN { raise(65); } BEGIN { raise(-1); } BEGIN { exit(0); }' \
	>$TMPDIR/out 2>&1
[ $(grep -c 'illegal operation in action #1' $TMPDIR/out) = 3 ] || fail "$(cat $TMPDIR/out)"

$DTRACE -qn 'BEGIN { stop(); }' >$TMPDIR/out 2>&1 && fail "stop() without -w"
grep -q 'Destructive actions not allowed' $TMPDIR/out || fail "$(cat $TMPDIR/out)"
