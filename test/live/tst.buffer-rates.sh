#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: switchrate says how often records appear: per second without a suffix, once a second by default
# @@timeout: 60
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

between()
{
	[ "$1" -ge "$2" ] && [ "$1" -le "$3" ] || wrong "$4: $1 times in two seconds, not $2 to $3"
}

between "$(comings)" 2 5 default
between "$(comings -x switchrate=1)" 2 5 'switchrate=1'
between "$(comings -x switchrate=10)" 8 24 'switchrate=10'
between "$(comings -x switchrate=10hz)" 8 24 'switchrate=10hz'
between "$(comings -x switchrate=100ms)" 8 24 'switchrate=100ms'
between "$(comings -x switchrate=20s)" 1 2 'switchrate=20s'
finish
