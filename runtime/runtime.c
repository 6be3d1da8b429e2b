/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * All routines that run in probe context, as one object: the build embeds it,
 * src/codegen/link.c links it.
 */
#include "arith.c"
#include "words.c"
#include "str.c"
#include "text.c"
#include "json.c"
#include "net.c"
#include "pids.c"
#include "proc.c"
#include "destroy.c"
#include "own.c"
#include "scratch.c"
#include "key.c"
#include "agg.c"
#include "dvar.c"
#include "ring.c"
#include "ustack.c"
#include "unwind.c"
#include "spec.c"
#include "wake.c"

#ifdef TEST_NEGATIVE
/* Stays about ns nanoseconds inside a record. See codegen/emit_rec.c. */
ROUTINE u64 rt_test_spin(u64 ns)
{
	u64 end = bpf_ktime_get_ns() + ns;

	for (int i = 0; i < 400 && bpf_ktime_get_ns() < end; i++)
		;
	return 0;
}
#endif
