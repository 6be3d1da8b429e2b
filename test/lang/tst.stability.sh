#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: the stability of statements: names, kernel structures, arguments, inlines, what variables inherit; amin
# @@needs: btf
. "$SRC/test/lib/check.sh"

# stmt WANT PROGRAM: its statement attributes
stmt()
{
	got=$("$DTRACE" -e -v -n "$2" 2>&1 | sed -n '/Statement/,/Class/s/.*: *//p' | paste -sd/)
	[ "$got" = "$1" ] || wrong "$2: $got, not $1"
}

stmt Stable/Stable/Common 'BEGIN { trace(pid); }'
stmt Stable/Private/Common 'BEGIN { trace(curthread); }'
stmt Private/Private/ISA 'syscall:::entry { trace(arg0); }'
stmt Stable/Stable/Common 'BEGIN { trace(curpsinfo->pr_pid); }'
stmt Stable/Stable/Common 'BEGIN { trace(fds[3].fi_oflags); }'
# What the user passes counts, what the library makes of it does not.
stmt Private/Private/ISA 'syscall:::entry { trace(fds[arg0].fi_oflags); }'
stmt Stable/Private/Common 'BEGIN { trace(xlate <psinfo_t *> (curthread)->pr_pid); }'
stmt Private/Private/ISA 'syscall:::entry { x = arg0; } BEGIN { trace(x); }'
stmt Stable/Stable/Common 'syscall:::entry { x = 1; } BEGIN { trace(x); }'
stmt Evolving/Stable/Common 'inline int one = 1;
#pragma D attributes Evolving/Stable/Common one
BEGIN { trace(one); }'
stmt Unstable/Stable/ISA 'int x;
#pragma D attributes Unstable/Stable/ISA x
BEGIN { trace(x); }'
if [ -r /sys/kernel/btf/vmlinux ]; then
	stmt Private/Private/Unknown 'BEGIN { trace(curthread->pid); }'
fi

# Probes of user programs: what the definition of their provider says.
P='provider p { probe a(int); };
#pragma D attributes Evolving/Stable/ISA provider p provider
#pragma D attributes Stable/Evolving/Group provider p name
#pragma D attributes Standard/Standard/CPU provider p args
'
got=$("$DTRACE" -Z -e -v -n "${P}p12:::a { trace(arg0); }" 2>&1 | sed -n 's/^\t\t.*: *//p' | paste -sd/)
[ "$got" = Unstable/Unstable/Group/Stable/Stable/CPU ] || wrong "of a definition: $got"
P="$P#pragma D attributes Stable/Stable/Common provider p module
#pragma D attributes Stable/Stable/Common provider p function
"
got=$("$DTRACE" -Z -e -v -n "${P}p12:::a { trace(arg0); }" 2>&1 | sed -n 's/^\t\t.*: *//p' | paste -sd/)
[ "$got" = Evolving/Evolving/Group/Stable/Stable/CPU ] || wrong "of a definition: $got"

run "$DTRACE" -xerrtags -e -xamin=Evolving/Evolving/Common -s /dev/stdin <<'E2'
dtrace:::BEGIN { trace(pid); }
E2
status 1
has_err '\[D_ATTR_MIN\] line 1: attributes for clause \(Private/Private/Unknown\) are less than predefined minimum'
run "$DTRACE" -e -xamin=Private/Private/Unknown -n 'dtrace:::BEGIN { trace(curthread); }'
status 0
run "$DTRACE" -xerrtags -e -xamin=Unstable/Unstable/Common -n 'BEGIN { trace(pid); }'
status 0
run "$DTRACE" -xerrtags -e -xamin=Unstable/Unstable/Common -n 'BEGIN { trace(curthread); }'
status 1
has_err '\[D_ATTR_MIN\] attributes for clause \(Unstable/Private/Common\)'

# A name newer than the version asked for is not there.
prog='struct out { int a; };
#pragma D binding "1.6" translator
translator struct out < int i > { a = i; };
BEGIN { trace(xlate <struct out> (1).a); }'
run "$DTRACE" -e -xversion=1.6 -n "$prog"
status 0
run "$DTRACE" -xerrtags -e -xversion=1.5 -n "$prog"
status 1
has_err D_XLATE_NONE
finish
