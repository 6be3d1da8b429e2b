/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The dtrace command. It sees the library through <dtrace.h> alone.
 *
 *	dtrace.c   the passes: arguments, options, processes, programs, mode
 *	args.c     the command line as a list of flags and operands
 *	link.c     -h, -G
 *	list.c     -l, and the stability reports of -v
 *	trace.c    enabling and the tracing loop
 */
#ifndef CMD_H
#define CMD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <dtrace.h>

enum { EXIT_ERROR = 1, EXIT_USAGE = 2, EXIT_LOST = 4 };

struct flag {
	int c;		 /* its letter */
	const char *arg; /* NULL: takes none */
};

struct program {
	dtrace_probespec_t spec; /* DTRACE_PROBESPEC_NONE: a script */
	const char *text;	 /* D text, or the path of the script */
	char *name;		 /* text up to its body */
	dtrace_prog_t *prog;
	dtrace_proginfo_t info;
};

enum mode { MODE_TRACE, MODE_LIST, MODE_VERSION, MODE_ANON, MODE_LINK, MODE_HEADER };

struct cmd {
	const char *name; /* of the command, in messages */
	const char *argv0;
	/* args.c */
	struct flag *flags;
	size_t nflags;
	char **operands; /* $1 ...; element 0 is free for $0 */
	int noperands;	 /* element 0 included */
	/* dtrace.c */
	enum mode mode;
	bool compile_only; /* -e */
	bool verbose;	   /* -v */
	bool dump;	   /* -S */
	struct program *programs;
	size_t nprograms;
	dtrace_hdl_t *dtp;
	struct ps_prochandle **procs;
	size_t nprocs;
	size_t nlive;	   /* of them, not ended yet */
	const char *ofile; /* -o, or NULL */
	FILE *out;
};

extern struct cmd cmd;

/*
 * "dtrace: text" to stderr. fatal() and dfatal() end with status 1; the d forms append ": " and
 * the library's text.
 */
void message(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void fatal(const char *fmt, ...) __attribute__((format(printf, 1, 2), noreturn));
void dfatal(const char *fmt, ...) __attribute__((format(printf, 1, 2), noreturn));
void usage(void) __attribute__((noreturn)); /* status 2 */
void leave(int status) __attribute__((noreturn));
void *xalloc(size_t size);		    /* zeroed; ends the command if there is no memory */
bool option_on(const char *name);
const char *out_name(void);

void args_parse(int argc, char *argv[]);

void list_probes(void);
void report_program(const struct program *p);	   /* -v */
void report_descriptions(const struct program *p); /* -e -v */

void header_run(void);
void link_run(void);

void trace_early_handlers(void); /* of signals that must never end the command */
void trace_handlers(void); /* before anything is compiled */
int trace_run(void);	   /* gives the exit status */

#endif
