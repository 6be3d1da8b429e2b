/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Aggregations in the consumer: everything that programs aggregated is merged into one table, keyed
 * by aggregation and key. Keys are kept in one form whatever statement wrote them (a literal, a
 * probe name or a computed string with the same text are one key).
 *
 * Form of a key: its components one behind the other, in 8-byte words.
 *	integer, pointer, sym/func/mod	value
 *	usym, ufunc, umod, uaddr	pid and number of exec (as FIELD_USYM in codegen/layout.h), address
 *	string				length (ABI_STR_NULL: NULL), bytes padded with 0
 *	bytes, stack, ustack		length in bytes, bytes padded with 0; stacks without their zero pcs, with
 *					STACK_GOES_ON behind what is shown if there were more
 */
#ifndef AGG_AGG_H
#define AGG_AGG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "abi/abi.h"
#include "base/str.h"
#include "buffer/buffer.h"
#include "codegen/layout.h"

struct aggs;

/*
 * One key of one aggregation. Owned by the table; valid until it is removed (trunc) or the table
 * ends.
 */
struct agg_entry {
	struct agg_entry *next;
	uint64_t hash;
	uint32_t agg;	  /* id */
	uint32_t key_len; /* bytes */
	uint64_t *key;	  /* behind the value */
	uint64_t *cpu;	  /* the value slot by slot; NULL: see aggs_set_percpu() */
	uint64_t value[]; /* words as in abi/abi.h, over all CPUs; min and max encoded */
};

/* One component of a key. */
struct agg_keypart {
	enum field_kind kind; /* FIELD_INT, FIELD_STRING, FIELD_BYTES, FIELD_STACK, FIELD_USTACK,
				 FIELD_SYM, FIELD_USYM */
	enum func_id func;    /* of the address actions */
	struct type *type;    /* may be NULL */
	uint32_t size;	      /* FIELD_INT: width in bytes; else bytes of data */
	bool is_signed;
	bool is_null;	  /* NULL string: size 0 */
	uint64_t value;	  /* FIELD_INT, FIELD_SYM; FIELD_USYM: the address */
	uint64_t pid;	  /* FIELD_USYM */
	const void *data; /* FIELD_STRING, FIELD_BYTES, FIELD_STACK, FIELD_USTACK */
};

struct agg_sort {
	bool by_key;  /* aggsortkey */
	bool reverse; /* aggsortrev */
	int key_pos;  /* aggsortkeypos */
	int agg_pos;  /* aggsortpos: which one decides in a joined walk */
};

/*
 * ecbs (shapes and descriptions) and the string table (struct abi_str at 8-aligned offsets) must
 * outlive the table; ecbs may grow.
 */
struct aggs *aggs_create(const struct ecbs *ecbs, const void *strtab, uint32_t strtab_size);
/* The string table has grown, and moved perhaps. */
void aggs_strtab(struct aggs *a, const void *strtab, uint32_t strtab_size);
void aggs_destroy(struct aggs *a); /* accepts NULL */

/*
 * Addresses of sym(), mod(), usym() ... as keys: the hook gives the number that stands for all addresses
 * of the same symbol or module. Unset: each address is a key of its own. It is also called, with address 0, for
 * each ustack() that is merged, to let the process be remembered.
 */
void aggs_set_canon(struct aggs *a,
		    uint64_t (*canon)(void *arg, enum func_id func, uint64_t pid, uint64_t addr),
		    void *arg);

/*
 * Switches the aggregation buffers of all CPUs and merges them. 0 or negative errno (-EAGAIN: some
 * CPU is late).
 */
int aggs_snapshot(struct aggs *a, struct buffers *b);
/*
 * Merges one half of which `used` bytes hold entries, and clears what was used: fixed values,
 * bucket heads, entries. -EINVAL: an entry makes no sense; what follows it is lost, the half is
 * cleared.
 */
int aggs_merge(struct aggs *a, const struct abi_conf *conf, void *half, uint32_t used);

/* From now on the values of each CPU are kept, too. Before anything is merged. */
void aggs_set_percpu(struct aggs *a, uint32_t nslots);
/*
 * From now on what is merged into an aggregation is also added up over its keys, in words of the
 * caller's, who clears them as he likes. They must live as long as the table.
 */
void aggs_set_flow(struct aggs *a, uint32_t agg, uint64_t *words);

const struct aggdesc *aggs_desc(const struct aggs *a, uint32_t agg); /* NULL: no such id */
size_t aggs_count(const struct aggs *a, uint32_t agg);		     /* keys; agg 0: of all */

void aggs_clear_entry(struct aggs *a, const struct agg_entry *e); /* one of them, also in a walk */
void aggs_clear(struct aggs *a, uint32_t agg);
/* n = 0: removes all; > 0: keeps the n highest; < 0: keeps the |n| lowest. */
void aggs_trunc(struct aggs *a, uint32_t agg, int64_t n);
int aggs_normalize(struct aggs *a, uint32_t agg, uint64_t normal); /* -EINVAL: 0 */
uint64_t aggs_normal(const struct aggs *a, uint32_t agg);
void aggs_set_printed(struct aggs *a, uint32_t agg);
bool aggs_printed(const struct aggs *a, uint32_t agg);

/* Components of a key. Number of components of an aggregation: aggs_desc()->nkeys. */
void agg_key_part(const struct aggs *a, const struct agg_entry *e, size_t i,
		  struct agg_keypart *out);

/*
 * Calls f for each entry of an aggregation (0: of all, by id) in the order of *sort (NULL: DTrace's
 * default). The table may not be changed by f, except by aggs_set_printed(). Stops when f returns
 * non-zero and gives that value.
 */
typedef int agg_walk_fn(void *arg, const struct agg_entry *e);
int aggs_walk(struct aggs *a, uint32_t agg, const struct agg_sort *sort, agg_walk_fn *f, void *arg);
/*
 * Full outer join: f is called once for each key that any of the n aggregations has; values[i] is
 * NULL where ids[i] has no such key. key is an entry that has it.
 */
typedef int agg_join_fn(void *arg, const struct agg_entry *key, const uint64_t *const *values,
			size_t n);
int aggs_walk_joined(struct aggs *a, const uint32_t *ids, size_t n, const struct agg_sort *sort,
		     agg_join_fn *f, void *arg);

/* ---- values --------------------------------------------------------------------------------- */

bool agg_is_distribution(const struct aggdesc *d);
/* Of a distribution: its buckets, and what falls into one. false: nothing can. */
struct agg_bucket {
	bool has_min, has_max; /* bounded on this side */
	int64_t min, max;      /* both fall into it */
};
uint32_t agg_buckets(const struct aggdesc *d);
bool agg_bucket_get(const struct aggdesc *d, uint32_t i, struct agg_bucket *b);
int64_t agg_divide(int64_t v, uint64_t normal); /* as values are shown */
/*
 * The number that is shown (count, sum, avg, min, max, stddev), signed but for stddev. normal: 1 or
 * the divisor.
 */
int64_t agg_value_number(const struct aggdesc *d, const uint64_t *value, uint64_t normal);
/*
 * Appends the value as DTrace prints it: " %16lld", or the block of a distribution, which starts
 * and ends with a newline. value NULL: zero.
 */
void agg_value_print(struct str *out, const struct aggdesc *d, const uint64_t *value,
		     uint64_t normal);
/* How bars are drawn: aggzoom, encoding. */
struct agg_style {
	bool zoom;     /* the largest fills nearly the width */
	bool utf8;     /* by eighths of a column */
	bool pack_ascii; /* of aggpack alone */
};
void agg_value_draw(struct str *out, const struct aggdesc *d, const uint64_t *value,
		    uint64_t normal, const struct agg_style *style);
/*
 * agghist and aggpack draw an entry in one line, by what all entries of its aggregation have:
 * agg_group_add() for each of them, agg_group_head() behind a key column of so many characters,
 * then for each entry its keys and agg_group_draw().
 */
struct agg_group {
	unsigned __int128 total;
	uint64_t most;
	bool up, down;
	bool packed;	      /* aggpack */
	uint32_t first, last; /* buckets shown */
	uint64_t *sums;	      /* by bucket */
};
void agg_group_add(const struct aggdesc *d, const uint64_t *value, struct agg_group *g);
void agg_group_head(struct str *out, const struct aggdesc *d, struct agg_group *g, int width,
		    const char *word, const struct agg_style *style);
void agg_group_draw(struct str *out, const struct aggdesc *d, const uint64_t *value,
		    uint64_t normal, const struct agg_group *g, const struct agg_style *style);
void agg_group_free(struct agg_group *g);
/* The order of values: <0, 0, >0. */
int agg_value_cmp(const struct aggdesc *d, const uint64_t *x, const uint64_t *y);

#endif
