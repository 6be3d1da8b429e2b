#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: doc/examples about the memory of a program: what malloc() is asked for, and by whom
# needs: root bpf uprobe
. "$SRC/test/lib/examples.sh"

example malloc -c "$PROGS/hot 1"
is 'large ones' "$(rows '$1 == 65536 { print $NF }')" 5
is 'bytes of the caller' "$(rows '$1 == "hot`hoard" { print $2 }')" 500000
finish
