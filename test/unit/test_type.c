/* SPDX-License-Identifier: BSD-2-Clause */
/* Unit tests of src/type: look-up, spelling, compatibility, layout, kernel types. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <bpf/btf.h>
#include <cmocka.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

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

/* ---- modules ---- */

static char btf_dir[] = "/tmp/test_type.XXXXXX";

static void write_btf(const char *name, const struct btf *btf)
{
	char *path = mem_printf("%s/%s", btf_dir, name);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	uint32_t size;
	const void *data = btf__raw_data(btf, &size);

	assert_non_null(data);
	assert_int_equal(write(fd, data, size), size);
	close(fd);
	free(path);
}

static int add_struct(struct btf *btf, const char *name, uint32_t size, const char *member,
		      int type)
{
	int id = btf__add_struct(btf, name, size);

	assert_true(id > 0);
	assert_int_equal(btf__add_field(btf, member, type, 0, 0), 0);
	return id;
}

/* The kernel: int, struct core { int a; }. */
static struct btf *make_kernel(void)
{
	struct btf *btf = btf__new_empty();

	add_struct(btf, "core", 4, "a", btf__add_int(btf, "int", 4, BTF_INT_SIGNED));
	write_btf("vmlinux", btf);
	return btf;
}

/* A module: struct own { struct core *BY; ... }, own_t, int NAME_run(struct own *), enum, struct both. */
static void make_module(struct btf *kernel, const char *name, const char *by, uint32_t size)
{
	struct btf *btf = btf__new_empty_split(kernel);
	char *func = mem_printf("%s_run", name), *constant = mem_printf("%s_CONSTANT", name);
	int core = btf__find_by_name(kernel, "core"), own, proto;

	own = add_struct(btf, "own", size, by, btf__add_ptr(btf, core));
	btf__add_typedef(btf, "own_t", own);
	own = btf__add_ptr(btf, own);
	proto = btf__add_func_proto(btf, btf__find_by_name(kernel, "int"));
	btf__add_func_param(btf, "o", own);
	btf__add_func(btf, func, BTF_FUNC_STATIC, proto);
	btf__add_enum(btf, "kinds", 4);
	btf__add_enum_value(btf, constant, size);
	btf__add_fwd(btf, "core", BTF_FWD_STRUCT);
	write_btf(name, btf);
	btf__free(btf);
	free(func);
	free(constant);
}

static int setup_modules(void **state)
{
	struct btf *kernel;

	assert_non_null(mkdtemp(btf_dir));
	kernel = make_kernel();
	make_module(kernel, "one", "first", 8);
	make_module(kernel, "two", "second", 16);
	btf__free(kernel);
	setup(state);
	types_set_btf_dir(ts, btf_dir);
	return 0;
}

static int teardown_modules(void **state)
{
	static const char *const names[] = { "vmlinux", "one", "two" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		char *path = mem_printf("%s/%s", btf_dir, names[i]);

		unlink(path);
		free(path);
	}
	rmdir(btf_dir);
	strcpy(strrchr(btf_dir, '.'), ".XXXXXX");
	return teardown(state);
}

static void test_module_scopes(void **state)
{
	struct type *one, *two, *core;
	uint64_t off;

	(void)state;
	assert_null(type_lookup_loaded(ts, "struct two`own"));
	two = type_lookup(ts, "struct two`own");
	assert_non_null(two);
	assert_int_equal(two->size, 16);
	assert_null(type_member(two, "first", &off));
	assert_non_null(type_member(two, "second", &off));
	assert_ptr_equal(type_lookup_loaded(ts, "struct two`own"), two);
	/* What is read already comes first. */
	assert_ptr_equal(type_lookup(ts, "struct own"), two);
	one = type_lookup(ts, "one`own_t");
	assert_non_null(one);
	assert_int_equal(one->size, 8);
	assert_ptr_not_equal(type_resolve(one), two);
	/* The kernel's types, through a module. */
	core = type_lookup(ts, "struct core");
	assert_ptr_equal(type_member(type_resolve(one), "first", &off)->type->ref, core);
	assert_ptr_equal(type_member(core, "a", &off)->type, type_int(ts));
	assert_ptr_equal(type_lookup(ts, "struct one`core"), core);
	assert_null(type_lookup(ts, "struct three`core"));
	assert_null(type_lookup(ts, "struct vmlinux`own"));
	assert_null(type_lookup(ts, "struct three`own"));
	assert_null(type_lookup(ts, "struct ../one`own"));
	assert_true(types_of_module(ts, "one") && types_of_module(ts, "vmlinux"));
	assert_false(types_of_module(ts, "three"));
}

/* Names without a module are found in any: the first one by its name. */
static void test_module_any(void **state)
{
	struct type *t, *of;
	int64_t value;

	(void)state;
	assert_false(type_enumerator(ts, "two_CONSTANT", &value, &of));
	assert_null(type_lookup_loaded(ts, "own_t"));
	t = type_lookup(ts, "own_t");
	assert_non_null(t);
	assert_int_equal(t->size, 8);
	assert_true(type_enumerator(ts, "two_CONSTANT", &value, &of));
	assert_int_equal(value, 16);
	assert_string_equal(of->name, "kinds");
	assert_null(type_lookup(ts, "struct nothing"));
}

static void test_module_symbols(void **state)
{
	struct type *f = type_symbol(ts, "two", "two_run");

	(void)state;
	assert_non_null(f);
	assert_int_equal(f->kind, TYPE_FUNCTION);
	assert_ptr_equal(f->params[0]->ref, type_lookup(ts, "struct two`own"));
	assert_ptr_equal(f->ref, type_int(ts));
	assert_null(type_symbol(ts, "one", "two_run"));
	assert_null(type_symbol(ts, "vmlinux", "two_run"));
	assert_null(type_symbol(ts, "three", "two_run"));
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
		cmocka_unit_test_setup_teardown(test_module_scopes, setup_modules,
						teardown_modules),
		cmocka_unit_test_setup_teardown(test_module_any, setup_modules, teardown_modules),
		cmocka_unit_test_setup_teardown(test_module_symbols, setup_modules,
						teardown_modules),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
