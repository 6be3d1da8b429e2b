#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: every tag of doc/errors.md is raised by the sources and has a test, or is neither and has a reason
cd "$TMPDIR" || exit 1
status=0
page=$SRC/doc/errors.md

tags() { grep -Eo '\bD_[A-Z_]+' | sort -u; }

# The second column of the second list names what is raised instead.
sed -n '/^## Raised/,/^## Not raised/p' "$page" | tags >raised
sed -n '/^## Not raised/,$s/^| \([^|]*\)|.*/\1/p' "$page" | tags >not_raised
find "$SRC/src" -name '*.[chly]' -exec grep -Eho '"D_[A-Z_]+"' {} + | tags >sources
{
	find "$SRC/test" -name 'err.*.d' | sed 's|.*/err\.\([A-Z_]*\)\..*|\1|'
	find "$SRC/test" \( -name '*.sh' -o -name '*.c' \) ! -name tst.error-tags.sh -exec cat {} +
} | tags >tested

none() { # what the list on stdin is
	while read -r tag; do
		echo "$1: $tag"
		status=1
	done
}
comm -13 raised sources >missing
none 'raised, and not in the first list' <missing
comm -23 raised sources >missing
none 'in the first list, and never raised' <missing
comm -23 raised tested >missing
none 'without a test' <missing
comm -12 raised not_raised >missing
none 'in both lists' <missing
[ "$(wc -l <raised)" -gt 150 ] && [ "$(wc -l <not_raised)" -gt 30 ] || { echo "the lists are not read"; status=1; }
exit $status
