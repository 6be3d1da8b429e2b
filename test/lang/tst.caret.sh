#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: -x caret: the line of an error and a caret below its place, in scripts, arguments and libraries
. "$SRC/test/lib/check.sh"
cd "$TMPDIR" || exit 1

BAD='BEGIN { trace(nosuch); }'
TEXT="dtrace: invalid probe specifier $BAD: in action list: failed to resolve nosuch: Unknown variable name"
run "$DTRACE" -e -n "$BAD"
status 1
err "$TEXT"
run "$DTRACE" -x caret -e -n "$BAD"
status 1
err "$TEXT
	$BAD
	              ^"
run "$DTRACE" -x caret -x caret=no -e -n "$BAD"
err "$TEXT"

# The same tabs above the caret; what a character takes more than one byte for is one column; the end of the text.
printf 'BEGIN\n{\n\t\ttrace("\303\244");\ttrace(nosuch);\n}\n' >a.d
run "$DTRACE" -x caret -e -s a.d
err "$(printf 'dtrace: failed to compile script a.d: line 3: failed to resolve nosuch: Unknown variable name
\t\t\ttrace("\303\244");\ttrace(nosuch);
\t\t\t           \t      ^')"
printf 'BEGIN\n{\n\ttrace(1);\n\n' >a.d
run "$DTRACE" -x caret -e -s a.d
err "$(printf 'dtrace: failed to compile script a.d: line 5: syntax error near end of input\n\t\ttrace(1);\n\t\t         ^')"

# #line changes the number, not the line.
printf '#line 70 "other"\nint;\n' >a.d
run "$DTRACE" -x caret -e -s a.d
err "$(printf 'dtrace: failed to compile script a.d: "other", line 70: useless declaration\n\tint;\n\t^')"

# Of a long line the part around the place.
A='1000000 + 1000000 + 1000000 + 1000000 + 1000000 + 1000000 + 1000000 + 1000000 + 1000000 + 1000000 + 1000000'
run "$DTRACE" -x caret -e -n "BEGIN { x = $A + nosuch + $A; }"
[ "$(sed -n 2p err | wc -c)" -lt 140 ] || wrong "$(cat err)"
sed -n 2p err | grep -Eq '^	\.\.\..* \+ nosuch \+.*\.\.\.$' || wrong "$(cat err)"
column=$(sed -n 3p err | grep -bo '\^' | cut -d: -f1)
[ "$(sed -n 2p err | cut -b$((column + 1))- | cut -c1-6)" = nosuch ] || wrong "$(cat err)"

# In a library too, where its line is; and a script that uses one.
mkdir lib
printf 'inline int a = 1;\ninline int b = missing +;\n' >lib/x.d
run "$DTRACE" -x caret -L lib -e -n 'BEGIN { trace(b); }'
err "$(printf 'dtrace: invalid probe specifier BEGIN { trace(b); }: "lib/x.d", line 2: syntax error near ";"\n\tinline int b = missing +;\n\t                        ^')"

# A terminal has it without the option.
cat >terminal.py <<'END'
import os, pty, sys
pid, fd = pty.fork()
if pid == 0:
    os.execv(sys.argv[1], sys.argv[1:])
out = b""
try:
    while data := os.read(fd, 4096):
        out += data
except OSError:
    pass
print(out.decode().replace("\r", ""))
END
if command -v python3 >/dev/null; then
	run python3 terminal.py "$DTRACE" -e -n "$BAD"
	has_out '^ *	 *\^$'
	run python3 terminal.py "$DTRACE" -x caret=no -e -n "$BAD"
	! grep -q '\^' out || wrong "$(cat out)"
fi
finish
