/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Unit tests of the layouts: lines, trace(), dumps, stacks, symbols, every conversion of printf()
 * and printa().
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "consumer/print.h"

static struct str out;
static struct consumer_options opt;
static struct consumer_hooks hooks;
static struct print p = { &out, &opt, &hooks };

static int ksym(void *arg, uint64_t addr, struct consumer_sym *s)
{
	(void)arg;
	if (addr < 0x1000)
		return -1;
	s->module = "vmlinux";
	s->function = addr < 0x2000 ? "do_it" : NULL;
	s->offset = addr - 0x1000;
	return 0;
}

static int usym(void *arg, uint64_t pid, uint64_t addr, struct consumer_sym *s)
{
	(void)arg;
	if (pid != 42)
		return -1;
	s->module = "a.out";
	s->function = "main";
	s->offset = addr & 0xff;
	return 0;
}

static void reset(void)
{
	str_free(&out);
	opt = (struct consumer_options){ .stackindent = 14 };
	hooks = (struct consumer_hooks){ .ksym = ksym, .usym = usym };
}

static void expect(const char *text)
{
	assert_string_equal(str_c(&out), text);
	reset();
}

static struct print_value integer(int64_t v, uint32_t size, bool is_signed)
{
	unsigned int shift = 64 - size * 8;

	return (struct print_value){
		.kind = FIELD_INT,
		.size = size,
		.is_signed = is_signed,
		.value = is_signed ? (uint64_t)((int64_t)((uint64_t)v << shift) >> shift)
				   : (uint64_t)v << shift >> shift
	};
}

static struct print_value string(const char *s)
{
	return (struct print_value){ .kind = FIELD_STRING, .size = (uint32_t)strlen(s), .data = s };
}

/* ---- lines ---------------------------------------------------------------------------------- */

static void test_lines(void **state)
{
	(void)state;
	reset();
	print_header(&p);
	expect("CPU     ID                    FUNCTION:NAME\n");
	opt.quiet = true;
	print_header(&p);
	expect("");
	opt.flowindent = opt.quiet = true;
	print_header(&p);
	expect("CPU FUNCTION                                 \n");
	print_probe(&p, 0, 1, "", "BEGIN");
	expect("  0      1                           :BEGIN ");
	print_probe(&p, 12, 1234567, "a_function_name_that_is_really_long", "entry");
	expect(" 12 1234567 a_function_name_that_is_really_long:entry ");
	print_flow(&p, 0, 0, " => ", "read");
	expect("  0  => read                                  ");
	print_flow(&p, 0, 2, " -> ", "vfs_read");
	expect("  0    -> vfs_read                            ");
}

/* ---- trace() -------------------------------------------------------------------------------- */

static void trace_int(int64_t v, uint32_t size, bool is_signed)
{
	struct print_value x = integer(v, size, is_signed);

	print_trace(&p, &x);
}

static void test_trace_scalars(void **state)
{
	static const struct {
		int64_t v;
		uint32_t size;
		bool is_signed;
		const char *text;
	} rows[] = {
		{ 7, 8, true, "                   7" },
		{ -7, 8, true, "                  -7" },
		{ INT64_MIN, 8, true, " -9223372036854775808" },
		{ INT64_MAX, 8, true, " 9223372036854775807" },
		{ 7, 8, false, "                    7" },
		{ -1, 8, false, " 18446744073709551615" },
		{ 7, 4, true, "          7" },
		{ -1, 4, true, "         -1" },
		{ -1, 4, false, " 4294967295" },
		{ -1, 2, true, "    -1" },
		{ -1, 2, false, " 65535" },
		{ -1, 1, true, "  -1" },
		{ -1, 1, false, " 255" },
		{ 0, 1, false, "   0" },
		{ 99, 4, true, "         99" },
		{ 100, 4, true, "        100" },
		{ 12345678, 4, true, "   12345678" },
	};
	size_t i;

	(void)state;
	reset();
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		trace_int(rows[i].v, rows[i].size, rows[i].is_signed);
		expect(rows[i].text);
		opt.quiet = true;
		trace_int(rows[i].v, rows[i].size, rows[i].is_signed);
		expect(rows[i].text + strspn(rows[i].text, " "));
	}
}

static void test_trace_strings_and_bytes(void **state)
{
	struct print_value v = string("a");
	struct type chr = { .kind = TYPE_INT, .size = 1 },
		    arr = { .kind = TYPE_ARRAY, .ref = &chr, .size = 16 };

	(void)state;
	reset();
	print_trace(&p, &v);
	expect("  a                                ");
	opt.quiet = true;
	print_trace(&p, &v);
	expect("a");
	v = string("0123456789012345678901234567890123456789");
	print_trace(&p, &v);
	expect("  0123456789012345678901234567890123456789");
	v = (struct print_value){ .kind = FIELD_BYTES, .size = 14, .data = "Linux version " };
	print_trace(&p, &v);
	expect("\n"
	       "             0  1  2  3  4  5  6  7  8  9  a  b  c  d  e  f  0123456789abcdef\n"
	       "         0: 4c 69 6e 75 78 20 76 65 72 73 69 6f 6e 20        Linux version \n");
	v.size = 0;
	print_trace(&p, &v);
	expect("");
	print_bytes(&p, "0123456789abcdef\x01\xff", 18);
	expect("\n"
	       "             0  1  2  3  4  5  6  7  8  9  a  b  c  d  e  f  0123456789abcdef\n"
	       "         0: 30 31 32 33 34 35 36 37 38 39 61 62 63 64 65 66  0123456789abcdef\n"
	       "        10: 01 ff                                            ..\n");
	v = (struct print_value){ .kind = FIELD_BYTES,
				  .size = 16,
				  .data = "bash\0\0\0\0\0\0\0\0\0\0\0\0",
				  .type = &arr };
	print_trace(&p, &v);
	expect("  bash                             ");
	opt.rawbytes = true;
	v = string("a");
	print_trace(&p, &v);
	expect("\n"
	       "             0  1  2  3  4  5  6  7  8  9  a  b  c  d  e  f  0123456789abcdef\n"
	       "         0: 61                                               a\n");
}

static void test_stacks_and_symbols(void **state)
{
	uint64_t pcs[] = { 0x1010, 0x1000, 0x2000, 0x10, 0, 0x1010 };
	struct print_value v = { .kind = FIELD_STACK, .size = sizeof(pcs), .data = pcs };

	(void)state;
	reset();
	print_trace(&p, &v);
	expect("\n              vmlinux`do_it+0x10\n              vmlinux`do_it\n              vmlinux`0x2000\n"
	       "              0x10\n");
	opt.stackindent = 2;
	v.kind = FIELD_USTACK;
	v.pid = 42;
	v.size = 16;
	print_trace(&p, &v);
	expect("\n  a.out`main+0x10\n  a.out`main\n");
	v.pid = 1; /* gone */
	print_trace(&p, &v);
	expect("\n              0x1010\n              0x1000\n");
	v = (struct print_value){ .kind = FIELD_SYM, .func = FN_sym, .value = 0x1010 };
	print_trace(&p, &v);
	expect("  vmlinux`do_it                                     ");
	v.func = FN_mod;
	print_trace(&p, &v);
	expect("  vmlinux                                           ");
	v = (struct print_value){
		.kind = FIELD_USYM, .func = FN_uaddr, .pid = 42, .value = 0x1010
	};
	print_trace(&p, &v);
	expect("  a.out`main+0x10                                   ");
	v.func = FN_usym;
	print_trace(&p, &v);
	expect("  a.out`main                                        ");
	v.func = FN_umod;
	print_trace(&p, &v);
	expect("  a.out                                             ");
	v.pid = 7;
	print_trace(&p, &v);
	expect("  0x1010                                            ");
}

static void test_fields(void **state)
{
	struct ecb e = { .prov = "syscall", .mod = "vmlinux", .func = "read", .name = "entry" };
	struct {
		struct abi_rec h;
		int8_t a;
		uint8_t b;
		uint16_t c;
		uint32_t len[3];
		char text[8];
	} rec = { { 1, 40 }, -1, 0xff, 0xffff, { 3, UINT32_MAX, 2 }, "abcde" };
	const unsigned char *strs = (const unsigned char *)rec.text;
	struct print_value v;

	(void)state;
	reset();
	print_value_get(&v, &(struct field){ FIELD_INT, 8, 1, true, NULL, 0, NULL, 0, 0 }, &e, &rec,
			&strs);
	assert_int_equal((int64_t)v.value, -1);
	print_value_get(&v, &(struct field){ FIELD_INT, 9, 1, false, NULL, 0, NULL, 0, 0 }, &e,
			&rec, &strs);
	assert_int_equal(v.value, 255);
	print_value_get(&v, &(struct field){ FIELD_INT, 10, 2, true, NULL, 0, NULL, 0, 0 }, &e,
			&rec, &strs);
	assert_int_equal((int64_t)v.value, -1);
	print_value_get(&v, &(struct field){ FIELD_STRING, 12, 4, false, NULL, 0, NULL, 0, 0 }, &e,
			&rec, &strs);
	assert_int_equal(v.size, 3);
	assert_memory_equal(v.data, "abc", 3);
	print_value_get(&v, &(struct field){ FIELD_STRING, 16, 4, false, NULL, 0, NULL, 0, 0 }, &e,
			&rec, &strs);
	assert_int_equal(v.size, 0);
	print_value_get(&v, &(struct field){ FIELD_STRING, 20, 4, false, NULL, 0, NULL, 0, 0 }, &e,
			&rec, &strs);
	assert_memory_equal(v.data, "de", 2);
	print_value_get(
		&v,
		&(struct field){
			.kind = FIELD_CONST_INT, .size = 4, .is_signed = true, .value = -5 },
		&e, &rec, &strs);
	print_trace(&p, &v);
	print_value_get(&v, &(struct field){ .kind = FIELD_CONST_STRING, .text = "lit" }, &e, &rec,
			&strs);
	opt.quiet = true;
	print_trace(&p, &v);
	for (int i = 0; i < 4; i++) {
		print_value_get(&v, &(struct field){ .kind = FIELD_PROBE_STRING, .value = i }, &e,
				&rec, &strs);
		print_trace(&p, &v);
	}
	expect("         -5litsyscallvmlinuxreadentry");
}

/* ---- printf() ------------------------------------------------------------------------------- */

/* A format of one conversion, made without the compiler: flags, width, precision, name. */
static void conv(const char *text, const struct print_value *args, size_t nargs)
{
	struct format_conv v[2] = {
		{ .lit = "<", .lit_len = 1, .width = -1, .prec = -1, .arg = 0 },
		{ .lit = ">", .lit_len = 1, .width = -1, .prec = -1, .arg = -1 }
	};
	struct format f = { .n = 2, .v = v, .nargs = nargs };
	static const char set[] = "#0-+ '";
	static const unsigned int flags[] = { FMT_ALT,	FMT_ZERO,  FMT_LEFT,
					      FMT_PLUS, FMT_SPACE, FMT_GROUP };
	struct format_conv *c = v;
	const char *s = text;

	for (; *s && strchr(set, *s); s++)
		c->flags |= flags[strchr(set, *s) - set];
	if (*s == '*') {
		c->flags |= FMT_DYNWIDTH;
		s++;
	} else if (*s >= '1' && *s <= '9') {
		c->width = (int)strtol(s, (char **)&s, 10);
	}
	if (*s == '.') {
		s++;
		if (*s == '*') {
			c->flags |= FMT_DYNPREC;
			s++;
		} else {
			c->prec = (int)strtol(s, (char **)&s, 10);
		}
	}
	snprintf(c->name, sizeof(c->name), "%s", s);
	c->conv = s[strlen(s) - 1];
	print_format(&p, &f, args, nargs);
}

static void expect_conv(const char *fmt, struct print_value v, const char *text)
{
	conv(fmt, &v, 1);
	expect(text);
}

static void test_printf_integers(void **state)
{
	(void)state;
	reset();
	expect_conv("d", integer(-5, 4, true), "<-5>");
	expect_conv("d", integer(-5, 4, false), "<4294967291>");
	expect_conv("i", integer(-5, 2, true), "<-5>");
	expect_conv("hd", integer(-5, 2, false), "<-5>");
	expect_conv("lld", integer(-5, 8, false), "<-5>");
	expect_conv("u", integer(-5, 1, true), "<251>");
	expect_conv("u", integer(-1, 8, true), "<18446744073709551615>");
	expect_conv("x", integer(-1, 1, true), "<ff>");
	expect_conv("X", integer(0xabc, 4, true), "<ABC>");
	expect_conv("#x", integer(0xabc, 4, true), "<0xabc>");
	expect_conv("#X", integer(0xabc, 4, true), "<0XABC>");
	expect_conv("#x", integer(0, 4, true), "<0>");
	expect_conv("o", integer(8, 4, true), "<10>");
	expect_conv("#o", integer(8, 4, true), "<010>");
	expect_conv("p", integer(0x7fff0010, 8, false), "<7fff0010>");
	expect_conv("6d", integer(-5, 4, true), "<    -5>");
	expect_conv("-6d", integer(-5, 4, true), "<-5    >");
	expect_conv("06d", integer(-5, 4, true), "<-00005>");
	expect_conv("-06d", integer(-5, 4, true), "<-5    >");
	expect_conv("+d", integer(5, 4, true), "<+5>");
	expect_conv(" d", integer(5, 4, true), "< 5>");
	expect_conv("6.3d", integer(5, 4, true), "<   005>");
	expect_conv(".0d", integer(0, 4, true), "<0>");
	expect_conv("08x", integer(0xab, 4, true), "<000000ab>");
	expect_conv("#08x", integer(0xab, 4, true), "<0x0000ab>");
	expect_conv("d", integer(INT64_MIN, 8, true), "<-9223372036854775808>");
	conv("*d", (struct print_value[]){ integer(5, 4, true), integer(7, 4, true) }, 2);
	expect("<    7>");
	conv("*d", (struct print_value[]){ integer(-5, 4, true), integer(7, 4, true) }, 2);
	expect("<7    >");
	conv("*.*d",
	     (struct print_value[]){ integer(5, 4, true), integer(3, 4, true),
				     integer(7, 4, true) },
	     3);
	expect("<  007>");
	conv("d", NULL,
	     0); /* a missing argument is refused by the compiler; here it must not crash */
	expect("<0>");
}

static void test_printf_strings(void **state)
{
	struct print_value bytes = { .kind = FIELD_BYTES, .size = 8, .data = "bash\0\0\0\0" };
	struct print_value wide = { .kind = FIELD_BYTES, .size = 16, .data = L"h\x00e9\x20ac" };

	(void)state;
	reset();
	expect_conv("s", string("abc"), "<abc>");
	expect_conv("6s", string("abc"), "<   abc>");
	expect_conv("-6s", string("abc"), "<abc   >");
	expect_conv(".2s", string("abc"), "<ab>");
	expect_conv(".0s", string("abc"), "<abc>");
	expect_conv("-5.1s", string("abc"), "<a    >");
	expect_conv("s", string(""), "<>");
	expect_conv("s", bytes, "<bash>");
	expect_conv("S", string("a\n\001\\z"), "<a\\n\\001\\\\z>");
	expect_conv("8S", string("a\n"), "<     a\\n>");
	expect_conv("c", integer('x', 4, true), "<x>");
	expect_conv("3c", integer('x', 1, true), "<  x>");
	expect_conv("-3c", integer('x', 1, true), "<x  >");
	expect_conv("C", integer('\n', 4, true), "<\\n>");
	expect_conv("C", integer(0, 4, true), "<\\000>");
	expect_conv("C", integer('x', 4, true), "<x>");
	expect_conv("lc", integer(0x20ac, 4, true), "<\xe2\x82\xac>");
	expect_conv("ws", wide, "<h\xc3\xa9\xe2\x82\xac>");
	expect_conv("ls", wide, "<h\xc3\xa9\xe2\x82\xac>");
}

static void test_printf_others(void **state)
{
	double d = 1.5;
	float f = -2.25f;
	struct print_value dv = { .kind = FIELD_BYTES, .size = 8, .data = &d };
	struct print_value fv = { .kind = FIELD_BYTES, .size = 4, .data = &f };
	uint64_t pcs[] = { 0x1010, 0 };
	struct print_value st = { .kind = FIELD_STACK, .size = 16, .data = pcs };

	(void)state;
	setenv("TZ", "UTC", 1);
	tzset();
	reset();
	expect_conv("f", dv, "<1.500000>");
	expect_conv("8.2f", fv, "<   -2.25>");
	expect_conv("-8.1f", dv, "<1.5     >");
	expect_conv("g", fv, "<-2.25>");
	expect_conv("a", integer(0x1010, 8, false), "<vmlinux`do_it+0x10>");
	expect_conv("a", integer(0x1000, 8, false), "<vmlinux`do_it>");
	expect_conv("a", integer(0x10, 8, false), "<0x10>");
	expect_conv("-8a", integer(0x10, 8, false), "<0x10    >");
	expect_conv("8a", integer(0x10, 8, false), "<    0x10>");
	expect_conv("A",
		    (struct print_value){ .kind = FIELD_INT, .size = 8, .pid = 42, .value = 0x10 },
		    "<a.out`main+0x10>");
	expect_conv("k", st, "<\nvmlinux`do_it+0x10\n>");
	expect_conv("-4k", st, "<\n    vmlinux`do_it+0x10\n>");
	expect_conv("4k", st, "<\nvmlinux`do_it+0x10\n>");
	expect_conv("Y", integer(1075035600ll * 1000000000, 8, true), "<2004 Jan 25 13:00:00>");
	expect_conv("Y", integer(1062590400ll * 1000000000, 8, true), "<2003 Sep  3 12:00:00>");
	expect_conv("T", integer(1075035600ll * 1000000000, 8, true),
		    "<Sun, 25 Jan 2004 13:00:00 UTC>");
	expect_conv("I", integer(0x0100007f, 4, false), "<127.0.0.1>");
}

/* ---- printa() ------------------------------------------------------------------------------- */

static void test_printa_lines(void **state)
{
	struct aggdesc count = { .func = FN_count, .value_words = 1 },
		       sum = { .func = FN_sum, .value_words = 1 };
	uint64_t ten = 10, minus = (uint64_t)-3;
	struct print_agg one[] = { { .desc = &count, .value = &ten, .normal = 1 } },
			 two[] = { { .desc = &count, .value = &ten, .normal = 1 },
				   { .desc = &sum, .value = &minus, .normal = 1 } };
	struct print_agg missing[] = { { .desc = &count, .value = NULL, .normal = 1 },
				   { .desc = &sum, .value = &minus, .normal = 3 } };
	struct print_value k = string("tick-count");

	(void)state;
	reset();
	print_agg_line(&p, &k, 1, one, 1);
	expect("  tick-count                                                       10\n");
	k = integer(3, 4, true);
	print_agg_line(&p, &k, 1, one, 1);
	expect("        3               10\n");
	k = integer(-1, 8, false);
	print_agg_line(&p, &k, 1, two, 2);
	expect("               -1               10               -3\n");
	k = integer(-2, 1, true);
	print_agg_line(&p, &k, 1, missing, 2);
	expect(" 254                0               -1\n");
	k = integer(-2, 2, true);
	print_agg_line(&p, &k, 1, one, 1);
	expect(" 65534               10\n");
	print_agg_line(&p, NULL, 0, one, 1);
	expect("               10\n");
}

static void test_printa_format(void **state)
{
	struct aggdesc count = { .func = FN_count, .value_words = 1 },
		       q = { .func = FN_quantize, .value_words = 127 };
	uint64_t ten = 10, v[127] = { [64] = 1 };
	struct print_agg aggs[] = { { .desc = &count, .value = &ten, .normal = 1 },
				   { .desc = &count, .value = NULL, .normal = 1 } },
			 dist[] = { { .desc = &q, .value = v, .normal = 1 } };
	struct print_value keys[] = { string("a"), integer(7, 4, true) };
	struct format_conv c[] = {
		{ .lit = "", .name = "s", .conv = 's', .width = 3, .prec = -1 },
		{ .lit = " ",
		  .lit_len = 1,
		  .name = "d",
		  .conv = 'd',
		  .width = 5,
		  .prec = -1,
		  .flags = FMT_AGG },
		{ .lit = " ",
		  .lit_len = 1,
		  .name = "x",
		  .conv = 'x',
		  .width = -1,
		  .prec = -1,
		  .flags = FMT_AGG },
		{ .lit = " ", .lit_len = 1, .name = "d", .conv = 'd', .width = -1, .prec = -1 },
		{ .lit = " ",
		  .lit_len = 1,
		  .name = "d",
		  .conv = 'd',
		  .width = -1,
		  .prec = -1,
		  .flags = FMT_AGG },
		{ .lit = "\n", .lit_len = 1 },
	};
	struct format f = { .n = 6, .v = c };

	(void)state;
	reset();
	print_format_agg(&p, &f, keys, 2, aggs, 2);
	expect("  a    10 0 7 0\n");
	f.n = 2;
	print_format_agg(&p, &f, keys, 2, dist, 1);
	assert_non_null(strstr(str_c(&out), "  a \n           value  "));
	assert_non_null(
		strstr(str_c(&out),
		       "               1 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@ 1        \n"));
	reset();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_trace_scalars),
		cmocka_unit_test(test_trace_strings_and_bytes),
		cmocka_unit_test(test_stacks_and_symbols),
		cmocka_unit_test(test_fields),
		cmocka_unit_test(test_printf_integers),
		cmocka_unit_test(test_printf_strings),
		cmocka_unit_test(test_printf_others),
		cmocka_unit_test(test_printa_lines),
		cmocka_unit_test(test_printa_format),
	};
	int r = cmocka_run_group_tests(tests, NULL, NULL);

	str_free(&out);
	return r;
}
