/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The program's own BTF: the signature of the program and of each routine, and where they
 * begin. The kernel needs it to check global functions once each, and to allow bpf_loop().
 */
#include "codegen/bpf_impl.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/btf.h>

struct maker {
	struct btf *btf;
	int s32, u64, ctx;
	int proto[IR_MAXARGS + 1]; /* by number of arguments, 0: not made yet */
	int error;
};

static int keep(struct maker *m, int id)
{
	if (id < 0 && !m->error)
		m->error = id;
	return id;
}

static int proto_get(struct maker *m, int nargs)
{
	char name[] = "a";
	int i;

	if (m->proto[nargs])
		return m->proto[nargs];
	m->proto[nargs] = keep(m, btf__add_func_proto(m->btf, m->u64));
	for (i = 0; i < nargs; i++, name[0]++)
		keep(m, btf__add_func_param(m->btf, name, m->u64));
	return m->proto[nargs];
}

/* int name(void *ctx) */
static int main_proto(struct maker *m)
{
	int id = keep(m, btf__add_func_proto(m->btf, m->s32));

	keep(m, btf__add_func_param(m->btf, "ctx", m->ctx));
	return id;
}

/* BTF wants C identifiers. */
static const char *identifier(struct arena *a, const char *name)
{
	char *s = arena_strdup(a, *name ? name : "program"), *p;

	for (p = s; *p; p++)
		if (!isalnum((unsigned char)*p))
			*p = '_';
	if (isdigit((unsigned char)*s))
		*s = '_';
	return s;
}

static void types_add(struct maker *m)
{
	m->s32 = keep(m, btf__add_int(m->btf, "int", 4, BTF_INT_SIGNED));
	m->u64 = keep(m, btf__add_int(m->btf, "unsigned long", 8, 0));
	m->ctx = keep(m, btf__add_ptr(m->btf, 0));
}

static void functions_add(struct maker *m, struct arena *arena, const struct bpf_routine *r,
			  size_t n, struct bpf_func_info *info)
{
	size_t i;

	for (i = 0; i < n; i++) {
		int proto = i == 0 ? main_proto(m) : proto_get(m, r[i].nargs < 0 ? 0 : r[i].nargs);
		bool is_static = r[i].nargs < 0;

		info[i].insn_off = r[i].start;
		info[i].type_id = keep(
			m, btf__add_func(m->btf, identifier(arena, r[i].name),
					 is_static ? BTF_FUNC_STATIC : BTF_FUNC_GLOBAL, proto));
	}
}

int bpf_btf_make(struct ir *ir, const struct bpf_routine *r, size_t n, struct bpf_code *code)
{
	struct maker m = { .btf = btf__new_empty() };
	const void *raw;

	if (!m.btf)
		return bpf_error(ir, -ENOMEM, "out of memory");
	code->funcs = mem_alloc(n * sizeof(*code->funcs));
	code->nfuncs = n;
	types_add(&m);
	functions_add(&m, ir->arena, r, n, code->funcs);
	raw = btf__raw_data(m.btf, &code->btf_size);
	if (!raw || m.error) {
		btf__free(m.btf);
		return bpf_error(ir, m.error ? m.error : -ENOMEM, "no BTF for the program");
	}
	code->btf = mem_alloc(code->btf_size);
	memcpy(code->btf, raw, code->btf_size);
	btf__free(m.btf);
	return 0;
}
