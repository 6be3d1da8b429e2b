/* SPDX-License-Identifier: BSD-2-Clause */
/* Lengths of machine instructions, and which of them can bear a probe. x86-64. */
#ifndef SYM_INSN_H
#define SYM_INSN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of the instruction at code, of which n bytes can be read; 0: not an instruction, or it does not end there. */
size_t insn_length(const uint8_t *code, size_t n);
/* False: the kernel refuses to place a probe there (a lock prefix ...). */
bool insn_probeable(const uint8_t *code, size_t n);
/* Bytes of the marker that a function starts with where indirect branches are tracked (endbr64), 0: none. */
size_t insn_landing_pad(const uint8_t *code, size_t n);

#endif
