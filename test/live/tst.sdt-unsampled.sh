#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: sdt: an event of which the kernel gives nobody samples (irq_work_exit) has a probe like any other
. "$SRC/test/lib/check.sh"

"$DTRACE" -ln sdt:irq_vectors::irq_work_exit 2>/dev/null | grep -q irq_work_exit ||
	{ echo 'this kernel has no event irq_work_exit'; exit 77; }
run "$DTRACE" -qn 'sdt:irq_vectors::irq_work_* { @ = count(); } BEGIN { exit(0); } END { clear(@); }'
status 0
err ''
finish
