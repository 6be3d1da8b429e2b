/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * All routines that run in probe context, as one object: the build embeds it,
 * src/codegen/link.c links it.
 */
#include "arith.c"
#include "words.c"
#include "str.c"
#include "copyin.c"
#include "key.c"
#include "agg.c"
#include "dvar.c"
