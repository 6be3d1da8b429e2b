#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: -x fork=follow: every call in everything that the target forks, by pid and static probes; fork=parent: none of them
# @@needs: uprobe
# @@timeout: 180
. "$SRC/test/lib/check.sh"
cd "$TMPDIR" || exit 1
mkfifo in

probes='pid$target:a.out:go:entry { @e = count(); } pid$target:a.out:go:return { @r = count(); @v = sum(arg1); }
	fam$target:::went { @w = count(); @a = sum(arg0); } fam$target:::counted { @c = count(); }
	END { printa("%@d ", @e); printa("%@d ", @r); printa("%@d ", @v); printa("%@d ", @w); printa("%@d ", @a);
		printa("%@d\n", @c); }'
# 500 children and 50 of theirs, all of which end at once; the same program beside it is nobody's child.
for without in '' uprobe_multi; do
	DTRACE_WITHOUT=$without
	export DTRACE_WITHOUT
	"$PROGS/family" 10 1 wait <in >beside &
	beside=$!
	exec 3>in
	run "$DTRACE" -x fork=follow -qn "$probes" -c "$PROGS/family 500 20"
	status 0
	err ''
	out "11021
11021 11021 231420 11021 115710 11021
"
	run "$DTRACE" -qn "$probes" -c "$PROGS/family 20 5"
	out "116
1 1 0 1 0 1
"
	exec 3>&-
	wait $beside
	grep breakpoint beside && wrong 'breakpoints in a process beside'
done
unset DTRACE_WITHOUT

# $target stays; the child has its own pid and is progeny.
run "$DTRACE" -x fork=follow -qn 'pid$target:a.out:go:entry /arg0 == 1 && pid != $target && progenyof($target)/
	{ @[ppid == $target] = count(); } END { printa("%d %@d\n", @); }' -c "$PROGS/family 20 1"
has_out '^0 2$'
has_out '^1 21$'

# A glob of static probes has forks already, by their own names: they fire once, by the name of the target.
run "$DTRACE" -x fork=follow -qn 'fam*:::went { @[probeprov] = count(); } END { printa("%@d\n", @); }' \
	-c "$PROGS/family 20 5"
out '116
116
'

# -p: what it forks from then on, whatever it has forked before; a pragma will do.
"$PROGS/family" 30 4 hold <in >beside &
pid=$!
exec 3>in
runs $pid "$PROGS/family"
"$DTRACE" -p $pid -qn '#pragma D option fork=follow
	BEGIN { printf("ready\n"); } pid$target:a.out:go:entry { @ = count(); } END { printa("%@d\n", @); }' >out 2>err 3>&- &
dt=$!
says ready out
exec 3>&-
wait $dt || wrong "-p: status $?"
wait $pid
[ "$(xargs <out)" = "ready $(cat beside)" ] || wrong "-p: $(cat out err beside)"

# Returns that are too deep are counted in children as well.
run "$DTRACE" -x fork=follow -qn 'pid$target:a.out:down:entry { @in = count(); }
	pid$target:a.out:down:return { @out = count(); } END { printa("%@d ", @in); printa("%@d\n", @out); }' \
	-c "$PROGS/recurse 100 3 2 fork"
out '1200 768
'
err 'dtrace: 432 firings of pid_return missed by the kernel'

# A child that executes another program has the probes of what both map.
printf '#!/bin/sh\n%s 7\n%s 5\n:\n' "$PROGS/spin" "$PROGS/spin" >script
chmod +x script
run "$DTRACE" -x fork=follow -qn 'pid$target:libc:exit:entry /execname == "spin"/ { @[arg0] = count(); }
	END { printa("%d %@d\n", @); }' -c ./script
out '0 2
'

# Tracing ends first: children go on, without breakpoints.
for fork in parent follow; do
	"$DTRACE" -x fork=$fork -qn 'pid$target:a.out:go:entry, pid$target:a.out:go:return { exit(0); }' \
		-c "$PROGS/family 20 5 wait" <in >out 2>err &
	dt=$!
	exec 3>in
	wait $dt || wrong "$fork: status $?"
	exec 3>&-
	for _ in $(seq 600); do
		ps -eo args | grep -q "^$PROGS/family" || break
		sleep 0.1
	done
	grep -q '^116$' out || wrong "$fork: $(cat out err)"
	grep breakpoint out && wrong "$fork: breakpoints are left"
done

# No room for all: the first three are followed (with the target), what is not is counted, by each provider.
run "$DTRACE" -x fork=follow -x forkmax=4 -x strictdrops -qn 'pid$target:a.out:go:entry { @[pid] = count(); }
	fam$target:::went { @w = count(); } END { printa("%@d\n", @); printa("%@d\n", @w); }' \
	-c "$PROGS/family 20 5"
status 4
out '116
1
5
5
10
21
'
has_err '^dtrace: 18 forks not followed by probes of pid \(forkmax\)$'
has_err '^dtrace: 18 forks not followed by probes of usdt \(forkmax\)$'

run "$DTRACE" -x fork=both -n BEGIN
status 1
err 'dtrace: failed to set -x fork: Invalid value for specified option'
finish
