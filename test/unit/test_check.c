/* SPDX-License-Identifier: BSD-2-Clause */
/* Unit tests of the checker: types, folding, storage, flags of clauses. Its messages are in
 * test/lang/err.*. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lang/ident.h"
#include "lang/lang.h"

static struct dsession *s;
static struct dprog *prog;
static struct diag diag;

static int match(void *arg, const struct probespec *spec, struct diag *d)
{
	(void)arg;
	(void)spec;
	(void)d;
	return 1;
}

static int setup(void **state)
{
	(void)state;
	s = lang_session_create();
	s->hooks.probe_matches = match;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	lang_prog_destroy(prog);
	prog = NULL;
	diag_clear(&diag);
	lang_session_destroy(s);
	return 0;
}

/* Compiles; the first clause, or NULL. */
static struct clause *compile(const char *text)
{
	struct lang_source src = {
		.text = text, .len = strlen(text), .name = text, .field = SPEC_NAME
	};

	lang_prog_destroy(prog);
	diag_clear(&diag);
	prog = lang_compile(s, &src, &diag);
	return prog ? prog->clauses : NULL;
}

/* The value that `trace(expr)` comes to, and its type. */
static int64_t folded(const char *expr, const char **type)
{
	char *text = mem_printf("BEGIN { trace(%s); }", expr);
	struct clause *c = compile(text);
	struct node *n;

	free(text);
	assert_non_null(c);
	n = c->body->expr->u.call.args.v[0];
	assert_int_equal(n->kind, NODE_INT);
	*type = type_name(s->types, n->type);
	return (int64_t)n->u.integer.value;
}

static void test_fold(void **state)
{
	static const struct {
		const char *expr;
		int64_t value;
		const char *type;
	} t[] = {
		{ "1 + 2", 3, "int" },
		{ "-5 / 2", -2, "int" },
		{ "-7 % 3", -1, "int" },
		{ "5 % -5", 0, "int" },
		{ "1u - 2", 0xffffffff, "unsigned int" },
		{ "1 << 31", INT32_MIN, "int" },
		{ "(char)0x1ff", -1, "char" },
		{ "(unsigned char)-1", 255, "unsigned char" },
		{ "-1 < 1u", 0, "int" },
		{ "-1 < 1", 1, "int" },
		{ "(signed char)-2 + (unsigned char)253", 251, "unsigned char" },
		{ "1 ? 2 : 3L", 2, "long" },
		{ "sizeof(int)", 4, "size_t" },
		{ "sizeof(\"hi\")", 3, "size_t" },
		{ "sizeof(execname)", 256, "size_t" },
		{ "sizeof(NULL)", 4, "size_t" },
		{ "!5", 0, "int" },
		{ "~0", -1, "int" },
		{ "1 ^^ 1", 0, "int" },
		{ "0x7fffffffffffffff + 1 > 0", 0, "int" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(t); i++) {
		const char *type;

		assert_int_equal(folded(t[i].expr, &type), t[i].value);
		assert_string_equal(type, t[i].type);
	}
}

static void test_variables(void **state)
{
	struct ident *x, *y, *n, *a;

	(void)state;
	assert_non_null(compile("BEGIN /n++ == 0/ { x = 1; y = execname; this->z = timestamp; "
				"self->q[pid, \"a\"] = x; }"));
	x = ident_lookup(s, SCOPE_GLOBAL, "x");
	y = ident_lookup(s, SCOPE_GLOBAL, "y");
	n = ident_lookup(s, SCOPE_GLOBAL, "n");
	a = ident_lookup(s, SCOPE_SELF, "q");
	assert_string_equal(type_name(s->types, x->type), "int");
	assert_string_equal(type_name(s->types, y->type), "string");
	assert_string_equal(type_name(s->types, n->type), "int64_t");
	assert_int_equal(y->size, 8 + 256);
	assert_int_equal(x->size, 8);
	assert_int_equal(s->globals_size, 8 + 8 + 264);
	assert_int_equal(s->locals_size, 8);
	assert_int_equal(a->kind, IDENT_THREAD_ASSOC);
	assert_int_equal(a->nkeys, 2);
	assert_string_equal(type_name(s->types, a->keys[1]), "string");
	/* a later unit knows them; strsize changes what they take */
	assert_non_null(compile("BEGIN { x = 2; trace(self->q[1, execname]); }"));
	s->opt.strsize = 100;
	ident_layout(s);
	assert_int_equal(s->globals_size, 8 + 8 + 8 + 104);
}

static void test_clause_flags(void **state)
{
	struct clause *c;

	(void)state;
	c = compile("BEGIN { }");
	assert_true(c->default_action);
	assert_false(c->records);
	c = compile("BEGIN { x = 1; @ = count(); }");
	assert_false(c->default_action);
	assert_false(c->records);
	assert_int_equal(c->body->next->kind, STMT_AGG);
	assert_int_equal(c->body->next->action_index, 2);
	c = compile("BEGIN { if (pid) { trace(1); } else exit(0); trace(2); }");
	assert_true(c->has_if);
	assert_true(c->records);
	assert_int_equal(c->body->next->action_index, 4);
}

static void test_conversions(void **state)
{
	struct node *n;
	struct clause *c;

	(void)state;
	/* int + int stored in 64 bits is cut to int first */
	c = compile("int i; long long l; BEGIN { l = i + i; }");
	n = c->body->expr->b;
	assert_int_equal(n->kind, NODE_CAST);
	assert_int_equal(n->a->kind, NODE_CAST);
	assert_int_equal(n->a->type->size, 4);
	assert_int_equal(n->a->a->kind, NODE_BINARY);
	/* text in an array is a string where a string is wanted */
	c = compile("char *p; BEGIN { t = strjoin(p, \"x\"); }");
	n = c->body->expr->b->u.call.args.v[0];
	assert_int_equal(n->kind, NODE_STRINGOF);
	/* NULL has the type of the other side */
	c = compile("BEGIN { trace(execname == NULL); }");
	n = c->body->expr->u.call.args.v[0];
	assert_null(n->u.op.arith);
	assert_int_equal(n->b->kind, NODE_INT);
	assert_true(type_is_string(n->b->type));
	c = compile("BEGIN { trace(curcpu->cpu_id); }");
	n = c->body->expr->u.call.args.v[0];
	assert_int_equal(n->kind, NODE_VAR);
	assert_int_equal(n->u.var.ident->builtin, BUILTIN_CPU);
}

static void test_aggregation(void **state)
{
	struct ident *id;
	struct clause *c;

	(void)state;
	c = compile("BEGIN { @q[execname, pid] = lquantize(arg0, 0, 100, 5, 2); printa(\"%s %d "
		    "%@d\\n\", @q); }");
	assert_non_null(c);
	id = ident_lookup(s, SCOPE_AGG, "q");
	assert_int_equal(id->agg_nparams, 3);
	assert_int_equal(id->agg_params[1], 100);
	assert_int_equal(c->body->expr->u.call.args.n, 2);
	assert_int_equal(c->body->expr->u.call.args.v[1]->u.integer.value, 2);
	assert_non_null(c->body->next->fmt);
}

/* However an inline multiplies itself, compiling ends, with an error. */
static void test_inline_bomb(void **state)
{
	struct lang_source src = { .name = "x", .field = SPEC_NAME };
	VEC(char) text = { 0 };
	char line[64];

	(void)state;
	for (int i = 0; i < 60; i++) {
		int n = i ? snprintf(line, sizeof(line), "inline int a%d = a%d + a%d;\n", i, i - 1,
				     i - 1)
			  : snprintf(line, sizeof(line), "inline int a0 = pid;\n");

		for (int j = 0; j < n; j++)
			vec_push(&text, line[j]);
	}
	src.text = text.v;
	src.len = text.n;
	prog = lang_compile(s, &src, &diag);
	assert_null(prog);
	assert_string_equal(diag.text, "Insufficient registers to generate code");
	vec_free(&text);
}

/* ---- args[] of an output prototype ------------------------------------------------------------ */

/* args[0] is the probe's second argument translated, args[1] its first as it is. */
static void probe_arg(void *arg, const struct probespec *spec, int n, struct lang_probe_arg *out)
{
	struct types *ts = s->types;

	(void)arg;
	out->nargs = 3;
	out->multi = !strcmp(spec->name, "multi");
	if (n == 0) {
		out->type = type_pointer(ts, type_lookup(ts, "struct out"));
		out->native = type_pointer(ts, type_lookup(ts, "struct in"));
		out->from = 1;
	} else if (n == 1) {
		out->type = type_int(ts);
	}
}

static void test_translated_args(void **state)
{
	static const char decl[] = "struct in { int i; }; struct out { int a; int none; };";
	struct node *n;
	struct clause *c;

	(void)state;
	s->hooks.probe_arg = probe_arg;
	c = compile("struct in { int i; }; struct out { int a; int none; };"
		    "translator struct out < struct in *p > { a = p->i; };"
		    "x { trace(args[0]->a); trace(args[1]); }");
	assert_non_null(c);
	/* args[0]->a: ((struct in *)arg1)->i */
	n = c->body->expr->u.call.args.v[0];
	while (n->kind == NODE_CAST)
		n = n->a;
	assert_int_equal(n->kind, NODE_MEMBER);
	assert_string_equal(n->u.member.name, "i");
	assert_int_equal(n->a->kind, NODE_INDEX);
	assert_int_equal(n->a->u.index.ident->builtin, BUILTIN_ARGS);
	assert_int_equal(n->a->u.index.keys.v[0]->u.integer.value, 1);
	n = c->body->next->expr->u.call.args.v[0];
	assert_int_equal(n->kind, NODE_INDEX);
	assert_int_equal(n->u.index.keys.v[0]->u.integer.value, 0);

	assert_null(compile("x { trace(args[0]->none); }"));
	assert_string_equal(diag.tag, "D_XLATE_NOCONV");
	assert_null(compile("x { trace(args[2]); }"));
	assert_string_equal(diag.tag, "D_ARGS_TYPE");
	assert_null(compile("x { trace(args[3]); }"));
	assert_string_equal(diag.tag, "D_ARGS_IDX");
	assert_null(compile("multi { trace(args[1]); }"));
	assert_string_equal(diag.tag, "D_ARGS_MULTI");

	teardown(NULL);
	setup(NULL);
	s->hooks.probe_arg = probe_arg;
	assert_null(compile(decl));
	assert_null(compile("x { trace(args[0]->a); }"));
	assert_string_equal(diag.tag, "D_ARGS_XLATOR");
	assert_string_equal(diag.text, "translator for args[0] from struct in * to struct out * is "
				       "not defined");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_translated_args, setup, teardown),
		cmocka_unit_test_setup_teardown(test_fold, setup, teardown),
		cmocka_unit_test_setup_teardown(test_variables, setup, teardown),
		cmocka_unit_test_setup_teardown(test_clause_flags, setup, teardown),
		cmocka_unit_test_setup_teardown(test_conversions, setup, teardown),
		cmocka_unit_test_setup_teardown(test_aggregation, setup, teardown),
		cmocka_unit_test_setup_teardown(test_inline_bomb, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
