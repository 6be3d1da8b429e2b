/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by print.c and format.c. */
#ifndef CONSUMER_PRINT_IMPL_H
#define CONSUMER_PRINT_IMPL_H

#include <stdio.h>

#include "consumer/print.h"

char *print_digits(char *end, uint64_t v); /* decimal, written backwards from end; its start */
/* true: s is filled, as far as anything is known */
bool print_sym_find(struct print *p, bool user, uint64_t pid, uint64_t addr,
		    struct consumer_sym *s);
size_t print_stack_depth(const struct print_value *v, bool *more); /* pcs shown; are there more? */
/* Is it an array of characters that holds text? *n: its length. */
bool print_is_text(struct type *t, const void *data, size_t size, size_t *n);
uint64_t print_extend(uint64_t v, uint32_t size, bool is_signed);
void print_address(struct print *p, bool user, uint64_t pid, uint64_t addr, bool with_offset);
void print_symbol(struct print *p, const struct print_value *v); /* by v->func, unpadded */
void print_value_stack(struct print *p, const struct print_value *v, int indent);

#endif
