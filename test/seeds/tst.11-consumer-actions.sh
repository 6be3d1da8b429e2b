#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: system() and printa() run when their record is read, up to a switchrate late, in the order of the records
# @@needs: root bpf
# @@timeout: 60
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
# What it does is seen at the first reading after it, not before: the file of the first one.
run dtrace -wq -x switchrate=1500ms -n 'tick-100ms { n++; } tick-100ms /n == 2/ { system("date +%%s%%N >when; echo"); }
	tick-100ms /n == 2/ { printf("%d\n", walltimestamp); } tick-100ms /n == 30/ { exit(0); }'
status 0
[ -s when ] && awk -v ran="$(cat when)" 'NF { late = (ran - $1) / 1e9; exit late < 0.3 || late > 5 }' out ||
	wrong "system() ran at $(cat when), its record is of $(cat out)"
finish
