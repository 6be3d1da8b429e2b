#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: dtrace -s foo.d -x bufpolicy=ring: nothing before the end, then CPU by CPU, the newest, oldest first
# @@needs: root bpf
. "$SRC/test/lib/seeds.sh"
run dtrace -s foo.d -x bufpolicy=ring
status 1
err 'dtrace: failed to open foo.d: No such file or directory'
echo 'syscall::write:entry { trace(timestamp); trace(execname); }' >foo.d
dd if=/dev/zero of=/dev/null bs=1 2>/dev/null &
load1=$!
dd if=/dev/zero of=/dev/null bs=1 2>/dev/null &
load2=$!
interrupt 3 "dtrace -s foo.d -x bufpolicy=ring -b 8k"
kill $load1 $load2
status 0
err "dtrace: script 'foo.d' matched 1 probe"
[ ! -s early ] || wrong "output before the end: $(head -3 early)"
# A record of dd has 8 + 8 + 4 + 2 bytes: 24. The one whose place the newest needs is gone.
awk 'NF == 5 { n[$1]++
		if ($1 + 0 < cpu) { print "CPU order: " $0; bad++ }
		if ($4 + 0 <= last[$1] + 0) { print "time order: " $0; bad++ }
		cpu = $1 + 0; last[$1] = $4; if ($5 == "dd") dd[$1]++ }
	END { for (c in n) if (n[c] > 8192 / 24 || dd[c] > 0 && n[c] < 8192 / 40) { print c, n[c]; bad++ }
		exit bad > 0 || !length(n) }' out >said || wrong "$(cat said; head -3 out)"
finish
