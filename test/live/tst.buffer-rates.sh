#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: switchrate says how often records appear: per second without a suffix, once a second by default
# @@timeout: 300
# @@needs: cmd:python3
. "$SRC/test/lib/check.sh"

# How often something came out of a pipe while `tick-5ms` recorded for two seconds.
comings()
{
	"$DTRACE" -q "$@" -n 'tick-5ms { printf("%d\n", n++); } tick-2s { exit(0); }' 2>/dev/null | python3 -c '
import os, select
n = 0
while True:
    select.select([0], [], [])
    if not os.read(0, 1 << 20):
        break
    n += 1
    select.select([], [], [], 0.02)
print(n)'
}

# between LEAST MOST FLAGS...: tried again, as a machine may hold up dtrace or the reader.
between()
{
	least=$1 most=$2
	shift 2
	for _ in 1 2 3 4 5; do
		n=$(comings "$@")
		[ "$n" -ge "$least" ] && [ "$n" -le "$most" ] && return
	done
	wrong "$*: $n times in two seconds, not $least to $most"
}

between 2 5
between 2 5 -x switchrate=1
between 8 24 -x switchrate=10
between 8 24 -x switchrate=10hz
between 8 24 -x switchrate=100ms
between 1 2 -x switchrate=20s
finish
