/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * usage: cgload [-t SECONDS] [-d DIR] [-r] <PROGRAMS
 *	  cgload -l
 * Compiles each program of the standard input and has the kernel verify and load it; those of the
 * kind "run" are run to their end. A program begins with a line "#!cg NAME KIND" (cg_gen.py). What
 * is refused, by the compiler or by the kernel, is printed with its reason and kept in DIR/NAME.d.
 * -t: what is left after SECONDS is not looked at. -l: names the functions that this kernel cannot
 * have, for cg_gen.py.
 * Exit 1 if anything was refused, did not end, or was not used. -r: that something was not used, and
 * that the compiler refused one program in 50 (a new name may mislead cg_gen.py), is reported only.
 */
#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <dtrace.h>

#include "base/str.h"
#include "cgcover.h"
#include "lib/enable.h"

#define RUN_LIMIT 600 /* seconds that a program of the kind "run" may take */

static const char *dir;
static struct {
	unsigned long programs, runs, rejected, refused, failed, faults, drops;
} n;

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

static void keep(const char *name, const struct str *text, const char *what, const char *why)
{
	char *path = mem_printf("%s/%s.d", dir, name);
	FILE *f = fopen(path, "w");

	if (f) {
		fwrite(text->s, 1, text->n, f);
		fclose(f);
	}
	printf("%s: %s: %s\n", path, what, why);
	fflush(stdout);
	free(path);
}

static int on_error(const dtrace_errdata_t *data, void *arg)
{
	(void)data;
	(void)arg;
	n.faults++;
	return DTRACE_HANDLE_OK;
}

static int on_drop(const dtrace_dropdata_t *data, void *arg)
{
	(void)data;
	(void)arg;
	n.drops++;
	return DTRACE_HANDLE_OK;
}

static int on_setopt(const dtrace_setoptdata_t *data, void *arg)
{
	(void)data;
	(void)arg;
	return DTRACE_HANDLE_OK;
}

/* NULL, or why not. */
static const char *run(dtrace_hdl_t *dtp, FILE *out)
{
	double end = now() + RUN_LIMIT;
	dtrace_workstatus_t st;

	if (dtrace_go(dtp) < 0)
		return dtrace_errmsg(dtp, dtrace_errno(dtp));
	do {
		dtrace_sleep(dtp);
		st = dtrace_work(dtp, out, NULL, NULL, NULL);
		if (now() > end)
			return "does not end";
	} while (st == DTRACE_WORKSTATUS_OKAY);
	if (st == DTRACE_WORKSTATUS_ERROR)
		return dtrace_errmsg(dtp, dtrace_errno(dtp));
	dtrace_aggregate_print(dtp, out, NULL);
	n.runs++;
	return NULL;
}

static void take(const char *name, const char *kind, struct str *text, FILE *out)
{
	char *argv[] = { (char *)"cg", (char *)"17", (char *)"word" };
	FILE *in = fmemopen(text->s, text->n, "r");
	dtrace_hdl_t *dtp;
	dtrace_prog_t *prog;
	const char *why;
	int error;

	n.programs++;
	dtp = dtrace_open(DTRACE_VERSION, 0, &error);
	if (!dtp) {
		n.failed++;
		keep(name, text, "no handle", dtrace_errmsg(NULL, error));
		fclose(in);
		return;
	}
	dtrace_handle_err(dtp, on_error, NULL);
	dtrace_handle_drop(dtp, on_drop, NULL);
	dtrace_handle_setopt(dtp, on_setopt, NULL);
	prog = dtrace_program_fcompile(dtp, in, DTRACE_C_ARGREF, ARRAY_SIZE(argv), argv);
	if (!prog || dtrace_program_exec(dtp, prog, NULL) < 0) {
		n.rejected++;
		keep(name, text, "rejected by the compiler", dtrace_errmsg(dtp, dtrace_errno(dtp)));
	} else if (!strcmp(kind, "run")) {
		cover_program(dtp, prog->tree);
		why = run(dtp, out);
		if (why) {
			n.failed++;
			keep(name, text, "failed", why);
		}
	} else {
		cover_program(dtp, prog->tree);
		if (enable_load(dtp) < 0) {
			n.refused++;
			keep(name, text, "refused by the kernel",
			     dtrace_errmsg(dtp, dtrace_errno(dtp)));
		}
	}
	dtrace_close(dtp);
	fclose(in);
}

/* The programs from the stream, until the time is over. */
static void take_all(double limit, FILE *out)
{
	char *line = NULL, name[64] = "", kind[16] = "";
	double end = now() + limit, shown = now();
	struct str text = { 0 };
	size_t room = 0;
	ssize_t len;

	do {
		char next[64], how[16];

		len = getline(&line, &room, stdin);
		if (len > 0 && sscanf(line, "#!cg %63s %15s", next, how) != 2) {
			str_add(&text, line, len);
			continue;
		}
		if (text.n && *name)
			take(name, kind, &text, out);
		text.n = 0;
		if (len > 0) {
			str_add(&text, line, len);
			strcpy(name, next);
			strcpy(kind, how);
		}
		if (isatty(2) && now() > shown + 1) {
			fprintf(stderr, "\r%lu", n.programs);
			shown = now();
		}
	} while (len > 0 && (!limit || now() < end));
	str_free(&text);
	free(line);
}

int main(int argc, char **argv)
{
	FILE *out = fopen("/dev/null", "w");
	bool lenient = false, used;
	double limit = 0;
	int c;

	dir = ".";
	while ((c = getopt(argc, argv, "t:d:rl")) != -1)
		switch (c) {
		case 't': limit = atof(optarg); break;
		case 'd': dir = optarg; break;
		case 'r': lenient = true; break;
		case 'l': cover_lacking(stdout); return 0;
		default: return 2;
		}
	if (!out)
		return 2;
	take_all(limit, out);
	fclose(out);
	used = cover_report(stdout);
	printf("%lu programs, %lu of them run to their end with %lu faults and %lu reports of drops; "
	       "%lu rejected by the compiler, %lu refused by the kernel, %lu failed%s\n",
	       n.programs, n.runs, n.faults, n.drops, n.rejected, n.refused, n.failed,
	       used ? "" : "; NOT all was used");
	if (lenient)
		return n.rejected > n.programs / 50 || !n.programs || n.refused || n.failed;
	return !used || n.rejected || !n.programs || n.refused || n.failed;
}
