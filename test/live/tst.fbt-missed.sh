#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: fbt: returns that the kernel missed, because too many calls were under way, are counted: with them every call has its return
# @@needs: kprobe cmd:python3
. "$SRC/test/lib/check.sh"
cd "$TMPDIR" || exit 1

# 60 threads in one call; a return probe by kprobe follows a few for each CPU.
cat >go.py <<'END'
import threading, time
threads = [threading.Thread(target=lambda: time.sleep(1)) for i in range(60)]
for t in threads:
    t.start()
for t in threads:
    t.join()
END
for without in fentry,kprobe_multi fentry; do
	export DTRACE_WITHOUT=$without
	run "$DTRACE" -qn '
fbt:vmlinux:hrtimer_nanosleep:entry /pid == $target/ { @e = count(); }
fbt:vmlinux:hrtimer_nanosleep:return /pid == $target/ { @r = count(); }
END { printa("entered %@d\n", @e); printa("returned %@d\n", @r); }' -c 'python3 go.py'
	status 0
	entered=$(awk '$1 == "entered" { print $2 }' out)
	returned=$(awk '$1 == "returned" { print $2 }' out)
	missed=$(sed -n 's/.* \([0-9][0-9]*\) firings\{0,1\} of fbt_return missed by the kernel.*/\1/p' err)
	[ "$entered" -ge 60 ] || wrong "entered: $(cat out err)"
	# Others may have missed returns too; kernels before 6.7 do not tell.
	if grep -q 'bpf_kprobe_multi_link_fill_link_info' /proc/kallsyms; then
		[ $((returned + ${missed:-0})) -ge "$entered" ] || wrong "$entered, $returned, $missed: $(cat err)"
	fi
	[ "$returned" -le "$entered" ] || wrong "returned: $(cat out)"
done
finish
