/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * News of processes while tracing: a library has been mapped, a program executed. Small programs in the
 * kernel write to a ring whose descriptor wakes the consumer.
 */
#ifndef PROVIDER_WATCH_H
#define PROVIDER_WATCH_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "sym/images.h"

struct watch;
struct watches; /* all of a session: they may have stopped the same process */

struct watch_news {
	uint32_t pid;
	uint32_t kind;	 /* WATCH_ bits; none: libraries have been mapped */
	uint32_t parent; /* of a fork */
};
enum { WATCH_EXEC = 1, WATCH_STOPPED = 2, WATCH_FORK = 4 };

/* NULL: this kernel has no ring. *all: NULL at first, and when all are destroyed. */
struct watch *watch_create(struct watches **all);
/* What was stopped goes on. Accepts NULL. */
void watch_destroy(struct watch *w);
int watch_fd(const struct watch *w);
/*
 * The dynamic linker of the process: news when it has mapped libraries. stop: the process is stopped there, until
 * watch_go_on(), so that not one call into them is missed. 0 or negative errno: it has no dynamic linker that tells.
 * Takes the place of an earlier one of this process.
 */
int watch_libraries(struct watch *w, pid_t pid, const struct elf_images *im, bool stop);
/* Libraries that are mapped by any process which has the dynamic linker that we have. */
int watch_all_libraries(struct watch *w);
/* Programs that are executed by a process, 0: anywhere. stop: as above, before the first instruction. */
int watch_exec(struct watch *w, pid_t pid, bool stop);
/* Processes, not threads, that are forked anywhere. */
int watch_fork(struct watch *w);
/* Takes all news: f is called for each. */
void watch_read(struct watch *w, void (*f)(void *arg, const struct watch_news *news), void *arg);
/* Has something happened that there was no room for, since this was last asked? What was to be stopped then was not. */
bool watch_lost(struct watch *w);
/* The descriptor becomes readable: to be used after watch_exec() of all processes, whose news it gives, of ourselves. */
void watch_poke(struct watch *w);
/* All that was stopped, unless another watch has stopped it as well and has not come to it yet. */
void watch_go_on(struct watch *w);

#endif
