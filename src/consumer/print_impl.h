/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by print.c and format.c. */
#ifndef CONSUMER_PRINT_IMPL_H
#define CONSUMER_PRINT_IMPL_H

#include <stdio.h>

#include "consumer/print.h"

char *print_digits(char *end, uint64_t v); /* decimal, written backwards from end; its start */
uint64_t print_extend(uint64_t v, uint32_t size, bool is_signed);
void print_address(struct print *p, bool user, uint64_t pid, uint64_t addr, bool with_offset);
void print_symbol(struct print *p, const struct print_value *v); /* by v->func, unpadded */
void print_value_stack(struct print *p, const struct print_value *v, int indent);

#endif
