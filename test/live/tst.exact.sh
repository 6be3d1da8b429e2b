#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: every firing is recorded or counted as dropped, per CPU, while buffers are switched every millisecond
# @@timeout: 300
. "$SRC/test/lib/exact.sh"
exact "${RUNS:-5}" "${CALLS:-200000}"
