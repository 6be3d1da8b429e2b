/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The grammar of D. Actions only call: nodes are made in node.c,
 * declarations are carried out in decl.c, clauses in parser.c. Whether a word is a type or a
 * name is decided by the scanner.
 */
%define api.pure full
%token-table
%define api.prefix {lang_yy}
%define api.location.type {struct srcloc}
%locations
%param {struct parse *p}
%expect 1 /* dangling else */

%code requires {
#include "lang/parse.h"
}

%union {
	struct text text;
	const char *name;
	struct node *node;
	struct type *type;
	struct arg_list *args;
	struct stmt_list stmts;
	struct declspec *ds;
	struct declarator *dr;
	struct declarator_list drs;
	struct derive *derive;
	struct param_list *params;
	enum op op;
	enum decl_class class;
	enum decl_word word;
	enum type_kind kind;
}

%{
#include "lang/parse.h"
#include "lang/parse.tab.h"

#define NO_STMTS ((struct stmt_list){ 0 })
#define NO_DECLARATORS ((struct declarator_list){ 0 })

#define YYLLOC_DEFAULT(cur, rhs, n) ((cur) = YYRHSLOC(rhs, (n) ? 1 : 0))

static void lang_yyerror(struct srcloc *loc, struct parse *p, const char *msg)
{
	parse_syntax_error(p, *loc, msg);
}
%}

%initial-action { @$ = (struct srcloc){ 0 }; }

%token <text> T_SPEC T_SPEC_ID
%token T_PRED_OPEN T_PRED_CLOSE T_BAD
%token <name> T_IDENT T_AGG
%token <type> T_TYPENAME
%token <node> T_INTEGER T_STRING
%token T_ARROW T_INC T_DEC T_SHL T_SHR T_LE T_GE T_EQ T_NE T_LAND T_LOR T_LXOR T_ELLIPSIS
%token T_ADD_EQ T_SUB_EQ T_MUL_EQ T_DIV_EQ T_MOD_EQ T_AND_EQ T_OR_EQ T_XOR_EQ T_SHL_EQ T_SHR_EQ
%token K_AUTO K_BREAK K_CASE K_CHAR K_CONST K_CONTINUE K_COUNTER K_DEFAULT K_DO K_DOUBLE K_ELSE
%token K_ENUM K_EXTERN K_FLOAT K_FOR K_GOTO K_IF K_IMPORT K_INLINE K_INT K_LONG K_OFFSETOF K_PROBE
%token K_PROVIDER K_REGISTER K_RESTRICT K_RETURN K_SELF K_SHORT K_SIGNED K_SIZEOF K_STATIC K_STRING
%token K_STRINGOF K_STRUCT K_SWITCH K_THIS K_TRANSLATOR K_TYPEDEF K_UNION K_UNSIGNED K_USERLAND
%token K_VOID K_VOLATILE K_WHILE K_XLATE

%type <node> expr assign cond lor lxor land bor bxor band eq rel shift add mul
%type <node> predicate cast unary postfix primary
%type <op> asgop unary_op
%type <args> args some_args
%type <stmts> stmts stmt_list stmt body block
%type <ds> declspecs typespecs
%type <dr> declarator direct abstract direct_abstract init_declarator member_declarator
%type <drs> declarators member_declarators
%type <derive> pointer qualifiers dimension function
%type <params> params param_list
%type <class> storage
%type <word> word
%type <type> tagged typename
%type <kind> sou

%%

unit: %empty | unit external ;

external: clause | declaration | inline | translator | provider ;

/* ---- clauses ---- */

clause
	: specs				{ parse_clause(p, @1, CLAUSE_BARE, NULL, NO_STMTS); }
	| specs predicate		{ parse_clause(p, @1, CLAUSE_PRED, $2, NO_STMTS); }
	| specs block			{ parse_clause(p, @1, CLAUSE_BODY, NULL, $2); }
	| specs predicate block		{ parse_clause(p, @1, CLAUSE_BODY, $2, $3); }
	;

predicate: T_PRED_OPEN expr T_PRED_CLOSE	{ $$ = $2; } ;

specs: spec | specs ',' spec ;

spec
	: T_SPEC	{ probespec_add(p, @1, $1); }
	| T_SPEC_ID	{ probespec_add_id(p, @1, $1); }
	;

block: '{' stmts '}'	{ $$ = $2; } ;

stmts
	: stmt_list
	| stmt_list expr	{ $$ = stmt_join($1, stmt_expr(p, @2, $2)); }
	;

stmt_list
	: %empty		{ $$ = NO_STMTS; }
	| stmt_list stmt	{ $$ = stmt_join($1, $2); }
	;

stmt
	: ';'			{ $$ = NO_STMTS; }
	| expr ';'		{ $$ = stmt_expr(p, @1, $1); }
	| K_IF '(' expr ')' body		{ $$ = stmt_if(p, @1, $3, $5, NO_STMTS); }
	| K_IF '(' expr ')' body K_ELSE body	{ $$ = stmt_if(p, @1, $3, $5, $7); }
	;

body: stmt | block ;

/* ---- expressions ---- */

expr
	: assign
	| expr ',' assign	{ $$ = node_tree(p, NODE_COMMA, @2, $1, $3, NULL); }
	;

assign
	: cond
	| unary asgop assign	{ $$ = node_assign(p, @2, $2, $1, $3); }
	;

asgop
	: '='		{ $$ = OP_ASSIGN; }
	| T_ADD_EQ	{ $$ = OP_ADD; }
	| T_SUB_EQ	{ $$ = OP_SUB; }
	| T_MUL_EQ	{ $$ = OP_MUL; }
	| T_DIV_EQ	{ $$ = OP_DIV; }
	| T_MOD_EQ	{ $$ = OP_MOD; }
	| T_AND_EQ	{ $$ = OP_AND; }
	| T_OR_EQ	{ $$ = OP_OR; }
	| T_XOR_EQ	{ $$ = OP_XOR; }
	| T_SHL_EQ	{ $$ = OP_SHL; }
	| T_SHR_EQ	{ $$ = OP_SHR; }
	;

cond
	: lor
	| lor '?' expr ':' cond	{ $$ = node_tree(p, NODE_COND, @2, $1, $3, $5); }
	;

lor: lxor | lor T_LOR lxor	{ $$ = node_binary(p, @2, OP_LOR, $1, $3); } ;
lxor: land | lxor T_LXOR land	{ $$ = node_binary(p, @2, OP_LXOR, $1, $3); } ;
land: bor | land T_LAND bor	{ $$ = node_binary(p, @2, OP_LAND, $1, $3); } ;
bor: bxor | bor '|' bxor	{ $$ = node_binary(p, @2, OP_OR, $1, $3); } ;
bxor: band | bxor '^' band	{ $$ = node_binary(p, @2, OP_XOR, $1, $3); } ;
band: eq | band '&' eq		{ $$ = node_binary(p, @2, OP_AND, $1, $3); } ;

eq
	: rel
	| eq T_EQ rel	{ $$ = node_binary(p, @2, OP_EQ, $1, $3); }
	| eq T_NE rel	{ $$ = node_binary(p, @2, OP_NE, $1, $3); }
	;

rel
	: shift
	| rel '<' shift		{ $$ = node_binary(p, @2, OP_LT, $1, $3); }
	| rel '>' shift		{ $$ = node_binary(p, @2, OP_GT, $1, $3); }
	| rel T_LE shift	{ $$ = node_binary(p, @2, OP_LE, $1, $3); }
	| rel T_GE shift	{ $$ = node_binary(p, @2, OP_GE, $1, $3); }
	;

shift
	: add
	| shift T_SHL add	{ $$ = node_binary(p, @2, OP_SHL, $1, $3); }
	| shift T_SHR add	{ $$ = node_binary(p, @2, OP_SHR, $1, $3); }
	;

add
	: mul
	| add '+' mul	{ $$ = node_binary(p, @2, OP_ADD, $1, $3); }
	| add '-' mul	{ $$ = node_binary(p, @2, OP_SUB, $1, $3); }
	;

mul
	: cast
	| mul '*' cast	{ $$ = node_binary(p, @2, OP_MUL, $1, $3); }
	| mul '/' cast	{ $$ = node_binary(p, @2, OP_DIV, $1, $3); }
	| mul '%' cast	{ $$ = node_binary(p, @2, OP_MOD, $1, $3); }
	;

cast
	: unary
	| '(' typename ')' cast	{ $$ = node_cast(p, @1, $2, $4); }
	;

unary
	: postfix
	| T_INC unary			{ $$ = node_incdec(p, @1, OP_PREINC, $2); }
	| T_DEC unary			{ $$ = node_incdec(p, @1, OP_PREDEC, $2); }
	| unary_op cast			{ $$ = node_unary(p, @1, $1, $2); }
	| K_SIZEOF unary		{ $$ = node_tree(p, NODE_SIZEOF, @1, $2, NULL, NULL); }
	| K_SIZEOF '(' typename ')'
		{ $$ = node_tree(p, NODE_SIZEOF, @1, node_type(p, @3, $3), NULL, NULL); }
	| K_STRINGOF unary		{ $$ = node_tree(p, NODE_STRINGOF, @1, $2, NULL, NULL); }
	;

unary_op
	: '&'	{ $$ = OP_ADDROF; }
	| '*'	{ $$ = OP_DEREF; }
	| '+'	{ $$ = OP_PLUS; }
	| '-'	{ $$ = OP_NEG; }
	| '~'	{ $$ = OP_COMPL; }
	| '!'	{ $$ = OP_NOT; }
	;

postfix
	: primary
	| postfix '[' args ']'		{ $$ = node_index(p, $1, $3); }
	| postfix '(' args ')'		{ $$ = node_call(p, $1, $3); }
	| postfix '.' T_IDENT		{ $$ = node_member(p, @2, $1, false, $3); }
	| postfix T_ARROW T_IDENT	{ $$ = node_member(p, @2, $1, true, $3); }
	| postfix T_INC			{ $$ = node_incdec(p, @2, OP_POSTINC, $1); }
	| postfix T_DEC			{ $$ = node_incdec(p, @2, OP_POSTDEC, $1); }
	| K_OFFSETOF '(' typename ',' T_IDENT ')'
		{ $$ = node_offsetof(p, @1, node_type(p, @3, $3), $5); }
	| K_XLATE '<' typename '>' '(' expr ')'
		{ $$ = node_xlate(p, @1, $3, $6); }
	;

primary
	: T_IDENT		{ $$ = node_ident(p, @1, SCOPE_GLOBAL, $1); }
	| K_SELF T_ARROW T_IDENT	{ $$ = node_ident(p, @1, SCOPE_SELF, $3); }
	| K_THIS T_ARROW T_IDENT	{ $$ = node_ident(p, @1, SCOPE_THIS, $3); }
	| T_AGG			{ $$ = node_agg(p, @1, $1); }
	| T_INTEGER
	| T_STRING
	| '(' expr ')'		{ $$ = $2; }
	;

args
	: %empty	{ $$ = NULL; }
	| some_args
	;

some_args
	: assign		{ $$ = arg_add(p, NULL, $1); }
	| some_args ',' assign	{ $$ = arg_add(p, $1, $3); }
	;

/* ---- types and declarators ---- */

storage
	: K_AUTO	{ $$ = CLASS_AUTO; }
	| K_REGISTER	{ $$ = CLASS_REGISTER; }
	| K_STATIC	{ $$ = CLASS_STATIC; }
	| K_EXTERN	{ $$ = CLASS_EXTERN; }
	| K_TYPEDEF	{ $$ = CLASS_TYPEDEF; }
	| K_SELF	{ $$ = CLASS_SELF; }
	| K_THIS	{ $$ = CLASS_THIS; }
	;

word
	: K_VOID	{ $$ = WORD_VOID; }
	| K_CHAR	{ $$ = WORD_CHAR; }
	| K_SHORT	{ $$ = WORD_SHORT; }
	| K_INT		{ $$ = WORD_INT; }
	| K_LONG	{ $$ = WORD_LONG; }
	| K_FLOAT	{ $$ = WORD_FLOAT; }
	| K_DOUBLE	{ $$ = WORD_DOUBLE; }
	| K_SIGNED	{ $$ = WORD_SIGNED; }
	| K_UNSIGNED	{ $$ = WORD_UNSIGNED; }
	| K_STRING	{ $$ = WORD_STRING; }
	| K_CONST	{ $$ = WORD_CONST; }
	| K_VOLATILE	{ $$ = WORD_VOLATILE; }
	| K_RESTRICT	{ $$ = WORD_RESTRICT; }
	| K_USERLAND	{ $$ = WORD_USERLAND; }
	;

declspecs
	: storage		{ declspec_class(p, $$ = declspec_new(p, @1), $1); }
	| word			{ declspec_word(p, $$ = declspec_new(p, @1), $1); }
	| tagged		{ declspec_named(p, $$ = declspec_new(p, @1), $1, true); }
	| T_TYPENAME		{ declspec_named(p, $$ = declspec_new(p, @1), $1, false); }
	| declspecs storage	{ declspec_class(p, $$ = $1, $2); }
	| declspecs word	{ declspec_word(p, $$ = $1, $2); }
	| declspecs tagged	{ declspec_named(p, $$ = $1, $2, true); }
	| declspecs T_TYPENAME	{ declspec_named(p, $$ = $1, $2, false); }
	;

typespecs
	: word			{ declspec_word(p, $$ = declspec_new(p, @1), $1); }
	| tagged		{ declspec_named(p, $$ = declspec_new(p, @1), $1, true); }
	| T_TYPENAME		{ declspec_named(p, $$ = declspec_new(p, @1), $1, false); }
	| typespecs word	{ declspec_word(p, $$ = $1, $2); }
	| typespecs tagged	{ declspec_named(p, $$ = $1, $2, true); }
	| typespecs T_TYPENAME	{ declspec_named(p, $$ = $1, $2, false); }
	;

typename
	: typespecs		{ $$ = decl_typename(p, $1, NULL); }
	| typespecs abstract	{ $$ = decl_typename(p, $1, $2); }
	;

sou
	: K_STRUCT	{ $$ = TYPE_STRUCT; }
	| K_UNION	{ $$ = TYPE_UNION; }
	;

tagged
	: sou T_IDENT			{ $$ = decl_tag(p, @1, $1, $2); }
	| K_ENUM T_IDENT		{ $$ = decl_tag(p, @1, TYPE_ENUM, $2); }
	| sou_open members '}'		{ $$ = decl_sou_close(p); }
	| enum_open enumerators '}'	{ $$ = decl_sou_close(p); }
	| enum_open enumerators ',' '}'	{ $$ = decl_sou_close(p); }
	;

sou_open
	: sou '{'		{ decl_sou_open(p, @1, $1, NULL); }
	| sou T_IDENT '{'	{ decl_sou_open(p, @1, $1, $2); }
	;

enum_open
	: K_ENUM '{'		{ decl_sou_open(p, @1, TYPE_ENUM, NULL); }
	| K_ENUM T_IDENT '{'	{ decl_sou_open(p, @1, TYPE_ENUM, $2); }
	;

members: member | members member ;

member
	: declspecs ';'				{ decl_members(p, $1, NO_DECLARATORS); }
	| declspecs member_declarators ';'	{ decl_members(p, $1, $2); }
	;

member_declarators
	: member_declarator				{ $$ = declarator_join(NO_DECLARATORS, $1); }
	| member_declarators ',' member_declarator	{ $$ = declarator_join($1, $3); }
	;

member_declarator
	: declarator
	| declarator ':' cond	{ $$ = $1; $$->bits = $3; }
	| ':' cond		{ $$ = declarator_new(p, @1, NULL); $$->bits = $2; }
	;

enumerators: enumerator | enumerators ',' enumerator ;

enumerator
	: T_IDENT		{ decl_enumerator(p, @1, $1, NULL); }
	| T_IDENT '=' cond	{ decl_enumerator(p, @1, $1, $3); }
	;

declarator
	: direct
	| pointer direct	{ declarator_derive(p, $$ = $2, $1); }
	;

direct
	: T_IDENT		{ $$ = declarator_new(p, @1, $1); }
	| '(' declarator ')'	{ $$ = $2; }
	| direct dimension	{ declarator_derive(p, $$ = $1, $2); }
	| direct function	{ declarator_derive(p, $$ = $1, $2); }
	;

/* The step nearest to the name comes first: in "* const *" that is the last star. */
pointer
	: '*' qualifiers		{ $$ = $2; }
	| '*' qualifiers pointer	{ $$ = derive_join($3, $2); }
	;

qualifiers
	: %empty		{ $$ = derive_new(p, DERIVE_POINTER); }
	| qualifiers K_CONST	{ $$ = $1; $$->is_const = true; }
	| qualifiers K_VOLATILE	{ $$ = $1; $$->is_volatile = true; }
	| qualifiers K_RESTRICT
	| qualifiers K_USERLAND
	;

dimension
	: '[' ']'		{ $$ = derive_new(p, DERIVE_ARRAY); }
	| '[' cond ']'		{ $$ = derive_new(p, DERIVE_ARRAY); $$->size = $2; }
	| '[' params ']'	{ $$ = derive_new(p, DERIVE_TUPLE); $$->params = $2; }
	;

function
	: '(' ')'		{ $$ = derive_new(p, DERIVE_FUNCTION); $$->params = NULL; }
	| '(' params ')'	{ $$ = derive_new(p, DERIVE_FUNCTION); $$->params = $2; }
	;

params
	: param_list
	| param_list ',' T_ELLIPSIS	{ $$ = $1; $$->varargs = true; }
	| T_ELLIPSIS			{ $$ = param_add(p, NULL, @1, NULL, NULL); $$->varargs = true; }
	;

param_list
	: declspecs					{ $$ = param_add(p, NULL, @1, $1, NULL); }
	| declspecs declarator				{ $$ = param_add(p, NULL, @1, $1, $2); }
	| declspecs abstract				{ $$ = param_add(p, NULL, @1, $1, $2); }
	| param_list ',' declspecs			{ $$ = param_add(p, $1, @3, $3, NULL); }
	| param_list ',' declspecs declarator		{ $$ = param_add(p, $1, @3, $3, $4); }
	| param_list ',' declspecs abstract		{ $$ = param_add(p, $1, @3, $3, $4); }
	;

abstract
	: pointer			{ declarator_derive(p, $$ = declarator_new(p, @1, NULL), $1); }
	| direct_abstract
	| pointer direct_abstract	{ declarator_derive(p, $$ = $2, $1); }
	;

direct_abstract
	: '(' abstract ')'		{ $$ = $2; }
	| dimension			{ declarator_derive(p, $$ = declarator_new(p, @1, NULL), $1); }
	| function			{ declarator_derive(p, $$ = declarator_new(p, @1, NULL), $1); }
	| direct_abstract dimension	{ declarator_derive(p, $$ = $1, $2); }
	| direct_abstract function	{ declarator_derive(p, $$ = $1, $2); }
	;

/* ---- declarations and definitions ---- */

declaration
	: declspecs ';'			{ decl_declare(p, $1, NO_DECLARATORS); }
	| declspecs declarators ';'	{ decl_declare(p, $1, $2); }
	;

declarators
	: init_declarator			{ $$ = declarator_join(NO_DECLARATORS, $1); }
	| declarators ',' init_declarator	{ $$ = declarator_join($1, $3); }
	;

init_declarator
	: declarator
	| declarator T_IDENT
		{
			parse_error(p, @2, "D_DECL_IDENT", "old-style declaration or incorrect type specified");
			$$ = $1;
		}
	;

inline
	: K_INLINE declspecs declarator '=' assign ';'	{ decl_inline(p, @1, $2, $3, $5); }
	| K_INLINE declspecs ';'			{ decl_inline(p, @1, $2, NULL, NULL); }
	| K_INLINE declspecs '=' assign ';'		{ decl_inline(p, @1, $2, NULL, $4); }
	;

translator
	: translator_open initialisers '}' ';'	{ xlate_close(p); }
	;

translator_open
	: K_TRANSLATOR typename '<' declspecs declarator '>' '{'	{ xlate_open(p, @1, $2, $4, $5); }
	;

initialisers
	: %empty
	| initialisers T_IDENT '=' assign ';'	{ xlate_member(p, @2, $2, $4); }
	;

provider: provider_open probedefs '}' ';'	{ provdef_close(p); } ;

provider_open: K_PROVIDER T_IDENT '{'	{ provdef_open(p, @2, $2); } ;

probedefs: %empty | probedefs probedef ;

probedef
	: K_PROBE T_IDENT function ';'			{ provdef_probe(p, @2, $2, $3, NULL); }
	| K_PROBE T_IDENT function ':' function ';'	{ provdef_probe(p, @2, $2, $3, $5); }
	;

%%

const char *parse_token_name(int token)
{
	return yytname[YYTRANSLATE(token)];
}
