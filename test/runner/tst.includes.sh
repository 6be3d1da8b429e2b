#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: tools/check-includes finds each include that goes up, and no other
set -eu

mkdir -p "$TMPDIR/src/lib" "$TMPDIR/src/lang" "$TMPDIR/src/base" "$TMPDIR/cmd" "$TMPDIR/runtime"
cd "$TMPDIR"
: >src/base/vec.h
cat >src/lib/open.c <<'END'
#include <dtrace.h>
#include <stdio.h>
#include "lang/tree.h"
#include "cmd/x.h"
END
cat >src/lang/tree.c <<'END'
#include "lang/tree.h"
#include "base/vec.h"
  #  include "codegen/ir.h"
#include <lib/open.h>
END
cat >src/base/vec.c <<'END'
#include "vec.h"
#include "other.h"
#include "../lang/tree.h"
END
printf '#include <dtrace.h>\n#include "base/vec.h"\n' >cmd/main.c
printf '#include <linux/bpf.h>\n#include "abi/abi.h"\n#include "base/vec.h"\n' >runtime/runtime.c

cat >want <<'END'
src/base/vec.c:2
src/base/vec.c:3
src/lang/tree.c:3
src/lang/tree.c:4
src/lib/open.c:4
cmd/main.c:2
runtime/runtime.c:3
END
rc=0
"$SRC/tools/check-includes" "$TMPDIR" >got || rc=$?
cut -d: -f1,2 got | diff want - && [ $rc = 1 ]
