#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: doc/examples about files: opens, and bytes by program, by file, by size
# needs: root bpf
. "$SRC/test/lib/examples.sh"
named loadcat cat
named loaddd dd
echo text >here

load <<END
./loadcat $TMPDIR/here
./loadcat $TMPDIR/here $TMPDIR/missing
./loadcat $TMPDIR/here
END
example opensnoop -c "$LOAD"
is 'opens of here' "$(rows '$3 == "loadcat" && $4 >= 0 && $5 == 0 && /\/here$/' | wc -l)" 3
is 'opens of missing' "$(rows '$3 == "loadcat" && $4 == -1 && $5 == 2 && /\/missing$/' | wc -l)" 1

example filebyproc -c "$LOAD"
is 'opens of here' "$(rows '$1 == "loadcat" && $2 ~ /\/here$/ { print $3 }')" 3
is 'opens of missing' "$(rows '/\/missing/' | wc -l)" 0

load <<END
head -c 9000 /dev/zero >from
./loaddd if=from of=to bs=1000 status=none
END
example rwbyfile -c "$LOAD"
is 'read' "$(rows '$1 == "loaddd" && $2 == "R" && $3 == "from" { print $4 }')" 9000
is 'written' "$(rows '$1 == "loaddd" && $2 == "W" && $3 == "to" { print $4 }')" 9000

example writesbyproc -c "$LOAD"
is 'writes of 512 to 1023 bytes' "$(dist loaddd | sed -n 's/^512 //p')" 9

# Every second, for more than one.
load <<END
./loaddd if=from of=to bs=1000 status=none
sleep 2.2
./loaddd if=from of=to bs=1000 status=none
END
example rwtop 1 -c "$LOAD"
is 'written' "$(rows '$2 == "loaddd" { n += $4 } END { print n }')" 18000
is 'read and written' "$(rows '$2 == "loaddd" { n += $5 - $3 } END { print n }')" 18000
is 'printed' "$(rows '$1 == "PID"' | wc -l)" -ge 2
finish
