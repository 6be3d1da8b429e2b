/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions that may be traced, from texts like those of the kernel. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "sym/kfuncs.h"

static const char kallsyms[] = "ffffffff81000000 T _text\n"
			       "ffffffff81000100 t show\n"
			       "ffffffff81000200 t show\n"
			       "ffffffff81000300 T vfs_read\n"
			       "ffffffff81000400 T rcu_note\n"
			       "ffffffff81000500 D vfs_data\n"
			       "ffffffff81000600 t part.0\n"
			       "ffffffffc0001000 t show\t[two]\n"
			       "ffffffffc0002000 t hidden\t[two]\n";

static void check(const struct kfunc *f, const char *module, const char *name, uint64_t addr)
{
	assert_string_equal(f->module, module);
	assert_string_equal(f->name, name);
	assert_true(f->addr == addr);
}

static void test_by_name(void **state)
{
	struct kfuncs k = {0};

	(void)state;
	assert_int_equal(kfuncs_parse(&k, mem_strdup(kallsyms),
				      mem_strdup("show\nvfs_read\nrcu_note\nvfs_data\npart.0\nshow [two]\n"), 0), 0);
	assert_int_equal(k.v.n, 5);
	check(&k.v.v[0], "vmlinux", "show", 0xffffffff81000100);
	check(&k.v.v[1], "vmlinux", "show", 0xffffffff81000200);
	check(&k.v.v[2], "vmlinux", "vfs_read", 0xffffffff81000300);
	check(&k.v.v[3], "vmlinux", "part.0", 0xffffffff81000600);
	check(&k.v.v[4], "two", "show", 0xffffffffc0001000);
	kfuncs_free(&k);
}

/* Addresses tell which one of a name it is; they may be behind a landing pad. */
static void test_by_address(void **state)
{
	struct kfuncs k = {0};

	(void)state;
	assert_int_equal(kfuncs_parse(&k, mem_strdup(kallsyms),
				      mem_strdup("ffffffff81000204 show\nffffffff81000300 vfs_read\n"
						 "ffffffffc0002008 hidden [two]\n"), 1), 0);
	assert_int_equal(k.v.n, 2);
	check(&k.v.v[0], "vmlinux", "show", 0xffffffff81000200);
	check(&k.v.v[1], "vmlinux", "vfs_read", 0xffffffff81000300);
	kfuncs_free(&k);
}

static void test_none(void **state)
{
	struct kfuncs k = {0};

	(void)state;
	/* Addresses are hidden from users without privilege. */
	assert_int_equal(kfuncs_parse(&k, mem_strdup("0000000000000000 T vfs_read\n"), mem_strdup("vfs_read\n"), 0),
			 -ENOENT);
	kfuncs_free(&k);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_by_name),
		cmocka_unit_test(test_by_address),
		cmocka_unit_test(test_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
