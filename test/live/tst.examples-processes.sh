#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: doc/examples about processes: programs, births and ends, signals, page faults
# needs: root bpf
. "$SRC/test/lib/examples.sh"
named loadsleep sleep
named loadtrue /bin/true

load <<END
./loadtrue one 'two three'
./loadtrue
./loadtrue
END
example execsnoop -c "$LOAD"
is 'arguments' "$(grep -c ' \./loadtrue one two three$' out)" 1
is 'programs' "$(grep -c ' \./loadtrue' out)" 3

example shortlived -c "$LOAD"
is 'processes' "$(rows '$2 == "loadtrue" { print $3 }')" -ge 1
is 'processes' "$(rows '$2 == "loadtrue" { print $3 }')" -le 3

load <<END
./loadtrue
./loadsleep 100 &
kill -9 \$!
wait
END
example newproc -c "$LOAD"
is 'creations' "$(grep -c ' loadsh creates ' out)" 2
is 'programs' "$(grep -c ' runs \./loadtrue' out)" 1
is 'exits' "$(grep -c ' loadtrue exits' out)" 1
is 'killed' "$(grep -Ec ' (loadsleep|loadsh) is killed' out)" 1
is 'in order' "$(rows '/loadsh creates/ { made[$4] = 1 } /loadtrue/ && made[$1]' | wc -l)" 2

load <<END
trap : USR1
kill -USR1 \$\$
kill -USR1 \$\$
kill -USR1 \$\$
END
example sigdist -c "$LOAD"
is 'signals' "$(rows '$1 == "loadsh" && $2 == "loadsh" && $3 == 10 { print $4 }')" 3

example faults -c "$LOAD"
is 'page faults' "$(rows '$2 == "loadsh" { print $3 }')" -ge 1
finish
