/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The consumer: status, snapshots, decoding of records, output. One thread.
 *
 *	consumer_create -> loop { consumer_sleep; consumer_work } until it is not CONSUMER_OKAY
 *	-> consumer_drain (after an explicit stop) -> consumer_finish -> consumer_destroy
 *
 * Nothing here stops tracing or fires a probe: that is the hook `stop`.
 *
 * -x accounting: consumer_finish() prints a line for each EPID and CPU with fired > 0, to the error
 * stream by the hook `message`, fields separated by one blank, in this order:
 *   dtrace: accounting: EPID %u CPU %d %s:%s:%s:%s fired %u false %u recorded %u noroom %u busy %u
 *   noframe %u fault %u stopped %u done %u written %u, and if there are speculations:
 *   specskip %u specdrop %u discarded %u speclost %u specleft %u
 * (one line; every number is a decimal uint64). `recorded` is the number of records that the
 * consumer decoded; all others were counted in probe context.
 */
#ifndef CONSUMER_CONSUMER_H
#define CONSUMER_CONSUMER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agg/agg.h"
#include "buffer/buffer.h"
#include "codegen/layout.h"
#include "consumer/output.h"

enum consumer_format { FORMAT_TEXT, FORMAT_JSON, FORMAT_FOLDED };

/* Options that may change while tracing: the consumer reads them when it needs them. */
struct consumer_options {
	bool quiet, flowindent, rawbytes, droptags, temporal, accounting;
	int stackindent;			  /* blanks before a frame; 14 */
	uint64_t switchrate, aggrate, statusrate; /* ns; 0: at every work */
	uint64_t cleanrate; /* ns, of speculations; not 0 */
	bool aggsortkey, aggsortrev;
	int aggsortkeypos, aggsortpos;
	bool agghist, aggpack, aggpercpu;
	struct agg_style agg_style; /* aggzoom, encoding */
	/* from the start: */
	enum consumer_format oformat;
	const char *flamegraph, *heatmap; /* files, NULL: none */
};

struct consumer;

/* What a probe or action callback sees. */
struct consumer_data {
	int cpu;
	const struct ecb *ecb;
	const struct abi_rec *rec; /* header and data, in the buffer */
	uint64_t time;		   /* ns, with temporal; else 0 */
	bool is_entry, is_return;  /* for flowindent, after its corrections */
	int indent;		   /* blanks; with flowindent */
	const char *prefix;	   /* " -> ", " => ", " <- ", " <= ", "| "; "" without flowindent */
};

struct consumer_error { /* a run-time fault in D */
	int cpu;
	uint32_t epid;	       /* enabled probe that faulted */
	const struct ecb *ecb; /* of it; NULL if unknown */
	uint32_t action;       /* 0: predicate */
	int32_t offset;	       /* -1: unknown */
	enum abi_fault fault;
	uint64_t value;
	bool has_value;	  /* the message shows the value (address and alignment faults) */
	const char *text; /* the whole message, without newline: "error on enabled probe ID ..." */
};

struct consumer_drop {
	enum abi_drop kind;
	int cpu;	/* -1: of the whole consumer */
	uint64_t drops; /* since the last report */
	uint64_t total;
	const char *tag; /* "DTRACEDROP_PRINCIPAL" */
	const char *text; /* "11 drops on CPU 0"; with droptags the tag in brackets before it */
};

struct consumer_sym {
	const char *module;   /* module or basename of the object; NULL: unknown */
	const char *function; /* NULL: unknown */
	uint64_t offset;      /* from the function's start */
	bool unresolved;      /* noresolve: shown as module:0xoffset, offset in the module */
};

enum consumer_answer { CONSUMER_THIS, CONSUMER_NEXT, CONSUMER_ABORT };

/* All optional. Texts are valid during the call. */
struct consumer_hooks {
	void *arg;
	/*
	 * exit() was seen, or a fill buffer is full: stop tracing (END fires). 0 or negative errno.
	 */
	int (*stop)(void *arg);
	/*
	 * Once per record before its line (THIS: print it, NEXT: skip the record, ABORT:
	 * consumer_work fails). after = true: the record is printed, before the newline of the
	 * line.
	 */
	enum consumer_answer (*probe)(void *arg, const struct consumer_data *d, bool after);
	/* Once per action. THIS: perform and print it; NEXT: skip it. */
	enum consumer_answer (*action)(void *arg, const struct consumer_data *d,
				       const struct action *a);
	/* Run-time error, drop: unset or THIS = `message` prints it; NEXT = handled. */
	enum consumer_answer (*error)(void *arg, const struct consumer_error *e);
	enum consumer_answer (*drop)(void *arg, const struct consumer_drop *d);
	/* A line for the error stream, without "dtrace: " and newline. Unset: stderr. */
	void (*message)(void *arg, const char *text);
	/*
	 * setopt(): NULL, or why not (the error on the probe: couldn't set option "NAME" to
	 * "VALUE": WHY).
	 */
	const char *(*setopt)(void *arg, const struct consumer_data *d, const char *name,
			      const char *value);
	/* system(): output is flushed before. Unset: sh -c, waited for. */
	void (*system)(void *arg, const char *command);
	/* Symbols. 0, or negative: unknown. Unset: raw addresses. Must be quick. pid: FIELD_USTACK's word; 0: the target. */
	int (*ksym)(void *arg, uint64_t addr, struct consumer_sym *sym);
	int (*usym)(void *arg, uint64_t pid, uint64_t addr, struct consumer_sym *sym);
	/* See aggs_set_canon(). */
	uint64_t (*canon)(void *arg, enum func_id func, uint64_t pid, uint64_t addr);
};

struct consumer_config {
	struct buffers *buffers;
	const struct ecbs *ecbs; /* may grow while tracing */
	const void *strtab;
	uint32_t strtab_size;
	const struct consumer_options *opt; /* read live */
	const struct consumer_hooks *hooks; /* may be NULL; must outlive the consumer */
	int out_fd;    /* -1: output stays in consumer_output()->buf for the client */
	bool no_lines; /* the client prints header, probe lines and their newlines itself */
};

/* Owns nothing of the config. */
int consumer_create(struct consumer **out, const struct consumer_config *cfg);
void consumer_destroy(struct consumer *c); /* accepts NULL; no flush */

struct output *consumer_output(struct consumer *c);
struct aggs *consumer_aggs(struct consumer *c);

/*
 * Tracing has been stopped from above (buffers_stop() and END are done): everything left is to be
 * read.
 */
void consumer_set_stopped(struct consumer *c);

/*
 * Sleeps until the next rate is due, a descriptor of consumer_add_fd() is readable (its function
 * has then been called), or the output takes more. max_ns: at most so long; -1: no bound. 0, or
 * -EINTR after a signal.
 */
int consumer_sleep(struct consumer *c, int64_t max_ns);
/*
 * fn is called by consumer_sleep() while fd is readable; it may remove itself. 0 or negative errno.
 */
int consumer_add_fd(struct consumer *c, int fd, void (*fn)(void *arg, int fd), void *arg);
void consumer_del_fd(struct consumer *c, int fd);

enum consumer_status { CONSUMER_OKAY, CONSUMER_DONE, CONSUMER_ERROR };
/*
 * One turn: status, aggregations, principal buffers, as their rates say. DONE: tracing has stopped
 * and all is decoded. ERROR: that of the output, else consumer_errmsg().
 */
enum consumer_status consumer_work(struct consumer *c);
/*
 * After consumer_set_stopped(): reads and decodes everything that is left, whatever the output
 * takes.
 */
enum consumer_status consumer_drain(struct consumer *c);
const char *consumer_errmsg(const struct consumer *c);
/* The file that freopen() has opened for the output; NULL: none. */
const char *consumer_own_path(const struct consumer *c);
/*
 * A second signal: consumer_work(), consumer_drain() and consumer_finish() end as soon as possible.
 * Signal-safe.
 */
void consumer_abort(struct consumer *c);

/*
 * The next consumer_work() prints what the buffers hold, whatever the rates: under ring all of it without
 * taking it away, and without what actions do elsewhere (system(), printa(), clear() ...), which is done when
 * tracing has ended. fill buffers are read at the end only: a message. Signal-safe. The D action snapshot()
 * does the same; it is seen when the status is checked.
 */
void consumer_snapshot(struct consumer *c);

/* The next consumer_work() checks the status, whatever statusrate says. */
void consumer_status_now(struct consumer *c);

/* Aggregations alone: one snapshot now (0 or negative errno), print all that printa() has not. */
int consumer_aggregate(struct consumer *c);
void consumer_print_aggregations(struct consumer *c);
/*
 * End of session: newline, aggregations not yet printed (unless aborted), accounting; output
 * flushed. 0 or negative errno.
 */
int consumer_finish(struct consumer *c);
void accounting_report(struct consumer *c); /* that alone */

bool consumer_exited(const struct consumer *c, int *status); /* an exit() was decoded */
bool consumer_unwritten(const struct consumer *c);   /* a picture could not be written */
bool consumer_filled(const struct consumer *c);	     /* a fill buffer was found full */
uint64_t consumer_records(const struct consumer *c); /* decoded in all, fault records not counted */
uint64_t consumer_recorded(const struct consumer *c, uint32_t epid, uint32_t slot);

#endif
