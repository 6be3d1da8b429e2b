/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The parser's state, shared by the scanner (lex.l), the grammar (parse.y) and their helpers.
 * One struct parse lives as long as one lang_compile().
 *
 * Errors stick: the first one is kept in *d, helpers then still give something harmless, and
 * the scanner ends the parse at the next token. So no action of the grammar has to look for
 * errors. All that is made goes into arenas: nothing is freed alone, whatever breaks.
 *
 * Files: lex.l tokens and modes; scan.c what words mean; constant.c constants; macro.c $-macros;
 * probespec.c probe descriptions; pragma.c control lines; node.c expressions and statements;
 * decl*.c types and declarations; parser.c the unit as a whole; dump.c the tree as text.
 */
#ifndef LANG_PARSE_H
#define LANG_PARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/hash.h"
#include "base/str.h"
#include "base/vec.h"
#include "lang/check.h"
#include "lang/ident.h"
#include "lang/lang.h"

/* Limits that keep every later recursion within the stack. */
#define PARSE_MAX_DEPTH 1000	 /* of an expression's tree */
#define PARSE_MAX_NEST 256	 /* open ( [ { */
#define PARSE_MAX_IF 100	 /* nested if; an else-if chain counts each link */
#define PARSE_MAX_DERIVE 64	 /* pointers, arrays and functions in one declarator */
#define PARSE_MAX_TYPE_DEPTH 128 /* the same through typedefs, members and so on */
#define PARSE_MAX_TEXT (64 << 20)

/*
 * Scanner modes. A definition is a declaration: both end with the ';' at
 * brace depth 0.
 */
enum parse_mode { MODE_OUTER, MODE_PRED, MODE_BODY, MODE_DECL };

enum decl_class {
	CLASS_NONE,
	CLASS_AUTO,
	CLASS_REGISTER,
	CLASS_STATIC,
	CLASS_EXTERN,
	CLASS_TYPEDEF,
	CLASS_SELF,
	CLASS_THIS,
};

/* Words that may stand in any order before a declarator. */
enum decl_word {
	WORD_VOID,
	WORD_CHAR,
	WORD_SHORT,
	WORD_INT,
	WORD_LONG,
	WORD_FLOAT,
	WORD_DOUBLE,
	WORD_SIGNED,
	WORD_UNSIGNED,
	WORD_STRING,
	WORD_CONST,
	WORD_VOLATILE,
	WORD_RESTRICT,
	WORD_USERLAND,
	WORD_MAX
};

struct declspec {
	struct srcloc loc;
	enum decl_class class;
	unsigned char count[WORD_MAX]; /* how often each word was seen; stops at 3 */
	struct type *type; /* struct, union, enum or typedef name: NULL if words alone */
	bool tagged;	   /* a struct, union or enum: needs no declarator */
	struct type *done; /* the type as a whole, once declspec_type() has been asked */
};

/* One step from a name to its type: "x is an array of", "pointer to", "function returning". */
enum derive_kind {
	DERIVE_POINTER,
	DERIVE_ARRAY, /* size NULL: [] */
	DERIVE_TUPLE, /* associative array: [types] */
	DERIVE_FUNCTION,
};

struct derive {
	enum derive_kind kind;
	bool is_const, is_volatile;
	struct node *size;
	struct param_list *params;
	struct derive *next;
};

struct declarator {
	struct srcloc loc;
	const char *name;	     /* NULL: abstract */
	struct derive *first, *last; /* from the name outward */
	int nderive;
	struct node *bits;	 /* width of a bit-field member */
	struct declarator *next; /* int a, b */
};

struct declarator_list {
	struct declarator *first, *last;
};

struct param {
	struct srcloc loc;
	struct declspec *ds;
	struct declarator *dr; /* NULL: none */
	struct param *next;
};

struct param_list {
	struct param *first, *last;
	size_t n;
	bool varargs;
};

struct text {
	const char *s;
	size_t len;
};

struct arg {
	struct node *node;
	struct arg *next;
};

/* Arguments of a call, keys of an index. */
struct arg_list {
	struct arg *first, *last;
	size_t n;
	unsigned int depth; /* of the deepest */
};

struct stmt_list {
	struct stmt *first, *last;
	int depth; /* of nested if */
};

/* A struct, union or enum whose braces are open. */
struct sou {
	enum type_kind kind;
	struct srcloc loc;
	struct type *type; /* TYPE_FORWARD until the braces close */
	struct member *first, *last;
	size_t n;
	int64_t next_value; /* enum */
	struct sou *up;
};

struct pragma {
	enum { PRAGMA_ATTRIBUTES, PRAGMA_BINDING } kind;
	struct srcloc loc;
	const char *name;
	uint32_t value; /* as in struct ident */
	bool used;
};

struct parse {
	struct dsession *s;
	struct diag *d;
	const struct lang_source *src;
	struct dprog *prog;
	struct arena *
		arena; /* of new nodes: the unit's; within an inline the session's, since it outlives the unit */

	/* scanner */
	void *scanner;
	enum parse_mode mode;
	int comment_from;     /* the mode to go back to, as flex numbers it */
	size_t off;	      /* of the first byte behind the last token */
	const char *file;     /* of #line */
	int include;	      /* depth of inclusion, as cpp tells it: > 0 in a header */
	int line;	      /* of that byte */
	struct srcloc tokloc; /* of the last token */
	struct text tok;      /* the last token; s is NULL at the end of input */
	int prev, prev2;      /* the tokens before it; 0 at the start of a clause or declaration */
	int depth_paren, depth_bracket, depth_brace;
	bool seen_assign; /* '=' was seen in this declaration: from here on expressions, not parameters */
	int pending; /* a token to give next: "$1" for -5 is two tokens */
	struct node *pending_node;

	/* unit */
	bool any;	       /* something but control lines was seen */
	struct hmap *members;  /* of the structs whose braces are open: (struct sou *, name) */
	struct hmap *assigned; /* names assigned so far in this unit: no type names */
	size_t first_ident;    /* s->all.n when the unit began */
	bool *arg_used;	       /* src->argc of them */
	VEC(struct pragma) pragmas;
	VEC(struct probespec) specs; /* of the clause under way */
	struct sou *sou;
	struct provdef *provider;      /* whose braces are open */
	struct translator *translator; /* whose braces are open */
	struct xlate_member **translator_end;
};

/* ---- lex.l, parse.y ---- */

union LANG_YYSTYPE;
void scan_begin(struct parse *p);
void scan_end(struct parse *p);
int lang_yylex(union LANG_YYSTYPE *val, struct srcloc *loc, struct parse *p);
int lang_yyparse(struct parse *p);

/* ---- scan.c ---- */

void scan_advance(struct parse *p, const char *text, size_t n);
void scan_eof(struct parse *p);
void scan_show(const struct parse *p, int token, FILE *out); /* -x lex */
const char *parse_token_name(int token);
struct srcloc scan_place(const struct parse *p); /* of the next byte */
void scan_mode(struct parse *p, enum parse_mode mode);
int scan_done(struct parse *p,
	      int token); /* keeps prev, prev2; gives the token, or the error token */
struct text scan_text(struct parse *p, const char *s, size_t n);
/* Records the error at the last token and gives the token that ends the parse. */
int scan_fail(struct parse *p, const char *tag, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
int scan_word(struct parse *p, union LANG_YYSTYPE *val, const char *word, size_t n);
int scan_macro(struct parse *p, union LANG_YYSTYPE *val, const char *word, size_t n);
/*
 * Does a word of the outer mode begin a declaration? *len: the part that is to be kept, "char"
 * of "char*s".
 */
bool scan_outer_keyword(const char *word, size_t n, size_t *len);
size_t scan_outer_type(struct parse *p, const char *word, size_t n, struct type **type);
bool scan_pred_ends(const struct parse *p);

/* ---- constant.c ---- */

struct node *scan_integer(struct parse *p, const char *text, size_t n); /* NULL after an error */
struct node *scan_integer_node(struct parse *p, uint64_t value, struct type *type);
struct node *scan_char(struct parse *p, const char *text, size_t n);	/* NULL after an error */
struct node *scan_string(struct parse *p, const char *text, size_t n);	/* without its quotes */
/*
 * Value of an integer constant: 0, or EINVAL (no integer, or an octal digit above 7), ERANGE
 * (needs more than 64 bits).
 */
int scan_number(const char *text, size_t n, uint64_t *value, char *bad_digit);
struct type *scan_number_type(struct parse *p, const char *text, size_t n,
			      uint64_t value); /* NULL: none holds it */

/* ---- macro.c ---- */

/*
 * Text that "$1", "$$pid" ... stand for: in the arena; NULL if not defined; *missing: an
 * undefined one under defaultargs.
 */
const char *macro_text(struct parse *p, const char *word, size_t n, bool *missing);
void macro_check_unused(struct parse *p);

/* ---- probespec.c ---- */

void probespec_add(struct parse *p, struct srcloc loc, struct text text);
void probespec_add_id(struct parse *p, struct srcloc loc, struct text text);
int probespec_match(struct dsession *s, const struct probespec *spec, struct diag *d);

/* ---- pragma.c ---- */

int pragma_line(struct parse *p, const char *text, size_t n); /* 0, or -1 after an error */
void pragma_defined(struct parse *p, struct ident *id); /* a name of this unit is now defined */
/* Is the name to stay unknown, since its binding is newer than -x version? */
bool pragma_hides(struct parse *p, const char *name);
bool pragma_hides_translator(struct parse *p); /* the same for "translator", by its last pragmas */
void pragma_check_unused(struct parse *p);

/* ---- node.c ---- */

struct node *node_new(struct parse *p, enum node_kind kind, struct srcloc loc);
struct node *node_unary(struct parse *p, struct srcloc loc, enum op op, struct node *a);
struct node *node_incdec(struct parse *p, struct srcloc loc, enum op op, struct node *a);
struct node *node_binary(struct parse *p, struct srcloc loc, enum op op, struct node *a,
			 struct node *b);
struct node *node_assign(struct parse *p, struct srcloc loc, enum op op, struct node *a,
			 struct node *b);
struct node *node_tree(struct parse *p, enum node_kind kind, struct srcloc loc, struct node *a,
		       struct node *b, struct node *c);
struct node *node_ident(struct parse *p, struct srcloc loc, int scope, const char *name);
struct node *node_index(struct parse *p, struct node *base, const struct arg_list *keys);
struct node *node_call(struct parse *p, struct node *callee, const struct arg_list *args);
struct node *node_member(struct parse *p, struct srcloc loc, struct node *a, bool arrow,
			 const char *name);
struct node *node_agg(struct parse *p, struct srcloc loc, const char *name);
struct node *node_offsetof(struct parse *p, struct srcloc loc, struct node *type,
			   const char *member);
struct node *node_type(struct parse *p, struct srcloc loc, struct type *type);
struct node *node_xlate(struct parse *p, struct srcloc loc, struct type *type, struct node *a);
struct node *node_cast(struct parse *p, struct srcloc loc, struct type *type, struct node *a);
struct arg_list *arg_add(struct parse *p, struct arg_list *l, struct node *n);
struct stmt_list stmt_expr(struct parse *p, struct srcloc loc, struct node *expr);
struct stmt_list stmt_if(struct parse *p, struct srcloc loc, struct node *cond,
			 struct stmt_list then, struct stmt_list els);
struct stmt_list stmt_join(struct stmt_list a, struct stmt_list b);

/* ---- decl.c ---- */

struct declspec *declspec_new(struct parse *p, struct srcloc loc);
void declspec_class(struct parse *p, struct declspec *ds, enum decl_class class);
void declspec_word(struct parse *p, struct declspec *ds, enum decl_word word);
void declspec_named(struct parse *p, struct declspec *ds, struct type *type, bool tagged);
struct declarator *declarator_new(struct parse *p, struct srcloc loc, const char *name);
struct derive *derive_new(struct parse *p, enum derive_kind kind);
struct derive *derive_join(struct derive *a, struct derive *b);
struct declarator_list declarator_join(struct declarator_list l, struct declarator *dr);
void declarator_derive(struct parse *p, struct declarator *dr, struct derive *list);
struct param_list *param_add(struct parse *p, struct param_list *l, struct srcloc loc,
			     struct declspec *ds, struct declarator *dr);
/* The type of "declspecs [abstract declarator]"; dr may be NULL. */
struct type *decl_typename(struct parse *p, struct declspec *ds, struct declarator *dr);
/* The type and name of the one parameter "declspecs declarator" of a translator. */
struct type *decl_param(struct parse *p, struct declspec *ds, struct declarator *dr);
struct type *decl_tag(struct parse *p, struct srcloc loc, enum type_kind kind, const char *tag);
void decl_sou_open(struct parse *p, struct srcloc loc, enum type_kind kind, const char *tag);
void decl_members(struct parse *p, struct declspec *ds, struct declarator_list l);
void decl_enumerator(struct parse *p, struct srcloc loc, const char *name, struct node *value);
struct type *decl_sou_close(struct parse *p);
void decl_declare(struct parse *p, struct declspec *ds, struct declarator_list l);
void decl_inline(struct parse *p, struct srcloc loc, struct declspec *ds, struct declarator *dr,
		 struct node *expr);

/* The types of a prototype; l may be NULL: "()". */
struct type **decl_prototype(struct parse *p, const struct param_list *l, size_t *n);

/* ---- provdef.c ---- */

void provdef_open(struct parse *p, struct srcloc loc, const char *name);
/* out: the prototype behind the colon, NULL: none. */
void provdef_probe(struct parse *p, struct srcloc loc, const char *name, const struct derive *in,
		   const struct derive *out);
void provdef_close(struct parse *p);

/* ---- xlate.c ---- */

void xlate_open(struct parse *p, struct srcloc loc, struct type *out, struct declspec *ds,
		struct declarator *dr);
void xlate_member(struct parse *p, struct srcloc loc, const char *name, struct node *expr);
void xlate_close(struct parse *p);

/* ---- parser.c ---- */

void parse_error(struct parse *p, struct srcloc loc, const char *tag, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
void parse_syntax_error(struct parse *p, struct srcloc loc, const char *msg); /* bison's hook */
enum clause_parts { CLAUSE_BARE, CLAUSE_PRED, CLAUSE_BODY };
void parse_clause(struct parse *p, struct srcloc loc, enum clause_parts parts, struct node *pred,
		  struct stmt_list body);

#endif
