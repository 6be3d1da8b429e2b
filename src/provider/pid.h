/* SPDX-License-Identifier: BSD-2-Clause */
/* What the two files of the provider pid share: making probes (pid.c), their programs (pidcg.c). */
#ifndef PROVIDER_PID_H
#define PROVIDER_PID_H

#include "provider/follow.h"
#include "provider/provider.h"
#include "provider/watch.h"
#include "sym/demangle.h"
#include "sym/images.h"

enum pid_kind { PID_ENTRY, PID_RETURN, PID_OFFSET };

/* Where a probe stands; probe->data is its index. */
struct place {
	struct elf_file *file;
	const char *module; /* basename of the file */
	bool exe;
	pid_t pid;
	enum pid_kind kind;
	uint64_t offset; /* in the file */
	uint64_t from;	 /* of the function's start; the address of "-" probes */
	const struct probe *
		other; /* an older one of the same name: in a file of that name, or executed before */
};

struct target {
	pid_t pid;
	struct elf_images images; /* grows at its end */
	bool created;		  /* by us */
	uint32_t execs;		  /* programs that it has executed since */
	bool news; /* the images are those of another program: its linker is not watched yet */
	bool open; /* libraries that are mapped later may have probes that were asked for */
};

struct pid_data {
	struct elf_cache *cache;
	VEC(struct target *) targets;
	VEC(struct place) places;
	struct demangler *demangler;
	struct hmap *asked; /* descriptions -> how many images they were put to, + 1 */
	struct watch *watch;
	struct follow *follow; /* NULL: no forks are followed */
};

const struct place *pid_place(const struct probe *probe);

/* Hooks of the provider. */
uint64_t pid_group_key(const struct probe *probe);
void pid_group_init(struct probe_group *g, const struct probe *probe);
int pid_attach(struct probe_group *g, const struct attach_env *env, const char **why);
uint64_t pid_skipped(struct probe_group *g);
uint64_t pid_skipped_row(struct probe_group *g, size_t row);
void pid_group_destroy(struct probe_group *g);

#endif
