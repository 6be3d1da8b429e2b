/* SPDX-License-Identifier: BSD-2-Clause */
/* Groups of a probe that fires with every so many events of a counter; the hooks of their providers. */
#ifndef PROVIDER_COUNTER_H
#define PROVIDER_COUNTER_H

#include "provider/provider.h"

/*
 * The provider has set the name and ops, whose type of program is that of perf events and whose prologue is
 * counter_prologue(). times: the counter counts ns, whatever the mode.
 */
void counter_group_init(struct probe_group *g, const struct kern_perf_event *ev, bool times);
vreg counter_prologue(struct cg *cg, vreg ctx, void *data, label out);
int counter_attach(struct probe_group *g, const struct attach_env *env, const char **why);
int counter_start(struct probe_group *g, const struct attach_env *env);
void counter_stop(struct probe_group *g);
uint64_t counter_missed(struct probe_group *g, const struct probe *probe, int cpu, bool all);
void counter_group_destroy(struct probe_group *g);

#endif
