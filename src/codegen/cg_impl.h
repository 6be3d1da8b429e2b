/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the files of the code generator share.
 *
 *   layout.c     what a clause records, key shapes; cg_clause_prepare()
 *   cg.c         what all emitters use; a clause as a whole
 *   group.c      the program of a group around its clauses: prologue, frame, rows
 *   emit_rec.c   reserving, filling and leaving a record under each policy
 *   emit_func.c  functions of long programs: clauses in parts, one way of faults for all clauses
 *   emit_fault.c faults: the fault record and the ERROR clauses
 *   emit_expr.c  expressions of numbers
 *   emit_str.c   expressions of strings
 *   emit_cond.c  conditions
 *   emit_place.c variables of every storage class, memory behind pointers: what can be assigned
 *   emit_load.c  what is in such a place: loading and storing it
 *   emit_var.c   built-in variables
 *   emit_agg.c   aggregations
 *   emit_stack.c stacks and addresses, as actions, keys and variables
 *   emit_spec.c  speculations
 *   emit_act.c   actions, one table row each
 *   emit_subr.c  subroutines, one table row each
 *   emit_mem.c   subroutines on memory
 *   emit_proc.c  processes, paths, registers, locks
 *   emit_destroy.c  what changes the system
 *   strtab.c     string table
 *   clock.c      differences of clocks
 *
 * Rules that hold everywhere:
 * - A register returned by an expression belongs to the caller, who may change it.
 * - An integer value is 64 bits wide and, except inside a chain of arithmetic, sign- or
 *   zero-extended from its type (expr_value(); expr_raw() may give more bits).
 * - No instruction may be unreachable: the verifier refuses it. A condition known while compiling
 *   still becomes a conditional jump.
 * - A clause is emitted twice: once by cg_clause_prepare() into nothing, to learn what it needs,
 *   and once for good. Both must take the same way.
 */
#ifndef CODEGEN_CG_IMPL_H
#define CODEGEN_CG_IMPL_H

#include "codegen/cg.h"
#include "lang/format.h"

/* Where the records of a clause go. */
enum cg_spec {
	CG_SPEC_NONE, /* to the principal buffer */
	CG_SPEC_ALL,  /* to a speculation, nothing is recorded before speculate() */
	CG_SPEC_SOME, /* speculate() stands in an `if`: known at run time only */
};

/* A clause made ready: everything lives in its arena. */
struct cg_clause {
	struct cg_env *env;
	const struct clause *c;
	struct arena *arena;
	struct layout *layout;
	uint32_t *shapes; /* per STMT_AGG of the clause in text order: index of its key shape */
	struct action **
		actions; /* per STMT_ACTION in text order: its action, NULL if it records nothing */
	size_t naggs, nactions;
	bool direct; /* its one aggregation is a counter that is not switched */
	uint32_t strsize; /* for which the layout was made */
	bool temporal;
	/* found by the trial emission */
	bool uses_frame, uses_locals, uses_scratch, uses_specs, uses_strtok, uses_wakes, commits, can_fault;
	enum cg_spec spec;
	unsigned int timestamps; /* places that read the time of the firing */
	unsigned int args;	 /* bit n: it reads argument n of the probe */
	bool reads_errno;
	uint32_t
		size; /* instructions of the IR, of which all this is an upper bound but for ERROR clauses */
	uint32_t temps;		 /* bytes of frame temporaries */
	struct ident **locals;	 /* clause-local variables it names */
	size_t nlocals;
};

/* Where a string is while a statement is compiled. */
enum sval_kind {
	SVAL_CONST, /* string table, offset known now */
	SVAL_TABLE, /* string table, offset in a register */
	SVAL_FRAME, /* struct abi_str in the frame */
	SVAL_NULL,  /* the NULL string */
};
struct sval {
	enum sval_kind kind;
	uint32_t off; /* SVAL_CONST: in strtab; SVAL_FRAME: in the frame */
	vreg reg;     /* SVAL_TABLE */
	bool is_var;  /* SVAL_FRAME: the storage of a variable, not a copy */
	bool nullable; /* SVAL_FRAME: it may be the NULL string */
};

/* A place that can be read and assigned (emit_place.c, emit_load.c). */
enum lval_kind {
	LVAL_GLOBAL,  /* in map globals */
	LVAL_FRAME,   /* in the frame: clause-local, or the copy of a dynamic variable */
	LVAL_DYNAMIC, /* a dynamic variable as a whole */
	LVAL_ADDR,    /* at any address */
	LVAL_CHAR,    /* a character of a string, in a copy of the string */
};
struct lval {
	enum lval_kind kind;
	bool whole;   /* a variable, not a part of one */
	bool dynamic; /* LVAL_FRAME: stores go on into the dynamic variable */
	struct type *type;
	uint64_t off;	       /* in globals or the frame; LVAL_ADDR: from addr */
	vreg index;	       /* added to off, known to stay in the variable; VREG_NONE: 0 */
	vreg addr;	       /* LVAL_ADDR */
	uint32_t key;	       /* dynamic variable: its key in the frame */
	vreg nwords;	       /* of the key | var << 32 */
	uint32_t copy, size;   /* its value in the frame, its size; LVAL_CHAR: the copied string */
	uint32_t bits, shift;  /* bit-field: its width, not 0; bits from off */
	uint32_t room;	       /* a string as a part: its bytes */
	struct lval *string;   /* LVAL_CHAR: where the string is, NULL: nowhere */
};

/* A structure, array or floating-point number: its bytes. */
struct bytes {
	vreg at;      /* a pointer that the verifier knows, or an address */
	bool foreign; /* an address: reading may fault */
};

/* A reservation under way or made. */
struct resv {
	vreg half; /* 0 or 1 */
	vreg others; /* 0: nobody else was in it */
	vreg elem; /* element of map bufs */
	vreg off;  /* of the record in it */
	vreg word; /* the packed word as it was stored */
	vreg rec;  /* address of the record */
	label retry; /* RESV_BLOCK: closed, or every race was lost */
};

/* What is reserved for. */
enum resv_kind {
	RESV_RECORD,
	RESV_FAULT, /* a fault record */
	RESV_BLOCK, /* a part of a speculation: lost only if there is no room for it; else `retry` */
};

/* State of the clause that is being emitted. */
struct cg_cur {
	struct cg_clause *cl;
	vreg epid; /* VREG_NONE: epid_const */
	uint32_t epid_const;
	bool in_error;	      /* a clause of ERROR */
	size_t nagg, naction; /* next STMT_AGG, STMT_ACTION */
	int action;	      /* number for faults; 0 in the predicate */
	int depth;	      /* > 0: the code being emitted may be skipped at run time */
	/* record */
	bool records,
		staged; /* staged: built in the frame, reserved at the end (ring with strings; behind commit()) */
	struct resv rv;
	/*
	 * CG_SPEC_ALL, CG_SPEC_SOME. Before speculate() both are 0, and they are all that the way of a
	 * fault may use.
	 */
	vreg spec;     /* 1 + element of map specs; 0: not speculating */
	vreg spec_off; /* of the record in it */
	vreg spec_rec; /* its address */
	uint32_t need;	   /* bytes reserved (not staged) */
	uint32_t stage;	   /* staged: offset in the frame of the record being built */
	vreg pos;	   /* in the half: where the next string goes, or the last stack ends */
	uint32_t *strings; /* staged: frame offset per string field */
	size_t nstrings;
	bool aggs; /* entered the aggregation buffer */
	vreg agg_half, agg_elem, agg_ptr;
	/* out of line */
	label lost, fault, next;
	bool has_fault;
	vreg f_what, f_value; /* emit_fault.c */
	/* frame temporaries */
	uint32_t temp, temp_keep, temp_max;
	uint32_t execname; /* frame offset of this firing's execname, 0: not there yet */
};

struct cg {
	struct cg_env *env;
	const struct cg_group *g;
	struct ir *ir;
	struct diag *d;
	bool trial;
	vreg ctx, row, rows, cpu, slot, frame, frame_idx, frame_bit, acct;
	label out;
	bool time_kept; /* the time of the firing is read once, and kept */
	int time_slot;	/* in this place of the stack, or, if 0, in the frame */
	int calls;	/* functions between the program's start and this code */
	bool parted; /* the clauses are in functions: arguments and errno of the probe are in the frame */
	struct ir_func *fault; /* the way of faults for all clauses, NULL: each has its own */
	int probe_slot; /* stack place for helpers to write a word to, 0: none yet */
	int comm_slot;
	/* the clause whose fault an ERROR clause handles: its arguments */
	vreg e_epid, e_what, e_value;
	uint32_t e_epid_const;
	bool e_packed; /* the EPID is in the upper half of e_what, too: that one lives anyway */
	struct cg_cur cur;
};

/* ---- cg.c ---- */
void cg_error(struct cg *cg, struct srcloc loc, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void cg_count(struct cg *cg, enum abi_drop cause);
void cg_account(struct cg *cg, enum abi_acct_cause cause);
vreg cg_ptr_add(struct cg *cg, vreg base, int64_t off);
bool cg_one_row(const struct cg *cg);
/* Emits one clause, with its label of cur.next at the end. epid: VREG_NONE for a constant one. */
void cg_clause_emit(struct cg *cg, struct cg_clause *cl, vreg epid, uint32_t epid_const,
		    bool in_error);
vreg cg_epid(struct cg *cg); /* epid of the clause in a register of its own */
vreg cg_row_string(struct cg *cg, int field,
		   uint32_t *constant); /* strtab offset; VREG_NONE: *constant */
vreg cg_timestamp(struct cg *cg);
void cg_timestamp_forget(struct cg *cg);

/* frame */
uint32_t frame_scratch(const struct cg *cg); /* where scratch begins */
uint32_t frame_strtok(const struct cg *cg); /* the text that strtok() goes through */
uint32_t frame_temps_start(const struct cg *cg);
uint32_t frame_temp(struct cg *cg, uint32_t bytes);
uint32_t frame_temp_string(struct cg *cg);
uint32_t frame_mark(struct cg *cg);
void frame_release(struct cg *cg, uint32_t mark);
vreg frame_index(struct cg *cg);
void frame_store(struct cg *cg, int size, uint32_t off, vreg v);
void frame_storei(struct cg *cg, int size, uint32_t off, int64_t v);
vreg frame_load(struct cg *cg, int size, uint32_t off);
vreg frame_address(struct cg *cg); /* as a plain number */
uint32_t cg_strsize(const struct cg *cg);
uint32_t cg_strbytes(const struct cg *cg);

/* ---- group.c ---- */
void cg_cpu_find(struct cg *cg, label out);
void group_row_find(struct cg *cg, vreg index, bool bounded, label out);
bool group_frame_needed(const struct cg_group *g);
struct cg_clause *group_clause(const struct cg_group *g,
			       size_t i); /* those of ERROR behind the others */
void group_clauses(struct cg *cg, size_t from, size_t to);

/* ---- emit_func.c ---- */
#define FUNC_LONG 4000 /* instructions of a program that is made in parts */
bool func_parts_wanted(const struct cg *cg);
void func_parts(struct cg *cg, vreg index);
void func_fault(struct cg *cg);
void func_fault_call(struct cg *cg);

/* ---- clock.c ---- */
int64_t clock_tai_offset(void);
int64_t clock_sched_offset(void);

/* ---- layout.c ---- */
int layout_make(struct cg_clause *cl, struct diag *d);
int probe_string(
	const struct node *n); /* 0..3: probeprov, probemod, probefunc, probename; else -1 */

/* ---- emit_rec.c ---- */
/* Reserves need bytes (a register, or the constant max if VREG_NONE; max bounds it); jumps to lost
 * after counting the drop. */
void rec_reserve(struct cg *cg, struct resv *rv, vreg need, uint32_t max, enum resv_kind kind,
		 label lost);
void rec_header(struct cg *cg, vreg rec, uint32_t off, vreg epid, uint32_t epid_const,
		uint32_t size);
vreg rec_time(struct cg *cg);
void rec_leave(struct cg *cg, const struct resv *rv);
void rec_begin(struct cg *cg);
void rec_commit(struct cg *cg);
void rec_abandon(struct cg *cg);
void rec_start(struct cg *cg, const struct layout *l);
void rec_release(struct cg *cg);
vreg rec_size(struct cg *cg, vreg off);
void rec_present(struct cg *cg, int bit);
void rec_int(struct cg *cg, const struct field *f, vreg v);
void rec_cut(struct cg *cg, const struct field *f, vreg words); /* the field has these only */
vreg rec_place(struct cg *cg, const struct field *f,
	       uint32_t *off); /* where a field of several words goes */
void rec_string(struct cg *cg, const struct field *f, const struct sval *sv);
void rec_bytes(struct cg *cg, const struct field *f, const struct bytes *b);

/* ---- emit_fault.c ---- */
void fault_throw(struct cg *cg, enum abi_fault code, vreg value);
void fault_if_zero(struct cg *cg, vreg v, enum abi_fault code, vreg value);
void fault_if_nonzero(struct cg *cg, vreg v, enum abi_fault code, vreg value);
vreg fault_action(struct cg *cg, vreg what);
vreg fault_code(struct cg *cg, vreg what);
void fault_path_emit(struct cg *cg);
void fault_handle(struct cg *cg); /* of cg->cur, whose registers tell the fault */

/* ---- emit_expr.c ---- */
vreg expr_value(struct cg *cg, const struct node *n); /* canonical */
vreg expr_raw(struct cg *cg, const struct node *n);   /* perhaps wider than its type */
vreg expr_as(struct cg *cg, const struct node *n, struct type *to);
/* As operand of an operation in the type arith: one of that type itself is not cut. */
vreg expr_operand(struct cg *cg, const struct node *n, struct type *arith);
void expr_convert(struct cg *cg, vreg v, struct type *from, struct type *to, bool canonical);
void expr_effect(struct cg *cg, const struct node *n);
vreg expr_arith(struct cg *cg, enum op op, struct type *arith, vreg a, vreg b, bool b_nonzero);
bool expr_is_string(const struct node *n);
bool expr_has_effects(const struct node *n);
int64_t expr_constant(const struct node *n,
		      struct type *t); /* a NODE_INT brought to the width of t */
void type_width(struct type *t, int *size, bool *is_signed);

/* ---- emit_str.c ---- */
void expr_string(struct cg *cg, const struct node *n, struct sval *sv);
uint32_t sval_frame(struct cg *cg,
		    const struct sval *sv); /* offset of a struct abi_str in the frame */
void sval_to(struct cg *cg, const struct sval *sv, uint32_t dst);
void sval_not_null(struct cg *cg, const struct sval *sv); /* or a fault */

/* ---- emit_cond.c ---- */
void expr_branch(struct cg *cg, const struct node *n, bool sense,
		 label l); /* jumps if the truth of n is sense */
vreg cond_value(struct cg *cg, const struct node *n); /* 0 or 1 */

/* ---- emit_var.c ---- */
vreg var_value(struct cg *cg, const struct node *n);
vreg index_value(struct cg *cg, const struct node *n);
vreg id_half(struct cg *cg, int helper, bool upper);
vreg read_kernel(struct cg *cg, vreg addr, int size, bool is_signed); /* checked */
vreg percpu_address(struct cg *cg, int64_t offset, struct srcloc loc);
void builtin_string(struct cg *cg, const struct node *n, struct sval *sv);
void comm_words(struct cg *cg, vreg w[2]); /* the 16 bytes of the command name */

/* ---- emit_place.c ---- */
bool type_is_bytes(struct type *t);
uint32_t type_bytes(struct type *t);
uint32_t key_words(const struct node *n); /* fixed words of a tuple */
void key_bytes(struct cg *cg, const struct node *n, uint32_t at);
bool lval_make(struct cg *cg, const struct node *n, struct lval *lv);
void lval_open(struct cg *cg, struct lval *lv);
vreg lval_ptr(struct cg *cg, const struct lval *lv);
vreg lval_address(struct cg *cg, const struct lval *lv);
vreg lval_own(struct cg *cg, const struct lval *lv, uint32_t size);
vreg place_number(struct cg *cg, vreg p);

/* ---- emit_load.c ---- */
#define DVAR_PLAIN (1ll << 32) /* of rt_dvar_*_bytes(): the value is no string */
vreg lval_load(struct cg *cg, const struct lval *lv);
void lval_store(struct cg *cg, const struct lval *lv, vreg v);
void lval_load_string(struct cg *cg, const struct lval *lv, struct sval *sv);
void lval_store_string(struct cg *cg, const struct lval *lv, const struct sval *sv);
void expr_bytes(struct cg *cg, const struct node *n, struct bytes *b);
void bytes_copy(struct cg *cg, vreg dst, const struct bytes *b, uint32_t size);
vreg mem_address(struct cg *cg, const struct node *n); /* of an lvalue, as a number */
vreg mem_value(struct cg *cg, const struct node *n);   /* its checked load */
void var_string(struct cg *cg, const struct node *n, struct sval *sv);

/* ---- emit_agg.c ---- */

void agg_enter(struct cg *cg, label closed);
void agg_leave(struct cg *cg);
void agg_update(struct cg *cg, const struct stmt *s, uint32_t shape);
uint32_t agg_value_words(enum func_id func, const int64_t params[4]);

/* ---- emit_stack.c ---- */
/* What stack(), ustack(), sym() ... record. */
struct addr {
	enum func_id func;
	enum field_kind kind;
	uint32_t words;
	uint32_t slots, frames; /* stacks: pcs recorded, at most shown */
};
bool addr_describe(const struct cg_clause *cl, const struct node *n,
		   struct addr *a); /* false: n is no such call */
/* Stores it at base + off; gives the words in use, of which the rest is 0. */
vreg addr_emit(struct cg *cg, const struct node *n, const struct addr *a, vreg base, uint32_t off);
void addr_action(struct cg *cg, const struct stmt *s, const struct action *a);
vreg process_word(struct cg *cg);
vreg caller_value(struct cg *cg, bool user);
vreg stack_depth(struct cg *cg, bool user);

/* ---- emit_spec.c ---- */
vreg speculation_value(struct cg *cg, const struct node *n);
void speculate_emit(struct cg *cg, const struct stmt *s, const struct action *a);
void commit_emit(struct cg *cg, const struct stmt *s, const struct action *a);
void discard_emit(struct cg *cg, const struct stmt *s, const struct action *a);
void spec_begin(struct cg *cg);
void spec_commit(struct cg *cg, const struct layout *l);
void spec_abandon(struct cg *cg);

/* ---- emit_subr.c ---- */
/* Argument i as a string in the frame that stays as it is until the call; NULL is a fault. */
uint32_t string_arg(struct cg *cg, const struct node *n, size_t i);
vreg call_value(struct cg *cg, const struct node *n);
void call_string(struct cg *cg, const struct node *n, struct sval *sv);

/* Argument i of a call, NULL: there is none. */
static inline const struct node *call_arg(const struct node *n, size_t i)
{
	return i < n->u.call.args.n ? n->u.call.args.v[i] : NULL;
}

/* ---- emit_mem.c ---- */
vreg alloca_value(struct cg *cg, const struct node *n);
vreg bcopy_value(struct cg *cg, const struct node *n);
vreg copyin_value(struct cg *cg, const struct node *n);
void copyinstr_string(struct cg *cg, const struct node *n, struct sval *sv);
vreg copyinto_value(struct cg *cg, const struct node *n);

/* ---- emit_proc.c ---- */
vreg chip_value(struct cg *cg, struct srcloc loc);
void d_path_string(struct cg *cg, const struct node *n, struct sval *sv);
void execargs_string(struct cg *cg, const struct node *n, struct sval *sv);
vreg mutex_owned_value(struct cg *cg, const struct node *n);
vreg mutex_owner_value(struct cg *cg, const struct node *n);
vreg mutex_type_adaptive_value(struct cg *cg, const struct node *n);
vreg mutex_type_spin_value(struct cg *cg, const struct node *n);
vreg progenyof_value(struct cg *cg, const struct node *n);
vreg register_value(struct cg *cg, uint64_t number, struct srcloc loc);
void root_string(struct cg *cg, const struct node *n, struct sval *sv);
vreg rw_iswriter_value(struct cg *cg, const struct node *n);
vreg rw_read_held_value(struct cg *cg, const struct node *n);
vreg rw_write_held_value(struct cg *cg, const struct node *n);

/* ---- emit_destroy.c ---- */
void chill_emit(struct cg *cg, const struct stmt *s, const struct action *a);
vreg copyout_value(struct cg *cg, const struct node *n);
vreg copyoutstr_value(struct cg *cg, const struct node *n);
void raise_emit(struct cg *cg, const struct stmt *s, const struct action *a);
void stop_emit(struct cg *cg, const struct stmt *s, const struct action *a);

/* ---- emit_act.c ---- */
void stmts_emit(struct cg *cg, const struct stmt *s);

#endif
