/* SPDX-License-Identifier: BSD-2-Clause */
/* Keeps the first diagnostic of a compilation. */
#include "base/diag.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

void diag_clear(struct diag *d)
{
	free(d->text);
	free(d->shown);
	memset(d, 0, sizeof(*d));
}

int diag_verror(struct diag *d, const char *tag, struct srcloc loc, const char *fmt, va_list ap)
{
	size_t n;

	if (d->set)
		return -1;
	d->set = true;
	d->tag = tag;
	d->loc = loc;
	d->where = d->where_now;
	free(d->text);
	d->text = mem_vprintf(fmt, ap);
	n = strlen(d->text);
	if (n && d->text[n - 1] == '\n')
		d->text[n - 1] = '\0';
	return -1;
}

int diag_error(struct diag *d, const char *tag, struct srcloc loc, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	diag_verror(d, tag, loc, fmt, ap);
	va_end(ap);
	return -1;
}
