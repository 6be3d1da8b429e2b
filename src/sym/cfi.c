/* SPDX-License-Identifier: BSD-2-Clause */
/* .eh_frame of x86-64 files. Every byte is taken for what it may be: wrong. */
#include "sym/cfi.h"

#include <dwarf.h>
#include <errno.h>
#include <gelf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "abi/abi.h"

#define REG_BP 6
#define REG_SP 7
#define REG_RA 16
#define SAVED_STATES 16 /* of DW_CFA_remember_state, one in another */

struct segment {
	uint64_t addr, size, offset;
};

struct reader {
	const uint8_t *p, *end;
	bool bad;
};

struct file {
	const uint8_t *frames; /* the section */
	size_t size;
	uint64_t addr; /* of the section */
	VEC(struct segment) segments;
	struct cfi *out;
};

enum where {
	SAME,
	AT_CFA, /* at cfa + off */
	AT_BP,	/* at the address in the frame pointer */
	UNDEFINED,
	UNKNOWN,
};

struct saved {
	enum where where;
	int64_t off;
};

struct state {
	uint32_t kind; /* enum abi_unwind_kind */
	int64_t cfa;   /* its offset */
	struct saved bp, ra;
};

struct cie {
	uint64_t code_align;
	int64_t data_align;
	uint8_t encoding; /* of addresses in FDEs */
	bool sized, signal;
	const uint8_t *insns, *end;
};

struct machine {
	struct file *f;
	const struct cie *cie;
	struct state now, initial, stack[SAVED_STATES];
	size_t depth;
	uint64_t pc, from; /* `now` holds since from */
	bool rows;	   /* of an FDE, not of its CIE */
};

/* ---- reading ---- */

static uint64_t get(struct reader *r, size_t n)
{
	uint64_t v = 0;

	if (r->bad || (size_t)(r->end - r->p) < n) {
		r->bad = true;
		return 0;
	}
	memcpy(&v, r->p, n);
	r->p += n;
	return v;
}

static uint64_t get_leb(struct reader *r, bool is_signed)
{
	uint64_t v = 0;
	unsigned int shift = 0;
	uint8_t b;

	do {
		b = (uint8_t)get(r, 1);
		if (shift < 64)
			v |= (uint64_t)(b & 0x7f) << shift;
		shift += 7;
	} while (b & 0x80 && !r->bad);
	if (is_signed && shift < 64 && b & 0x40)
		v |= ~0ull << shift;
	return v;
}

static uint64_t get_uleb(struct reader *r)
{
	return get_leb(r, false);
}

static int64_t get_sleb(struct reader *r)
{
	return (int64_t)get_leb(r, true);
}

/* The next n bytes as a reader of their own. */
static struct reader get_part(struct reader *r, uint64_t n)
{
	struct reader part = { r->p, r->p, r->bad };

	if (r->bad || n > (uint64_t)(r->end - r->p)) {
		r->bad = part.bad = true;
		return part;
	}
	r->p += n;
	part.end = r->p;
	return part;
}

/* An address as DW_EH_PE_x says; bare: a length, which is relative to nothing. */
static uint64_t get_encoded(struct reader *r, const struct file *f, uint8_t encoding, bool bare)
{
	uint64_t at = f->addr + (uint64_t)(r->p - f->frames), v;

	switch (encoding & 0x0f) {
	case DW_EH_PE_absptr:
	case DW_EH_PE_udata8:
	case DW_EH_PE_sdata8: v = get(r, 8); break;
	case DW_EH_PE_udata4: v = get(r, 4); break;
	case DW_EH_PE_sdata4: v = (uint64_t)(int32_t)get(r, 4); break;
	case DW_EH_PE_udata2: v = get(r, 2); break;
	case DW_EH_PE_sdata2: v = (uint64_t)(int16_t)get(r, 2); break;
	case DW_EH_PE_uleb128: v = get_uleb(r); break;
	case DW_EH_PE_sleb128: v = (uint64_t)get_sleb(r); break;
	default: r->bad = true; return 0;
	}
	if (bare)
		return v;
	if ((encoding & 0x70) == DW_EH_PE_pcrel)
		return v + at;
	if (encoding & 0x70) /* relative to what is not known here */
		r->bad = true;
	return v;
}

/* ---- rows ---- */

static bool place_of(const struct file *f, uint64_t addr, uint32_t *place)
{
	for (size_t i = 0; i < f->segments.n; i++) {
		const struct segment *s = &f->segments.v[i];

		if (addr - s->addr < s->size && addr - s->addr + s->offset <= UINT32_MAX) {
			*place = (uint32_t)(addr - s->addr + s->offset);
			return true;
		}
	}
	return false;
}

static uint32_t rule_of(const struct state *s, bool signal)
{
	uint32_t bp = ABI_UNWIND_BP_LOST;

	if (signal)
		return ABI_UNWIND_RULE(ABI_UNWIND_SIGNAL, 0, 0);
	if (s->ra.where == UNDEFINED)
		return ABI_UNWIND_RULE(ABI_UNWIND_END, 0, 0);
	if (s->ra.where != AT_CFA || s->ra.off != -8 || s->cfa & 7 ||
	    s->cfa / 8 < ABI_UNWIND_OFF_MIN || s->cfa / 8 > ABI_UNWIND_OFF_MAX)
		return 0;
	if (s->bp.where == SAME)
		bp = 0;
	else if (s->bp.where == AT_BP)
		bp = ABI_UNWIND_BP_OWN;
	else if (s->bp.where == AT_CFA && s->bp.off < 0 && !(s->bp.off & 7) &&
		 -s->bp.off / 8 <= ABI_UNWIND_BP_MAX)
		bp = (uint32_t)(-s->bp.off / 8);
	return ABI_UNWIND_RULE(s->kind, bp, (uint32_t)(s->cfa / 8));
}

static void row_add(struct file *f, uint64_t addr, uint32_t rule)
{
	uint32_t place;

	if (place_of(f, addr, &place))
		vec_push(&f->out->rows, ABI_UNWIND_ROW(place, rule));
}

static void advance(struct machine *m, uint64_t to)
{
	if (!m->rows || to <= m->pc)
		return;
	row_add(m->f, m->pc, rule_of(&m->now, m->cie->signal));
	m->pc = to;
}

/* ---- rules ---- */

static void cfa_register(struct state *s, uint64_t reg, int64_t off)
{
	s->kind = reg == REG_SP ? ABI_UNWIND_SP : reg == REG_BP ? ABI_UNWIND_BP : ABI_UNWIND_NONE;
	s->cfa = off;
}

/*
 * Expressions that compilers, linkers and assembly have: a function's caller behind a pointer near the
 * frame or the stack pointer (realigned stacks), and the entries of the PLT.
 */
static void cfa_expression(struct state *s, struct reader e)
{
	static const uint8_t plt[] = { DW_OP_breg7, 8, DW_OP_breg16, 0, DW_OP_lit15, DW_OP_and };
	static const uint8_t plt_end[] = { DW_OP_ge, DW_OP_lit3, DW_OP_shl, DW_OP_plus };
	size_t n = (size_t)(e.end - e.p);
	uint8_t op, last;

	s->kind = ABI_UNWIND_NONE;
	if (n == sizeof(plt) + 1 + sizeof(plt_end) && !memcmp(e.p, plt, sizeof(plt)) &&
	    !memcmp(e.p + sizeof(plt) + 1, plt_end, sizeof(plt_end))) {
		s->kind = ABI_UNWIND_PLT;
		s->cfa = 8 * (e.p[sizeof(plt)] - DW_OP_lit0);
		return;
	}
	op = (uint8_t)get(&e, 1);
	s->cfa = get_sleb(&e);
	if (e.bad || get(&e, 1) != DW_OP_deref)
		return;
	if (op == DW_OP_breg6 && e.p == e.end)
		s->kind = ABI_UNWIND_BP_DEREF;
	if (op != DW_OP_breg7)
		return;
	last = (uint8_t)get(&e, 1);
	if (last == DW_OP_plus_uconst && get_uleb(&e) == 8 && !e.bad && e.p == e.end)
		s->kind = ABI_UNWIND_SP_DEREF;
}

static void save(struct state *s, uint64_t reg, enum where where, int64_t off)
{
	struct saved v = { where, off };

	if (reg == REG_BP)
		s->bp = v;
	else if (reg == REG_RA)
		s->ra = v;
}

static void save_expression(struct state *s, uint64_t reg, struct reader e)
{
	bool own = e.end - e.p == 2 && e.p[0] == DW_OP_breg6 && e.p[1] == 0;

	save(s, reg, own ? AT_BP : UNKNOWN, 0);
}

static void restore(struct machine *m, uint64_t reg)
{
	if (reg == REG_BP)
		m->now.bp = m->initial.bp;
	else if (reg == REG_RA)
		m->now.ra = m->initial.ra;
}

static void insn_run(struct machine *m, struct reader *r, uint8_t op)
{
	struct state *s = &m->now;
	uint64_t reg;

	switch (op) {
	case DW_CFA_nop: break;
	case DW_CFA_set_loc: advance(m, get_encoded(r, m->f, m->cie->encoding, false)); break;
	case DW_CFA_advance_loc1: advance(m, m->pc + get(r, 1) * m->cie->code_align); break;
	case DW_CFA_advance_loc2: advance(m, m->pc + get(r, 2) * m->cie->code_align); break;
	case DW_CFA_advance_loc4: advance(m, m->pc + get(r, 4) * m->cie->code_align); break;
	case DW_CFA_offset_extended:
		reg = get_uleb(r);
		save(s, reg, AT_CFA, (int64_t)get_uleb(r) * m->cie->data_align);
		break;
	case DW_CFA_offset_extended_sf:
		reg = get_uleb(r);
		save(s, reg, AT_CFA, get_sleb(r) * m->cie->data_align);
		break;
	case DW_CFA_GNU_negative_offset_extended:
		reg = get_uleb(r);
		save(s, reg, AT_CFA, -(int64_t)get_uleb(r) * m->cie->data_align);
		break;
	case DW_CFA_restore_extended: restore(m, get_uleb(r)); break;
	case DW_CFA_undefined: save(s, get_uleb(r), UNDEFINED, 0); break;
	case DW_CFA_same_value: save(s, get_uleb(r), SAME, 0); break;
	case DW_CFA_register:
	case DW_CFA_val_offset:
	case DW_CFA_val_offset_sf:
		save(s, get_uleb(r), UNKNOWN, 0);
		get_uleb(r);
		break;
	case DW_CFA_remember_state:
		if (m->depth == SAVED_STATES)
			r->bad = true;
		else
			m->stack[m->depth++] = *s;
		break;
	case DW_CFA_restore_state:
		if (!m->depth)
			r->bad = true;
		else
			*s = m->stack[--m->depth];
		break;
	case DW_CFA_def_cfa:
		reg = get_uleb(r);
		cfa_register(s, reg, (int64_t)get_uleb(r));
		break;
	case DW_CFA_def_cfa_sf:
		reg = get_uleb(r);
		cfa_register(s, reg, get_sleb(r) * m->cie->data_align);
		break;
	case DW_CFA_def_cfa_register: cfa_register(s, get_uleb(r), s->cfa); break;
	case DW_CFA_def_cfa_offset: s->cfa = (int64_t)get_uleb(r); break;
	case DW_CFA_def_cfa_offset_sf: s->cfa = get_sleb(r) * m->cie->data_align; break;
	case DW_CFA_def_cfa_expression: cfa_expression(s, get_part(r, get_uleb(r))); break;
	case DW_CFA_expression:
		reg = get_uleb(r);
		save_expression(s, reg, get_part(r, get_uleb(r)));
		break;
	case DW_CFA_val_expression:
		save(s, get_uleb(r), UNKNOWN, 0);
		get_part(r, get_uleb(r));
		break;
	case DW_CFA_GNU_args_size: get_uleb(r); break;
	default: r->bad = true;
	}
}

/* False: an instruction that is not understood; what follows has no rule. */
static bool run(struct machine *m, const uint8_t *p, const uint8_t *end)
{
	struct reader r = { p, end, false };

	while (r.p < r.end && !r.bad) {
		uint8_t b = (uint8_t)get(&r, 1), low = b & 0x3f;

		switch (b & 0xc0) {
		case DW_CFA_advance_loc: advance(m, m->pc + low * m->cie->code_align); break;
		case DW_CFA_offset:
			save(&m->now, low, AT_CFA, (int64_t)get_uleb(&r) * m->cie->data_align);
			break;
		case DW_CFA_restore: restore(m, low); break;
		default: insn_run(m, &r, b);
		}
	}
	return !r.bad;
}

/* ---- entries ---- */

/* p: behind the entry's id. False: of no use. */
static bool cie_read(const struct file *f, struct reader r, struct cie *c)
{
	uint8_t version = (uint8_t)get(&r, 1);
	const char *aug = (const char *)r.p;
	uint64_t reg;

	*c = (struct cie){ .encoding = DW_EH_PE_absptr };
	while (get(&r, 1) && !r.bad)
		;
	if (r.bad || (version != 1 && version != 3))
		return false;
	c->code_align = get_uleb(&r);
	c->data_align = get_sleb(&r);
	reg = version == 1 ? get(&r, 1) : get_uleb(&r);
	if (reg != REG_RA || (*aug && *aug != 'z'))
		return false;
	if (*aug == 'z') {
		struct reader a = get_part(&r, get_uleb(&r));

		c->sized = true;
		while (*++aug)
			switch (*aug) {
			case 'R': c->encoding = (uint8_t)get(&a, 1); break;
			case 'L': get(&a, 1); break;
			case 'P': get_encoded(&a, f, (uint8_t)(get(&a, 1) & 0x0f), true); break;
			case 'S': c->signal = true; break;
			case 'B': break;
			default: return false;
			}
		if (a.bad)
			return false;
	}
	c->insns = r.p;
	c->end = r.end;
	return !r.bad;
}

static void fde_read(struct file *f, struct reader r, const struct cie *c)
{
	struct machine m = { .f = f, .cie = c };
	uint64_t start = get_encoded(&r, f, c->encoding, false);
	uint64_t len = get_encoded(&r, f, c->encoding, true);

	if (c->sized)
		get_part(&r, get_uleb(&r));
	if (r.bad || !len)
		return;
	m.now.ra.where = UNKNOWN;
	if (!run(&m, c->insns, c->end))
		return;
	m.initial = m.now;
	m.rows = true;
	m.pc = start;
	if (!run(&m, r.p, r.end))
		m.now = (struct state){ .ra.where = UNKNOWN };
	if (m.pc < start + len)
		row_add(f, m.pc, rule_of(&m.now, c->signal));
	/* Behind it is a gap, unless another one begins there. */
	row_add(f, start + len, 0);
}

static void entries_read(struct file *f)
{
	struct reader all = { f->frames, f->frames + f->size, false };
	const uint8_t *cie_at = NULL;
	struct cie cie = { 0 };
	bool usable = false;

	while (all.p < all.end && !all.bad) {
		uint64_t len = get(&all, 4);
		const uint8_t *at;
		struct reader r;
		uint32_t id;

		if (len == 0xffffffff)
			len = get(&all, 8);
		if (!len) /* the end of one object's part */
			continue;
		r = get_part(&all, len);
		at = r.p;
		id = (uint32_t)get(&r, 4);
		if (r.bad || !id || id > (size_t)(at - f->frames))
			continue;
		at -= id;
		if (at != cie_at) { /* its length is in front of it, four bytes or twelve */
			struct reader c = { at, f->frames + f->size, false };
			uint64_t n = get(&c, 4);

			if (n == 0xffffffff)
				n = get(&c, 8);
			c = get_part(&c, n);
			usable = get(&c, 4) == 0 && !c.bad && cie_read(f, c, &cie);
			cie_at = at;
		}
		if (usable)
			fde_read(f, r, &cie);
	}
}

static int row_cmp(const void *x, const void *y)
{
	uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;

	return (a > b) - (a < b);
}

/* At one place the last row counts: a gap's comes before others. Rows that change nothing go. */
static void order(struct cfi *c)
{
	size_t n = 0;

	if (c->rows.n)
		qsort(c->rows.v, c->rows.n, sizeof(*c->rows.v), row_cmp);
	for (size_t i = 0; i < c->rows.n; i++) {
		if (i + 1 < c->rows.n && c->rows.v[i] >> 32 == c->rows.v[i + 1] >> 32)
			continue;
		if (!n || (uint32_t)c->rows.v[n - 1] != (uint32_t)c->rows.v[i])
			c->rows.v[n++] = c->rows.v[i];
	}
	c->rows.n = n;
}

/* ---- files ---- */

static Elf_Scn *section_named(Elf *elf, const char *name, GElf_Shdr *sh)
{
	Elf_Scn *scn = NULL;
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return NULL;
	while ((scn = elf_nextscn(elf, scn))) {
		const char *s = gelf_getshdr(scn, sh) ? elf_strptr(elf, names, sh->sh_name) : NULL;

		if (s && !strcmp(s, name))
			return scn;
	}
	return NULL;
}

static void segments_read(struct file *f, Elf *elf)
{
	GElf_Phdr ph;
	size_t n = 0;

	elf_getphdrnum(elf, &n);
	for (size_t i = 0; i < n && gelf_getphdr(elf, (int)i, &ph); i++) {
		struct segment s = { ph.p_vaddr, ph.p_filesz, ph.p_offset };

		if (ph.p_type == PT_LOAD && ph.p_flags & PF_X)
			vec_push(&f->segments, s);
	}
}

static int read_all(struct cfi *out, Elf *elf)
{
	struct file f = { .out = out };
	GElf_Ehdr eh;
	GElf_Shdr sh;
	Elf_Scn *scn;
	Elf_Data *d;

	*out = (struct cfi){ 0 };
	if (!elf || elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &eh) ||
	    eh.e_machine != EM_X86_64 || eh.e_ident[EI_CLASS] != ELFCLASS64) {
		elf_end(elf);
		return -ENOEXEC;
	}
	segments_read(&f, elf);
	scn = section_named(elf, ".eh_frame", &sh);
	d = scn && sh.sh_type != SHT_NOBITS ? elf_rawdata(scn, NULL) : NULL;
	if (d && d->d_buf) {
		f.frames = d->d_buf;
		f.size = d->d_size;
		f.addr = sh.sh_addr;
		entries_read(&f);
		order(out);
	}
	vec_free(&f.segments);
	elf_end(elf);
	return 0;
}

int cfi_read(struct cfi *out, int fd)
{
	if (elf_version(EV_CURRENT) == EV_NONE)
		return -ENOEXEC;
	return read_all(out, elf_begin(fd, ELF_C_READ, NULL));
}

int cfi_read_memory(struct cfi *out, const void *image, size_t size)
{
	if (elf_version(EV_CURRENT) == EV_NONE)
		return -ENOEXEC;
	return read_all(out, elf_memory((char *)image, size));
}

void cfi_free(struct cfi *c)
{
	vec_free(&c->rows);
}
