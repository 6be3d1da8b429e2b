/* SPDX-License-Identifier: BSD-2-Clause */
/* The handle: its life, its last error, its handlers, its wake-up. */
#include "lib/impl.h"

#include <errno.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define VERSION_STRING "Linux D 0.1"

static const char *const edt_texts[] = {
#define EDT(id, text) text,
#include "lib/errors.def"
#undef EDT
};

_Static_assert(EDT_ENDTOOBIG == (int)DTRACE_ERR_ENDTOOBIG && EDT_WRITE == (int)DTRACE_ERR_WRITE,
	       "public numbers");

static const char *const fault_texts[] = {
	[DTRACEFLT_UNKNOWN] = "unknown fault",
	[DTRACEFLT_BADADDR] = "invalid address",
	[DTRACEFLT_BADALIGN] = "invalid alignment",
	[DTRACEFLT_ILLOP] = "illegal operation",
	[DTRACEFLT_DIVZERO] = "divide-by-zero",
	[DTRACEFLT_NOSCRATCH] = "out of scratch space",
	[DTRACEFLT_KPRIV] = "invalid kernel access",
	[DTRACEFLT_UPRIV] = "invalid user access",
	[DTRACEFLT_TUPOFLOW] = "tuple stack overflow",
	[DTRACEFLT_BADSTACK] = "bad stack",
	[ABI_FAULT_BADSIZE] = "invalid size",
	[ABI_FAULT_BADINDEX] = "index out of bounds",
};

/* ---- errors ---------------------------------------------------------------------------------- */

int hdl_error(dtrace_hdl_t *dtp, int error)
{
	dtp->error = error;
	free(dtp->error_text);
	dtp->error_text = NULL;
	return -1;
}

int hdl_errorf(dtrace_hdl_t *dtp, int error, const char *fmt, ...)
{
	char *text;
	va_list ap;

	/* Made before the old text goes: it may be one of the arguments. */
	va_start(ap, fmt);
	text = mem_vprintf(fmt, ap);
	va_end(ap);
	hdl_error(dtp, error);
	dtp->error_text = text;
	return -1;
}

int dtrace_errno(dtrace_hdl_t *dtp)
{
	return dtp->error;
}

const char *dtrace_errmsg(dtrace_hdl_t *dtp, int error)
{
	if (dtp && error == dtp->error && dtp->error_text)
		return dtp->error_text;
	if (error >= EDT_BASE && error < EDT_END)
		return edt_texts[error - EDT_BASE];
	/* strerror's would differ from DTrace's. */
	if (error >= EDT_END || error < 0 || !strerrordesc_np(error))
		return "Unknown error";
	return strerrordesc_np(error);
}

const char *dtrace_faultstr(dtrace_hdl_t *dtp, int fault)
{
	(void)dtp;
	if (fault == DTRACEFLT_LIBRARY)
		return "library-level fault";
	if (fault < 0 || (size_t)fault >= ARRAY_SIZE(fault_texts))
		fault = DTRACEFLT_UNKNOWN;
	return fault_texts[fault];
}

const char *dtrace_version_string(void)
{
	return VERSION_STRING;
}

/* ---- life ------------------------------------------------------------------------------------ */

static dtrace_hdl_t *open_failed(dtrace_hdl_t *dtp, int error, int *errp)
{
	dtrace_close(dtp);
	if (errp)
		*errp = error;
	return NULL;
}

dtrace_hdl_t *dtrace_open(int version, int flags, int *errp)
{
	dtrace_hdl_t *dtp;

	if (version > DTRACE_VERSION)
		return open_failed(NULL, EDT_VERSION, errp);
	if (version < DTRACE_VERSION)
		return open_failed(NULL, EDT_OVERSION, errp);
	if (flags & ~DTRACE_O_MASK)
		return open_failed(NULL, EINVAL, errp);
	dtp = mem_alloc(sizeof(*dtp));
	dtp->news_fd = -1;
	dtp->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (dtp->wake_fd < 0)
		return open_failed(dtp, errno, errp);
	dtp->ses = lang_session_create();
	dtp->probes = probes_create();
	procapi_init(dtp);
	options_init(dtp);
	return dtp;
}

void dtrace_close(dtrace_hdl_t *dtp)
{
	if (!dtp)
		return;
	symapi_close(dtp);
	unwindapi_close(dtp);
	procapi_close(dtp);
	if (dtp->active)
		dtrace_stop(dtp);
	work_close(dtp);
	enable_close(dtp);
	compile_close(dtp);
	library_close(dtp);
	list_free(dtp);
	probes_destroy(dtp->probes);
	if (dtp->ses)
		lang_session_destroy(dtp->ses);
	for (int i = 0; i < OPT_MAX; i++)
		free(dtp->opt_text[i]);
	if (dtp->wake_fd >= 0)
		close(dtp->wake_fd);
	free(dtp->error_text);
	free(dtp);
}

void dtrace_wakeup(dtrace_hdl_t *dtp)
{
	uint64_t one = 1;
	int saved = errno;
	/* A full counter wakes as well. */
	ssize_t n = write(dtp->wake_fd, &one, sizeof(one));

	(void)n;
	errno = saved;
}

/* ---- handlers -------------------------------------------------------------------------------- */

#define HANDLER(kind)                                                                          \
	int dtrace_handle_##kind(dtrace_hdl_t *dtp, dtrace_handle_##kind##_f *func, void *arg) \
	{                                                                                      \
		if (dtp->on_##kind)                                                            \
			return hdl_error(dtp, EALREADY);                                       \
		dtp->on_##kind = func;                                                         \
		dtp->on_##kind##_arg = arg;                                                    \
		return 0;                                                                      \
	}

HANDLER(err)
HANDLER(drop)
HANDLER(proc)
HANDLER(setopt)
HANDLER(buffered)
