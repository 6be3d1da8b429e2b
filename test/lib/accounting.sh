# SPDX-License-Identifier: BSD-2-Clause
# For tests of -x accounting, with test/lib/check.sh: a program with everything in it (records, faults, ERROR,
# speculation, aggregations, a timer that interrupts) and the check of its accounts.
#
# accounts POLICY CALLS TEMPORAL: the program under that policy and load; every column must add up.
D='int x;
syscall::getppid:entry /pid == $target/ { trace(timestamp); }
syscall::getppid:entry /pid == $target && n++ % 3/ { trace(1 / x); }
syscall::getppid:entry /pid == $target/ { self->s = speculation(); }
syscall::getppid:entry /self->s/ { speculate(self->s); trace(tid); }
syscall::getppid:entry /self->s && n % 2/ { discard(self->s); self->s = 0; }
syscall::getppid:entry /self->s/ { commit(self->s); self->s = 0; }
syscall::getppid:entry /pid == $target/ { @ = count(); }
ERROR { trace(1 / x); }
ERROR { trace(arg4); }
profile-'"${PROFILE:-997}"' { printf("%s", execname); }'

# Fired is counted at the probe, written when the record is complete, recorded by the consumer: none is
# calculated from the others.
columns()
{
	awk -v policy="$1" -v made="$2" '
		/accounting: EPID/ {
			for (i = 1; i < NF; i++) v[$i] = $(i + 1)
			sum = v["false"] + v["noroom"] + v["busy"] + v["noframe"] + v["fault"] + v["stopped"] + \
				v["done"] + v["specskip"] + v["specdrop"] + v["written"]
			gone = v["discarded"] + v["speclost"] + v["specleft"]
			if (sum != v["fired"]) { print "fired " v["fired"] ", columns " sum ": " $0; bad++ }
			if (policy != "ring" && v["written"] != v["recorded"] + gone) { print "written: " $0; bad++ }
			if (policy == "ring" && v["written"] < v["recorded"] + gone) { print "written: " $0; bad++ }
			if (v["EPID"] == 1) fired += v["fired"] - v["false"] - v["stopped"]
			recorded += v["recorded"]
			n++
		}
		END {
			if (policy != "fill" && fired != made) { print "made " made ", fired " fired; bad++ }
			print policy ": " n " rows, fired " fired ", recorded " recorded
			exit bad > 0 || !n || !recorded
		}' "$TMPDIR/err" || wrong "$policy: $(grep -v accounting "$TMPDIR/err" | head -5)"
}

accounts()
{
	run "$DTRACE" -q -x accounting -x nspec=8 -x specsize=4k -x bufpolicy="$1" -b 16k -x switchrate=5ms \
		-x temporal="$3" -o /dev/null -n "$D" -c "$PROGS/syscalls $2"
	status 0
	columns "$1" "$(awk 'NF == 2 { n += $2 } END { print n + 0 }' "$TMPDIR/out")"
}
