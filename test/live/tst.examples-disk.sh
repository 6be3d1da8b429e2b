#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: doc/examples about disks: requests, their sizes
# needs: root bpf
. "$SRC/test/lib/examples.sh"
named loaddd dd

# The disk of the tree: the temporary folder may be in memory.
dev=$(stat -c %Hd:%Ld "$SRC" 2>/dev/null)
file=$SRC/build-disk-test.$$
trap 'rm -f "$file"' EXIT
if [ ! -e "/sys/dev/block/$dev" ] || ! dd if=/dev/zero of="$file" bs=64k count=1 oflag=direct 2>/dev/null; then
	echo "skip: no disk below $SRC that is written to directly"
	exit 77
fi
WRITE="$TMPDIR/loaddd if=/dev/zero of=$file bs=64k count=16 oflag=direct status=none"

# Any thread that comes to the disk may issue what others have queued: then it bears that one's name.
example iosnoop -c "$WRITE"
is 'requests' "$(rows '$2 == "W" && $4 == 65536' | wc -l)" -ge 16
is 'requests by name' "$(rows '$2 == "W" && $4 == 65536 && $NF == "loaddd"' | wc -l)" -ge 1
example bitesize -c "$WRITE"
is 'requests of 64k' "$(rows '$1 == 65536 && /\|/ { n += $NF } END { print n }')" -ge 16
is 'requests of 64k by name' "$(dist loaddd | sed -n 's/^65536 //p')" -ge 1
finish
