#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: options of buffers: by -x and #pragma, every suffix, bad values, limits, which of several wins
. "$SRC/test/lib/check.sh"
cd "$TMPDIR" || exit 1

for o in bufpolicy=fill bufresize=auto bufsize=64k aggsize=64k specsize=64k nspec=2 dynvarsize=64k strsize=64 \
	switchrate=10hz aggrate=10hz statusrate=10hz cleanrate=10hz cpu=0 temporal droptags strictdrops accounting; do
	run "$DTRACE" -q -x $o -n 'BEGIN { exit(0); }'
	status 0
	printf '#pragma D option %s\n#pragma D option quiet\nBEGIN { exit(0); }\n' $o >o.d
	run "$DTRACE" -s o.d
	status 0
done

# Every suffix, in both cases where both are allowed.
for s in k K m M g G t T ''; do
	run "$DTRACE" -eq -x bufsize=1$s -n BEGIN
	status 0
done
for s in ns nsec us usec ms msec s sec m min h hour d day hz NS Sec HZ ''; do
	for o in switchrate aggrate statusrate cleanrate; do
		run "$DTRACE" -eq -x $o=1$s -n BEGIN
		status 0
	done
done
for v in switchrate=1x switchrate=1.5s switchrate=-1 switchrate=hz switchrate=1hzz bufsize=1kb bufsize=k aggsize=-1 \
	dynvarsize=1.5k bufpolicy=Fill bufpolicy= bufresize=no strsize=1 cpu=x nspec=many; do
	run "$DTRACE" -eq -x $v -n BEGIN
	status 1
	err "dtrace: failed to set -x ${v%%=*}: Invalid value for specified option"
done
run "$DTRACE" -eq -x strsize=8g -n BEGIN
status 1
err 'dtrace: failed to set -x strsize: Value too large for defined data type'

# Limits: adjusted, with a message; -q does not suppress it, quietresize does.
run "$DTRACE" -q -x statusrate=11s -x cleanrate=61s -n 'BEGIN { exit(0); }'
err 'dtrace: cleaning rate increased to once every 60 seconds
dtrace: status rate increased to once every 10 seconds'
run "$DTRACE" -q -x quietresize -x statusrate=11s -x cleanrate=61s -n 'BEGIN { exit(0); }'
err ''
run "$DTRACE" -q -x cpu=4095 -n 'BEGIN { exit(0); }'
status 1
has_err 'CPU 4095 is not online'

# The last of -b and -x wins, a pragma over both; setopt of the API: the unit tests. How much fits tells. The first
# switch comes at the start, perhaps late: the calls wait for what it prints.
fits()
{
	[ "$(grep -c entry out)" = "$1" ] || wrong "$(grep -c entry out) records, not $1"
}
cat >p.d <<'EOD'
#pragma D option bufsize=800
BEGIN { printf("begun\n"); }
syscall::getppid:entry /pid == $target/ { trace(timestamp); }
EOD
N='BEGIN { printf("begun\n"); } syscall::getppid:entry /pid == $target/ { trace(timestamp); }'
run "$DTRACE" -b 1k -x bufsize=1600 -x switchrate=9s -n "$N" -c "taskset -c 0 $PROGS/spin 500 out"
fits 100
run "$DTRACE" -x bufsize=1600 -b 1k -x switchrate=9s -n "$N" -c "taskset -c 0 $PROGS/spin 500 out"
fits 64
run "$DTRACE" -x bufsize=1600 -b 1k -x switchrate=9s -s p.d -c "taskset -c 0 $PROGS/spin 500 out"
fits 50
run env DTRACE_OPT_BUFSIZE=320 "$DTRACE" -x switchrate=9s -n "$N" -c "taskset -c 0 $PROGS/spin 500 out"
fits 20
run env DTRACE_OPT_BUFSIZE=320 "$DTRACE" -b 1k -x switchrate=9s -n "$N" -c "taskset -c 0 $PROGS/spin 500 out"
fits 64
# Rounded down to a multiple of 8, without a word.
run "$DTRACE" -q -b 1607 -x switchrate=9s -n "${N%\}} printf(\" entry\\n\"); }" -c "taskset -c 0 $PROGS/spin 500 out"
fits 100
has_err '^dtrace: 400 drops'
no_err lowered
finish
