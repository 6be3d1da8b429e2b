/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The command's passes: mode flags and operands; options, left to right; processes; programs,
 * in order; the mode's work. So the place of a flag among the programs does not matter, a
 * pragma wins over -x, and a bad option is reported before any error of a program.
 */
#include "cmd.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct cmd cmd;

/* ---- messages -------------------------------------------------------------------------------- */

static void vmessage(const char *fmt, va_list ap, const char *more)
{
	fprintf(stderr, "%s: ", cmd.name);
	vfprintf(stderr, fmt, ap);
	if (more)
		fprintf(stderr, ": %s", more);
	fputc('\n', stderr);
}

void message(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vmessage(fmt, ap, NULL);
	va_end(ap);
}

/* Closing kills processes that were never continued. */
void leave(int status)
{
	dtrace_hdl_t *dtp = cmd.dtp;

	cmd.dtp = NULL;
	dtrace_close(dtp);
	exit(status);
}

void fatal(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vmessage(fmt, ap, NULL);
	va_end(ap);
	leave(EXIT_ERROR);
}

void dfatal(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vmessage(fmt, ap, dtrace_errmsg(cmd.dtp, dtrace_errno(cmd.dtp)));
	va_end(ap);
	leave(EXIT_ERROR);
}

void *xalloc(size_t size)
{
	void *p = calloc(1, size);

	if (!p)
		fatal("failed to allocate memory");
	return p;
}

bool option_on(const char *name)
{
	dtrace_optval_t v;

	return dtrace_getopt(cmd.dtp, name, &v) == 0 && v != DTRACEOPT_UNSET;
}

const char *out_name(void)
{
	return cmd.ofile ? cmd.ofile : "<stdout>";
}

/* ---- pass 1: modes --------------------------------------------------------------------------- */

static void set_mode(enum mode mode)
{
	if (cmd.mode != MODE_TRACE && cmd.mode != mode) {
		message("only one of the [-AGhlV] options can be specified at a time");
		exit(EXIT_USAGE);
	}
	cmd.mode = mode;
}

static void read_modes(void)
{
	for (size_t i = 0; i < cmd.nflags; i++) {
		switch (cmd.flags[i].c) {
		case 'A': set_mode(MODE_ANON); break;
		case 'G': set_mode(MODE_LINK); break;
		case 'h': set_mode(MODE_HEADER); break;
		case 'l': set_mode(MODE_LIST); break;
		case 'V': set_mode(MODE_VERSION); break;
		case 'e': cmd.compile_only = true; break;
		case 'o': cmd.ofile = cmd.flags[i].arg; break;
		case 'v': cmd.verbose = true; break;
		}
	}
}

static void refuse_unbuilt(void)
{
	for (size_t i = 0; i < cmd.nflags; i++) {
		switch (cmd.flags[i].c) {
		case '3': fatal("-32 is not implemented");
		case 'A':
		case 'B': fatal("-%c is not implemented", cmd.flags[i].c);
		}
	}
}

/* ---- pass 2: options ------------------------------------------------------------------------- */

/* Flags that stand for an option. VALUE: messages name the value, else the flag. */
static const struct alias {
	int c;
	const char *option;
} aliases[] = {
	{ 'a', "grabanon" },   { 'b', "bufsize" }, { 'C', "cpp" },    { 'D', "define" },
	{ 'F', "flowindent" }, { 'H', "cpphdrs" }, { 'I', "incdir" }, { 'L', "libdir" },
	{ 'q', "quiet" },      { 'S', "verbose" }, { 'U', "undef" },  { 'w', "destructive" },
	{ 'X', "stdc" },       { 'Z', "zdefs" },
};

static void set_alias(const struct flag *f)
{
	for (size_t i = 0; i < sizeof(aliases) / sizeof(aliases[0]); i++) {
		if (aliases[i].c != f->c || dtrace_setopt(cmd.dtp, aliases[i].option, f->arg) == 0)
			continue;
		if (f->arg)
			dfatal("failed to set -%c %s", f->c, f->arg);
		dfatal("failed to set -%c", f->c);
	}
}

static void set_option(const char *arg)
{
	char *name = strdup(arg);
	char *value = name ? strchr(name, '=') : NULL;

	if (!name)
		fatal("failed to allocate memory");
	if (value)
		*value++ = 0;
	if (dtrace_setopt(cmd.dtp, name, value) < 0)
		dfatal("failed to set -x %s", name);
	free(name);
}

/* "BEGIN {exit(0)}" is called "BEGIN ". */
static char *program_name(const struct program *p)
{
	size_t n = p->spec == DTRACE_PROBESPEC_NONE ? strlen(p->text) : strcspn(p->text, "{/;");
	char *name = strndup(p->text, n);

	if (!name)
		fatal("failed to allocate memory");
	return name;
}

static void add_program(dtrace_probespec_t spec, const char *text)
{
	struct program *p = &cmd.programs[cmd.nprograms++];

	p->spec = spec;
	p->text = text;
	p->name = program_name(p);
}

/* Does the option show what is made only when programs are enabled? */
static bool is_stage(const char *option)
{
	static const char *const stages[] = { "layout", "ir", "regs", "bpf", "verbose" };

	for (size_t i = 0; i < sizeof(stages) / sizeof(stages[0]); i++)
		if (!strcmp(option, stages[i]))
			return true;
	return false;
}

static void read_flag(const struct flag *f)
{
	switch (f->c) {
	case 'f': add_program(DTRACE_PROBESPEC_FUNC, f->arg); break;
	case 'i':
	case 'n': add_program(DTRACE_PROBESPEC_NAME, f->arg); break;
	case 'm': add_program(DTRACE_PROBESPEC_MOD, f->arg); break;
	case 'P': add_program(DTRACE_PROBESPEC_PROVIDER, f->arg); break;
	case 's': add_program(DTRACE_PROBESPEC_NONE, f->arg); break;
	case 'x':
		cmd.dump |= is_stage(f->arg);
		set_option(f->arg);
		break;
	/* What a program of these names need not exist. */
	case 'G':
	case 'h':
	case 'l':
		if (dtrace_setopt(cmd.dtp, "zdefs", NULL) < 0)
			dfatal("failed to set -%c", f->c);
		break;
	case 'S':
		cmd.dump = true;
		set_alias(f);
		break;
	default: set_alias(f);
	}
}

static void open_library(void)
{
	int error;

	cmd.dtp = dtrace_open(DTRACE_VERSION, 0, &error);
	if (!cmd.dtp)
		fatal("failed to initialize dtrace: %s", dtrace_errmsg(NULL, error));
	/* For those who read errors; programs read them as DTrace prints them. */
	if (isatty(STDERR_FILENO) && !getenv("DTRACE_OPT_CARET") &&
	    dtrace_setopt(cmd.dtp, "caret", NULL) < 0)
		dfatal("failed to set -x caret");
}

/* ---- pass 3: processes ----------------------------------------------------------------------- */

/* Words between blanks; there is no quoting. */
static char **split(char *s)
{
	static const char blanks[] = " \t\n";
	char **argv = xalloc((strlen(s) / 2 + 2) * sizeof(*argv));
	int n = 0;

	for (s = strtok(s, blanks); s; s = strtok(NULL, blanks))
		argv[n++] = s;
	return argv;
}

static struct ps_prochandle *create(const char *command)
{
	char *copy = strdup(command);
	char **argv = copy ? split(copy) : NULL;
	struct ps_prochandle *p;

	if (!argv)
		fatal("failed to allocate memory");
	if (!argv[0]) {
		free(argv);
		free(copy);
		fatal("failed to execute %s: %s", command, strerror(ENOENT));
	}
	p = dtrace_proc_create(cmd.dtp, argv[0], argv);
	free(argv);
	free(copy);
	return p;
}

static struct ps_prochandle *grab(const char *arg)
{
	char *end;
	long pid;

	errno = 0;
	pid = strtol(arg, &end, 10);
	if (errno || end == arg || *end || pid <= 0 || pid != (pid_t)pid)
		fatal("invalid pid: %s", arg);
	return dtrace_proc_grab(cmd.dtp, pid, 0);
}

static void take_processes(void)
{
	for (size_t i = 0; i < cmd.nflags; i++) {
		const struct flag *f = &cmd.flags[i];
		struct ps_prochandle *p;

		if (f->c != 'c' && f->c != 'p')
			continue;
		p = f->c == 'c' ? create(f->arg) : grab(f->arg);
		if (!p)
			fatal("%s", dtrace_errmsg(cmd.dtp, dtrace_errno(cmd.dtp)));
		cmd.procs[cmd.nprocs++] = p;
		cmd.nlive++;
	}
}

/* ---- pass 4: programs ------------------------------------------------------------------------ */

/* Operands of -G are object files. */
static int macro_args(void)
{
	return cmd.mode == MODE_LINK ? 1 : cmd.noperands;
}

static void compile_file(struct program *p)
{
	FILE *f = fopen(p->text, "r");

	if (!f)
		fatal("failed to open %s: %s", p->text, strerror(errno));
	cmd.operands[0] = (char *)p->text;
	p->prog = dtrace_program_fcompile(cmd.dtp, f, 0, macro_args(), cmd.operands);
	fclose(f);
	if (!p->prog)
		dfatal("failed to compile script %s", p->text);
}

static void compile_text(struct program *p)
{
	cmd.operands[0] = (char *)cmd.argv0;
	p->prog = dtrace_program_strcompile(cmd.dtp, p->text, p->spec, 0, macro_args(),
					    cmd.operands);
	if (!p->prog)
		dfatal("invalid probe specifier %s", p->text);
}

static void compile_programs(void)
{
	for (size_t i = 0; i < cmd.nprograms; i++) {
		if (cmd.programs[i].spec == DTRACE_PROBESPEC_NONE)
			compile_file(&cmd.programs[i]);
		else
			compile_text(&cmd.programs[i]);
	}
}

/* ---- pass 5: the mode's work ----------------------------------------------------------------- */

static void open_output(void)
{
	cmd.out = stdout;
	if (!cmd.ofile || cmd.mode == MODE_HEADER || cmd.mode == MODE_LINK)
		return;
	cmd.out = fopen(cmd.ofile, "ae");
	if (!cmd.out)
		fatal("failed to open output file '%s': %s", cmd.ofile, strerror(errno));
}

/* -e: all is known that can be known without the kernel. */
static void compiled(void)
{
	if (cmd.mode == MODE_LIST)
		list_probes();
	for (size_t i = 0; i < cmd.nprograms && cmd.mode != MODE_LIST; i++) {
		struct program *p = &cmd.programs[i];

		dtrace_program_info(cmd.dtp, p->prog, &p->info);
		if (cmd.verbose) {
			report_program(p);
			report_descriptions(p);
		}
		if (cmd.dump && dtrace_program_exec(cmd.dtp, p->prog, NULL) < 0)
			dfatal("failed to enable '%s'", p->name);
	}
	if (cmd.dump && cmd.nprograms && cmd.mode != MODE_LIST &&
	    dtrace_code_dump(cmd.dtp, stderr) < 0)
		dfatal("failed to print the generated code");
}

static int run_mode(void)
{
	if (cmd.compile_only)
		compiled();
	else if (cmd.mode == MODE_LIST)
		list_probes();
	else if (cmd.mode == MODE_HEADER)
		header_run();
	else if (cmd.mode == MODE_LINK)
		link_run();
	else
		return trace_run();
	return 0;
}

static void close_output(void)
{
	if (fflush(cmd.out) == EOF || ferror(cmd.out))
		fatal("failed to write to %s: %s", out_name(), strerror(errno));
}

/*
 * A standard stream that was closed before us would be given out again as the number of a map or program. Its
 * place is taken by something that cannot be written, so that output fails as it would have.
 */
static void keep_standard_streams(void)
{
	for (int fd = 0; fd <= 2; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd ? O_RDONLY : O_RDWR) < 0)
			return;
}

int main(int argc, char *argv[])
{
	int status;

	keep_standard_streams();
	trace_early_handlers();

	cmd.argv0 = argc ? argv[0] : "dtrace";
	cmd.name = strrchr(cmd.argv0, '/') ? strrchr(cmd.argv0, '/') + 1 : cmd.argv0;
	if (argc < 2)
		usage();
	args_parse(argc, argv);
	read_modes();
	if (cmd.mode == MODE_VERSION) {
		printf("%s: %s\n", cmd.name, dtrace_version_string());
		cmd.out = stdout;
		close_output();
		return 0;
	}
	refuse_unbuilt();
	cmd.programs = xalloc((cmd.nflags + 1) * sizeof(*cmd.programs));
	cmd.procs = xalloc((cmd.nflags + 1) * sizeof(*cmd.procs));
	open_library();
	trace_handlers();
	for (size_t i = 0; i < cmd.nflags; i++)
		read_flag(&cmd.flags[i]);
	take_processes();
	compile_programs();
	open_output();
	status = run_mode();
	close_output();
	leave(status);
}
