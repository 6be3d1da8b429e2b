#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: kernel code that came after the symbols were read has its names: here a program of another session
# @@needs: cmd:python3
# @@timeout: 60
set -u
cd "$TMPDIR" || exit 1

cat >seeks.py <<'END'
import os, subprocess, sys, time

def programs():
    with open('/proc/kallsyms') as f:
        lines = [l.split() for l in f]
    return {l[2]: int(l[0], 16) for l in lines if l[-1] == '[bpf]'}

with open('/proc/kallsyms') as f:
    text = next(int(l.split()[0], 16) for l in f if ' T ' in l)

def seek(addr):
    try:
        os.lseek(0, addr - (1 << 64), os.SEEK_SET)
    except OSError:
        pass

def shown(n):  # until so many have been printed, or it takes too long
    for _ in range(400):
        with open('out') as f:
            if len(f.readlines()) >= n:
                return
        time.sleep(0.1)

before = programs()
seek(text)  # its name makes the table be read
shown(1)
other = subprocess.Popen([sys.argv[1], '-q', '-n', 'BEGIN { printf("ready\\n"); } syscall::getsid:entry { @ = count(); }'],
                         stdout=subprocess.PIPE)
other.stdout.readline()
new = {n: a for n, a in programs().items() if n not in before}
for addr in new.values():
    seek(addr + 4)
shown(1 + len(new))
after = programs()
with open('want', 'w') as f:
    f.writelines(n + '\n' for n in new if n in after)
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
while read -r name; do
	grep -q "bpf\`$name" out || {
		echo "FAIL: $name has no name"
		cat out
		exit 1
	}
done <want
exit 0
