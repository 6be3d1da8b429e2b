#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: fbt, rawfbt: where no function of the kernel can be traced, one line says why, and nothing is listed
. "$SRC/test/lib/check.sh"
cd "$TMPDIR" || exit 1
export DTRACE_WITHOUT=fentry,kprobe_multi,kprobe

for p in fbt rawfbt; do
	run "$DTRACE" -n "$p:::entry"
	status 1
	[ "$(wc -l <err)" = 1 ] || wrong "$(cat err)"
	has_err "probe description $p:::entry does not match any probes \(this kernel lets no functions be traced: .*kprobes: not supported by this kernel\)\$"
	run "$DTRACE" -l -P $p
	[ "$(wc -l <err)" = 1 ] || wrong "$(cat err)"
	has_err "failed to match $p:::: No probe matches description \(this kernel lets no functions be traced: "
	[ "$(wc -l <out)" = 1 ] || wrong "listed: $(cat out)"
	run "$DTRACE" -Zqn "$p:::entry { } BEGIN { exit(0); }"
	status 0
	err ''
done
# No other provider is made to answer for it.
run "$DTRACE" -n 'syscall::none_of_this_name:entry'
status 1
has_err 'does not match any probes$'
finish
