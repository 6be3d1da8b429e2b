/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of the checker share: check.c, check_*.c, fold.c. */
#ifndef LANG_CHECK_IMPL_H
#define LANG_CHECK_IMPL_H

#include "lang/ident.h"
#include "lang/lang.h"

#define CHECK_MAX_DEPTH 1500	   /* of recursion, expanded inlines included */
#define CHECK_MAX_INLINE_DEPTH 200 /* inlines within inlines */
#define CHECK_MAX_EXPANSION 200000 /* nodes that inlines may add to one clause */
#define CHECK_MAX_KEYS 32

struct check {
	struct dsession *s;
	struct types *ts;
	struct diag *d;
	struct arena *arena;
	struct clause *clause; /* NULL outside a clause */
	int depth;	       /* of recursion */
	int inline_depth;
	size_t expansion; /* nodes made by inlines so far */
	/* What has been seen of the clause, for the rules of order. */
	bool speculated, committed, recorded;
	int nactions;
	/* The first thing named that is not built: reported when nothing else is wrong. */
	const char *unbuilt;
	struct srcloc unbuilt_loc;
};

/* check_expr.c */
int check_expr(struct check *ck, struct node **np);

/* check_value.c */
const char *op_text(enum op op);	/* as typed: "+", "<<" */
const char *op_assign_text(enum op op); /* "+=", "=" */
const char *check_type_name(struct types *ts,
			    const struct node *n); /* of an expression, for messages */
struct node *check_node(struct check *ck, enum node_kind kind, struct srcloc loc);
struct node *check_int(struct check *ck, struct srcloc loc, uint64_t value, struct type *t);
struct node *check_cast(struct check *ck, struct node *n, struct type *t);
/* The value converted for use as type t (assignment, argument, key); types are compatible already.
 */
struct node *check_convert(struct check *ck, struct node *n, struct type *t);
/* The value cut to the width of its own type. */
struct node *check_cut(struct check *ck, struct node *n);
/* Operand of arithmetic in type t: cut first when it widens, so that the sign is right. */
struct node *check_operand(struct check *ck, struct node *n, struct type *t);
struct node *check_to_string(struct check *ck, struct node *n);
/* May a value n be assigned to, or passed as, something of type t? */
bool check_assignable(struct type *t, const struct node *n);
bool check_is_null(const struct node *n); /* the literal 0 */
bool check_is_dynamic(const struct node *n);
bool check_is_void_pointer(struct type *t);
bool check_is_vfptr(struct type *t);
bool check_pointers_compatible(struct type *a, struct type *b);
void check_unbuilt(struct check *ck, struct srcloc loc,
		   const char *text); /* text lives in an arena */

/* check_oper.c */
int check_binary(struct check *ck, struct node **np);
int check_cond(struct check *ck, struct node **np);
int check_unary(struct check *ck, struct node **np);
struct type *check_arith_type(struct check *ck, struct node *a, struct node *b);
struct type *check_decayed(struct check *ck, struct type *t);
int check_int_operands(struct check *ck, struct node *n, const char *op);
int check_zero_divisor(struct check *ck, struct node *n, enum op op);
int check_incompatible(struct check *ck, struct node *n, struct node *a, const char *op,
		       struct node *b);
/* Enumerators that only the type of the other side makes known. */
const char *check_bare_word(const struct node *n);
bool check_enum_word(struct check *ck, struct node **np, struct type *t);
int check_enum_ambiguous(struct check *ck, struct node *n, const char *op, const char *word,
			 struct node *a, struct type *t);

/* check_assign.c */
int check_assign(struct check *ck, struct node **np);
int check_incdec(struct check *ck, struct node **np);
/* The left side of `n` may be stored to. */
int check_writable(struct check *ck, struct node *n, const char *op);

/* fold.c: values of 64 bits; *out set and true, or false if it cannot be folded (division by zero)
 */
uint64_t fold_cut(uint64_t v, struct type *t);
bool fold_binary(enum op op, uint64_t a, uint64_t b, bool is_signed, uint64_t *out);
uint64_t fold_unary(enum op op, uint64_t v);

/* check_name.c */
int check_ident(struct check *ck, struct node **np);
int check_symbol(struct check *ck,
		 struct node *n); /* a kernel symbol, also one without a type (type NULL) */
int check_index(struct check *ck, struct node **np);
int check_member(struct check *ck, struct node **np);
/* The left side of an assignment; creates the variable with type t if unknown. t NULL: it must
 * exist (D_VAR_UNDEF). */
int check_target(struct check *ck, struct node **np, struct type *t);
/* Checks keys against id's signature, or makes it the signature. what: "aggregation", "associative
 * array". */
int check_keys(struct check *ck, struct ident *id, struct node_list *keys, struct srcloc loc,
	       const char *what);
struct ident *check_plain_ident(struct check *ck,
				const struct node *n); /* NODE_IDENT known in its scope, or NULL */
bool check_unknown_word(struct check *ck,
			const struct node *n); /* a bare word that names nothing */

/* check_inline.c */
int check_inline_use(struct check *ck, struct node **np, struct ident *id, struct node_list *args);
/* A copy of an unresolved tree in which the names of params stand for args; NULL after an error. */
struct node *check_copy(struct check *ck, const struct node *n, const struct decl_params *params,
			const struct node_list *args, struct srcloc loc);
/* The clause uses a name of this stability (struct ident). */
void check_attr(struct check *ck, uint32_t attr);

/*
 * check_xlate.c. A translation stays NODE_XLATE of dynamic type; its members become the
 * translator's expressions, so that none is left in the checked tree.
 */
int check_xlate(struct check *ck, struct node *n);
int check_xlate_member(struct check *ck, struct node **np); /* np: .m or ->m of a NODE_XLATE */
int check_xlate_assign(struct check *ck,
		       struct node **np);	/* np: = with a NODE_XLATE on its right */
bool check_xlate_pointer(const struct node *n); /* xlate <T *>? */
bool check_xlate_known(struct check *ck, struct type *out, const struct node *operand);
/* The checked operand n translated to type t. */
struct node *check_xlate_new(struct check *ck, struct node *n, struct type *t);

/* check_call.c */
int check_call(struct check *ck, struct node **np);    /* within an expression */
int check_action(struct check *ck, struct stmt *st);   /* st->expr is a call of an action */
int check_call_args(struct check *ck, struct node *n); /* prototype; sets the type */
const struct func *check_callee(struct check *ck, struct node *n); /* NULL after an error */
int check_address_key(struct check *ck, struct node **np);
bool check_is_action_call(
	const struct node *n); /* call of an action or aggregating function by name */

/* check_agg.c */
int check_agg_stmt(struct check *ck, struct stmt *st); /* st->expr is the assignment */
int check_agg_ref(struct check *ck, struct node *n); /* resolves NODE_AGG named in an expression */

#endif
