/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Links a program with the runtime routines that it calls.
 *
 * The embedded object has all routines in .text. Those that are reached, directly or by way of
 * others, are copied behind the program, each once. The object names maps as undefined symbols
 * ("conf", "frames"): these become map references here. Nothing is parsed when a program calls
 * no routine.
 */
#include "codegen/bpf_impl.h"
#include "codegen/runtime_blob.h"

#include <errno.h>
#include <gelf.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/btf.h>

/* Relocation types of BPF objects; <elf.h> of older systems does not have them. */
#define REL_BPF_64_64 1
#define REL_BPF_64_32 10

struct routine {
	const char *name;
	unsigned int from, n; /* instructions in .text */
	int to;		      /* where it stands in the program, -1: not yet */
	bool global;
};

struct object {
	Elf *elf;
	const struct bpf_insn *text;
	size_t ntext, text_shndx;
	Elf_Data *symtab, *rel, *btf;
	size_t strndx;
	size_t nsyms, nrels;
	struct routine *routines;
	size_t nroutines;
};

struct reference { /* from the program to a routine */
	unsigned int insn;
	size_t routine;
};

struct linker {
	struct bpf_out *out;
	const int *map_fd;
	struct object obj;
	VEC(struct reference) refs;
};

/* ---- the object ---- */

static int section_read(struct object *o, Elf_Scn *scn, size_t shstrndx)
{
	GElf_Shdr sh;
	const char *name;

	if (!gelf_getshdr(scn, &sh))
		return -1;
	name = elf_strptr(o->elf, shstrndx, sh.sh_name);
	if (!name)
		return -1;
	if (!strcmp(name, ".text")) {
		Elf_Data *d = elf_rawdata(scn, NULL);

		if (!d)
			return -1;
		o->text = d->d_buf;
		o->ntext = d->d_size / sizeof(*o->text);
		o->text_shndx = elf_ndxscn(scn);
	} else if (sh.sh_type == SHT_SYMTAB) {
		o->symtab = elf_getdata(scn, NULL);
		o->strndx = sh.sh_link;
		o->nsyms = sh.sh_entsize ? sh.sh_size / sh.sh_entsize : 0;
	} else if (!strcmp(name, ".rel.text")) {
		o->rel = elf_getdata(scn, NULL);
		o->nrels = sh.sh_entsize ? sh.sh_size / sh.sh_entsize : 0;
	} else if (!strcmp(name, ".BTF")) {
		o->btf = elf_rawdata(scn, NULL);
	}
	return 0;
}

static int by_place(const void *a, const void *b)
{
	const struct routine *x = a, *y = b;

	return x->from < y->from ? -1 : x->from > y->from;
}

static void routines_read(struct object *o, struct arena *arena)
{
	size_t i;

	o->routines = arena_alloc(arena, (o->nsyms + 1) * sizeof(*o->routines));
	for (i = 0; i < o->nsyms; i++) {
		struct routine *r = &o->routines[o->nroutines];
		GElf_Sym s;

		if (!gelf_getsym(o->symtab, i, &s) || GELF_ST_TYPE(s.st_info) != STT_FUNC ||
		    s.st_shndx != o->text_shndx)
			continue;
		r->name = elf_strptr(o->elf, o->strndx, s.st_name);
		r->from = s.st_value / sizeof(struct bpf_insn);
		r->n = s.st_size / sizeof(struct bpf_insn);
		r->to = -1;
		r->global = GELF_ST_BIND(s.st_info) != STB_LOCAL;
		if (r->from + r->n <= o->ntext)
			o->nroutines++;
	}
	qsort(o->routines, o->nroutines, sizeof(*o->routines), by_place);
}

static int object_open(struct object *o, struct arena *arena)
{
	Elf_Scn *scn = NULL;
	size_t shstrndx;

	elf_version(EV_CURRENT);
	o->elf = elf_memory((char *)runtime_object, runtime_object_size);
	if (!o->elf || elf_getshdrstrndx(o->elf, &shstrndx))
		return -1;
	while ((scn = elf_nextscn(o->elf, scn)) != NULL)
		if (section_read(o, scn, shstrndx))
			return -1;
	if (!o->text || !o->symtab || !o->btf)
		return -1;
	routines_read(o, arena);
	return 0;
}

static struct routine *routine_named(struct object *o, const char *name)
{
	size_t i;

	for (i = 0; i < o->nroutines; i++)
		if (o->routines[i].global && !strcmp(o->routines[i].name, name))
			return &o->routines[i];
	return NULL;
}

static struct routine *routine_at(struct object *o, unsigned int insn)
{
	struct routine key = { .from = insn };

	return bsearch(&key, o->routines, o->nroutines, sizeof(key), by_place);
}

/*
 * Number of arguments, from the object's BTF: types are passed over one by one, as only names
 * matter.
 */
static size_t btf_extra_size(const struct btf_type *t)
{
	switch (btf_kind(t)) {
	case BTF_KIND_INT:
	case BTF_KIND_VAR:
	case BTF_KIND_DECL_TAG: return sizeof(__u32);
	case BTF_KIND_ARRAY: return sizeof(struct btf_array);
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION: return btf_vlen(t) * sizeof(struct btf_member);
	case BTF_KIND_ENUM: return btf_vlen(t) * sizeof(struct btf_enum);
	case BTF_KIND_ENUM64: return btf_vlen(t) * sizeof(struct btf_enum64);
	case BTF_KIND_FUNC_PROTO: return btf_vlen(t) * sizeof(struct btf_param);
	case BTF_KIND_DATASEC: return btf_vlen(t) * sizeof(struct btf_var_secinfo);
	default: return 0;
	}
}

/* The id-th type, or that of the function `name` when id is 0. */
static const struct btf_type *btf_find(const struct object *o, unsigned int id, const char *name)
{
	const struct btf_header *h = o->btf->d_buf;
	const char *types = (const char *)h + h->hdr_len + h->type_off;
	const char *strs = (const char *)h + h->hdr_len + h->str_off;
	const char *p = types;
	unsigned int i;

	for (i = 1; p < types + h->type_len; i++) {
		const struct btf_type *t = (const struct btf_type *)p;

		if (id ? i == id : btf_is_func(t) && !strcmp(strs + t->name_off, name))
			return t;
		p += sizeof(*t) + btf_extra_size(t);
	}
	return NULL;
}

static int routine_nargs(const struct object *o, const struct routine *r)
{
	const struct btf_type *t = btf_find(o, 0, r->name);

	if (!r->global)
		return -1;
	if (t)
		t = btf_find(o, t->type, NULL);
	return t && btf_is_func_proto(t) ? btf_vlen(t) : IR_MAXARGS;
}

/* ---- maps ---- */

/* Maps with one element are addressed directly. */
static bool map_is_value(enum cg_map m)
{
	switch (m) {
	case CG_MAP_CONF:
	case CG_MAP_STATE:
	case CG_MAP_CPUS:
	case CG_MAP_GLOBALS:
	case CG_MAP_SPECST:
	case CG_MAP_STRTAB: return true;
	default: return false;
	}
}

static int map_reference(struct linker *l, struct bpf_insn *insn, const char *symbol)
{
	enum cg_map m;

	for (m = 0; m < CG_MAP_MAX && strcmp(symbol, ir_map_name(m)); m++)
		;
	if (m == CG_MAP_MAX)
		return bpf_error(l->out->ir, -EINVAL, "the runtime refers to %s", symbol);
	if (l->map_fd[m] < 0)
		return bpf_error(l->out->ir, -ENOENT, "map %s does not exist", symbol);
	if (map_is_value(m)) {
		insn[1].imm = insn[0].imm; /* the addend */
		insn[0].src_reg = BPF_PSEUDO_MAP_VALUE;
	} else {
		insn[1].imm = 0;
		insn[0].src_reg = BPF_PSEUDO_MAP_FD;
	}
	insn[0].imm = l->map_fd[m];
	return 0;
}

/* ---- copying ---- */

static void routine_refer(struct linker *l, unsigned int insn, const struct routine *r)
{
	struct reference p = { .insn = insn, .routine = r - l->obj.routines };

	vec_push(&l->refs, p);
}

/* Calls within .text need no relocation when the assembler could resolve them. */
static int local_calls(struct linker *l, const struct routine *r, const bool *relocated)
{
	unsigned int i;

	for (i = 0; i < r->n; i++) {
		struct bpf_insn *insn = &l->out->insns.v[r->to + i];
		struct routine *callee;

		if (insn->code != (BPF_JMP | BPF_CALL) || insn->src_reg != BPF_PSEUDO_CALL ||
		    relocated[i])
			continue;
		callee = routine_at(&l->obj, r->from + i + insn->imm + 1);
		if (!callee)
			return bpf_error(l->out->ir, -EINVAL, "bad call in %s", r->name);
		routine_refer(l, r->to + i, callee);
	}
	return 0;
}

/* A reference to code: a function's symbol, or the section and a place in it. */
static int code_reference(struct linker *l, unsigned int at, const GElf_Sym *s, bool is_call)
{
	struct bpf_insn *insn = &l->out->insns.v[at];
	unsigned int to = s->st_value / sizeof(*insn);
	struct routine *callee;

	if (GELF_ST_TYPE(s->st_info) == STT_SECTION)
		to += is_call ? insn->imm + 1 : insn->imm / (int)sizeof(*insn);
	callee = routine_at(&l->obj, to);
	if (!callee)
		return bpf_error(l->out->ir, -EINVAL, "bad reference in the runtime");
	if (!is_call)
		insn->src_reg = BPF_PSEUDO_FUNC;
	routine_refer(l, at, callee);
	return 0;
}

static int relocate(struct linker *l, const struct routine *r, bool *relocated)
{
	struct object *o = &l->obj;
	size_t i;
	int ret = 0;

	for (i = 0; i < o->nrels && !ret; i++) {
		struct bpf_insn *insn;
		unsigned int at, type;
		GElf_Rel rel;
		GElf_Sym s;

		if (!gelf_getrel(o->rel, i, &rel))
			continue;
		at = rel.r_offset / sizeof(*insn);
		if (at < r->from || at >= r->from + r->n)
			continue;
		if (!gelf_getsym(o->symtab, GELF_R_SYM(rel.r_info), &s))
			return bpf_error(l->out->ir, -EINVAL, "bad symbol in the runtime");
		at -= r->from;
		relocated[at] = true;
		insn = &l->out->insns.v[r->to + at];
		type = GELF_R_TYPE(rel.r_info);
		if (type == REL_BPF_64_32 || s.st_shndx == o->text_shndx)
			ret = code_reference(l, r->to + at, &s, type == REL_BPF_64_32);
		else
			ret = map_reference(l, insn, elf_strptr(o->elf, o->strndx, s.st_name));
	}
	return ret;
}

static int routine_copy(struct linker *l, struct routine *r)
{
	struct bpf_routine done = {
		.name = arena_strdup(l->out->ir->arena, r->name),
		.start = l->out->insns.n,
		.nargs = routine_nargs(&l->obj, r),
	};
	bool *relocated = arena_alloc(l->out->ir->arena, r->n + 1);
	unsigned int i;
	int ret;

	r->to = l->out->insns.n;
	vec_push(&l->out->funcs, done);
	for (i = 0; i < r->n; i++)
		vec_push(&l->out->insns, l->obj.text[r->from + i]);
	ret = relocate(l, r, relocated);
	return ret ? ret : local_calls(l, r, relocated);
}

/* A function of the program itself. */
static bool call_own(struct linker *l, const struct bpf_rtcall *c)
{
	size_t i;

	for (i = 1; i < l->out->funcs.n; i++)
		if (!strcmp(l->out->funcs.v[i].name, c->sym)) {
			l->out->insns.v[c->insn].imm =
				(int)l->out->funcs.v[i].start - (int)c->insn - 1;
			return true;
		}
	return false;
}

static int calls_refer(struct linker *l)
{
	size_t i;

	for (i = 0; i < l->out->calls.n; i++) {
		const struct bpf_rtcall *c = &l->out->calls.v[i];
		struct routine *r;

		if (call_own(l, c))
			continue;
		r = routine_named(&l->obj, c->sym);

		if (!r)
			return bpf_error(l->out->ir, -ENOENT, "no runtime routine %s", c->sym);
		routine_refer(l, c->insn, r);
	}
	return 0;
}

static int link_runtime(struct linker *l)
{
	size_t i;
	int ret;

	if (object_open(&l->obj, l->out->ir->arena))
		return bpf_error(l->out->ir, -EINVAL, "the embedded runtime cannot be read");
	ret = calls_refer(l);
	for (i = 0; i < l->refs.n && !ret; i++) { /* grows while routines are copied */
		struct routine *r = &l->obj.routines[l->refs.v[i].routine];

		if (r->to < 0)
			ret = routine_copy(l, r);
	}
	for (i = 0; i < l->refs.n && !ret; i++) {
		const struct reference *p = &l->refs.v[i];

		l->out->insns.v[p->insn].imm = l->obj.routines[p->routine].to - (int)p->insn - 1;
	}
	return ret;
}

/* ---- stack ---- */

#define KERNEL_STACK 512
#define KERNEL_STACK_ALIGN 32 /* of each function on older kernels */

static unsigned int routine_end(const struct linker *l, size_t i)
{
	return i + 1 < l->out->funcs.n ? l->out->funcs.v[i + 1].start : l->out->insns.n;
}

/*
 * Bytes of stack that a function itself uses: accesses by way of R10, and addresses made from
 * it.
 */
static int own_stack(const struct linker *l, size_t which)
{
	unsigned int i = l->out->funcs.v[which].start, end = routine_end(l, which);
	int used = 0;

	for (; i < end; i++) {
		const struct bpf_insn *in = &l->out->insns.v[i];
		int class = BPF_CLASS(in->code);

		if ((class == BPF_LDX && in->src_reg == BPF_REG_10) ||
		    ((class == BPF_ST || class == BPF_STX) && in->dst_reg == BPF_REG_10))
			used = MAX(used, -in->off);
		if (i + 1 < end && in->code == (BPF_ALU64 | BPF_MOV | BPF_X) &&
		    in->src_reg == BPF_REG_10 && in[1].code == (BPF_ALU64 | BPF_ADD | BPF_K) &&
		    in[1].dst_reg == in->dst_reg)
			used = MAX(used, -in[1].imm);
	}
	return ROUND_UP(MAX(used, 1), KERNEL_STACK_ALIGN);
}

static size_t routine_starting(const struct linker *l, unsigned int insn)
{
	size_t i;

	for (i = 0; i < l->out->funcs.n && l->out->funcs.v[i].start != insn; i++)
		;
	return i;
}

/* The deepest chain of calls, as the kernel adds it up. Routines do not recurse. */
static int stack_depth(const struct linker *l, size_t which, int *memo)
{
	unsigned int i = l->out->funcs.v[which].start, end = routine_end(l, which);
	int below = 0;

	if (memo[which])
		return memo[which];
	memo[which] = KERNEL_STACK; /* should they, it is an error, not a loop */
	for (; i < end; i++) {
		const struct bpf_insn *in = &l->out->insns.v[i];
		size_t callee;

		if (!(in->code == (BPF_JMP | BPF_CALL) && in->src_reg == BPF_PSEUDO_CALL) &&
		    !(in->code == (BPF_LD | BPF_DW | BPF_IMM) && in->src_reg == BPF_PSEUDO_FUNC))
			continue;
		callee = routine_starting(l, i + in->imm + 1);
		if (callee < l->out->funcs.n)
			below = MAX(below, stack_depth(l, callee, memo));
	}
	memo[which] = own_stack(l, which) + below;
	return memo[which];
}

static int stack_check(const struct linker *l)
{
	struct ir *ir = l->out->ir;
	int *memo = arena_alloc(ir->arena, l->out->funcs.n * sizeof(*memo));
	int depth = stack_depth(l, 0, memo);

	if (depth <= KERNEL_STACK)
		return 0;
	return bpf_error(ir, -ENOSPC, "it needs %d bytes of stack, and the kernel gives %d", depth, KERNEL_STACK);
}

int bpf_link(struct bpf_out *out, const int map_fd[CG_MAP_MAX], struct bpf_code *code)
{
	struct linker l = { .out = out, .map_fd = map_fd };
	int ret = 0;

	if (out->calls.n)
		ret = link_runtime(&l);
	if (!ret)
		ret = stack_check(&l);
	if (!ret)
		ret = bpf_btf_make(out->ir, out->funcs.v, out->funcs.n, code);
	if (l.obj.elf)
		elf_end(l.obj.elf);
	vec_free(&l.refs);
	return ret;
}
