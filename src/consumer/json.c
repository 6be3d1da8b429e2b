/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * -x oformat=json: one object a line (doc/json.md, doc/json.schema.json). A record is put together
 * aside, because what it makes others write, commands of system() for one, comes before its line.
 */
#include <inttypes.h>
#include <string.h>

#include "consumer/impl.h"

#define EXACT (1ull << 53) /* readers that keep numbers as doubles have no more */

/* ---- values --------------------------------------------------------------------------------- */

/* Bytes of the UTF-8 sequence at s, 0: none. */
static size_t utf8_len(const unsigned char *s, size_t n)
{
	size_t len = *s < 0x80 ? 1 : *s >= 0xc2 && *s < 0xe0 ? 2 : (*s & 0xf0) == 0xe0 ? 3 : 4, i;

	if ((*s >= 0x80 && *s < 0xc2) || *s > 0xf4 || len > n)
		return 0;
	for (i = 1; i < len; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	if ((*s == 0xe0 && s[1] < 0xa0) || (*s == 0xed && s[1] > 0x9f) ||
	    (*s == 0xf0 && s[1] < 0x90) || (*s == 0xf4 && s[1] > 0x8f))
		return 0;
	return len;
}

/* Bytes in front that stand for themselves. */
static size_t plain_len(const unsigned char *s, size_t n)
{
	size_t i = 0;

	while (i < n && s[i] >= ' ' && s[i] < 0x7f && s[i] != '"' && s[i] != '\\')
		i++;
	return i;
}

void json_string(struct str *out, const char *text, size_t n)
{
	const unsigned char *s = (const unsigned char *)text;

	str_putc(out, '"');
	while (n) {
		size_t len = plain_len(s, n);

		if (len) {
			str_add(out, (const char *)s, len);
			s += len;
			n -= len;
			continue;
		}
		len = utf8_len(s, n);
		if (!len) { /* what is no text is shown as the replacement character */
			str_puts(out, "\\ufffd");
			len = 1;
		} else if (*s == '"' || *s == '\\') {
			str_putc(out, '\\');
			str_putc(out, (char)*s);
		} else if (*s == '\n') {
			str_puts(out, "\\n");
		} else if (*s < ' ' || *s == 0x7f) {
			str_printf(out, "\\u%04x", *s);
		} else {
			str_add(out, (const char *)s, len);
		}
		s += len;
		n -= len;
	}
	str_putc(out, '"');
}

static void put_text(struct str *out, const char *s)
{
	json_string(out, s ? s : "", s ? strlen(s) : 0);
}

/* "name": */
static void put_name(struct str *out, const char *name)
{
	char last = out->n ? out->s[out->n - 1] : '{';

	if (last != '{' && last != '[')
		str_putc(out, ',');
	str_putc(out, '"'); /* names are our own, or the language's: nothing in them needs care */
	str_puts(out, name);
	str_add(out, "\":", 2);
}

static void put_comma(struct str *out)
{
	if (out->n && out->s[out->n - 1] != '[')
		str_putc(out, ',');
}

static void put_int(struct str *out, uint64_t v, bool is_signed)
{
	char buf[24], *end = buf + sizeof(buf), *p;
	bool minus = is_signed && (int64_t)v < 0, quoted;

	v = minus ? -v : v;
	quoted = v > EXACT;
	p = print_digits(end, v);
	if (minus)
		*--p = '-';
	if (quoted)
		str_putc(out, '"');
	str_add(out, p, (size_t)(end - p));
	if (quoted)
		str_putc(out, '"');
}

static void field_text(struct str *out, const char *name, const char *text)
{
	put_name(out, name);
	put_text(out, text);
}

static void field_int(struct str *out, const char *name, uint64_t v, bool is_signed)
{
	put_name(out, name);
	put_int(out, v, is_signed);
}

static void put_bytes(struct str *out, const unsigned char *b, size_t n)
{
	str_putc(out, '{');
	put_name(out, "bytes");
	str_putc(out, '"');
	while (n--)
		str_printf(out, "%02x", *b++);
	str_puts(out, "\"}");
}

static void put_frame(struct print *p, bool user, uint64_t pid, uint64_t addr)
{
	struct consumer_sym s;

	str_putc(p->out, '{');
	put_name(p->out, "address");
	str_printf(p->out, "\"0x%" PRIx64 "\"", addr);
	if (print_sym_find(p, user, pid, addr, &s)) {
		field_text(p->out, "module", s.module);
		if (s.function)
			field_text(p->out, "function", s.function);
		if (s.function || s.unresolved)
			field_int(p->out, "offset", s.offset, false);
	}
	str_putc(p->out, '}');
}

static void put_stack(struct print *p, const struct print_value *v)
{
	const uint64_t *pcs = v->data;
	bool more;
	size_t n = print_stack_depth(v, &more), i;
	uint64_t pc;

	str_putc(p->out, '{');
	put_name(p->out, "frames");
	str_putc(p->out, '[');
	for (i = 0; i < n; i++) {
		memcpy(&pc, pcs + i, sizeof(pc));
		put_comma(p->out);
		put_frame(p, v->kind == FIELD_USTACK, v->pid, pc);
	}
	str_putc(p->out, ']');
	put_name(p->out, "truncated");
	str_printf(p->out, "%s}", more ? "true" : "false");
}

static void put_value(struct print *p, const struct print_value *v)
{
	struct type *t = v->type ? type_resolve(v->type) : NULL;
	size_t n;

	switch (v->kind) {
	case FIELD_INT: put_int(p->out, v->value, v->is_signed); break;
	case FIELD_STRING: json_string(p->out, v->data, v->size); break;
	case FIELD_STACK:
	case FIELD_USTACK: put_stack(p, v); break;
	case FIELD_SYM:
	case FIELD_USYM: put_frame(p, v->kind == FIELD_USYM, v->pid, v->value); break;
	case FIELD_BYTES:
		if (t && print_is_text(t, v->data, v->size, &n) && !p->opt->rawbytes)
			json_string(p->out, v->data, n);
		else
			put_bytes(p->out, v->data, v->size);
		break;
	default: str_puts(p->out, "null");
	}
}

static void put_values(struct print *p, const char *name, const struct print_value *v, size_t n)
{
	size_t i;

	put_name(p->out, name);
	str_putc(p->out, '[');
	for (i = 0; i < n; i++) {
		put_comma(p->out);
		put_value(p, &v[i]);
	}
	str_putc(p->out, ']');
}

/* ---- aggregations --------------------------------------------------------------------------- */

static void put_bound(struct str *out, const char *name, bool bounded, int64_t v)
{
	put_name(out, name);
	if (bounded)
		put_int(out, (uint64_t)v, true);
	else
		str_puts(out, "null");
}

static void put_buckets(struct str *out, const struct aggdesc *d, const uint64_t *value,
			uint64_t normal)
{
	uint32_t n = value ? agg_buckets(d) : 0, i;

	put_name(out, "buckets");
	str_putc(out, '[');
	for (i = 0; i < n; i++) {
		struct agg_bucket b;

		if (!value[i] || !agg_bucket_get(d, i, &b))
			continue;
		put_comma(out);
		str_putc(out, '{');
		put_bound(out, "min", b.has_min, b.min);
		put_bound(out, "max", b.has_max, b.max);
		field_int(out, "count", (uint64_t)agg_divide((int64_t)value[i], normal), true);
		str_putc(out, '}');
	}
	str_putc(out, ']');
}

static void put_keys(struct consumer *c, const struct agg_entry *e)
{
	size_t n = aggs_desc(c->aggs, e->agg)->nkeys, i;
	struct print_value *keys = mem_alloc((n + 1) * sizeof(*keys));
	struct agg_keypart k;

	for (i = 0; i < n; i++) {
		agg_key_part(c->aggs, e, i, &k);
		print_value_key(&keys[i], &k);
	}
	put_values(&c->print, "keys", keys, n);
	free(keys);
}

/* value NULL: it has none for this key. */
static void put_agg_value(struct consumer *c, const struct aggdesc *d, const uint64_t *value)
{
	uint64_t normal = aggs_normal(c->aggs, d->id);
	struct str *out = c->print.out;

	if (agg_is_distribution(d))
		put_buckets(out, d, value, normal);
	else
		field_int(out, "value", value ? (uint64_t)agg_value_number(d, value, normal) : 0,
			  d->func != FN_stddev);
}

static void put_entry(struct consumer *c, const struct agg_entry *e)
{
	put_keys(c, e);
	put_agg_value(c, aggs_desc(c->aggs, e->agg), e->value);
}

static void put_agg_head(struct consumer *c, const struct aggdesc *d)
{
	field_text(c->print.out, "name", d->name);
	field_text(c->print.out, "function", func_get(d->func)->name);
	field_int(c->print.out, "normal", aggs_normal(c->aggs, d->id), false);
}

static int entry_in_list(void *arg, const struct agg_entry *e)
{
	struct consumer *c = arg;

	put_comma(c->print.out);
	str_putc(c->print.out, '{');
	put_entry(c, e);
	str_putc(c->print.out, '}');
	aggs_set_printed(c->aggs, e->agg);
	return c->abort ? 1 : 0;
}

static int entry_line(void *arg, const struct agg_entry *e)
{
	struct consumer *c = arg;

	str_putc(c->print.out, '{');
	field_text(c->print.out, "type", "aggregation");
	put_agg_head(c, aggs_desc(c->aggs, e->agg));
	put_entry(c, e);
	str_puts(c->print.out, "}\n");
	return c->abort ? 1 : 0;
}

void json_aggregation(struct consumer *c, uint32_t id)
{
	struct agg_sort sort = consumer_sort(c);

	aggs_walk(c->aggs, id, &sort, entry_line, c);
}

/* ---- records -------------------------------------------------------------------------------- */

static void put_probe(struct str *out, const struct ecb *e)
{
	put_name(out, "probe");
	str_putc(out, '{');
	field_int(out, "id", e->probe_id, false);
	field_text(out, "provider", e->prov);
	field_text(out, "module", e->mod);
	field_text(out, "function", e->func);
	field_text(out, "name", e->name);
	str_putc(out, '}');
}

/* What all records of an enabled probe have, made once. */
static void put_ecb(struct consumer *c, struct str *out, const struct ecb *e)
{
	struct ecb_info *info = (struct ecb_info *)ecb_info_get(c, e);
	struct str text = { 0 };

	if (!info->json) {
		str_putc(&text, ',');
		str_printf(&text, "\"epid\":%u", e->epid);
		put_probe(&text, e);
		info->json = text.s;
		info->json_len = (uint32_t)text.n;
	}
	str_add(out, info->json, info->json_len);
}

void json_record_begin(struct consumer *c, const struct consumer_data *d)
{
	struct str *out = &c->aside;

	out->n = 0;
	c->print.out = out;
	str_putc(out, '{');
	field_text(out, "type", "record");
	field_int(out, "cpu", (uint64_t)d->cpu, true);
	put_ecb(c, out, d->ecb);
	if (d->time)
		field_int(out, "time", d->time, false);
	put_name(out, "actions");
	str_putc(out, '[');
}

void json_record_end(struct consumer *c, bool shown)
{
	if (c->print.out != &c->aside)
		return;
	c->print.out = &c->out.buf;
	if (!shown)
		return;
	c->lines++;
	str_puts(&c->aside, "]}\n");
	str_add(&c->out.buf, c->aside.s, c->aside.n);
}

/* Of a printa() with several aggregations: one entry for each key that any of them has. */
struct joined {
	struct consumer *c;
	const uint32_t *ids;
};

static int joined_entry(void *arg, const struct agg_entry *key, const uint64_t *const *values,
			size_t n)
{
	struct joined *j = arg;
	struct str *out = j->c->print.out;

	put_comma(out);
	str_putc(out, '{');
	put_keys(j->c, key);
	put_name(out, "values");
	str_putc(out, '[');
	for (size_t i = 0; i < n; i++) {
		put_comma(out);
		str_putc(out, '{');
		put_agg_value(j->c, aggs_desc(j->c->aggs, j->ids[i]), values[i]);
		str_putc(out, '}');
	}
	str_puts(out, "]}");
	return j->c->abort ? 1 : 0;
}

static void put_printed(struct consumer *c, const struct action *a)
{
	struct agg_sort sort = consumer_sort(c);
	struct str *out = c->print.out;
	VEC(uint32_t) ids = { 0 };
	struct joined j = { .c = c };

	put_name(out, "aggregations");
	str_putc(out, '[');
	for (size_t i = 0; i < a->nfields; i++) {
		const struct aggdesc *d = aggs_desc(c->aggs, (uint32_t)a->fields[i].value);

		if (a->fields[i].kind != FIELD_AGG || !d)
			continue;
		vec_push(&ids, d->id);
		put_comma(out);
		str_putc(out, '{');
		put_agg_head(c, d);
		put_name(out, "entries");
		str_putc(out, '[');
		aggs_walk(c->aggs, d->id, &sort, entry_in_list, c);
		str_puts(out, "]}");
	}
	str_putc(out, ']');
	if (ids.n > 1) {
		j.ids = ids.v;
		put_name(out, "joined");
		str_putc(out, '[');
		aggs_walk_joined(c->aggs, ids.v, ids.n, &sort, joined_entry, &j);
		str_putc(out, ']');
	}
	vec_free(&ids);
}

/* The text of printf(), system(), freopen() and print(). */
static void put_formatted(struct consumer *c, const struct action *a,
			  const struct print_value *args, size_t nargs)
{
	struct str text = { 0 }, *out = c->print.out;

	c->print.out = &text;
	if (a->fmt)
		print_format(&c->print, a->fmt, args, nargs);
	else if (nargs > 1)
		print_tree(&c->print, args[0].value, &args[1]);
	else if (nargs)
		print_typed(&c->print, &args[0]);
	c->print.out = out;
	put_name(out, "text");
	json_string(out, str_c(&text), text.n);
	str_free(&text);
}

void json_action(struct consumer *c, const struct action *a, const struct print_value *args,
		 size_t nargs)
{
	struct str *out = c->print.out;
	struct print_value bytes;

	if (func_get(a->func)->flags & FUNC_RECORDS)
		put_comma(out);
	else
		return; /* clear() and the like have no line */
	str_putc(out, '{');
	field_text(out, "action", func_get(a->func)->name);
	if (a->func == FN_printa) {
		put_printed(c, a);
	} else if (a->func == FN_tracemem && nargs) {
		bytes = args[0];
		bytes.type = NULL;
		if (nargs > 1 && (int64_t)args[1].value >= 0 && args[1].value < bytes.size)
			bytes.size = (uint32_t)args[1].value;
		put_values(&c->print, "values", &bytes, 1);
	} else {
		if (a->fmt || a->func == FN_print)
			put_formatted(c, a, args, nargs);
		put_values(&c->print, "values", args, nargs);
	}
	str_putc(out, '}');
}

/* ---- everything else ------------------------------------------------------------------------ */

void json_drop(struct consumer *c, const struct consumer_drop *d)
{
	struct str *out = &c->out.buf;

	str_putc(out, '{');
	field_text(out, "type", "drop");
	field_text(out, "kind", d->tag + strlen("DTRACEDROP_"));
	put_name(out, "cpu");
	if (d->cpu < 0)
		str_puts(out, "null");
	else
		put_int(out, (uint64_t)d->cpu, true);
	field_int(out, "count", d->drops, false);
	field_int(out, "total", d->total, false);
	field_text(out, "text", d->text);
	str_puts(out, "}\n");
}

void json_error(struct consumer *c, const struct consumer_error *e)
{
	struct str *out = &c->out.buf;

	str_putc(out, '{');
	field_text(out, "type", "error");
	field_int(out, "cpu", (uint64_t)e->cpu, true);
	field_int(out, "epid", e->epid, false);
	if (e->ecb)
		put_probe(out, e->ecb);
	field_int(out, "action", e->action, false);
	field_int(out, "fault", e->fault, false);
	if (e->has_value)
		field_int(out, "value", e->value, false);
	field_text(out, "text", e->text);
	str_puts(out, "}\n");
}

void json_end(struct consumer *c)
{
	struct str *out = &c->out.buf;

	str_putc(out, '{');
	field_text(out, "type", "end");
	field_int(out, "status", c->exited ? (uint64_t)c->exit_status : 0, true);
	field_int(out, "records", c->lines, false);
	field_int(out, "errors", c->errors, false);
	put_name(out, "drops");
	str_putc(out, '{');
	for (size_t k = 0; k < ABI_DROP_NCAUSES; k++) {
		const char *name = drop_name(k);
		uint64_t sum = 0;

		for (uint32_t i = 0; i < c->nslots; i++)
			sum += c->drops[i][k];
		if (name)
			field_int(out, name, sum, false);
	}
	str_puts(out, "}}\n");
}
