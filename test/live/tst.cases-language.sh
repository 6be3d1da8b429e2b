#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: division, faults counted from 1, argument order of printf, limits of strings
# needs: root bpf
# timeout: 120

cd "$TMPDIR" || exit 1
same() { # name, want; got in out
	printf '%s' "$2" | cmp -s - out && return
	echo "$1: got"
	cat out err
	exit 1
}

# B15: the quotient is cut towards 0, the remainder has the sign of the dividend.
"$DTRACE" -qn 'BEGIN { x = 5; y = -5; z = -7; printf("%d %d %d %d\n", x / y, z / 2, z % 3, x % y);
	exit(0); }' >out 2>err
same division '-1 -3 -1 0

'
# B17: faults are reported, counted from arg1; the clause traces nothing.
"$DTRACE" -qn 'int x; BEGIN { trace(1 / x); }
	ERROR { printf("act %d fault %d\n", arg2, arg4); exit(0); }' >out 2>err
same fault 'act 1 fault 4

'
grep -q 'error on enabled probe ID 1 (ID [0-9]*: dtrace:::BEGIN): divide-by-zero in action #1' err ||
	{ cat err; exit 1; }
"$DTRACE" -qn 'int x; BEGIN /1 / x/ { trace(1); }
	ERROR { printf("act %d fault %d\n", arg2, arg4); exit(0); }' >out 2>err
same 'fault in a predicate' 'act 0 fault 4

'
grep -q 'divide-by-zero in predicate' err || { cat err; exit 1; }
# B19: the order of printf's arguments.
"$DTRACE" -qn 'BEGIN { printf("%s:%d:%d\n", "h", 7, 9); printf("%d:%d:%s\n", 7, 9, "h");
	printf("%c%s%c%d\n", '"'a'"', "b", '"'c'"', 4); exit(0); }' >out 2>err
same printf 'h:7:9
7:9:h
abc4

'
# B21: whole up to strsize - 1 bytes, and exactly as many as asked for; at the entry and at the return.
for size in 256 4096 return; do
	program='syscall::openat:entry /pid == $target/ { printf("[%s] [%s]\n", copyinstr(arg1), copyinstr(arg1, 4)); }'
	if [ $size = return ]; then
		size=4096
		program='syscall::openat:entry /pid == $target/ { self->path = arg1; }
			syscall::openat:return /self->path/
			{ printf("[%s] [%s]\n", copyinstr(self->path), copyinstr(self->path, 4)); }'
	fi
	"$DTRACE" -q -x strsize=$size -c "$PROGS/openpaths" -n "$program" >out 2>err || { cat err; exit 1; }
	awk -v long="$((size > 3001 ? 3000 : size - 1))" '
		$2 == "[/bcd]" { n = length($1) - 2; seen[n]++ }
		END { exit !(seen[200] == 1 && seen[long] == 1) }' out || { cat out err; exit 1; }
done
