/* SPDX-License-Identifier: BSD-2-Clause */
/* What the providers of user programs share: the probes of a group, placed on files. */
#ifndef PROVIDER_UPROBE_H
#define PROVIDER_UPROBE_H

#include "provider/provider.h"
#include "sym/funcs.h"

struct uprobe_site {
	const struct probe *probe;
	const struct elf_file *file;
	pid_t pid; /* links of many are confined to it; 0: every process */
	struct kern_uprobe u;
};

/* Are its programs for links of many? */
bool uprobes_multi(const struct probe_group *g);
/*
 * Places all, few or many by one link as the program's attach type says; the sites are sorted. A place that
 * the kernel refuses is left out and told to the user in one line; only if none is left it is an error. A process that has
 * ended needs no probes.
 */
int uprobes_attach(struct probe_group *g, const struct attach_env *env, struct uprobe_site *sites, size_t n,
		   bool is_return, const char **why);
/* Another program at the same sites, at the entry; of one that is refused nothing is told. 0 or -errno. */
int uprobes_attach_beside(struct probe_group *g, int prog_fd, struct uprobe_site *sites, size_t n);

#endif
