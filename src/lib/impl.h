/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The handle, as the files of this folder see it.
 *
 *	handle.c   open, close, errors, handlers, wake-up
 *	options.c  the option table (options.def)
 *	compile.c  D text to checked programs, what is known about them
 *	library.c  D libraries
 *	probes.c   the compiler's questions about probes, arguments and symbols
 *	list.c     probes and their stability for clients
 *	enable*.c  enabling, go and stop
 *	workapi.c  dtrace_work() and the callbacks over the consumer
 *	aggapi.c   walks over aggregations
 *	procapi.c  processes of -c and -p
 *	symapi.c   names of addresses
 *
 * The handle owns everything in it. Order of life: session, probes and processes from open to close; buffers
 * and consumer from dtrace_go() and the first dtrace_work() to close.
 */
#ifndef LIB_IMPL_H
#define LIB_IMPL_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include <dtrace.h>

#include "base/str.h"
#include "base/vec.h"
#include "codegen/cg.h"
#include "consumer/consumer.h"
#include "lang/lang.h"
#include "provider/provider.h"
#include "sym/kallsyms.h"
#include "sym/proc.h"
#include "sym/unwind.h"
#include "sym/usyms.h"

/* ---- errors ------------------------------------------------------------------------------------------- */

#define EDT_BASE 1000 /* above every errno */
enum edt {
	EDT_FIRST = EDT_BASE - 1,
#define EDT(id, text) EDT_##id,
#include "lib/errors.def"
#undef EDT
	EDT_END
};

/* Both record the error and return -1. error: errno or enum edt. The text replaces the error's own. */
int hdl_error(dtrace_hdl_t *dtp, int error);
int hdl_errorf(dtrace_hdl_t *dtp, int error, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* ---- options ------------------------------------------------------------------------------------------ */

#define OPT_UNSET DTRACEOPT_UNSET
enum opt {
#define OPTION(id, name, kind, when, flags, def, arg) OPT_##id,
#include "lib/options.def"
#undef OPTION
	OPT_MAX
};

enum opt_origin { OPT_FROM_API, OPT_FROM_PROGRAM, OPT_FROM_SETOPT };

/* 0 or an error number; nothing is recorded in the handle. */
int options_set(dtrace_hdl_t *dtp, enum opt_origin from, const char *name, const char *value);
void options_init(dtrace_hdl_t *dtp); /* defaults, then the environment */
/*
 * First step of dtrace_go(): asks for privileges, brings what is out of range into it (statusrate, cleanrate). 0 or an
 * error number.
 */
int options_start(dtrace_hdl_t *dtp);
/* The language's settings for one compilation. */
void options_lang(dtrace_hdl_t *dtp, unsigned int cflags, struct lang_options *lo);

static inline bool opt_on(const dtrace_optval_t *opt, enum opt o)
{
	return opt[o] != OPT_UNSET;
}

/* ---- the handle --------------------------------------------------------------------------------------- */

struct enabling; /* enable.c */
struct work;	 /* workapi.c */

struct dtrace_prog {
	struct dprog *tree;
	bool enabled;
};

struct dtrace_hdl {
	/* error of the last call that failed; text NULL: the number's own */
	int error;
	char *error_text;

	dtrace_optval_t opt[OPT_MAX];
	char *opt_text[OPT_MAX]; /* values of STRING options */
	struct consumer_options live; /* follows opt; read by the consumer */

	struct dsession *ses;
	struct probes *probes;
	struct libraries *libraries; /* library.c; NULL: none looked at yet */
	VEC(struct ps_prochandle *) procs; /* procapi.c */
	pid_t target; /* the first of them; 0: none yet */
	VEC(dtrace_prog_t *) progs;

	/* enable.c: made by dtrace_program_exec() and dtrace_go() */
	struct ecbs ecbs;
	struct strtab *strtab;
	struct buffers *buffers; /* NULL before dtrace_go() */
	struct enabling *enabling;
	bool active;  /* between dtrace_go() and dtrace_stop() */
	bool stopped; /* after dtrace_stop() */
	volatile sig_atomic_t aborted;

	/* symapi.c */
	struct ksyms *ksyms; /* NULL: not read yet, or not readable */
	bool ksyms_tried;
	uint64_t ksyms_due; /* not before this time (ns) are they read again */
	struct usyms *usyms; /* NULL: no user address was asked for yet */
	int news_fd;	     /* timerfd, -1: none */

	/* unwindapi.c */
	struct unwinding
		*unwinding; /* NULL: user stacks are followed by frame pointers alone, or not at all */

	/* workapi.c */
	struct consumer *consumer; /* NULL before the first dtrace_work() */
	struct work *work;
	int wake_fd; /* eventfd */

	dtrace_handle_err_f *on_err;
	void *on_err_arg;
	dtrace_handle_drop_f *on_drop;
	void *on_drop_arg;
	dtrace_handle_proc_f *on_proc;
	void *on_proc_arg;
	dtrace_handle_setopt_f *on_setopt;
	void *on_setopt_arg;
	dtrace_handle_buffered_f *on_buffered;
	void *on_buffered_arg;

	/* results that stay valid until the next call */
	dtrace_typeinfo_t *argv;
};

/* ---- between the files ---------------------------------------------------------------------------------- */

/* enable*.c. Detaches and frees everything of the enabling; dtp->buffers too. */
void enable_close(dtrace_hdl_t *dtp);
/* The consumer exists now: watch for probes that come. 0 or negative errno. */
int enable_watch(dtrace_hdl_t *dtp);

/* probes.c. Answers of the compiler's questions; set_option is compile.c's. */
void probes_hooks(dtrace_hdl_t *dtp, struct lang_hooks *h);

/* list.c */
void list_desc(const struct probe *p, dtrace_probedesc_t *out);
void list_desc_names(const char *prov, const char *mod, const char *func, const char *name, uint32_t id,
		     dtrace_probedesc_t *out);
dtrace_attribute_t list_attr_min(dtrace_attribute_t a, dtrace_attribute_t b);
/* Of a description: the least of the provider's four if it names one, else Unstable/Unstable/Common. */
dtrace_attribute_t list_attr_unpack(uint32_t attr);
void list_spec_attr(dtrace_hdl_t *dtp, const char *prov, dtrace_attribute_t *desc, dtrace_attribute_t *args);
void list_free(dtrace_hdl_t *dtp);

/*
 * workapi.c. The hook `stop` of the consumer is dtrace_stop(), which ends by consumer_set_stopped() if
 * dtp->consumer exists. work_message() reports a line of the library's own (firings that the kernel did not
 * deliver ...) to the drop handler.
 */
void work_message(dtrace_hdl_t *dtp, const char *text);
/* The same for n firings that are lost; cpu: DTRACE_CPUALL if it is not known where. */
void work_lost(dtrace_hdl_t *dtp, int cpu, uint64_t n, const char *text);
void work_close(dtrace_hdl_t *dtp);

/*
 * library.c. Libraries without an index are compiled before the first program: 0, or -1. An error in a library,
 * then or later, is kept until library_error() gives it (true).
 */
void library_hooks(dtrace_hdl_t *dtp, struct lang_hooks *h);
int library_load_dirs(dtrace_hdl_t *dtp);
bool library_error(dtrace_hdl_t *dtp, struct diag *d);
void library_close(dtrace_hdl_t *dtp);

/* cpp.c. The text as cpp leaves it, added to *out: 0 or an error number. `name`: of the file. */
int cpp_run(dtrace_hdl_t *dtp, const char *name, const char *text, size_t len, struct str *out);

/* cheader.c. Blanks what D cannot use of C headers in a text that cpp wrote. */
void cheader_strip(char *text, size_t len);

/* compile.c */
int read_all(FILE *fp, struct str *text); /* 0, or -1 */
void compile_close(dtrace_hdl_t *dtp);

/* symapi.c: answers of the consumer's and the code generator's questions; see consumer_hooks, cg_env. */
void symapi_hooks(struct consumer_hooks *h);
/* Tracing of user addresses begins: processes are followed. */
void symapi_follow(dtrace_hdl_t *dtp);
/* The consumer exists now: news of processes are taken when they pile up. 0 or negative errno. */
int symapi_watch(dtrace_hdl_t *dtp);
void symapi_report(dtrace_hdl_t *dtp); /* news that were lost */
int symapi_ksym_range(void *arg, const char *name, uint64_t *start, uint64_t *end);
void symapi_close(dtrace_hdl_t *dtp);

/* unwindapi.c */
/* Makes the tables by which user stacks are followed. False: it is not to be done, or cannot be. */
bool unwindapi_start(dtrace_hdl_t *dtp);
int unwindapi_fd(const dtrace_hdl_t *dtp, enum unwind_map map);
int unwindapi_watch(dtrace_hdl_t *dtp); /* the consumer exists now. 0 or negative errno */
void unwindapi_unwatch(dtrace_hdl_t *dtp); /* who was stopped for it goes on */
void unwindapi_report(dtrace_hdl_t *dtp);  /* files that found no room */
void unwindapi_close(dtrace_hdl_t *dtp);

/* procapi.c */
void procapi_init(dtrace_hdl_t *dtp);
/* First step of dtrace_go(). */
void procapi_start(dtrace_hdl_t *dtp);
void procapi_close(dtrace_hdl_t *dtp);
/* The consumer exists now: watch the processes. */
int procapi_watch(dtrace_hdl_t *dtp);

#endif
