#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: kernel code that came after the symbols were read has its names: here a program of another session
# @@needs: cmd:python3
# @@timeout: 120
set -u
cd "$TMPDIR" || exit 1

cat >seeks.py <<'END'
import glob, os, re, subprocess, sys, time

def seek(addr):
    try:
        os.lseek(0, addr - (1 << 64), os.SEEK_SET)
    except OSError:
        pass

def shown(n):  # until there are so many lines, or it takes too long
    for _ in range(400):
        with open('out') as f:
            if len(f.readlines()) >= n:
                return
        time.sleep(0.1)

with open('/proc/kallsyms') as f:
    seek(next(int(l.split()[0], 16) for l in f if ' T ' in l))  # makes the table be read
shown(1)
other = subprocess.Popen([sys.argv[1], '-q', '-n', 'BEGIN { printf("ready\\n"); } '
                          'syscall::getsid:entry /pid == %d/ { @ = count(); }' % os.getpid()],
                         stdout=subprocess.PIPE)
other.stdout.readline()
info = ''.join(open(n).read() for n in glob.glob('/proc/%d/fdinfo/*' % other.pid))
names = ['bpf_prog_' + tag for tag in re.findall(r'prog_tag:\s*(\w+)', info)]
with open('/proc/kallsyms') as f:
    found = [(int(l.split()[0], 16), l.split()[2]) for l in f if '_syscall_entry' in l]
found = [s for s in found if any(s[1].startswith(n) for n in names)]
if found:
    with open('want', 'w') as f:
        f.write(found[0][1] + '\n')
    # While programs come and go, one reading of the kernel's list may miss it.
    for again in range(10):
        seek(found[0][0] + 4)
        shown(again + 2)
        if found[0][1] in open('out').read():
            break
        time.sleep(3)
other.terminate()
other.wait()
END
$DTRACE -q -x switchrate=20ms -c "python3 seeks.py $DTRACE" \
	-n 'syscall::lseek:entry /pid == $target && arg1 < -4096/ { sym(arg1); printf("\n"); }' >out 2>err </dev/null || {
	cat err
	exit 1
}
[ -s want ] || {
	echo "this kernel does not name BPF programs"
	exit 77
}
grep -q "bpf\`$(cat want) " out || {
	echo "FAIL: $(cat want) has no name"
	cat out
	exit 1
}
exit 0
