#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: cpc: page faults and switches of a program against its own counts, samples of a clock, names
# @@needs: cmd:python3
. "$SRC/test/lib/check.sh"
cd "$TMPDIR" || exit 1

run "$DTRACE" -l -P cpc
has_out ' cpc .* cpu_clock-all-1000000000$'
has_out ' cpc .* page_faults-all-1000000000$'
run "$DTRACE" -lvn cpc:::page_faults-user-1
has_out 'args\[1\]: uint64_t'

cat >go.py <<'END'
import mmap, resource, time
m = mmap.mmap(-1, 4096 * 500)
try:
    m.madvise(mmap.MADV_NOHUGEPAGE)
except OSError:
    pass
for i in range(500):
    m[i * 4096] = 1
for i in range(50):
    time.sleep(0.001)
def switches():
    return sum(int(l.split()[1]) for l in open("/proc/self/status") if "ctxt_switches" in l)
u = resource.getrusage(resource.RUSAGE_SELF)
print("own", u.ru_minflt + u.ru_majflt, switches())
END
run "$DTRACE" -qn '
cpc:::page_faults-user-1 /pid == $target/ { @f = count(); @where[arg0 == 0, arg1 != 0] = count(); }
cpc:::page_faults-user-10 /pid == $target/ { @ten = count(); }
cpc:::context_switches-all-1 /pid == $target/ { @s = count(); }
END { printa("faults %@d\n", @f); printa("tenth %@d\n", @ten); printa("switches %@d\n", @s); printa("pc %d %d\n", @where); }' \
	-c 'python3 go.py'
status 0
value() { awk -v k="$1" '$1 == k { print $2 }' out; }
own=$(value own)
switches=$(awk '$1 == "own" { print $3 }' out)
[ "$(value faults)" -ge 450 ] || wrong "faults $(value faults), its own count $own"
[ "$(value faults)" -le $((own + 300)) ] || wrong "faults $(value faults), its own count $own"
[ "$(value switches)" -ge 50 ] || wrong "switches $(value switches), its own count $switches"
# Some are behind its own counting.
[ "$(value switches)" -le $((switches + 100)) ] || wrong "switches $(value switches), its own count $switches"
has_out '^pc 1 1$'
[ "$(grep -c '^pc' out)" = 1 ] || wrong "other pcs: $(cat out)"
# A counter belongs to a CPU, not to a process: others have their part in each ten.
[ "$(value tenth)" -ge 1 ] && [ "$(value tenth)" -le "$(value faults)" ] || wrong "of ten: $(value tenth)"

# A sample has one pc, of the kernel or of the user.
echo 'while True: pass' >busy.py
run "$DTRACE" -qn 'cpc:::cpu_clock-all-1000000 /pid == $target/ { n++; @[(arg0 != 0) + (arg1 != 0)] = count(); }
cpc:::cpu_clock-all-1000000 /n >= 20/ { exit(0); } END { printa("pcs %d\n", @); printf("busy %d\n", $target); }' -c 'python3 busy.py'
status 0
kill -9 "$(value busy)"
has_out '^pcs 1$'
grep -q '^pcs [02]' out && wrong "$(cat out)"

for bad in cpu_clock-all cpu_clock-all-0 cpu_clock-every-1000 cpu_clock-all-10x no_such_event-all-1000 \
	cpu_clock-all-0x1-1000 rxyz-all-1000; do
	run "$DTRACE" -n "cpc:::$bad"
	status 1
	has_err 'does not match any probes$'
done
# Where the machine does not count what the processor does, the error says so, in the same line.
if ! "$DTRACE" -l -P cpc | grep -q ' instructions-all-'; then
	run "$DTRACE" -n cpc:::instructions-all-1000000
	status 1
	[ "$(wc -l <err)" = 1 ] || wrong "$(cat err)"
	has_err 'does not match any probes \(this machine does not count events of its processor: .*\)$'
else
	run "$DTRACE" -qn 'cpc:::instructions-user-100000 /pid == $target/ { n++; }
cpc:::instructions-user-100000 /n >= 5/ { exit(0); }' -c 'python3 busy.py'
	status 0
fi
finish
