/* SPDX-License-Identifier: BSD-2-Clause */
/* Operands of static probes as compilers write them into notes: assembler operands of x86-64 (sym/notearg.h). */
#include "sym/notearg.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REG_IP 128

/* Names of a register at 8, 4, 2 and 1 bytes, the second byte of the old ones, and where struct pt_regs has it. */
static const struct {
	const char *name[5];
	int16_t offset;
} registers[] = {
	{ { "rax", "eax", "ax", "al", "ah" }, 80 },
	{ { "rbx", "ebx", "bx", "bl", "bh" }, 40 },
	{ { "rcx", "ecx", "cx", "cl", "ch" }, 88 },
	{ { "rdx", "edx", "dx", "dl", "dh" }, 96 },
	{ { "rsi", "esi", "si", "sil", "" }, 104 },
	{ { "rdi", "edi", "di", "dil", "" }, 112 },
	{ { "rbp", "ebp", "bp", "bpl", "" }, 32 },
	{ { "rsp", "esp", "sp", "spl", "" }, 152 },
	{ { "r8", "r8d", "r8w", "r8b", "" }, 72 },
	{ { "r9", "r9d", "r9w", "r9b", "" }, 64 },
	{ { "r10", "r10d", "r10w", "r10b", "" }, 56 },
	{ { "r11", "r11d", "r11w", "r11b", "" }, 48 },
	{ { "r12", "r12d", "r12w", "r12b", "" }, 24 },
	{ { "r13", "r13d", "r13w", "r13b", "" }, 16 },
	{ { "r14", "r14d", "r14w", "r14b", "" }, 8 },
	{ { "r15", "r15d", "r15w", "r15b", "" }, 0 },
	{ { "rip", "", "", "", "" }, REG_IP },
};

/* "%eax": its place; the text moves behind it. -1: no register that we know. */
static int reg_parse(const char **s, uint8_t *shift)
{
	size_t n = 0;

	if (**s != '%')
		return -1;
	while (isalnum((unsigned char)(*s)[1 + n]))
		n++;
	for (size_t i = 0; i < sizeof(registers) / sizeof(registers[0]); i++)
		for (int k = 0; k < 5; k++)
			if (strlen(registers[i].name[k]) == n && n &&
			    !strncmp(*s + 1, registers[i].name[k], n)) {
				*s += 1 + n;
				*shift = k == 4 ? 8 : 0;
				return registers[i].offset;
			}
	return -1;
}

/* "(%rax,%rbx,4)" behind a displacement. */
static bool mem_parse(const char *s, struct note_arg *a)
{
	uint8_t shift;
	int reg;

	if (*s++ != '(')
		return false;
	if (*s == '%') {
		reg = reg_parse(&s, &shift);
		if (reg < 0)
			return false;
		a->reg = reg;
	}
	if (*s == ',') {
		s++;
		reg = reg_parse(&s, &shift);
		if (reg < 0)
			return false;
		a->index = reg;
		if (*s == ',') {
			a->scale = s[1] - '0';
			s += s[1] ? 2 : 1;
		}
		if (a->scale != 1 && a->scale != 2 && a->scale != 4 && a->scale != 8)
			return false;
	}
	a->kind = NOTE_ARG_MEM;
	return !strcmp(s, ")");
}

static bool is_symbol(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '.' || c == '$' || c == '@';
}

/* "-8", "4+name", "name+4", "name", "": what is added to an address. The text moves behind it. */
static bool offset_parse(const char **s, struct note_arg *a)
{
	const char *p = *s;
	bool more = isdigit((unsigned char)*p) || is_symbol(*p) || *p == '-';

	while (more) {
		bool minus = *p == '-';
		size_t n = 0;

		p += minus || *p == '+';
		if (isdigit((unsigned char)*p)) {
			uint64_t number;
			char *end;

			errno = 0;
			number = strtoull(p, &end, 0);
			if (errno)
				return false;
			a->value += (int64_t)(minus ? -number : number);
			n = end - p;
		} else {
			while (is_symbol(p[n]))
				n++;
			if (!n || *a->symbol || minus || n >= sizeof(a->symbol))
				return false;
			memcpy(a->symbol, p, n);
		}
		p += n;
		more = *p == '+' || *p == '-';
	}
	*s = p;
	return true;
}

/* "%fs:-8", "%fs:(%rax)", "%fs:name@tpoff+4". */
static bool segment_parse(const char *s, struct note_arg *a)
{
	static const char tpoff[] = "@tpoff";
	char *end;

	a->segment = s[1];
	s += strlen("%fs:");
	if (!*s || !offset_parse(&s, a))
		return false;
	end = a->symbol + strlen(a->symbol) - strlen(tpoff);
	if (*a->symbol && (end <= a->symbol || strcmp(end, tpoff) != 0 || a->segment != 'f'))
		return false;
	if (*a->symbol)
		*end = 0;
	a->kind = NOTE_ARG_MEM;
	return !*s || mem_parse(s, a);
}

static bool operand_parse(const char *s, struct note_arg *a)
{
	int reg;

	if (*s == '$') {
		a->kind = NOTE_ARG_CONST;
		s++;
		return *s && offset_parse(&s, a) && !*s;
	}
	if (!strncmp(s, "%fs:", 4) || !strncmp(s, "%gs:", 4))
		return segment_parse(s, a);
	if (*s == '%') {
		a->kind = NOTE_ARG_REG;
		reg = reg_parse(&s, &a->shift);
		a->reg = reg;
		return reg >= 0 && !*s;
	}
	return offset_parse(&s, a) && mem_parse(s, a);
}

/* "-4@": signed, 4 bytes; without it 8 bytes. */
static bool size_parse(const char **s, struct note_arg *a)
{
	const char *at = strchr(*s, '@');
	char *end;
	long n;

	a->size = 8;
	if (!at)
		return true;
	n = strtol(*s, &end, 10);
	*s = at + 1;
	a->is_signed = n < 0;
	n = labs(n);
	a->size = n == 1 || n == 2 || n == 4 ? n : 8;
	return end == at && n == a->size;
}

static void none(struct note_arg *a, const char *text)
{
	struct note_arg was = *a;

	*a = (struct note_arg){
		.size = was.size, .is_signed = was.is_signed, .reg = -1, .index = -1, .scale = 1
	};
	snprintf(a->symbol, sizeof(a->symbol), "%s", text);
}

static void arg_parse(const char *text, struct note_arg *a)
{
	const char *s = text;

	*a = (struct note_arg){ .reg = -1, .index = -1, .scale = 1 };
	if (!size_parse(&s, a) || !operand_parse(s, a))
		none(a, text);
}

int note_args_parse(const char *text, struct note_arg args[NOTE_ARGS])
{
	char word[128];
	int n = 0;

	while (n < NOTE_ARGS) {
		size_t len;

		text += strspn(text, " ");
		len = strcspn(text, " ");
		if (!len)
			break;
		if (len < sizeof(word)) {
			memcpy(word, text, len);
			word[len] = 0;
		} else {
			strcpy(word, "?");
		}
		arg_parse(word, &args[n++]);
		text += len;
	}
	return n;
}

static void unknown_symbol(struct note_arg *a)
{
	char name[NOTE_SYMBOL];

	memcpy(name, a->symbol, sizeof(name));
	none(a, name);
}

void note_arg_resolve(struct note_arg *a, uint64_t symbol, uint64_t probe, bool fixed)
{
	bool relative = a->kind == NOTE_ARG_MEM && a->reg == REG_IP && a->index < 0;

	if (!symbol || !(relative || fixed)) {
		unknown_symbol(a);
		return;
	}
	*a->symbol = 0;
	a->value += (int64_t)(relative ? symbol - probe : symbol); /* the counter is at the probe */
}

void note_arg_resolve_thread(struct note_arg *a, bool known, int64_t distance)
{
	if (!known) {
		unknown_symbol(a);
		return;
	}
	*a->symbol = 0;
	a->value += distance;
}

/* Of what cannot be read the text makes no difference. */
bool note_arg_same(const struct note_arg *a, const struct note_arg *b)
{
	return a->kind == b->kind && a->size == b->size && a->is_signed == b->is_signed &&
	       a->shift == b->shift && a->reg == b->reg && a->index == b->index &&
	       a->scale == b->scale && a->value == b->value && a->segment == b->segment &&
	       (a->kind == NOTE_ARG_NONE || !strcmp(a->symbol, b->symbol));
}
