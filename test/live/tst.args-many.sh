#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: arguments that are read from memory, forty times in a program: of trace events, on the stack, of static probes
# @@needs: root bpf uprobe
# @@timeout: 120
. "$SRC/test/lib/check.sh"
cd "$TMPDIR" || exit 1

again() # N TEXT
{
	awk -v n="$1" -v t="$2" 'BEGIN { for (i = 0; i < n; i++) print t }'
}
counted() # PROGRAM COMMAND OUTPUT
{
	echo "int64_t n, m; $1" >p.d
	run "$DTRACE" -qs p.d -c "$2"
	status 0
	err ''
	out "$3"
}

# A place in the record, and a string in it
cp /bin/true ./argstrue
printf '#!/bin/sh\nexec ./argstrue\n' >go
chmod +x go
counted "sdt:sched::sched_process_exec /pid == \$target/ { $(again 20 'n += stringof(args[0]) == "./argstrue";') }
	sdt:sched::sched_process_exec /pid == \$target/ { $(again 20 'n += stringof(args[0]) == "./argstrue";') }
	sdt:sched::sched_process_exit /pid == \$target/ { $(again 40 'm += stringof(args[0]) == "argstrue";') }
	END { printf(\"%d %d\", n, m); }" ./go '40 40'
counted "pid\$target:a.out:f10:entry { $(again 20 'n += arg6; m += arg9;') printf(\"%d %d\", n, m); }" "$PROGS/pidargs" '140 200'
counted "tprov\$target:::forms-all { $(again 20 'n += arg4; m += arg7;') printf(\"%d %d\", n, m); }" "$PROGS/usdtargs" '1200000 -160'
finish
