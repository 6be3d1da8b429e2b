#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: fbt: thousands of functions by globs; which of them were called is told by name; all are gone afterwards
# @@needs: kprobe
# @@timeout: 300
. "$SRC/test/lib/check.sh"
cd "$TMPDIR" || exit 1

# Where each is a perf event of its own, fewer will do.
if grep -q ' bpf_kprobe_multi_link_attach$' /proc/kallsyms && grep -q ' register_fprobe_ips$' /proc/kallsyms; then
	what=fbt::[a-f]*_[a-f]*: least=2000
else
	what=fbt::vfs_*: least=50
fi
run "$DTRACE" -l -n "$what"
listed=$(awk '$2 == "fbt"' out | wc -l)
[ "$listed" -ge $least ] || wrong "listed: $listed"
run "$DTRACE" -n "$what"' { @[probefunc, probename] = count(); } BEGIN { exit(0); }'
status 0
# What the kernel refused is told in one line for the entries and one for the returns.
matched=$(sed -n 's/.* matched \([0-9]*\) probes.*/\1/p' err)
[ "$matched" = $((listed + 1)) ] || wrong "matched: $matched of $listed"
[ "$(wc -l <err)" -le 3 ] || wrong "$(cat err)"
run "$DTRACE" -qn "$what"' /pid == $target/ { @[probefunc, probename] = count(); } fbt::vfs_open:entry /pid == $target/ { @open = count(); }
END { printa("%s %s %@d\n", @); printa("open %@d\n", @open); }' -c 'cat /proc/self/stat /dev/null'
status 0
has_out '^open [3-9]|^open [0-9][0-9]'
[ "$(grep -c 'entry' out)" -ge 1 ] || wrong "$(cat out)"
bpftool link list 2>/dev/null | grep -q 'kprobe' && wrong "links are left: $(bpftool link list)"
finish
