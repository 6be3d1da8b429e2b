#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: io: bytes written through to the disk, and that each start has its done, against /proc/diskstats
. "$SRC/test/lib/check.sh"

# A file system on a disk with requests of its own: statistics of the disk below count what is written there.
dev=$(stat -c %Hd:%Ld "$SRC" 2>/dev/null)
name=$(sed -n 's/^DEVNAME=//p' "/sys/dev/block/$dev/uevent" 2>/dev/null)
file=$SRC/build-io-test.$$
trap 'rm -f "$file"' EXIT
if [ -z "$name" ] || ! dd if=/dev/zero of="$file" bs=64k count=1 oflag=direct 2>/dev/null; then
	echo "skip: no disk below $SRC that is written to directly"
	exit 77
fi
written() { echo $(($(awk -v n="$name" '$3 == n { print $10 }' /proc/diskstats) * 512)); }

before=$(written)
# Of writes alone: what is discarded (file systems tell the disk what they freed) is counted elsewhere. A request that the
# driver had no room for is issued again; and any thread that comes to the disk may issue what others have queued.
run "$DTRACE" -qn '
inline int op[uintptr_t r] = ((struct request *)r)->cmd_flags & 255;
io:::start /args[1]->dev_statname == $$1 && args[0]->b_flags & B_WRITE && op[arg0] == 1/
{ @started = sum(args[0]->b_bcount); start[arg0] = args[0]->b_blkno + 1; bytes[arg0] = args[0]->b_bcount; }
io:::start /pid == $target && args[0]->b_flags & B_WRITE && args[0]->b_bcount == 65536/ { @mine = sum(args[0]->b_bcount); }
io:::done /args[1]->dev_statname == $$1 && start[arg0]/
{
	@paired = count(); @same[start[arg0] == args[0]->b_blkno + 1] = count(); start[arg0] = 0;
	@ended = sum(bytes[arg0]); bytes[arg0] = 0;
}
io:::start { @major[args[1]->dev_major * 1048576 + args[1]->dev_minor == args[0]->b_edev] = count(); }
END {
	printa("started %@d\n", @started); printa("ended %@d\n", @ended); printa("mine %@d\n", @mine);
	printa("paired %@d\n", @paired); printa("same place %d\n", @same); printa("device %d\n", @major);
}' -c "dd if=/dev/zero of=$file bs=64k count=16 oflag=direct" "$name"
status 0
value() { awk -v k="$1" '$1 == k { print $2 }' "$TMPDIR/out"; }
# The disk counts a request behind the probe.
for _ in $(seq 100); do
	after=$(written)
	[ "$(value ended)" -le $((after - before)) ] && break
	sleep 0.1
done
[ "$(value started)" -ge 1048576 ] || wrong "started: $(cat "$TMPDIR/out")"
[ "$(value ended)" -ge 1048576 ] || wrong "ended: $(cat "$TMPDIR/out")"
[ "$(value ended)" -le $((after - before)) ] || wrong "ended $(value ended), the disk $((after - before))"
[ "$(value mine)" -ge 65536 ] || wrong "mine: $(value mine)"
[ "$(value paired)" -ge 16 ] || wrong "paired: $(value paired)"
has_out '^same place 1$'
has_out '^device 1$'
grep -q '^same place 0' "$TMPDIR/out" && wrong 'a done of another place'

# The same pages as the virtual memory counts them, and who waits for them.
cat >"$TMPDIR/go.sh" <<END
dd if=/dev/zero of=$file bs=64k count=16 oflag=direct 2>/dev/null
dd if=$file of=/dev/null bs=64k count=16 iflag=direct 2>/dev/null
END
run "$DTRACE" -qZn '
vminfo:::pgpgout /progenyof($target)/ { @out = sum(args[0]); }
vminfo:::pgpgin /progenyof($target)/ { @in = sum(args[0]); }
vminfo:::pgout /progenyof($target)/ { @requests = sum(args[0]); }
vminfo:::pgin /progenyof($target)/ { @requests = sum(args[0]); }
io:::wait-start /progenyof($target) && args[0]->b_bcount == 0 && args[2]->fi_name == "<unknown>"/
{ @started = count(); self->waits = 1; }
io:::wait-done /self->waits/ { @done = count(); self->waits = 0; }
END {
	printa("out %@d\n", @out); printa("in %@d\n", @in); printa("requests %@d\n", @requests);
	printa("waits %@d\n", @started); printa("waited %@d\n", @done);
}' -c "sh $TMPDIR/go.sh"
status 0
[ "$(value out)" -ge 256 ] || wrong "pages out: $(cat "$TMPDIR/out")"
[ "$(value in)" -ge 256 ] || wrong "pages in: $(cat "$TMPDIR/out")"
[ "$(value requests)" -ge 2 ] || wrong "requests: $(cat "$TMPDIR/out")"
[ "$(value waits)" -ge 1 ] || wrong "waits: $(cat "$TMPDIR/out")"
if "$DTRACE" -ln io:::wait-done 2>/dev/null | grep -q wait-done; then
	[ "$(value waited)" = "$(value waits)" ] || wrong "waits $(value waits), ended $(value waited)"
fi

# Requests of a program that writes and reads directly, and those of one that has its pages written and does not wait.
cat >"$TMPDIR/behind.py" <<'END'
import ctypes, os, sys
f = os.open(sys.argv[1], os.O_RDWR)
os.write(f, b"x" * (1 << 20))
ctypes.CDLL(None).sync_file_range(f, ctypes.c_int64(0), ctypes.c_int64(1 << 20), 2)
END
for how in direct behind; do
	case $how in
	direct) command="sh $TMPDIR/go.sh" ;;
	behind) command="python3 $TMPDIR/behind.py $file" ;;
	esac
	run "$DTRACE" -qn '
sysinfo:::bread /pid == $target || progenyof($target)/ { @["read"] = sum(arg0); }
sysinfo:::bwrite /pid == $target || progenyof($target)/ { @["written"] = sum(arg0); }
sysinfo:::bawrite /pid == $target || progenyof($target)/ { @["behind"] = sum(arg0); }
io:::start /(pid == $target || progenyof($target)) && args[0]->b_bcount == 65536 && !(args[0]->b_flags & B_ASYNC)/
{ @[args[0]->b_flags & B_WRITE ? "w64" : "r64"] = sum(1); }
io:::start /(pid == $target || progenyof($target)) && args[0]->b_flags & B_ASYNC/ { @["async"] = sum(1); }
END { printa("%s %@d\n", @); }' -c "$command"
	status 0
	if [ $how = direct ]; then
		[ "$(value r64)" -ge 1 ] && [ "$(value read)" -ge "$(value r64)" ] || wrong "read: $(cat "$TMPDIR/out")"
		# The kernel may reclaim memory in the program: those are written behind.
		behind=$(value behind)
		[ "${behind:-0}" = "$(value async | grep . || echo 0)" ] && [ "$(value w64)" -ge 1 ] &&
			[ $(($(value written) - ${behind:-0})) -ge "$(value w64)" ] || wrong "written: $(cat "$TMPDIR/out")"
	elif [ -n "$(value written)" ]; then
		[ "$(value behind)" -ge 1 ] && [ "$(value behind)" = "$(value async)" ] && [ "$(value behind)" -le "$(value written)" ] ||
			wrong "behind: $(cat "$TMPDIR/out")"
	fi
done
finish
