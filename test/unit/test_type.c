/* SPDX-License-Identifier: BSD-2-Clause */
/* Unit tests of src/type: look-up, spelling, compatibility, layout, kernel types. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "type/type.h"

static struct types *ts;

static int setup(void **state)
{
	(void)state;
	ts = types_create(256);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	types_destroy(ts);
	return 0;
}

static void test_builtin(void **state)
{
	static const struct {
		const char *name, *is;
		uint64_t size;
	} t[] = {
		{ "int", "int", 4 },
		{ "long unsigned int", "unsigned long", 8 },
		{ "unsigned", "unsigned int", 4 },
		{ "short int", "short", 2 },
		{ "char", "char", 1 },
		{ "unsigned char", "unsigned char", 1 },
		{ "long long", "long long", 8 },
		{ "uint64_t", "uint64_t", 8 },
		{ "string", "string", 256 },
		{ "long double", "long double", 16 },
		{ "uid_t", "uid_t", 4 },
		{ "caddr_t", "caddr_t", 8 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(t); i++) {
		struct type *ty = type_builtin(ts, t[i].name);

		assert_non_null(ty);
		assert_string_equal(type_name(ts, ty), t[i].is);
		assert_int_equal(ty->size, t[i].size);
	}
	assert_null(type_builtin(ts, "unsigned signed"));
	assert_null(type_builtin(ts, "long char"));
	assert_null(type_builtin(ts, "long long long"));
	assert_null(type_builtin(ts, ""));
	assert_ptr_equal(type_builtin(ts, "unsigned long int"), type_builtin(ts, "unsigned long"));
	types_set_strsize(ts, 64);
	assert_int_equal(type_string(ts)->size, 64);
}

static void test_names(void **state)
{
	struct type *i = type_int(ts);

	(void)state;
	assert_string_equal(type_name(ts, NULL), "<none>");
	assert_string_equal(type_name(ts, type_array(ts, i, 3)), "int [3]");
	assert_string_equal(type_name(ts, type_array(ts, type_array(ts, i, 3), 2)), "int [2][3]");
	assert_string_equal(type_name(ts, type_parse(ts, "const char *")), "const char *");
	assert_string_equal(type_name(ts, type_parse(ts, "int **")), "int **");
	assert_string_equal(type_name(ts, type_pointer(ts, type_array(ts, i, 3))), "int (*)[3]");
	assert_string_equal(type_name(ts, type_pointer(ts, type_new(ts, TYPE_FUNCTION, ""))),
			    "function pointer");
	assert_string_equal(type_name(ts, type_pointer(ts, type_new(ts, TYPE_STRUCT, "foo"))),
			    "struct foo *");
	assert_ptr_equal(type_pointer(ts, i), type_pointer(ts, i));
}

static void test_predicates(void **state)
{
	(void)state;
	assert_true(type_is_integer(type_parse(ts, "pid_t")));
	assert_true(type_is_signed(type_parse(ts, "pid_t")));
	assert_false(type_is_signed(type_parse(ts, "size_t")));
	assert_true(type_is_string_like(type_parse(ts, "const char *")));
	assert_false(type_is_string_like(type_parse(ts, "int *")));
	assert_true(type_is_scalar(type_parse(ts, "void *")));
	assert_false(type_is_scalar(type_string(ts)));
	assert_true(type_compatible(type_parse(ts, "int *"), type_parse(ts, "pid_t *")));
	assert_false(type_compatible(type_parse(ts, "int *"), type_parse(ts, "unsigned int *")));
	assert_true(type_compatible(type_parse(ts, "const char *"), type_parse(ts, "char *")));
}

static struct type *make_struct(const char *name, const struct type_member *m, size_t n)
{
	struct type *s = type_new(ts, TYPE_STRUCT, name);
	static struct type_member members[8];

	memcpy(members, m, n * sizeof(*m));
	s->members = members;
	s->nmembers = n;
	type_layout(ts, s);
	return s;
}

/* The examples of the language reference: bit-fields are not packed. */
static void test_layout(void **state)
{
	struct type *i = type_int(ts), *c = type_builtin(ts, "char"),
		    *h = type_builtin(ts, "short");
	struct type *l = type_builtin(ts, "long"), *s;
	uint64_t off;

	(void)state;
	s = make_struct("a", (struct type_member[]){ { "a", i, 0, 1 }, { "b", i, 0, 3 } }, 2);
	assert_int_equal(s->size, 2);
	s = make_struct(
		"b",
		(struct type_member[]){ { "a", i, 0, 20 }, { "b", i, 0, 3 }, { "c", i, 0, 12 } },
		3);
	assert_int_equal(s->size, 6);
	s = make_struct(
		"c",
		(struct type_member[]){ { "a", c, 0, 2 }, { "b", h, 0, 12 }, { "c", l, 0, 32 } },
		3);
	assert_int_equal(s->size, 8);
	s = make_struct(
		"d", (struct type_member[]){ { "a", c, 0, 0 }, { "b", l, 0, 0 }, { "c", c, 0, 0 } },
		3);
	assert_int_equal(s->size, 24);
	assert_non_null(type_member(s, "c", &off));
	assert_int_equal(off, 128);
	assert_null(type_member(s, "nosuch", &off));
	assert_null(type_member(i, "a", &off));
}

static void test_scope(void **state)
{
	struct type *s = type_new(ts, TYPE_STRUCT, "mine"), *f = type_new(ts, TYPE_FORWARD, "mine");

	(void)state;
	f->fwd_kind = TYPE_STRUCT;
	assert_ptr_equal(type_resolve(f), f);
	assert_true(type_define(ts, "struct mine", s));
	assert_false(type_define(ts, "struct mine", s));
	assert_ptr_equal(type_lookup(ts, "struct mine"), s);
	assert_ptr_equal(type_lookup(ts, "struct D`mine"), s);
	assert_ptr_equal(type_resolve(f), s);
	assert_null(type_lookup(ts, "a`b`c"));
	assert_null(type_lookup(ts, "struct "));
	assert_null(type_lookup_loaded(ts, "struct task_struct"));
}

static void test_kernel(void **state)
{
	struct type *t = type_lookup(ts, "struct task_struct");
	const struct type_member *m;
	uint64_t off;

	(void)state;
	if (!t)
		skip(); /* this kernel does not tell its types */
	m = type_member(t, "comm", &off);
	assert_non_null(m);
	assert_string_equal(type_name(ts, m->type), "char [16]");
	assert_true(off > 0 && off % 8 == 0);
	assert_ptr_equal(type_lookup_loaded(ts, "struct vmlinux`task_struct"), t);
	m = type_member(t, "pid", &off);
	assert_non_null(m);
	assert_ptr_equal(type_resolve(m->type), type_int(ts));
	/* through an anonymous member */
	assert_non_null(type_member(type_lookup(ts, "struct page"), "mapping", &off));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_builtin, setup, teardown),
		cmocka_unit_test_setup_teardown(test_names, setup, teardown),
		cmocka_unit_test_setup_teardown(test_predicates, setup, teardown),
		cmocka_unit_test_setup_teardown(test_layout, setup, teardown),
		cmocka_unit_test_setup_teardown(test_scope, setup, teardown),
		cmocka_unit_test_setup_teardown(test_kernel, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
