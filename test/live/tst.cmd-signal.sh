#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: SIGINT and SIGTERM end the session with END and the aggregations; a second one at once, also with a stuck reader
# @@timeout: 120
. "$SRC/test/lib/check.sh"
cd "$TMPDIR" || exit 1

# A shell starts its jobs with SIGINT ignored.
start()
{
	env --default-signal=INT,TERM "$DTRACE" "$@" 2>err &
	pid=$!
}

# The words are there once tracing has begun and the first records have been read.
await()
{
	tries=0
	while ! grep -q "$1" "$2" 2>/dev/null; do
		sleep 0.1
		tries=$((tries + 1))
		[ $tries -lt 200 ] || return 1
	done
}

for sig in INT TERM; do
	rm -f file
	start -o file -n 'BEGIN { printf("begun"); }' -n 'END { printf("end"); }' -n 'syscall:::entry { @n = count(); }'
	await begun file || wrong "$sig: no start"
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
await begun file || wrong 'ignored: no start'
kill -INT $pid
sleep 1
kill -0 $pid || wrong 'SIGINT was not ignored'
kill -TERM $pid
wait $pid

# Nobody reads: the first signal waits for the reader, the second does not.
mkfifo pipe
exec 3<>pipe
start -qn 'syscall:::entry { trace(timestamp); trace("................................"); } tick-1s { seen = 1; }' >pipe 3<&-
"$PROGS/spin" 2000000 >/dev/null
sleep 2
kill -INT $pid
sleep 2
kill -0 $pid || wrong 'it did not wait for the reader'
kill -INT $pid
tries=0
while kill -0 $pid 2>/dev/null && [ $tries -lt 50 ]; do
	sleep 0.1
	tries=$((tries + 1))
done
[ $tries -lt 50 ] || wrong 'the second signal did not end it'
kill -9 $pid 2>/dev/null
finish
