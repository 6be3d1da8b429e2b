#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: types and functions of kernel modules: sizes as bpftool has them, addresses as the kernel has them
# @@needs: root bpf btf
# @@timeout: 120
. "$SRC/test/lib/check.sh"
cd "$TMPDIR" || exit 1
command -v bpftool >/dev/null || { echo "no bpftool"; exit 77; }
ls /sys/kernel/btf | grep -qvx vmlinux || { echo "no module with types is loaded"; exit 77; }

# Structures that the core kernel does not have, of a few modules: a D program, and what it must say.
cat >make.py <<'END2'
import os
import re
import subprocess


def structs(*args):
    text = subprocess.run(["bpftool", "btf", "dump", "file", *args], stdout=subprocess.PIPE, check=True, text=True).stdout
    return re.findall(r"^\[\d+\] STRUCT '(\w+)' size=(\d+)", text, re.M)


top = "/sys/kernel/btf/"
core = dict(structs(top + "vmlinux"))
with open("sizes", "w") as want, open("sizes.d", "w") as d:
    d.write("BEGIN\n{\n")
    for module in [m for m in sorted(os.listdir(top)) if m != "vmlinux"][:8]:
        all = structs("-B", top + "vmlinux", top + module)
        own = [s for s in all if s[0] not in core and sum(s[0] == t[0] for t in all) == 1]
        for name, size in own[:8]:
            want.write(f"{module} {name} {size}\n")
            d.write(f'\tprintf("{module} {name} %d\\n", sizeof(struct {module}`{name}));\n')
    d.write("\texit(0);\n}\n")
END2
python3 make.py || exit 1
test -s sizes || { echo "no module has a structure of its own"; exit 77; }
run "$DTRACE" -qs sizes.d
status 0
err ''
grep . out | diff sizes - || fault=1

# Without the module's name; a name that it has not; a function.
read -r module name size <sizes
run "$DTRACE" -qn "BEGIN { trace(sizeof(struct $name)); exit(0); }"
status 0
err ''
run "$DTRACE" -qn "BEGIN { trace(sizeof(struct $module\`no_such)); exit(0); }"
status 1
has_err "failed to resolve type struct $module\`no_such: Unknown type name"
func=$(awk -v m="[$module]" '$4 == m && $2 ~ /[tT]/ { n[$3]++; a[$3] = $1 } END { for (f in n) if (n[f] == 1 && f ~ /^[a-z_]+$/) { print f, a[f]; exit } }' \
	/proc/kallsyms)
set -- $func
run "$DTRACE" -qn "BEGIN { printf(\"%x\", (uint64_t)&$module\`$1); exit(0); }"
status 0
has_out "^$2\$"

# A driver's own structure, behind an argument of its function.
test -e /sys/kernel/btf/virtio_blk && test -b /dev/vda && "$DTRACE" -ln fbt:virtio_blk:virtblk_done:entry >/dev/null 2>&1 || { finish; exit; }
run "$DTRACE" -lvn fbt:virtio_blk:virtblk_done:entry
status 0
has_out 'args.0.: struct (virtio_blk`)?virtqueue [*]$'
run "$DTRACE" -qn 'fbt:virtio_blk:virtblk_done:entry
{
	@[stringof(((struct virtio_blk`virtio_blk *)args[0]->vdev->priv)->disk->disk_name)] = count();
}' -c 'dd if=/dev/vda of=/dev/null bs=4k count=8 iflag=direct'
status 0
has_out '^ *vda  *[0-9]'
finish
