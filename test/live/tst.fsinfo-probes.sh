#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: fsinfo: what a program does with a file, by the file's name and with the bytes that it moved
# @@needs: cmd:python3
. "$SRC/test/lib/check.sh"
cd "$TMPDIR" || exit 1

cat >go.py <<'END'
import fcntl, os, termios
f = os.open("fs-data", os.O_CREAT | os.O_RDWR | os.O_TRUNC)
for i in range(5):
    os.write(f, b"x" * 100)
os.pwrite(f, b"y" * 11, 3)
os.fsync(f)
os.lseek(f, 10, 0)
n = os.read(f, 1000)
os.fstat(f)
os.fchmod(f, 0o600)
os.ftruncate(f, 7)
fcntl.ioctl(f, termios.FIONREAD, b"1234")
try:
    os.write(f + 1000, b"fails")
except OSError:
    pass
os.close(f)
d = os.open("dir", os.O_RDONLY)
entries = os.listdir(d)
print("entries", len(entries), "read", len(n))
END
mkdir dir
touch dir/one dir/two
run "$DTRACE" -qn '
fsinfo::: /pid == $target && args[0]->fi_name == "fs-data"/ { @[probename] = count(); }
fsinfo:::read, fsinfo:::write /pid == $target && args[0]->fi_name == "fs-data"/ { @bytes[probename, arg1 == args[1]] = sum(args[1]); }
fsinfo:::readdir /pid == $target && args[0]->fi_name == "dir" && args[1] > 0/ { @[probename] = count(); }
fsinfo:::close /pid == $target && args[0]->fi_name == "fs-data"/ { printf("offset %d\n", args[0]->fi_offset); }
fsinfo:::open /pid == $target && args[0]->fi_name == "fs-data"/ { printf("flags %d\n", (args[0]->fi_oflags & O_ACCMODE) == O_RDWR); }
fsinfo:::write /pid == $target && args[0]->fi_name == "<none>"/ { printf("a write to nothing\n"); }
END { printa("%s %@d\n", @); printa("bytes %s %d %@d\n", @bytes); }' -c 'python3 go.py'
status 0
err ''
has_out '^entries 2 read 490$'
for line in 'open 1' 'write 6' 'read 1' 'fsync 1' 'seek 1' 'getattr [1-9]' 'setattr 2' 'ioctl 1' 'close 1' 'readdir 1' \
	'bytes write 1 511' 'bytes read 1 490' 'offset 500' 'flags 1'; do
	has_out "^$line\$"
done
grep -q 'nothing' out && wrong 'a failed write'
finish
