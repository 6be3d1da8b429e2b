#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: layouts of stacks and addresses; stackindent, limits; %k, %a, %A; keys
# @@timeout: 120
. "$SRC/test/lib/stacks.sh"
. "$SRC/test/lib/one-cpu.sh"

# run SCRIPT FLAGS...: output with offsets made equal goes to `out`
run()
{
	script=$1
	shift
	$DTRACE -q "$@" -c "$PROGS/deep" -n "$script" >raw 2>err || {
		cat raw >out
		fail "status $?"
	}
	sed -e 's/+0x[0-9a-f]*/+OFF/g' -e 's/vmlinux`[a-z0-9_.]*/vmlinux`FUNC/' raw >out
}

want()
{
	cat >want
	cmp -s want out || {
		diff want out
		fail "$1"
	}
}

probe='syscall::write:entry /pid == $target && arg2 == 0/'

# A limit that was asked for is no cut; as many frames as there are, or fewer.
run "$probe { ustack(3); ustack(1); }"
want "ustack(n)" <<'END'

              libc.so.6`write+OFF
              deep`f3+OFF
              deep`f2+OFF

              libc.so.6`write+OFF

END
run "$probe { ustack(2, 64); jstack(2); }" -x stackindent=3
want "stackindent, jstack" <<'END'

   libc.so.6`write+OFF
   deep`f3+OFF

   libc.so.6`write+OFF
   deep`f3+OFF

END
# maxframes is the limit of all, and of the depths.
run "$probe { ustack(3); ustack(2); ustack(); printf(\"%d\\n\", ustackdepth); }" -x maxframes=2
want "maxframes" <<'END'

              libc.so.6`write+OFF
              deep`f3+OFF
              [ truncated ]

              libc.so.6`write+OFF
              deep`f3+OFF

              libc.so.6`write+OFF
              deep`f3+OFF
              [ truncated ]
2

END
# A limit of an option was not: it is told that there is more.
run "$probe { ustack(); jstack(); @[ustack()] = count(); }" -x ustackframes=2 -x jstackframes=3
want "cut" <<'END'

              libc.so.6`write+OFF
              deep`f3+OFF
              [ truncated ]

              libc.so.6`write+OFF
              deep`f3+OFF
              deep`f2+OFF
              [ truncated ]


              libc.so.6`write+OFF
              deep`f3+OFF
              [ truncated ]
                1
END
run "$probe { stack(); @[stack()] = count(); }" -x stackframes=1
[ "$(grep -c '^ \{14\}\[ truncated \]$' out)" = 2 ] || fail "a kernel stack that was cut"

# A stack as a key beside another one; entry and return have one stack.
run "$probe { @[ustack()] = count(); @a[ustack(3), 7] = count(); }
	syscall::write:return /pid == \$target && arg1 == 0/ { @[ustack()] = count(); @a[ustack(3), 7] = count(); }" \
	-x ustackframes=2
[ "$(grep -c truncated out)" = 1 ] || fail "two keys of one look"
grep -q '^                2$' out || fail "counts of one look"
grep -q '^        7                2$' out || fail "a key behind a stack"

# %k, with its indent; %A and %a.
run "$probe { @[ustack(2)] = count(); printf(\"%A|%A|%a|%a\\n\", ucaller, 1, (uintptr_t)1, caller); }
	END { printa(\"%k%@d\\n\", @); printa(\"%-4k%@d\\n\", @); printa(\"%8k%@d\\n\", @); }"
want "%k, %A, %a" <<'END'
deep`f3+OFF|0x1|0x1|vmlinux`FUNC+OFF

libc.so.6`write+OFF
deep`f3+OFF
1

    libc.so.6`write+OFF
    deep`f3+OFF
1

libc.so.6`write+OFF
deep`f3+OFF
1

END

# Addresses as values and as keys: one key for a function, for an object; each address for uaddr().
run "$probe { usym(ucaller); ufunc(ucaller); umod(ucaller); uaddr(ucaller); usym(1); uaddr(0x10); printf(\"\\n\");
	@s[usym(ucaller)] = count(); @s[usym(ucaller - 1)] = count(); @m[umod(ucaller)] = count();
	@m[umod(ucaller - 2)] = count(); @u[uaddr(ucaller)] = count(); @u[uaddr(ucaller - 1)] = count(); 
	printf(\"%a %A %A\\n\", 0, ucaller, ucaller); }"
{
	for s in 'deep`f3' 'deep`f3' deep 'deep`f3+OFF' 0x1 0x10; do
		case $s in
		*OFF) printf '  %s' "$s" ;; # the real offset is of another length
		*) printf '  %-50s' "$s" ;;
		esac
	done
	printf '\n'
} >first
head -n 1 out | sed 's/+OFF */+OFF  /' | cmp -s - first || fail "usym() and others as values"
[ "$(grep -c '^  deep`f3 *2$' out)" = 1 ] || fail "usym() as a key"
[ "$(grep -c '^  deep *2$' out)" = 1 ] || fail "umod() as a key"
[ "$(grep -c '^  deep`f3+OFF *1$' out)" = 2 ] || fail "uaddr() as a key"

# A record ends with its stack, so that many fit: not one of 120 is dropped of 20 KB.
$DTRACE -q -x bufsize=20k -x switchrate=10s -c "$PROGS/spin 120" \
	-n 'syscall::getppid:entry /pid == $target/ { trace(arg0); ustack(); }' >out 2>err || fail "status $?"
grep -q drop err && fail "records of stacks have their full length"
[ "$(grep -c 'spin`main' out)" = 120 ] || fail "stacks: $(grep -c 'spin`main' out)"
# The same of a speculation.
$DTRACE -q -x specsize=20k -x switchrate=10s -c "$PROGS/spin 120" \
	-n 'syscall::getppid:entry /pid == $target && !spec/ { spec = speculation(); }
	syscall::getppid:entry /pid == $target/ { speculate(spec); ustack(); }
	syscall::exit_group:entry /pid == $target/ { commit(spec); }' >out 2>err || fail "status $?"
grep -q drop err && fail "speculated stacks have their full length"
[ "$(grep -c 'spin`main' out)" = 120 ] || fail "speculated stacks: $(grep -c 'spin`main' out)"
# Two stacks, of which only the last is cut; and stacks with strings, in every kind of buffer.
for policy in switch fill ring; do
	run "$probe { ustack(); stack(1); printf(\"%s\", execname); ustack(2); }
		$probe { stack(1); ustack(); }" -x bufpolicy=$policy
	[ "$(grep -c 'deep`f3' out)" = 3 ] || fail "$policy: frames of f3"
	[ "$(grep -c 'deep`f1' out)" = 2 ] || fail "$policy: frames of f1"
	grep -q '^deep$' out || fail "$policy: the string"
done
exit 0
