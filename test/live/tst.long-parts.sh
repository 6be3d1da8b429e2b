#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: a program made in parts does what a short one does: arguments, errno, time, stacks, rows, locals, faults
# needs: root bpf

cd "$TMPDIR" || exit 1
fail() { echo "$1"; cat err; exit 1; }

# What is seen of one call of ioctl(2) and one of close(2), both of which fail; $1 clauses that do nothing around it.
clauses() {
	awk -v n="$1" '
	function idle(k) {
		for (; k; k--)
			printf "syscall::ioctl:, syscall::close: /pid == $target && arg0 == 7777 + %d/ " \
			    "{ printf(\"%%s %%s\", execname, probename); @[execname, %d] = count(); }\n", k, k;
	}
	function look(k) {
		print "syscall::ioctl:, syscall::close: /pid == $target && self->on/ {";
		printf "	printf(\"%d %%s %%d %%x %%d %%d %%s %%d\\n\", probefunc, arg0 == -1 ? -1 : arg0 & 0xffff, arg1, errno,\n", k;
		print "	    timestamp == this->t, probename, stackdepth == this->depth);";
		print "	stack(3); @s[stack(2)] = count(); this->n++; }";
		printf "syscall::ioctl:, syscall::close: /pid == $target && self->on/ { printf(\"%d %%d\\n\", *(int *)0); }\n", k;
		printf "syscall::ioctl:, syscall::close: /pid == $target && self->on/ { printf(\"n %%d %%d\\n\", this->n, uregs[R_SP] != 0); }\n";
	}
	BEGIN {
		print "#pragma D option quiet\n#pragma D option temporal";
		print "syscall::ioctl:entry, syscall::close:entry /pid == $target && arg0 > 0xdeadb000/ { self->on = 1; }";
		print "syscall::ioctl:, syscall::close: { this->t = timestamp; this->depth = stackdepth; this->n = 0; }";
		look(1); idle(n); look(2); idle(n); look(3);
		print "syscall::ioctl:return, syscall::close:return { self->on = 0; }";
		print "ERROR { printf(\"error %d %x %s\\n\", arg4, arg5, probename); }";
		print "END { printa(\"%k %@d\\n\", @s); }";
	}' >"$2.d"
	"$DTRACE" -s "$2.d" -o "$2" -c "$PROGS/badfd" 2>err || fail "$2"
	# EPIDs differ, and are numbers of enabled probes
	sed -i 's/enabled probe ID [0-9]* (ID [0-9]*/enabled probe ID/' err
	grep -v '^$' "$2" >"$2.out"
	cat err >>"$2.out"
}
clauses 0 short
clauses 40 long
"$DTRACE" -e -x bpf -s long.d -c "$PROGS/badfd" 2>&1 | grep -q '^clauses_1:' || fail "the long program is not in parts"
"$DTRACE" -e -x bpf -s short.d -c "$PROGS/badfd" 2>&1 | grep -q '^clauses_1:' && fail "the short program is in parts"
[ "$(grep -c '^[123] ' short.out)" = 12 ] || { cat short.out; fail "not each clause at each probe"; }
grep -q '^3 ioctl 48879' short.out || { cat short.out; fail "no argument"; }
diff short.out long.out || fail "the long program differs"
exit 0
