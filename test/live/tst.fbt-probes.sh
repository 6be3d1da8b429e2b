#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: fbt, rawfbt: calls of kernel functions by a program against what it did, by each way that the kernel offers
# @@needs: kprobe btf
# @@timeout: 300
. "$SRC/test/lib/check.sh"
cd "$TMPDIR" || exit 1

# Ten writes of 123 bytes to the file, by 14 levels of calls in the kernel or more.
cat >go.py <<'END2'
import os
fd = os.open("fbt-data", os.O_CREAT | os.O_WRONLY)
for i in range(10):
    os.write(fd, b"x" * 123)
END2

calls() {
	run "$DTRACE" -qn '
fbt:vmlinux:vfs_write:entry
/pid == $target && args[2] == 123 && stringof(args[0]->f_path.dentry->d_name.name) == "fbt-data"/
{
	self->in = 1;
	@arg2 = sum(arg2); @same = sum(arg0 == (uint64_t)args[0]); @names[probemod, probefunc, probename] = count();
	@stacks[stack(1)] = count();
}
fbt:vmlinux:vfs_write:return
/self->in/
{
	self->in = 0;
	@value = sum(args[1]); @raw = sum(arg1); @offset = sum(arg0);
	@names[probemod, probefunc, probename] = count();
}
END {
	printa("arg2 %@d\n", @arg2); printa("same %@d\n", @same); printa("value %@d\n", @value);
	printa("raw %@d\n", @raw); printa("offset %@d\n", @offset);
	printa("%s %s %s %@d\n", @names); printa("%@d of%k\n", @stacks);
}' -c 'python3 go.py'
	status 0
	err ''
	has_out '^arg2 1230$'
	has_out '^same 10$'
	has_out '^value 1230$'
	has_out '^raw 1230$'
	has_out '^offset -10$'
	has_out '^vmlinux vfs_write entry 10$'
	has_out '^vmlinux vfs_write return 10$'
	grep -A1 '^10 of' out | grep -q 'vmlinux`vfs_write' || wrong "stack begins elsewhere: $(cat out)"
}

globs() {
	run "$DTRACE" -qn '
fbt::vfs_*:entry /pid == $target/ { self->depth++; @e[probefunc] = count(); @all = sum(1); }
fbt::vfs_*:return /pid == $target && self->depth/ { self->depth--; @all = sum(-1); @r[probefunc] = count(); }
syscall::write:entry /pid == $target/ { self->written = 0; }
END { printa("entry %s %@d\n", @e); printa("return %s %@d\n", @r); printa("open %@d\n", @all); }' -c 'python3 go.py'
	status 0
	err ''
	[ "$(awk '$2 == "vfs_write" { print $3 }' out | sort -u | awk '$1 < 10')" = "" ] || wrong "$(cat out)"
	has_out '^entry vfs_read [0-9]'
	has_out '^open 0$'
	grep -q '^return vfs_read [0-9]' out || wrong "$(cat out)"
}

for without in '' fentry fentry,kprobe_multi kprobe,kprobe_multi; do
	export DTRACE_WITHOUT="$without"
	run "$DTRACE" -l -n fbt::vfs_write:entry
	[ "$(wc -l <out)" = 2 ] || continue # the kernel has not that way
	before=$fault
	calls
	[ "$without" = kprobe,kprobe_multi ] || globs
	[ $fault = "$before" ] || echo "without '$without': $(cat out err)"
done
unset DTRACE_WITHOUT

# Types are those of the kernel's BTF; a function without a value has none.
run "$DTRACE" -lvn 'fbt::vfs_write:entry'
has_out 'args\[0\]: struct file \*$'
has_out 'args\[1\]: const char \*$'
has_out 'args\[2\]: size_t$'
run "$DTRACE" -n 'fbt:vmlinux:exit_creds:return { trace(args[1]); }'
status 1
has_err 'index 1 is out of range for fbt:vmlinux:exit_creds:return args\[ \]'

# The raw ones: untyped, and names that the compiler made are among them only.
run "$DTRACE" -qn 'rawfbt::vfs_write:entry /pid == $target && arg2 == 123/ { @ = count(); }
rawfbt::vfs_write:return /pid == $target && arg1 == 123/ { @r = count(); }
END { printa("%@d", @); printa(" %@d\n", @r); }' -c 'python3 go.py'
has_out '^10 10$'
run "$DTRACE" -n 'rawfbt::vfs_write:entry { trace(args[0]); }'
status 1
"$DTRACE" -l -P fbt | awk '{ print $4 }' | grep -q '\.' && wrong 'fbt lists names with a dot'

# Clauses of one probe run in their order.
run "$DTRACE" -qn 'fbt::vfs_write:return /pid == $target && arg1 == 123/ { printf("1"); }
fbt::vfs_write:return /pid == $target && arg1 == 123/ { printf("2"); }
fbt::vfs_write:return /pid == $target && arg1 == 123/ { printf("3\n"); }' -c 'python3 go.py'
[ "$(grep -cx 123 out)" = 10 ] && ! grep -qvx '\(123\)*' out || wrong "order: $(cat out)"

# Of modules too.
if grep -q '^virtio_blk ' /proc/modules; then
	run "$DTRACE" -qn 'fbt:virtio_blk:virtio_queue_rq*:entry,fbt:virtio_blk:virtblk_done:entry { @[probemod] = count(); }
END { printa("%s %@d\n", @); }' -c 'dd if=/dev/vda of=/dev/null bs=4096 count=20 iflag=direct status=none'
	status 0
	has_out '^virtio_blk [1-9]'
	if [ -e /sys/kernel/btf/virtio_blk ]; then
		run "$DTRACE" -lvn fbt:virtio_blk:virtio_queue_rq:entry
		has_out 'args\[0\]: struct blk_mq_hw_ctx \*$'
		has_out 'args\[1\]: const struct blk_mq_queue_data \*$'
	fi
fi
finish
