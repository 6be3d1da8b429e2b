#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: dtrace -n syscall:::entry -b 2k -x bufpolicy=fill: ends by itself, one CPU full, no drops; END comes last
# @@needs: root bpf
# @@timeout: 300
. "$SRC/test/lib/seeds.sh"
"$PROGS/syscalls" $ENDLESS >/dev/null &
load=$!
run dtrace -n syscall:::entry -b 2k -x bufpolicy=fill
status 0
has_err "^dtrace: description 'syscall:::entry' matched [0-9]+ probes$"
no_err drop
head -1 out | grep -Eq '^CPU +ID +FUNCTION:NAME$' || wrong "header: $(head -1 out)"
[ -z "$(tail -1 out)" ] || wrong "last line: $(tail -1 out)"
# A header has 8 bytes, and the default action records nothing else.
lines_by_cpu | awk '{ if ($2 > 256) bad++; if ($2 == 256) full++ } END { exit bad || !full }' || wrong "lines: $(lines_by_cpu)"
awk '$2 ~ /^[0-9]+$/ { if ($1 + 0 < last) bad++; last = $1 + 0 } END { exit bad > 0 }' out || wrong "not in CPU order"
i=0
while [ $i -lt 5 ]; do
	run dtrace -n 'syscall:::entry' -n 'END { printf("%d", 1); }' -b 2k -x bufpolicy=fill
	status 0
	no_err drop
	grep . out | tail -1 | grep -Eq ':END 1$' || wrong "END: $(tail -3 out)"
	# END reserves 8 bytes on every CPU.
	grep -v END out >entries && mv entries out
	lines_by_cpu | awk '{ if ($2 > 255) bad++; if ($2 == 255) full++ } END { exit bad || !full }' ||
		wrong "lines with END: $(lines_by_cpu)"
	i=$((i + 1))
done
kill $load
# SIGINT before anything is full: what there is.
interrupt 0.5 "dtrace -n syscall::getpgid:entry -b 2k -x bufpolicy=fill"
status 0
no_err drop
finish
