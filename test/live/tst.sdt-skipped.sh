#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: firings that the kernel skips because another such program runs are told by the whole name of the probe
. "$SRC/test/lib/check.sh"

# The signal is made while the program of the system call runs. Kernels before 6.7 do not count what they skip then.
run "$DTRACE" -wqn 'sdt:raw_syscalls::sys_enter /pid == $target && !done/ { done = 1; raise(SIGCONT); }
	sdt:signal::signal_generate { @ = count(); } END { clear(@); }' -c true
status 0
case $(cat "$TMPDIR/err") in
'') echo 'this kernel skipped nothing, or does not tell'; [ $fault = 0 ] && exit 77 ;;
*) has_err '^dtrace: [0-9]+ firings? of sdt:signal::signal_generate skipped by the kernel \(recursion\)$'
	no_err 'of sdt_signal' ;;
esac
finish
