#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: sizes that cannot be had are halved, with a message before any record, also with -q; tracing works
# @@needs: root bpf
# @@timeout: 120
. "$SRC/test/lib/seeds.sh"

# The second line, if there is one: the size wanted, halved some times.
halved()
{
	sed -n "s/^dtrace: $1 lowered to //p" err | awk -v want="$2" '
		{ u = substr($0, length($0)); v = $0 + 0
		  v *= u == "k" ? 1024 : u == "m" ? 1048576 : u == "g" ? 1073741824 : 1
		  while (want > v) want /= 2
		  if (want != v) exit 1 }' || wrong "$(cat err)"
}

g4=4294967296
interrupt 1 "dtrace -P syscall -b 4g"
status 0
sed -n 1p err | grep -Eqx "dtrace: description 'syscall' matched [0-9]+ probes" || wrong "$(cat err)"
halved "buffer size" $g4
has_out ':(entry|return) $'
interrupt 1 "dtrace -P syscall'{@a[probefunc] = count()}' -x aggsize=1g"
status 0
sed -n 1p err | grep -Eqx "dtrace: description 'syscall' matched [0-9]+ probes" || wrong "$(cat err)"
halved "aggregation size" 1073741824
no_err drop
# An empty line of the interrupt, one more, the table, ascending.
awk 'NR <= 2 && NF { bad++ } NF == 2 { if ($2 + 0 < last) bad++; last = $2 + 0; n++ } END { exit bad > 0 || !n }' out ||
	wrong "$(head -5 out)"
grep . out | head -1 | grep -Eq '^  [a-z0-9_]+ {1,50}[ 0-9]{16}$' || wrong "layout: $(grep . out | head -1)"

# No machine has this much.
run dtrace -q -b 100t -n 'BEGIN { trace("x"); exit(0); }'
status 0
has_err '^dtrace: buffer size lowered to [0-9]+[kmg]$'
halved "buffer size" 109951162777600
has_out x
run dtrace -q -x aggsize=100t -n 'BEGIN { @ = count(); exit(0); }'
status 0
halved "aggregation size" 109951162777600
has_err '^dtrace: aggregation size lowered to [0-9]+[kmg]$'
run dtrace -x quietresize -qb 100t -n 'BEGIN { exit(0); }'
err ''
finish
