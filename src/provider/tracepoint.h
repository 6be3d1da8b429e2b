/* SPDX-License-Identifier: BSD-2-Clause */
/* What the providers of the kernel's tracepoints share. */
#ifndef PROVIDER_TRACEPOINT_H
#define PROVIDER_TRACEPOINT_H

#include "provider/provider.h"

/* Calls f for each trace event of the kernel, in the kernel's order. 0 or -errno. */
int tracepoint_events(void (*f)(void *arg, const char *group, const char *name), void *arg);

/*
 * Argument n of a raw tracepoint; 0 behind the last one, of which the kernel refuses to load.
 */
vreg tracepoint_arg(struct cg *cg, vreg ctx, int nargs, int n);

/* *(size *)(base + off), zero-extended, 0 when it cannot be read. */
vreg tracepoint_read(struct cg *cg, vreg base, int64_t off, int size);

/* Member of a kernel structure at base, 0 if this kernel has none of that name. */
vreg tracepoint_member(struct cg *cg, vreg base, const char *tag, const char *path, int size);

/*
 * The registers that a timer (struct hrtimer *) has interrupted on this CPU, 0 where that cannot be known. The kernel
 * keeps them for its own handlers, in the per-CPU pointer __irq_regs; the timer's base tells where the per-CPU data are.
 */
vreg tracepoint_timer_regs(struct cg *cg, vreg timer);

/* Attaches the program of a group to a raw tracepoint. 0 or -errno, *why set. */
int tracepoint_attach(struct probe_group *g, const char *tracepoint, const char **why);

#endif
