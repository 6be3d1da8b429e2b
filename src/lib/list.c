/* SPDX-License-Identifier: BSD-2-Clause */
/* Probes and their stability, as clients see them. */
#include "lib/impl.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/str.h"

/* ---- stability ------------------------------------------------------------------------------- */

static const char *const stability_names[] = {
	"Internal", "Private", "Obsolete", "External", "Unstable", "Evolving", "Stable", "Standard",
};
static const char *const class_names[] = { "Unknown", "CPU", "Platform", "Group", "ISA", "Common" };

const char *dtrace_stability_name(dtrace_stability_t s)
{
	return s < ARRAY_SIZE(stability_names) ? stability_names[s] : NULL;
}

const char *dtrace_class_name(dtrace_class_t c)
{
	return c < ARRAY_SIZE(class_names) ? class_names[c] : NULL;
}

char *dtrace_attr2str(dtrace_attribute_t attr, char *buf, size_t len)
{
	const char *name = dtrace_stability_name(attr.dtat_name);
	const char *data = dtrace_stability_name(attr.dtat_data);
	const char *class = dtrace_class_name(attr.dtat_class);

	snprintf(buf, len, "%s/%s/%s", name ? name : "?", data ? data : "?", class ? class : "?");
	return buf;
}

/*
 * The word up to `stop`; its number in the table, or -1. Initials of the tables in the sources
 * will do.
 */
static int name_index(const char *const *names, size_t n, const char *s, size_t len)
{
	for (size_t i = 0; i < n; i++)
		if (strlen(names[i]) == len && !strncasecmp(names[i], s, len))
			return i;
	return -1;
}

int dtrace_str2attr(const char *s, dtrace_attribute_t *attr)
{
	const char *a = strchr(s, '/');
	const char *b = a ? strchr(a + 1, '/') : NULL;
	int name, data, class;

	if (!b)
		return -1;
	name = name_index(stability_names, ARRAY_SIZE(stability_names), s, a - s);
	data = name_index(stability_names, ARRAY_SIZE(stability_names), a + 1, b - a - 1);
	class = name_index(class_names, ARRAY_SIZE(class_names), b + 1, strlen(b + 1));
	if (name < 0 || data < 0 || class < 0)
		return -1;
	*attr = (dtrace_attribute_t){ name, data, class };
	return 0;
}

dtrace_attribute_t list_attr_min(dtrace_attribute_t a, dtrace_attribute_t b)
{
	return (dtrace_attribute_t){
		MIN(a.dtat_name, b.dtat_name),
		MIN(a.dtat_data, b.dtat_data),
		MIN(a.dtat_class, b.dtat_class),
	};
}

static const dtrace_attribute_t attr_unknown = {
	DTRACE_STABILITY_UNSTABLE,
	DTRACE_STABILITY_UNSTABLE,
	DTRACE_CLASS_COMMON,
};

static dtrace_attribute_t attr_of(const char *text)
{
	dtrace_attribute_t a;

	return text && dtrace_str2attr(text, &a) == 0 ? a : attr_unknown;
}

/* As identifiers and definitions of providers keep it: components counted from 1. */
dtrace_attribute_t list_attr_unpack(uint32_t attr)
{
	return (dtrace_attribute_t){ (attr >> 16 & 0xff) - 1, (attr >> 8 & 0xff) - 1,
				     (attr & 0xff) - 1 };
}

/* The definition of a provider of user programs in one of our programs: a process id stands behind its name. */
static const struct provdef *definition(const dtrace_hdl_t *dtp, const char *prov)
{
	size_t n = strlen(prov);

	while (n && isdigit((unsigned char)prov[n - 1]))
		n--;
	for (size_t i = 0; i < dtp->ses->providers.n; i++) {
		const struct provdef *d = dtp->ses->providers.v[i];

		if (strlen(d->name) == n && !strncmp(d->name, prov, n))
			return d;
	}
	return NULL;
}

/* That of the definition, if it says so, else that of the provider, which may be NULL. */
static void provider_attr(const dtrace_hdl_t *dtp, const char *name, const struct provider *p,
			  dtrace_attribute_t *desc, dtrace_attribute_t *args)
{
	static const struct provider_stability none;
	const struct provider_stability *st = p ? &p->ops->stability : &none;
	const char *const texts[] = { st->provider, st->module, st->function, st->name, st->args };
	const struct provdef *d = definition(dtp, name);
	dtrace_attribute_t a[PROVDEF_NATTRS];

	for (int i = 0; i < PROVDEF_NATTRS; i++)
		a[i] = d && d->attr[i] ? list_attr_unpack(d->attr[i]) : attr_of(texts[i]);
	*desc = list_attr_min(list_attr_min(a[PROVDEF_PROVIDER], a[PROVDEF_MODULE]),
			      list_attr_min(a[PROVDEF_FUNCTION], a[PROVDEF_NAME]));
	*args = a[PROVDEF_ARGS];
}

void list_spec_attr(dtrace_hdl_t *dtp, const char *prov, dtrace_attribute_t *desc,
		    dtrace_attribute_t *args)
{
	provider_attr(dtp, prov, probes_provider(dtp->probes, prov), desc, args);
}

/* ---- descriptions ---------------------------------------------------------------------------- */

static void copy(char *to, size_t size, const char *from)
{
	size_t n = strnlen(from, size - 1);

	memcpy(to, from, n);
	to[n] = 0;
}

void list_desc_names(const char *prov, const char *mod, const char *func, const char *name,
		     uint32_t id, dtrace_probedesc_t *out)
{
	out->dtpd_id = id;
	copy(out->dtpd_provider, sizeof(out->dtpd_provider), prov);
	copy(out->dtpd_mod, sizeof(out->dtpd_mod), mod);
	copy(out->dtpd_func, sizeof(out->dtpd_func), func);
	copy(out->dtpd_name, sizeof(out->dtpd_name), name);
}

void list_desc(const struct probe *p, dtrace_probedesc_t *out)
{
	list_desc_names(p->prov, p->mod, p->func, p->name, p->id, out);
}

char *dtrace_desc2str(const dtrace_probedesc_t *pdp, char *buf, size_t len)
{
	if (pdp->dtpd_id != DTRACE_IDNONE)
		snprintf(buf, len, "%u", pdp->dtpd_id);
	else
		snprintf(buf, len, "%s:%s:%s:%s", pdp->dtpd_provider, pdp->dtpd_mod, pdp->dtpd_func,
			 pdp->dtpd_name);
	return buf;
}

int dtrace_id2desc(dtrace_hdl_t *dtp, dtrace_id_t id, dtrace_probedesc_t *pdp)
{
	int rc = probes_provide_all(dtp->probes);

	if (rc < 0)
		return hdl_error(dtp, -rc);
	if (id == DTRACE_IDNONE || id > dtp->probes->v.n)
		return hdl_error(dtp, EDT_BADID);
	list_desc(dtp->probes->v.v[id - 1], pdp);
	return 0;
}

int dtrace_str2desc(dtrace_hdl_t *dtp, dtrace_probespec_t spec, const char *s,
		    dtrace_probedesc_t *pdp)
{
	char *const field[] = { pdp->dtpd_provider, pdp->dtpd_mod, pdp->dtpd_func, pdp->dtpd_name };
	static const size_t size[] = { DTRACE_PROVNAMELEN, DTRACE_MODNAMELEN, DTRACE_FUNCNAMELEN,
				       DTRACE_NAMELEN };
	const char *end = s + strlen(s);
	int at = spec;

	if (spec < DTRACE_PROBESPEC_PROVIDER || spec > DTRACE_PROBESPEC_NAME)
		return hdl_error(dtp, EINVAL);
	*pdp = (dtrace_probedesc_t){ 0 };
	if (spec == DTRACE_PROBESPEC_NAME && *s && s[strspn(s, "0123456789")] == 0)
		return dtrace_id2desc(dtp, strtoul(s, NULL, 10), pdp);
	for (;; at--) {
		const char *start = end;

		if (at < 0)
			return hdl_error(dtp, EDT_BADSPEC);
		while (start > s && start[-1] != ':')
			start--;
		if ((size_t)(end - start) >= size[at])
			return hdl_error(dtp, ENAMETOOLONG);
		memcpy(field[at], start, end - start);
		/* A colon in front of everything opens no field of its own. */
		if (start == s || start - 1 == s)
			return 0;
		end = start - 1;
	}
}

/* ---- iteration ------------------------------------------------------------------------------- */

struct found {
	VEC(struct probe *) v;
};

static void found_add(void *arg, struct probe *p)
{
	vec_push(&((struct found *)arg)->v, p);
}

static struct probespec spec_of(const dtrace_probedesc_t *pdp)
{
	return (struct probespec){
		.prov = pdp->dtpd_provider,
		.mod = pdp->dtpd_mod,
		.func = pdp->dtpd_func,
		.name = pdp->dtpd_name,
		.text = "",
		.id = pdp->dtpd_id,
		.by_id = pdp->dtpd_id != DTRACE_IDNONE,
	};
}

static int no_probe(dtrace_hdl_t *dtp, const dtrace_probedesc_t *pdp)
{
	struct probespec spec = pdp ? spec_of(pdp) : (struct probespec){ .prov = "" };
	const char *why = probes_unavailable(dtp->probes, &spec);

	if (!why)
		return hdl_error(dtp, EDT_NOPROBE);
	return hdl_errorf(dtp, EDT_NOPROBE, "%s (%s)", dtrace_errmsg(NULL, EDT_NOPROBE), why);
}

/* The probes of a description; NULL: all. 0, or -1 with the error recorded. */
static int find_probes(dtrace_hdl_t *dtp, const dtrace_probedesc_t *pdp, struct found *f)
{
	struct probespec spec;
	struct diag d = { 0 };
	int rc;

	if (!pdp) {
		rc = probes_provide_all(dtp->probes);
		if (rc < 0)
			return hdl_error(dtp, rc == -EPERM || rc == -EACCES ? EDT_ACCESS : -rc);
		for (size_t i = 0; i < dtp->probes->v.n; i++)
			vec_push(&f->v, dtp->probes->v.v[i]);
		return 0;
	}
	spec = spec_of(pdp);
	rc = probes_match(dtp->probes, &spec, &d, found_add, f);
	if (rc < 0)
		hdl_errorf(dtp, EDT_NOPROBE, "%s",
			   d.text ? d.text : dtrace_errmsg(NULL, EDT_NOPROBE));
	diag_clear(&d);
	return rc < 0 ? -1 : 0;
}

int dtrace_probe_iter(dtrace_hdl_t *dtp, const dtrace_probedesc_t *pdp, dtrace_probe_f *func,
		      void *arg)
{
	struct found f = { 0 };
	int rc = find_probes(dtp, pdp, &f);

	if (rc == 0 && f.v.n == 0)
		rc = no_probe(dtp, pdp);
	for (size_t i = 0; i < f.v.n && rc == 0; i++) {
		dtrace_probedesc_t desc;

		list_desc(f.v.v[i], &desc);
		rc = func(dtp, &desc, arg);
	}
	vec_free(&f.v);
	return rc;
}

/* The texts belong to the probe table; the array to the handle, until the next call. */
static int fill_args(dtrace_hdl_t *dtp, const struct probe *p)
{
	const struct provider_ops *ops = p->provider->ops;
	const char *const *types = ops->args ? ops->args(dtp->probes, p) : NULL;
	const struct probe_xarg *xargs = ops->xargs ? ops->xargs(dtp->probes, p) : NULL;
	int n = 0;

	list_free(dtp);
	while (xargs ? xargs[n].type != NULL : types && types[n])
		n++;
	dtp->argv = mem_alloc((n + 1) * sizeof(*dtp->argv));
	for (int i = 0; i < n; i++)
		dtp->argv[i].dtt_name = xargs ? xargs[i].type : types[i];
	return n;
}

int dtrace_probe_info(dtrace_hdl_t *dtp, const dtrace_probedesc_t *pdp, dtrace_probeinfo_t *pip)
{
	struct found f = { 0 };
	int rc = find_probes(dtp, pdp, &f);

	if (rc == 0 && f.v.n != 1)
		rc = hdl_error(dtp, f.v.n ? EDT_UNSTABLE : EDT_NOPROBE);
	if (rc == 0) {
		pip->dtp_argc = fill_args(dtp, f.v.v[0]);
		pip->dtp_argv = dtp->argv;
		provider_attr(dtp, f.v.v[0]->prov, f.v.v[0]->provider, &pip->dtp_attr,
			      &pip->dtp_arga);
	}
	vec_free(&f.v);
	return rc;
}

void list_free(dtrace_hdl_t *dtp)
{
	free(dtp->argv);
	dtp->argv = NULL;
}
