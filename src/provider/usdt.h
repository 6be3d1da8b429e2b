/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the files of static probes share: publishing and placing (usdt.c), processes that come later (usdtlater.c), reading
 * arguments (usdtcg.c).
 */
#ifndef PROVIDER_USDT_H
#define PROVIDER_USDT_H

#include "provider/follow.h"
#include "provider/provider.h"
#include "provider/watch.h"
#include "sym/notearg.h"

/* The cookie: row, operands, and where links are not confined to a process, that. */
#define ROW_BITS 24
#define OPS_BITS 18

struct place {
	uint64_t offset;  /* in the file */
	uint64_t ref_ctr; /* of its counter, 0: none */
	uint32_t ops;	  /* index in operands */
};

struct sprobe { /* probe->data is its index */
	pid_t pid;
	uint32_t turn; /* of the process */
	struct elf_file *file;
	const char *module; /* basename of the file */
	bool exe;
	const struct elf_note *note; /* of its first place */
	VEC(struct place) places;
};

struct operands {
	const char *text;
	const struct elf_note *of; /* whose they are alone; NULL: of all that have the text */
	int n;
	uint32_t asked; /* a bit for each that a program wants and cannot read; it is told once */
	struct note_arg arg[NOTE_ARGS];
};

struct process {
	pid_t pid;
	bool created;  /* by us */
	bool unread;   /* it could not be looked into: it was gone, perhaps */
	uint64_t start; /* when it began: tells it from another of its number */
	uint32_t turn;	/* how many had the number before it */
	struct elf_images images;
	VEC(bool) published; /* by image */
};

struct usdt_data {
	struct elf_cache *cache; /* of files with static probes */
	struct elf_cache *all;
	VEC(struct process *) processes;
	struct hmap *by_pid;
	struct follow *follow; /* NULL: none are */
	VEC(struct sprobe *) probes;
	VEC(struct operands *) operands;
	VEC(const char *) open; /* provider fields that later processes may match */
	struct watch *watch;
	bool scanned; /* all processes were looked at */
	bool rescan;  /* and must be once more: some may have come before they were watched */
	bool any;     /* processes that we know nothing of may match */
};

/* again: it is looked into once more if it is known; another one may have its number by now. */
struct process *usdt_process(struct usdt_data *ud, pid_t pid, bool again);
/* All of them. */
void usdt_scan(struct usdt_data *ud, bool again);
/* Publishes the probes of a process that a provider field means. */
void usdt_publish(struct probes *t, struct provider *p, struct process *pr, const char *field);

/* Hooks of the provider. */
int usdt_watch(struct probes *t, struct provider *p);
void usdt_refresh(struct probes *t, struct provider *p);
void usdt_refreshed(struct probes *t, struct provider *p);
void usdt_unwatch(struct probes *t, struct provider *p);

const struct sprobe *usdt_probe(const struct probe *probe);
/* Do its places belong to a process each, by the kernel? Else the program looks at it. */
bool usdt_is_confined(const struct probe_group *g);
const struct cg_probe_ops *usdt_cg(void);

#endif
