#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: what `make install` puts down is complete, and the library shows the public names alone
# @@needs: cc
set -eu

# The build under test as it is: make would build, and perhaps configure, it anew.
meson install -C "$BUILD" --no-rebuild --destdir "$TMPDIR/root" >"$TMPDIR/log" 2>&1 ||
	{ cat "$TMPDIR/log"; exit 1; }
cd "$TMPDIR/root"

fault=0
for file in bin/dtrace sbin/dtrace include/dtrace.h libdtrace.so.1 libdtrace.so libdtrace.a \
	pkgconfig/libdtrace.pc share/man/man8/dtrace.8; do
	if [ -z "$(find . -path "*/$file")" ]; then
		echo "not installed: $file"
		fault=1
	fi
done
[ $fault = 0 ] || exit 1

lib=$(find . -name libdtrace.so.1)
readelf -d "$lib" | grep -q 'SONAME.*\[libdtrace\.so\.1\]' || { echo 'soname'; exit 1; }
if nm -D --defined-only "$lib" | awk '$2 != "A" { print $3 }' | grep -v '^dtrace_'; then
	echo 'libdtrace.so shows names that are not public'
	exit 1
fi

# The header stands alone.
printf '#include <dtrace.h>\nint main(void) { return 0; }\n' >main.c
$CC -std=c11 -Wall -Wextra -Werror -I"$(dirname "$(find . -name dtrace.h)")" -c main.c -o main.o
