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
fsinfo:::fsync, fsinfo:::seek, fsinfo:::ioctl, fsinfo:::getattr, fsinfo:::setattr, fsinfo:::open, fsinfo:::close
/pid == $target && args[1] != 0/ { printf("a value of %s\n", probename); }
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
grep -q '^a value' out && wrong "$(grep '^a value' out)"
grep -q 'nothing' out && wrong 'a failed write'

# Calls that name a path, with and without a directory's descriptor; those that fail are none. The program says what it did.
cat >paths.py <<'END'
import errno, fcntl, mmap, os
top = os.open(".", os.O_RDONLY)
facts = open("facts", "w")
def fact(*words):
    facts.write(" ".join(str(w) for w in words) + "\n")
for at, where in (None, "one"), (top, "two"):
    at = {} if at is None else {"dir_fd": at}
    os.mkdir(where, **at)
    fact("mkdir", where, ".", where, 0)
    name = where + "/file"
    f = os.open(name, os.O_CREAT | os.O_RDWR, **at)
    fact("create", "file", os.getcwd() + "/" + where, os.getcwd() + "/" + name, 0)
    os.close(os.open(name, os.O_RDONLY, **at))
    os.posix_fallocate(f, 0, 4096)
    fact("space", "file", os.getcwd() + "/" + where, os.getcwd() + "/" + name, 0)
    mmap.mmap(f, 4096).close()
    mmap.mmap(-1, 4096).close()
    fact("map", "file", os.getcwd() + "/" + where, os.getcwd() + "/" + name, 0)
    fcntl.lockf(f, fcntl.LOCK_EX)
    fcntl.fcntl(f, fcntl.F_GETFL)
    fact("frlock", "file", os.getcwd() + "/" + where, os.getcwd() + "/" + name, 0)
    os.access(name, os.R_OK, **at)
    fact("access", "file", where, name, 0)
    os.access(where + "/missing", os.R_OK, **at)
    os.symlink("target", where + "/sym", **at)
    fact("symlink", "sym", where, where + "/sym", 0)
    os.readlink(where + "/sym", **at)
    fact("readlink", "sym", where, where + "/sym", 6)
    both = {"src_dir_fd": at["dir_fd"], "dst_dir_fd": at["dir_fd"]} if at else {}
    os.link(name, where + "/other", **both)
    fact("link", "file", where, name, 0)
    os.rename(where + "/other", where + "/third", **both)
    fact("rename", "other", where, where + "/other", 0)
    for last in "third", "sym", "file":
        os.unlink(where + "/" + last, **at)
        fact("remove", last, where, where + "/" + last, 0)
    os.rmdir(where, **at)
    fact("rmdir", where, ".", where, 0)
    for call in os.unlink, os.rmdir, os.readlink:
        try:
            call(where, **at)
        except OSError as e:
            assert e.errno == errno.ENOENT
END
run "$DTRACE" -qn '
#pragma D option strsize=512
fsinfo:::mkdir /pid == $target/ { on = 1; }
fsinfo:::access, fsinfo:::create, fsinfo:::frlock, fsinfo:::link, fsinfo:::map, fsinfo:::mkdir, fsinfo:::readlink,
fsinfo:::remove, fsinfo:::rename, fsinfo:::rmdir, fsinfo:::space, fsinfo:::symlink
/pid == $target && on && (args[0]->fi_name != "missing")/
{ printf("%s %s %s %s %d\n", probename, args[0]->fi_name, args[0]->fi_dirname, args[0]->fi_pathname, args[1]); }
fsinfo:::mkdir /pid == $target && copyinstr(arg0) == "one"/ { printf("the path itself\n"); }' -c 'python3 paths.py'
status 0
err ''
has_out '^the path itself$'
# Python itself looks at files and maps them before the first mkdir, and at its end.
grep -v -e '^the path' -e '^$' -e /lib/ out >did
sort did >did.sorted
sort facts >facts.sorted
# Where a file system cannot do it, libc writes instead.
fallocate -l 4096 tried 2>/dev/null || sed -i /^space/d facts.sorted
diff -u facts.sorted did.sorted >differ || wrong "$(cat differ)"
finish
