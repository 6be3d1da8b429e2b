#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: a second client compiles against the installed header and library and is told what it should be
# @@needs: root bpf cc cmd:pkg-config
# @@timeout: 120
set -eu

root=$TMPDIR/root
meson install -C "$BUILD" --no-rebuild --destdir "$root" >"$TMPDIR/log" 2>&1 || {
	cat "$TMPDIR/log"
	exit 1
}
pc=$(dirname "$(find "$root" -name libdtrace.pc)")
export PKG_CONFIG_PATH="$pc" PKG_CONFIG_SYSROOT_DIR="$root"
lib=$(dirname "$(find "$root" -name libdtrace.so)")
flags=
if nm -D "$lib/libdtrace.so" | grep -q __asan_; then
	flags=-fsanitize=address,undefined
fi
# shellcheck disable=SC2046,SC2086
${CC:-cc} -std=gnu11 -Wall -Wextra -Werror $flags "$TESTDIR/client.c" -o "$TMPDIR/client" \
	$(pkg-config --cflags --libs libdtrace) -Wl,-rpath-link,"$lib"

fault=0
# part PART: standard input is what it must print.
part()
{
	cat >"$TMPDIR/want"
	if ! LD_LIBRARY_PATH=$lib "$TMPDIR/client" "$1" >"$TMPDIR/got" 2>"$TMPDIR/err"; then
		echo "$1: failed"
		cat "$TMPDIR/err"
		fault=1
	fi
	# Which CPU it was does not matter.
	sed -i 's/^ *[0-9]* \( *1  *:BEGIN\)/  N \1/' "$TMPDIR/got"
	diff -u "$TMPDIR/want" "$TMPDIR/got" || fault=1
}

part records <<'END'
matches 4
[dtrace:BEGIN epid 1 recs 4] (1: 42)         42 (1: 'text')  text                              (3: 7)7 client end
error 1 action 1 on BEGIN: error on enabled probe ID 2 (ID 1: dtrace:::BEGIN): invalid address (0x8) in action #1
[dtrace:BEGIN epid 3 recs 1] (2: 3) end
[dtrace:END epid 4 recs 1] (1: 65)  65 end
exit 3
END
part default <<'END'
matches 1
CPU     ID                    FUNCTION:NAME
  N      1                           :BEGIN          42
done
END
part buffered <<'END'
matches 2
[dtrace:BEGIN epid 1 recs 1] (3: 0)<one> (2: 0) end
END
part aggregate <<'END'
matches 2
[dtrace:BEGIN epid 2 recs 1] (2: 0) end
by value
@c 'a' 2 1
@c 'b' 1 2
@s -5
by key, downwards
@c 'b' 1 2
@c 'a' 2 1
@s -5
print
  a                                                         2                1
  b                                                         1                2
               -5
END
part errors <<'END'
open: Client requested version newer than library
setopt: Invalid option name
setopt: Invalid value for specified option
compile: [D_FUNC_UNDEF] in action list: undefined function name: nosuch
desc: syscall:vmlinux:read:
desc: Overspecified probe description
attr: Stable/Evolving/ISA
proc: failed to execute /no/such: No such file or directory
END
part process <<'END'
matches 1
[syscall:return epid 1 recs 0] (3: 0)seen end
process ended with 5
END
exit $fault
