#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: strsize up to 64k: everything that handles strings loads and is right, under every policy
. "$SRC/test/lib/check.sh"
for size in 2 9 4k 64k; do
	for policy in switch fill ring; do
		run "$DTRACE" -q -x strsize=$size -x bufpolicy=$policy -n 'BEGIN {
				s = execname; a["k", execname] = strjoin(s, "xy"); self->s = a["k", execname]; this->s = self->s;
				printf("%s %d\n", this->s, strlen(s)); @[this->s, execname] = count(); }
			BEGIN /execname == s && self->s != "zz"/ { trace(s); trace(self->s); printf("\n"); exit(0); }'
		status 0
		case $size in
		2) has_out '^d 1$' ;;
		9) has_out '^dtracexy 6$' ;;
		*) has_out '^dtracexy 6$' ;;
		esac
		no_err drop
	done
done
# A path of 3000 characters, whole and cut.
long=/$(printf '%03000d' 0 | sed 's/0/x/g; s/.\{200\}/&\//g')
for size in 256:255 4k:3001 64k:3001; do
	run "$DTRACE" -q -x strsize=${size%:*} -n 'syscall::openat:entry /pid == $target/ { self->p = arg1; }
		syscall::openat:return /self->p/ { printf("%d %s\n", strlen(copyinstr(self->p)), copyinstr(self->p, 5)); self->p = 0; }' \
		-c "cat $long"
	has_out "^[0-9]+ /xxx"
	awk '{ if ($1 > n) n = $1 } END { print n }' "$TMPDIR/out" >"$TMPDIR/max"
	[ "$(cat "$TMPDIR/max")" -ge ${size#*:} ] && [ "$(cat "$TMPDIR/max")" -le 3016 ] || wrong "longest: $(cat "$TMPDIR/max")"
done
finish
