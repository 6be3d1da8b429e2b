/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Shared by consumer.c (status, rates, sleep), turn.c (which record next), decode.c (one record)
 * and report.c.
 */
#ifndef CONSUMER_IMPL_H
#define CONSUMER_IMPL_H

#include <signal.h>

#include "base/vec.h"
#include "consumer/consumer.h"
#include "consumer/print_impl.h"

enum ecb_kind { ECB_PLAIN, ECB_BEGIN, ECB_END, ECB_ERROR };
enum ecb_flow { FLOW_NONE, FLOW_ENTRY, FLOW_RETURN };

/* What is worked out once for each EPID. */
struct ecb_info {
	bool known;
	enum ecb_kind kind;
	enum ecb_flow flow;
	bool is_syscall;
	char *line; /* " %6u %32s " */
	uint32_t line_len;
	char *json; /* NULL: not made yet */
	uint32_t json_len;
};

/* Records of one CPU, oldest first: what a temporal merge held back, then the snapshot. */
struct source {
	struct buffer_snap held, snap;
	void *held_mem; /* of held, owned */
	VEC(const struct abi_rec *) order; /* temporal: all of both, by time */
	size_t next;			   /* in order */
	bool has_snap;
	bool begin_done;	    /* records of BEGIN at the front have been passed */
	bool in_end;		    /* peeked is the first record of END */
	const struct abi_rec *peek; /* the next record, NULL: not looked for yet */
	int indent;		    /* flowindent */
	uint32_t last_epid;	    /* of the record before, for flowindent */
	char cpu_text[16];	    /* "%3d" */
	uint32_t cpu_len;
	int late; /* turns in which a program had not left */
	uint64_t seen;	/* temporal: everything older has been handed out */
	uint64_t waits; /* the turn_time of the exchange whose half is waited for; 0: none */
};

/* Where a turn (one reading of all CPUs) stands; it can be left when the output is full. */
enum pass { PASS_BEGIN, PASS_MAIN, PASS_END, PASS_OVER };

struct watch {
	int fd;
	void (*fn)(void *arg, int fd);
	void *arg;
};

struct consumer {
	struct consumer_config cfg;
	struct print print;
	struct output out;
	int own_fd; /* opened by freopen(), -1 */
	char *own_path;
	struct aggs *aggs;
	VEC(struct ecb_info) info; /* index epid - 1 */
	VEC(uint64_t) recorded;	   /* [epid * nslots + slot] */
	uint64_t records;
	uint64_t (*drops)[ABI_DROP_NCAUSES]; /* reported, by slot */
	struct source *src;
	uint32_t nslots;
	int *cpus; /* by slot */
	/* the turn under way */
	bool in_turn, first_turn, turn_had_data, turn_late;
	bool turn_after;  /* it began after the end of tracing */
	bool in_snapshot; /* a turn over rings that go on */
	enum pass pass;
	uint32_t slot;
	uint64_t turn_time; /* temporal: everything older is in the halves of this turn, what is younger waits */
	VEC(uint32_t) heap; /* temporal: slots with a record, smallest time first */
	/* session */
	uint64_t last_status, last_agg, last_switch, last_clean; /* ns; 0: never */
	bool stopped, filled, exited, header_done, broken;
	bool agg_late;  /* after the end: a program is still in an aggregation buffer */
	bool unwritten; /* a picture could not be written */
	int exit_status;
	volatile sig_atomic_t abort, snap_wanted;
	uint64_t snapshots; /* snapshot() calls answered */
	char *errmsg;
	VEC(struct watch) watches;
	VEC(struct print_value) args;
	/* other formats and pictures */
	enum consumer_format format; /* of the record under way */
	struct str aside;	     /* json: the same */
	uint64_t lines, errors; /* record lines; run-time errors reported */
	struct fold *fold;   /* folded, flamegraph */
	struct heats *heats; /* heatmap */
};

/* The cleaner of speculations, if it is due; called also in the middle of long work. */
void consumer_clean(struct consumer *c);

/*
 * turn.c: reads and decodes all CPUs. 1: all done; 0: the output is full (or aborted), call again;
 * -1: error.
 */
int turn_run(struct consumer *c);

/*
 * decode.c: one record; next is the one behind it on its CPU or NULL. 0; -EINVAL: impossible;
 * -ECANCELED: a hook aborts.
 */
int decode_record(struct consumer *c, struct source *s, const struct abi_rec *r,
		  const struct abi_rec *next);
const struct ecb_info *ecb_info_get(struct consumer *c, const struct ecb *e);
int decode_printa_all(struct consumer *c, uint32_t agg);

struct agg_sort consumer_sort(const struct consumer *c);

/* json.c */
void json_string(struct str *out, const char *text, size_t n);
void json_record_begin(struct consumer *c, const struct consumer_data *d);
void json_action(struct consumer *c, const struct action *a, const struct print_value *args,
		 size_t nargs);
void json_record_end(struct consumer *c, bool shown); /* after nothing was begun: nothing */
void json_aggregation(struct consumer *c, uint32_t id);
void json_drop(struct consumer *c, const struct consumer_drop *d);
void json_error(struct consumer *c, const struct consumer_error *e);
void json_end(struct consumer *c);

/* picture.c: folded stacks and pictures of what is traced; all do nothing if none was asked for. */
void picture_open(struct consumer *c);
void picture_close(struct consumer *c);
void picture_record_begin(struct consumer *c);
void picture_action(struct consumer *c, const struct action *a, const struct print_value *args,
		 size_t nargs);
void picture_record_end(struct consumer *c);
void picture_aggregation(struct consumer *c, uint32_t agg); /* its stacks */
void picture_before_sample(struct consumer *c); /* aggregations will be read */
void picture_sample(struct consumer *c);		    /* they have been */
void picture_end(struct consumer *c);			    /* writes all */

/* report.c */
const char *drop_name(enum abi_drop kind); /* NULL: is never reported */
void consumer_message(struct consumer *c, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
int consumer_fail(struct consumer *c, const char *fmt, ...)
	__attribute__((format(printf, 2, 3))); /* -1 */
enum drop_when { DROP_WITH_DATA, DROP_WITH_AGGS, DROP_WITH_STATUS };
int drops_report(struct consumer *c, enum drop_when when, int slot); /* slot -1: all */
int fault_report(struct consumer *c, int cpu, const struct abi_fault_data *f);
int error_report(struct consumer *c, int cpu, const struct ecb *e, const char *text);

static inline const struct consumer_hooks *hooks_of(const struct consumer *c)
{
	return c->cfg.hooks;
}

#endif
