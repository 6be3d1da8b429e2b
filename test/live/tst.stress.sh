#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: calls, functions, timers and softirqs at once, with speculations and aggregations: each firing is accounted for
# @@needs: btf uprobe
# @@timeout: 120
# In emulation 4999 ticks a second can be all that a CPU does (6.1): make stress has them.
. "$SRC/test/lib/stress.sh"
fault=0
for policy in switch fill ring; do
	for temporal in no yes; do
		stressed $policy $temporal 997 20000 || {
			fault=1
			grep -v accounting: "$TMPDIR/messages" | head -5
		}
	done
done
exit $fault
