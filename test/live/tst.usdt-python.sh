#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: the probes of Debian's python3: collections of garbage by generation, modules imported
# @@needs: uprobe cmd:/usr/bin/python3
python=$(readlink -f /usr/bin/python3)
readelf -n "$python" 2>/dev/null | grep -q 'Provider: python' || { echo "$python was built without static probes"; exit 77; }
cat >"$TMPDIR/work.py" <<'END'
import gc
gc.disable()
import colorsys
for generation in (0, 1, 1, 2, 2, 2):
    gc.collect(generation)
END
"$DTRACE" -qn 'python$target:::import-find-load-start /copyinstr(arg0) == "colorsys"/ { on = 1; }
	python$target:::gc-start /on/ { self->g = arg0; } python$target:::gc-done /on/ { @gen[self->g] = count(); self->g = 0; }
	python$target:::import-find-load-start { @imp[copyinstr(arg0)] = count(); }
	END { printa("gen %d %@d\n", @gen); printa("import %s\n", @imp); }' -c "$python $TMPDIR/work.py" >"$TMPDIR/out" 2>&1 ||
	{ echo "status $?"; cat "$TMPDIR/out"; exit 1; }
for want in "gen 0 1" "gen 1 2" "import colorsys"; do
	grep -qx "$want" "$TMPDIR/out" || { echo "no line: $want"; cat "$TMPDIR/out"; exit 1; }
done
