#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: every action that records does so into the principal buffer, with no option; the default is switch
. "$SRC/test/lib/check.sh"
run "$DTRACE" -n 'syscall::getppid:entry /pid == $target/ { }
	syscall::getppid:entry /pid == $target/ { trace(17); printf("<%s>", "f"); tracemem(&`linux_banner, 8); stack(2); ustack(2); }
	syscall::getppid:entry /pid == $target/ { @ = count(); printa("agg %@d", @); exit(3); }' -c "$PROGS/spin 10"
if grep -q 'linux_banner' "$TMPDIR/err"; then
	run "$DTRACE" -n 'syscall::getppid:entry /pid == $target/ { }
		syscall::getppid:entry /pid == $target/ { trace(17); printf("<%s>", "f"); tracemem(curthread, 8); stack(2); ustack(2); }
		syscall::getppid:entry /pid == $target/ { @ = count(); printa("agg %@d", @); exit(3); }' -c "$PROGS/spin 10"
fi
status 3
has_out 'getppid:entry $'
has_out ' 17<f>'
has_out '0123456789abcdef'
has_out '^ +[a-z_.`A-Z]*`[a-z_0-9A-Z]+\+0x'
has_out 'agg 1'
# No option is bufpolicy=switch: what is not read in time is dropped, nothing ends. The first switch comes at the start,
# perhaps late: the calls wait for what it prints.
for o in '' '-x bufpolicy=switch'; do
	run "$DTRACE" -q $o -b 1600 -x switchrate=9s -n 'BEGIN { printf("begun\n"); }
		syscall::getppid:entry /pid == $target/ { printf("%d\n", n++); }' -c "taskset -c 0 $PROGS/spin 500 $TMPDIR/out"
	[ "$(grep -c '^[0-9]' "$TMPDIR/out")" = 100 ] || wrong "$(grep -c '^[0-9]' "$TMPDIR/out") records"
	has_err '^dtrace: 400 drops on CPU [0-9]+$'
done
run "$DTRACE" -q -x bufpolicy=circle -n BEGIN
status 1
finish
