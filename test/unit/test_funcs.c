/* SPDX-License-Identifier: BSD-2-Clause */
/* Unit tests of src/sym/funcs: functions, addresses, modules, images; files that are damaged. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "sym/images.h"

int a_function_of_this_test(int x);
int __attribute__((noinline)) a_function_of_this_test(int x)
{
	__asm__ volatile("" : "+r"(x));
	return x;
}

static void test_own_file(void **state)
{
	struct elf_file *f;
	const struct elf_func *fn;
	struct elf_images im = {0};
	struct elf_cache *c = elf_cache_create(false);
	uint64_t here = (uintptr_t)a_function_of_this_test, offset;
	size_t n = 16;

	(void)state;
	assert_int_equal(elf_images_read(c, getpid(), &im), 0);
	assert_true(im.v.n > 1);
	assert_true(im.v.v[0].exe);
	f = im.v.v[0].file;
	fn = elf_file_func(f, "a_function_of_this_test");
	assert_non_null(fn);
	assert_int_equal(fn->addr + im.v.v[0].bias, here);
	assert_ptr_equal(elf_file_func_at(f, fn->addr + fn->size - 1), fn);
	assert_true(elf_file_offset(f, fn->addr, &offset));
	assert_memory_equal(elf_file_bytes(f, fn->addr, &n), (void *)(uintptr_t)here, fn->size < n ? fn->size : n);
	assert_null(elf_file_func(f, "no_such_function"));
	assert_null(elf_file_func_at(f, 0));
	assert_false(elf_file_offset(f, UINT64_MAX, &offset));
	/* Looking again adds nothing. */
	n = im.v.n;
	assert_int_equal(elf_images_update(c, getpid(), &im), 0);
	assert_int_equal(im.v.n, n);
	elf_images_free(&im);
	elf_cache_destroy(c);
}

static void test_modules(void **state)
{
	(void)state;
	assert_true(elf_module_match("libc.so.6", false, "libc.so.6"));
	assert_true(elf_module_match("libc.so.6", false, "libc.so"));
	assert_true(elf_module_match("libc.so.6", false, "libc"));
	assert_true(elf_module_match("libc.so.6", false, "LM0`libc"));
	assert_true(elf_module_match("libc.so.6", false, ""));
	assert_true(elf_module_match("libc-2.31.so", false, "libc"));
	assert_true(elf_module_match("libc.so.6", false, "lib?"));
	assert_false(elf_module_match("libc.so.6", false, "lib"));
	assert_false(elf_module_match("libc.so.6", false, "a.out"));
	assert_true(elf_module_match("prog", true, "a.out"));
	assert_true(elf_module_match("prog", true, "prog"));
	assert_false(elf_module_match("x.social", false, "x"));
	assert_false(elf_module_match("foo-bar.so", false, "foo"));
}

static void test_not_elf(void **state)
{
	struct elf_file *f;

	(void)state;
	assert_true(elf_file_open(&f, "/proc/self/status") < 0);
	assert_true(elf_file_open(&f, "/") < 0);
	assert_true(elf_file_open(&f, "/no/such/file") < 0);
	assert_true(elf_file_open(&f, "/dev/null") < 0);
	elf_file_close(NULL);
}

static void look_everywhere(const char *path)
{
	struct elf_file *f;

	if (elf_file_open(&f, path) < 0)
		return;
	elf_file_funcs(f);
	elf_file_notes(f);
	elf_file_symbol(f, "main");
	for (size_t i = 0; i < f->funcs.n; i += 7) {
		size_t n = 16;
		const uint8_t *code = elf_file_bytes(f, f->funcs.v[i].addr, &n);
		volatile uint8_t sum = 0;

		for (size_t k = 0; code && k < n; k++)
			sum = (uint8_t)(sum + code[k]);
		(void)sum;
		elf_file_func_at(f, f->funcs.v[i].addr + 1);
	}
	elf_file_close(f);
}

/* A file whose headers, tables or end are broken is read as far as it makes sense, and no further. */
static void test_damaged(void **state)
{
	char path[] = "/tmp/test_funcs.XXXXXX";
	int from = open("/proc/self/exe", O_RDONLY), to = mkstemp(path);
	off_t size = lseek(from, 0, SEEK_END);
	uint8_t *good = malloc(size), *bad = malloc(size);

	(void)state;
	assert_int_equal(pread(from, good, size, 0), size);
	srand(1);
	for (int round = 0; round < 300; round++) {
		off_t len = round % 3 ? size : rand() % size;

		memcpy(bad, good, size);
		for (int i = 0; i < 1 + round % 40; i++) {
			/* The header, the program headers and the section headers (which stand at the end). */
			off_t at = rand() % 3 ? rand() % 1024 : size - 1 - rand() % 4096;

			if (at > 3)
				bad[at] = rand() % 2 ? 0xff : (uint8_t)rand();
		}
		assert_int_equal(ftruncate(to, 0), 0);
		assert_int_equal(pwrite(to, bad, len, 0), len);
		look_everywhere(path);
	}
	free(good);
	free(bad);
	close(from);
	close(to);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_own_file),
		cmocka_unit_test(test_modules),
		cmocka_unit_test(test_not_elf),
		cmocka_unit_test(test_damaged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
