/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory: checked allocation and arenas.
 *
 * Small allocations of the compiler never return NULL: when the system has no more memory, the handler
 * set by mem_set_oom() is called; it must not return. The default writes one line to stderr and ends the
 * process with status 1. Large areas (buffers) are not taken from here: they report -ENOMEM.
 */
#ifndef BASE_MEM_H
#define BASE_MEM_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define ROUND_UP(n, to) ((((n) + (to) - 1) / (to)) * (to))
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))

void mem_set_oom(void (*handler)(void));
void *mem_alloc(size_t size); /* zeroed; free() it */
void *mem_realloc(void *p, size_t size);
char *mem_strdup(const char *s);
char *mem_strndup(const char *s, size_t n);
char *mem_printf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
char *mem_vprintf(const char *fmt, va_list ap) __attribute__((format(printf, 1, 0)));

/*
 * Zeroed memory for what is filled as a whole: in huge pages where the kernel gives them, as one fault for each costs
 * less than 512. What is not touched costs nothing. mem_unmap() it, by the same size.
 */
#define MEM_HUGE (2ul << 20)
void *mem_map(size_t size);
void mem_unmap(void *p, size_t size); /* accepts NULL */

/* An arena owns all that is taken from it; arena_destroy() frees everything at once and accepts NULL. */
struct arena;
struct arena *arena_create(void);
void arena_destroy(struct arena *a);
void *arena_alloc(struct arena *a, size_t size); /* zeroed, 16-byte aligned */
char *arena_strdup(struct arena *a, const char *s);
char *arena_strndup(struct arena *a, const char *s, size_t n);
char *arena_printf(struct arena *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
#define arena_new(a, T) ((T *)arena_alloc((a), sizeof(T)))

#endif
