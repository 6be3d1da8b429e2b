#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: worked examples of small buffers, with our record sizes (doc/buffering-requirements.md)
# @@timeout: 300
. "$SRC/test/lib/check.sh"

# What it printed without empty lines, on one line.
shown()
{
	[ "$(grep . "$TMPDIR/out" | tr '\n' ' ' | sed 's/  */ /g; s/^ //; s/ $//')" = "$1" ] ||
		wrong "not '$1': $(cat "$TMPDIR/out")"
}

no_drops()
{
	no_err 'drop'
}

P='tick-10ms { printf("%d\n", i++); } '
run "$DTRACE" -q -x bufpolicy=fill -b 64 -x statusrate=10ms -n "int i; $P$P$P$P$P$P$P$P$P$P$P$P"
status 0
shown '0 1 2 3'
no_drops
# With times it takes 24 and 16.
run "$DTRACE" -q -x temporal -x bufpolicy=fill -b 64 -x statusrate=10ms -n "int i; $P$P$P$P$P$P$P$P$P$P$P$P"
status 0
shown '0 1'
no_drops

# An int takes 16 bytes with its header, exit(0) 8. What a false predicate did not need is not taken.
run "$DTRACE" -q -x bufpolicy=ring -b 50 -n 'int i, n; tick-2ms /n < 300/ { printf("%d\n", i); i++; } tick-2ms { n++; }
	tick-2ms /n == 300/ { exit(7); }'
status 7
shown '298 299'
run "$DTRACE" -q -x bufpolicy=ring -b 40 -n 'int n; tick-2ms /n < 100/ { printf("%d\n", n++); } tick-2ms /n == 100/ { exit(0); }'
shown '98 99'
run "$DTRACE" -q -x bufpolicy=ring -b 80 -n 'int n; tick-2ms /n < 100/ { printf("%d\n", n++); } tick-2ms /n == 100/ { exit(0); }'
shown '96 97 98 99'
for size in 40:99 112:96.97.98.99; do
	run "$DTRACE" -q -x temporal -x bufpolicy=ring -b ${size%:*} \
		-n 'int n; tick-2ms /n < 100/ { printf("%d\n", n++); } tick-2ms /n == 100/ { exit(0); }'
	shown "$(echo ${size#*:} | tr . ' ')"
done
run "$DTRACE" -q -x bufpolicy=ring -b 16 -n 'long t; tick-2ms { printf("%d\n", t++); } tick-2ms /0/ { trace((int)1); }
	tick-2ms /i++ > 20/ { exit(4); }'
status 4
shown ''
run "$DTRACE" -q -x bufpolicy=ring -b 512k -n 'tick-20ms /n < 5/ { printf("%d\n", n++); } tick-20ms /n == 5/ { exit(0); }'
shown '0 1 2 3 4'
no_drops

# A buffer that two records fill loses none, unless the machine keeps the consumer waiting: then it says how many.
for pace in 32:200ms:50ms 40:100ms:10ms; do
	size=${pace%%:*} pace=${pace#*:}
	run "$DTRACE" -q -b $size -x switchrate=${pace#*:} -n "int i; tick-${pace%:*} /i < 10/ { printf(\"%d\\n\", i); i++; }
		tick-${pace%:*} /i == 10/ { i++; } tick-${pace%:*} /i > 10/ { exit(0); }"
	awk 'FILENAME ~ /out$/ && NF { if ($1 < next_) bad++; next_ = $1 + 1; n++ } FILENAME ~ /err$/ && /drop/ { drops += $2 }
		END { exit bad > 0 || n + drops < 10 || !drops && n != 10 }' "$TMPDIR/out" "$TMPDIR/err" ||
		wrong "$(cat "$TMPDIR/out" "$TMPDIR/err")"
done

run "$DTRACE" -q -b 0 -n 'BEGIN { trace(1); exit(0); }'
status 1
err 'dtrace: could not enable tracing: Enabling exceeds size of buffer'
run "$DTRACE" -q -x aggsize=8 -n 'BEGIN { @ = count(); exit(0); }'
status 1
err 'dtrace: could not enable tracing: Enabling exceeds size of buffer'

# Room is asked for two strings of 2047 characters, and what they do not use is given back: 32 bytes stay.
S='{ trace(execname); trace(execname); printf("\n"); } '
all=
for probe in BEGIN END; do
	D=
	for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do
		D="$D$probe $S"
	done
	run "$DTRACE" -q -b 64k -x strsize=2k -n "$D BEGIN { exit(0); }"
	[ "$(grep -c dtrace "$TMPDIR/out")" = 16 ] || wrong "$(cat "$TMPDIR/out")"
	no_drops
	run "$DTRACE" -q -b 4200 -x strsize=2k -n "$D BEGIN { exit(6); }"
	status 6
	[ "$(grep -c dtrace "$TMPDIR/out")" = 3 ] || wrong "$(cat "$TMPDIR/out")"
	has_err '^dtrace: 13 drops on CPU [0-9]+$'
done

# Strings cost their length, in aggregations too.
run "$DTRACE" -q -x strsize=512 -x aggsize=1024 -n 'BEGIN { @[strjoin("a", "1")] = count(); @[strjoin("b", "1")] = count();
	@[strjoin("c", "1")] = count(); @[strjoin("d", "1")] = count(); exit(0); }'
no_drops
[ "$(grep -c 1 "$TMPDIR/out")" = 4 ] || wrong "$(cat "$TMPDIR/out")"

run "$DTRACE" -q -x dynvarsize=100 -n 'int n; tick-1ms /n < 100/ { a[n] = 1; n++; } tick-1ms /n == 100/ { printf("%d %d\n", a[0], a[99]); exit(0); }'
shown '1 0'
# In one message or in two.
[ "$(awk '/ dynamic variable drops?$/ { n += $2 } END { print n }' "$TMPDIR/err")" = 99 ] || wrong "not 99: $(cat "$TMPDIR/err")"
run "$DTRACE" -q -x dynvarsize=1024 -x strsize=512 -n 'BEGIN { a["1"] = 1; a["2"] = 1; a["3"] = 1; a["4"] = 1; exit(0); }'
no_drops

run "$DTRACE" -q -x nspec=1 -x specsize=32 -x strsize=512 -n 'BEGIN { s = speculation(); } BEGIN { speculate(s); trace(execname); }
	BEGIN { commit(s); } BEGIN { exit(0); }'
shown ''
err 'dtrace: 1 speculative drop'
run "$DTRACE" -q -x nspec=2 -n 'BEGIN { printf("%d ", speculation()); printf("%d ", speculation()); printf("%d\n", speculation()); exit(0); }'
shown '1 2 0'
err 'dtrace: 1 failed speculation (no speculative buffer available)'
run "$DTRACE" -q -x nspec=1 -n 'int n; tick-20ms { printf("%d\n", speculation()); n++; } tick-20ms /n == 2/ { exit(0); }'
shown '1 0'
err 'dtrace: 1 failed speculation (no speculative buffer available)'
T='trace(t); trace(t); trace(t); trace(t); trace(t); trace(t); trace(t);'
for try in 71:2: 72:1:77777777 159:1:77777777 160:0:777777777777777777; do
	values=${try##*:} try=${try%:*}
	run "$DTRACE" -q -x nspec=1 -x specsize=${try%:*} -n "long t; BEGIN { s = speculation(); t = 7; }
		BEGIN { speculate(s); $T trace(t); } BEGIN { speculate(s); $T trace(t); trace(t); trace(t); }
		BEGIN { commit(s); } BEGIN { exit(0); }"
	case ${try#*:} in
	0) no_drops ;;
	1) err 'dtrace: 1 speculative drop' ;;
	2) err 'dtrace: 2 speculative drops' ;;
	esac
	shown "$values"
done
run "$DTRACE" -q -x nspec=8 -n 'BEGIN { a = speculation(); b = speculation(); c = speculation(); d = speculation();
		e = speculation(); f = speculation(); g = speculation(); h = speculation(); }
	BEGIN { speculate(a); printf("1\n"); } BEGIN { speculate(b); printf("2\n"); } BEGIN { speculate(c); printf("3\n"); }
	BEGIN { speculate(d); printf("4\n"); } BEGIN { speculate(e); printf("5\n"); } BEGIN { speculate(f); printf("6\n"); }
	BEGIN { speculate(g); printf("7\n"); } BEGIN { speculate(h); printf("8\n"); }
	BEGIN { commit(h); discard(g); commit(f); discard(e); commit(d); discard(c); commit(b); discard(a); } BEGIN { exit(0); }'
shown '8 6 4 2'

# exit() is noticed at the next status check, in the fourth second. A machine that stands still may have the tick late.
for _ in 1 2 3 4 5; do
	run "$DTRACE" -q -x statusrate=4s -n 'tick-500ms { at = timestamp; exit(2); } END { printf("%d\n", (timestamp - at) / 1000000); }'
	status 2
	awk 'NF { ms = $1 } END { exit ms < 2000 }' "$TMPDIR/out" && break
done
awk 'NF { ms = $1 } END { exit ms < 2000 }' "$TMPDIR/out" || wrong "$(cat "$TMPDIR/out")"

run "$DTRACE" -q -n 'BEGIN { trace(*(int *)0); } BEGIN { exit(0); } ERROR { trace(*(int *)0); }'
has_err '^dtrace: 1 error in ERROR probe enabling$'
[ "$(grep -c 'error on enabled probe' "$TMPDIR/err")" = 1 ] || wrong "$(cat "$TMPDIR/err")"
finish
