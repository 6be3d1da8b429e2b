#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# @@needs: cmd:setpriv
# what: without privileges: what needs them says so, in DTrace's words; what needs none works
. "$SRC/test/lib/check.sh"

plain="setpriv --reuid=65534 --regid=65534 --clear-groups"
$plain "$DTRACE" -V >/dev/null 2>&1 || { echo 'others cannot execute dtrace here'; exit 77; }

run $plain "$DTRACE" -l
status 1
err 'dtrace: failed to list probes: DTrace requires additional privileges'

run $plain "$DTRACE" -n BEGIN
status 1
err "dtrace: description 'BEGIN' matched 1 probe
dtrace: could not enable tracing: DTrace requires additional privileges"

run $plain "$DTRACE" -en 'BEGIN { trace(1); }'
status 0
err ''
finish
