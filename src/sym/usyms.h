/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names of user addresses, of processes that run and of those that are gone.
 *
 * What each process has mapped for execution is known from /proc when this begins and from the
 * kernel's news afterwards (sym/track.h). A process has a space of mappings for each program that
 * it has executed; a fork shares its parent's until one of them maps something. A file is looked
 * into when an address in it is first asked for.
 *
 * Where there are no news (no privilege for them), /proc is read when an address is asked for:
 * then a process that is gone has no names.
 *
 * `process` is the word that probes record: pid | number of its last exec << 32; the upper half 0:
 * the program that it executes now.
 */
#ifndef SYM_USYMS_H
#define SYM_USYMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct usyms;

struct usym {		      /* texts are valid until the next call */
	const char *object;   /* base name of the file, "[vdso]", "perf-PID.map" */
	const char *function; /* demangled if asked for; NULL: not known */
	uint64_t start;	      /* of the function in the process, or of the object's first mapping */
	uint64_t address;     /* in the file */
};

/* track: follow all processes from now on. Never fails: what cannot be had is done without. */
struct usyms *usyms_create(bool track, bool demangle);
void usyms_destroy(struct usyms *u); /* accepts NULL */

/* 0; -ENOENT: there is no such process, or nothing is mapped there. */
int usyms_find(struct usyms *u, uint64_t process, uint64_t addr, struct usym *out);
/* Keeps what is known of a process however many others end. */
void usyms_note(struct usyms *u, uint64_t process);
/* News of processes that were lost. */
uint64_t usyms_lost(const struct usyms *u);
/* Takes what the kernel has to tell. To be called when one of the descriptors is readable. */
void usyms_poll(struct usyms *u);
size_t usyms_nfds(const struct usyms *u);
int usyms_fd(const struct usyms *u, size_t i);

#endif
