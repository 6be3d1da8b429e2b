/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Options: names, kinds of values, where each may be set. What an option does is found where
 * its value is read: dtp->opt by id, dtp->live by the consumer, struct lang_options by the
 * compiler.
 */
#include "lib/impl.h"

#include <ctype.h>
#include <errno.h>
#include <linux/capability.h>
#include <string.h>
#include <strings.h>
#include <sys/syscall.h>
#include <unistd.h>

extern char **environ;

enum when { COMPILE, RUN, DYNAMIC };
enum flags { NOPRAGMA = 1 << 0, UNBUILT = 1 << 1, NOCASE = 1 << 2 };

struct option_row;
typedef int setter(dtrace_hdl_t *dtp, enum opt o, const struct option_row *row, const char *value);

struct option_row {
	const char *name;
	setter *set;
	enum when when;
	unsigned int flags;
	dtrace_optval_t def;
	const char *arg;
};

static const struct option_row rows[];

/* ---- values ---------------------------------------------------------------------------------- */

/* A number in C notation without sign. false: none, or over 64 bits. */
static bool parse_number(const char *s, const char **end, uint64_t *out)
{
	char *stop;

	if (!isdigit((unsigned char)*s))
		return false;
	errno = 0;
	*out = strtoull(s, &stop, 0);
	*end = stop;
	return errno == 0;
}

/* Larger ones are cut to this: allocation then halves them. */
#define SIZE_LIMIT (INT64_MAX - (128 << 20))

static int parse_size(const char *s, dtrace_optval_t *out)
{
	static const char units[] = "kmgt";
	const char *end, *unit;
	uint64_t n;
	int shift = 0;

	if (!parse_number(s, &end, &n))
		return EDT_BADOPTVAL;
	if (*end) {
		unit = strchr(units, tolower((unsigned char)*end));
		if (!unit || end[1])
			return EDT_BADOPTVAL;
		shift = 10 * (unit - units + 1);
	}
	if (n > UINT64_MAX >> shift)
		return EDT_BADOPTVAL;
	n <<= shift;
	*out = n > SIZE_LIMIT ? SIZE_LIMIT : (dtrace_optval_t)n;
	return 0;
}

static const struct {
	const char *name;
	uint64_t ns;
} rate_units[] = {
	{ "ns", 1 },
	{ "nsec", 1 },
	{ "us", 1000 },
	{ "usec", 1000 },
	{ "ms", 1000000 },
	{ "msec", 1000000 },
	{ "s", 1000000000 },
	{ "sec", 1000000000 },
	{ "m", 60000000000 },
	{ "min", 60000000000 },
	{ "h", 3600000000000 },
	{ "hour", 3600000000000 },
	{ "d", 86400000000000 },
	{ "day", 86400000000000 },
};

static int parse_rate(const char *s, dtrace_optval_t *out)
{
	const char *end;
	uint64_t n;

	if (!parse_number(s, &end, &n))
		return EDT_BADOPTVAL;
	if (!*end || !strcasecmp(end, "hz")) {
		*out = n ? 1000000000 / n : 0;
		return 0;
	}
	for (size_t i = 0; i < ARRAY_SIZE(rate_units); i++) {
		if (strcasecmp(end, rate_units[i].name))
			continue;
		if (n > INT64_MAX / rate_units[i].ns)
			return EDT_BADOPTVAL;
		*out = n * rate_units[i].ns;
		return 0;
	}
	return EDT_BADOPTVAL;
}

static bool word_in(const char *s, const char *const *words)
{
	for (; *words; words++)
		if (!strcasecmp(s, *words))
			return true;
	return false;
}

/* The words that numbers and switches share. -1: none of them. */
static int parse_switch(const char *s)
{
	static const char *const on[] = { "yes", "enable", "enabled", "true", "on", "set", NULL };
	static const char *const off[] = { "",	    "no",  "disable", "disabled",
					   "false", "off", "unset",   NULL };

	return word_in(s, on) ? 1 : word_in(s, off) ? 0 : -1;
}

/* ---- setters, one per kind ------------------------------------------------------------------- */

static int set_value(dtrace_hdl_t *dtp, enum opt o, const struct option_row *row, dtrace_optval_t v)
{
	if (row->flags & UNBUILT)
		return EDT_NOOPT;
	dtp->opt[o] = v;
	return 0;
}

static int set_FLAG(dtrace_hdl_t *dtp, enum opt o, const struct option_row *row, const char *value)
{
	int rc;

	if (value)
		return EDT_BADOPTVAL;
	rc = set_value(dtp, o, row, 1);
	/* kdefs takes knodefs back and the other way round. */
	if (rc == 0 && row->arg)
		dtp->opt[o == OPT_KDEFS ? OPT_KNODEFS : OPT_UNODEFS] = OPT_UNSET;
	return rc;
}

static int set_BOOL(dtrace_hdl_t *dtp, enum opt o, const struct option_row *row, const char *value)
{
	const char *end;
	uint64_t n;
	int on = value ? parse_switch(value) : 1;

	if (on < 0) {
		if (!parse_number(value, &end, &n) || *end)
			return EDT_BADOPTVAL;
		on = n != 0;
	}
	return set_value(dtp, o, row, on ? 1 : OPT_UNSET);
}

static int set_SCALAR(dtrace_hdl_t *dtp, enum opt o, const struct option_row *row,
		      const char *value)
{
	const char *end;
	uint64_t n;
	int on;

	if (!value)
		return set_value(dtp, o, row, row->arg ? atoi(row->arg) : 0);
	on = parse_switch(value);
	if (on >= 0)
		return set_value(dtp, o, row, on ? 1 : row->def);
	if (!parse_number(value, &end, &n) || *end)
		return EDT_BADOPTVAL;
	return set_value(dtp, o, row, n > INT64_MAX ? INT64_MAX : (dtrace_optval_t)n);
}

static int set_SIZE(dtrace_hdl_t *dtp, enum opt o, const struct option_row *row, const char *value)
{
	dtrace_optval_t v = 0;
	int rc = value ? parse_size(value, &v) : 0;

	return rc ? rc : set_value(dtp, o, row, v);
}

static int set_RATE(dtrace_hdl_t *dtp, enum opt o, const struct option_row *row, const char *value)
{
	dtrace_optval_t v = 0;
	int rc = value ? parse_rate(value, &v) : 0;

	return rc ? rc : set_value(dtp, o, row, v);
}

/* Index of a word in "a|b|c", -1 if it is none. */
static int word_index(const char *words, const char *s, bool nocase)
{
	size_t n = strlen(s);

	for (int i = 0; *words; i++) {
		size_t len = strcspn(words, "|");

		if (n == len && !(nocase ? strncasecmp(words, s, n) : strncmp(words, s, n)))
			return i;
		words += len + (words[len] == '|');
	}
	return -1;
}

static int set_ENUM(dtrace_hdl_t *dtp, enum opt o, const struct option_row *row, const char *value)
{
	int i = value ? word_index(row->arg, value, row->flags & NOCASE) : -1;

	return i < 0 ? EDT_BADOPTVAL : set_value(dtp, o, row, i);
}

static int set_STRING(dtrace_hdl_t *dtp, enum opt o, const struct option_row *row,
		      const char *value)
{
	int rc;

	if (!value)
		return EDT_BADOPTVAL;
	rc = set_value(dtp, o, row, 1);
	if (rc == 0) {
		free(dtp->opt_text[o]);
		dtp->opt_text[o] = mem_strdup(value);
	}
	return rc;
}

static int set_LIST(dtrace_hdl_t *dtp, enum opt o, const struct option_row *row, const char *value)
{
	char *both;
	int rc;

	if (!value || strchr(value, '\n'))
		return EDT_BADOPTVAL;
	both = dtp->opt_text[o] ? mem_printf("%s\n%s", dtp->opt_text[o], value) : mem_strdup(value);
	rc = set_STRING(dtp, o, row, both);
	free(both);
	return rc;
}

/* All of them in one list, as the order of -D and -U matters: a line each in the text of cppargs. */
static int set_CPPARG(dtrace_hdl_t *dtp, enum opt o, const struct option_row *row,
		      const char *value)
{
	int rc = value && !strchr(value, '\n') ? set_value(dtp, o, row, 1) : EDT_BADOPTVAL;
	struct str all = { 0 };

	if (rc)
		return rc;
	if (dtp->opt_text[OPT_CPPARGS])
		str_puts(&all, dtp->opt_text[OPT_CPPARGS]);
	str_puts(&all, "\n");
	if (row->arg)
		str_puts(&all, row->arg);
	for (; *value; value++)
		str_putc(&all, !row->arg && isblank((unsigned char)*value) ? '\n' : *value);
	free(dtp->opt_text[OPT_CPPARGS]);
	dtp->opt_text[OPT_CPPARGS] = mem_strdup(str_c(&all));
	str_free(&all);
	return 0;
}

static int set_ATTR(dtrace_hdl_t *dtp, enum opt o, const struct option_row *row, const char *value)
{
	dtrace_attribute_t a;

	if (!value || dtrace_str2attr(value, &a) < 0)
		return EDT_BADOPTVAL;
	return set_STRING(dtp, o, row, value);
}

/* An ENUM of which the first word alone is built. */
static int set_first_word(dtrace_hdl_t *dtp, enum opt o, const struct option_row *row,
			  const char *value)
{
	int i = value ? word_index(row->arg, value, false) : -1;

	if (i > 0)
		return EDT_NOOPT;
	return i < 0 ? EDT_BADOPTVAL : set_value(dtp, o, row, i);
}
#define set_LINKMODE set_first_word

static int set_STRSIZE(dtrace_hdl_t *dtp, enum opt o, const struct option_row *row,
		       const char *value)
{
	dtrace_optval_t v = 0;
	int rc = value ? parse_size(value, &v) : 0;

	if (rc)
		return rc;
	if (v < 2)
		return EDT_BADOPTVAL;
	if (v > UINT32_MAX)
		return EOVERFLOW;
	rc = set_value(dtp, o, row, v);
	if (rc == 0 && dtp->ses) {
		dtp->ses->opt.strsize = v;
		types_set_strsize(dtp->ses->types, v);
	}
	return rc;
}

/* x.y[.z] up to 255.4095.4095; the language has been 1.x ever since. */
static int set_VERSION(dtrace_hdl_t *dtp, enum opt o, const struct option_row *row,
		       const char *value)
{
	static const uint64_t limit[3] = { 255, 4095, 4095 };
	uint64_t part[3] = { 0 };
	const char *s = value;
	int n = 0;

	if (!value)
		return EDT_BADOPTVAL;
	for (;;) {
		if (n == 3 || !isdigit((unsigned char)*s) || !parse_number(s, &s, &part[n]) ||
		    part[n] > limit[n])
			return EDT_VERSINVAL;
		n++;
		if (*s != '.')
			break;
		s++;
	}
	if (*s || n < 2)
		return EDT_VERSINVAL;
	if (part[0] != 1 || part[1] > 13)
		return EDT_VERSUNDEF;
	return set_STRING(dtp, o, row, value);
}

static const struct option_row rows[OPT_MAX] = {
#define OPTION(id, name, kind, when, flags, def, arg) \
	[OPT_##id] = { name, set_##kind, when, flags, def, arg },
#include "lib/options.def"
#undef OPTION
};

/* ---- setting --------------------------------------------------------------------------------- */

/* Terminals that show ASCII alone. */
static bool poor_terminal(void)
{
	const char *term = getenv("TERM");

	return term && (!strcmp(term, "sun") || !strcmp(term, "sun-color") || !strcmp(term, "dumb"));
}

static void update_live(dtrace_hdl_t *dtp)
{
	const dtrace_optval_t *opt = dtp->opt;
	struct consumer_options *l = &dtp->live;

	l->quiet = opt_on(opt, OPT_QUIET);
	l->flowindent = opt_on(opt, OPT_FLOWINDENT);
	l->rawbytes = opt_on(opt, OPT_RAWBYTES);
	l->droptags = opt_on(opt, OPT_DROPTAGS);
	l->temporal = opt_on(opt, OPT_TEMPORAL);
	l->accounting = opt_on(opt, OPT_ACCOUNTING);
	l->stackindent = opt[OPT_STACKINDENT];
	l->switchrate = opt[OPT_SWITCHRATE];
	l->aggrate = opt[OPT_AGGRATE];
	l->statusrate = opt[OPT_STATUSRATE];
	l->cleanrate = opt[OPT_CLEANRATE];
	l->aggsortkey = opt_on(opt, OPT_AGGSORTKEY);
	l->aggsortrev = opt_on(opt, OPT_AGGSORTREV);
	l->aggsortkeypos = opt_on(opt, OPT_AGGSORTKEYPOS) ? opt[OPT_AGGSORTKEYPOS] : 0;
	l->agghist = opt_on(opt, OPT_AGGHIST);
	l->aggpercpu = opt_on(opt, OPT_AGGPERCPU);
	l->aggpack = opt_on(opt, OPT_AGGPACK);
	l->agg_style.zoom = opt_on(opt, OPT_AGGZOOM);
	l->agg_style.utf8 = opt[OPT_ENCODING] == 1;
	l->agg_style.pack_ascii = opt_on(opt, OPT_ENCODING) ? opt[OPT_ENCODING] == 0 : poor_terminal();
	l->oformat = (enum consumer_format)opt[OPT_OFORMAT];
	l->flamegraph = dtp->opt_text[OPT_FLAMEGRAPH];
	l->heatmap = dtp->opt_text[OPT_HEATMAP];
	l->aggsortpos = opt_on(opt, OPT_AGGSORTPOS) ? opt[OPT_AGGSORTPOS] : 0;
}

static enum opt find(const char *name)
{
	enum opt o = 0;

	while (o < OPT_MAX && strcmp(rows[o].name, name))
		o++;
	return o;
}

int options_set(dtrace_hdl_t *dtp, enum opt_origin from, const char *name, const char *value)
{
	enum opt o = find(name);
	int rc;

	if (o == OPT_MAX)
		return EDT_BADOPTNAME;
	if (from == OPT_FROM_PROGRAM && (rows[o].flags & NOPRAGMA))
		return EDT_BADOPTCTX;
	if (rows[o].when != DYNAMIC && (from == OPT_FROM_SETOPT || dtp->active || dtp->stopped))
		return EDT_ACTIVE;
	rc = rows[o].set(dtp, o, &rows[o], value);
	if (rc == 0)
		update_live(dtp);
	return rc;
}

int dtrace_setopt(dtrace_hdl_t *dtp, const char *name, const char *value)
{
	int rc = options_set(dtp, OPT_FROM_API, name, value);

	return rc ? hdl_error(dtp, rc) : 0;
}

int dtrace_getopt(dtrace_hdl_t *dtp, const char *name, dtrace_optval_t *val)
{
	enum opt o = find(name);

	if (o == OPT_MAX)
		return hdl_error(dtp, EDT_BADOPTNAME);
	*val = dtp->opt[o];
	return 0;
}

/* DTRACE_OPT_NAME=value; an empty value counts as none. A bad one is passed over. */
static void read_environment(dtrace_hdl_t *dtp)
{
	static const char prefix[] = "DTRACE_OPT_";
	char name[32];

	for (char **e = environ; *e; e++) {
		const char *s = *e + sizeof(prefix) - 1, *eq;
		size_t n = 0;

		if (strncmp(*e, prefix, sizeof(prefix) - 1) || !(eq = strchr(s, '=')))
			continue;
		for (; s < eq && n < sizeof(name) - 1; s++)
			name[n++] = tolower((unsigned char)*s);
		name[n] = 0;
		options_set(dtp, OPT_FROM_API, name, eq[1] ? eq + 1 : NULL);
	}
}

void options_init(dtrace_hdl_t *dtp)
{
	for (int i = 0; i < OPT_MAX; i++)
		dtp->opt[i] = rows[i].def;
	dtp->ses->opt.strsize = dtp->opt[OPT_STRSIZE];
	types_set_strsize(dtp->ses->types, dtp->opt[OPT_STRSIZE]);
	read_environment(dtp);
	update_live(dtp);
}

static void clamp(dtrace_optval_t *v, dtrace_optval_t min, dtrace_optval_t max)
{
	*v = *v < min ? min : *v > max ? max : *v;
}

#define STATUSRATE_MAX 10000000000 /* ns; a consumer that looks less often would pass for dead */
#define PRINTSIZE_MAX 65536
#define PRINTSIZE_DEFAULT 8192
#define CLEANRATE_MIN 200000 /* 5000hz */
#define CLEANRATE_MAX 60000000000

/*
 * May this process load programs and read kernel memory? Asked first: what fails later fails
 * for many reasons.
 */
static bool privileged(void)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct cap[_LINUX_CAPABILITY_U32S_3] = { 0 };

	if (syscall(SYS_capget, &head, cap) < 0)
		return true;
	return (cap[0].effective & (1u << CAP_SYS_ADMIN)) ||
	       ((cap[1].effective & (1u << (CAP_BPF - 32))) &&
		(cap[1].effective & (1u << (CAP_PERFMON - 32))));
}

int options_start(dtrace_hdl_t *dtp)
{
	dtrace_optval_t *opt = dtp->opt;

	if (!privileged())
		return EDT_ACCESS;

	clamp(&opt[OPT_STATUSRATE], 0, STATUSRATE_MAX);
	if (opt[OPT_CLEANRATE] == 0)
		opt[OPT_CLEANRATE] = CLEANRATE_MAX;
	clamp(&opt[OPT_CLEANRATE], CLEANRATE_MIN, CLEANRATE_MAX);
	update_live(dtp);
	if (opt[OPT_NSPEC] > INT32_MAX)
		return EDT_NOSPACE;
	return 0;
}

static uint32_t frames(dtrace_optval_t v)
{
	return v < 0 ? 0 : v > UINT32_MAX ? UINT32_MAX : (uint32_t)v;
}

void options_lang(dtrace_hdl_t *dtp, unsigned int cflags, struct lang_options *lo)
{
	const dtrace_optval_t *opt = dtp->opt;

	lo->argref = opt_on(opt, OPT_ARGREF) || (cflags & DTRACE_C_ARGREF);
	lo->defaultargs = opt_on(opt, OPT_DEFAULTARGS) || (cflags & DTRACE_C_DEFARG);
	lo->empty = opt_on(opt, OPT_EMPTY) || (cflags & DTRACE_C_EMPTY);
	lo->zdefs = opt_on(opt, OPT_ZDEFS) || (cflags & DTRACE_C_ZDEFS);
	lo->pspec_file = opt_on(opt, OPT_PSPEC) || (cflags & DTRACE_C_PSPEC);
	lo->errtags = opt_on(opt, OPT_ERRTAGS) || (cflags & DTRACE_C_ETAGS);
	lo->lex = opt_on(opt, OPT_LEX);
	lo->caret = opt_on(opt, OPT_CARET);
	lo->knodefs = opt_on(opt, OPT_KNODEFS) || (cflags & DTRACE_C_KNODEF);
	lo->unodefs = opt_on(opt, OPT_UNODEFS) || (cflags & DTRACE_C_UNODEF);
	lo->strsize = opt[OPT_STRSIZE];
	lo->maxframes = opt_on(opt, OPT_MAXFRAMES) ? frames(opt[OPT_MAXFRAMES]) : 0;
	lo->stackframes = frames(opt[OPT_STACKFRAMES]);
	lo->ustackframes = frames(opt[OPT_USTACKFRAMES]);
	lo->jstackframes = frames(opt[OPT_JSTACKFRAMES]);
	lo->jstackstrsize = frames(opt[OPT_JSTACKSTRSIZE]);
	lo->printsize = opt[OPT_PRINTSIZE] >= 1 && opt[OPT_PRINTSIZE] <= PRINTSIZE_MAX
				? (uint32_t)opt[OPT_PRINTSIZE]
				: PRINTSIZE_DEFAULT;
	lo->nspec = frames(opt[OPT_NSPEC]);
	lo->scratchsize = opt[OPT_SCRATCHSIZE];
	lo->version = dtp->opt_text[OPT_VERSION];
	lo->target = dtp->target;
}
