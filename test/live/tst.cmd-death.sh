#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: the death of a target: by every signal, before exec is done, on its way to main, at any moment of a grab
# @@needs: uprobe cc cmd:python3
# @@timeout: 120
. "$SRC/test/lib/check.sh"
cd "$TMPDIR" || exit 1

# By every signal that ends a process.
cat >die.c <<'END'
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>
static void __attribute__((constructor)) early(int argc, char **argv)
{
	if (argc > 2)
		kill(getpid(), atoi(argv[1]));
}
int main(int argc, char **argv)
{
	struct rlimit none = { 0, 0 };

	setrlimit(RLIMIT_CORE, &none);
	return argc > 1 ? kill(getpid(), atoi(argv[1])) : 3;
}
END
${CC:-cc} -O1 -o die die.c || exit 1
for n in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 24 25 26 27 31; do
	sig=$(kill -l $n)
	run "$DTRACE" -n 'END { printf("end %d\n", $target == pid); }' -c "./die $n"
	status 0
	has_err "^dtrace: pid [0-9]+ terminated by SIG$sig\$"
	has_out ' end 0$'
done
run "$DTRACE" -n BEGIN -c './die 40'
has_err '^dtrace: pid [0-9]+ terminated by signal 40$'
run "$DTRACE" -n BEGIN -c ./die
has_err '^dtrace: pid [0-9]+ exited with status 3$'

# On its way to main, where it is held for its probes; another target goes on to be traced.
run "$DTRACE" -n 'pid$target:a.out:main:entry' -c './die 9 early'
status 1
has_err 'failed to grab process [0-9]+$'
run "$DTRACE" -x evaltime=main -n 'BEGIN { printf("begun"); }' -c './die 9 early'
status 0
has_out 'begun$'
has_err '^dtrace: pid [0-9]+ terminated by SIGKILL$'

# With the old program gone, exec cannot fail any more: it kills. No process has addresses that high, with five levels of
# pages neither.
${CC:-cc} -O1 -static -no-pie -o bad die.c || exit 1
python3 - <<'END'
import struct
d = bytearray(open('bad', 'rb').read())
off, = struct.unpack_from('<Q', d, 32)
size, n = struct.unpack_from('<HH', d, 54)
load = [off + i * size for i in range(n) if struct.unpack_from('<I', d, off + i * size)[0] == 1]
struct.pack_into('<Q', d, load[-1] + 16, (1 << 62) + struct.unpack_from('<Q', d, load[-1] + 16)[0] % 4096)
open('bad', 'wb').write(d)
END
run "$DTRACE" -n BEGIN -c ./bad
status 1
has_err '^dtrace: failed to execute ./bad: terminated by SIG(SEGV|KILL)$'

# Killed at any moment from its grab on: told so, or refused; never waited for. Where probes are made one by one, those of
# all functions take minutes.
functions=
grep -q ' bpf_uprobe_multi_link_attach$' /proc/kallsyms || functions='mem*'
for delay in 0 0.01 0.02 0.04 0.06 0.08 0.1 0.15; do
	sleep 100 &
	pid=$!
	(sleep $delay; kill -KILL $pid) &
	run timeout 60 "$DTRACE" -p $pid -n "pid\$target:libc:$functions:entry { @ = count(); }"
	case $got in
	0) has_err "^dtrace: pid $pid has exited\$" ;;
	1) has_err "($pid|probes of pid|does not match)" ;;
	*) wrong "killed after $delay s: status $got" ;;
	esac
done
finish
