#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: proc: every probe fires for what a program says that it did, with its arguments
. "$SRC/test/lib/check.sh"
cd "$TMPDIR" || exit 1

cat >go.py <<'END'
import ctypes, os, resource, signal, threading, sys

log = open("facts", "w")
def fact(*words):
    log.write(" ".join(str(w) for w in words) + "\n")
    log.flush()

def child(f):
    pid = os.fork()
    if pid == 0:
        f()
        os._exit(9)
    os.waitpid(pid, 0)
    return pid

resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
me = os.getpid()
pid = child(lambda: os._exit(3))
fact("create", me, pid)
fact("lwp-create", me, pid, pid)
fact("start", pid, pid)
fact("lwp-start", pid, pid)
fact("lwp-exit", pid, pid)
fact("exit", pid, 1)
pid = child(lambda: os.kill(os.getpid(), signal.SIGKILL))
fact("exit", pid, 2)
fact("signal-send", pid, pid, pid, 9)

def missing():
    try:
        os.execv("/nonexistent/program", ["program"])
    except OSError:
        os._exit(0)
pid = child(missing)
fact("exec", pid, "/nonexistent/program")
fact("exec-failure", pid, 2)
pid = child(lambda: os.execv("/bin/true", ["true"]))
fact("exec", pid, "/bin/true")
fact("exec-success", pid, "true")

signal.signal(signal.SIGUSR1, lambda *a: None)
os.kill(me, signal.SIGUSR1)
fact("signal-send", me, me, me, 10)
fact("signal-handle", me, 10, "handler")
signal.signal(signal.SIGUSR2, signal.SIG_IGN)
os.kill(me, signal.SIGUSR2)
fact("signal-discard", me, me, me, 12)
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
os.kill(me, signal.SIGTERM)
signal.sigtimedwait([signal.SIGTERM], 5)
fact("signal-send", me, me, me, 15)
fact("signal-clear", me, 15)

pid = child(lambda: ctypes.string_at(8))
fact("fault", pid, 6, 8)
fact("exit", pid, 2)
pid = child(lambda: os.kill(os.getpid(), signal.SIGSEGV))
fact("exit", pid, 2)

tid = []
t = threading.Thread(target=lambda: tid.append(threading.get_native_id()))
t.start()
t.join()
fact("lwp-create", me, tid[0], me)
fact("lwp-start", me, tid[0])
fact("lwp-exit", me, tid[0])
fact("exit", me, 1)
END

run "$DTRACE" -qn '
#pragma D option strsize=64
proc:::create /pid == $target/ { printf("%s %d %d\n", probename, pid, args[0]->pr_pid); }
proc:::lwp-create /pid == $target/
{ printf("%s %d %d %d\n", probename, pid, args[0]->pr_lwpid, args[1]->pr_pid); }
proc:::start, proc:::lwp-start, proc:::lwp-exit
/pid == $target || progenyof($target)/ { printf("%s %d %d\n", probename, pid, tid); }
proc:::exit, proc:::exec-failure, proc:::signal-clear
/pid == $target || progenyof($target)/ { printf("%s %d %d\n", probename, pid, args[0]); }
proc:::exec /progenyof($target)/ { printf("%s %d %s\n", probename, pid, copyinstr(arg0)); }
proc:::exec-success /progenyof($target)/ { printf("%s %d %s\n", probename, pid, execname); }
proc:::signal-send, proc:::signal-discard /pid == $target || progenyof($target)/
{ printf("%s %d %d %d %d\n", probename, pid, args[0]->pr_lwpid, args[1]->pr_pid, args[2]); }
proc:::fault /progenyof($target)/
{ printf("%s %d %d %d\n", probename, pid, args[0], (uint64_t)args[1]->_sifields._sigfault._addr); }
proc:::signal-handle /pid == $target/
{ printf("%s %d %d %s\n", probename, pid, args[0], args[2] > (void *)1 ? "handler" : "none"); }
' -c 'python3 go.py'
status 0
err ''
[ "$(wc -l <facts)" = 24 ] || wrong "$(cat facts)"
while read -r line; do
	n=$(grep -cxF "$line" out)
	[ "$n" = 1 ] || wrong "$n times: $line"
done <facts
# The last thread alone ends the process, and a thread creates none.
main=$(awk '$1 == "exit" { pid = $2 } END { print pid }' facts)
[ "$(grep -c "^exit $main " out)" = 1 ] || wrong 'exit more than once'
[ "$(grep -c "^lwp-exit $main " out)" = 2 ] || wrong 'not two threads ended'
[ "$(grep -c "^create " out)" = 6 ] || wrong 'not six processes were created'
[ "$(grep -c "^fault " out)" = 1 ] || wrong 'a signal of kill(2) taken for a fault'
[ $fault = 0 ] || cat out

# Within a description lwp-create comes before create, start before lwp-start.
run "$DTRACE" -qn 'proc:::*create /pid == $target/ { printf("%s\n", probename); }' \
	-c 'sh -c /bin/true\;:'
out 'lwp-create
create
'
run "$DTRACE" -lvn proc:::create
has_out 'args\[0\]: psinfo_t \*$'
has_out 'Identifier Names: Evolving$'
finish
