/* SPDX-License-Identifier: BSD-2-Clause */
/* Unit tests of src/sym: symbols of the kernel, of files and of processes. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/mem.h"
#include "sym/demangle.h"
#include "sym/elf.h"
#include "sym/kallsyms.h"
#include "sym/perfmap.h"
#include "sym/rust.h"
#include "sym/track.h"
#include "sym/usyms.h"

static void test_kallsyms(void **state)
{
	static const char text[] = "ffffffff81000000 T _stext\n"
				   "ffffffff81000010 T __pfx_first\n"
				   "ffffffff81000020 t alias\n"
				   "ffffffff81000020 T first\n"
				   "ffffffff81000020 W weak\n"
				   "ffffffff81000040 D data\n"
				   "ffffffff81000080 t last\n"
				   "ffffffffc0002000 t two\t[mod_b]\n"
				   "ffffffffc0001000 t one\t[mod_a]\n"
				   "ffffffffc0001800 t one_b\t[mod_a]\n"
				   "ffffffffc0009000 t cut";
	struct ksyms *k;
	struct ksym s;

	(void)state;
	assert_int_equal(ksyms_parse(&k, text, strlen(text)), 0);
	assert_int_equal(ksyms_count(k), 6);
	assert_int_equal(ksyms_find(k, 0xffffffff80ffffff, &s), -ENOENT);
	assert_int_equal(ksyms_find(k, 0xffffffff8100001f, &s), 0);
	assert_string_equal(s.name, "_stext");
	assert_int_equal(ksyms_find(k, 0xffffffff81000055, &s), 0);
	assert_string_equal(s.name, "first");
	assert_string_equal(s.module, "vmlinux");
	assert_int_equal(s.end, 0xffffffff81000080);
	assert_int_equal(ksyms_find(k, 0xffffffffc0001fff, &s), 0);
	assert_string_equal(s.name, "one_b");
	assert_string_equal(s.module, "mod_a");
	assert_int_equal(s.end, 0);
	assert_int_equal(ksyms_find(k, 0xffffffffc0002000, &s), 0);
	assert_string_equal(s.module, "mod_b");
	/* Far behind the last function of a module. */
	assert_int_equal(ksyms_find(k, 0xffffffffd0000000, &s), -ENOENT);
	assert_int_equal(ksyms_find(k, 0xffffffff82000000, &s), -ENOENT);
	assert_int_equal(ksyms_lookup(k, "two", &s), 0);
	assert_int_equal(s.addr, 0xffffffffc0002000);
	assert_int_equal(ksyms_lookup(k, "alias", &s), -ENOENT);
	assert_int_equal(ksyms_module_start(k, "mod_a"), 0xffffffffc0001000);
	assert_int_equal(ksyms_module_start(k, "mod_c"), 0);
	ksyms_destroy(k);
	ksyms_destroy(NULL);
}

static void test_kallsyms_hidden(void **state)
{
	static const char text[] = "0000000000000000 T _stext\n0000000000000000 T first\n";
	struct ksyms *k = NULL;

	(void)state;
	assert_int_equal(ksyms_parse(&k, text, strlen(text)), -EPERM);
	assert_int_equal(ksyms_parse(&k, "", 0), -EPERM);
	assert_null(k);
}

/* ---- names ---- */

static void test_demangle(void **state)
{
	static const struct {
		const char *name, *text;
	} cases[] = {
		{ "main", "main" },
		{ "_start", "_start" },
		{ "_ZN5space3boxIlE3putEl", "space::box<long>::put(long)" },
		{ "_Znonsense", "_Znonsense" },
		{ "_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE",
		  "core::fmt::Write::write_fmt" },
		{ "_ZN61_$LT$alloc..vec..Vec$LT$u8$GT$$u20$as$u20$core..ops..Drop$GT$4drop17h"
		  "0123456789abcdefE",
		  "<alloc::vec::Vec<u8> as core::ops::Drop>::drop" },
		/* Not Rust's: what looks like a hash is too short. */
		{ "_ZN1a4h123E", "a::h123" },
	};
	struct demangler *d = demangler_create();
	void *library = dlopen("libstdc++.so.6", RTLD_NOW);

	(void)state;
	if (!library)
		skip();
	dlclose(library);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *text = demangle(d, cases[i].name);

		assert_string_equal(text, cases[i].text);
		assert_ptr_equal(demangle(d, cases[i].name), text);
	}
	demangler_destroy(d);
	demangler_destroy(NULL);
}

static void test_rust(void **state)
{
	static const struct {
		const char *name, *text;
	} cases[] = {
		{ "_RNvC7mycrate3foo", "mycrate::foo" },
		{ "_RNvCs1234_7mycrate3foo", "mycrate::foo" },
		{ "_RNvNtC3std3mem8align_of", "std::mem::align_of" },
		{ "_RINvNtC3std3mem8align_ofdE", "std::mem::align_of::<f64>" },
		{ "_RINvNtC3std3mem8align_ofdECs_5other", "std::mem::align_of::<f64>" },
		{ "_RNvMs_NtC5crate3mod3foo3bar", NULL }, /* foo is no type there */
		{ "_RNvMNtC5crate3modNtB2_3Foo3bar", "<crate::mod::Foo>::bar" },
		{ "_RNvXNtC5crate3modNtB2_3FooNtNtC4core5clone5Clone5clone",
		  "<crate::mod::Foo as core::clone::Clone>::clone" },
		{ "_RNCNvC7mycrate4main0", "mycrate::main::{closure#0}" },
		{ "_RNCNvC7mycrate4mains_0", "mycrate::main::{closure#1}" },
		{ "_RINvC1a1fAlj3_E", "a::f::<[i32; 3]>" },
		{ "_RINvC1a1fRShE", "a::f::<&[u8]>" },
		{ "_RINvC1a1fTlmEE", "a::f::<(i32, u32)>" },
		{ "_RINvC1a1fTlEE", "a::f::<(i32,)>" },
		{ "_RINvC1a1fFlmEuE", "a::f::<fn(i32, u32)>" },
		{ "_RINvC1a1fFUKCPhElE", "a::f::<unsafe extern \"C\" fn(*const u8) -> i32>" },
		{ "_RINvC1a1fDNtC1b1TEL_E", "a::f::<dyn b::T>" },
		{ "_RINvC1a1fKb1_Kc61_Kln5_E", "a::f::<true, 'a', -5>" },
		{ "_RNvC7mycrate3foo.llvm.123", "mycrate::foo" },
		{ "_R", NULL },
		{ "_RNvC", NULL },
		{ "_RNvC9mycrate3foo", NULL },
		{ "_RB_", NULL },
		{ "_RNvB_3foo", NULL },
		{ "_RNvC7mycrate99999999999999999999foo", NULL },
	};
	char deep[2000];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *text = rust_demangle(cases[i].name);

		if (cases[i].text && !text)
			print_message("%s\n", cases[i].name);
		if (cases[i].text) {
			assert_non_null(text);
			assert_string_equal(text, cases[i].text);
		} else {
			assert_null(text);
		}
		free(text);
	}
	/* No depth and no expansion is without end. */
	memset(deep, 'S', sizeof(deep));
	memcpy(deep, "_RINvC1a1f", 10);
	deep[sizeof(deep) - 1] = 0;
	assert_null(rust_demangle(deep));
	strcpy(deep, "_RINvC1a1f");
	for (int i = 0; i < 200; i++)
		strcat(deep, "TB7_B7_E");
	strcat(deep, "E");
	free(rust_demangle(deep));
}

/* Any change of a name gives another name or none. */
static void test_rust_damaged(void **state)
{
	static const char *const names[] = {
		"_RNvXNtC5crate3modNtB2_3FooNtNtC4core5clone5Clone5clone",
		"_RINvC1a1fFUKCPhElAlj3_TlmEDNtC1b1TEL_B1_E",
	};
	uint64_t seed = 7;
	char bad[128];

	(void)state;
	for (int round = 0; round < 20000; round++) {
		size_t n = strlen(names[round & 1]);

		strcpy(bad, names[round & 1]);
		for (int i = 0; i < 3; i++) {
			seed = seed * 6364136223846793005u + 1442695040888963407u;
			bad[2 + (seed >> 33) % (n - 2)] = names[0][(seed >> 20) % 50 + 2];
		}
		free(rust_demangle(bad));
	}
}

static void test_perfmap(void **state)
{
	struct perfmap *m = perfmap_create(getpid());
	char path[64];
	uint64_t start = 0;
	FILE *f;

	(void)state;
	snprintf(path, sizeof(path), "/tmp/%s", perfmap_name(m));
	assert_null(perfmap_find(m, 0x1000, &start));
	f = fopen(path, "w");
	assert_non_null(f);
	fprintf(f, "1000 10 one two\nnonsense\n1020 zz bad\n2000 20 old\n2000 20 new\n3000 10 cut");
	fclose(f);
	assert_string_equal(perfmap_find(m, 0x100f, &start), "one two");
	assert_int_equal(start, 0x1000);
	assert_null(perfmap_find(m, 0x1010, &start));
	assert_string_equal(perfmap_find(m, 0x2000, &start), "new");
	assert_null(perfmap_find(m, 0x3000, &start));
	/* It grows while the program runs. */
	f = fopen(path, "a");
	fprintf(f, " no more\n4000 8 later\n");
	fclose(f);
	assert_string_equal(perfmap_find(m, 0x4004, &start), "later");
	assert_string_equal(perfmap_find(m, 0x3000, &start), "cut no more");
	unlink(path);
	perfmap_destroy(m);
	perfmap_destroy(NULL);
}

/* ---- files ---- */

static char *file_read(const char *path, size_t *size)
{
	FILE *f = fopen(path, "r");
	char *data;

	assert_non_null(f);
	fseek(f, 0, SEEK_END);
	*size = (size_t)ftell(f);
	rewind(f);
	data = malloc(*size);
	assert_int_equal(fread(data, 1, *size, f), *size);
	fclose(f);
	return data;
}

static void test_elf(void **state)
{
	struct elfsyms *e = NULL;
	struct elfsym s;
	int fd = open("/proc/self/exe", O_RDONLY);
	int null = open("/dev/null", O_RDONLY);

	(void)state;
	assert_int_equal(elfsyms_open(&e, null, "/dev/null", ""), -ENOEXEC);
	assert_int_equal(elfsyms_open(&e, fd, "/proc/self/exe", ""), 0);
	assert_true(elfsyms_count(e) > 20);
	assert_int_equal(elfsyms_find(e, 0, &s), -ENOENT);
	assert_int_equal(elfsyms_find(e, UINT64_MAX, &s), -ENOENT);
	assert_int_equal(elfsyms_address(e, UINT64_MAX), UINT64_MAX);
	elfsyms_destroy(e);
	elfsyms_destroy(NULL);
	close(fd);
	close(null);
}

/* A damaged file gives other names or none, nothing worse. */
static void test_elf_damaged(void **state)
{
	size_t size, headers = 4096;
	char *image = file_read("/proc/self/exe", &size), *bad = malloc(size);
	uint64_t seed = 1;

	(void)state;
	for (int round = 0; round < 300; round++) {
		struct elfsyms *e = NULL;
		size_t cut = size;

		memcpy(bad, image, size);
		for (int i = 0; i < 8; i++) {
			seed = seed * 6364136223846793005u + 1442695040888963407u;
			/* Mostly where the headers are: at the start and at the end. */
			size_t at = (size_t)(seed >> 33) % headers;

			bad[round & 1 ? at : size - 1 - at] = (char)(seed >> 20);
		}
		if (round % 7 == 0)
			cut = (size_t)(seed >> 33) % size;
		if (!elfsyms_open_memory(&e, bad, cut)) {
			struct elfsym s;

			for (uint64_t a = 0; a < 0x100000; a += 0x777)
				if (!elfsyms_find(e, a, &s))
					assert_true(strlen(s.name) > 0);
		}
		elfsyms_destroy(e);
	}
	free(bad);
	free(image);
}

/* ---- processes ---- */

__attribute__((noinline)) int a_function_of_this_test(int x)
{
	__asm__ volatile("");
	return x + 1;
}

static void test_usyms_self(void **state)
{
	uint64_t addr = (uintptr_t)a_function_of_this_test, self = (uint64_t)getpid();
	struct usyms *u = usyms_create(false, true);
	struct usym s;

	(void)state;
	assert_int_equal(usyms_find(u, self, addr, &s), 0);
	assert_string_equal(s.object, "test_sym");
	assert_string_equal(s.function, "a_function_of_this_test");
	assert_int_equal(s.start, addr);
	assert_int_equal(usyms_find(u, self, (uintptr_t)close, &s), 0);
	assert_non_null(strstr(s.object, "libc"));
	assert_int_equal(usyms_find(u, self, 16, &s), -ENOENT);
	assert_int_equal(usyms_find(u, self, (uintptr_t)&s, &s), -ENOENT);
	assert_int_equal(usyms_find(u, 0x7fffffff, addr, &s), -ENOENT);
	usyms_destroy(u);
	usyms_destroy(NULL);
}

/* A process that comes and goes between two look-ups; needs root. */
static void test_usyms_gone(void **state)
{
	uint64_t addr = (uintptr_t)a_function_of_this_test;
	struct track *t = NULL;
	struct usyms *u;
	struct usym s;
	int status;
	pid_t pid;

	(void)state;
	if (track_open(&t))
		skip();
	track_close(t);
	u = usyms_create(true, true);
	pid = fork();
	if (!pid)
		_exit(a_function_of_this_test(1));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(usyms_find(u, (uint64_t)pid, addr, &s), 0);
	assert_string_equal(s.function, "a_function_of_this_test");
	/* Another program: what was mapped before is not there. */
	pid = fork();
	if (!pid) {
		execl("/bin/true", "true", NULL);
		_exit(1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(usyms_find(u, (uint64_t)pid, addr, &s), -ENOENT);
	assert_int_equal(usyms_lost(u), 0);
	usyms_destroy(u);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kallsyms),
		cmocka_unit_test(test_kallsyms_hidden),
		cmocka_unit_test(test_demangle),
		cmocka_unit_test(test_rust),
		cmocka_unit_test(test_rust_damaged),
		cmocka_unit_test(test_perfmap),
		cmocka_unit_test(test_elf),
		cmocka_unit_test(test_elf_damaged),
		cmocka_unit_test(test_usyms_self),
		cmocka_unit_test(test_usyms_gone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
