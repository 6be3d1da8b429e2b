/* SPDX-License-Identifier: BSD-2-Clause */
/* Enabling, the tracing loop, what is said meanwhile. */
#include "cmd.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

static bool lost; /* something was dropped or missed */
static volatile sig_atomic_t interrupts; /* SIGINT and SIGTERM seen */
static volatile sig_atomic_t newline;	 /* one of them is not answered yet */

/* ---- handlers -------------------------------------------------------------------------------- */

static int on_error(const dtrace_errdata_t *data, void *arg)
{
	(void)arg;
	fprintf(stderr, "%s: %s", cmd.name, data->dteda_msg);
	return DTRACE_HANDLE_OK;
}

static int on_drop(const dtrace_dropdata_t *data, void *arg)
{
	(void)arg;
	fprintf(stderr, "%s: %s", cmd.name, data->dtdda_msg);
	lost |= data->dtdda_drops > 0; /* 0: a message of another kind */
	return DTRACE_HANDLE_OK;
}

/* Only what the library cannot know: it prints by the options itself. */
static int on_setopt(const dtrace_setoptdata_t *data, void *arg)
{
	(void)data;
	(void)arg;
	return DTRACE_HANDLE_OK;
}

static void say_ended(pid_t pid, int wstatus)
{
	const char *sig;

	if (WIFSIGNALED(wstatus)) {
		sig = sigabbrev_np(WTERMSIG(wstatus));
		if (sig)
			message("pid %d terminated by SIG%s", (int)pid, sig);
		else
			message("pid %d terminated by signal %d", (int)pid, WTERMSIG(wstatus));
	} else if (WEXITSTATUS(wstatus)) {
		message("pid %d exited with status %d", (int)pid, WEXITSTATUS(wstatus));
	} else {
		message("pid %d has exited", (int)pid);
	}
}

static void on_proc(struct ps_prochandle *P, const char *msg, void *arg)
{
	int wstatus;

	(void)arg;
	cmd.nlive--;
	if (option_on("quiet"))
		return;
	if (msg)
		message("failed to control pid %d: %s", (int)dtrace_proc_getpid(cmd.dtp, P), msg);
	else if (dtrace_proc_status(cmd.dtp, P, &wstatus))
		say_ended(dtrace_proc_getpid(cmd.dtp, P), wstatus);
}

static void on_signal(int sig)
{
	(void)sig;
	newline = 1;
	/* The second one: the user does not want to see the rest. */
	if (interrupts++ && cmd.dtp)
		dtrace_abort(cmd.dtp);
	else if (cmd.dtp)
		dtrace_wakeup(cmd.dtp);
}

/* Before there is anything to print it does nothing. */
static void on_usr1(int sig)
{
	(void)sig;
	if (cmd.dtp)
		dtrace_snapshot(cmd.dtp);
}

static void handle_signal(int sig, void (*fn)(int))
{
	struct sigaction old, sa = { .sa_handler = fn, .sa_flags = SA_RESTART };

	sigemptyset(&sa.sa_mask);
	sigaddset(&sa.sa_mask, SIGINT);
	sigaddset(&sa.sa_mask, SIGTERM);
	/* nohup and the like stay in force. */
	if (sigaction(sig, NULL, &old) == 0 && old.sa_handler != SIG_IGN)
		sigaction(sig, &sa, NULL);
}

void trace_handlers(void)
{
	if (dtrace_handle_err(cmd.dtp, on_error, NULL) < 0)
		dfatal("failed to establish error handler");
	if (dtrace_handle_drop(cmd.dtp, on_drop, NULL) < 0)
		dfatal("failed to establish drop handler");
	if (dtrace_handle_proc(cmd.dtp, on_proc, NULL) < 0)
		dfatal("failed to establish proc handler");
	if (dtrace_handle_setopt(cmd.dtp, on_setopt, NULL) < 0)
		dfatal("failed to establish setopt handler");
	handle_signal(SIGINT, on_signal);
	handle_signal(SIGTERM, on_signal);
}

void trace_early_handlers(void)
{
	handle_signal(SIGUSR1, on_usr1);
}

/* ---- enabling -------------------------------------------------------------------------------- */

static unsigned int enable(void)
{
	bool quiet = option_on("quiet");
	unsigned int total = 0;

	for (size_t i = 0; i < cmd.nprograms; i++) {
		struct program *p = &cmd.programs[i];

		if (dtrace_program_exec(cmd.dtp, p->prog, &p->info) < 0)
			dfatal("failed to enable '%s'", p->name);
		total += p->info.dpi_matches;
		if (!quiet)
			message("%s '%s' matched %u probe%s",
				p->spec == DTRACE_PROBESPEC_NONE ? "script" : "description",
				p->name, p->info.dpi_matches, p->info.dpi_matches == 1 ? "" : "s");
		if (cmd.verbose)
			report_program(p);
	}
	return total;
}

/* ---- options that the start has changed ------------------------------------------------------ */

static const struct watched {
	const char *option, *text;
	bool rate;
} watched[] = {
	{ "bufsize", "buffer size", false },	   { "aggsize", "aggregation size", false },
	{ "specsize", "speculation size", false }, { "dynvarsize", "dynamic variable size", false },
	{ "unwindsize", "unwinding size", false }, { "cleanrate", "cleaning rate", true },
	{ "statusrate", "status rate", true },
};
#define NWATCHED (sizeof(watched) / sizeof(watched[0]))

static void get_watched(dtrace_optval_t *v)
{
	for (size_t i = 0; i < NWATCHED; i++)
		if (dtrace_getopt(cmd.dtp, watched[i].option, &v[i]) < 0)
			v[i] = DTRACEOPT_UNSET;
}

static void say_size(const char *text, dtrace_optval_t v)
{
	static const char units[] = "kmgtpe";
	int unit = 0;

	while (units[unit] && v >> 10 * (unit + 1))
		unit++;
	if (unit && v % (1LL << 10 * unit) == 0)
		message("%s lowered to %lld%c", text, (long long)(v >> 10 * unit), units[unit - 1]);
	else
		message("%s lowered to %lld bytes", text, (long long)v);
}

static void say_rate(const char *text, const char *way, dtrace_optval_t v)
{
	const long long second = 1000000000;

	if (v && second % v == 0)
		message("%s %s to %lld hz", text, way, second / v);
	else if (v % second == 0)
		message("%s %s to once every %lld seconds", text, way, (long long)v / second);
	else
		message("%s %s to once every %lld nanoseconds", text, way, (long long)v);
}

static void say_changed(const dtrace_optval_t *was)
{
	dtrace_optval_t is[NWATCHED];

	if (option_on("quietresize"))
		return;
	get_watched(is);
	for (size_t i = 0; i < NWATCHED; i++) {
		if (was[i] == DTRACEOPT_UNSET || is[i] == DTRACEOPT_UNSET || was[i] == is[i])
			continue;
		/* Rounding to a multiple of 8 is not worth a word. */
		if (!watched[i].rate && is[i] && was[i] - is[i] >= 8)
			say_size(watched[i].text, is[i]);
		if (watched[i].rate)
			say_rate(watched[i].text, is[i] > was[i] ? "reduced" : "increased", is[i]);
	}
}

/* ---- tracing --------------------------------------------------------------------------------- */

static void go(void)
{
	dtrace_optval_t was[NWATCHED];

	get_watched(was);
	if (dtrace_go(cmd.dtp) < 0) {
		if (dtrace_errno(cmd.dtp) == DTRACE_ERR_ENDTOOBIG)
			fatal("%s", dtrace_errmsg(cmd.dtp, DTRACE_ERR_ENDTOOBIG));
		dfatal("could not enable tracing");
	}
	say_changed(was);
	if (option_on("destructive") && !option_on("quiet"))
		message("allowing destructive actions");
	for (size_t i = 0; i < cmd.nprocs; i++)
		dtrace_proc_continue(cmd.dtp, cmd.procs[i]);
}

/* Ends the command unless the failure is the user's own impatience. */
static void failed(const char *what)
{
	if (interrupts > 1)
		return;
	if (dtrace_errno(cmd.dtp) == DTRACE_ERR_WRITE)
		fatal("failed to write to %s: %s", out_name(),
		      dtrace_errmsg(cmd.dtp, DTRACE_ERR_WRITE));
	dfatal("%s", what);
}

/* Lines of other formats are not parted. */
static void put_newline(void)
{
	dtrace_optval_t format;

	if (dtrace_getopt(cmd.dtp, "oformat", &format) == 0 && format > 0)
		return;
	if (dtrace_fputs(cmd.dtp, cmd.out, "\n") < 0)
		failed("failed to print");
}

/* One turn. false: it was the last. */
static bool turn(bool *stopped)
{
	bool stop = interrupts || (cmd.nprocs && !cmd.nlive);

	if (newline) {
		newline = 0;
		put_newline();
	}
	if (stop && !*stopped) {
		*stopped = true;
		if (dtrace_stop(cmd.dtp) < 0)
			dfatal("couldn't stop tracing");
	}
	switch (dtrace_work(cmd.dtp, cmd.out, NULL, NULL, NULL)) {
	case DTRACE_WORKSTATUS_DONE: return false;
	case DTRACE_WORKSTATUS_OKAY: return !(interrupts > 1);
	default: failed("processing aborted"); return false;
	}
}

static void loop(void)
{
	bool stopped = false;

	do {
		if (!interrupts && !(cmd.nprocs && !cmd.nlive))
			dtrace_sleep(cmd.dtp);
	} while (turn(&stopped));
}

static int exit_status(void)
{
	return lost && option_on("strictdrops") ? EXIT_LOST : dtrace_exitstatus(cmd.dtp);
}

int trace_run(void)
{
	unsigned int total = enable();

	if (total == 0 && !option_on("zdefs"))
		fatal("no probes %s", cmd.nprograms ? "matched" : "specified");
	/* Reports come before what is traced, whoever writes it. */
	if (fflush(cmd.out) == EOF)
		fatal("failed to write to %s: %s", out_name(), strerror(errno));
	go();
	loop();
	if (interrupts > 1)
		return exit_status();
	put_newline();
	if (dtrace_aggregate_print(cmd.dtp, cmd.out, NULL) < 0)
		failed("failed to print aggregations");
	return exit_status();
}
