#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: what the documents only name: cpu, switchrate, copyinstr() under every policy, exit() on a variable
# @@needs: root bpf
# @@timeout: 120
. "$SRC/test/lib/seeds.sh"
last=$(getconf _NPROCESSORS_ONLN)
last=$((last - 1))
run dtrace -q -x cpu=$last -n 'profile-97 { @[cpu] = count(); } tick-2s { exit(0); }'
status 0
[ "$(awk 'NF == 2 { print $1 }' out)" = $last ] || wrong "$(cat out)"
for rate in 10hz 100ms 10; do
	run dtrace -q -x switchrate=$rate -n 'tick-20ms { printf("%d\n", n++); } tick-1s { exit(0); }'
	status 0
done
for policy in switch fill ring; do
	run dtrace -q -x bufpolicy=$policy -n 'syscall::openat:entry /pid == $target/ { printf("%s\n", copyinstr(arg1)); }' \
		-c 'cat /etc/hostname'
	status 0
	has_out '^/etc/hostname$'
done
# A machine at rest may take minutes for 1000 system calls.
"$PROGS/syscalls" $ENDLESS >/dev/null &
load=$!
run dtrace -n 'syscall:::entry { n++; } syscall:::entry /n >= 1000/ { exit(0); }' -b 1k
kill $load
status 0
finish
