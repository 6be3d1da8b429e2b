#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: a slow pipe: drops are counted, nothing after exit(), the end comes when the pipe is drained; SIGINT twice ends at once
# @@timeout: 120
. "$SRC/test/lib/check.sh"
. "$SRC/test/lib/await.sh"
cd "$TMPDIR" || exit 1
export PROGS

# Everything fired was printed or dropped, though the reader takes 100 KB a second for a while.
cat >slow.py <<'P'
import os, sys, time
end = time.time() + float(sys.argv[1])
with open('piped', 'wb') as f:
    while True:
        b = os.read(0, 4096)
        if not b:
            break
        f.write(b)
        if time.time() < end:
            time.sleep(0.04)
P
mkfifo fifo
"$PROGS/spinmt" 4 100000000000 &
load=$!
python3 slow.py 6 <fifo &
reader=$!
# exit() is dropped, too, while the buffer is full of what waits for the reader, and tried again at the next firing. The
# load fills a buffer again in a millisecond, so that the tries come every millisecond. Long lines are too many for the
# reader also where the load has little of the processor.
run "$DTRACE" -q -b 256k -x switchrate=50ms -x accounting -n '
	BEGIN { start = timestamp; }
	syscall::getppid:entry /pid == $1/ { @fired = count(); }
	syscall::getppid:entry /pid == $1/ { printf("%s %d%300s\n", probefunc, tid, "x"); @recorded = count(); }
	tick-1ms /timestamp - start > 2000000000/ { @exits = count(); }
	tick-1ms /timestamp - start > 2000000000/ { exit(0); } END { printf("END\n"); }' -o fifo $load
status 0
kill $load
wait $reader
# exit() of one CPU may fall between two clauses of a firing on another: the second is stopped then, in its account. The
# records of BEGIN and END may be drops themselves.
awk '/^getppid [0-9]+ +x$/ { n++; if (over) late = 1 } /^END/ { over = 1; next } NF == 1 && $1 > 0 { v[++k] = $1 }
	/drops? on CPU/ { drops += $2 }
	/accounting: EPID/ { for (i = 1; i < NF; i++) a[$i] = $(i + 1); stopped[a["EPID"]] += a["stopped"] }
	END { between = stopped[3] - stopped[2] + stopped[5] - stopped[4]; lost = v[1] - n + v[3] - 1 - between
		print "fired", v[1], "recorded", v[2], "printed", n, "exits tried", v[3], "drops", drops, "stopped between", between
		exit !(k == 3 && v[2] == n && lost <= drops && drops - lost < 5 && drops > 50 && !late) }' \
	piped err >sums || wrong "printed and drops are not all: $(cat sums) $(cat err)"
cat sums

# Nobody reads: the first SIGINT stops tracing, the second gives up what is not written yet.
"$PROGS/spinmt" 4 100000000000 &
load=$!
sleep 60 <fifo &
reader=$!
# A shell's background commands ignore SIGINT, and so would dtrace.
env --default-signal=INT "$DTRACE" -q -n 'BEGIN { system("echo up >up"); } syscall::getppid:entry { printf("%s %d\n", probefunc, tid); }' -w -o fifo 2>err &
pid=$!
await has up up || wrong "not up: $(cat err)"
sleep 2
kill -INT $pid
sleep 1
[ -d /proc/$pid ] || wrong "it ended though the pipe is full"
kill -INT $pid
await ended $pid || wrong "still there a minute after the second SIGINT"
kill $load $reader
kill -KILL $pid 2>/dev/null
finish
