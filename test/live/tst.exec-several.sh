#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: pid probes, static probes and user stacks in one session: a command that executes another program goes on when all are ready
# @@needs: uprobe
# @@timeout: 300
. "$SRC/test/lib/check.sh"
cd "$TMPDIR" || exit 1
for _ in $(seq 30); do
	run "$DTRACE" -Zqn 'pid$target:a.out:g1:entry { @["g1"] = count(); } pid$target:a.out:go:entry { @["go"] = count(); }
		fam*:::went /pid == $target/ { @["went"] = count(); @s[ustack()] = count(); }
		END { printa("%s %@d\n", @); trunc(@); printa("%k", @s); }' -c "$PROGS/reexec $PROGS/family 0 0"
	status 0
	err ''
	for what in g1 go went; do
		has_out "^$what 1\$"
	done
	has_out '^ *family`go\+0x'
	has_out '^ *family`main\+0x'
	[ $fault = 0 ] || break
done
finish
