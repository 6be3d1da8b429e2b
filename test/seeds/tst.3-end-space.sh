#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: "END enablings exceed size of principal buffer": fill refuses to start, with room it runs, switch runs
# @@needs: root bpf
. "$SRC/test/lib/seeds.sh"
run dtrace -x bufpolicy=fill -b 32 -x strsize=64 -n 'BEGIN { exit(0); } END { trace(execname); }'
status 1
out ''
err "dtrace: description 'BEGIN ' matched 2 probes
dtrace: END enablings exceed size of principal buffer"
run dtrace -x bufpolicy=fill -b 1k -x strsize=64 -n 'BEGIN { exit(0); } END { trace(execname); }'
status 0
has_out ':END +dtrace'
run dtrace -x bufpolicy=switch -b 32 -x strsize=64 -n 'BEGIN { exit(0); } END { trace(execname); }'
status 0
has_err '^dtrace: 1 drop on CPU [0-9]+$'
# Exactly nothing left for others is enough: 8 + 4 of lengths, 64 of the string, rounded up: 80.
run dtrace -q -x bufpolicy=fill -b 80 -x strsize=64 -n 'END { trace(execname); } syscall:::entry { trace(1); }'
status 0
out dtrace
run dtrace -q -x bufpolicy=fill -b 79 -x strsize=64 -n 'END { trace(execname); } syscall:::entry { trace(1); }'
status 1
err 'dtrace: END enablings exceed size of principal buffer'
finish
