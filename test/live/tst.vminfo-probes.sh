#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: vminfo: zeroed pages, major faults, swapping, scanned pages of programs against what the kernel counted for them
# @@needs: cmd:python3
# @@timeout: 300
. "$SRC/test/lib/check.sh"
cd "$TMPDIR" || exit 1
value() { awk -v k="$1" '$1 == k { print $2 }' out; }
listed() { "$DTRACE" -ln "vminfo:::$1" 2>/dev/null | grep -q vminfo; }
# A counter of /proc/vmstat, with what the CPUs have not added to it yet.
vmstat() { echo 1 >/proc/sys/vm/stat_refresh && awk -v k="$1" '$1 == k { print $2 }' /proc/vmstat; }

cat >memory.py <<'END'
import mmap

def fresh(size):
    m = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    try:
        m.madvise(mmap.MADV_NOHUGEPAGE)
    except OSError:
        pass
    return m
END

# 300 new pages written by the program, 300 by the kernel for it. Two calls of sched_yield() are around them.
cat >zero.py <<'END'
import os, resource
from memory import fresh
m, k = fresh(4096 * 300), fresh(4096 * 300)
z = os.open("/dev/zero", os.O_RDONLY)
os.sched_yield()
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for i in range(300):
    m[i * 4096] = 1
os.readv(z, [k])
print("faults", resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
os.sched_yield()
END
run "$DTRACE" -qZn '
syscall::sched_yield:entry /pid == $target/ { between++; }
vminfo:::zfod /pid == $target && between == 1/ { @z = sum(args[0]); }
vminfo:::kernel_asflt /pid == $target && between == 1/ { @k = sum(args[0]); }
END { printa("zeroed %@d\n", @z); printa("kernel %@d\n", @k); }' -c 'python3 zero.py'
status 0
listed zfod && { [ "$(value zeroed)" -ge 600 ] && [ "$(value zeroed)" -le "$(($(value faults) + 20))" ] || wrong "$(cat out)"; }
listed kernel_asflt && { [ "$(value kernel)" -ge 300 ] || wrong "faults of the kernel: $(cat out)"; }

# Pages of a file that are not in memory.
cat >major.py <<'END'
import mmap, os, resource, sys
f = os.open(sys.argv[1], os.O_CREAT | os.O_RDWR)
os.write(f, os.urandom(4096 * 64))
os.fsync(f)
os.posix_fadvise(f, 0, 0, os.POSIX_FADV_DONTNEED)
m = mmap.mmap(f, 4096 * 64)
m.madvise(mmap.MADV_RANDOM)
os.sched_yield()
before = resource.getrusage(resource.RUSAGE_SELF).ru_majflt
n = sum(m[i * 4096] for i in range(64))
print("major", resource.getrusage(resource.RUSAGE_SELF).ru_majflt - before)
os.sched_yield()
END
file=$SRC/build-vm-test.$$
trap 'rm -f "$file"' EXIT
run "$DTRACE" -qn 'syscall::sched_yield:entry /pid == $target/ { between++; }
vminfo:::maj_fault /pid == $target && between == 1/ { @ = sum(args[0]); @other = sum(arg1); }
END { printa("seen %@d\n", @); printa("other %@d\n", @other); }' -c "python3 major.py $file"
status 0
if [ "$(value major)" -gt 0 ]; then
	[ "$(value seen)" -ge "$(value major)" ] && [ "$(value seen)" -le "$(($(value major) + 10))" ] || wrong "$(cat out err)"
	has_out '^other 0$'
fi
rm -f "$file"

# A memory control group of 16 MB, where one can be made.
group=
for root in /sys/fs/cgroup /sys/fs/cgroup/memory /sys/fs/cgroup/unified; do
	for limit in memory.max memory.limit_in_bytes; do
		if [ -z "$group" ] && mkdir "$root/dtrace-test-$$" 2>/dev/null; then
			group=$root/dtrace-test-$$
			[ -e "$group/$limit" ] && echo 16777216 >"$group/$limit" || { rmdir "$group"; group=; }
		fi
	done
done

# 32 MB in that group, or 32 MB given up at once (MADV_PAGEOUT), with a file to swap to. Nobody else can swap there, if
# it is the only one. What is given up at once is perhaps still in memory when it is wanted again.
cat >swap.py <<'END'
import os, sys
from memory import fresh
def counts():
    v = dict(l.split() for l in open("/proc/vmstat"))
    return int(v["pswpin"]), int(v["pswpout"])
if len(sys.argv) > 1:
    open(sys.argv[1] + "/cgroup.procs", "w").write(str(os.getpid()))
before = counts()
m = fresh(32 << 20)
for i in range(32):
    m[i << 20:(i + 1) << 20] = os.urandom(1 << 20)
m[0:16 << 12] = bytes(16 << 12)
m.madvise(21)
n = sum(m[i] for i in range(0, 32 << 20, 4096))
after = counts()
print("in", after[0] - before[0])
print("out", after[1] - before[1])
END
unswap() { swapoff "$file" 2>/dev/null; rm -f "$file"; }
trap 'unswap; [ -z "$group" ] || rmdir "$group"' EXIT
trap 'exit 1' HUP INT TERM
others=$(wc -l </proc/swaps)
(umask 077 && dd if=/dev/zero of="$file" bs=1M count=64 && mkswap "$file" && swapon "$file") >/dev/null 2>&1
if [ "$others" = 1 ] && [ -w /proc/sys/vm/stat_refresh ] && grep -q "$file" /proc/swaps && listed anonpgin && listed pgswapout; then
	# Of what is given up, a page of zeros is not written, nor one that nobody has any more by then: what is given up
	# has a counter of its own.
	in=$(vmstat pswpin) out=$(vmstat pswpout) given=$(vmstat nr_vmscan_write)
	run "$DTRACE" -qn '
vminfo:::anonpgin { @in = sum(args[0]); }
vminfo:::pgswapin { @same = sum(args[0]); }
vminfo:::anonpgout { @out = sum(args[0]); }
vminfo:::anonpgout /pid == $target/ { @mine = sum(args[0]); }
vminfo:::pgswapout { @folios = sum(args[0]); }
END { printa("pagedin %@d\n", @in); printa("swappedin %@d\n", @same); printa("pagedout %@d\n", @out);
	printa("mine %@d\n", @mine); printa("folios %@d\n", @folios); }' -c "python3 swap.py $group"
	in=$(($(vmstat pswpin) - in)) out=$(($(vmstat pswpout) - out)) given=$(($(vmstat nr_vmscan_write) - given))
	status 0
	if [ "$(value in)" -ge 1 ]; then
		[ "$(value pagedin)" -ge "$(value in)" ] && [ "$(value pagedin)" -le "$in" ] || wrong "in, of $in: $(cat out)"
		[ "$(value swappedin)" = "$(value pagedin)" ] || wrong "$(cat out)"
	fi
	if [ "$(value out)" -ge 1000 ]; then
		[ "$(value pagedout)" -ge "$(value out)" ] && [ "$(value pagedout)" -le "$out" ] || wrong "out, of $out: $(cat out)"
		[ "$(value mine)" -ge 1000 ] || wrong "$(cat out)"
		[ "$(value folios)" -ge 1 ] && [ "$(value folios)" -le "$given" ] || wrong "folios, of $given: $(cat out)"
	fi
fi
unswap

# A program that may have less memory than the file that it writes.
if [ -n "$group" ] && listed scan; then
	cat >scan.sh <<'END'
counts() { awk '/^pgscan_(anon|file) / { n += $2 } END { print n }' /proc/vmstat; }
echo $$ >"$1/cgroup.procs"
before=$(counts)
dd if=/dev/zero of="$2" bs=1M count=64 2>/dev/null
echo looked $(($(counts) - before))
END
	run "$DTRACE" -qn 'vminfo:::scan { @ = sum(args[0]); } vminfo:::scan /progenyof($target)/ { @mine = sum(args[0]); }
END { printa("scanned %@d\n", @); printa("mine %@d\n", @mine); }' -c "sh scan.sh $group $file"
	status 0
	if [ "$(value looked)" -gt 0 ]; then
		[ "$(value scanned)" -ge "$(value looked)" ] || wrong "$(cat out)"
		[ "$(value mine)" -ge 1 ] || wrong "$(cat out)"
	fi
fi
finish
