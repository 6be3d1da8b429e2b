#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: fds[] names the open files of the process; a descriptor that is not open has none
# @@needs: btf
. "$SRC/test/lib/one-cpu.sh"
printf '0123456789' >"$TMPDIR/file"
"$DTRACE" -xerrtags -q -o "$TMPDIR/out" -c "/bin/cat $TMPDIR/file" -n '
syscall::read:entry
/pid == $target && fds[arg0].fi_name == "file"/
{
	printf("%s %d %d\n", fds[arg0].fi_name, fds[arg0].fi_offset, fds[arg0].fi_oflags & O_ACCMODE);
}
syscall::exit_group:entry
/pid == $target/
{
	printf("%s %d %s %s\n", fds[77].fi_name, fds[77].fi_offset, fds[-1].fi_name, fds[1 << 20].fi_fs);
}' >/dev/null
want='file 0 0
file 10 0
<none> 0 <none> <none>'
[ "$(cat "$TMPDIR/out")" = "$want" ] || { cat "$TMPDIR/out"; exit 1; }
