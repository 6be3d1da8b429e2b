/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Values of aggregations: merging, numbers, order, and how they are printed. Knows no keys and no
 * table.
 */
#include <string.h>

#include "agg/impl.h"

#define QUANTIZE_ZERO 63
#define BAR 40

/* ---- merging -------------------------------------------------------------------------------- */

void agg_value_merge(const struct aggdesc *d, uint64_t *to, const uint64_t *from)
{
	unsigned __int128 square;
	uint32_t i;

	switch (d->func) {
	case FN_min:
	case FN_max: /* encoded so that the larger unsigned number wins for both */
		to[0] += from[0];
		to[1] = MAX(to[1], from[1]);
		return;
	case FN_stddev:
		to[0] += from[0];
		to[1] += from[1];
		square = ((unsigned __int128)to[3] << 64 | to[2]) +
			 ((unsigned __int128)from[3] << 64 | from[2]);
		to[2] = (uint64_t)square;
		to[3] = (uint64_t)(square >> 64);
		return;
	default:
		for (i = 0; i < d->value_words; i++)
			to[i] += from[i];
	}
}

/* ---- numbers -------------------------------------------------------------------------------- */

int64_t agg_divide(int64_t v, uint64_t normal)
{
	if (normal <= 1)
		return v;
	return normal > INT64_MAX ? 0 : v / (int64_t)normal;
}

static uint64_t isqrt(unsigned __int128 v)
{
	unsigned __int128 r = 0, bit = (unsigned __int128)1 << 126;

	while (bit > v)
		bit >>= 2;
	for (; bit; bit >>= 2) {
		if (v >= r + bit) {
			v -= r + bit;
			r = (r >> 1) + bit;
		} else {
			r >>= 1;
		}
	}
	return (uint64_t)r;
}

static uint64_t stddev(const uint64_t *v, uint64_t normal)
{
	unsigned __int128 squares = (unsigned __int128)v[3] << 64 | v[2], square;
	__int128 avg;

	if (v[0] == 0)
		return 0;
	squares = squares / (normal ? normal : 1) / v[0];
	avg = (__int128)agg_divide((int64_t)v[1], normal) / (__int128)v[0];
	square = (unsigned __int128)(avg < 0 ? -avg : avg);
	square *= square;
	return squares > square ? isqrt(squares - square) : 0;
}

int64_t agg_value_number(const struct aggdesc *d, const uint64_t *v, uint64_t normal)
{
	switch (d->func) {
	case FN_avg:
		return v[0] ? (int64_t)((__int128)agg_divide((int64_t)v[1], normal) / (__int128)v[0])
			    : 0;
	case FN_min: return agg_divide((int64_t)(v[1] ^ INT64_MAX), normal);
	case FN_max: return agg_divide((int64_t)(v[1] ^ (uint64_t)INT64_MIN), normal);
	case FN_stddev: return (int64_t)stddev(v, normal);
	default: return agg_divide((int64_t)v[0], normal);
	}
}

bool agg_is_distribution(const struct aggdesc *d)
{
	return d->func == FN_quantize || d->func == FN_lquantize || d->func == FN_llquantize;
}

/* ---- buckets -------------------------------------------------------------------------------- */

static int64_t power(int64_t base, int64_t n)
{
	uint64_t r = 1;

	while (n-- > 0)
		r *= (uint64_t)base;
	return (int64_t)r;
}

static int64_t lquantize_step(const struct aggdesc *d)
{
	return d->params[2] > 0 ? d->params[2] : 1;
}

static int64_t lquantize_levels(const struct aggdesc *d)
{
	return (d->params[1] - d->params[0]) / lquantize_step(d);
}

/* Buckets of one magnitude of llquantize. */
static int64_t ll_per_magnitude(int64_t factor, int64_t steps)
{
	return steps - steps / factor;
}

/*
 * The label of positive bucket k; false if no value can fall into it: parts of the lowest magnitude
 * that are narrower than 1 are whole numbers, and what is left of its buckets is never used.
 */
static bool ll_label(const struct aggdesc *d, int64_t k, int64_t *label)
{
	uint64_t factor = (uint64_t)d->params[0], steps = (uint64_t)d->params[3];
	uint64_t per = (uint64_t)ll_per_magnitude(d->params[0], d->params[3]),
		 i = (uint64_t)k % per;
	uint64_t from = (uint64_t)power(d->params[0], d->params[1] + k / (int64_t)per);
	uint64_t width = (uint64_t)((unsigned __int128)from * factor / steps);

	if (!width) {
		*label = (int64_t)(from + i);
		return from + i < from * factor;
	}
	*label = (int64_t)MAX(from, (i + from / width) * width);
	return true;
}

static uint32_t buckets(const struct aggdesc *d)
{
	switch (d->func) {
	case FN_quantize: return ABI_AGG_QUANTIZE_WORDS;
	case FN_lquantize: return (uint32_t)lquantize_levels(d) + 2;
	default:
		return (uint32_t)ABI_AGG_LLQUANTIZE_WORDS(d->params[0], d->params[1], d->params[2],
							  d->params[3]);
	}
}

static uint32_t zero_bucket(const struct aggdesc *d)
{
	int64_t i;

	switch (d->func) {
	case FN_quantize: return QUANTIZE_ZERO;
	case FN_lquantize:
		if (d->params[0] > 0)
			return 0;
		i = -d->params[0] / lquantize_step(d);
		return (uint32_t)MIN(i, lquantize_levels(d)) + 1;
	default: return buckets(d) / 2;
	}
}

/* The number that bucket i stands for; false: no value can fall into it. */
static bool bucket_label(const struct aggdesc *d, uint32_t i, int64_t *label)
{
	uint32_t mid = buckets(d) / 2;
	bool real;

	switch (d->func) {
	case FN_quantize:
		*label = i == QUANTIZE_ZERO  ? 0
			 : i > QUANTIZE_ZERO ? (int64_t)1 << (i - QUANTIZE_ZERO - 1)
					     : -((int64_t)1 << (QUANTIZE_ZERO - 1 - i));
		return true;
	case FN_lquantize:
		*label = i == 0 ? d->params[0] - 1
				: d->params[0] + ((int64_t)i - 1) * lquantize_step(d);
		return true;
	default:
		*label = 0;
		if (i == mid)
			return true;
		if (i == 0 || i == 2 * mid) {
			*label = power(d->params[0], d->params[2] + 1);
			real = true;
		} else {
			real = ll_label(d, i > mid ? i - mid - 1 : mid - 1 - i, label);
		}
		if (i < mid)
			*label = -*label;
		return real;
	}
}

uint32_t agg_buckets(const struct aggdesc *d)
{
	return buckets(d);
}

static bool quantize_bucket(uint32_t i, struct agg_bucket *b)
{
	uint32_t k = i > QUANTIZE_ZERO ? i - QUANTIZE_ZERO : QUANTIZE_ZERO - i;

	b->has_min = i > 0;
	b->has_max = i < ABI_AGG_QUANTIZE_WORDS - 1;
	if (i > QUANTIZE_ZERO) {
		b->min = (int64_t)1 << (k - 1);
		b->max = b->has_max ? ((int64_t)1 << k) - 1 : 0;
	} else if (i < QUANTIZE_ZERO) {
		b->min = b->has_min ? 1 - ((int64_t)1 << k) : 0;
		b->max = -((int64_t)1 << (k - 1));
	}
	return true;
}

static bool lquantize_bucket(const struct aggdesc *d, uint32_t i, struct agg_bucket *b)
{
	b->has_min = i > 0;
	b->has_max = i < buckets(d) - 1;
	b->min = d->params[0] + ((int64_t)i - 1) * lquantize_step(d);
	b->max = i ? b->min + lquantize_step(d) - 1 : d->params[0] - 1;
	return true;
}

static bool llquantize_bucket(const struct aggdesc *d, uint32_t i, struct agg_bucket *b)
{
	uint32_t n = buckets(d), mid = n / 2, next;
	int64_t low, high, t;

	b->has_min = b->has_max = true;
	if (i == mid) {
		b->max = power(d->params[0], d->params[1]) - 1;
		b->min = -b->max;
		return true;
	}
	/* The mirror image on the right, up to the next bucket that holds something. */
	next = i < mid ? n - 1 - i : i;
	if (!bucket_label(d, next, &low))
		return false;
	high = low;
	while (next < n - 1 && (!bucket_label(d, ++next, &high) || high == low))
		;
	b->min = low;
	b->max = high - 1;
	b->has_max = i != n - 1 && i != 0;
	if (i < mid) {
		t = b->min;
		b->min = -b->max;
		b->max = -t;
		b->has_min = b->has_max;
		b->has_max = true;
	}
	return true;
}

bool agg_bucket_get(const struct aggdesc *d, uint32_t i, struct agg_bucket *b)
{
	*b = (struct agg_bucket){ 0 };
	switch (d->func) {
	case FN_quantize: return quantize_bucket(i, b);
	case FN_lquantize: return lquantize_bucket(d, i, b);
	default: return llquantize_bucket(d, i, b);
	}
}

/* ---- order ---------------------------------------------------------------------------------- */

/* The sum of label * count. */
static __int128 weight(const struct aggdesc *d, const uint64_t *v)
{
	uint32_t i, n = buckets(d);
	__int128 sum = 0;
	int64_t label;

	for (i = 0; i < n; i++)
		if (v[i] && bucket_label(d, i, &label))
			sum += (__int128)label * (int64_t)v[i];
	return sum;
}

void agg_rank(const struct aggdesc *d, const uint64_t *v, struct agg_rank *r)
{
	r->tie = 0;
	if (!v) {
		r->value = 0;
	} else if (agg_is_distribution(d)) {
		r->value = weight(d, v);
		r->tie = (int64_t)v[zero_bucket(d)];
	} else if (d->func == FN_stddev) {
		r->value = stddev(v, 1);
	} else {
		r->value = agg_value_number(d, v, 1);
	}
}

int agg_rank_cmp(const struct agg_rank *x, const struct agg_rank *y)
{
	if (x->value != y->value)
		return x->value < y->value ? -1 : 1;
	return (x->tie > y->tie) - (x->tie < y->tie);
}

int agg_value_cmp(const struct aggdesc *d, const uint64_t *x, const uint64_t *y)
{
	struct agg_rank a, b;

	agg_rank(d, x, &a);
	agg_rank(d, y, &b);
	return agg_rank_cmp(&a, &b);
}

/* ---- printing ------------------------------------------------------------------------------- */

/* The label of a bucket as it is shown, without padding. */
static void label_text(char *text, size_t size, const struct aggdesc *d, const uint64_t *v,
		       uint32_t i)
{
	uint32_t n = buckets(d), mid = n / 2, k;
	int64_t label;

	bucket_label(d, i, &label);
	snprintf(text, size, "%lld", (long long)label);
	if (d->func == FN_lquantize && i == 0) {
		snprintf(text, size, "< %lld", (long long)d->params[0]);
	} else if (d->func == FN_lquantize && i == n - 1) {
		snprintf(text, size, ">= %lld", (long long)label);
	} else if (d->func == FN_llquantize && i == 0) {
		snprintf(text, size, "<= %lld", (long long)label);
	} else if (d->func == FN_llquantize && i == n - 1) {
		snprintf(text, size, ">= %lld", (long long)label);
	} else if (d->func == FN_llquantize && i == mid && d->params[1] > 0) {
		for (k = 0; k < mid && v[k] == 0; k++)
			;
		snprintf(text, size, "%s %lld", k < mid ? "abs() <" : "<",
			 (long long)power(d->params[0], d->params[1]));
	}
}

static uint64_t magnitude(uint64_t count)
{
	return (int64_t)count < 0 ? -count : count;
}

struct bars {
	unsigned __int128 total; /* of absolute values over the rows shown */
	bool up, down;
	bool utf8;
	bool zoom; /* total is the largest value, which fills 95 % of the width */
};

/* round(width * share of count), at most `width` */
static uint32_t share(const struct bars *b, uint64_t count, uint32_t width)
{
	unsigned __int128 n = (unsigned __int128)count * width * (b->zoom ? 95 : 1);
	unsigned __int128 of = b->total * (b->zoom ? 100 : 1);

	return of ? (uint32_t)((n * 2 + of) / (of * 2)) : 0;
}

/* U+2588 is a full block, U+258F an eighth of one. */
static void block_put(struct str *out, uint32_t eighths)
{
	str_puts(out, "\xe2\x96");
	str_putc(out, (char)(0x88 + 8 - eighths));
}

static void bar_utf8(struct str *out, const struct bars *b, uint64_t count)
{
	uint32_t n = share(b, count, BAR * 8), i;

	str_putc(out, '|');
	for (i = 0; i < n / 8; i++)
		block_put(out, 8);
	if (n % 8)
		block_put(out, n % 8);
	str_pad(out, ' ', BAR - (n + 7) / 8);
}

static void bar_print(struct str *out, const struct bars *b, uint64_t count)
{
	bool negative = (int64_t)count < 0;
	uint32_t width = b->up && b->down ? BAR / 2 : BAR, depth = share(b, magnitude(count), width);

	if (!b->down && b->utf8) {
		bar_utf8(out, b, count);
	} else if (!b->down) {
		str_putc(out, '|');
		str_pad(out, '@', depth);
		str_pad(out, ' ', width - depth);
	} else if (!b->up) {
		str_pad(out, ' ', width - depth);
		str_pad(out, '@', depth);
		str_putc(out, '|');
	} else if (negative || count == 0) {
		str_pad(out, ' ', width - depth);
		str_pad(out, '@', depth);
		str_putc(out, '|');
		str_pad(out, ' ', width);
	} else {
		str_pad(out, ' ', width);
		str_putc(out, '|');
		str_pad(out, '@', depth);
		str_pad(out, ' ', width - depth);
	}
}

/*
 * From one below the first bucket with data to one above the last; without data the three around
 * zero.
 */
static void rows_shown(const struct aggdesc *d, const uint64_t *v, uint32_t *first, uint32_t *last)
{
	uint32_t n = buckets(d), lo = 0, hi = n - 1;
	int64_t label;

	while (lo < n && v[lo] == 0)
		lo++;
	while (hi > lo && v[hi] == 0)
		hi--;
	if (lo == n) {
		lo = hi = d->func == FN_quantize    ? QUANTIZE_ZERO
			  : d->func == FN_lquantize ? 1
						    : n / 2 + 1;
		hi = MIN(hi, n - 1);
	}
	do {
		lo -= lo > 0;
	} while (lo > 0 && !bucket_label(d, lo, &label));
	do {
		hi += hi < n - 1;
	} while (hi < n - 1 && !bucket_label(d, hi, &label));
	*first = lo;
	*last = hi;
}

static void distribution_print(struct str *out, const struct aggdesc *d, const uint64_t *v,
			       uint64_t normal, const struct agg_style *style)
{
	struct bars bars = { .utf8 = style->utf8, .zoom = style->zoom };
	uint32_t first, last, i;
	uint64_t most = 0;
	char text[32];
	int64_t label;

	rows_shown(d, v, &first, &last);
	for (i = first; i <= last; i++) {
		bars.total += magnitude(v[i]);
		bars.up |= (int64_t)v[i] > 0;
		bars.down |= (int64_t)v[i] < 0;
		most = MAX(most, magnitude(v[i]));
	}
	if (style->zoom)
		bars.total = most;
	str_printf(out, "\n%16s %41s %-9s\n", "value", "------------- Distribution -------------",
		   "count");
	for (i = first; i <= last; i++) {
		if (!bucket_label(d, i, &label))
			continue;
		label_text(text, sizeof(text), d, v, i);
		str_printf(out, "%16s ", text);
		bar_print(out, &bars, v[i]);
		str_printf(out, " %-9lld\n", (long long)agg_divide((int64_t)v[i], normal));
	}
}

void agg_value_print(struct str *out, const struct aggdesc *d, const uint64_t *v, uint64_t normal)
{
	agg_value_draw(out, d, v, normal, &(struct agg_style){ 0 });
}

void agg_value_draw(struct str *out, const struct aggdesc *d, const uint64_t *v, uint64_t normal,
		    const struct agg_style *style)
{
	uint64_t *zero = NULL;

	if (!v && agg_is_distribution(d))
		v = zero = mem_alloc(buckets(d) * sizeof(*zero));
	if (agg_is_distribution(d))
		distribution_print(out, d, v, normal, style);
	else if (d->func == FN_stddev)
		str_printf(out, " %16llu", v ? (unsigned long long)stddev(v, normal) : 0ull);
	else
		str_printf(out, " %16lld", v ? (long long)agg_value_number(d, v, normal) : 0ll);
	free(zero);
}

/* ---- entries in one line -------------------------------------------------------------------- */

void agg_group_free(struct agg_group *g)
{
	free(g->sums);
}

static void group_count(struct agg_group *g, uint64_t n)
{
	g->total += magnitude(n);
	g->most = MAX(g->most, magnitude(n));
	g->up |= (int64_t)n > 0;
	g->down |= (int64_t)n < 0;
}

void agg_group_add(const struct aggdesc *d, const uint64_t *v, struct agg_group *g)
{
	if (!agg_is_distribution(d)) {
		group_count(g, v[0]);
		return;
	}
	g->packed = true;
	if (!g->sums)
		g->sums = mem_alloc(buckets(d) * sizeof(*g->sums));
	for (uint32_t i = 0; i < buckets(d); i++)
		g->sums[i] += magnitude(v[i]);
	rows_shown(d, g->sums, &g->first, &g->last);
}

/* Width of the label of a bucket, under its word of three letters. */
static int label_width(const struct aggdesc *d, const struct agg_group *g, uint32_t i, char *text,
		       size_t size)
{
	label_text(text, size, d, g->sums, i);
	return MAX((int)strlen(text), 3);
}

void agg_group_head(struct str *out, const struct aggdesc *d, struct agg_group *g, int width,
		    const char *word, const struct agg_style *style)
{
	char text[32];

	if (!g->packed) {
		if (style->zoom)
			g->total = g->most;
		str_printf(out, "\n%*s %41s %-9s\n", width, word,
			   "------------- Distribution -------------", "count");
		return;
	}
	str_printf(out, "\n%*s %*s .", width, word,
		   label_width(d, g, g->first, text, sizeof(text)), "min");
	str_pad(out, '-', g->last - g->first + 1);
	str_printf(out, ". %-*s | count\n", label_width(d, g, g->last, text, sizeof(text)), "max");
}

static void level_put(struct str *out, uint64_t count, const struct bars *b, bool ascii)
{
	static const char up[] = "__xxxxXX", down[] = "vvvvVV";
	bool negative = (int64_t)count < 0;
	uint32_t level = share(b, magnitude(count), negative ? 5 : 7);

	if (!count) {
		str_putc(out, ' ');
	} else if (negative || ascii) {
		str_putc(out, negative ? down[level] : up[level]);
	} else {
		str_puts(out, "\xe2\x96"); /* U+2581 ... U+2588 */
		str_putc(out, (char)(0x81 + level));
	}
}

static void packed_draw(struct str *out, const struct aggdesc *d, const uint64_t *v, uint64_t normal,
			const struct agg_group *g, const struct agg_style *style)
{
	struct bars bars = { .zoom = style->zoom };
	int64_t sum = 0;
	uint64_t most = 0;
	char text[32];
	uint32_t i;
	int width;

	for (i = g->first; i <= g->last; i++) {
		bars.total += magnitude(v[i]);
		most = MAX(most, magnitude(v[i]));
		sum += (int64_t)v[i];
	}
	if (style->zoom)
		bars.total = most;
	width = label_width(d, g, g->first, text, sizeof(text));
	str_printf(out, " %*s :", width, text);
	for (i = g->first; i <= g->last; i++)
		level_put(out, v[i], &bars, style->pack_ascii);
	width = label_width(d, g, g->last, text, sizeof(text));
	str_printf(out, ": %-*s | %lld", width, text, (long long)agg_divide(sum, normal));
}

void agg_group_draw(struct str *out, const struct aggdesc *d, const uint64_t *v, uint64_t normal,
		    const struct agg_group *g, const struct agg_style *style)
{
	struct bars bars = { g->total, g->up, g->down, style->utf8, style->zoom };

	if (g->packed) {
		packed_draw(out, d, v, normal, g, style);
		return;
	}
	str_putc(out, ' ');
	bar_print(out, &bars, v[0]);
	str_printf(out, " %-9lld", (long long)agg_value_number(d, v, normal));
}
