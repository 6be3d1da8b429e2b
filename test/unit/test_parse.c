/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Unit tests of the scanner and the grammar: what needs macro arguments, options or the text of
 * -n rather than a script. Trees of whole scripts are in test/lang/tst.tree-*, messages in
 * test/lang/err.*.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/str.h"
#include "lang/ident.h"
#include "lang/lang.h"

static struct dsession *s;
static char options[256];

static int match(void *arg, const struct probespec *spec, struct diag *d)
{
	(void)arg;
	(void)d;
	return spec->by_id ? spec->id == 1 : strcmp(spec->name, "nomatch") != 0;
}

static const char *set_option(void *arg, const char *name, const char *value)
{
	size_t n = strlen(options);

	(void)arg;
	snprintf(options + n, sizeof(options) - n, "%s=%s;", name, value ? value : "(none)");
	return strcmp(name, "bad") ? NULL : "Invalid option name";
}

static bool module_exists(void *arg, const char *name)
{
	(void)arg;
	return !strcmp(name, "vmlinux");
}

static int setup(void **state)
{
	(void)state;
	options[0] = '\0';
	s = lang_session_create();
	s->hooks.probe_matches = match;
	s->hooks.set_option = set_option;
	s->hooks.module_exists = module_exists;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	lang_session_destroy(s);
	return 0;
}

/* Compiles; gives the dump of the tree, or the error with its tag. Freed by the next call. */
static const char *compiled(const struct lang_source *given)
{
	static struct str out;
	struct lang_source src = *given;
	struct diag d = { 0 };
	struct dprog *prog;
	char *text = NULL;
	size_t n = 0;
	FILE *f;

	str_free(&out);
	src.len = strlen(src.text);
	src.name = src.text;
	prog = lang_compile(s, &src, &d);
	if (prog) {
		f = open_memstream(&text, &n);
		assert_non_null(f);
		lang_dump(prog, s->types, f);
		fclose(f);
	} else {
		assert_true(d.set);
		text = lang_diag_text(&d, &src, true);
	}
	str_puts(&out, text);
	free(text);
	lang_prog_destroy(prog);
	diag_clear(&d);
	return str_c(&out);
}

static const char *text_of(const char *text)
{
	return compiled(&(struct lang_source){ .text = text });
}

static const char *script(const char *text)
{
	return compiled(&(struct lang_source){ .text = text, .is_file = true });
}

static const char *with_args(const char *text, int argc, char *const *argv)
{
	return compiled(&(struct lang_source){ .text = text, .argc = argc, .argv = argv });
}

static const char *fields(const char *text, enum spec_field field)
{
	return compiled(&(struct lang_source){ .text = text, .field = field });
}

/* The dump holds this line, whatever its indentation. */
static void assert_line(const char *dump, const char *line)
{
	size_t n = strlen(line);
	const char *at;

	for (at = strstr(dump, line); at; at = strstr(at + 1, line))
		if ((at == dump || at[-1] == '\n' || at[-1] == ' ') &&
		    (at[n] == '\n' || at[n] == '\0'))
			return;
	fail_msg("no line '%s' in:\n%s", line, dump);
}

static void test_fields(void **state)
{
	(void)state;
	assert_string_equal(text_of("BEGIN"), "clause 0\n  probe :::BEGIN\n");
	assert_line(text_of("read:entry"), "probe ::read:entry");
	assert_line(text_of(":::"), "probe :::");
	assert_line(fields("syscall::read", SPEC_FUNC), "probe syscall::read:");
	assert_line(fields("read:", SPEC_FUNC), "probe :read::");
	assert_line(fields("vmlinux", SPEC_MOD), "probe :vmlinux::");
	assert_line(fields("syscall", SPEC_PROV), "probe syscall:::");
	assert_line(text_of("1"), "probe 1");
	assert_line(text_of("i23"), "probe :::i23");
	assert_string_equal(fields("a:b", SPEC_PROV),
			    "[D_PDESC_INVAL] invalid probe description \"a:b\": "
			    "Overspecified probe description");
	assert_string_equal(fields("4", SPEC_FUNC),
			    "[D_PDESC_INVAL] probe identifier 4 not permitted when specifying "
			    "functions");
	assert_string_equal(
		text_of("nomatch"),
		"[D_PDESC_ZERO] probe description :::nomatch does not match any probes");
	s->opt.zdefs = true;
	assert_line(text_of("nomatch"), "probe :::nomatch");
}

static void test_places(void **state)
{
	(void)state;
	assert_string_equal(text_of("BEGIN { trace(x); }"),
			    "[D_IDENT_UNDEF] in action list: failed to resolve x: Unknown variable "
			    "name");
	assert_string_equal(text_of("BEGIN /x/ { }"),
			    "[D_IDENT_UNDEF] in predicate: failed to resolve x: Unknown variable "
			    "name");
	assert_string_equal(text_of("BEGIN { ; x"), "[D_SYNTAX] syntax error near end of input");
	assert_string_equal(script("\nBEGIN { trace(x); }"),
			    "[D_IDENT_UNDEF] line 2: failed to resolve x: Unknown variable name");
	assert_string_equal(
		script("BEGIN\n# 40 \"a.d\" 2\n{ trace(x); }\n"),
		"[D_IDENT_UNDEF] \"a.d\", line 40: failed to resolve x: Unknown variable "
		"name");
}

static void test_macros(void **state)
{
	char *argv[] = { "./a.d", "-5", "0x10", "word", "\"a b\"", "1abc", NULL };
	char pid[32];

	(void)state;
	assert_line(with_args("BEGIN { trace($1); }", 2, argv), "int -5 <int>");
	assert_line(with_args("inline int word = 77; BEGIN { trace($1 + $2 * $3); }", 4, argv),
		    "int 1227 <int>");
	assert_line(with_args("BEGIN { trace($4); } p$1:::$2$3", 5, argv),
		    "string \"a b\" <string>");
	assert_line(with_args("BEGIN { trace($4); } p$1:::$2$3", 5, argv), "probe p-5:::0x10word");
	assert_line(with_args("BEGIN { trace($$1); } $$2:$3:$4:$5hz", 6, argv),
		    "string \"-5\" <string>");
	assert_line(with_args("BEGIN { trace($0); }", 1, argv), "string \"./a.d\" <string>");
	snprintf(pid, sizeof(pid), "int %d <int>", getpid());
	assert_line(text_of("BEGIN { trace($pid); }"), pid);
	s->opt.target = 1234;
	assert_line(text_of("BEGIN { trace($target); } pid$target:::entry"),
		    "probe pid1234:::entry");
	assert_line(text_of("BEGIN { trace($$target); }"), "string \"1234\" <string>");

	assert_string_equal(with_args("BEGIN { trace($2); }", 4, argv),
			    "[D_MACRO_UNUSED] extraneous argument 'word' ($3 is not referenced)");
	assert_string_equal(text_of("BEGIN { trace($1); }"),
			    "[D_MACRO_UNDEF] macro argument $1 is not defined");
	s->opt.defaultargs = true;
	assert_line(text_of("BEGIN { trace($1); }"), "int 0 <int>");
	assert_line(text_of("BEGIN { trace($$1); }"), "string \"\" <string>");
	assert_line(text_of("BEGIN { trace(1); } a$7b"), "probe :::ab");
}

static void test_constants(void **state)
{
	(void)state;
	assert_line(text_of("BEGIN { trace(2147483647); }"), "int 2147483647 <int>");
	assert_line(text_of("BEGIN { trace(2147483648); }"), "int 2147483648 <long>");
	assert_line(text_of("BEGIN { trace(0x80000000); }"), "int 2147483648 <unsigned int>");
	assert_line(text_of("BEGIN { trace(0xffffffffffffffff); }"), "int -1 <unsigned long>");
	assert_line(text_of("BEGIN { trace(1uL); }"), "int 1 <unsigned long>");
	assert_line(text_of("BEGIN { trace(1ll); }"), "int 1 <long long>");
	assert_line(text_of("BEGIN { trace(1ULL); }"), "int 1 <unsigned long long>");
	assert_line(text_of("BEGIN { trace('\\''); }"), "int 23591 <int>");
	assert_line(text_of("BEGIN { trace('ab\"d'); }"), "int 1633821284 <int>");
	assert_line(text_of("BEGIN { trace('\\377'); }"), "int 255 <int>");
	assert_line(text_of("BEGIN { trace(\"\\a\\x4142\\q\\\n\"); }"),
		    "[D_STR_NL] newline encountered in string literal");
	assert_line(text_of("BEGIN { trace(\"\\x4142\\q\\08\"); }"),
		    "string \"B\\\\q\\0008\" <string>");
}

static void test_slash(void **state)
{
	(void)state;
	assert_line(text_of("BEGIN /pid/ { }"), "var pid <pid_t>");
	assert_line(text_of("BEGIN/pid/2/tid/{ }"), "binary / <pid_t>");
	assert_line(text_of("BEGIN /pid /* no end */ / 2/ { x = 1 / 2; }"), "binary / <pid_t>");
	assert_line(text_of("BEGIN { x = 4 /2/ 1; }"), "int 2 <int>");
	assert_string_equal(text_of("BEGIN /pid/"),
			    "[D_SYNTAX] expected actions { } following probe description and "
			    "predicate");
}

static void test_words(void **state)
{
	(void)state;
	/* Members and variables may be named like keywords, variables like types. */
	assert_string_equal(text_of("BEGIN { trace(curcpu->string); }"),
			    "[D_TYPE_MEMBER] in action list: string is not a member of struct "
			    "cpuinfo");
	assert_line(text_of("BEGIN { self->probe = this->self = 1; }"), "var self->probe <int>");
	assert_line(text_of("BEGIN { size_t = 1; trace((size_t) + 1); }"), "binary + <int>");
	assert_line(text_of("BEGIN { trace((ssize_t)+1); }"), "int 1 <ssize_t>");
	assert_line(text_of("int*p; BEGIN { trace(sizeof (*p)); }"), "int 4 <size_t>");
	assert_line(script("ssize_t*q;\nBEGIN { trace(q); }"), "var q <ssize_t *>");
	assert_string_equal(text_of("ssize_t x;"), "[D_SYNTAX] syntax error near \";\"");
	assert_string_equal(text_of("`x:::"), "[D_SYNTAX] syntax error near \"`\"");
	s->opt.pspec_file = true;
	assert_string_equal(script("ssize_t x;"),
			    "[D_SYNTAX] line 1: expected predicate and/or actions following probe "
			    "description");
}

static void test_pragmas(void **state)
{
	const struct ident *id;

	(void)state;
	text_of("#pragma D option quiet\n #  pragma D option bufsize=4m /* small */\n"
		"#!/usr/sbin/dtrace\n#\n#ident \"x\"\n#pragma once\nBEGIN {\n#pragma D option a=b\n}");
	assert_string_equal(options, "quiet=(none);bufsize=4m;a=b;");
	assert_string_equal(text_of("#pragma D option quiet\n"),
			    "[D_EMPTY] empty D program translation unit");
	s->opt.empty = true;
	assert_string_equal(text_of("#pragma D option quiet\n"), "");
	assert_string_equal(text_of("#pragma D option bad=1\n"),
			    "[D_PRAGMA_OPTSET] failed to set option 'bad' to '1': Invalid option "
			    "name");
	assert_string_equal(text_of("BEGIN\n#pragma D option quiet"),
			    "[D_SYNTAX] end-of-file encountered before end of control line");
	assert_string_equal(text_of("#pragma D depends_on module vmlinux\n"), "");
	assert_string_equal(text_of("#pragma D depends_on module nosuch\n"),
			    "[D_PRAGMA_DEPEND] program requires module nosuch");
	text_of("#pragma D attributes Stable/Evolving/ISA v\n#pragma D binding \"1.2\" v\nint v;\n");
	id = ident_lookup(s, SCOPE_GLOBAL, "v");
	assert_non_null(id);
	assert_int_equal(id->attr, 7 << 16 | 6 << 8 | 5);
	assert_int_equal(id->vers, 1 << 24 | 2 << 12);
	assert_string_equal(text_of("#pragma D attributes Stable/Evolving/ISA v\n"),
			    "[D_PRAGMA_SCOPE] #pragma attributes cannot modify entity defined "
			    "outside program scope");
	s->opt.version = "1.1";
	assert_string_equal(text_of("#pragma D binding \"1.2\" late\nint late;\n"
				    "BEGIN { trace(late); }"),
			    "[D_IDENT_UNDEF] in action list: failed to resolve late: Unknown "
			    "variable name");
}

/* A later unit sees what an earlier one declared; clauses are numbered on. */
static void test_units(void **state)
{
	(void)state;
	text_of("int x; typedef char c_t; inline int K = 3; BEGIN, END { @a = count(); } END { }");
	assert_line(script("c_t y[K];\nBEGIN { x = y[0]; printa(@a); }"), "clause 2");
	assert_string_equal(text_of("string x;"),
			    "[D_DECL_IDRED] identifier redeclared: x\n\t current: scalar string\n"
			    "\tprevious: scalar int");
	assert_string_equal(text_of("int x;"), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_fields, setup, teardown),
		cmocka_unit_test_setup_teardown(test_places, setup, teardown),
		cmocka_unit_test_setup_teardown(test_macros, setup, teardown),
		cmocka_unit_test_setup_teardown(test_constants, setup, teardown),
		cmocka_unit_test_setup_teardown(test_slash, setup, teardown),
		cmocka_unit_test_setup_teardown(test_words, setup, teardown),
		cmocka_unit_test_setup_teardown(test_pragmas, setup, teardown),
		cmocka_unit_test_setup_teardown(test_units, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
