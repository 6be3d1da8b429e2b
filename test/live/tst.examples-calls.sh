#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: doc/examples about system calls: counts, times, errors, arguments, the last ones of a process
# needs: root bpf cmd:python3
. "$SRC/test/lib/examples.sh"
named loadcat cat
named loadspin "$PROGS/spin"

example procsystime -c "$PROGS/spin 1000"
is 'calls' "$(rows '$1 == "getppid" { print $2 }')" 1000
is 'longest at most all' "$(rows '$1 == "getppid" { print $5 <= $3 }')" 1
is 'total' "$(rows 'NF == 5 && $1 != "CALL" { n += $2 } $1 == "TOTAL" { n -= $2 } END { print n }')" 0

example syslatency -c "$PROGS/spin 1000"
is 'calls' "$(dist getppid | awk '{ n += $2 } END { print n }')" 1000

load <<END
./loadcat .
./loadcat .
./loadspin 50
END
example errinfo -c "$LOAD"
is 'reads of a directory' "$(rows '$1 == "loadcat" && $2 == "read" && $3 == 21 { print $4 }')" 2
is 'calls without error' "$(rows '$3 == 0' | wc -l)" 0

example dtruss -c "$LOAD"
is 'calls' "$(rows '$3 ~ /^getppid\(/ && $NF == 0' | wc -l)" -ge 50
is 'opens by name' "$(rows '$3 == "openat(\".\")" && $NF == 0' | wc -l)" 2
is 'failures' "$(rows '$3 ~ /^read/ && /= -1, errno 21$/' | wc -l)" 2

example topsyscall 60 -c "$PROGS/spin 200000"
is 'calls' "$(rows '$1 == "getppid" { print $2 }')" -ge 200000
is 'not more than ten' "$(rows 'NF == 2' | wc -l)" -le 10

# However many calls there were, few are left, and the last is among them.
example lastcalls -c "$PROGS/spin 100000"
is 'the last' "$(grep -c ' exit_group(' out)" 1
is 'calls before it' "$(grep -c ' getppid(' out)" -ge 20
is 'calls before it' "$(grep -c ' getppid(' out)" -lt 50000

load <<END
python3 -c 'import os
os.setresuid(-1, 12345, -1)
try:
    os.setuid(54321)
except OSError:
    pass'
END
example setuids -c "$LOAD"
is 'a change' "$(rows '$2 == 0 && $3 == "setresuid" && $4 == 12345 && $5 == 0' | wc -l)" 1
is 'no permission' "$(rows '$2 != 54321 && $3 == "setuid" && $4 == 54321 && $5 == 1' | wc -l)" 1
finish
