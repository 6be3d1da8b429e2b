#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: system() and printa() run when their record is read, up to a switchrate late, in the order of the records
# @@needs: root bpf
# @@timeout: 120
. "$SRC/test/lib/seeds.sh"
run dtrace -w -x switchrate=3s -n 'BEGIN { system("date"); } tick-7s { exit(0); }'
grep -q 'system() is not implemented' err && {
	echo "system() is not built"
	exit 77
}
status 0
has_out '[0-9][0-9]:[0-9][0-9]:[0-9][0-9]'
run dtrace -wq -x switchrate=300ms -n 'BEGIN { printf("1\n"); system("echo 2"); printf("3\n"); @ = count(); printa("%@d\n", @);
	system("echo 4"); exit(0); }'
out '1
2
3
1
4
'
# What it does is seen at the first reading after it, not before: two seconds and more after the record.
run dtrace -wq -x switchrate=3s -n 'tick-500ms { n++; } tick-500ms /n == 2/ { system("cat /proc/uptime >when"); }
	tick-500ms /n == 2/ { printf("%d\n", timestamp); } tick-500ms /n > 7/ { exit(0); }'
status 0
awk 'NR == FNR { ran = $1 * 1e9; next } NF { exit ran - $1 < 3e8 }' when out ||
	wrong "system() ran at $(cat when), its record is of $(cat out)"
finish
