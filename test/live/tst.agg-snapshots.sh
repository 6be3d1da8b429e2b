#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: aggregations: every snapshot is consistent and nothing is lost between them; a full table is never silent
# @@timeout: 300
. "$SRC/test/lib/check.sh"

# Updated in one clause: count, sum and average agree on every line, and the lines add up to what was done.
run "$DTRACE" -q -x aggrate=5ms -x switchrate=5ms -o "$TMPDIR/trace" -n '
	syscall::getppid:entry /pid == $target/ { @n = count(); @s = sum(7); @a = avg(7); @k[tid % 4] = count(); }
	tick-5ms { printa("%@d %@d %@d\n", @n, @s, @a); clear(@n); clear(@s); clear(@a); }
	END { printa("%@d %@d %@d\n", @n, @s, @a); printa("key %@d\n", @k); }' -c "$PROGS/syscalls 1000000"
status 0
awk -v made="$(awk 'NF == 2 { n += $2 } END { print n }' "$TMPDIR/out")" '
	/^key/ { keys += $2; next }
	NF == 3 { lines++; n += $1; if ($2 != 7 * $1 || $1 && $3 != 7) { print "line: " $0; bad++ } }
	END { print lines " lines, " n " of " made; exit bad > 0 || lines < 3 || n != made || keys != made }' "$TMPDIR/trace" ||
	wrong "$(tail -3 "$TMPDIR/trace")"
no_err drop

# aggrate slower than switchrate: printa() shows what the last snapshot knew; faster: what is new, each time that the consumer
# comes: a machine may hold it up.
for rate in 5ms:5:20 10s:0:3; do
	most=${rate##*:} rate=${rate%:*}
	for _ in 1 2 3 4 5; do
		run "$DTRACE" -q -x aggrate=${rate%:*} -x switchrate=50ms -n 'tick-10ms { @ = count(); }
			tick-100ms { printa("%@d\n", @); } tick-2s { exit(0); }'
		shown=$(grep . "$TMPDIR/out" | sort -u | grep -c .)
		[ "$shown" -ge "${rate#*:}" ] && break
	done
	[ "$shown" -ge "${rate#*:}" ] && [ "$shown" -le "$most" ] || wrong "$shown values with aggrate ${rate%:*}"
done

# More keys than there is room for: printed and dropped are all.
run "$DTRACE" -q -x aggsize=64k -x aggrate=100ms -n 'profile-'$OFTEN' { @k[cpu, timestamp] = count(); @all = count(); }
	tick-2s { exit(0); } END { printa("ALL %@d\n", @all); printa("KEY %@d\n", @k); }'
awk 'FILENAME ~ /out$/ && /^ALL/ { all = $2 } FILENAME ~ /out$/ && /^KEY/ { keys += $2 }
	FILENAME ~ /err$/ && /aggregation drop/ { drops += $2 }
	END { print keys " keys, " drops + 0 " drops, " all; exit keys + drops != all || !all }' "$TMPDIR/out" "$TMPDIR/err" ||
	wrong "$(head -2 "$TMPDIR/err")"
run "$DTRACE" -q -x aggsize=8k -x aggrate=1s -n 'profile-'$OFTEN' { @k[cpu, timestamp] = count(); @all = count(); }
	tick-2s { exit(0); } END { printa("ALL %@d\n", @all); printa("KEY %@d\n", @k); }'
has_err 'aggregation drops on CPU'
awk 'FILENAME ~ /out$/ && /^ALL/ { all = $2 } FILENAME ~ /out$/ && /^KEY/ { keys += $2 }
	FILENAME ~ /err$/ && /aggregation drop/ { drops += $2 }
	END { print keys " keys, " drops + 0 " drops, " all; exit keys + drops != all || !all }' "$TMPDIR/out" "$TMPDIR/err" ||
	wrong "$(head -2 "$TMPDIR/err")"
finish
