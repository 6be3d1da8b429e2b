/* SPDX-License-Identifier: BSD-2-Clause */
/* Probe descriptions: macros in them, their four fields, numeric ones. */
#include <ctype.h>
#include <string.h>

#include "lang/parse.h"

#define DESC_INVAL "invalid probe description \"%s\": %s"

/* Copies the description with its macros replaced. NULL after an error. */
static const char *substitute(struct parse *p, struct srcloc loc, struct text t)
{
	struct str out = { 0 };
	const char *value;
	size_t i = 0, from;
	bool missing;

	while (i < t.len) {
		if (t.s[i] != '$') {
			str_putc(&out, t.s[i++]);
			continue;
		}
		from = i;
		while (i < t.len && t.s[i] == '$')
			i++;
		if (i < t.len && isdigit((unsigned char)t.s[i])) {
			/* "$1hz": an argument's name is digits only */
			while (i < t.len && isdigit((unsigned char)t.s[i]))
				i++;
		} else {
			while (i < t.len && (isalnum((unsigned char)t.s[i]) || t.s[i] == '_'))
				i++;
		}
		value = macro_text(p, t.s + from, i - from, &missing);
		if (!value) {
			str_free(&out);
			parse_error(p, loc, "D_PDESC_INVAL", DESC_INVAL, t.s,
				    "Undefined macro variable in probe description");
			return NULL;
		}
		str_puts(&out, value);
	}
	value = arena_strdup(p->prog->arena, str_c(&out));
	str_free(&out);
	return value;
}

/* How many fields the option's text may have: -P 1, -m 2, -f 3, else 4. */
static int fields_max(enum spec_field field)
{
	switch (field) {
	case SPEC_PROV: return 1;
	case SPEC_MOD: return 2;
	case SPEC_FUNC: return 3;
	case SPEC_NAME: break;
	}
	return 4;
}

/* Fields fill from the right, ending in the option's own field. */
static int spec_fill(struct parse *p, struct probespec *spec)
{
	const char **fields[] = { &spec->prov, &spec->mod, &spec->func, &spec->name };
	int max = fields_max(p->src->field), n = 1, i;
	const char *at, *colon;

	const char *start = spec->text;

	/* Read from the right, nothing stands before a leading colon: it opens no field of its own. */
	if (*start == ':' && start[1])
		start++;
	for (at = start; *at; at++)
		n += *at == ':';
	if (n > max)
		return -1;
	for (i = 0; i < 4; i++)
		*fields[i] = "";
	at = start;
	for (i = max - n; i < max; i++) {
		colon = strchrnul(at, ':');
		*fields[i] = arena_strndup(p->prog->arena, at, colon - at);
		at = colon + 1;
	}
	return 0;
}

void probespec_add(struct parse *p, struct srcloc loc, struct text text)
{
	struct probespec spec = { .loc = loc };

	spec.text = substitute(p, loc, text);
	if (!spec.text)
		return;
	if (spec_fill(p, &spec) < 0) {
		parse_error(p, loc, "D_PDESC_INVAL", DESC_INVAL, spec.text,
			    "Overspecified probe description");
		return;
	}
	vec_push(&p->specs, spec);
}

void probespec_add_id(struct parse *p, struct srcloc loc, struct text text)
{
	static const char *const what[] = {
		[SPEC_FUNC] = "functions", [SPEC_MOD] = "modules", [SPEC_PROV] = "providers"
	};
	struct probespec spec = { .loc = loc, .text = text.s, .by_id = true };
	uint64_t id = 0;
	char bad;
	int rc;

	spec.prov = spec.mod = spec.func = spec.name = "";
	rc = scan_number(text.s, text.len, &id, &bad);
	if (bad) {
		parse_error(p, loc, "D_INT_DIGIT", "constant %s contains invalid digit %c", text.s,
			    bad);
	} else if (p->src->field != SPEC_NAME) {
		parse_error(p, loc, "D_PDESC_INVAL",
			    "probe identifier %llu not permitted when specifying %s",
			    (unsigned long long)id, what[p->src->field]);
	} else if (rc) {
		parse_error(p, loc, "D_INT_OFLOW", "constant %s results in integer overflow",
			    text.s);
	} else if (id > UINT32_MAX) {
		parse_error(p, loc, "D_PDESC_INVAL", "identifier %llu exceeds maximum probe id",
			    (unsigned long long)id);
	} else {
		spec.id = (uint32_t)id;
		vec_push(&p->specs, spec);
	}
}

int probespec_match(struct dsession *s, const struct probespec *spec, struct diag *d)
{
	const char *why;
	int n = s->hooks.probe_matches ? s->hooks.probe_matches(s->hooks.arg, spec, d) : 0;

	if (d->set)
		return -1;
	if (n > 0)
		return 0;
	if (spec->by_id)
		return diag_error(d, "D_PDESC_INVAL", spec->loc,
				  "invalid probe identifier %u: Unknown probe identifier",
				  spec->id);
	if (s->opt.zdefs)
		return 0;
	why = s->hooks.probe_unavailable ? s->hooks.probe_unavailable(s->hooks.arg, spec) : NULL;
	return diag_error(d, "D_PDESC_ZERO", spec->loc,
			  "probe description %s:%s:%s:%s does not match any probes%s%s%s", spec->prov,
			  spec->mod, spec->func, spec->name, why ? " (" : "", why ? why : "",
			  why ? ")" : "");
}
