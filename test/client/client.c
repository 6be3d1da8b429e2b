/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A second client of libdtrace, which sees nothing but <dtrace.h>. Prints what its callbacks
 * are told:
 *	client records		every record with its data, in lines of its own
 *	client default		the library prints by itself
 *	client buffered		the text by way of the handler
 *	client aggregate	keys and values of a walk
 *	client errors		codes and texts of calls that must fail
 *	client process		a child that is held until tracing has begun
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include <dtrace.h>

static dtrace_hdl_t *dtp;
static int live, ended; /* processes; the status of the last */

static void die(const char *what)
{
	fprintf(stderr, "client: %s: %s\n", what, dtrace_errmsg(dtp, dtrace_errno(dtp)));
	dtrace_close(dtp);
	exit(1);
}

static void expect(int truth, const char *what)
{
	if (truth)
		return;
	fprintf(stderr, "client: not so: %s\n", what);
	exit(1);
}

/* ---- callbacks ------------------------------------------------------------------------------- */

static int on_error(const dtrace_errdata_t *data, void *arg)
{
	fprintf(arg, "error %d action %d on %s: %s", data->dteda_fault, data->dteda_action,
		data->dteda_pdesc->dtpd_name, data->dteda_msg);
	return DTRACE_HANDLE_OK;
}

static int on_drop(const dtrace_dropdata_t *data, void *arg)
{
	fprintf(arg, "drop: %s", data->dtdda_msg);
	return DTRACE_HANDLE_OK;
}

static int on_buffered(const dtrace_bufdata_t *data, void *arg)
{
	fprintf(arg, "<%s>", data->dtbda_buffered);
	return DTRACE_HANDLE_OK;
}

static void on_proc(struct ps_prochandle *P, const char *msg, void *arg)
{
	(void)msg;
	(void)arg;
	expect(dtrace_proc_status(dtp, P, &ended) == 1, "the process has ended");
	live--;
}

static int on_probe(const dtrace_probedata_t *data, void *arg)
{
	const dtrace_probedesc_t *d = data->dtpda_pdesc;

	if (!strcmp(arg, "skip") && !strcmp(d->dtpd_name, "END"))
		return DTRACE_CONSUME_NEXT;
	printf("[%s:%s epid %u recs %d]", d->dtpd_provider, d->dtpd_name,
	       data->dtpda_edesc->dtepd_epid, data->dtpda_edesc->dtepd_nrecs);
	return DTRACE_CONSUME_THIS;
}

static void show(const char *p, const dtrace_recdesc_t *r)
{
	int64_t v = 0;

	if (r->dtrd_size <= sizeof(v)) {
		memcpy(&v, p + r->dtrd_offset, r->dtrd_size);
		printf(" (%d: %" PRId64 ")", r->dtrd_action, v);
	} else {
		printf(" (%d: '%s')", r->dtrd_action, p + r->dtrd_offset);
	}
}

static int on_rec(const dtrace_probedata_t *data, const dtrace_recdesc_t *rec, void *arg)
{
	(void)arg;
	if (!rec) {
		printf(" end\n");
		return DTRACE_CONSUME_NEXT;
	}
	show(data->dtpda_data, rec);
	return DTRACE_CONSUME_THIS;
}

static int on_agg(const dtrace_aggdata_t *data, void *arg)
{
	const dtrace_aggdesc_t *d = data->dtada_desc;

	(void)arg;
	printf("@%s", d->dtagd_name);
	for (int i = 0; i < d->dtagd_nrecs; i++) {
		const dtrace_recdesc_t *r = &d->dtagd_rec[i];
		int64_t v = 0;

		if (r->dtrd_size > sizeof(v)) {
			printf(" '%s'", data->dtada_data + r->dtrd_offset);
			continue;
		}
		memcpy(&v, data->dtada_data + r->dtrd_offset, r->dtrd_size);
		printf(" %" PRId64, v);
	}
	printf("\n");
	return DTRACE_AGGWALK_NEXT;
}

/* ---- a session ------------------------------------------------------------------------------- */

static void start(const char *text)
{
	char *argv[] = { (char *)"client" };
	dtrace_prog_t *pgp;
	dtrace_proginfo_t info;

	if (dtrace_setopt(dtp, "bufsize", "64k") < 0 || dtrace_setopt(dtp, "aggsize", "64k") < 0)
		die("setopt");
	pgp = dtrace_program_strcompile(dtp, text, DTRACE_PROBESPEC_NAME, 0, 1, argv);
	if (!pgp)
		die("compile");
	if (dtrace_program_exec(dtp, pgp, &info) < 0)
		die("exec");
	printf("matches %u\n", info.dpi_matches);
	if (dtrace_go(dtp) < 0)
		die("go");
}

static void run(FILE *fp, dtrace_consume_probe_f *probe, dtrace_consume_rec_f *rec, const char *arg)
{
	dtrace_workstatus_t st;

	do {
		dtrace_sleep(dtp);
		st = dtrace_work(dtp, fp, probe, rec, (void *)arg);
	} while (st == DTRACE_WORKSTATUS_OKAY);
	if (st == DTRACE_WORKSTATUS_ERROR)
		die("work");
}

/* ---- the parts ------------------------------------------------------------------------------- */

static void records(void)
{
	start("BEGIN { trace(42); trace(\"text\"); printf(\"%d %s\", 7, execname); }"
	      "BEGIN { trace(*(int *)8); }"
	      "BEGIN { exit(3); }"
	      "END { trace((char)65); }");
	run(stdout, on_probe, on_rec, "all");
	printf("exit %d\n", dtrace_exitstatus(dtp));
}

static void by_default(void)
{
	start("BEGIN { trace(42); exit(0); }");
	run(stdout, NULL, NULL, NULL);
	if (dtrace_fputs(dtp, stdout, "done\n") < 0)
		die("fputs");
}

static void buffered(void)
{
	if (dtrace_handle_buffered(dtp, on_buffered, stdout) < 0)
		die("handle_buffered");
	start("BEGIN { printf(\"one\"); exit(0); } END { printf(\"two\"); }");
	run(NULL, on_probe, on_rec, "skip");
}

static void aggregate(void)
{
	start("BEGIN { @c[\"a\", 2] = count(); @c[\"b\", 1] = count(); }"
	      "BEGIN { @c[\"b\", 1] = count(); @s = sum(-5); exit(0); }");
	run(stdout, on_probe, on_rec, "all");
	if (dtrace_aggregate_snap(dtp) < 0)
		die("snap");
	printf("by value\n");
	if (dtrace_aggregate_walk_valsorted(dtp, on_agg, NULL) < 0)
		die("walk");
	printf("by key, downwards\n");
	if (dtrace_aggregate_walk_keyrevsorted(dtp, on_agg, NULL) < 0)
		die("walk");
	printf("print\n");
	if (dtrace_aggregate_print(dtp, stdout, dtrace_aggregate_walk_keysorted) < 0)
		die("print");
}

static int count_probe(dtrace_hdl_t *h, const dtrace_probedesc_t *pdp, void *arg)
{
	(void)h;
	expect(pdp->dtpd_id != DTRACE_IDNONE, "a probe has an id");
	(*(int *)arg)++;
	return 0;
}

static void errors(void)
{
	dtrace_optval_t v;
	dtrace_probedesc_t desc;
	dtrace_attribute_t attr;
	char buf[64];
	int n = 0, error;

	expect(!dtrace_open(DTRACE_VERSION + 1, 0, &error), "a newer version is refused");
	printf("open: %s\n", dtrace_errmsg(NULL, error));
	expect(dtrace_setopt(dtp, "nosuch", "1") == -1, "no such option");
	printf("setopt: %s\n", dtrace_errmsg(dtp, dtrace_errno(dtp)));
	expect(dtrace_setopt(dtp, "bufsize", "1b") == -1, "a bad size");
	printf("setopt: %s\n", dtrace_errmsg(dtp, dtrace_errno(dtp)));
	expect(dtrace_setopt(dtp, "switchrate", "10") == 0 &&
		       dtrace_getopt(dtp, "switchrate", &v) == 0 && v == 100000000,
	       "a bare rate is per second");
	expect(dtrace_getopt(dtp, "quiet", &v) == 0 && v == DTRACEOPT_UNSET, "quiet is unset");
	expect(!dtrace_program_strcompile(dtp, "BEGIN { nosuch(); }", DTRACE_PROBESPEC_NAME,
					  DTRACE_C_ETAGS, 0, NULL),
	       "an unknown function");
	printf("compile: %s\n", dtrace_errmsg(dtp, dtrace_errno(dtp)));
	expect(dtrace_str2desc(dtp, DTRACE_PROBESPEC_FUNC, "syscall:vmlinux:read", &desc) == 0 &&
		       !strcmp(desc.dtpd_func, "read") && !strcmp(desc.dtpd_provider, "syscall") &&
		       !*desc.dtpd_name,
	       "the parts of a description");
	printf("desc: %s\n", dtrace_desc2str(&desc, buf, sizeof(buf)));
	expect(dtrace_probe_iter(dtp, &desc, count_probe, &n) == 0 && n == 2,
	       "read has two probes");
	expect(dtrace_str2desc(dtp, DTRACE_PROBESPEC_MOD, "a:b:c", &desc) == -1, "too many colons");
	printf("desc: %s\n", dtrace_errmsg(dtp, dtrace_errno(dtp)));
	expect(dtrace_str2attr("stable/Evolving/isa", &attr) == 0, "an attribute");
	printf("attr: %s\n", dtrace_attr2str(attr, buf, sizeof(buf)));
	expect(dtrace_handle_err(dtp, on_error, stdout) == -1 && dtrace_errno(dtp) == EALREADY,
	       "one handler of a kind");
	expect(dtrace_work(dtp, stdout, NULL, NULL, NULL) == DTRACE_WORKSTATUS_ERROR,
	       "no work before go");
	expect(!dtrace_proc_create(dtp, "/no/such", (char *[]){ (char *)"x", NULL }),
	       "no such file");
	printf("proc: %s\n", dtrace_errmsg(dtp, dtrace_errno(dtp)));
}

static void process(void)
{
	struct ps_prochandle *P = dtrace_proc_create(
		dtp, "sh", (char *[]){ (char *)"sh", (char *)"-c", (char *)"exit 5", NULL });

	if (!P)
		die("proc_create");
	expect(dtrace_proc_status(dtp, P, NULL) == 0, "the process is held");
	live = 1;
	start("syscall::execve:return /pid == $target/ { printf(\"seen\"); }");
	dtrace_proc_continue(dtp, P);
	while (live) {
		dtrace_sleep(dtp);
		if (dtrace_work(dtp, stdout, on_probe, on_rec, (void *)"all") ==
		    DTRACE_WORKSTATUS_ERROR)
			die("work");
	}
	if (dtrace_stop(dtp) < 0)
		die("stop");
	run(stdout, on_probe, on_rec, "all");
	/* Its end and its records are told in no order. */
	printf("process ended with %d\n", WEXITSTATUS(ended));
	dtrace_proc_release(dtp, P);
}

int main(int argc, char *argv[])
{
	static const struct {
		const char *name;
		void (*run)(void);
	} parts[] = {
		{ "records", records },	    { "default", by_default }, { "buffered", buffered },
		{ "aggregate", aggregate }, { "errors", errors },      { "process", process },
	};
	int error;

	if (argc != 2)
		return 2;
	setvbuf(stdout, NULL, _IOLBF, 0);
	dtp = dtrace_open(DTRACE_VERSION, 0, &error);
	if (!dtp) {
		fprintf(stderr, "client: open: %s\n", dtrace_errmsg(NULL, error));
		return 1;
	}
	if (dtrace_handle_err(dtp, on_error, stdout) < 0 ||
	    dtrace_handle_drop(dtp, on_drop, stdout) < 0 ||
	    dtrace_handle_proc(dtp, on_proc, stdout) < 0)
		die("handlers");
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (!strcmp(argv[1], parts[i].name))
			parts[i].run();
	dtrace_close(dtp);
	return 0;
}
