/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The layouts of DTrace: lines, trace(), hex dumps, stacks, symbols, aggregation lines. Formats are
 * in format.c. Numbers and strings are put together by hand: millions of them are printed in a
 * second.
 */
#include <ctype.h>
#include <string.h>

#include "consumer/print_impl.h"

/* ---- numbers -------------------------------------------------------------------------------- */

char *print_digits(char *end, uint64_t v)
{
	static const char pairs[] =
		"00010203040506070809101112131415161718192021222324252627282930313233343536373839"
		"40414243444546474849505152535455565758596061626364656667686970717273747576777879"
		"8081828384858687888990919293949596979899";

	while (v >= 100) {
		end -= 2;
		memcpy(end, pairs + v % 100 * 2, 2);
		v /= 100;
	}
	if (v >= 10) {
		end -= 2;
		memcpy(end, pairs + v * 2, 2);
	} else {
		*--end = (char)('0' + v);
	}
	return end;
}

static char *hex_digits(char *end, uint64_t v)
{
	do {
		*--end = "0123456789abcdef"[v & 15];
		v >>= 4;
	} while (v);
	return end;
}

/* " %WIDTHd", right-aligned; width 0: the number alone. */
static void print_number(struct str *out, uint64_t v, bool is_signed, size_t width)
{
	char buf[24], *end = buf + sizeof(buf), *p;
	bool minus = is_signed && (int64_t)v < 0;

	p = print_digits(end, minus ? -v : v);
	if (minus)
		*--p = '-';
	if (width) {
		str_putc(out, ' ');
		if ((size_t)(end - p) < width)
			str_pad(out, ' ', width - (size_t)(end - p));
	}
	str_add(out, p, (size_t)(end - p));
}

static void print_hex(struct str *out, uint64_t v)
{
	char buf[24], *end = buf + sizeof(buf), *p = hex_digits(end, v);

	*--p = 'x';
	*--p = '0';
	str_add(out, p, (size_t)(end - p));
}

/* "  %-WIDTHs" */
static void print_padded(struct str *out, const char *s, size_t n, size_t width)
{
	str_add(out, "  ", 2);
	str_add(out, s, n);
	if (n < width)
		str_pad(out, ' ', width - n);
}

/* ---- lines ---------------------------------------------------------------------------------- */

void print_header(struct print *p)
{
	if (p->opt->flowindent)
		str_printf(p->out, "%3s %-41s\n", "CPU", "FUNCTION");
	else if (!p->opt->quiet)
		str_printf(p->out, "%3s %6s %32s\n", "CPU", "ID", "FUNCTION:NAME");
}

void print_probe(struct print *p, int cpu, uint32_t id, const char *func, const char *name)
{
	char both[256];

	snprintf(both, sizeof(both), "%s:%s", func, name);
	str_printf(p->out, "%3d %6u %32s ", cpu, id, both);
}

void print_flow(struct print *p, int cpu, int indent, const char *prefix, const char *name)
{
	size_t before;

	str_printf(p->out, "%3d ", cpu);
	before = p->out->n;
	str_pad(p->out, ' ', (size_t)indent);
	str_puts(p->out, prefix);
	str_puts(p->out, name);
	if (p->out->n - before < 41)
		str_pad(p->out, ' ', 41 - (p->out->n - before));
	str_putc(p->out, ' ');
}

/* ---- values --------------------------------------------------------------------------------- */

uint64_t print_extend(uint64_t v, uint32_t size, bool is_signed)
{
	unsigned int shift = size < 8 ? 64 - size * 8 : 0;

	return is_signed ? (uint64_t)((int64_t)(v << shift) >> shift) : v << shift >> shift;
}

static uint64_t load_int(const void *at, uint32_t size, bool is_signed)
{
	uint64_t v = 0;

	memcpy(&v, at, size <= 8 ? size : 8);
	return print_extend(v, size, is_signed);
}

static void value_string(struct print_value *v, const char *s)
{
	v->kind = FIELD_STRING;
	v->data = s ? s : "";
	v->size = (uint32_t)strlen(v->data);
}

/* A stack at the end of a record may be cut. */
static uint32_t recorded(const struct field *f, const void *rec)
{
	uint32_t size = ((const struct abi_rec *)rec)->size;

	return size > f->offset ? MIN(f->size, size - f->offset) : 0;
}

void print_value_get(struct print_value *v, const struct field *f, const struct ecb *ecb,
		     const void *rec, const unsigned char **strs)
{
	const unsigned char *at = (const unsigned char *)rec + f->offset;
	uint32_t len;

	*v = (struct print_value){ f->kind, f->func, f->type, f->size,	f->is_signed,
				   0,	    0,	     NULL,    f->frames };
	switch (f->kind) {
	case FIELD_INT: v->value = load_int(at, f->size, f->is_signed); break;
	case FIELD_STRING:
		memcpy(&len, at, 4);
		v->size = len == UINT32_MAX ? 0 : len;
		v->data = *strs;
		*strs += v->size;
		break;
	case FIELD_BYTES: v->data = at; break;
	case FIELD_STACK:
		v->data = at;
		v->size = recorded(f, rec);
		break;
	case FIELD_USTACK:
		v->pid = load_int(at, 8, false);
		v->data = at + 8;
		v->size = recorded(f, rec) >= 8 ? recorded(f, rec) - 8 : 0;
		break;
	case FIELD_SYM: v->value = load_int(at, 8, false); break;
	case FIELD_USYM:
		v->pid = load_int(at, 8, false);
		v->value = load_int(at + 8, 8, false);
		break;
	case FIELD_CONST_INT:
		v->kind = FIELD_INT;
		v->size = f->size == 1 || f->size == 2 || f->size == 4 ? f->size : 8;
		v->value = print_extend((uint64_t)f->value, v->size, f->is_signed);
		break;
	case FIELD_CONST_STRING: value_string(v, f->text); break;
	case FIELD_PROBE_STRING:
		value_string(v, f->value == 0	? ecb->prov
				: f->value == 1 ? ecb->mod
				: f->value == 2 ? ecb->func
						: ecb->name);
		break;
	case FIELD_AGG: v->value = (uint64_t)f->value; break;
	}
}

void print_value_key(struct print_value *v, const struct agg_keypart *k)
{
	*v = (struct print_value){ k->kind,  k->func, k->type, k->size, k->is_signed,
				   k->value, k->pid,  k->data, 0 };
	if (k->kind == FIELD_INT)
		v->value = print_extend(k->value, k->size, k->is_signed);
	if (k->kind == FIELD_USTACK && k->size >= 8) {
		v->pid = load_int(k->data, 8, false);
		v->data = (const char *)k->data + 8;
		v->size = k->size - 8;
	}
}

/* ---- symbols -------------------------------------------------------------------------------- */

bool print_sym_find(struct print *p, bool user, uint64_t pid, uint64_t addr, struct consumer_sym *s)
{
	const struct consumer_hooks *h = p->hooks;

	memset(s, 0, sizeof(*s));
	if (!h)
		return false;
	if (user)
		return h->usym && h->usym(h->arg, pid, addr, s) == 0 && s->module;
	return h->ksym && h->ksym(h->arg, addr, s) == 0 && s->module;
}

/* module`function+0xoff, module`function, module`0xaddr, 0xaddr */
void print_address(struct print *p, bool user, uint64_t pid, uint64_t addr, bool with_offset)
{
	struct consumer_sym s;

	if (!print_sym_find(p, user, pid, addr, &s)) {
		print_hex(p->out, addr);
		return;
	}
	str_puts(p->out, s.module);
	if (s.unresolved) {
		str_putc(p->out, ':');
		print_hex(p->out, s.offset);
		return;
	}
	str_putc(p->out, '`');
	if (!s.function) {
		print_hex(p->out, addr);
		return;
	}
	str_puts(p->out, s.function);
	if (with_offset && s.offset) {
		str_putc(p->out, '+');
		print_hex(p->out, s.offset);
	}
}

void print_symbol(struct print *p, const struct print_value *v)
{
	bool user = v->kind == FIELD_USYM, module_only = v->func == FN_mod || v->func == FN_umod;
	struct consumer_sym s;

	if (module_only && print_sym_find(p, user, v->pid, v->value, &s))
		str_puts(p->out, s.module);
	else if (module_only)
		print_hex(p->out, v->value);
	else
		print_address(p, user, v->pid, v->value, v->func == FN_uaddr);
}

static void print_symbol_padded(struct print *p, const struct print_value *v)
{
	size_t before;

	str_add(p->out, "  ", 2);
	before = p->out->n;
	print_symbol(p, v);
	if (p->out->n - before < 50)
		str_pad(p->out, ' ', 50 - (p->out->n - before));
}

size_t print_stack_depth(const struct print_value *v, bool *more)
{
	size_t n = v->size / 8, i;

	*more = false;
	for (i = 0; i < n; i++) {
		uint64_t pc = load_int((const char *)v->data + 8 * i, 8, false);

		if (!pc)
			break;
		*more = pc == STACK_GOES_ON || (v->frames && i == v->frames);
		if (*more)
			break;
	}
	return i;
}

static void print_frames(struct print *p, bool user, uint64_t pid, const void *pcs, size_t n,
			 size_t shown, int indent)
{
	size_t i;

	str_putc(p->out, '\n');
	for (i = 0; i < n; i++) {
		uint64_t pc = load_int((const char *)pcs + 8 * i, 8, false);

		if (!pc)
			break;
		str_pad(p->out, ' ', indent > 0 ? (size_t)indent : 0);
		if (pc == STACK_GOES_ON || (shown && i == shown)) {
			str_puts(p->out, "[ truncated ]\n");
			break;
		}
		print_address(p, user, pid, pc, true);
		str_putc(p->out, '\n');
	}
}

void print_stack(struct print *p, const uint64_t *pcs, size_t n, int indent)
{
	print_frames(p, false, 0, pcs, n, 0, indent);
}

void print_ustack(struct print *p, uint64_t pid, const uint64_t *pcs, size_t n, int indent)
{
	print_frames(p, true, pid, pcs, n, 0, indent);
}

void print_value_stack(struct print *p, const struct print_value *v, int indent)
{
	print_frames(p, v->kind == FIELD_USTACK, v->pid, v->data, v->size / 8, v->frames, indent);
}

/* ---- bytes ---------------------------------------------------------------------------------- */

static void dump_row(struct str *out, const unsigned char *b, size_t off, size_t n)
{
	size_t i;

	str_printf(out, "     %5zx:", off);
	for (i = 0; i < 16; i++) {
		char c[3] = "   ";

		if (i < n) {
			c[1] = "0123456789abcdef"[b[i] >> 4];
			c[2] = "0123456789abcdef"[b[i] & 15];
		}
		str_add(out, c, 3);
	}
	str_add(out, "  ", 2);
	for (i = 0; i < n; i++)
		str_putc(out, b[i] >= ' ' && b[i] <= '~' ? (char)b[i] : '.');
	str_putc(out, '\n');
}

void print_bytes(struct print *p, const void *data, size_t n)
{
	size_t off;

	if (!n)
		return;
	str_putc(p->out, '\n');
	str_pad(p->out, ' ', 11);
	for (off = 0; off < 16; off++) {
		char c[3] = { ' ', ' ', "0123456789abcdef"[off] };

		str_add(p->out, c, 3);
	}
	str_puts(p->out, "  0123456789abcdef\n");
	for (off = 0; off < n; off += 16)
		dump_row(p->out, (const unsigned char *)data + off, off,
			 n - off < 16 ? n - off : 16);
}

/* Text up to a NUL, with only NULs behind it; or all text. *len: of the text. */
static bool is_text(const unsigned char *b, size_t n, size_t *len)
{
	size_t i, end = 0;

	while (end < n && b[end] &&
	       ((b[end] >= ' ' && b[end] <= '~') || isspace(b[end]) || b[end] == '\a' ||
		b[end] == '\b'))
		end++;
	for (i = end; i < n; i++)
		if (b[i])
			return false;
	*len = end;
	return end > 0;
}

static bool is_char_array(struct type *t)
{
	struct type *of;

	t = t ? type_resolve(t) : NULL;
	of = t && t->kind == TYPE_ARRAY && t->ref ? type_resolve(t->ref) : NULL;
	return of && of->kind == TYPE_INT && of->size == 1;
}

bool print_is_text(struct type *t, const void *data, size_t size, size_t *n)
{
	return is_char_array(t) && is_text(data, size, n);
}

static void print_data(struct print *p, const struct print_value *v, size_t width, bool quiet)
{
	size_t n;

	if (p->opt->rawbytes || !print_is_text(v->type, v->data, v->size, &n))
		print_bytes(p, v->data, v->size);
	else if (quiet)
		str_add(p->out, v->data, n);
	else
		print_padded(p->out, v->data, n, width);
}

/* ---- trace() -------------------------------------------------------------------------------- */

static void trace_int(struct print *p, const struct print_value *v)
{
	size_t width = v->size == 8   ? (v->is_signed ? 19 : 20)
		       : v->size == 4 ? 10
		       : v->size == 2 ? 5
				      : 3;

	print_number(p->out, v->value, v->is_signed, p->opt->quiet ? 0 : width);
}

void print_trace(struct print *p, const struct print_value *v)
{
	switch (v->kind) {
	case FIELD_INT:
		if (p->opt->rawbytes)
			print_bytes(p, &v->value, v->size);
		else
			trace_int(p, v);
		break;
	case FIELD_STRING:
		if (p->opt->rawbytes)
			print_bytes(p, v->data, v->size);
		else if (p->opt->quiet)
			str_add(p->out, v->data, v->size);
		else
			print_padded(p->out, v->data, v->size, 33);
		break;
	case FIELD_BYTES: print_data(p, v, 33, p->opt->quiet); break;
	case FIELD_STACK:
	case FIELD_USTACK: print_value_stack(p, v, p->opt->stackindent); break;
	case FIELD_SYM:
	case FIELD_USYM: print_symbol_padded(p, v); break;
	default: break;
	}
}

/* ---- aggregations --------------------------------------------------------------------------- */

static void print_key(struct print *p, const struct print_value *v)
{
	/* Only integers have a width. */
	uint64_t raw = v->kind == FIELD_INT ? print_extend(v->value, v->size, false) : 0;

	switch (v->kind) {
	case FIELD_INT:
		if (v->size == 8)
			print_number(p->out, v->value, true, 16);
		else if (v->size == 4)
			print_number(p->out, print_extend(raw, 4, true), true, 8);
		else
			print_number(p->out, raw, false, v->size == 2 ? 5 : 3);
		break;
	case FIELD_STRING: print_padded(p->out, v->data, v->size, 50); break;
	case FIELD_BYTES: print_data(p, v, 50, false); break;
	case FIELD_STACK:
	case FIELD_USTACK: print_value_stack(p, v, p->opt->stackindent); break;
	case FIELD_SYM:
	case FIELD_USYM: print_symbol_padded(p, v); break;
	default: break;
	}
}

/* Width of a key's column in agghist and aggpack; 0: it does not fit into a line. */
static size_t key_width(const struct print_value *v)
{
	switch (v->kind) {
	case FIELD_INT: return v->size == 1 ? 3 : v->size == 2 ? 5 : v->size == 4 ? 8 : 16;
	case FIELD_STACK:
	case FIELD_USTACK: return 0;
	case FIELD_BYTES: return is_char_array(v->type) ? 16 : 0;
	default: return 16;
	}
}

size_t print_keys_width(const struct print_value *keys, size_t nkeys)
{
	size_t sum = 0, i;

	for (i = 0; i < nkeys; i++) {
		if (!key_width(&keys[i]))
			return 0;
		sum += key_width(&keys[i]) + 1;
	}
	return nkeys ? sum : 16;
}

/* Texts are right-aligned like numbers. */
static void print_key_column(struct print *p, const struct print_value *v)
{
	size_t before, n, pad;

	if (v->kind == FIELD_INT) {
		print_key(p, v);
		return;
	}
	str_putc(p->out, ' ');
	before = p->out->n;
	if (v->kind == FIELD_SYM || v->kind == FIELD_USYM)
		print_symbol(p, v);
	else
		str_add(p->out, v->data, strnlen(v->data, v->size));
	n = p->out->n - before;
	pad = n < 16 ? 16 - n : 0;
	str_pad(p->out, ' ', pad);
	if (pad) {
		memmove(p->out->s + before + pad, p->out->s + before, n);
		memset(p->out->s + before, ' ', pad);
	}
}

void print_agg_drawn(struct print *p, const struct print_value *keys, size_t nkeys,
		     const struct print_agg *agg)
{
	size_t i;

	for (i = 0; i < nkeys; i++)
		print_key_column(p, &keys[i]);
	if (!nkeys)
		str_pad(p->out, ' ', 16);
	agg_group_draw(p->out, agg->desc, agg->value, agg->normal, agg->group, &p->opt->agg_style);
	str_putc(p->out, '\n');
}

void print_agg_line(struct print *p, const struct print_value *keys, size_t nkeys,
		    const struct print_agg *aggs, size_t naggs)
{
	size_t i;

	for (i = 0; i < nkeys; i++)
		print_key(p, &keys[i]);
	for (i = 0; i < naggs; i++)
		agg_value_draw(p->out, aggs[i].desc, aggs[i].value, aggs[i].normal,
			       &p->opt->agg_style);
	for (i = 0; naggs == 1 && aggs->cpu && i < aggs->ncpus; i++) {
		str_printf(p->out, "\n    [CPU %d]", aggs->cpus[i]);
		agg_value_draw(p->out, aggs->desc, aggs->cpu + i * aggs->desc->value_words, aggs->normal,
			       &p->opt->agg_style);
	}
	str_putc(p->out, '\n');
}
