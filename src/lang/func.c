/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of actions, subroutines and aggregating functions, and the look-up in it. */
#include "lang/func.h"

#include <stddef.h>
#include <string.h>

static const struct func funcs[] = {
	[FUNC_NONE] = { .id = FUNC_NONE },
#define FUNC(fid, fname, fkind, fflags, fproto)                                                \
	[FN_##fid] = {                                                                         \
		.id = FN_##fid, .name = fname, .kind = fkind, .flags = fflags, .proto = fproto \
	},
#include "lang/func.def"
#undef FUNC
};

const struct func *func_lookup(const char *name)
{
	for (size_t i = 1; i < FN_MAX; i++)
		if (!strcmp(funcs[i].name, name))
			return &funcs[i];
	return NULL;
}

const struct func *func_get(enum func_id id)
{
	return id > FUNC_NONE && id < FN_MAX ? &funcs[id] : NULL;
}
