/* SPDX-License-Identifier: BSD-2-Clause */
/* The processes that /proc lists. */
#include "sym/pids.h"

#include <ctype.h>
#include <dirent.h>

void pids_read(struct pids *out)
{
	DIR *dir = opendir("/proc");
	struct dirent *e;

	*out = (struct pids){ 0 };
	while (dir && (e = readdir(dir))) {
		pid_t pid = isdigit((unsigned char)*e->d_name) ? (pid_t)atoi(e->d_name) : 0;

		if (pid > 0)
			vec_push(&out->v, pid);
	}
	if (dir)
		closedir(dir);
}

void pids_free(struct pids *p)
{
	vec_free(&p->v);
}
