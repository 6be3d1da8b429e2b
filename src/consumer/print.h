/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How recorded data looks. Everything is appended to a struct str; nothing here knows a buffer or a
 * descriptor.
 */
#ifndef CONSUMER_PRINT_H
#define CONSUMER_PRINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agg/agg.h"
#include "base/str.h"
#include "codegen/layout.h"
#include "consumer/consumer.h"

struct print {
	struct str *out;
	const struct consumer_options *opt;
	const struct consumer_hooks *hooks; /* symbols; may be NULL */
};

/* A value to print: a field of a record, a key of an aggregation, a constant. */
struct print_value {
	enum field_kind kind; /* FIELD_INT, FIELD_STRING, FIELD_BYTES, FIELD_STACK, FIELD_USTACK,
				 FIELD_SYM, FIELD_USYM */
	enum func_id func;
	struct type *type;
	uint32_t size; /* FIELD_INT: 1, 2, 4, 8; else bytes of data */
	bool is_signed;
	uint64_t value; /* FIELD_INT: extended by its sign; FIELD_SYM, FIELD_USYM: address */
	uint64_t pid;
	const void *data;
	uint32_t frames; /* stacks: at most shown; more mean that the stack goes on; 0: all */
};

/*
 * Values of an action's fields; strs is where the string bytes of the record's next string stand,
 * advanced.
 */
void print_value_get(struct print_value *v, const struct field *f, const struct ecb *ecb,
		     const void *rec, const unsigned char **strs);

void print_header(struct print *p); /* once per session */
void print_probe(struct print *p, int cpu, uint32_t id, const char *func, const char *name);
void print_flow(struct print *p, int cpu, int indent, const char *prefix, const char *name);

void print_trace(struct print *p, const struct print_value *v); /* trace() and default */
void print_bytes(struct print *p, const void *data, size_t n);	/* hex dump */
/* print(): what lies behind a pointer, as a tree; a value with its type. */
void print_tree(struct print *p, uint64_t addr, const struct print_value *v);
void print_typed(struct print *p, const struct print_value *v);
void print_stack(struct print *p, const uint64_t *pcs, size_t n, int indent);
void print_ustack(struct print *p, uint64_t pid, const uint64_t *pcs, size_t n, int indent);

/* A format with the values of its arguments. */
void print_format(struct print *p, const struct format *f, const struct print_value *args,
		  size_t nargs);
/* printa(): one entry by a format; aggregations in the order named. */
struct print_agg {
	const struct aggdesc *desc;
	const uint64_t *value; /* NULL: none */
	uint64_t normal;
	const struct agg_group *group; /* agghist, aggpack; NULL: the usual form */
	const uint64_t *cpu;	       /* aggpercpu: values one behind the other; NULL: none */
	const int *cpus;	       /* their numbers */
	size_t ncpus;
};
void print_format_agg(struct print *p, const struct format *f, const struct print_value *keys,
		      size_t nkeys, const struct print_agg *aggs, size_t naggs);
/* printa() without format, and the end of the session: keys, values, newline. */
void print_agg_line(struct print *p, const struct print_value *keys, size_t nkeys,
		    const struct print_agg *aggs, size_t naggs);
/* The same for agghist and aggpack: agg->group is set. */
void print_agg_drawn(struct print *p, const struct print_value *keys, size_t nkeys,
		     const struct print_agg *agg);
size_t print_keys_width(const struct print_value *keys, size_t nkeys); /* 0: cannot be so drawn */
void print_value_key(struct print_value *v, const struct agg_keypart *k);

#endif
