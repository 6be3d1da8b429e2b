#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: fill: what is committed to a full buffer is lost, and END still has its room there
. "$SRC/test/lib/check.sh"
S='BEGIN { speculate(s); printf("speculated %d\n", n); }'
T='BEGIN { printf("%d\n", n++); }'
HEAD='BEGIN { s = speculation(); n = 0; }'
END='END { printf("end %d\n", n); }'

# Records of 16 bytes, and a reserve of 16 for END: the fourth finds the buffer full. The speculation has 8, which
# would have room behind the third, or 80.
for spec in 'BEGIN { speculate(s); printf("speculated\n"); }' "$S $S $S $S $S"; do
	run "$DTRACE" -q -x cpu=0 -x bufpolicy=fill -b 72 -x accounting \
		-n "$HEAD $spec $T $T $T $T BEGIN { commit(s); } $END"
	status 0
	out '0
1
2
end 3
'
	no_err 'drops? on CPU'
	balanced
	has_err 'speclost 1 specleft 0$'
done

# It is the block that fills it; a smaller one has room.
run "$DTRACE" -q -x cpu=0 -x bufpolicy=fill -b 64 -x accounting -n "$HEAD $S $S $T $T BEGIN { commit(s); } $T $END"
status 0
out '0
1
end 2
'
balanced
run "$DTRACE" -q -x cpu=0 -x bufpolicy=fill -b 64 -x accounting -n "$HEAD $S $T $T BEGIN { commit(s); } $T $END"
status 0
out '0
1
speculated 0
end 2
'
balanced

# The part of another CPU than that of commit() is moved before END, and fills the buffer that END writes to.
if [ "$(nproc)" -gt 1 ]; then
	echo "taskset -c 1 $PROGS/spin 7; taskset -c 0 $PROGS/spin 1" >"$TMPDIR/calls"
	cat >"$TMPDIR/d.d" <<'D'
int64_t n, s;
syscall::getppid:entry /ppid == $target/ { n++; }
syscall::getppid:entry /ppid == $target && n == 1/ { s = speculation(); }
syscall::getppid:entry /ppid == $target && cpu == 1 && n < 6/ { speculate(s); printf("speculated %d\n", n); }
syscall::getppid:entry /ppid == $target && cpu == 1 && n > 5/ { printf("%d\n", n); }
syscall::getppid:entry /ppid == $target && cpu == 0/ { commit(s); }
END { printf("end %d\n", n); }
D
	run taskset -c 1 "$DTRACE" -q -x bufpolicy=fill -b 64 -x accounting -x cleanrate=1hz -s "$TMPDIR/d.d" \
		-c "sh $TMPDIR/calls"
	status 0
	out '6
7
end 8
'
	balanced
fi
finish
