/* SPDX-License-Identifier: BSD-2-Clause */
/* -l, and the stability reports of -v. */
#include "cmd.h"

#include <stdlib.h>
#include <string.h>

/* ---- reports --------------------------------------------------------------------------------- */

static void report_attr(const char *title, dtrace_attribute_t a)
{
	fprintf(cmd.out,
		"\n\t%s\n\t\tIdentifier Names: %s\n\t\tData Semantics:   %s\n"
		"\t\tDependency Class: %s\n",
		title, dtrace_stability_name(a.dtat_name), dtrace_stability_name(a.dtat_data),
		dtrace_class_name(a.dtat_class));
}

void report_program(const struct program *p)
{
	fprintf(cmd.out, "\nStability attributes for %s %s:\n",
		p->spec == DTRACE_PROBESPEC_NONE ? "script" : "description", p->name);
	report_attr("Minimum Probe Description Attributes", p->info.dpi_descattr);
	report_attr("Minimum Statement Attributes", p->info.dpi_stmtattr);
	if (!cmd.compile_only)
		fputc('\n', cmd.out);
}

static void report_types(const dtrace_probeinfo_t *info)
{
	fputs("\n\tArgument Types\n", cmd.out);
	for (int i = 0; i < info->dtp_argc; i++)
		fprintf(cmd.out, "\t\targs[%d]: %s\n", i,
			info->dtp_argv[i].dtt_name ? info->dtp_argv[i].dtt_name : "(unknown)");
	if (info->dtp_argc == 0)
		fputs("\t\tNone\n", cmd.out);
	fputc('\n', cmd.out);
}

static void report_probe(dtrace_hdl_t *dtp, const dtrace_probedesc_t *pdp)
{
	dtrace_probeinfo_t info;

	if (dtrace_probe_info(dtp, pdp, &info) < 0)
		return;
	report_attr("Probe Description Attributes", info.dtp_attr);
	report_attr("Argument Attributes", info.dtp_arga);
	report_types(&info);
}

/* ---- descriptions of a program --------------------------------------------------------------- */

/* Those met so far: several clauses of one description are listed once. */
struct seen {
	dtrace_probedesc_t *v;
	size_t n;
};

static bool seen_before(struct seen *s, const dtrace_probedesc_t *pdp)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->v[i].dtpd_id == pdp->dtpd_id &&
		    !strcmp(s->v[i].dtpd_provider, pdp->dtpd_provider) &&
		    !strcmp(s->v[i].dtpd_mod, pdp->dtpd_mod) &&
		    !strcmp(s->v[i].dtpd_func, pdp->dtpd_func) &&
		    !strcmp(s->v[i].dtpd_name, pdp->dtpd_name))
			return true;
	s->v = realloc(s->v, (s->n + 1) * sizeof(*s->v));
	if (!s->v)
		fatal("failed to allocate memory");
	s->v[s->n++] = *pdp;
	return false;
}

static int report_stmt(dtrace_hdl_t *dtp, dtrace_prog_t *pgp, dtrace_stmtdesc_t *sdp, void *arg)
{
	const dtrace_probedesc_t *d = &sdp->dtsd_ecbdesc->dted_probe;

	(void)pgp;
	if (seen_before(arg, d))
		return 0;
	fprintf(cmd.out, "\n%s:%s:%s:%s\n", d->dtpd_provider, d->dtpd_mod, d->dtpd_func,
		d->dtpd_name);
	report_probe(dtp, d);
	return 0;
}

void report_descriptions(const struct program *p)
{
	struct seen seen = { 0 };

	dtrace_stmt_iter(cmd.dtp, p->prog, report_stmt, &seen);
	free(seen.v);
}

/* ---- listing --------------------------------------------------------------------------------- */

static int list_probe(dtrace_hdl_t *dtp, const dtrace_probedesc_t *pdp, void *arg)
{
	(void)arg;
	fprintf(cmd.out, "%5u %10s %17s %33s %s\n", pdp->dtpd_id, pdp->dtpd_provider, pdp->dtpd_mod,
		pdp->dtpd_func, pdp->dtpd_name);
	if (cmd.verbose)
		report_probe(dtp, pdp);
	return 0;
}

static int list_stmt(dtrace_hdl_t *dtp, dtrace_prog_t *pgp, dtrace_stmtdesc_t *sdp, void *arg)
{
	const dtrace_probedesc_t *d = &sdp->dtsd_ecbdesc->dted_probe;

	(void)pgp;
	if (seen_before(arg, d))
		return 0;
	if (dtrace_probe_iter(dtp, d, list_probe, NULL) < 0) {
		fflush(cmd.out);
		message("failed to match %s:%s:%s:%s: %s", d->dtpd_provider, d->dtpd_mod,
			d->dtpd_func, d->dtpd_name, dtrace_errmsg(dtp, dtrace_errno(dtp)));
	}
	return 0;
}

void list_probes(void)
{
	fprintf(cmd.out, "%5s %10s %17s %33s %s\n", "ID", "PROVIDER", "MODULE", "FUNCTION", "NAME");
	if (cmd.nprograms == 0 && dtrace_probe_iter(cmd.dtp, NULL, list_probe, NULL) < 0)
		dfatal("failed to list probes");
	for (size_t i = 0; i < cmd.nprograms; i++) {
		struct seen seen = { 0 };

		dtrace_stmt_iter(cmd.dtp, cmd.programs[i].prog, list_stmt, &seen);
		free(seen.v);
	}
}
