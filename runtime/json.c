/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * json(): one pass over the text, one character a turn. Only the containers on the way to what is
 * selected are looked into; others are passed over, strings in them being strings and brackets
 * being counted. All state is in work[] of the frame.
 */
#include "str.h"

enum {
	J_STATE,
	J_ARRAY, /* the container on the way is an array */
	J_INDEX, /* of the element at hand in it */
	J_WANT,	 /* the value at hand is selected */
	J_DEPTH, /* brackets open in a container that is passed over or taken whole */
	J_START, /* of the value at hand, or the letters of a word so far */
	J_KEY,	 /* bytes of the key compared, DIFFERS: it is not the one */
	J_BACK,	 /* state to go back to from an escape */
	J_FROM,
	J_TO,	 /* the part of the selector that counts in this container */
	J_NEXT,	 /* where the next part begins; at the end: this is the last */
	J_NUMBER, /* the part as an index, DIFFERS: it is none */
	J_FOUND, /* one behind the start of the result, 0: none */
	J_LENGTH,
};
#define DIFFERS (~0ull)

enum {
	S_START, S_KEY, S_INKEY, S_COLON, S_VALUE, S_STRING, S_ESCAPE, S_HEX1, S_HEX2, S_HEX3, S_HEX4,
	S_WORD, S_INT, S_FRACTION, S_EXPONENT, S_POWER, S_INSIDE, S_INSTRING, S_INESCAPE, S_COMMA,
	S_MEMBER,
};

static __always_inline u64 text_byte(const struct scan *sc, u64 off)
{
	const unsigned char *p = byte_at(sc->f, off, conf.frame_size);

	return p ? *p : 0;
}

static __always_inline bool is_blank(u64 c)
{
	return c == ' ' || c - '\t' < 5;
}

static __always_inline bool is_digit(u64 c)
{
	return c - '0' < 10;
}

/* ---- the selector ---- */

static long part_turn(u64 i, struct scan *sc)
{
	volatile u64 *w = WORK(sc->f);
	u64 c;

	if (w[J_FROM] + i >= sc->m)
		return 1;
	c = text_byte(sc, sc->sub + w[J_FROM] + i);
	if (c == '.' || c == '[' || c == ']')
		return 1;
	if (!is_digit(c) || w[J_NUMBER] > 1u << 30)
		w[J_NUMBER] = DIFFERS;
	else
		w[J_NUMBER] = w[J_NUMBER] * 10 + c - '0';
	return 0;
}

/* Takes the part that begins at J_NEXT: "name", ".name", "[n]". 1: there is none. */
static __attribute__((noinline)) long part_next(struct scan *sc)
{
	volatile u64 *w = WORK(sc->f);
	u64 from = w[J_NEXT], to, c;

	if (from >= sc->m)
		return 1;
	c = text_byte(sc, sc->sub + from);
	if (c == '.' || c == '[')
		from++;
	w[J_FROM] = from;
	w[J_NUMBER] = 0;
	to = from + bpf_loop(conf.strsize, part_turn, sc, 0) - 1;
	w[J_TO] = to;
	if (to == from)
		return 1;
	w[J_NEXT] = to + (to < sc->m && text_byte(sc, sc->sub + to) == ']');
	return 0;
}

/* ---- values ---- */

/* A whole value that ends before `end`: the result, or the next member is looked for. */
static __always_inline long value_end(struct scan *sc, u64 end)
{
	volatile u64 *w = WORK(sc->f);

	w[J_STATE] = S_COMMA;
	if (!w[J_WANT])
		return 0;
	w[J_FOUND] = w[J_START] + 1;
	w[J_LENGTH] = end - w[J_START];
	return 1;
}

/* The first value of an array, or the first key of an object, comes next. */
static __always_inline long container_begin(struct scan *sc, u64 c)
{
	volatile u64 *w = WORK(sc->f);

	if (part_next(sc))
		return 1;
	w[J_ARRAY] = c == '[';
	w[J_INDEX] = 0;
	w[J_WANT] = w[J_ARRAY] && w[J_NUMBER] == 0;
	w[J_STATE] = w[J_ARRAY] ? S_VALUE : S_KEY;
	return 0;
}

static __always_inline long value_begin(struct scan *sc, u64 i, u64 c)
{
	volatile u64 *w = WORK(sc->f);
	bool last = w[J_NEXT] >= sc->m;

	if (is_blank(c))
		return 0;
	w[J_START] = i;
	if (c == '{' || c == '[') {
		if (w[J_WANT] && !last)
			return container_begin(sc, c);
		w[J_DEPTH] = 1;
		w[J_STATE] = S_INSIDE;
		return 0;
	}
	if (w[J_WANT] && !last)
		return 1; /* more is selected of what has no parts */
	if (c == '"') {
		w[J_START] = i + 1;
		w[J_STATE] = w[J_BACK] = S_STRING;
	} else if (is_digit(c) || c == '-') {
		w[J_STATE] = S_INT;
	} else if (c - 'a' < 26) {
		w[J_STATE] = S_WORD;
		w[J_KEY] = c;
	} else {
		return 1; /* an empty array too */
	}
	return 0;
}

/* One character more of a number or a word: 0, or 1 if it is not one and the value ends before it. */
static __always_inline long plain_goes_on(struct scan *sc, u64 c)
{
	volatile u64 *w = WORK(sc->f);
	u64 state = w[J_STATE];

	if (state == S_WORD) {
		if (c - 'a' >= 26)
			return 1;
		w[J_KEY] = w[J_KEY] << 8 | c;
		return 0;
	}
	if (is_digit(c)) {
		if (state == S_EXPONENT)
			w[J_STATE] = S_POWER;
		return 0;
	}
	if (state == S_INT && c == '.') {
		w[J_STATE] = S_FRACTION;
		return 0;
	}
	if (state <= S_FRACTION && (c | 0x20) == 'e') {
		w[J_STATE] = S_EXPONENT;
		return 0;
	}
	if (state == S_EXPONENT && (c == '+' || c == '-')) {
		w[J_STATE] = S_POWER;
		return 0;
	}
	return 1;
}

#define WORD_TRUE 0x74727565ull
#define WORD_FALSE 0x66616c7365ull
#define WORD_NULL 0x6e756c6cull

/* May a number or a word end so? */
static __always_inline bool plain_ends(struct scan *sc, u64 c)
{
	volatile u64 *w = WORK(sc->f);
	u64 word = w[J_KEY];

	if (w[J_STATE] == S_WORD && word != WORD_TRUE && word != WORD_FALSE && word != WORD_NULL)
		return false;
	return is_blank(c) || c == ',' || c == '}' || c == ']';
}

/* ---- strings ---- */

static __always_inline long key_byte(struct scan *sc, u64 c)
{
	volatile u64 *w = WORK(sc->f);
	u64 k = w[J_KEY], at = w[J_FROM] + k;

	if (c == '"') {
		w[J_WANT] = k != DIFFERS && at == w[J_TO];
		w[J_STATE] = S_COLON;
		return 0;
	}
	if (k == DIFFERS || at >= w[J_TO] || text_byte(sc, sc->sub + at) != c)
		w[J_KEY] = DIFFERS;
	else
		w[J_KEY] = k + 1;
	if (c == '\\')
		w[J_STATE] = S_ESCAPE;
	return 0;
}

/* The character behind a backslash; what an escape stands for is not made of it. */
static __always_inline long escape_byte(struct scan *sc, u64 c)
{
	volatile u64 *w = WORK(sc->f);
	u64 k = w[J_KEY], at = w[J_FROM] + k, state = w[J_STATE], next = w[J_BACK];

	if (state == S_ESCAPE) {
		if (c == 'u')
			next = S_HEX1;
		else if (c != '"' && c != '\\' && c != '/' && c != 'b' && c != 'f' && c != 'n' &&
			 c != 'r' && c != 't')
			return 1;
	} else {
		if (!is_digit(c) && (c | 0x20) - 'a' >= 6)
			return 1;
		if (state != S_HEX4)
			next = state + 1;
	}
	if (w[J_BACK] == S_INKEY) {
		if (k == DIFFERS || at >= w[J_TO] || text_byte(sc, sc->sub + at) != c)
			w[J_KEY] = DIFFERS;
		else
			w[J_KEY] = k + 1;
	}
	w[J_STATE] = next;
	return 0;
}

/* ---- what is between values ---- */

static __always_inline long inside_byte(struct scan *sc, u64 i, u64 c)
{
	volatile u64 *w = WORK(sc->f);

	if (c == '"')
		w[J_STATE] = S_INSTRING;
	else if (c == '{' || c == '[')
		w[J_DEPTH]++;
	else if ((c == '}' || c == ']') && !--w[J_DEPTH])
		return value_end(sc, i + 1);
	return 0;
}

/* 1 for what must not stand here, and for the end of the container: it has no such member. */
static __always_inline long between_byte(struct scan *sc, u64 c)
{
	volatile u64 *w = WORK(sc->f);
	u64 state = w[J_STATE];

	if (is_blank(c))
		return 0;
	if (state == S_START)
		return c == '{' || c == '[' ? container_begin(sc, c) : 1;
	if ((state == S_KEY || state == S_MEMBER) && c == '"') {
		w[J_KEY] = 0;
		w[J_STATE] = w[J_BACK] = S_INKEY;
		return 0;
	}
	if (state == S_COLON && c == ':') {
		w[J_STATE] = S_VALUE;
		return 0;
	}
	if (state != S_COMMA || c != ',')
		return 1;
	w[J_INDEX]++;
	if (w[J_ARRAY])
		w[J_WANT] = w[J_INDEX] == w[J_NUMBER];
	w[J_STATE] = w[J_ARRAY] ? S_VALUE : S_MEMBER;
	return 0;
}

static long json_turn(u64 i, struct scan *sc)
{
	volatile u64 *w = WORK(sc->f);
	u64 c, state = w[J_STATE];

	if (i >= sc->n)
		return 1;
	c = text_byte(sc, sc->s + i);
	if (state >= S_WORD && state <= S_POWER) {
		if (!plain_goes_on(sc, c))
			return 0;
		if (!plain_ends(sc, c) || value_end(sc, i))
			return 1;
		state = S_COMMA;
	}
	switch (state) {
	case S_VALUE: return value_begin(sc, i, c);
	case S_INKEY: return key_byte(sc, c);
	case S_STRING:
		if (c == '"')
			return value_end(sc, i);
		if (c == '\\')
			w[J_STATE] = S_ESCAPE;
		return 0;
	case S_ESCAPE:
	case S_HEX1:
	case S_HEX2:
	case S_HEX3:
	case S_HEX4: return escape_byte(sc, c);
	case S_INSIDE: return inside_byte(sc, i, c);
	case S_INSTRING:
		w[J_STATE] = c == '"' ? S_INSIDE : c == '\\' ? S_INESCAPE : S_INSTRING;
		return 0;
	case S_INESCAPE: w[J_STATE] = S_INSTRING; return 0;
	default: return between_byte(sc, c);
	}
}

ROUTINE u64 rt_json(u64 frame, u64 dst, u64 text, u64 selector)
{
	char *f = frame_get(frame);
	struct scan sc = { .f = f, .s = text + 8, .sub = selector + 8 };
	struct abi_str *to, *from, *sel;
	volatile u64 *w;

	if (!f || !(to = str_at(f, dst, conf.frame_size)) ||
	    !(from = str_at(f, text, conf.frame_size)) ||
	    !(sel = str_at(f, selector, conf.frame_size)))
		return 1;
	w = WORK(f);
	w[J_STATE] = S_START;
	w[J_NEXT] = w[J_FOUND] = 0;
	sc.n = str_length(from);
	sc.m = str_length(sel);
	bpf_loop(conf.strsize, json_turn, &sc, 0);
	if (w[J_FOUND])
		str_cut(to, from, w[J_FOUND] - 1, w[J_LENGTH]);
	else
		to->len = ABI_STR_NULL;
	return 0;
}
