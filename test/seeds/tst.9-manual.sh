#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: bufresize=manual: "could not enable tracing: Not enough space" for each kind of buffer
# @@needs: root bpf
. "$SRC/test/lib/seeds.sh"
# 1g for two areas a CPU is had on large machines only; then it traces.
interrupt 1 "dtrace -P syscall -x bufsize=1g -x bufresize=manual"
if [ $got = 1 ]; then
	sed -n 2p err | grep -qx 'dtrace: could not enable tracing: Not enough space' || wrong "$(cat err)"
	out ''
else
	status 0
	no_err 'could not'
fi
run dtrace -P syscall -x bufsize=100t -x bufresize=manual
status 1
out ''
grep -Evx "dtrace: description 'syscall' matched [0-9]+ probes" err >said
[ "$(cat said)" = 'dtrace: could not enable tracing: Not enough space' ] || wrong "$(cat err)"
run dtrace -q -x aggsize=100t -x bufresize=manual -n 'BEGIN { @ = count(); exit(0); }'
status 1
err 'dtrace: could not enable tracing: Not enough space'
S='BEGIN { s = speculation(); } BEGIN { speculate(s); trace(1); } BEGIN { commit(s); exit(0); }'
run dtrace -q -x specsize=100t -x bufresize=manual -n "$S"
status 1
err 'dtrace: could not enable tracing: Not enough space'
run dtrace -q -x specsize=100t -n "$S"
status 0
has_err '^dtrace: speculation size lowered to [0-9]+[kmg]$'
has_out 1
# The default is auto, by that name too.
run dtrace -q -x bufresize=auto -b 100t -n 'BEGIN { exit(0); }'
status 0
has_err 'lowered'
run dtrace -x bufresize=other -n BEGIN
status 1
err 'dtrace: failed to set -x bufresize: Invalid value for specified option'
finish
