/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Providers and the probe table.
 *
 * A provider is one struct of hooks, one file, one row in registry.c. It publishes probes (all at once, or
 * when a description asks for them), says which probes can share a program (a probe group) and how that
 * program reads its arguments, and attaches the loaded program. An unset hook means nothing to do.
 *
 * The table owns providers, probes and their names; probes are never removed and keep their address.
 */
#ifndef PROVIDER_PROVIDER_H
#define PROVIDER_PROVIDER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/diag.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/vec.h"
#include "codegen/cg.h"
#include "kern/kern.h"
#include "lang/tree.h"

struct provider;
struct probes;

/* Stability of the four fields and of the arguments, as "E/E/Common" texts (providers.md 24). */
struct provider_stability {
	const char *provider, *module, *function, *name, *args;
};

struct probe {
	uint32_t id; /* from 1 */
	const char *prov, *mod, *func, *name; /* prov: the provider's name, or one of its own like pid123 */
	struct provider *provider;
	uint64_t data;	/* the provider's own: system call number, period ... */
	bool literal;	/* an alias: matched by its literal name only, never by a glob or an empty field */
};

/*
 * One argument of an output prototype: args[i] is argument `from` of provider_ops.args, translated to `type` as
 * D spells it ("psinfo_t *"); the type of the native argument itself means no translation. The translators are
 * in lib/. A list ends with a NULL type.
 */
struct probe_xarg {
	const char *type;
	int from;
};

/* Probes that share one program. Made by group_get(); lives while the enabling lives. */
struct probe_group {
	struct provider *provider;
	uint64_t key;		/* the provider's own; one program per (provider, key) */
	char name[16];		/* of the program */
	const struct cg_probe_ops *ops;
	void *ops_data;
	size_t nrows;		/* 0 in group_init(): row i is probes.v[i], as many as are enabled */
	VEC(struct probe *) probes; /* enabled ones */
	uint32_t attach_btf_id; /* of the kernel's function that a TRACING program is loaded for, 0: none */
	const char *tracepoint; /* that the program is loaded for (BTF) or attached to, else NULL */
	uint32_t activity;	/* ABI_ACTIVE; BEGIN: ABI_WARMUP; END: ABI_COOLDOWN */
	int prog_fd;		/* -1 until loaded */
	int aux_fd;		/* map CG_MAP_AUX of the program, -1: none. Owned by the provider */
	VEC(int) fds;		/* links, perf events: closing them detaches */
	void *attached;		/* the provider's own */
};

/* What attaching needs to know of the session. */
struct attach_env {
	int cpu;		/* option cpu, -1: all */
	const int *cpus;	/* traced CPUs */
	size_t ncpus;
	int state_fd;		/* map with struct abi_state, for programs of the provider's own */
	/* A line for the user: one probe of many that cannot be had. */
	void (*warn)(void *arg, const char *text);
	void *arg;
};

struct provider_ops {
	const char *name;
	struct provider_stability stability;
	/* Publishes the probes that exist in advance. Called once, when the table is first searched for them. 0 or -errno. */
	int (*provide)(struct probes *t, struct provider *p);
	/* Why this machine has no probe of a description: a text of static life. NULL (hook or result): it says nothing. */
	const char *(*unavailable)(const struct probespec *spec);
	/*
	 * Is this a name that only this provider has probes of? Then no other one is published for a description that
	 * consists of the name alone. Unset: none.
	 */
	bool (*owns)(const char *name);
	/* A description that may name a probe made on demand. 0, or -1 with *d set. */
	int (*demand)(struct probes *t, struct provider *p, const struct probespec *spec, struct diag *d);
	/* Does a probe that has its own provider name match? Unset: the four fields are compared as they stand. */
	bool (*match)(const struct probe *probe, const struct probespec *spec);
	/* Are probes of this provider name made by demand()? Unset: none but the provider's own. */
	bool (*claims)(const char *prov);
	/* Types of args[] as D spells them; NULL ends the list. NULL result: untyped. The result belongs to the table. */
	const char *const *(*args)(struct probes *t, const struct probe *probe);
	/* The output prototype of a probe whose args[] are translated; NULL (hook or result): args[] are those of args(). */
	const struct probe_xarg *(*xargs)(struct probes *t, const struct probe *probe);
	/* Key of the group that the probe belongs to, and the group's constants (name, ops, nrows, activity) on first use. */
	uint64_t (*group_key)(const struct probe *probe);
	void (*group_init)(struct probe_group *g, const struct probe *probe);
	/* Rows of the probe in its group: a program finds the row by number. Sets up to max numbers, gives their count. */
	size_t (*rows)(const struct probe *probe, uint32_t *rows, size_t max);
	/* Attaches g->prog_fd; descriptors go to g->fds. 0 or -errno, *why set to a text of static life. */
	int (*attach)(struct probe_group *g, const struct attach_env *env, const char **why);
	/* After attach, when tracing becomes active (timers start here). */
	int (*start)(struct probe_group *g, const struct attach_env *env);
	/* Tracing has ended: timers stop here. */
	void (*stop)(struct probe_group *g);
	/*
	 * Firings of an enabled probe that the kernel did not deliver on a CPU between start and stop. NULL: none can be
	 * missed. all: also of probes whose number nobody counts on, like ticks; wanted with -x accounting.
	 */
	uint64_t (*missed)(struct probe_group *g, const struct probe *probe, int cpu, bool all);
	/* Firings of the group that the kernel did not give to its program, beside those that it counts with the program. */
	uint64_t (*skipped)(struct probe_group *g);
	/* Those of them that are of row i, where that is known: told with -x accounting in place of the sum. */
	uint64_t (*skipped_row)(struct probe_group *g, size_t i);
	/* Forks of targets that should have been followed. */
	uint64_t (*unfollowed)(const struct provider *p);
	/* Frees ops_data and attached; the descriptors in fds are closed already. */
	void (*group_destroy)(struct probe_group *g);
	void (*destroy)(struct provider *p);
	/*
	 * Probes that come while tracing. watch(), after attach: gives a descriptor that is readable when there may be new ones,
	 * -1: none can come. refresh() then makes demand() look again; refreshed() when they are attached.
	 */
	int (*watch)(struct probes *t, struct provider *p);
	void (*refresh)(struct probes *t, struct provider *p);
	void (*refreshed)(struct probes *t, struct provider *p);
	/* Tracing has ended. */
	void (*unwatch)(struct probes *t, struct provider *p);
};

struct provider {
	const struct provider_ops *ops;
	void *data;
	bool provided;
};

struct probes {
	struct arena *arena;
	VEC(struct probe *) v;	      /* index id - 1 */
	VEC(struct provider *) providers;
	struct hmap *by_name;	      /* "prov\0mod\0func\0name" */
	/*
	 * Before a provider looks into a process: one that is held is taken to where its probes can be found. True: we have
	 * created it, so that it may be stopped and continued without anyone being told.
	 */
	bool (*look)(void *arg, pid_t pid);
	/* Are the probes of a process to fire in what it forks? 0: those of any. */
	bool (*follows)(void *arg, pid_t pid);
	uint32_t (*follow_max)(void *arg); /* processes at a time */
	void *look_arg; /* of all three */
	struct watches *watches; /* provider/watch.h */
};

#define PROBE_ROWS_MAX 8

struct probes *probes_create(void);
void probes_destroy(struct probes *t);
/* Publishes a probe; NULL if it exists already. Names are copied. */
struct probe *probes_add(struct probes *t, struct provider *p, const char *mod, const char *func, const char *name, uint64_t data);
/* The same under a provider name of its own. */
struct probe *probes_add_as(struct probes *t, struct provider *p, const char *prov, const char *mod, const char *func,
			    const char *name, uint64_t data);
/* A probe whose name another one has already; look-up gives the new one from now on. */
struct probe *probes_add_again(struct probes *t, struct provider *p, const char *prov,
			       const char *mod, const char *func, const char *name, uint64_t data);
struct probe *probes_lookup(struct probes *t, const char *prov, const char *mod, const char *func, const char *name);
/* Calls f for each probe that a description names, in order of id; what can be made on demand is made first.
 * Gives the number of matches, or -1 with *d set. f may be NULL (count only). */
int probes_match(struct probes *t, const struct probespec *spec, struct diag *d,
		 void (*f)(void *arg, struct probe *p), void *arg);
/* The provider that a provider name belongs to; NULL. */
struct provider *probes_provider(const struct probes *t, const char *prov);
/* Why a description that names a provider has no match: the kernel lacks what that needs. NULL: it does not. */
const char *probes_unavailable(const struct probes *t, const struct probespec *spec);
/* Publishes everything (for -l without a description). */
int probes_provide_all(struct probes *t);

extern const struct provider_ops provider_cpc, provider_dtrace, provider_fbt, provider_fsinfo, provider_io,
	provider_ip, provider_lockstat, provider_mib, provider_pid, provider_proc, provider_profile, provider_rawfbt,
	provider_rawtp, provider_sched, provider_sdt, provider_syscall, provider_sysinfo, provider_tcp, provider_udp,
	provider_usdt, provider_vminfo;

#endif
