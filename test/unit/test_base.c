/* SPDX-License-Identifier: BSD-2-Clause */
/* Unit tests of src/base: arenas, strings, vectors, hash tables, globs, diagnostics. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "base/diag.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"

static void test_arena(void **state)
{
	struct arena *a = arena_create();
	char *last = NULL;
	size_t i, j;

	(void)state;
	for (i = 0; i < 3000; i++) {
		size_t size = i % 7 ? i % 50 : i * 3;
		unsigned char *p = arena_alloc(a, size);

		assert_int_equal((uintptr_t)p % 16, 0);
		for (j = 0; j < size; j++)
			assert_int_equal(p[j], 0);
		memset(p, 0xff, size);
		last = arena_printf(a, "%zu-%s", i, "x");
	}
	assert_string_equal(last, "2999-x");
	assert_string_equal(arena_strndup(a, "abcdef", 3), "abc");
	assert_string_equal(arena_strdup(a, ""), "");
	arena_destroy(a);
	arena_destroy(NULL);
}

static void test_str(void **state)
{
	struct str b = { 0 };
	size_t i;

	(void)state;
	assert_string_equal(str_c(&b), "");
	str_puts(&b, "a");
	str_putc(&b, 'b');
	str_pad(&b, '-', 3);
	str_printf(&b, "%d", 42);
	assert_string_equal(str_c(&b), "ab---42");
	for (i = 0; i < 1000; i++)
		str_printf(&b, "%0200d", 7);
	assert_int_equal(b.n, 7 + 200 * 1000);
	assert_int_equal(strlen(str_c(&b)), b.n);
	str_free(&b);
	str_add(&b, "a\0b", 3);
	assert_int_equal(b.n, 3);
	str_free(&b);
}

static void test_vec(void **state)
{
	VEC(int) v = { 0 };
	int i;

	(void)state;
	for (i = 0; i < 1000; i++)
		vec_push(&v, i);
	*vec_add(&v) += 5;
	assert_int_equal(v.n, 1001);
	for (i = 0; i < 1000; i++)
		assert_int_equal(v.v[i], i);
	assert_int_equal(v.v[1000], 5);
	vec_free(&v);
	assert_int_equal(v.n, 0);
}

static int count_in_order(const void *key, size_t n, void *value, void *arg)
{
	intptr_t *next = arg;

	assert_non_null(key);
	assert_true(n > 0);
	assert_int_equal((intptr_t)value, (*next)++);
	return *next == 900 ? 77 : 0;
}

static void test_hash(void **state)
{
	struct hmap *h = hmap_create();
	intptr_t i, next = 1;
	char key[32];

	(void)state;
	assert_null(hmap_get(h, "none"));
	for (i = 1; i <= 1000; i++) {
		snprintf(key, sizeof(key), "key%zd", (ssize_t)i);
		hmap_put(h, key, (void *)i);
	}
	assert_int_equal(hmap_count(h), 1000);
	for (i = 1; i <= 1000; i++) {
		snprintf(key, sizeof(key), "key%zd", (ssize_t)i);
		assert_int_equal((intptr_t)hmap_get(h, key), i);
	}
	assert_null(hmap_get(h, "key0"));
	assert_int_equal(hmap_each(h, count_in_order, &next), 77);
	hmap_put(h, "key5", (void *)6);
	assert_int_equal(hmap_count(h), 1000);
	assert_int_equal((intptr_t)hmap_get(h, "key5"), 6);
	hmap_destroy(h);

	h = hmap_create();
	for (i = 0; i < 100; i++)
		hmap_put_u64(h, (uint64_t)i << 40, (void *)(i + 1));
	for (i = 0; i < 100; i++)
		assert_int_equal((intptr_t)hmap_get_u64(h, (uint64_t)i << 40), i + 1);
	hmap_put_n(h, "a\0b", 3, (void *)9);
	assert_null(hmap_get(h, "a"));
	assert_int_equal((intptr_t)hmap_get_n(h, "a\0b", 3), 9);
	hmap_destroy(h);
	hmap_destroy(NULL);
}

static void test_glob(void **state)
{
	static const struct {
		const char *pattern, *s;
		bool want;
	} t[] = {
		{ "", "", true },
		{ "", "a", false },
		{ "read", "read", true },
		{ "read", "Read", false },
		{ "read", "readv", false },
		{ "*", "", true },
		{ "*", "abc", true },
		{ "*read*", "pread64", true },
		{ "r?ad", "read", true },
		{ "r?ad", "rad", false },
		{ "[a-c]*", "bcd", true },
		{ "[a-c]*", "dcd", false },
		{ "[!a-c]x", "dx", true },
		{ "[!a-c]x", "ax", false },
		{ "a\\*", "a*", true },
		{ "a\\*", "ab", false },
		{ "a*b*c", "aXbYbZc", true },
		{ "a*b*c", "aXbYbZ", false },
		{ "[]]", "]", true },
		{ "[a", "[a", true },
		{ "[a", "a", false },
		{ "[\\]]x", "]x", true },
		{ "a**", "a", true },
		{ "\\", "\\", true },
		{ "*a*a*a*a*a*a*a*a*b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
		  false },
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(t); i++)
		if (glob_match(t[i].pattern, t[i].s) != t[i].want)
			fail_msg("%s against %s", t[i].pattern, t[i].s);
	assert_true(glob_has("a*"));
	assert_true(glob_has("a[b]"));
	assert_false(glob_has("read"));
}

static void test_diag(void **state)
{
	struct diag d = { 0 };
	struct srcloc loc = { .line = 3 };

	(void)state;
	d.where_now = DIAG_ACTION;
	assert_int_equal(diag_error(&d, "D_SYNTAX", loc, "bad %s\n", "x"), -1);
	loc.line = 4;
	assert_int_equal(diag_error(&d, "D_OTHER", loc, "worse"), -1);
	assert_true(d.set);
	assert_string_equal(d.tag, "D_SYNTAX");
	assert_string_equal(d.text, "bad x");
	assert_int_equal(d.loc.line, 3);
	assert_int_equal(d.where, DIAG_ACTION);
	diag_clear(&d);
	assert_false(d.set);
	diag_clear(&d);
}

/* Huge pages need the alignment; rounded up, zeroed, given back as a whole. */
static void test_map(void **state)
{
	size_t sizes[] = { 1, MEM_HUGE, MEM_HUGE + 1 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		size_t len = ROUND_UP(sizes[i], MEM_HUGE);
		unsigned char *p = mem_map(sizes[i]);

		assert_int_equal((uintptr_t)p % MEM_HUGE, 0);
		for (size_t k = 0; k < len; k += 1024)
			assert_int_equal(p[k], 0);
		memset(p, 1, len);
		mem_unmap(p, sizes[i]);
		assert_int_equal(madvise(p, len, MADV_NORMAL), -1);
	}
	mem_unmap(NULL, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_arena), cmocka_unit_test(test_str),
		cmocka_unit_test(test_vec),   cmocka_unit_test(test_hash),
		cmocka_unit_test(test_glob),  cmocka_unit_test(test_diag),
		cmocka_unit_test(test_map),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
