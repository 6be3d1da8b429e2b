#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: memory of the kernel is read alike by loads and by the helper: values of all sizes, zeros, faults
# needs: root bpf

cd "$TMPDIR" || exit 1
cat >p.d <<'END'
#pragma D option quiet
syscall::ioctl:entry
/pid == $target && arg0 > 0xdeadb000/
{
	this->t = curthread;
	printf("%d %d %s %d\n", this->t->tgid == pid, this->t->real_parent->tgid == ppid, stringof(this->t->comm),
	    *(char *)&this->t->comm == execname[0]);
	printf("%d %d %d\n", (int)this->t->exit_code, this->t->exit_state, this->t->mm->total_vm > 0);
	printf("%d %d %d\n", *(uint8_t *)&this->t->tgid == (pid & 0xff), *(int16_t *)&this->t->tgid == (int16_t)pid,
	    *(uint64_t *)&this->t->pid == ((uint64_t)pid << 32 | tid));
	printf("%d %d\n", this->t->nr_cpus_allowed > 0, this->t->flags != 0);
}
syscall::ioctl:entry /pid == $target && arg0 > 0xdeadb000/ { printf("%d\n", *(int *)0); }
syscall::ioctl:entry /pid == $target && arg0 > 0xdeadb000/ { printf("%d\n", *(char *)0xffffffffff000000); }
syscall::ioctl:entry /pid == $target && arg0 > 0xdeadb000/ { printf("%d\n", *(long *)0xdead000000000100); }
syscall::ioctl:entry /pid == $target && arg0 > 0xdeadb000/ { printf("%d\n", *(short *)(uregs[R_SP])); }
syscall::ioctl:entry /pid == $target && arg0 > 0xdeadb000/ { printf("%d\n", ((struct task_struct *)8)->tgid); }
ERROR { printf("fault %d %d\n", arg4, arg5 != 0); }
END
run() {
	DTRACE_WITHOUT=$1 "$DTRACE" -s p.d -c "$PROGS/badfd" -o "$2" 2>err || { cat "$2" err; exit 1; }
	sed 's/enabled probe ID [0-9]*//; s/address (0x7[0-9a-f]*)/address (stack)/' err >>"$2"
}
run read_cast helper
run none loads
[ "$(grep -c '^fault 1 ' loads)" = 5 ] || { cat loads; exit 1; }
grep -q '^1 1 badfd 1$' loads || { cat loads; exit 1; }
diff helper loads
