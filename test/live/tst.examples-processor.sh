#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: doc/examples about processors: samples of programs, functions and priorities, switches, waits
# @@timeout: 300
# needs: root bpf
. "$SRC/test/lib/examples.sh"
named loadsleep sleep
named loadhot "$PROGS/hot"

example hotuser -c "$PROGS/hot 100"
is 'the hottest' "$(rows 'END { print last } $1 != "TOTAL" && NF == 2 { last = $1 }')" 'hot`compute'
is 'total' "$(rows 'NF == 2 { n += $1 == "TOTAL" ? -$2 : $2 } END { print n + 0 }')" 0

example hotkernel -c "dd if=/dev/zero of=/dev/null bs=1M count=4000 status=none"
is 'memory that is cleared' "$(grep -Ec '`.*(zero|clear|stos)' out)" -ge 1
is 'total' "$(rows 'NF == 2 { n += $1 == "TOTAL" ? -$2 : $2 } END { print n + 0 }')" 0

example sampleproc -c "$TMPDIR/loadhot 100"
is 'samples' "$(rows '$2 == "loadhot" { print $3 }')" -ge 1
is 'total' "$(rows '$1 == "TOTAL" { n -= $2 } $1 ~ /^[0-9]/ { n += $NF } END { print n + 0 }')" 0

priority=$((120 + $(nice) + 7))
[ $priority -le 139 ] || priority=139
example pridist -c "nice -n 7 $TMPDIR/loadhot 50"
is 'priority' "$(dist loadhot | sed -n "s/^$priority //p")" -ge 1

example cpuload -c "$PROGS/hot 50"
is 'user' "$(rows '{ n += $5 } END { print n }')" -ge 1
is 'sums' "$(rows '$1 ~ /^[0-9]/ && $2 != $3 + $4 + $5' | wc -l)" 0

load <<END
for i in 1 2 3 4 5 6 7 8 9 10; do
	./loadsleep .01
done
END
example cswstat -c "$LOAD"
is 'switches' "$(rows '$1 ~ /^20/ { n += $5 } END { print n }')" -ge 20
is 'forced ones are among them' "$(rows '$1 ~ /^20/ { n += $5 - $6 } END { print n }')" -ge 0

example runqlat -c "$LOAD"
is 'waits' "$(dist loadsleep | awk '{ n += $2 } END { print n }')" -ge 1

example offcpu -c "sleep .1"
is 'a stack' "$(grep -c nanosleep out)" -ge 1
is 'waits' "$(rows '/\|/ { n += $NF } END { print n }')" -ge 1
finish
