/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Searching, cutting and rewriting strings.
 *
 * Loops over characters are bpf_loop(), whose body the verifier checks once however long strings
 * may be. What a loop is about stays the same (struct scan, on the stack); what changes from turn to turn is
 * in work[] of the frame, of which the verifier knows nothing, so that all turns look alike to it.
 * Strings are not NULL here: generated code has seen to it.
 */
#include "str.h"

static __always_inline u64 scan_byte(const struct scan *sc, u64 off, u64 n, u64 i)
{
	const unsigned char *p = byte_at(sc->f, off + (sc->back ? n - 1 - i : i), conf.frame_size);

	return p ? *p : 0;
}

/* ---- runs of one character ---- */

static long run_turn(u64 i, struct scan *sc)
{
	return i >= sc->n || (scan_byte(sc, sc->s, sc->n, i) == sc->c) != sc->want;
}

/* How many of n bytes in a row are c (want) or are not (!want), from the first or from the last. */
static __always_inline u64 run_length(char *f, u64 s, u64 n, u64 back, u64 c, u64 want)
{
	struct scan sc = { .f = f, .s = s, .n = n, .back = back, .c = c, .want = want };

	return bpf_loop(conf.strsize, run_turn, &sc, 0) - 1;
}

/* strchr(), strrchr(): the NUL is part of the string. */
ROUTINE u64 rt_str_chr(u64 frame, u64 dst, u64 src, u64 c, u64 last)
{
	char *f = frame_get(frame);
	struct abi_str *to, *from;
	u64 len, at;

	if (!f || !(to = str_at(f, dst, conf.frame_size)) ||
	    !(from = str_at(f, src, conf.frame_size)))
		return 1;
	len = str_length(from);
	c &= 0xff;
	if (!c) {
		str_finish(to, 0);
		return 0;
	}
	at = run_length(f, src + 8, len, last, c, 0);
	if (at >= len) {
		to->len = ABI_STR_NULL;
		return 0;
	}
	if (last)
		at = len - 1 - at;
	str_cut(to, from, at, len - at);
	return 0;
}

/* ---- one string in another ---- */

#define HASH_B 0x100000001b3ull

enum { W_HASH, W_TARGET, W_POWER, W_AT };

static long equal_turn(u64 i, struct scan *sc)
{
	const unsigned char *a = byte_at(sc->f, sc->s + i, conf.frame_size);
	const unsigned char *b = byte_at(sc->f, sc->sub + i, conf.frame_size);

	return i >= sc->m || !a || !b || *a != *b;
}

static long target_turn(u64 i, struct scan *sc)
{
	volatile u64 *w = WORK(sc->f);

	if (i >= sc->m)
		return 1;
	w[W_TARGET] = w[W_TARGET] * HASH_B + scan_byte(sc, sc->sub, sc->m, i);
	w[W_POWER] *= HASH_B;
	return 0;
}

/* The hash of the last m bytes goes along; where it is the target's, bytes are compared. */
static long find_turn(u64 i, struct scan *sc)
{
	volatile u64 *w = WORK(sc->f);
	struct scan eq = { .f = sc->f, .sub = sc->sub, .m = sc->m };
	u64 h, from;

	if (i >= sc->n)
		return 1;
	h = w[W_HASH] * HASH_B + scan_byte(sc, sc->s, sc->n, i);
	if (i >= sc->m)
		h -= w[W_POWER] * scan_byte(sc, sc->s, sc->n, i - sc->m);
	w[W_HASH] = h;
	if (i + 1 < sc->m || h != w[W_TARGET])
		return 0;
	from = sc->back ? sc->n - 1 - i : i + 1 - sc->m;
	eq.s = sc->s + from;
	if ((u64)bpf_loop(conf.strsize, equal_turn, &eq, 0) - 1 < sc->m)
		return 0;
	w[W_AT] = from;
	return 1;
}

/* Where the m bytes at sub first (back: last) are among the n at s; -1: nowhere. */
static __always_inline s64 find(char *f, u64 s, u64 n, u64 sub, u64 m, u64 back)
{
	struct scan sc = { .f = f, .s = s, .n = n, .sub = sub, .m = m, .back = back };
	volatile u64 *w = WORK(f);

	w[W_HASH] = w[W_TARGET] = 0;
	w[W_POWER] = 1;
	w[W_AT] = ~0ull;
	bpf_loop(conf.strsize, target_turn, &sc, 0);
	bpf_loop(conf.strsize, find_turn, &sc, 0);
	return w[W_AT];
}

/* As in Perl. start is cut to the string. */
ROUTINE u64 rt_str_index(u64 frame, u64 s, u64 sub, u64 start, u64 last)
{
	char *f = frame_get(frame);
	struct abi_str *a, *b;
	u64 n, m;
	s64 at;

	if (!f || !(a = str_at(f, s, conf.frame_size)) || !(b = str_at(f, sub, conf.frame_size)))
		return -1;
	n = str_length(a);
	m = str_length(b);
	if ((s64)start < 0) {
		if (last && m)
			return -1;
		start = 0;
	}
	if (!m)
		return min_u64(start, n);
	if (m > n)
		return -1;
	if (last)
		return find(f, s + 8, min_u64(n, start + m), sub + 8, m, 1);
	if (start >= n)
		return -1;
	at = find(f, s + 8 + start, n - start, sub + 8, m, 0);
	return at < 0 ? at : at + (s64)start;
}

ROUTINE u64 rt_str_str(u64 frame, u64 dst, u64 s, u64 sub)
{
	char *f = frame_get(frame);
	struct abi_str *to, *a, *b;
	u64 n, m;
	s64 at = 0;

	if (!f || !(to = str_at(f, dst, conf.frame_size)) || !(a = str_at(f, s, conf.frame_size)) ||
	    !(b = str_at(f, sub, conf.frame_size)))
		return 1;
	n = str_length(a);
	m = str_length(b);
	if (m)
		at = m > n ? -1 : find(f, s + 8, n, sub + 8, m, 0);
	if (at < 0)
		to->len = ABI_STR_NULL;
	else
		str_cut(to, a, at, n - at);
	return 0;
}

/* ---- parts of strings ---- */

/* The window [i, i + n) on the string; i < 0 counts from its end, n < 0 leaves as many off there. */
ROUTINE u64 rt_str_substr(u64 frame, u64 dst, u64 src, u64 i, u64 n)
{
	char *f = frame_get(frame);
	struct abi_str *to, *from;
	s64 len, at = i, end;

	if (!f || !(to = str_at(f, dst, conf.frame_size)) ||
	    !(from = str_at(f, src, conf.frame_size)))
		return 1;
	len = str_length(from);
	if (at < 0)
		at += len;
	end = (s64)n < 0 ? len + (s64)n : at + (s64)n;
	if (at < 0)
		at = 0;
	if (end > len)
		end = len;
	if (at >= end)
		str_finish(to, 0);
	else
		str_cut(to, from, at, end - at);
	return 0;
}

static __always_inline void str_letter(struct abi_str *s, char c)
{
	s->s[0] = c;
	str_finish(s, 1);
}

ROUTINE u64 rt_str_basename(u64 frame, u64 dst, u64 src)
{
	char *f = frame_get(frame);
	struct abi_str *to, *from;
	u64 len, end, n;

	if (!f || !(to = str_at(f, dst, conf.frame_size)) ||
	    !(from = str_at(f, src, conf.frame_size)))
		return 1;
	len = str_length(from);
	end = len - run_length(f, src + 8, len, 1, '/', 1);
	n = run_length(f, src + 8, end, 1, '/', 0);
	if (!end)
		str_letter(to, len ? '/' : '.');
	else
		str_cut(to, from, end - n, n);
	return 0;
}

ROUTINE u64 rt_str_dirname(u64 frame, u64 dst, u64 src)
{
	char *f = frame_get(frame);
	struct abi_str *to, *from;
	u64 len, end;

	if (!f || !(to = str_at(f, dst, conf.frame_size)) ||
	    !(from = str_at(f, src, conf.frame_size)))
		return 1;
	len = str_length(from);
	end = len - run_length(f, src + 8, len, 1, '/', 1); /* slashes at the end, */
	end -= run_length(f, src + 8, end, 1, '/', 0);	    /* the last name, */
	if (!end) {
		/* A slash at the start is the first of a path of slashes or of one name. */
		str_letter(to, len && from->s[0] == '/' ? '/' : '.');
		return 0;
	}
	end -= run_length(f, src + 8, end, 1, '/', 1); /* slashes before it */
	if (!end)
		str_letter(to, '/');
	else
		str_cut(to, from, 0, end);
	return 0;
}

/* ---- letters ---- */

/* Of eight letters, those from a to z or from A to Z, changed into the others. */
static __always_inline u64 letters_change(u64 w, u64 upper)
{
	u64 low = w & EACH(0x7f), first = upper ? 'a' : 'A', in;

	in = (low + EACH(0x80 - first)) & ~(low + EACH(0x7f - first - 25)) & ~w & EACH(0x80);
	return w ^ in >> 2;
}

static long case_turn(u64 i, struct scan *sc)
{
	u64 *p = word_at(sc->f, sc->s + i * 8, conf.frame_size);

	if (i * 8 >= sc->n || !p)
		return 1;
	*p = letters_change(*p, sc->c);
	return 0;
}

ROUTINE u64 rt_str_case(u64 frame, u64 dst, u64 src, u64 upper)
{
	char *f = frame_get(frame);
	struct abi_str *to, *from;
	struct scan sc = { .f = f, .s = dst + 8, .c = upper };

	if (!f || !(to = str_at(f, dst, conf.frame_size)) ||
	    !(from = str_at(f, src, conf.frame_size)))
		return 1;
	sc.n = str_length(from);
	str_cut(to, from, 0, sc.n);
	bpf_loop(conf.strmax / 8, case_turn, &sc, 0);
	return 0;
}

/* ---- tokens ---- */

static long set_turn(u64 i, struct scan *sc)
{
	u64 c;

	if (i >= sc->m)
		return 1;
	c = scan_byte(sc, sc->sub, sc->m, i);
	WORK(sc->f)[c >> 6 & 3] |= 1ull << (c & 63);
	return 0;
}

static long member_turn(u64 i, struct scan *sc)
{
	u64 c;

	if (i >= sc->n)
		return 1;
	c = scan_byte(sc, sc->s, sc->n, i);
	return (WORK(sc->f)[c >> 6 & 3] >> (c & 63) & 1) != sc->want;
}

/*
 * The next token of `saved`, into which src (not 0) is copied first. The position is kept in the
 * frame for the firing. 1: there is nothing to go on with.
 */
ROUTINE u64 rt_str_tok(u64 frame, u64 dst, u64 saved, u64 src, u64 delims)
{
	char *f = frame_get(frame);
	struct abi_str *to, *text, *from, *d;
	struct scan sc = { .f = f, .sub = delims + 8 };
	volatile u64 *w;
	u64 len, at, n;

	if (!f || !(to = str_at(f, dst, conf.frame_size)) ||
	    !(text = str_at(f, saved, conf.frame_size)) || !(d = str_at(f, delims, conf.frame_size)))
		return 1;
	if (src) {
		if (!(from = str_at(f, src, conf.frame_size)))
			return 1;
		str_cut(text, from, 0, str_length(from));
		((struct abi_frame *)f)->strtok = 1;
	}
	at = ((volatile struct abi_frame *)f)->strtok;
	if (!at)
		return 1;
	len = str_length(text);
	at = min_u64(at - 1, len);
	w = WORK(f);
	w[0] = w[1] = w[2] = w[3] = 0;
	sc.m = str_length(d);
	bpf_loop(conf.strsize, set_turn, &sc, 0);
	sc.s = saved + 8 + at;
	sc.n = len - at;
	sc.want = 1;
	at += bpf_loop(conf.strsize, member_turn, &sc, 0) - 1;
	sc.s = saved + 8 + at;
	sc.n = len - at;
	sc.want = 0;
	n = bpf_loop(conf.strsize, member_turn, &sc, 0) - 1;
	((struct abi_frame *)f)->strtok = at + n + 2; /* behind the delimiter, or the end */
	if (at >= len)
		to->len = ABI_STR_NULL;
	else
		str_cut(to, text, at, n);
	return 0;
}

/* ---- paths ---- */

enum { P_OUT, P_NAME, P_NAMES }; /* bytes made; where this name began; names that ".." may take */

static __always_inline void path_put(struct scan *sc, u64 at, char c)
{
	u64 off = sc->sub + at;

	FENCE(off);
	if (off < conf.frame_size)
		sc->f[off] = c;
}

/* The name that ends here is done: "." goes again, ".." takes the one before it. */
static __always_inline void path_name_end(struct scan *sc)
{
	volatile u64 *w = WORK(sc->f);
	struct scan before = { .f = sc->f, .s = sc->sub, .back = 1, .c = '/' };
	u64 out = w[P_OUT], name = w[P_NAME], first, n = out - name;
	const unsigned char *p;
	bool dots;

	if (!n)
		return;
	first = name + (name || sc->want); /* behind the slash */
	p = byte_at(sc->f, sc->sub + first, conf.frame_size - 1ull);
	n = out - first;
	if (!p || !n)
		return;
	dots = p[0] == '.' && (n == 1 || (n == 2 && p[1] == '.'));
	if (!dots) {
		w[P_NAMES]++;
		w[P_NAME] = out;
		return;
	}
	if (n == 2 && !w[P_NAMES] && !sc->want) { /* nothing to take: it stays */
		w[P_NAME] = out;
		return;
	}
	w[P_OUT] = name;
	if (n == 1 || !w[P_NAMES])
		return;
	w[P_NAMES]--;
	before.n = name;
	name -= bpf_loop(conf.strsize, run_turn, &before, 0) - 1; /* behind its slash */
	w[P_OUT] = w[P_NAME] = name ? name - 1 : 0;
}

static long path_turn(u64 i, struct scan *sc)
{
	volatile u64 *w = WORK(sc->f);
	u64 c = '/';

	if (i > sc->n)
		return 1;
	if (i < sc->n)
		c = scan_byte(sc, sc->s, sc->n, i);
	if (c == '/') {
		path_name_end(sc);
		return 0;
	}
	if (w[P_OUT] == w[P_NAME] && (w[P_OUT] || sc->want))
		path_put(sc, w[P_OUT]++, '/');
	path_put(sc, w[P_OUT]++, c);
	return 0;
}

/* cleanpath(): what is made is never longer than what it is made from. */
ROUTINE u64 rt_str_cleanpath(u64 frame, u64 dst, u64 src)
{
	char *f = frame_get(frame);
	struct scan sc = { .f = f, .s = src + 8, .sub = dst + 8 };
	struct abi_str *to, *from;
	volatile u64 *w;
	u64 n;

	if (!f || !(to = str_at(f, dst, conf.frame_size)) ||
	    !(from = str_at(f, src, conf.frame_size)))
		return 1;
	w = WORK(f);
	w[P_OUT] = w[P_NAME] = w[P_NAMES] = 0;
	sc.n = str_length(from);
	sc.want = sc.n && from->s[0] == '/'; /* absolute */
	bpf_loop(conf.strsize + 1, path_turn, &sc, 0);
	n = w[P_OUT];
	if (n)
		str_finish(to, n);
	else if (sc.n)
		str_letter(to, sc.want ? '/' : '.');
	else
		str_finish(to, 0);
	return 0;
}

/* ---- numbers ---- */

#define DIGITS_MAX 64

static long divide_turn(u64 i, struct scan *sc)
{
	volatile u64 *w = WORK(sc->f);

	(void)i;
	w[0] /= sc->c;
	return !w[0];
}

static long digit_turn(u64 i, struct scan *sc)
{
	volatile u64 *w = WORK(sc->f);
	u64 digit = w[0] % sc->c, off = sc->s + sc->n - 1 - i;

	w[0] /= sc->c;
	FENCE(off);
	if (sc->m + sc->n - 1 - i < conf.strsize - 1ull && off < conf.frame_size)
		sc->f[off] = digit < 10 ? '0' + digit : 'a' + digit - 10;
	return i + 1 >= sc->n;
}

/* Writes v in a base at a position of the string; gives the position behind it, in storage or not. */
ROUTINE u64 rt_put_number(u64 frame, u64 dst, u64 pos, u64 v, u64 base)
{
	char *f = frame_get(frame);
	struct scan sc = { .f = f, .s = dst + 8 + pos, .m = pos, .c = base };

	if (!f || !str_at(f, dst, conf.frame_size) || base < 2 || base > 36)
		return pos;
	WORK(f)[0] = v;
	sc.n = bpf_loop(DIGITS_MAX, divide_turn, &sc, 0);
	WORK(f)[0] = v;
	bpf_loop(DIGITS_MAX, digit_turn, &sc, 0);
	return pos + sc.n;
}

ROUTINE u64 rt_put(u64 frame, u64 dst, u64 pos, u64 c)
{
	char *f = frame_get(frame);
	struct abi_str *to;

	if (!f || !(to = str_at(f, dst, conf.frame_size)))
		return pos;
	FENCE(pos);
	if (pos < conf.strsize - 1)
		to->s[pos] = c;
	return pos + 1;
}

/* Only decimal numbers have a sign; octal and hexadecimal ones begin as in C. */
ROUTINE u64 rt_str_number(u64 frame, u64 dst, u64 v, u64 base)
{
	char *f = frame_get(frame);
	struct abi_str *to;
	u64 pos = 0;

	if (!f || !(to = str_at(f, dst, conf.frame_size)))
		return 1;
	if (base == 10 && (s64)v < 0) {
		pos = rt_put(frame, dst, pos, '-');
		v = -v;
	} else if (base == 16 || (base == 8 && v)) {
		pos = rt_put(frame, dst, pos, '0');
		if (base == 16)
			pos = rt_put(frame, dst, pos, 'x');
	}
	str_finish(to, rt_put_number(frame, dst, pos, v, base));
	return 0;
}

enum { N_VALUE, N_STATE, N_NEGATIVE };
enum { NUM_BLANKS, NUM_SIGNED, NUM_ZERO, NUM_DIGITS };

static __always_inline u64 digit_value(u64 c)
{
	if (c - '0' < 10)
		return c - '0';
	c |= 0x20;
	return c - 'a' < 26 ? c - 'a' + 10 : 36;
}

static long number_turn(u64 i, struct scan *sc)
{
	volatile u64 *w = WORK(sc->f);
	u64 c, d, state = w[N_STATE];

	if (i >= sc->n)
		return 1;
	c = scan_byte(sc, sc->s, sc->n, i);
	if (state == NUM_BLANKS) {
		if (c == ' ' || c - '\t' < 5)
			return 0;
		w[N_STATE] = NUM_SIGNED;
		w[N_NEGATIVE] = c == '-';
		if (c == '-' || c == '+')
			return 0;
	}
	if (state == NUM_ZERO && sc->c == 16 && (c | 0x20) == 'x') {
		w[N_STATE] = NUM_DIGITS;
		return 0;
	}
	w[N_STATE] = state < NUM_ZERO && c == '0' ? NUM_ZERO : NUM_DIGITS;
	d = digit_value(c);
	if (d >= sc->c)
		return 1;
	w[N_VALUE] = w[N_VALUE] * sc->c + d;
	return 0;
}

ROUTINE u64 rt_str_toll(u64 frame, u64 src, u64 base)
{
	char *f = frame_get(frame);
	struct scan sc = { .f = f, .s = src + 8, .c = base };
	struct abi_str *from;
	volatile u64 *w;

	if (!f || !(from = str_at(f, src, conf.frame_size)))
		return 0;
	w = WORK(f);
	w[N_VALUE] = w[N_STATE] = w[N_NEGATIVE] = 0;
	sc.n = str_length(from);
	bpf_loop(conf.strsize, number_turn, &sc, 0);
	return w[N_NEGATIVE] ? -w[N_VALUE] : w[N_VALUE];
}
