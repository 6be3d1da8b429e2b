#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: -x accounting: every firing is in one column, under every policy, and as many fired as the load made
# @@timeout: 120
. "$SRC/test/lib/check.sh"
. "$SRC/test/lib/accounting.sh"
for policy in switch fill ring; do
	accounts $policy 20000 no
	accounts $policy 20000 yes
done
finish
