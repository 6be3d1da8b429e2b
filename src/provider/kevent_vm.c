/* SPDX-License-Identifier: BSD-2-Clause */
/* Conditions and arguments of events of the virtual memory (provider/kevent.h). */
#include "provider/kevent.h"
#include "sym/ksymaddr.h"

/* Operations of what is queued for a device, likewise. */
static void bio_op(struct cg *cg, vreg ctx, int op, label out)
{
	vreg v = tracepoint_member(cg, raw0(cg, ctx), "bio", "bi_opf", 4);

	ir_alui(cg_ir(cg), IR_AND, v, 0xff);
	ir_jcci(cg_ir(cg), IR_NE, v, op, out);
}

void vm_bio_read(struct cg *cg, vreg ctx, const struct kevent *k, label out)
{
	(void)k;
	bio_op(cg, ctx, 0, out);
}

void vm_bio_write(struct cg *cg, vreg ctx, const struct kevent *k, label out)
{
	(void)k;
	bio_op(cg, ctx, 1, out);
}

/*
 * The pages of a bio that ends in this function: those for swap have functions of their own. Not seen that way: swap on
 * devices that are waited for at once (zram), on NFS, and in zswap.
 */
static void bio_of(struct cg *cg, vreg ctx, const char *end, label out)
{
	uint64_t addr;

	if (ksym_address("vmlinux", end, &addr, NULL)) {
		ir_jmp(cg_ir(cg), out);
		return;
	}
	ir_jcc(cg_ir(cg), IR_NE, tracepoint_member(cg, raw0(cg, ctx), "bio", "bi_end_io", 8),
	       ir_imm(cg_ir(cg), (int64_t)addr), out);
}

void vm_swaps_in(struct cg *cg, vreg ctx, const struct kevent *k, label out)
{
	(void)k;
	bio_of(cg, ctx, "end_swap_bio_read", out);
}

void vm_swaps_out(struct cg *cg, vreg ctx, const struct kevent *k, label out)
{
	(void)k;
	bio_of(cg, ctx, "end_swap_bio_write", out);
}

bool vm_have_swap(void)
{
	return kern_btf_find_id(BTF_KIND_FUNC, "end_swap_bio_read") > 0 &&
	       kern_btf_find_id(BTF_KIND_FUNC, "end_swap_bio_write") > 0;
}

vreg vm_bio_pages(struct cg *cg, vreg ctx)
{
	vreg v = tracepoint_member(cg, raw0(cg, ctx), "bio", "bi_iter.bi_size", 4);

	ir_alui(cg_ir(cg), IR_ADD, v, 4095);
	ir_alui(cg_ir(cg), IR_SHR, v, 12);
	return v;
}

/* page_fault_user(address, regs, error code); bit 0 of the code: protection, bit 1: a write. */
static void fault_code(struct cg *cg, vreg ctx, int bits, label out)
{
	vreg code = raw2(cg, ctx);

	ir_alui(cg_ir(cg), IR_AND, code, bits);
	ir_jcci(cg_ir(cg), IR_NE, code, bits, out);
}

void vm_fault_protection(struct cg *cg, vreg ctx, const struct kevent *k, label out)
{
	(void)k;
	fault_code(cg, ctx, 1, out);
}

void vm_fault_cow(struct cg *cg, vreg ctx, const struct kevent *k, label out)
{
	(void)k;
	fault_code(cg, ctx, 3, out);
}

/* Of gfp_t. */
enum { GFP_HIGHMEM = 0x02, GFP_MOVABLE = 0x08, GFP_ZERO = 0x100 };

/*
 * mm_page_alloc(page, order, flags, kind). Zeroed memory that may lie anywhere and be moved is for programs. Large pages are
 * not asked for in that way: the kernel zeroes them later.
 */
void vm_zeroed(struct cg *cg, vreg ctx, const struct kevent *k, label out)
{
	struct ir *ir = cg_ir(cg);
	vreg flags = raw2(cg, ctx);

	(void)k;
	ir_jcci(ir, IR_EQ, raw0(cg, ctx), 0, out);
	ir_alui(ir, IR_AND, flags, GFP_HIGHMEM | GFP_MOVABLE | GFP_ZERO);
	ir_jcci(ir, IR_NE, flags, GFP_HIGHMEM | GFP_MOVABLE | GFP_ZERO, out);
}

vreg vm_pages_of_order(struct cg *cg, vreg ctx)
{
	struct ir *ir = cg_ir(cg);
	vreg order = raw1(cg, ctx), pages = ir_imm(ir, 1);

	ir_alui(ir, IR_AND, order, 0x1f);
	ir_alu(ir, IR_SHL, pages, order);
	return pages;
}
