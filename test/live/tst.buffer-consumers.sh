#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: the policy is each consumer's own: three at once, with three policies, each as if alone
. "$SRC/test/lib/check.sh"
. "$SRC/test/lib/left.sh"
. "$SRC/test/lib/await.sh"
# Others may run the same programs: ours has a name of its own.
cp "$PROGS/spin" "$TMPDIR/spin$$"
D='syscall::getppid:entry /execname == "'spin$$'"/ { printf("%d\n", n++); }'
pids=
for policy in switch fill ring; do
	"$DTRACE" -q -x bufpolicy=$policy -b 1600 -x switchrate=20ms -x statusrate=20ms -o "$TMPDIR/$policy" -n "$D" \
		2>"$TMPDIR/$policy.err" &
	pids="$pids $!"
	armed $! 1 || wrong "$policy: $(cat "$TMPDIR/$policy.err")"
done
i=0
while [ $i -lt 40 ]; do
	taskset -c 0 "$TMPDIR/spin$$" 10
	i=$((i + 1))
	# So that none is dropped, however late the consumer comes.
	await lines "$TMPDIR/switch" $((i * 10)) || wrong "$i times 10: $(grep -c . "$TMPDIR/switch")"
done
kill -TERM $pids 2>/dev/null
wait
expect()
{
	[ "$(grep . "$TMPDIR/$1" | sed -n '1p;$p' | tr '\n' ' ') $(grep -c . "$TMPDIR/$1")" = "$2" ] ||
		wrong "$1: $(grep -c . "$TMPDIR/$1") lines, $(grep . "$TMPDIR/$1" | sed -n '1p;$p' | tr '\n' ' ') not $2"
	! grep -q drop "$TMPDIR/$1.err" || wrong "$1: $(cat "$TMPDIR/$1.err")"
}
# An int takes 16 bytes.
expect switch '0 399  400'
expect fill '0 99  100'
expect ring '300 399  100'
finish
