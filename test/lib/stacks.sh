# SPDX-License-Identifier: BSD-2-Clause
# For shell tests of stacks: they work in $TMPDIR, keep what dtrace printed in the files out and err, and end with the
# first fault:
#	fail TEXT
set -u
cd "$TMPDIR" || exit 1

fail()
{
	echo "FAIL: $1"
	cat out err
	exit 1
}
