#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: -x and its short forms: names, values, precedence; all without enabling anything
. "$SRC/test/lib/check.sh"

bad='Invalid value for specified option'

run "$DTRACE" -b 1t -b 2t -e
status 0
err ''
out ''

for opt in bufsize=-1 bufsize=1b bufsize=1kb bufsize= bufsize=0x bufsize=08 bufsize=99999999999999999999 bufsize=16777216t \
	strsize=1 strsize=0 bufpolicy=rings bufpolicy=SWITCH bufpolicy bufresize=x switchrate=1.5s switchrate=hz switchrate=1wk \
	aggrate=-1hz statusrate= linktype=foo stdc=X evaltime=never evaltime linkmode=x late=x nspec=-72 cpu=x cpu=1x \
	quiet=maybe zdefs=yes empty= errtags=1 version amin=Best libdir; do
	run "$DTRACE" -e -x "$opt"
	status 1
	out ''
	err "dtrace: failed to set -x ${opt%%=*}: $bad"
done
run "$DTRACE" -e -b 1mb
status 1
err "dtrace: failed to set -b 1mb: $bad"
run "$DTRACE" -e -X q
status 1
err "dtrace: failed to set -X q: $bad"

for opt in wombat Bufsize bufsiz '' ' quiet'; do
	run "$DTRACE" -e -x "$opt"
	status 1
	err "dtrace: failed to set -x $opt: Invalid option name"
done

run "$DTRACE" -e -x strsize=4g
status 1
err 'dtrace: failed to set -x strsize: Value too large for defined data type'
run "$DTRACE" -e -x version=99.1
status 1
err 'dtrace: failed to set -x version: Requested version is not supported by compiler'
for version in 1 1. 1.x 256.1 1.4096 1.1.1.1 x; do
	run "$DTRACE" -e -x version=$version
	status 1
	err 'dtrace: failed to set -x version: Version is not properly formatted or is too large'
done

# Known and valid, but not built: never silent.
for opt in core grabanon late=static ldpath=/x \
	linktype=ELF linkmode=dynamic knodefs unodefs lockmem=1m zone=x pcapsize=100 preallocate=1m setenv=A=b zone=z; do
	run "$DTRACE" -e -x "$opt"
	status 1
	err "dtrace: failed to set -x ${opt%%=*}: Option is not implemented"
done

# Every way to write the values that are fine.
for opt in bufsize=1m bufsize=1M bufsize=0x100000 bufsize=0777 bufsize=10t bufsize=1G bufsize strsize=2 bufpolicy=ring \
	bufpolicy=fill bufresize=manual switchrate=10 switchrate=10hz switchrate=10HZ switchrate=3ms switchrate=3msec \
	switchrate=1ns switchrate=1us switchrate=2s switchrate=2sec switchrate=1m switchrate=1min switchrate=1h \
	switchrate=1hour switchrate=1d switchrate=1day switchrate=0 switchrate=0hz quiet quiet=yes quiet=OFF quiet= quiet=0 libdir=/x syslibdir=/x amin=Stable/Stable/Common cpp cpphdrs define=X undef=X incdir=/x cppargs=-DX cpppath=/x stdc=a \
	cpu=0 cpu zdefs empty argref defaultargs errtags droptags pspec nolibs kdefs udefs version=1.0 \
	version=1.13.1 evaltime=exec evaltime=preinit evaltime=postinit evaltime=main linkmode=kernel nspec=10 specsize=1m stackframes=5 ustackframes=5 stackindent=2 \
	aggsortkey aggsortrev aggsortpos=1 aggsortkeypos=1 rawbytes noresolve nodemangle temporal destructive accounting dynvarsize=2m; do
	run "$DTRACE" -e -x "$opt"
	status 0
	err ''
done

# Options come before programs, whatever the order of the flags.
run "$DTRACE" -e -n 'BEGIN { nosuch(); }' -x wombat
status 1
err 'dtrace: failed to set -x wombat: Invalid option name'
run "$DTRACE" -e -n 'BEGIN { nosuch(); }' -xerrtags
status 1
err 'dtrace: invalid probe specifier BEGIN { nosuch(); }: [D_FUNC_UNDEF] in action list: undefined function name: nosuch'

# The environment comes first, and what is wrong in it is passed over.
run env DTRACE_OPT_ERRTAGS= DTRACE_OPT_BUFSIZE=x DTRACE_OPT_WOMBAT=1 "$DTRACE" -e -n 'BEGIN { nosuch(); }'
status 1
has_err '\[D_FUNC_UNDEF\]'

# -x empty, also as a pragma of an empty program.
: >"$TMPDIR/empty.d"
run "$DTRACE" -e -s "$TMPDIR/empty.d"
status 1
err "dtrace: failed to compile script $TMPDIR/empty.d: line 1: empty D program translation unit"
run "$DTRACE" -e -xempty -s "$TMPDIR/empty.d"
status 0
err ''
finish
