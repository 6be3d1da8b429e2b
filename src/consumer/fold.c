/* SPDX-License-Identifier: BSD-2-Clause */
/* Folded stacks: the table of lines. */
#include "consumer/fold.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "consumer/fold_impl.h"

struct fold {
	struct hmap *lines; /* text -> its number in counts, from 1 */
	VEC(uint64_t) counts;
	struct str lead, user, kern, one;
	bool stack;
};

struct fold *fold_create(void)
{
	struct fold *f = mem_alloc(sizeof(*f));

	f->lines = hmap_create();
	return f;
}

void fold_destroy(struct fold *f)
{
	if (!f)
		return;
	hmap_destroy(f->lines);
	vec_free(&f->counts);
	str_free(&f->lead);
	str_free(&f->user);
	str_free(&f->kern);
	str_free(&f->one);
	free(f);
}

void fold_begin(struct fold *f)
{
	f->lead.n = f->user.n = f->kern.n = 0;
	f->stack = false;
}

/* A frame must not look like two. */
static void frame_add(struct str *line, const char *s, size_t n, const char *tail)
{
	if (line->n)
		str_putc(line, ';');
	for (size_t i = 0; i < n; i++)
		str_putc(line, s[i] == ';' ? ':' : (unsigned char)s[i] < ' ' ? ' ' : s[i]);
	str_puts(line, tail);
}

static void frames_add(struct str *line, const struct str *frames)
{
	if (line->n && frames->n)
		str_putc(line, ';');
	str_add(line, str_c(frames), frames->n);
}

static void stack_add(struct fold *f, struct print *p, const struct print_value *v)
{
	bool user = v->kind == FIELD_USTACK, more;
	struct str *line = user ? &f->user : &f->kern;
	size_t n = print_stack_depth(v, &more);
	uint64_t pc;

	f->stack = true;
	if (more)
		frame_add(line, "[truncated]", 11, user ? "" : "_[k]");
	while (n-- > 0) {
		memcpy(&pc, (const char *)v->data + 8 * n, sizeof(pc));
		f->one.n = 0;
		print_address(p, user, v->pid, pc, false);
		frame_add(line, str_c(&f->one), f->one.n, user ? "" : "_[k]");
	}
}

void fold_value(struct fold *f, struct print *p, const struct print_value *v)
{
	struct str *out = p->out;

	f->one.n = 0;
	p->out = &f->one;
	switch (v->kind) {
	case FIELD_STACK:
	case FIELD_USTACK: stack_add(f, p, v); break;
	case FIELD_INT:
		str_printf(&f->one, v->is_signed ? "%lld" : "%llu", (unsigned long long)v->value);
		frame_add(&f->lead, f->one.s, f->one.n, "");
		break;
	case FIELD_STRING: frame_add(&f->lead, v->data, v->size, ""); break;
	case FIELD_SYM:
	case FIELD_USYM:
		print_symbol(p, v);
		frame_add(&f->lead, str_c(&f->one), f->one.n, "");
		break;
	default: break;
	}
	p->out = out;
}

void fold_end(struct fold *f, int64_t count)
{
	size_t i;

	if (!f->stack || count < 1)
		return;
	if (!f->user.n && !f->kern.n) /* in user mode there is no kernel stack */
		frame_add(&f->lead, "[no stack]", 10, "");
	frames_add(&f->lead, &f->user);
	frames_add(&f->lead, &f->kern);
	i = (size_t)hmap_get_n(f->lines, str_c(&f->lead), f->lead.n);
	if (!i) {
		vec_push(&f->counts, 0);
		i = f->counts.n;
		hmap_put_n(f->lines, str_c(&f->lead), f->lead.n, (void *)i);
	}
	f->counts.v[i - 1] += (uint64_t)count;
}

/* ---- what is in it -------------------------------------------------------------------------- */

struct collect {
	const struct fold *f;
	struct fold_line *v;
	size_t n;
};

static int line_take(const void *key, size_t n, void *value, void *arg)
{
	struct collect *c = arg;

	c->v[c->n++] = (struct fold_line){ key, n, c->f->counts.v[(size_t)value - 1] };
	return 0;
}

static int line_cmp(const void *a, const void *b)
{
	const struct fold_line *x = a, *y = b;
	int c = memcmp(x->text, y->text, MIN(x->n, y->n));

	return c ? c : (x->n > y->n) - (x->n < y->n);
}

struct fold_line *fold_lines(const struct fold *f, size_t *n)
{
	struct collect c = { f, mem_alloc((f->counts.n + 1) * sizeof(*c.v)), 0 };

	hmap_each(f->lines, line_take, &c);
	qsort(c.v, c.n, sizeof(*c.v), line_cmp);
	*n = c.n;
	return c.v;
}

void fold_write(const struct fold *f, struct str *out)
{
	size_t n, i;
	struct fold_line *v = fold_lines(f, &n);

	for (i = 0; i < n; i++) {
		str_add(out, v[i].text, v[i].n);
		str_printf(out, " %llu\n", (unsigned long long)v[i].count);
	}
	free(v);
}
