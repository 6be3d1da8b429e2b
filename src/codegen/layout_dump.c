/* SPDX-License-Identifier: BSD-2-Clause */
/* Record layouts as text: for -x layout. */
#include "codegen/layout_dump.h"

static void dump_field(const struct field *f, struct types *ts, FILE *out)
{
	static const char *const kinds[] = {
		[FIELD_INT] = "integer",       [FIELD_STRING] = "string",
		[FIELD_BYTES] = "bytes",       [FIELD_STACK] = "stack",
		[FIELD_USTACK] = "user stack", [FIELD_SYM] = "address",
		[FIELD_USYM] = "user address", [FIELD_CONST_INT] = "constant",
		[FIELD_CONST_STRING] = "text", [FIELD_PROBE_STRING] = "name of the probe",
		[FIELD_AGG] = "aggregation",
	};

	fprintf(out, "\t\t%s", kinds[f->kind]);
	if (f->type)
		fprintf(out, " <%s>", type_name(ts, f->type));
	if (f->kind < FIELD_CONST_INT)
		fprintf(out, ", %u bytes at %u", f->size, f->offset);
	else
		fprintf(out, ", not recorded");
	fputc('\n', out);
}

static void dump_layout(const struct layout *l, struct types *ts, FILE *out)
{
	if (l->max == 0)
		fprintf(out, "no record\n");
	else if (l->max == l->fixed)
		fprintf(out, "record of %u bytes, header of %u\n", l->max, l->header);
	else
		fprintf(out, "record of at most %u bytes, %u fixed, header of %u\n", l->max,
			l->fixed, l->header);
	for (size_t i = 0; i < l->nactions; i++) {
		const struct action *a = &l->actions[i];

		fprintf(out, "\t%s, action #%d\n",
			func_get(a->func) ? func_get(a->func)->name : "value", a->number);
		for (size_t k = 0; k < a->nfields; k++)
			dump_field(&a->fields[k], ts, out);
	}
}

void layout_dump(const struct ecbs *ecbs, struct types *ts, FILE *out)
{
	for (size_t i = 0; i < ecbs->v.n; i++) {
		const struct ecb *e = &ecbs->v.v[i];

		fprintf(out, "EPID %u, %s:%s:%s:%s, clause %u: ", e->epid, e->prov, e->mod, e->func,
			e->name, e->clause);
		dump_layout(e->layout, ts, out);
	}
}
