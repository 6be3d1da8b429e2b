#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: -x oformat=folded, -x flamegraph, -x heatmap: lines, well-formed SVG files with all that was traced
# @@timeout: 120
. "$SRC/test/lib/check.sh"
cd "$TMPDIR" || exit 1

# Every call of deep's f3 has the same user stack; keys come first.
run "$DTRACE" -x oformat=folded -x flamegraph=flame.svg -n '
	syscall::write:entry /pid == $target/ { @[execname, 7, ustack()] = sum(3); @n[probefunc] = count(); }
	syscall::write:entry /pid == $target/ { printf("%s", "rec;ord"); ustack(); }' -c "$PROGS/deep"
status 0
has_out '^deep;7;.*deep`main;deep`f1;deep`f2;deep`f3;.* 3$'
has_out '^rec:ord;.*deep`main;deep`f1;deep`f2;deep`f3;.* 1$'
[ "$(wc -l <out)" = 2 ] || wrong "not two lines: $(cat out)"
python3 - <<'P' || wrong "flame.svg"
import re, sys, xml.etree.ElementTree as ET
root = ET.parse('flame.svg').getroot()
S = '{http://www.w3.org/2000/svg}'
frames = {}
for g in root.iter(S + 'g'):
    if g.get('class') == 'f':
        frames.setdefault(g.find(S + 'text').get('data-n'), []).append(g)
ok = len(frames['all']) == 1 and '(4, 100.00%)' in frames['all'][0].find(S + 'title').text
ok = ok and len(frames['deep`f3']) == 2 and {g.get('data-w') for g in frames['deep`f3']} == {'0.750000000', '0.250000000'}
ok = ok and 'http' not in open('flame.svg').read().replace('http://www.w3.org/2000/svg', '')
sys.exit(not ok)
P

# Kernel frames are marked; printa() adds what it shows, once.
run "$DTRACE" -x oformat=folded -x aggrate=10ms -x switchrate=10ms -n '
	syscall::getppid:entry /pid == $target/ { @[stack()] = count(); }
	tick-50ms { printa(@); clear(@); } END { printa(@); }' -c "$PROGS/spin 200000"
status 0
awk '{ n += $NF } /_\[k\]/ { k++ } END { print n; exit n != 200000 || k != NR }' out || wrong "$(cat out)"

# The usual output stays beside a picture; a distribution over time holds every value.
run "$DTRACE" -q -x heatmap=heat.svg -x aggrate=20ms -n '
	syscall::getppid:entry /pid == $target/ { @q[execname] = quantize(n++); @l = lquantize(n, 0, 1000, 100); }
	tick-100ms { clear(@q); } END { printf("done\n"); }' -c "$PROGS/spin 100000"
status 0
has_out '^done$'
has_out 'Distribution'
python3 - <<'P' || wrong "heat.svg"
import re, sys, xml.etree.ElementTree as ET
S = '{http://www.w3.org/2000/svg}'
root = ET.parse('heat.svg').getroot()
sums = [sum(int(c.find(S + 'title').text.split(': ')[-1]) for c in p.iter(S + 'rect') if c.get('class') == 'c')
        for p in root.iter(S + 'svg') if p.get('class') == 'p']
print(sums)
sys.exit(sums != [100000, 100000])
P

# Nothing to draw is a picture, too; a file that cannot be written is told, and makes the status 1.
run "$DTRACE" -q -x heatmap=none.svg -n 'BEGIN { exit(5); }'
status 5
rm none.svg
run "$DTRACE" -q -x heatmap=none.svg -x flamegraph=/no/such/dir/f.svg -n 'BEGIN { exit(0); }'
status 1
err 'dtrace: failed to write to /no/such/dir/f.svg: No such file or directory'
python3 -c 'import xml.etree.ElementTree as ET; ET.parse("none.svg")' || wrong 'none.svg'
finish
