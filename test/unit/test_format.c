/* SPDX-License-Identifier: BSD-2-Clause */
/* Unit tests of lang/format.c: pieces of a format. Messages are covered by test/lang/err.*. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lang/format.h"

static struct format *parse(struct arena *a, struct diag *d, const char *text)
{
	struct srcloc loc = { 0 };

	return format_parse(a, d, loc, "printf", text, strlen(text));
}

static void test_pieces(void **state)
{
	struct arena *a = arena_create();
	struct diag d = { 0 };
	struct format *f = parse(a, &d, "a%%b %-08.3lld|%?p%@u%*.*s");

	(void)state;
	assert_non_null(f);
	assert_int_equal(f->n, 5);
	assert_string_equal(f->v[0].lit, "a%b ");
	assert_string_equal(f->v[0].name, "lld");
	assert_int_equal(f->v[0].conv, 'd');
	assert_int_equal(f->v[0].flags, FMT_LEFT | FMT_ZERO);
	assert_int_equal(f->v[0].width, 8);
	assert_int_equal(f->v[0].prec, 3);
	assert_string_equal(f->v[1].lit, "|");
	assert_int_equal(f->v[1].flags, FMT_PTRWIDTH);
	assert_int_equal(f->v[1].width, 16);
	assert_int_equal(f->v[2].flags, FMT_AGG);
	assert_int_equal(f->v[3].flags, FMT_DYNWIDTH | FMT_DYNPREC);
	assert_int_equal(f->v[3].width, -1);
	assert_int_equal(f->v[4].conv, 0);
	assert_string_equal(f->v[4].lit, "");
	arena_destroy(a);
	diag_clear(&d);
}

static void test_literal(void **state)
{
	struct arena *a = arena_create();
	struct diag d = { 0 };
	struct srcloc loc = { 0 };
	struct format *f = format_parse(a, &d, loc, "printf", "x\0y%%", 5);

	(void)state;
	assert_int_equal(f->n, 1);
	assert_int_equal(f->v[0].lit_len, 4);
	assert_memory_equal(f->v[0].lit, "x\0y%", 4);
	assert_null(parse(a, &d, "%"));
	assert_string_equal(d.tag, "D_SYNTAX");
	diag_clear(&d);
	assert_null(parse(a, &d, "%.0.d"));
	assert_string_equal(d.text, "format conversion #1 has more than one '.' specified");
	diag_clear(&d);
	f = parse(a, &d, "%.0s%99999999999999999999d");
	assert_int_equal(f->v[0].prec, 0);
	assert_true(f->v[1].width > 0);
	arena_destroy(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pieces),
		cmocka_unit_test(test_literal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
