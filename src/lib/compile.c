/* SPDX-License-Identifier: BSD-2-Clause */
/* D text to checked programs, and what is known of a program without running it. */
#include "lib/impl.h"

#include <errno.h>
#include <string.h>

#include "base/str.h"
#include "lib/enable.h"

/* ---- compilation ----------------------------------------------------------------------------- */

struct compilation {
	dtrace_hdl_t *dtp;
	unsigned int cflags;
};

/* #pragma D option. What it changes holds at once, for the rest of the text too. */
static const char *pragma_option(void *arg, const char *name, const char *value)
{
	struct compilation *c = arg;
	int rc = options_set(c->dtp, OPT_FROM_PROGRAM, name, value);

	if (rc)
		return dtrace_errmsg(NULL, rc);
	options_lang(c->dtp, c->cflags, &c->dtp->ses->opt);
	return NULL;
}

/* The hooks share one argument; the compiler's other questions are put to the handle. */
struct hook_arg {
	struct compilation c;
	struct lang_hooks probes;
};

static const char *hook_set_option(void *arg, const char *name, const char *value)
{
	return pragma_option(&((struct hook_arg *)arg)->c, name, value);
}

static int hook_probe_matches(void *arg, const struct probespec *spec, struct diag *d)
{
	struct lang_hooks *h = &((struct hook_arg *)arg)->probes;

	return h->probe_matches ? h->probe_matches(h->arg, spec, d) : 0;
}

static const char *hook_probe_unavailable(void *arg, const struct probespec *spec)
{
	struct lang_hooks *h = &((struct hook_arg *)arg)->probes;

	return h->probe_unavailable ? h->probe_unavailable(h->arg, spec) : NULL;
}

static void hook_probe_arg(void *arg, const struct probespec *spec, int n,
			   struct lang_probe_arg *out)
{
	struct lang_hooks *h = &((struct hook_arg *)arg)->probes;

	if (h->probe_arg)
		h->probe_arg(h->arg, spec, n, out);
}

static bool hook_symbol(void *arg, const char *module, const char *name, struct lang_symbol *sym)
{
	struct lang_hooks *h = &((struct hook_arg *)arg)->probes;

	return h->symbol && h->symbol(h->arg, module, name, sym);
}

static bool hook_provider_exists(void *arg, const char *name)
{
	struct lang_hooks *h = &((struct hook_arg *)arg)->probes;

	return h->provider_exists && h->provider_exists(h->arg, name);
}

static bool hook_module_exists(void *arg, const char *name)
{
	struct lang_hooks *h = &((struct hook_arg *)arg)->probes;

	return h->module_exists && h->module_exists(h->arg, name);
}

static bool hook_find_name(void *arg, const char *name)
{
	struct lang_hooks *h = &((struct hook_arg *)arg)->probes;

	return h->find_name && h->find_name(h->arg, name);
}

static bool hook_load_library(void *arg, const char *name)
{
	struct lang_hooks *h = &((struct hook_arg *)arg)->probes;

	return h->load_library && h->load_library(h->arg, name);
}

static const struct lang_hooks hooks = {
	.set_option = hook_set_option,
	.probe_matches = hook_probe_matches,
	.probe_unavailable = hook_probe_unavailable,
	.probe_arg = hook_probe_arg,
	.symbol = hook_symbol,
	.provider_exists = hook_provider_exists,
	.module_exists = hook_module_exists,
	.find_name = hook_find_name,
	.load_library = hook_load_library,
};

static void compile_error(dtrace_hdl_t *dtp, struct diag *d, const struct lang_source *src)
{
	char *text;

	lang_diag_show(d, dtp->ses, src);
	text = lang_diag_text(d, src, dtp->ses->opt.errtags);
	hdl_errorf(dtp, EDT_COMPILER, "%s", text);
	free(text);
	diag_clear(d);
}

static int check_amin(dtrace_hdl_t *dtp, const struct dprog *prog, struct diag *d);

static dtrace_prog_t *compile(dtrace_hdl_t *dtp, const struct lang_source *src, unsigned int cflags)
{
	struct hook_arg arg = { .c = { .dtp = dtp, .cflags = cflags } };
	bool libs = !(cflags & DTRACE_C_NOLIBS);
	struct dsession *ses = dtp->ses;
	struct diag d = { 0 };
	struct dprog *tree;
	dtrace_prog_t *pgp;

	probes_hooks(dtp, &arg.probes);
	if (libs)
		library_hooks(dtp, &arg.probes);
	ses->hooks = hooks;
	ses->hooks.arg = &arg;
	options_lang(dtp, cflags, &ses->opt);
	tree = !libs || library_load_dirs(dtp) == 0 ? lang_compile(ses, src, &d) : NULL;
	ses->hooks = (struct lang_hooks){ 0 };
	/* An error in a library needed on the way explains all others. */
	if (library_error(dtp, &d) || (tree && check_amin(dtp, tree, &d) < 0)) {
		lang_prog_destroy(tree);
		tree = NULL;
	}
	if (!tree) {
		compile_error(dtp, &d, src);
		return NULL;
	}
	if (opt_on(dtp->opt, OPT_TREE) && dtp->opt[OPT_TREE])
		lang_dump(tree, ses->types, stderr);
	/* Kept even if the next step fails: what it prepared so far names the tree. */
	pgp = mem_alloc(sizeof(*pgp));
	pgp->tree = tree;
	vec_push(&dtp->progs, pgp);
	if (enable_prepare(dtp, pgp, &d) < 0) {
		compile_error(dtp, &d, src);
		return NULL;
	}
	return pgp;
}

static bool compile_args_valid(dtrace_hdl_t *dtp, unsigned int cflags, int argc, char *const argv[])
{
	if ((cflags & ~DTRACE_C_MASK) == 0 && argc >= 0 && (argc == 0 || argv))
		return true;
	hdl_error(dtp, EINVAL);
	return false;
}

dtrace_prog_t *dtrace_program_strcompile(dtrace_hdl_t *dtp, const char *s, dtrace_probespec_t spec,
					 unsigned int cflags, int argc, char *const argv[])
{
	static const enum spec_field fields[] = {
		[DTRACE_PROBESPEC_PROVIDER] = SPEC_PROV,
		[DTRACE_PROBESPEC_MOD] = SPEC_MOD,
		[DTRACE_PROBESPEC_FUNC] = SPEC_FUNC,
		[DTRACE_PROBESPEC_NAME] = SPEC_NAME,
	};
	struct lang_source src = { .text = s,
				   .len = strlen(s),
				   .name = s,
				   .argc = argc,
				   .argv = argv,
				   .id = lang_source_id(dtp->ses) };

	if (!compile_args_valid(dtp, cflags, argc, argv))
		return NULL;
	if (spec < DTRACE_PROBESPEC_NONE || spec > DTRACE_PROBESPEC_NAME) {
		hdl_error(dtp, EINVAL);
		return NULL;
	}
	src.field = spec == DTRACE_PROBESPEC_NONE ? SPEC_NAME : fields[spec];
	return compile(dtp, &src, cflags);
}

int read_all(FILE *fp, struct str *text)
{
	char buf[4096];
	size_t n;

	while ((n = fread(buf, 1, sizeof(buf), fp)) > 0)
		str_add(text, buf, n);
	return ferror(fp) ? -1 : 0;
}

/* Puts the text through cpp. 0, or -1 with the error recorded. */
static int preprocess(dtrace_hdl_t *dtp, const char *name, struct str *text)
{
	struct str out = { 0 };
	int rc = cpp_run(dtp, name, str_c(text), text->n, &out);

	str_free(text);
	*text = out;
	return rc ? hdl_error(dtp, rc) : 0;
}

dtrace_prog_t *dtrace_program_fcompile(dtrace_hdl_t *dtp, FILE *fp, unsigned int cflags, int argc,
				       char *const argv[])
{
	struct lang_source src = { .is_file = true,
				   .field = SPEC_NAME,
				   .argc = argc,
				   .argv = argv,
				   .id = lang_source_id(dtp->ses) };
	struct str text = { 0 };
	dtrace_prog_t *pgp = NULL;

	if (!compile_args_valid(dtp, cflags, argc, argv))
		return NULL;
	src.name = argc > 0 ? argv[0] : "";
	if (read_all(fp, &text) < 0) {
		hdl_error(dtp, EDT_FIO);
	} else if (!(opt_on(dtp->opt, OPT_CPP) || (cflags & DTRACE_C_CPP)) ||
		   preprocess(dtp, src.name, &text) == 0) {
		src.text = str_c(&text);
		src.len = text.n;
		pgp = compile(dtp, &src, cflags);
	}
	str_free(&text);
	return pgp;
}

int dtrace_code_dump(dtrace_hdl_t *dtp, FILE *fp)
{
	return enable_dump(dtp, fp);
}

void compile_close(dtrace_hdl_t *dtp)
{
	for (size_t i = 0; i < dtp->progs.n; i++) {
		lang_prog_destroy(dtp->progs.v[i]->tree);
		free(dtp->progs.v[i]);
	}
	vec_free(&dtp->progs);
}

/* ---- stability ------------------------------------------------------------------------------- */

#define ATTR(name, data, class)                                                  \
	((dtrace_attribute_t){ DTRACE_STABILITY_##name, DTRACE_STABILITY_##data, \
			       DTRACE_CLASS_##class })

/* What the nodes of one clause amount to: args is the attribute of its probe's arguments. */
struct survey {
	bool opaque; /* within what stands for a name with a stability of its own */
	dtrace_attribute_t attr, args;
	dtrace_proginfo_t *info;
};

static void survey_least(struct survey *s, dtrace_attribute_t a)
{
	s->attr = list_attr_min(s->attr, a);
}

static uint32_t attr_pack(dtrace_attribute_t a)
{
	return (uint32_t)(a.dtat_name + 1) << 16 | (uint32_t)(a.dtat_data + 1) << 8 |
	       (uint32_t)(a.dtat_class + 1);
}

static void survey_var(struct survey *s, const struct ident *id)
{
	if (!id || s->opaque)
		return;
	if (id->attr)
		survey_least(s, list_attr_unpack(id->attr));
	else if (id->kind == IDENT_SYMBOL)
		survey_least(s, ATTR(PRIVATE, PRIVATE, UNKNOWN));
	else if (id->kind == IDENT_BUILTIN && id->builtin >= BUILTIN_ARG0 &&
		 id->builtin <= BUILTIN_ARGS)
		survey_least(s, s->args);
	else if (id->kind == IDENT_BUILTIN && id->builtin == BUILTIN_CURTHREAD)
		survey_least(s, ATTR(STABLE, PRIVATE, COMMON));
}

static void survey_node(struct survey *s, const struct node *n);

static void survey_list(struct survey *s, const struct node_list *l)
{
	for (size_t i = 0; i < l->n; i++)
		survey_node(s, l->v[i]);
}

/* Is n a member of a structure of the kernel's? */
static bool kernel_member(const struct node *n)
{
	struct type *t = n->a && n->a->type ? type_resolve(n->a->type) : NULL;

	if (t && t->kind == TYPE_POINTER)
		t = type_resolve(t->ref);
	return t && t->btf_id;
}

/* A variable has the stability of what it is assigned first. */
static void survey_assign(struct survey *s, const struct node *n)
{
	struct survey value = { .attr = ATTR(STABLE, STABLE, COMMON), .args = s->args };
	struct ident *id = n->a->kind == NODE_VAR     ? n->a->u.var.ident
			   : n->a->kind == NODE_INDEX ? n->a->u.index.ident
						      : NULL;

	if (!id || id->attr || id->declared || s->opaque)
		return;
	survey_node(&value, n->b);
	id->attr = attr_pack(value.attr);
}

static void survey_operands(struct survey *s, const struct node *n)
{
	switch (n->kind) {
	case NODE_VAR: survey_var(s, n->u.var.ident); break;
	case NODE_INDEX:
		survey_var(s, n->u.index.ident);
		survey_list(s, &n->u.index.keys);
		break;
	case NODE_AGG: survey_list(s, &n->u.agg.keys); break;
	case NODE_CALL:
		survey_list(s, &n->u.call.args);
		if (s->info && n->u.call.func && n->u.call.func->id == FN_speculate)
			s->info->dpi_speculations++;
		break;
	case NODE_ASSIGN: survey_assign(s, n); break;
	case NODE_MEMBER:
		if (!s->opaque && kernel_member(n))
			survey_least(s, ATTR(PRIVATE, PRIVATE, UNKNOWN));
		break;
	default: break;
	}
	survey_node(s, n->a);
	survey_node(s, n->b);
	survey_node(s, n->c);
}

static void survey_node(struct survey *s, const struct node *n)
{
	bool opaque = s->opaque;

	if (!n)
		return;
	s->opaque = n->opaque || (opaque && !n->counts);
	survey_operands(s, n);
	s->opaque = opaque;
}

static void survey_stmts(struct survey *s, const struct stmt *st)
{
	for (; st; st = st->next) {
		if (s->info && st->kind == STMT_AGG)
			s->info->dpi_aggregates++;
		if (s->info && st->kind == STMT_ACTION && st->expr->u.call.func &&
		    (st->expr->u.call.func->flags & FUNC_RECORDS))
			s->info->dpi_recgens++;
		survey_node(s, st->expr);
		survey_node(s, st->agg);
		survey_stmts(s, st->then);
		survey_stmts(s, st->els);
	}
}

static dtrace_attribute_t survey_clause(const struct clause *c, dtrace_attribute_t args,
					dtrace_proginfo_t *info)
{
	struct survey s = { .attr = ATTR(STABLE, STABLE, COMMON), .args = args, .info = info };

	survey_node(&s, c->pred);
	survey_stmts(&s, c->body);
	if (c->attr)
		survey_least(&s, list_attr_unpack(c->attr));
	return s.attr;
}

static bool attr_below(dtrace_attribute_t a, dtrace_attribute_t min)
{
	return a.dtat_name < min.dtat_name || a.dtat_data < min.dtat_data ||
	       a.dtat_class < min.dtat_class;
}

/* -x amin: no clause may be less stable, with the descriptions of its probes. 0, or -1 with *d set. */
static int check_amin(dtrace_hdl_t *dtp, const struct dprog *prog, struct diag *d)
{
	dtrace_attribute_t min, a, args;
	char text[64];

	if (!dtp->opt_text[OPT_AMIN] || dtrace_str2attr(dtp->opt_text[OPT_AMIN], &min) < 0)
		return 0;
	for (const struct clause *c = prog->clauses; c; c = c->next) {
		for (size_t i = 0; i < c->nspecs; i++) {
			list_spec_attr(dtp, c->specs[i].prov, &a, &args);
			a = list_attr_min(a, survey_clause(c, args, NULL));
			if (attr_below(a, min))
				return diag_error(
					d, "D_ATTR_MIN", c->loc,
					"attributes for clause (%s) are less than predefined "
					"minimum",
					dtrace_attr2str(a, text, sizeof(text)));
		}
	}
	return 0;
}

void dtrace_program_info(dtrace_hdl_t *dtp, dtrace_prog_t *pgp, dtrace_proginfo_t *pip)
{
	dtrace_attribute_t desc, args;

	*pip = (dtrace_proginfo_t){ .dpi_descattr = ATTR(STANDARD, STANDARD, COMMON),
				    .dpi_stmtattr = ATTR(STANDARD, STANDARD, COMMON) };
	for (const struct clause *c = pgp->tree->clauses; c; c = c->next) {
		for (size_t i = 0; i < c->nspecs; i++) {
			struct diag d = { 0 };
			int n = probes_match(dtp->probes, &c->specs[i], &d, NULL, NULL);

			diag_clear(&d);
			pip->dpi_matches += n > 0 ? n : 0;
			list_spec_attr(dtp, c->specs[i].prov, &desc, &args);
			pip->dpi_descattr = list_attr_min(pip->dpi_descattr, desc);
			pip->dpi_stmtattr = list_attr_min(pip->dpi_stmtattr,
							  survey_clause(c, args, i ? NULL : pip));
		}
	}
}

int dtrace_stmt_iter(dtrace_hdl_t *dtp, dtrace_prog_t *pgp, dtrace_stmt_f *func, void *arg)
{
	int rc = 0;

	for (const struct clause *c = pgp->tree->clauses; c && !rc; c = c->next) {
		for (size_t i = 0; i < c->nspecs && !rc; i++) {
			const struct probespec *ps = &c->specs[i];
			dtrace_ecbdesc_t edesc;
			dtrace_stmtdesc_t sd = { .dtsd_ecbdesc = &edesc, .dtsd_clause = c->index };
			dtrace_attribute_t args;

			list_desc_names(ps->prov, ps->mod, ps->func, ps->name, ps->id,
					&edesc.dted_probe);
			list_spec_attr(dtp, ps->prov, &sd.dtsd_descattr, &args);
			sd.dtsd_stmtattr = survey_clause(c, args, NULL);
			rc = func(dtp, pgp, &sd, arg);
		}
	}
	return rc;
}
