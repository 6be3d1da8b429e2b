#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: -c and -p: held until armed, $target, the end of all of them, messages, nobody left behind
# @@timeout: 120
. "$SRC/test/lib/check.sh"
. "$SRC/test/lib/await.sh"
cd "$TMPDIR" || exit 1

# The very first system call after exec is seen. What the command writes comes before the records, or among them when it is
# kept waiting.
run "$DTRACE" -x temporal -qn 'syscall::execve:return /pid == $target/ { printf("exec %d\n", arg0); }
	syscall::write:entry /pid == $target/ { printf("write %d %s\n", arg2, copyinstr(arg1, 5)); }
	syscall::exit_group:entry /pid == $target/ { printf("exit\n"); }' -c '/bin/echo hello'
status 0
err ''
grep -cx hello out | grep -qx 1 || wrong "not one hello: $(cat out)"
sed -i /^hello/d out
out 'exec 0
write 6 hello
exit
'

# Messages; the status is ours, not the command's. $target is the first.
run "$DTRACE" -n 'BEGIN { printf("target %d\n", $target); }' -c false -c 'sh -c exec\ sleep\ 0.2'
status 0
has_out 'target [0-9]+'
target=$(sed -n 's/.*target //p' out)
has_err "^dtrace: pid $target exited with status 1\$"
has_err '^dtrace: pid [0-9]+ '
run "$DTRACE" -n BEGIN -c true
has_err '^dtrace: pid [0-9]+ has exited$'
printf '#!/bin/sh\nkill -SEGV $$\n' >segv
chmod +x segv
run "$DTRACE" -n BEGIN -c ./segv
status 0
has_err '^dtrace: pid [0-9]+ terminated by SIGSEGV$'
run "$DTRACE" -qn BEGIN -c false
err ''

# Words are split at blanks, there is no quoting; PATH is searched; streams and signal mask are inherited.
run "$DTRACE" -qn 'END { printf("end\n"); }' -c '  printf   %s:%s\n  a	"b  '
out 'a:"b
end
'
run sh -c "echo in | \"$DTRACE\" -qn BEGIN -c cat"
out 'in
'
run "$DTRACE" -qn BEGIN -c 'cat /proc/self/status'
has_out '^SigBlk:	0000000000000000$'
has_out '^SigCgt:	0000000000000000$'

# Ends with the last of several.
sh -c 'until [ -e go1 ]; do sleep 0.1; done' &
one=$!
sh -c 'until [ -e go2 ]; do sleep 0.1; done' &
two=$!
(until grep -q armed out 2>/dev/null; do sleep 0.1; done; : >go1; sleep 1; : >go2) &
run "$DTRACE" -qp $one -p $two -n 'BEGIN { printf("armed\n"); }
	syscall::exit_group:entry /pid == $target/ { printf("first\n"); }'
status 0
out 'armed
first
'
kill -0 $two 2>/dev/null && wrong 'it ended before the second process'
rm -f out
sh -c 'until [ -e go3 ]; do sleep 0.1; done' &
one=$!
(until grep -q armed out 2>/dev/null; do sleep 0.1; done; : >go3) &
run "$DTRACE" -p $one -n 'BEGIN { printf("armed\n"); }'
has_err "^dtrace: pid $one has exited\$"

# Never continued: killed, whatever the reason.
run "$DTRACE" -c "sleep 7531$$" -n 'BEGIN { nosuch(); }'
status 1
run "$DTRACE" -c "sleep 7531$$" -n nosuchprobe
status 1
run "$DTRACE" -c "sleep 7531$$" -x bufsize=100t -x bufresize=manual -n BEGIN
status 1
run "$DTRACE" -c "sleep 7531$$" -c /no/such -n BEGIN
status 1
run "$DTRACE" -c "sleep 7531$$" -e
status 0
none_left()
{
	! ps -eo args | grep -q "^sleep 7531$$\$"
}
await none_left || wrong 'a child was left'

# Continued: lives on when tracing ends before it.
run "$DTRACE" -qc 'sleep 1000' -n 'BEGIN { printf("%d", $target); exit(0); }'
status 0
kill "$(cat out)" || wrong 'the command was ended with the session'
mkfifo hold
rm -f out
"$DTRACE" -qc 'cat hold' -n 'BEGIN { printf("%d\n", $target); }' >out 2>err &
dt=$!
for _ in $(seq 600); do
	[ -s out ] && break
	sleep 0.1
done
kill -TERM $dt
wait $dt || wrong "SIGTERM: status $?"
kill -0 "$(head -n 1 out)" || wrong 'the command was ended by a signal to the session'
echo went on >hold
says 'went on' out
finish
