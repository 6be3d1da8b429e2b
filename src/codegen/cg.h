/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The code generator: checked clauses in, IR and record layouts out.
 *
 * A probe is plain data here (struct cg_group): what kind of program it is, how arguments are read, which
 * clauses run. Providers supply the hooks; the generator never calls a provider otherwise.
 *
 * Two steps. cg_clause_prepare(), once per clause when it is enabled: record layout, key shapes, frame and
 * string needs. cg_group_emit(), once per probe group when tracing starts and all sizes are known.
 */
#ifndef CODEGEN_CG_H
#define CODEGEN_CG_H

#include <linux/bpf.h>

#include "abi/abi.h"
#include "base/diag.h"
#include "codegen/ir.h"
#include "codegen/layout.h"
#include "lang/lang.h"

enum cg_policy { CG_SWITCH, CG_FILL, CG_RING };

struct cg;
struct cg_clause;

/*
 * Strings of the frozen map strtab: interned; offsets are final from the start. Literals are added
 * by cg_clause_prepare(); the names of every enabled probe must be added before the map is made.
 */
struct strtab;
struct strtab *strtab_create(void);
void strtab_destroy(struct strtab *t);
uint32_t strtab_add(struct strtab *t, const char *s, size_t len); /* offset of a struct abi_str */
const void *strtab_data(const struct strtab *t, uint32_t *size);
const char *strtab_get(const struct strtab *t, uint32_t offset);

/* Everything the generator must know of the session. */
struct cg_env {
	struct dsession *ses;
	struct ecbs *ecbs;
	struct strtab *strtab;
	bool temporal;
	bool accounting;
	enum cg_policy policy;
	/* needs, grown by cg_clause_prepare() */
	uint32_t frame_temps;	 /* bytes of temporaries of the hungriest clause */
	uint32_t scratch;	 /* bytes of alloca/copyin scratch (option scratchsize) */
	bool uses_frames, uses_dvars, uses_principal, uses_aggs, uses_globals, uses_scratch, uses_specs,
		uses_strtok, uses_wakes;
	bool uses_direct; /* counters that no word guards: stopping must wait for the programs (struct aggshape) */
	uint32_t size;		 /* instructions of the IR of all clauses */
	uint32_t dvar_value;	 /* largest value of a dynamic variable, bytes */
	uint32_t agg_fixed;	 /* bytes of the fixed values of keyless aggregations, from offset 64 */
	uint32_t agg_min;	 /* smallest aggsize that holds one key of each shape */
	uint32_t max_record;	 /* largest layout->max */
	bool unwinds;	   /* user stacks are followed by tables (abi/abi.h, "unwinding"); false: by the kernel alone */
	bool uses_unwind;  /* a program has asked for a user stack */
	bool uses_ksyms, uses_usyms; /* kernel, user addresses are recorded to be shown by name */
	/* A kernel function's addresses: 0 or negative errno. NULL: unknown. Asked when a stack is emitted. */
	int (*ksym)(void *arg, const char *name, uint64_t *start, uint64_t *end);
	void *ksym_arg;
	/* sizes in force, set before cg_group_emit() */
	struct abi_conf conf;
};

/* Makes layout, shapes and needs of a clause; NULL after an error in *d. Freed by cg_clause_destroy(). */
struct cg_clause *cg_clause_prepare(struct cg_env *env, const struct clause *c, struct diag *d);
/*
 * Layout (in place: its address stays) and needs again, for the strsize and temporal of now. To be
 * called for every clause before buffers are made if one of them may have changed since
 * cg_clause_prepare(). 0 or -1 with *d set.
 */
int cg_clause_renew(struct cg_clause *c, struct diag *d);
void cg_clause_destroy(struct cg_clause *c);
const struct layout *cg_clause_layout(const struct cg_clause *c);

/* How a group's program reads its probe. All emit into cg_ir(cg). */
struct cg_probe_ops {
	enum bpf_prog_type prog_type;
	enum bpf_attach_type attach_type;
	/* Emits the program's start; gives the index of the probe's row (VREG_NONE if the group has one row), jumps to `out` if no probe
	 * of the group is meant. ctx is the program's context. */
	vreg (*prologue)(struct cg *cg, vreg ctx, void *data, label out);
	bool bounded; /* the index is below nrows on every path: needs no further check */
	/* Emits a load of raw argument n (0..9); arguments that do not exist are 0. */
	vreg (*arg)(struct cg *cg, vreg ctx, void *data, int n);
	/* errno of the probe, or NULL: 0. */
	vreg (*err)(struct cg *cg, vreg ctx, void *data);
	/*
	 * The pc in the kernel where the stack of the probe begins, 0: not in the kernel. NULL: it begins where the
	 * program's context says (emit_stack.c).
	 */
	vreg (*kernel_pc)(struct cg *cg, vreg ctx, void *data);
	/* Frames of the kernel's stack before that of the probe, where their number is known; 0: it is found out. */
	uint32_t own_frames;
	/*
	 * The return address of a user function that has no frame yet, which unwinding by frame pointers skips; 0:
	 * none. NULL: nothing is skipped at these probes.
	 */
	vreg (*user_caller)(struct cg *cg, vreg ctx, void *data);
};

/*
 * What a program is made of. Functions keep long programs in bounds (emit_func.c), but take stack: when that is short, the
 * next shape is tried.
 */
enum cg_shape {
	CG_FUNCTIONS, /* clauses in parts, if it is long; one way of faults for all of them */
	CG_PARTS,     /* clauses in parts, if it is long */
	CG_FLAT,      /* one function */
};

struct cg_row { /* one probe of a group; row i is found by the prologue's index i */
	bool used;
	uint32_t probe_id;
	const char *prov, *mod, *func, *name;
	uint32_t *epid;	 /* per clause of the group, 0 = not enabled */
};

struct cg_group {
	const char *name;	/* for messages and the program's name: "syscall_entry" */
	enum cg_shape shape;
	const struct cg_probe_ops *ops;
	void *data;		/* handed to ops */
	const char *tracepoint; /* that the program is attached to; NULL: none or unknown */
	size_t nclauses;
	struct cg_clause **clauses; /* in program order */
	size_t nrows;
	struct cg_row *rows;	/* one row: constants are put into the code; else into map rows, a struct abi_row each */
	uint32_t activity;	/* in which activity these clauses run: ABI_ACTIVE, ABI_WARMUP (BEGIN), ABI_COOLDOWN (END) */
	/* clauses of dtrace:::ERROR, run on the fault path of every program */
	size_t nerror;
	struct cg_clause **error_clauses;
	uint32_t *error_epid;
	uint32_t error_probe_id;
};

/* Size of a row in map rows, bytes. */
uint32_t cg_row_stride(const struct cg_group *g);
/* Fills the rows of map rows (nrows * stride bytes). */
void cg_rows_fill(struct cg_env *env, const struct cg_group *g, void *rows);

/* Emits the whole program of a group. 0 or -1 with *d set. */
int cg_group_emit(struct cg_env *env, const struct cg_group *g, struct ir *ir, struct diag *d);

/*
 * Emits the cleaner's program, which moves a part of a speculation into the principal buffer of the CPU
 * it runs on. A raw tracepoint program with a context of two words: number of the speculation (from 0),
 * bytes. It gives 0 when they are moved, or lost and counted, 1 when they could not be moved now.
 */
int cg_cleaner_emit(struct cg_env *env, struct ir *ir, struct diag *d);

/* For provider hooks. */
struct ir *cg_ir(struct cg *cg);
/* A place of 8 bytes in the stack (for ir_stack()) for helpers to write to: read it before the next call. */
int cg_probe_stack(struct cg *cg);
/* Process << 32 | thread, as our pid namespace numbers them (0: not at all). */
vreg cg_pid_tgid(struct cg *cg);
/* A number of size bytes of the kernel at base + off, 0 where nothing can be read. */
vreg cg_read(struct cg *cg, vreg base, int64_t off, int size);

#endif
