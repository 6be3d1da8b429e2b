/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The cleaner of speculations. States and protocol are in abi/abi.h: COMMITTINGMANY and DISCARDING
 * are left by the cleaner alone, and in them no program reserves anything, so what is found with
 * nobody inside is complete and stays as it is.
 *
 * It runs in the consumer's thread and looks at the mapped words; only a part with committed records
 * costs a system call, the run of a program on the part's CPU.
 */
#include "buffer/impl.h"

static uint64_t *state_word(struct buffers *b, uint32_t i)
{
	return (uint64_t *)b->specst.mem + i;
}

static uint64_t *part_word(struct buffers *b, uint32_t slot, uint32_t i)
{
	struct abi_spec_part *parts = (void *)((char *)b->specst.mem + b->conf.spec_parts);

	return &parts[(size_t)slot * b->conf.nspec + i].word;
}

void buffers_set_mover(struct buffers *b, buffers_mover *move, void *arg)
{
	b->move = move;
	b->move_arg = arg;
}

bool buffers_have_specs(const struct buffers *b)
{
	return b->specst.mem != NULL;
}

/* Counts the records of a part for their EPIDs. */
static void part_account(struct buffers *b, uint32_t slot, uint32_t i, uint32_t len,
			 enum abi_acct_cause cause)
{
	const char *p = b->specs.mem;
	struct abi_acct *acct = b->acct.mem;
	uint32_t pos = 0;

	if (!p || !acct)
		return;
	p += (size_t)b->conf.specsize * ((size_t)slot * b->conf.nspec + i);
	acct += (size_t)slot * b->conf.acct_epids;
	while (pos + sizeof(struct abi_rec) <= len) {
		const struct abi_rec *r = (const struct abi_rec *)(p + pos);

		if (r->size < b->header || r->size > len - pos)
			break;
		if (r->epid != ABI_EPID_NONE && r->epid < b->conf.acct_epids)
			__atomic_fetch_add(&acct[r->epid].n[cause], 1, __ATOMIC_RELAXED);
		pos += r->size;
	}
}

/* true: nothing is left of the part. */
static bool part_clean(struct buffers *b, uint32_t slot, uint32_t i, bool discard)
{
	uint64_t *part = part_word(b, slot, i), w = __atomic_load_n(part, __ATOMIC_ACQUIRE);

	if (w >> 32)
		return false;
	if (!w)
		return true;
	if (discard)
		part_account(b, slot, i, w, ABI_ACCT_DISCARDED);
	else if (b->slots[slot].buf.full)
		part_account(b, slot, i, w, ABI_ACCT_SPECLOST);
	else if (!b->move || !b->move(b->move_arg, b->slots[slot].cpu, i, w))
		return false;
	__atomic_sub_fetch(part, w, __ATOMIC_SEQ_CST);
	return true;
}

void buffers_specs_clean(struct buffers *b)
{
	uint32_t i, slot;

	for (i = 0; i < b->conf.nspec; i++) {
		uint64_t *state = state_word(b, i), w = __atomic_load_n(state, __ATOMIC_SEQ_CST);
		bool discard = ABI_SPEC_STATE(w) == ABI_SPEC_DISCARDING, done = true;

		if (!discard && ABI_SPEC_STATE(w) != ABI_SPEC_COMMITTINGMANY)
			continue;
		for (slot = 0; slot < b->conf.nslots; slot++)
			done &= part_clean(b, slot, i, discard);
		if (done)
			__atomic_store_n(state, ABI_SPEC_INACTIVE, __ATOMIC_SEQ_CST);
	}
}

void buffers_specs_end(struct buffers *b)
{
	uint32_t i, slot;

	for (i = 0; i < b->conf.nspec; i++)
		for (slot = 0; slot < b->conf.nslots; slot++) {
			uint64_t *part = part_word(b, slot, i);

			part_account(b, slot, i, (uint32_t)*part, ABI_ACCT_SPECLEFT);
			*part = 0;
		}
}
