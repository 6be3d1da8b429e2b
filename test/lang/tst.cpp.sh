#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: -C: the preprocessor runs over scripts; -D -U -I -H -X, cpppath, cppargs; its failures
. "$SRC/test/lib/check.sh"

command -v cpp >/dev/null || { echo 'no cpp'; exit 77; }
cd "$TMPDIR"
mkdir inc
echo '#define INCLUDED 1' >beside.h
echo '#define DEEP 1' >inc/deep.h
cat >s.d <<'E2'
#!/usr/sbin/dtrace -s
#include "beside.h"
#if !defined(__linux) || !defined(__unix) || !defined(__SVR4) || !defined(__SUNW_D) || \
    !defined(__SUNW_D_64) || !defined(__SUNW_D_VERSION) || !defined(__Linux) || defined(__GNUC__)
#error predefined
#endif
inline int included = INCLUDED;
BEGIN { trace(VALUE); exit(included); }
E2

run "$DTRACE" -C -e -D VALUE=3 -s s.d
status 0
err ''
# In the order given, whatever the option is called.
run "$DTRACE" -C -e -U VALUE -x define=VALUE=3 -s s.d
status 0
run "$DTRACE" -x cpp -e -D VALUE=3 -U VALUE -s s.d
status 1
err 'dtrace: failed to compile script s.d: "s.d", line 8: failed to resolve VALUE: Unknown variable name'
run "$DTRACE" -C -e -x cppargs='-DA=3  -DVALUE=A' -s s.d
status 0
# Beside the script, not beside us.
(cd / && "$DTRACE" -C -e -D VALUE=1 -s "$TMPDIR/s.d") || exit 1

echo '#include <deep.h>' >deep.d
echo 'BEGIN { trace(DEEP); }' >>deep.d
run "$DTRACE" -C -e -I inc -s deep.d
status 0
run "$DTRACE" -C -e -H -x incdir=inc -s deep.d
status 0
has_err 'inc/deep.h'

printf '#ifdef __STDC__\nBEGIN { trace(1); }\n#else\nBEGIN { trace(nosuch); }\n#endif\n' >stdc.d
for x in a c t; do
	run "$DTRACE" -C -e -X $x -s stdc.d
	status 0
done
run "$DTRACE" -C -e -X s -s stdc.d
status 1

run "$DTRACE" -e -s deep.d
status 1
err 'dtrace: failed to compile script deep.d: line 1: invalid control directive: #include'
run "$DTRACE" -C -e -x cpppath=/nosuch/cpp -s deep.d
status 1
err 'dtrace: failed to compile script deep.d: Preprocessor not found'
run "$DTRACE" -C -e -x cpppath=/bin/false -s deep.d
status 1
err 'dtrace: failed to compile script deep.d: Preprocessor failed to process input program'
run "$DTRACE" -C -e -x cpppath=/ -s deep.d
status 1
err 'dtrace: failed to compile script deep.d: Failed to exec preprocessor'
# The text of -n is never preprocessed.
run "$DTRACE" -C -e -D VALUE=1 -n 'BEGIN { trace(VALUE); }'
status 1

# Libraries are.
mkdir lib
printf '#define T 2\ninline int TWO = T;\n' >lib/two.d
run "$DTRACE" -C -e -L lib -n 'BEGIN { trace(TWO); }'
status 0
finish
