/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Subroutines. Most are a call of a routine of the runtime and nothing else: one row of `subrs` says
 * which and how its arguments are made. A row with a function of its own is for the others.
 */
#include <stddef.h>
#include <net/if_arp.h>
#include <string.h>
#include <sys/socket.h>

#include "codegen/cg_impl.h"

/*
 * args, one letter for each argument of the routine behind the frame:
 *   d  where the result goes: the subroutine gives a string
 *   s  a string; NULL is a fault
 *   i  a number; `missing` if it was left out
 *   b  a base, 10 if it was left out: out of 2..36 is an illegal operation
 *   k  the constant k
 *   a  an address: the routine gives 1 if it cannot be read
 * Without a d the routine's result is that of the subroutine.
 */
struct subr {
	const char *routine, *args;
	int64_t missing, k;
	vreg (*value)(struct cg *cg, const struct node *n);
	void (*string)(struct cg *cg, const struct node *n, struct sval *sv);
};

/* ---- arguments ---- */

/* Do arguments from i on change variables? */
static bool effects_from(const struct node *n, size_t i)
{
	for (; call_arg(n, i); i++)
		if (expr_has_effects(call_arg(n, i)))
			return true;
	return false;
}

/* Argument i as a string in the frame that stays as it is until the call. */
uint32_t string_arg(struct cg *cg, const struct node *n, size_t i)
{
	struct ir *ir = cg->ir;
	label some = ir_label(ir);
	struct sval sv;

	expr_string(cg, call_arg(n, i), &sv);
	uint32_t at = sval_frame(cg, &sv);
	if (sv.kind == SVAL_FRAME && sv.is_var && effects_from(n, i + 1)) {
		at = frame_temp_string(cg);
		sval_to(cg, &sv, at);
	}
	if (sv.kind != SVAL_CONST && sv.kind != SVAL_TABLE) {
		ir_jcci(ir, IR_NE, frame_load(cg, 8, at), -1, some);
		fault_throw(cg, ABI_FAULT_BADADDR, VREG_NONE);
		ir_place(ir, some);
	}
	return at;
}

static vreg base_arg(struct cg *cg, const struct node *n)
{
	struct ir *ir = cg->ir;
	label low = ir_label(ir), ok = ir_label(ir);

	if (!n)
		return ir_imm(ir, 10);
	vreg base = expr_value(cg, n);
	ir_jcci(ir, IR_ULT, base, 2, low);
	ir_jcci(ir, IR_ULE, base, 36, ok);
	ir_place(ir, low);
	fault_throw(cg, ABI_FAULT_ILLOP, VREG_NONE);
	ir_place(ir, ok);
	return base;
}

/* Calls the routine of a row; dst is where its string goes. */
static vreg routine_call(struct cg *cg, const struct subr *s, const struct node *n, uint32_t dst)
{
	struct ir *ir = cg->ir;
	vreg v[IR_MAXARGS] = { 0 }, addr = VREG_NONE, result;
	uint32_t at[IR_MAXARGS] = { 0 };
	size_t argc = strlen(s->args), i, a = 0;

	for (i = 0; i < argc; i++) {
		switch (s->args[i]) {
		case 's': at[i] = string_arg(cg, n, a++); break;
		case 'b': v[i] = base_arg(cg, call_arg(n, a++)); break;
		case 'i':
			v[i] = call_arg(n, a) ? expr_value(cg, call_arg(n, a)) : ir_imm(ir, s->missing);
			a++;
			break;
		case 'a': v[i] = addr = expr_value(cg, call_arg(n, a++)); break;
		case 'k': v[i] = ir_imm(ir, s->k); break;
		default: at[i] = dst;
		}
	}
	for (i = 0; i < argc; i++)
		if (at[i])
			v[i] = ir_imm(ir, at[i]);
	vreg f = frame_index(cg);
	switch (argc) {
	case 2: result = ir_callrt(ir, s->routine, 3, f, v[0], v[1]); break;
	case 3: result = ir_callrt(ir, s->routine, 4, f, v[0], v[1], v[2]); break;
	default: result = ir_callrt(ir, s->routine, 5, f, v[0], v[1], v[2], v[3]);
	}
	if (addr != VREG_NONE)
		fault_if_nonzero(cg, result, ABI_FAULT_BADADDR, addr);
	return result;
}

/* ---- strings ---- */

static void strjoin_string(struct cg *cg, const struct node *n, struct sval *sv)
{
	struct ir *ir = cg->ir;
	uint32_t dst = frame_temp_string(cg);
	uint32_t a = string_arg(cg, n, 0), b = string_arg(cg, n, 1);

	ir_callrt(ir, "rt_str_join", 4, frame_index(cg), ir_imm(ir, dst), ir_imm(ir, a),
		  ir_imm(ir, b));
	*sv = (struct sval){ .kind = SVAL_FRAME, .off = dst };
}

static vreg strlen_value(struct cg *cg, const struct node *n)
{
	return frame_load(cg, 8, string_arg(cg, n, 0));
}

/* A NULL that is written down goes on with the text of the last call; one that comes out is a fault. */
static void strtok_string(struct cg *cg, const struct node *n, struct sval *sv)
{
	struct ir *ir = cg->ir;
	uint32_t dst = frame_temp_string(cg), text = 0;

	cg->cur.cl->uses_strtok = true;
	if (call_arg(n, 0)->kind != NODE_INT)
		text = string_arg(cg, n, 0);
	uint32_t delims = string_arg(cg, n, 1);
	vreg bad = ir_callrt(ir, "rt_str_tok", 5, frame_index(cg), ir_imm(ir, dst),
			     ir_imm(ir, frame_strtok(cg)), ir_imm(ir, text), ir_imm(ir, delims));
	fault_if_nonzero(cg, bad, ABI_FAULT_BADADDR, VREG_NONE);
	*sv = (struct sval){ .kind = SVAL_FRAME, .off = dst };
}

/* ---- addresses of networks ---- */

/* Two kinds of address, by a number: the routine of each, and an argument of it (net.c). */
struct kinds {
	struct {
		int number;
		const char *routine;
		int64_t k;
	} v[2];
};

static void kinds_string(struct cg *cg, const struct node *n, const struct kinds *k,
			 struct sval *sv)
{
	struct ir *ir = cg->ir;
	uint32_t dst = frame_temp_string(cg);
	label other = ir_label(ir), bad = ir_label(ir), done = ir_label(ir);
	vreg kind = expr_value(cg, call_arg(n, 0)), addr = expr_value(cg, call_arg(n, 1));
	vreg result = ir_vreg(ir);

	ir_jcci(ir, IR_NE, kind, k->v[0].number, other);
	ir_mov_to(ir, result,
		  ir_callrt(ir, k->v[0].routine, 4, frame_index(cg), ir_imm(ir, dst), addr,
			    ir_imm(ir, k->v[0].k)));
	ir_jmp(ir, done);
	ir_place(ir, other);
	ir_jcci(ir, IR_NE, kind, k->v[1].number, bad);
	ir_mov_to(ir, result,
		  ir_callrt(ir, k->v[1].routine, 4, frame_index(cg), ir_imm(ir, dst), addr,
			    ir_imm(ir, k->v[1].k)));
	ir_jmp(ir, done);
	ir_place(ir, bad);
	fault_throw(cg, ABI_FAULT_ILLOP, VREG_NONE);
	ir_place(ir, done);
	fault_if_nonzero(cg, result, ABI_FAULT_BADADDR, addr);
	*sv = (struct sval){ .kind = SVAL_FRAME, .off = dst };
}

static void inet_ntop_string(struct cg *cg, const struct node *n, struct sval *sv)
{
	static const struct kinds kinds = { { { AF_INET, "rt_inet4", 0 },
					      { AF_INET6, "rt_inet6", 1 } } };

	kinds_string(cg, n, &kinds, sv);
}

static void link_ntop_string(struct cg *cg, const struct node *n, struct sval *sv)
{
	static const struct kinds kinds = { { { ARPHRD_ETHER, "rt_link", 6 },
					      { ARPHRD_INFINIBAND, "rt_link", 20 } } };

	kinds_string(cg, n, &kinds, sv);
}

/* ---- numbers ---- */

/* Network order is big-endian. */
static vreg network_value(struct cg *cg, const struct node *n)
{
	vreg v = expr_value(cg, call_arg(n, 0));
	int size;
	bool is_signed;

	type_width(n->type, &size, &is_signed);
	if (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
		ir_bswap(cg->ir, v, size);
	return v;
}

#define MINOR_BITS 20
#define MAJOR_BITS 12

static vreg getmajor_value(struct cg *cg, const struct node *n)
{
	vreg v = expr_value(cg, call_arg(n, 0));

	ir_alui(cg->ir, IR_SHR, v, MINOR_BITS);
	ir_alui(cg->ir, IR_AND, v, (1 << MAJOR_BITS) - 1);
	return v;
}

static vreg getminor_value(struct cg *cg, const struct node *n)
{
	vreg v = expr_value(cg, call_arg(n, 0));

	ir_alui(cg->ir, IR_AND, v, (1 << MINOR_BITS) - 1);
	return v;
}

static vreg rand_value(struct cg *cg, const struct node *n)
{
	vreg v = ir_call(cg->ir, BPF_FUNC_get_prandom_u32, 0);

	(void)n;
	ir_ext(cg->ir, v, 4, true);
	return v;
}

/* ---- the table ---- */

static const struct subr subrs[FN_MAX] = {
	[FN_alloca] = { .value = alloca_value },
	[FN_basename] = { .routine = "rt_str_basename", .args = "ds" },
	[FN_bcopy] = { .value = bcopy_value },
	[FN_cleanpath] = { .routine = "rt_str_cleanpath", .args = "ds" },
	[FN_copyin] = { .value = copyin_value },
	[FN_copyinstr] = { .string = copyinstr_string },
	[FN_copyinto] = { .value = copyinto_value },
	[FN_copyout] = { .value = copyout_value },
	[FN_copyoutstr] = { .value = copyoutstr_value },
	[FN_d_path] = { .string = d_path_string },
	[FN_dirname] = { .routine = "rt_str_dirname", .args = "ds" },
	[FN_getmajor] = { .value = getmajor_value },
	[FN_getminor] = { .value = getminor_value },
	[FN_htonl] = { .value = network_value },
	[FN_htonll] = { .value = network_value },
	[FN_htons] = { .value = network_value },
	[FN_index] = { .routine = "rt_str_index", .args = "ssik", .missing = 0, .k = 0 },
	[FN_inet_ntoa] = { .routine = "rt_inet4", .args = "dak" },
	[FN_inet_ntoa6] = { .routine = "rt_inet6", .args = "dai", .missing = 0 },
	[FN_inet_ntop] = { .string = inet_ntop_string },
	[FN_json] = { .routine = "rt_json", .args = "dss" },
	[FN_link_ntop] = { .string = link_ntop_string },
	[FN_lltostr] = { .routine = "rt_str_number", .args = "dib" },
	[FN_mutex_owned] = { .value = mutex_owned_value },
	[FN_mutex_owner] = { .value = mutex_owner_value },
	[FN_mutex_type_adaptive] = { .value = mutex_type_adaptive_value },
	[FN_mutex_type_spin] = { .value = mutex_type_spin_value },
	[FN_ntohl] = { .value = network_value },
	[FN_ntohll] = { .value = network_value },
	[FN_ntohs] = { .value = network_value },
	[FN_progenyof] = { .value = progenyof_value },
	[FN_rand] = { .value = rand_value },
	[FN_rindex] = { .routine = "rt_str_index", .args = "ssik", .missing = INT32_MAX, .k = 1 },
	[FN_rw_iswriter] = { .value = rw_iswriter_value },
	[FN_rw_read_held] = { .value = rw_read_held_value },
	[FN_rw_write_held] = { .value = rw_write_held_value },
	[FN_speculation] = { .value = speculation_value },
	[FN_strchr] = { .routine = "rt_str_chr", .args = "dsik", .k = 0 },
	[FN_strjoin] = { .string = strjoin_string },
	[FN_strlen] = { .value = strlen_value },
	[FN_strrchr] = { .routine = "rt_str_chr", .args = "dsik", .k = 1 },
	[FN_strstr] = { .routine = "rt_str_str", .args = "dss" },
	[FN_strtok] = { .string = strtok_string },
	[FN_strtoll] = { .routine = "rt_str_toll", .args = "sb" },
	[FN_substr] = { .routine = "rt_str_substr", .args = "dsii", .missing = INT32_MAX },
	[FN_tolower] = { .routine = "rt_str_case", .args = "dsk", .k = 0 },
	[FN_toupper] = { .routine = "rt_str_case", .args = "dsk", .k = 1 },
};

static const struct subr *subr_of(const struct node *n)
{
	static const struct subr none;

	return n->u.call.func ? &subrs[n->u.call.func->id] : &none;
}

static void not_built(struct cg *cg, const struct node *n)
{
	cg_error(cg, n->loc, "%s( ) is not implemented (yet)", n->u.call.name);
}

vreg call_value(struct cg *cg, const struct node *n)
{
	const struct subr *s = subr_of(n);

	if (s->value)
		return s->value(cg, n);
	if (s->routine)
		return routine_call(cg, s, n, 0);
	not_built(cg, n);
	return ir_imm(cg->ir, 0);
}

void call_string(struct cg *cg, const struct node *n, struct sval *sv)
{
	const struct subr *s = subr_of(n);

	*sv = (struct sval){ .kind = SVAL_NULL };
	if (s->string) {
		s->string(cg, n, sv);
	} else if (s->routine) {
		*sv = (struct sval){ .kind = SVAL_FRAME, .off = frame_temp_string(cg) };
		routine_call(cg, s, n, sv->off);
	} else {
		not_built(cg, n);
	}
}
