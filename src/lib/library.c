/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * D libraries. Those of lib/ are embedded and found by an index of what they define: one is compiled when a name
 * in it is first asked for, which may be in the middle of a program. The libraries of the directories of -L, and
 * those that someone has added to the system's directory, have no index and are compiled before the first
 * program, each after those that it depends on.
 *
 * The system's directory is that of -x syslibdir, else ../lib/dtrace seen from the command, if there is one. A
 * library of ours that stands there is read instead of the embedded text.
 */
#include "lib/impl.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/str.h"
#include "lang/ident.h"
#include "lib/library_blob.h"

enum state { NEW, LOADING, LOADED, FAILED };

struct library {
	char *name;			 /* of the file */
	char *path;			 /* NULL: embedded only */
	const struct library_text *text; /* embedded text, or NULL */
	enum state state;
};

struct libraries {
	VEC(struct library *) v; /* the embedded ones first, as in library_texts[] */
	bool dirs_done;
	struct diag error; /* the first */
};

static struct library *add(struct libraries *libs, const char *name, const char *path)
{
	struct library *l = mem_alloc(sizeof(*l));

	l->name = mem_strdup(name);
	l->path = path ? mem_strdup(path) : NULL;
	vec_push(&libs->v, l);
	return l;
}

static struct libraries *libraries(dtrace_hdl_t *dtp)
{
	struct libraries *libs = dtp->libraries;

	if (libs)
		return libs;
	libs = dtp->libraries = mem_alloc(sizeof(*libs));
	for (unsigned int i = 0; i < library_ntexts; i++)
		add(libs, library_texts[i].name, NULL)->text = &library_texts[i];
	return libs;
}

void library_close(dtrace_hdl_t *dtp)
{
	struct libraries *libs = dtp->libraries;

	for (size_t i = 0; libs && i < libs->v.n; i++) {
		free(libs->v.v[i]->name);
		free(libs->v.v[i]->path);
		free(libs->v.v[i]);
	}
	if (libs) {
		vec_free(&libs->v);
		diag_clear(&libs->error);
	}
	free(libs);
	dtp->libraries = NULL;
}

/* ---- loading --------------------------------------------------------------------------------------------- */

static int fail(struct libraries *libs, const char *path, const char *why)
{
	struct srcloc nowhere = { 0 };

	return diag_error(&libs->error, NULL, nowhere, "failed to open library '%s': %s", path,
			  why);
}

static int load_text(dtrace_hdl_t *dtp, const char *name, const char *text, size_t len)
{
	struct libraries *libs = dtp->libraries;
	struct lang_source src = { .text = text,
				   .len = len,
				   .name = name,
				   .is_file = true,
				   .library = true,
				   .id = lang_source_id(dtp->ses) };
	struct dsession *ses = dtp->ses;
	struct diag d = { 0 };
	struct dprog *prog;
	bool was;

	ses->unmet = false;
	was = types_library(ses->types, true);
	prog = lang_compile(ses, &src, &d);
	types_library(ses->types, was);
	lang_prog_destroy(prog);
	/* What a library needs and is not there takes the rest of the library away, quietly. */
	if (!prog && !ses->unmet && !libs->error.set) {
		libs->error = d;
		return -1;
	}
	diag_clear(&d);
	ses->unmet = false;
	return libs->error.set ? -1 : 0;
}

static int load_preprocessed(dtrace_hdl_t *dtp, const struct library *l, const struct str *text)
{
	struct str out = { 0 };
	int rc;

	if (!opt_on(dtp->opt, OPT_CPP))
		return load_text(dtp, l->path, str_c(text), text->n);
	rc = cpp_run(dtp, l->path, str_c(text), text->n, &out);
	if (rc)
		rc = fail(dtp->libraries, l->path, dtrace_errmsg(NULL, rc));
	else
		rc = load_text(dtp, l->path, str_c(&out), out.n);
	str_free(&out);
	return rc;
}

static int load_file(dtrace_hdl_t *dtp, const struct library *l)
{
	struct str text = { 0 };
	FILE *fp = fopen(l->path, "re");
	int rc = -1;

	if (!fp)
		return fail(dtp->libraries, l->path, strerrordesc_np(errno));
	if (read_all(fp, &text) < 0)
		fail(dtp->libraries, l->path, strerrordesc_np(EIO));
	else
		rc = load_preprocessed(dtp, l, &text);
	str_free(&text);
	fclose(fp);
	return rc;
}

static int load(dtrace_hdl_t *dtp, struct library *l)
{
	int rc;

	if (l->state != NEW)
		return l->state == LOADED ? 0 : -1;
	l->state = LOADING;
	rc = l->path ? load_file(dtp, l)
		     : load_text(dtp, l->text->name, l->text->text, l->text->len);
	l->state = rc ? FAILED : LOADED;
	return rc;
}

/* ---- names ------------------------------------------------------------------------------------------------- */

static int compare_name(const void *key, const void *row)
{
	return strcmp(key, ((const struct library_name *)row)->name);
}

/* Timer ticks of the kernel a second: what libraries convert jiffies with. */
static bool define_hz(dtrace_hdl_t *dtp)
{
	struct dsession *ses = dtp->ses;
	struct timespec tick = { 0 };
	struct ident *id;

	if (clock_getres(CLOCK_MONOTONIC_COARSE, &tick) < 0 || tick.tv_nsec <= 0)
		return false;
	id = ident_create(ses, IDENT_ENUM, "_HZ", type_int(ses->types), 0);
	id->value = 1000000000 / tick.tv_nsec;
	id->declared = id->library = true;
	return true;
}

/* A name that nothing has defined: loads the library that does. */
static bool hook_name(void *arg, const char *name)
{
	dtrace_hdl_t *dtp = arg;
	const struct library_name *row;
	struct library *l;

	if (opt_on(dtp->opt, OPT_NOLIBS))
		return false;
	if (!strcmp(name, "_HZ"))
		return define_hz(dtp);
	row = bsearch(name, library_names, library_nnames, sizeof(*row), compare_name);
	if (!row)
		return false;
	l = libraries(dtp)->v.v[row->text];
	return l->state == NEW && load(dtp, l) == 0;
}

/* The last of that name: directories of -L come after what is embedded. */
static bool hook_library(void *arg, const char *name)
{
	dtrace_hdl_t *dtp = arg;
	struct libraries *libs = libraries(dtp);

	for (size_t i = libs->v.n; i > 0; i--)
		if (!strcmp(libs->v.v[i - 1]->name, name))
			return load(dtp, libs->v.v[i - 1]) == 0;
	return false;
}

void library_hooks(dtrace_hdl_t *dtp, struct lang_hooks *h)
{
	(void)dtp;
	h->find_name = hook_name;
	h->load_library = hook_library;
}

/* ---- directories ------------------------------------------------------------------------------------------- */

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int is_library(const struct dirent *e)
{
	size_t n = strlen(e->d_name);

	return n > 2 && e->d_name[0] != '.' && !strcmp(e->d_name + n - 2, ".d");
}

static struct library *embedded(struct libraries *libs, const char *name)
{
	for (unsigned int i = 0; i < library_ntexts; i++)
		if (!strcmp(library_texts[i].name, name))
			return libs->v.v[i];
	return NULL;
}

/* `system`: a file named like an embedded library takes its place. A directory that is not there holds nothing. */
static void add_dir(struct libraries *libs, const char *dir, bool system)
{
	struct dirent **e;
	int n = scandir(dir, &e, is_library, by_name);

	for (int i = 0; i < n; i++) {
		struct library *l = system ? embedded(libs, e[i]->d_name) : NULL;
		char *path = mem_printf("%s/%s", dir, e[i]->d_name);

		if (l && l->state == NEW && !l->path)
			l->path = mem_strdup(path);
		else if (!l)
			add(libs, e[i]->d_name, path);
		free(path);
		free(e[i]);
	}
	if (n >= 0)
		free(e);
}

/* What belongs to the command wherever it was installed. */
static void add_system_dir(dtrace_hdl_t *dtp, struct libraries *libs)
{
	char exe[PATH_MAX], *slash;
	ssize_t n;

	if (dtp->opt_text[OPT_SYSLIBDIR]) {
		add_dir(libs, dtp->opt_text[OPT_SYSLIBDIR], true);
		return;
	}
	n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	if (n <= 0)
		return;
	exe[n] = 0;
	for (int i = 0; i < 2; i++) {
		slash = strrchr(exe, '/');
		if (!slash || (i == 0 && strcmp(slash, "/dtrace")) ||
		    (i == 1 && strcmp(slash, "/bin")))
			return;
		*slash = 0;
	}
	char *dir = mem_printf("%s/lib/dtrace", exe);

	add_dir(libs, dir, true);
	free(dir);
}

int library_load_dirs(dtrace_hdl_t *dtp)
{
	struct libraries *libs = libraries(dtp);
	const char *s = dtp->opt_text[OPT_LIBDIR];

	if (libs->dirs_done || opt_on(dtp->opt, OPT_NOLIBS))
		return 0;
	libs->dirs_done = true;
	add_system_dir(dtp, libs);
	/* One directory a line. */
	while (s && *s) {
		size_t n = strcspn(s, "\n");
		char *dir = mem_strndup(s, n);

		add_dir(libs, dir, false);
		free(dir);
		s += n + (s[n] == '\n');
	}
	for (size_t i = library_ntexts; i < libs->v.n; i++)
		if (load(dtp, libs->v.v[i]) < 0)
			return -1;
	return 0;
}

bool library_error(dtrace_hdl_t *dtp, struct diag *d)
{
	struct libraries *libs = dtp->libraries;

	if (!libs || !libs->error.set)
		return false;
	diag_clear(d);
	*d = libs->error;
	libs->error = (struct diag){ 0 };
	return true;
}
