/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of enabling share: enable.c, enable_load.c, enable_run.c. */
#ifndef LIB_ENABLE_IMPL_H
#define LIB_ENABLE_IMPL_H

#include "lib/enable.h"

/* A clause of a group, with its EPID in each row. A description that names a probe twice makes two of them. */
struct group_clause {
	struct cg_clause *cg;
	uint32_t *epid; /* [nrows], 0: not enabled there */
};

struct group {
	struct probe_group g;
	VEC(struct group_clause) clauses;
	const struct probe **probe; /* [nrows] */
	bool loaded;		    /* probes that come later make a group of their own */
	bool grows;		    /* a row for each probe, given in order */
	size_t room;		    /* rows that the arrays have */
	struct hmap *row_of;	    /* of a group that grows: probe id -> row + 1 */
};

struct prepared {
	const struct clause *clause;
	struct cg_clause *cg;
};

/* A provider that may have new probes while tracing. */
struct watching {
	struct provider *provider;
	int fd;
};

struct enabling {
	struct cg_env env;
	VEC(struct prepared) clauses;
	VEC(struct group *) groups;
	/* dtrace:::ERROR has no program: its clauses are part of all others. */
	VEC(struct cg_clause *) error_clauses;
	VEC(uint32_t) error_epids;
	uint32_t error_id;
	VEC(struct watching) watches;
	uint32_t known; /* probes up to this one have been matched with all descriptions */
	bool destructive;
	int *cpus;	  /* traced */
	size_t ncpus;
	int begin_cpu;
	int cleaner_fd; /* program that moves speculations, -1: none */
};

/* ---- enable.c ---- */

struct enabling *enabling_get(dtrace_hdl_t *dtp);
void enabling_options(dtrace_hdl_t *dtp, struct cg_env *env);
/* Clauses x probes above `known`: adds to *matches how many there were. 0, or -1 with *d set. */
int enable_program(dtrace_hdl_t *dtp, const struct dtrace_prog *prog, uint32_t known, unsigned int *matches,
		   struct diag *d);

/* ---- enable_load.c ---- */

int enabling_cpus(dtrace_hdl_t *dtp, struct enabling *e);
int enabling_options_settle(dtrace_hdl_t *dtp, struct enabling *e);
int enabling_buffers_make(dtrace_hdl_t *dtp, struct enabling *e);
int enabling_group_load(dtrace_hdl_t *dtp, struct enabling *e, struct group *g);
int enabling_group_attach(dtrace_hdl_t *dtp, struct group *g, const struct attach_env *env);
void enabling_layouts_show(dtrace_hdl_t *dtp, FILE *out);

/* ---- enable_run.c ---- */

/* The groups from `from` on. */
void enabling_detach(struct enabling *e, size_t from);
void enabling_watches_stop(dtrace_hdl_t *dtp, struct enabling *e);

#endif
