#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: SIGINT and SIGTERM end the session with END and the aggregations; a second one at once, also with a stuck reader
# @@timeout: 120
# @@needs: cmd:python3
. "$SRC/test/lib/check.sh"
. "$SRC/test/lib/await.sh"
. "$SRC/test/lib/left.sh"
cd "$TMPDIR" || exit 1

# A shell starts its jobs with SIGINT ignored.
start()
{
	env --default-signal=INT,TERM "$DTRACE" "$@" 2>err &
	pid=$!
}

for sig in INT TERM; do
	rm -f file
	start -o file -n 'BEGIN { printf("begun"); }' -n 'END { printf("end"); }' -n 'syscall:::entry { @n = count(); }'
	await has file begun || wrong "$sig: no start"
	kill -$sig $pid
	got=0
	wait $pid || got=$?
	ran="kill -$sig"
	status 0
	cp file out
	has_out ':END end$'
	# The newline of the signal, that of the record of END, that of the end, and the table.
	[ "$(tail -n 1 file | tr -d ' 0-9')" = '' ] || wrong "no table: $(cat file)"
	grep -q '^$' file || wrong "no newline: $(cat file)"
done

# SIGINT ignored at the start stays ignored.
rm -f file
(
	trap '' INT
	exec env --default-signal=TERM "$DTRACE" -qo file -n 'BEGIN { printf("begun\n"); }' -n 'END { printf("end\n"); }'
) 2>err &
pid=$!
await has file begun || wrong 'ignored: no start'
kill -INT $pid
sleep 1
kill -0 $pid || wrong 'SIGINT was not ignored'
kill -TERM $pid
wait $pid

# Nobody reads: the first signal waits for the reader, the second does not.
mkfifo pipe
exec 3<>pipe
start -qn 'syscall::getppid:entry { trace(timestamp); trace("................................"); }' >pipe 3<&-
armed $pid 1 || wrong "not armed: $(cat err)"
"$PROGS/spin" $ENDLESS &
load=$!
full()
{
	python3 -c 'import array, fcntl, sys, termios
n = array.array("i", [0])
fcntl.ioctl(3, termios.FIONREAD, n)
sys.exit(n[0] < 60000)'
}
await full || wrong 'the pipe is not full'
kill -INT $pid
sleep 1
kill -0 $pid || wrong 'it did not wait for the reader'
kill -INT $pid
await ended $pid || wrong 'the second signal did not end it'
kill -9 $pid $load 2>/dev/null
finish
