/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The tree of a D program: what the parser makes, the checker annotates and the code generator reads.
 * Everything here lives in the arena of its struct dprog.
 */
#ifndef LANG_TREE_H
#define LANG_TREE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/mem.h"
#include "base/vec.h"
#include "lang/func.h"
#include "type/type.h"

/* ---- identifiers ------------------------------------------------------------------------------------ */

enum ident_kind {
	IDENT_BUILTIN,	 /* built-in variable: `builtin` says which */
	IDENT_GLOBAL,	 /* D global scalar (also struct, C array, string) */
	IDENT_ASSOC,	 /* global associative array */
	IDENT_THREAD,	 /* self->x */
	IDENT_THREAD_ASSOC, /* self->x[k] */
	IDENT_CLAUSE,	 /* this->x */
	IDENT_AGG,
	IDENT_INLINE,
	IDENT_FUNC,	 /* action, subroutine or aggregating function */
	IDENT_ENUM,	 /* enumerator: an int constant */
	IDENT_SYMBOL,	 /* `sym: kernel symbol */
	IDENT_TRANSLATED,/* argument of a translator body, args[] element ... (issue of translators) */
};

/* Built-in variables: one row each in lang/builtin.def (name, C type, enum). */
enum builtin {
	BUILTIN_NONE,
#define BUILTIN(id, name, type, flags) BUILTIN_##id,
#include "lang/builtin.def"
#undef BUILTIN
	BUILTIN_MAX
};

struct ident {
	const char *name;    /* without @, self->, this->, ` */
	enum ident_kind kind;
	struct type *type;   /* NULL until fixed by a declaration or the first assignment; for assoc: of the value */
	enum builtin builtin;
	const struct func *func;
	int64_t value;	     /* IDENT_ENUM */
	/* associative arrays and aggregations: the key signature, NULL until fixed */
	struct type **keys;
	size_t nkeys;
	bool keys_fixed;
	/* aggregations */
	const struct func *aggfunc; /* fixed by the first use */
	int64_t agg_params[4];	    /* lquantize: base, limit, step; llquantize: factor, low, high, steps */
	int agg_nparams;
	int line;		    /* of the definition */
	bool declared;		    /* by a declaration (not by first assignment) */
	bool library;		    /* defined by a library */
	bool written;		    /* assigned somewhere so far (in program text order) */
	/* storage, given by lang in order of creation; all in bytes, 8-aligned (see storage rules in dprog) */
	uint32_t id;		    /* dense per kind, from 1: variable id, aggregation id */
	uint32_t offset;	    /* globals: in the globals area; clause-locals: in the frame's local area */
	uint32_t size;		    /* storage size: strings 8 + ROUND_UP(strsize, 8) (abi_str), scalars 8, structs rounded up to 8 */
	struct node *inl;	    /* IDENT_INLINE: the expression */
	struct decl_params *inl_params;
	struct type *sym_type;	    /* IDENT_SYMBOL; its address is in value */
	bool sym_percpu;	    /* value is the offset in each CPU's area */
	const char *sym_module;
	uint32_t attr;		    /* #pragma D attributes: name << 16 | data << 8 | class, counted from 1; 0 = none */
	uint32_t vers;		    /* #pragma D binding: major << 24 | minor << 12 | micro; 0 = none */
};

/* Parameters of an inline ("function" form) or of an associative array declaration. */
struct decl_param {
	const char *name; /* NULL or "" if unnamed */
	struct type *type;
};

struct decl_params {
	struct decl_param *v;
	size_t n;
	bool varargs;
};

/*
 * translator out < in param > { member = expr; ... }: how members of `out` are made of an `in`.
 * Belongs to the session; expressions stay as parsed and are copied at each use.
 */
struct xlate_member {
	const char *name;
	struct srcloc loc;
	struct node *expr;
	struct xlate_member *next; /* in a library the first of one name that has a meaning counts */
};

struct translator {
	struct srcloc loc;
	struct type *out, *in;
	const char *param;
	struct xlate_member *members;
	bool library; /* its members are checked when they are used */
	bool hidden;  /* newer than -x version: it is not entered */
};

/* ---- provider definitions ----------------------------------------------------------------------------- */

/* "probe name(types) : (types);" of a provider. Belongs to the session. */
struct provdef_probe {
	const char *name; /* as written: "query__start" */
	size_t nargs, nout;
	struct type **args, **out; /* what the program passes, and what args[] is */
	size_t *from;		   /* [nout]: which of the former it is made of */
};

/* In the order of their names in a pragma. */
enum {
	PROVDEF_PROVIDER,
	PROVDEF_MODULE,
	PROVDEF_FUNCTION,
	PROVDEF_NAME,
	PROVDEF_ARGS,
	PROVDEF_NATTRS
};

struct provdef {
	const char *name;
	uint32_t attr
		[PROVDEF_NATTRS]; /* #pragma D attributes ... provider, as in struct ident; 0: none */
	VEC(struct provdef_probe *) probes;
};

/* ---- expressions ------------------------------------------------------------------------------------ */

/*
 * What the parser makes (before the checker), beside the obvious:
 *   x, self->x, this->x, `x, m`x  NODE_IDENT with scope; the name without prefix ("m`x" whole with scope '`')
 *   @x[k], @                      NODE_AGG with name ("_" for the bare one), keys; ident NULL
 *   x[a, b], p[i], self->x[k]     NODE_INDEX: a = the expression before '[', keys; ident NULL. Also @a[0][1] (a is NODE_AGG)
 *   f(a, b)                       NODE_CALL with name, args. If the callee is not a plain name: name NULL, a = the callee
 *   (T)e                          NODE_CAST: type = T, a = e
 *   sizeof e, sizeof (T)          NODE_SIZEOF: a = e or NODE_TYPE (type)
 *   offsetof(T, m)                NODE_OFFSETOF: a = NODE_TYPE, u.member.name = m
 *   stringof e                    NODE_STRINGOF: a
 *   e.m, e->m                     NODE_MEMBER: a, u.member.name, arrow
 *   xlate <T> (e)                 NODE_XLATE: u.xlate.type = T, a
 *   integer constants             NODE_INT with type; strings NODE_STRING
 *   statements                    STMT_EXPR (any expression, aggregation assignments as NODE_ASSIGN included) and STMT_IF
 */

enum node_kind {
	NODE_INT,     /* u.value */
	NODE_STRING,  /* u.str */
	NODE_VAR,     /* u.var.ident: built-in, global, thread, clause variable, symbol; no index */
	NODE_INDEX,   /* u.index: associative element (base is NODE_VAR of an assoc ident), array or pointer element, args[n], uregs[n] */
	NODE_AGG,     /* u.agg: @name[keys] */
	NODE_CALL,    /* u.call: subroutine, action, aggregating function */
	NODE_UNARY,   /* u.op: operand in a */
	NODE_BINARY,  /* u.op: a op b; also && || ^^ and comparisons */
	NODE_COND,    /* a ? b : c */
	NODE_ASSIGN,  /* a op= b; u.op.op is OP_ASSIGN or the arithmetic operator of op= */
	NODE_INCDEC,  /* u.op.op is OP_PREINC, OP_PREDEC, OP_POSTINC, OP_POSTDEC */
	NODE_MEMBER,  /* u.member: a.name or a->name */
	NODE_CAST,    /* (type)a ; type is node->type. Also inserted by the checker where a value is converted */
	NODE_STRINGOF,
	NODE_SIZEOF,  /* always folded to NODE_INT by the checker */
	NODE_OFFSETOF,
	NODE_XLATE,
	NODE_COMMA,   /* a, b */
	NODE_IDENT,   /* parser only: an unresolved name; the checker turns it into NODE_VAR, NODE_INT ... */
	NODE_TYPE,    /* parser only: a type name as operand of sizeof */
};

enum op {
	OP_NONE,
	OP_ADD, OP_SUB, OP_MUL, OP_DIV, OP_MOD, OP_AND, OP_OR, OP_XOR, OP_SHL, OP_SHR,
	OP_EQ, OP_NE, OP_LT, OP_LE, OP_GT, OP_GE,
	OP_LAND, OP_LOR, OP_LXOR,
	OP_NEG, OP_PLUS, OP_NOT /* ! */, OP_COMPL /* ~ */, OP_DEREF, OP_ADDROF,
	OP_ASSIGN, OP_PREINC, OP_PREDEC, OP_POSTINC, OP_POSTDEC,
};

struct node_list {
	struct node **v;
	size_t n;
};

struct node {
	enum node_kind kind;
	struct srcloc loc;
	struct type *type;	/* set by the checker; the type of the value as D defines it */
	bool lvalue;
	bool is_const;		/* a compile-time constant (NODE_INT, NODE_STRING after folding) */
	bool checked;		/* the operand of a translation: checked already, copied as it is */
	bool opaque;		/* stands for a name with a stability of its own: what it is made of does not
				   count ... */
	bool counts;		/* ... but for this, which the user named: an operand or argument */
	unsigned short depth;	/* of the tree from here down, as parsed; at most PARSE_MAX_DEPTH (lang/parse.h) */
	struct node *a, *b, *c;
	union {
		struct { uint64_t value; bool is_char; } integer;
		struct { const char *s; size_t len; } str;
		struct { struct ident *ident; } var;
		struct { struct ident *ident; struct node_list keys; } index; /* base expression in a when ident is NULL */
		struct { struct ident *ident; struct node_list keys; const char *name; } agg;
		struct { const struct func *func; const char *name; struct node_list args; } call;
		struct { enum op op;
			 struct type *arith; /* binary operators and comparisons: the type in which the operands are combined;
						both operands are to be converted to it first. NULL for strings (then string compare) */
		} op;
		struct { const char *name; bool arrow; const struct type_member *member; uint64_t bit_offset; } member;
		struct { struct type *type; /* as written */
			 const struct translator *with; /* set by the checker */
		} xlate;
		struct { const char *name; int scope; /* 0 plain, 's' self->, 't' this->, '`' kernel */ } ident;
	} u;
};

/* ---- statements ------------------------------------------------------------------------------------- */

enum stmt_kind {
	STMT_EXPR,	/* expr: assignment, ++, call of a subroutine, any expression for its effect */
	STMT_ACTION,	/* expr is NODE_CALL of an action */
	STMT_AGG,	/* agg (NODE_AGG) = expr (NODE_CALL of an aggregating function) */
	STMT_IF,
};

struct stmt {
	enum stmt_kind kind;
	struct srcloc loc;
	struct node *expr;	/* STMT_IF: the condition */
	struct node *agg;
	struct stmt *then, *els; /* STMT_IF: lists */
	struct stmt *next;
	struct format *fmt;	/* printf, printa, system, freopen: the parsed format (lang/format.h), else NULL */
	int action_index;	/* from 1 within the clause, in text order: the number in fault messages */
	unsigned int uses;	/* reserved for the code generator */
};

/* ---- probe descriptions, clauses, programs ---------------------------------------------------------- */

struct probespec {
	struct srcloc loc;
	const char *text;	/* as written, macros substituted */
	const char *prov, *mod, *func, *name; /* "" when empty; filled to four fields already */
	uint32_t id;		/* numeric description; 0 = none */
	bool by_id;
};

struct clause {
	struct srcloc loc;
	struct probespec *specs;
	size_t nspecs;
	struct node *pred;	/* NULL: none */
	struct stmt *body;	/* list; NULL: no statement */
	bool has_body;		/* { } was written */
	/* filled by the checker */
	bool default_action;	/* records just its header: no statement at all, or speculate() alone */
	bool records;		/* holds a data-recording action */
	bool destructive;
	bool has_if;
	uint32_t attr;		/* least stability of the names that stand for something else (struct ident); 0: none */
	struct clause *next;
	uint32_t index;		/* over the whole session, from 0 */
};

/* One compiled unit (-s file or -n text). Owns its tree. */
struct dprog {
	struct arena *arena;
	struct clause *clauses, *last;
	size_t nclauses;
	const char *name;	/* file name or text */
};

#endif
