/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the arguments of a static probe are: the operands of its note, such as "-4@112(%rsp) 8@%rax 4@$5". */
#ifndef SYM_NOTEARG_H
#define SYM_NOTEARG_H

#include <stdbool.h>
#include <stdint.h>

#define NOTE_ARGS 10
#define NOTE_SYMBOL 96

enum note_arg_kind { NOTE_ARG_NONE /* cannot be read: 0 */, NOTE_ARG_CONST, NOTE_ARG_REG, NOTE_ARG_MEM };

struct note_arg {
	enum note_arg_kind kind;
	uint8_t size; /* bytes: 1, 2, 4, 8 */
	bool is_signed;
	uint8_t shift; /* REG: bits above which it stands in the register */
	/* Offsets of registers in struct pt_regs; -1: none. */
	int16_t reg;   /* the register, or the base of the address */
	int16_t index;
	uint8_t scale;
	/* MEM: relative to the base of a segment, 'f' or 'g', where a thread has what is its own; 0: to none. */
	char segment;
	int64_t value; /* CONST; MEM: what is added to the address */
	/*
	 * A symbol of the program, whose address is added to value; with a segment a variable of threads, whose distance
	 * from that is. "": none. Of NONE it is the text.
	 */
	char symbol[NOTE_SYMBOL];
};

/* Reads at most NOTE_ARGS operands; gives their number. What cannot be understood is NOTE_ARG_NONE. */
int note_args_parse(const char *text, struct note_arg args[NOTE_ARGS]);
/*
 * Puts a number in the place of the symbol: its address in a program that is mapped there; where it is mapped elsewhere, the
 * distance from the probe, to be read from the program counter. 0: the program has no such symbol: NOTE_ARG_NONE.
 */
void note_arg_resolve(struct note_arg *a, uint64_t symbol, uint64_t probe, bool fixed);
/* The same of a symbol with a segment. */
void note_arg_resolve_thread(struct note_arg *a, bool known, int64_t distance);
bool note_arg_same(const struct note_arg *a, const struct note_arg *b);

#endif
