# SPDX-License-Identifier: BSD-2-Clause
# For shell tests: does everything that fired come out, to the last event?
#
# exact RUNS CALLS [TIME]: RUNS times, `syscalls CALLS` (every CPU at once) under { trace(timestamp); } with small
# buffers that are switched each TIME (1ms). Per CPU, what the program counted must be what dtrace decoded plus what
# it dropped, and its time stamps must grow (a record that was read before it was written shows an old one). Prints a line a run; gives the number of runs in which it was not so.
exact()
{
	wrong=0
	run=0
	while [ $run -lt "$1" ]; do
		run=$((run + 1))
		rm -f "$TMPDIR/trace"
		"$DTRACE" -b 64k -x switchrate="${3:-1ms}" -x accounting -o "$TMPDIR/trace" \
			-n 'syscall::getppid:entry /pid == $target/ { trace(timestamp); }' \
			-c "$PROGS/syscalls $2" >"$TMPDIR/calls" 2>"$TMPDIR/err"
		# Three sources: the program's count, the printed lines, the drops; and the fired count beside them.
		awk -v run=$run '
			FILENAME ~ /calls$/ && NF == 2 { made[$1] = $2 }
			FILENAME ~ /trace$/ && $3 == "getppid:entry" {
				lines[$1]++
				if ($4 + 0 <= last[$1] + 0) torn[$1]++
				last[$1] = $4
			}
			FILENAME ~ /err$/ && /drops? on CPU/ && !/aggregation/ { drops[$NF] += $2 }
			FILENAME ~ /err$/ && /accounting: EPID/ {
				for (i = 1; i < NF; i++) v[$i] = $(i + 1)
				cpu = v["CPU"]
				fired[cpu] += v["fired"] - v["false"] - v["stopped"]
			}
			END {
				bad = 0
				for (c in made) {
					ok = lines[c] + drops[c] == made[c] && fired[c] == made[c] && !torn[c]
					printf "run %d CPU %s: calls %d lines %d drops %d fired %d torn %d%s\n",
						run, c, made[c], lines[c], drops[c], fired[c], torn[c],
						ok ? "" : "  WRONG"
					bad += !ok
					n++
				}
				exit n == 0 || bad
			}' "$TMPDIR/calls" "$TMPDIR/trace" "$TMPDIR/err" || {
			wrong=$((wrong + 1))
			grep -v accounting "$TMPDIR/err" | grep -v 'drops\{0,1\} on CPU' | head -5
		}
	done
	return $wrong
}
