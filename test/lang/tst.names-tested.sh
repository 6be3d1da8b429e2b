#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: every variable and function of D is used in a test of what it does, or of its refusal
cd "$TMPDIR" || exit 1
status=0

# Test programs without comments: a name in one is no use of it.
find "$SRC/test/live" "$SRC/test/seeds" -name '*.d' -o -name '*.sh' -o -name '*.py' | xargs sed '/^ *[*#]/d; s,/\*.*\*/,,' >run
find "$SRC/test/lang" -name 'err.D_UNKNOWN.*.d' -o -name 'err.D_FUNC_UNDEF.*.d' | xargs sed 's,/\*.*\*/,,' >refused
# A row may go on in the next line.
sed -n '/^FUNC(/{ :a; /[^)]$/{ N; s/\n */ /; ba; }; p; }' "$SRC/src/lang/func.def" >funcs
grep '^BUILTIN(' "$SRC/src/lang/builtin.def" >builtins

used() { # name, what stands behind it, file
	grep -Eq "(^|[^A-Za-z0-9_\`.>-])$1$2" "$3" || { echo "no test uses $1 (in $3)"; status=1; }
}

n=0
while IFS='(",' read -r _ _ _ name _ kind rest; do
	n=$((n + 1))
	case $rest in
	*FUNC_EMIT*) used "$name" ' *\(' run ;;
	*) used "$name" ' *\(' refused ;;
	esac
done <funcs
while IFS='(",' read -r _ _ _ name _; do
	n=$((n + 1))
	case $name in
	args | uregs) used "$name" '\[' run ;;
	*) used "$name" '([^A-Za-z0-9_]|$)' run ;;
	esac
done <builtins
rows=$(grep -Ehc '^(FUNC|BUILTIN)\(' "$SRC/src/lang/func.def" "$SRC/src/lang/builtin.def" | paste -sd+ | sed 's/^/echo $((/; s/$/))/' | sh)
[ "$n" = "$rows" ] || { echo "$n rows read of $rows"; status=1; }
exit $status
