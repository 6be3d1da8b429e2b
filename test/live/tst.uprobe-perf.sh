#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: the tests of pid and of static probes where each probe is a perf event of its own, as on kernels before 6.6
# @@needs: uprobe cc
# @@timeout: 300
export DTRACE_WITHOUT=uprobe_multi
fault=0
for t in pid-probes pid-target pid-dlopen pid-exec usdt; do
	RUNS=3 sh "$TESTDIR/tst.$t.sh" || { echo "$t: status $?"; fault=1; }
done
exit $fault
