/* SPDX-License-Identifier: BSD-2-Clause */
/* Layouts and intermediate code of clauses, without root: goldens, and rules that all generated
 * code keeps. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include <string.h>

#include "base/str.h"
#include "codegen/cg.h"
#include "lang/ident.h"

struct fixture {
	struct dsession *ses;
	struct ecbs ecbs;
	struct cg_env env;
	struct dprog *prog;
	struct cg_clause *clauses[16], *errors[4];
	uint32_t epid[16], error_epid[4];
	size_t nclauses, nerrors;
};

static int probe_matches(void *arg, const struct probespec *spec, struct diag *d)
{
	(void)arg, (void)spec, (void)d;
	return 1;
}

static vreg prologue(struct cg *cg, vreg ctx, void *data, label out)
{
	(void)out;
	return *(bool *)data ? ir_load(cg_ir(cg), 8, ctx, 8) : VREG_NONE;
}

static vreg arg_load(struct cg *cg, vreg ctx, void *data, int n)
{
	(void)data;
	return ir_load(cg_ir(cg), 8, ctx, 8 * n);
}

static const struct cg_probe_ops ops = { .prologue = prologue, .arg = arg_load };

static struct fixture *compile(const char *text, enum cg_policy policy, bool temporal,
			       bool accounting)
{
	struct fixture *f = mem_alloc(sizeof(*f));
	struct lang_source src = {
		.text = text, .len = strlen(text), .name = text, .field = SPEC_NAME
	};
	struct diag d = { 0 };

	f->ses = lang_session_create();
	f->ses->hooks.probe_matches = probe_matches;
	f->env = (struct cg_env){ .ses = f->ses,
				  .ecbs = &f->ecbs,
				  .strtab = strtab_create(),
				  .policy = policy,
				  .temporal = temporal,
				  .accounting = accounting,
				  .scratch = 1024 };
	f->prog = lang_compile(f->ses, &src, &d);
	if (!f->prog)
		fail_msg("%s: %s", text, d.text);
	for (const struct clause *c = f->prog->clauses; c; c = c->next) {
		struct cg_clause *cl = cg_clause_prepare(&f->env, c, &d);

		if (!cl)
			fail_msg("%s: %s", text, d.text);
		if (strcmp(c->specs[0].name, "ERROR")) {
			f->epid[f->nclauses] = (uint32_t)(f->nclauses + 1);
			f->clauses[f->nclauses++] = cl;
		} else {
			f->error_epid[f->nerrors] = 100;
			f->errors[f->nerrors++] = cl;
		}
	}
	return f;
}

static void release(struct fixture *f)
{
	for (size_t i = 0; i < f->nclauses; i++)
		cg_clause_destroy(f->clauses[i]);
	for (size_t i = 0; i < f->nerrors; i++)
		cg_clause_destroy(f->errors[i]);
	lang_prog_destroy(f->prog);
	lang_session_destroy(f->ses);
	strtab_destroy(f->env.strtab);
	vec_free(&f->ecbs.shapes);
	vec_free(&f->ecbs.aggs);
	free(f);
}

/* ---- layouts ---- */

static void layout_dump(const struct layout *l, struct str *out)
{
	static const char *const kinds[] = { "int",  "string", "bytes",	  "stack", "ustack", "sym",
					     "usym", "=int",   "=string", "probe", "agg" };

	str_printf(out, "header %u presence %u fixed %u max %u strings %u%s%s:", l->header,
		   l->npresence, l->fixed, l->max, l->nstrings, l->is_default ? " default" : "",
		   l->records ? " records" : "");
	for (size_t i = 0; i < l->nactions; i++) {
		const struct action *a = &l->actions[i];

		str_printf(out, " %s(", func_get(a->func)->name);
		for (size_t k = 0; k < a->nfields; k++) {
			const struct field *f = &a->fields[k];

			str_printf(out, "%s%s", k ? ", " : "", kinds[f->kind]);
			if (f->size && f->kind <= FIELD_USYM)
				str_printf(out, " %u+%u", f->offset, f->size);
			else if (f->kind == FIELD_CONST_STRING)
				str_printf(out, " %s", f->text);
			else
				str_printf(out, " %lld", (long long)f->value);
		}
		str_puts(out, ")");
		if (a->presence >= 0)
			str_printf(out, "?%d", a->presence);
	}
}

static void check_layout(const char *text, bool temporal, const char *expected)
{
	struct fixture *f = compile(text, CG_SWITCH, temporal, false);
	struct str out = { 0 };

	layout_dump(cg_clause_layout(f->clauses[0]), &out);
	assert_string_equal(str_c(&out), expected);
	str_free(&out);
	release(f);
}

static void test_layouts(void **state)
{
	(void)state;
	check_layout("t { }", false,
		     "header 8 presence 0 fixed 8 max 8 strings 0 default records:");
	check_layout("t { x = 1; }", false, "header 8 presence 0 fixed 0 max 0 strings 0:");
	check_layout("t { @ = count(); }", true, "header 16 presence 0 fixed 0 max 0 strings 0:");
	check_layout("t { trace(arg0); }", false,
		     "header 8 presence 0 fixed 16 max 16 strings 0 records: trace(int 8+8)");
	check_layout(
		"t { trace((char)arg0); trace(arg1); trace((short)arg0); trace(pid); }", true,
		"header 16 presence 0 fixed 40 max 40 strings 0 records: trace(int 16+1) trace(int 24+8) trace(int 32+2) "
		"trace(int 36+4)");
	check_layout(
		"t { printf(\"%s %d %s\", execname, pid, \"x\"); trace(probefunc); trace(7); }",
		false,
		"header 8 presence 0 fixed 16 max 272 strings 1 records: printf(string 8+4, int 12+4, =string x) "
		"trace(probe 2) trace(=int 7)");
	check_layout(
		"t { if (arg0) { trace(arg0); } else { trace(execname); } exit(arg1); }", false,
		"header 8 presence 1 fixed 32 max 288 strings 1 records: trace(int 16+8)?0 trace(string 24+4)?1 "
		"exit(int 28+4)");
	check_layout(
		"t { @a[pid] = count(); printa(@a); clear(@a); trunc(@a, 5); normalize(@a, 10); }",
		false,
		"header 8 presence 0 fixed 8 max 8 strings 0 records: printa(agg 1) clear(agg 1) trunc(agg 1, =int 5) "
		"normalize(agg 1, =int 10)");
}

/* An option that changes after a clause was prepared. */
static void test_renew(void **state)
{
	struct fixture *f = compile("t { trace(execname); trace(arg0); }", CG_SWITCH, false, false);
	const struct layout *l = cg_clause_layout(f->clauses[0]);
	struct diag d = { 0 };

	(void)state;
	assert_int_equal(l->max, 24 + 256);
	f->ses->opt.strsize = 1000;
	f->env.temporal = true;
	types_set_strsize(f->ses->types, 1000);
	ident_layout(f->ses);
	assert_int_equal(cg_clause_renew(f->clauses[0], &d), 0);
	assert_ptr_equal(cg_clause_layout(f->clauses[0]), l);
	assert_int_equal(l->header, 16);
	assert_int_equal(l->max, 32 + 1000);
	assert_int_equal(f->env.max_record, 32 + 1000);
	release(f);
}

static void test_shapes(void **state)
{
	struct fixture *f;

	(void)state;
	f = compile("t { @a = count(); @b[execname, pid, probefunc] = avg(arg0); @a = count(); } "
		    "t { @b[\"x\", 1, execname] = avg(1); @c = lquantize(arg0, 0, 100, 10); }",
		    CG_SWITCH, false, false);
	assert_int_equal(f->ecbs.aggs.n, 3);
	assert_int_equal(f->ecbs.shapes.n, 4);
	assert_int_equal(f->ecbs.shapes.v[0].fixed_offset, 64);
	assert_int_equal(f->ecbs.shapes.v[3].fixed_offset, 64 + 16);
	assert_int_equal(f->ecbs.shapes.v[3].value_words, 12);
	assert_int_equal(f->env.agg_fixed, 16 + 8 * 13);
	assert_int_equal(f->ecbs.shapes.v[1].parts[0].kind, FIELD_STRING);
	assert_int_equal(f->ecbs.shapes.v[1].parts[1].kind, FIELD_INT);
	assert_int_equal(f->ecbs.shapes.v[1].parts[2].kind, FIELD_PROBE_STRING);
	assert_int_equal(f->ecbs.shapes.v[2].parts[0].kind, FIELD_CONST_STRING);
	assert_true(f->env.uses_aggs && f->env.uses_frames && !f->env.uses_principal &&
		    !f->env.uses_dvars);
	release(f);
}

static void test_needs(void **state)
{
	struct fixture *f;

	(void)state;
	f = compile("t { trace(arg0); @ = count(); }", CG_SWITCH, false, false);
	assert_true(f->env.uses_principal && !f->env.uses_frames && !f->env.uses_globals);
	assert_int_equal(f->env.max_record, 16);
	release(f);
	f = compile("t /execname == \"abc\" && probefunc == \"read\"/ { x = 1; }", CG_SWITCH, false,
		    false);
	assert_true(!f->env.uses_principal && !f->env.uses_frames && f->env.uses_globals);
	release(f);
	f = compile("t { self->x = arg0; a[1] = \"s\"; }", CG_SWITCH, false, false);
	assert_true(f->env.uses_frames && f->env.uses_dvars && !f->env.uses_scratch);
	assert_int_equal(f->env.dvar_value, ABI_STR_BYTES(256));
	release(f);
	f = compile("t { this->p = copyin(arg0, 4); }", CG_SWITCH, false, false);
	assert_true(f->env.uses_scratch && f->env.uses_principal); /* faults are recorded */
	release(f);
}

static void test_strtab(void **state)
{
	struct strtab *t = strtab_create();
	uint32_t size, a = strtab_add(t, "read", 4), b = strtab_add(t, "12345678", 8);
	const struct abi_str *s;

	(void)state;
	assert_int_equal(strtab_add(t, "read", 4), a);
	assert_int_not_equal(a, b);
	s = (const struct abi_str *)((const char *)strtab_data(t, &size) + b);
	assert_int_equal(s->len, 8);
	assert_int_equal(s->s[8], 0);
	assert_int_equal(size, 16 + 24);
	assert_string_equal(strtab_get(t, b), "12345678");
	strtab_destroy(t);
}

/* ---- intermediate code ---- */

static void emit(struct fixture *f, struct ir *ir, struct arena *a, bool rows)
{
	struct cg_row row[2] = { { .used = true,
				   .probe_id = 7,
				   .prov = "p",
				   .mod = "m",
				   .func = "f",
				   .name = "n",
				   .epid = f->epid },
				 { 0 } };
	struct cg_group g = { .name = "test",
			      .ops = &ops,
			      .data = &rows,
			      .nclauses = f->nclauses,
			      .clauses = f->clauses,
			      .nrows = rows ? 2 : 1,
			      .rows = row,
			      .activity = ABI_ACTIVE,
			      .nerror = f->nerrors,
			      .error_clauses = f->errors,
			      .error_epid = f->error_epid,
			      .error_probe_id = 3 };
	struct diag d = { 0 };

	f->env.conf = (struct abi_conf){ .bufsize = 4096,
					 .bufmap = 8192,
					 .aggsize = 65536,
					 .frame_size = 65536,
					 .strsize = 256,
					 .strmax = 256,
					 .ncpus = 2,
					 .nslots = 2,
					 .acct_epids = 101 };
	ir_init(ir, a);
	if (cg_group_emit(&f->env, &g, ir, &d))
		fail_msg("%s", d.text);
}

/* Jumps go forward, to labels placed once; nothing is unreachable; values are set before they are
 * used. */
static void rules_check(const struct ir *ir, const char *text)
{
	int *jumped = mem_alloc(sizeof(int) * (size_t)(ir->nlabels + 1));
	int *placed = mem_alloc(sizeof(int) * (size_t)(ir->nlabels + 1));
	bool reachable = true;

	for (size_t i = 0; i < ir->v.n; i++) {
		const struct ir_insn *in = &ir->v.v[i];

		if (in->op == IR_OP_COMMENT)
			continue;
		if (in->op == IR_OP_LABEL) {
			if (placed[in->lab]++)
				fail_msg("%s: label %d is placed twice", text, in->lab);
			reachable |= jumped[in->lab] > 0;
			continue;
		}
		if (!reachable) {
			ir_dump(ir, stdout);
			fail_msg("%s: instruction %zu cannot be reached", text, i);
		}
		if (in->op == IR_OP_JMP || in->op == IR_OP_JCC || in->op == IR_OP_JCCI) {
			if (placed[in->lab])
				fail_msg("%s: a jump goes back to label %d", text, in->lab);
			jumped[in->lab]++;
		}
		if (in->op == IR_OP_JMP || in->op == IR_OP_EXIT)
			reachable = false;
	}
	for (int l = 0; l < ir->nlabels; l++)
		if (jumped[l] && !placed[l])
			fail_msg("%s: label %d is nowhere", text, l);
	assert_false(reachable);
	free(jumped);
	free(placed);
}

static void test_rules(void **state)
{
	static const char *const texts[] = {
		"t { }",
		"t /0/ { }",
		"t /1/ { trace(1); }",
		"t /!(arg0 && arg1 || !arg2)/ { trace(arg0 ^^ arg1); }",
		"t { if (arg0) { } else { } if (arg1) trace(1); }",
		"t { trace(arg0 ? arg1 ? \"a\" : execname : probefunc); trace(arg0 / arg1 % 3); exit(arg0); }",
		"int x; t /1 / x/ { a[execname, arg0] = strjoin(probefunc, execname); self->y++; } ERROR { trace(arg1 / x); }",
		"t { @a[execname] = quantize(arg0 / arg1); @b = min(arg1); @c = stddev(arg0); @d = lquantize(arg0, 0, 9); }"
		"t { trace(copyinstr(arg0, arg1)); trace(execname == copyinstr(arg1)); @ = max(strlen(execname)); }"
		"ERROR { @e[arg4] = count(); }",
		"int v[4]; t { v[arg0] = 3; v[1]++; this->s = execname; trace(this->s[arg1]); trace(vtimestamp - timestamp); }",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		for (int way = 0; way < 3 * 8; way++) {
			struct fixture *f = compile(texts[i], way / 8, way & 1, way >> 1 & 1);
			struct arena *a = arena_create();
			struct ir ir;

			emit(f, &ir, a, way >> 2 & 1);
			rules_check(&ir, texts[i]);
			ir_destroy(&ir);
			arena_destroy(a);
			release(f);
		}
	}
}

/* The code between two comments, without the retries. */
static void check_code(const char *text, const char *from, const char *to, const char *expected)
{
	struct fixture *f = compile(text, CG_SWITCH, false, false);
	struct arena *a = arena_create();
	char *dump = NULL, *start, *end;
	size_t len;
	FILE *out = open_memstream(&dump, &len);
	struct ir ir;

	emit(f, &ir, a, false);
	ir_dump(&ir, out);
	fclose(out);
	start = strstr(dump, from);
	assert_non_null(start);
	end = to ? strstr(start, to) : NULL;
	if (end)
		*end = 0;
	assert_string_equal(start, expected);
	free(dump);
	ir_destroy(&ir);
	arena_destroy(a);
	release(f);
}

static void test_code(void **state)
{
	(void)state;
	check_code("t /(int)arg0 == 5 && probefunc == \"f\"/ { x = 1; }", "\t; predicate", "L",
		   "\t; predicate\n\tv8 = u64[v0 + 0]\n\tv8 = s32 v8\n\tif v8 != 5 goto ");
}

/* Instructions that a firing runs when nothing interrupts it: exchanges succeed, no other jump is
 * taken. */
static int straight_length(const char *text)
{
	struct fixture *f = compile(text, CG_SWITCH, false, false);
	struct arena *a = arena_create();
	label wanted = -1;
	struct ir ir;
	int n = 0;

	emit(f, &ir, a, false);
	for (size_t i = 0; i < ir.v.n; i++) {
		const struct ir_insn *in = &ir.v.v[i];

		if (in->op == IR_OP_LABEL && in->lab == wanted)
			wanted = -1;
		if (wanted >= 0 || in->op == IR_OP_LABEL || in->op == IR_OP_COMMENT)
			continue;
		n++;
		if (in->op == IR_OP_JMP ||
		    (in->op == IR_OP_JCC && i && ir.v.v[i - 1].op == IR_OP_CMPXCHG) ||
		    (in->op == IR_OP_JCCI && in->sub == IR_ULE && in->imm == ABI_OFF_MAX))
			wanted = in->lab;
	}
	ir_destroy(&ir);
	arena_destroy(a);
	release(f);
	return n;
}

/* The paths that decide what tracing costs do not grow unnoticed. */
static void test_hot_paths(void **state)
{
	(void)state;
	assert_in_range(straight_length("t { trace(arg0); }"), 20, 56);
	assert_in_range(straight_length("t { @ = count(); }"), 20, 40);
	assert_in_range(straight_length("t /execname == \"cat\"/ { }"), 20, 66);
	assert_in_range(straight_length("t { x++; }"), 10, 20);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_layouts), cmocka_unit_test(test_renew),
		cmocka_unit_test(test_shapes),	cmocka_unit_test(test_needs),
		cmocka_unit_test(test_strtab),	cmocka_unit_test(test_rules),
		cmocka_unit_test(test_code),	cmocka_unit_test(test_hot_paths),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
