/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The C preprocessor before the D scanner. cpp reads the text from a memory file and writes to a
 * pipe; what it complains of goes to our standard error.
 */
#include "lib/impl.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#define D_VERSION 0x0100d000 /* 1.13, as eight bits, twelve and twelve */

extern char **environ;

struct args {
	VEC(char *) v; /* owned */
};

static void add(struct args *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void add(struct args *a, const char *fmt, ...)
{
	va_list ap;
	struct str s = { 0 };

	va_start(ap, fmt);
	str_vprintf(&s, fmt, ap);
	va_end(ap);
	vec_push(&a->v, mem_strdup(str_c(&s)));
	str_free(&s);
}

static void args_free(struct args *a)
{
	for (size_t i = 0; i < a->v.n; i++)
		free(a->v.v[i]);
	vec_free(&a->v);
}

/* What D promises to define everywhere. */
static void add_predefined(struct args *a)
{
	struct utsname u;

	add(a, "-D__linux");
	add(a, "-D__unix");
	add(a, "-D__SVR4");
	add(a, "-D__SUNW_D=1");
	add(a, "-D__SUNW_D_64");
	add(a, "-D__SUNW_D_VERSION=0x%08x", D_VERSION);
	if (uname(&u) == 0 && *u.sysname) {
		add(a, "-D__%s", u.sysname);
		if (!strcmp(u.machine, "x86_64"))
			add(a, "-D__amd64");
		add(a, "-D__%s", u.machine);
	}
	add(a, "-U__GNUC__");
}

/* The user's, one a line: -D -U -I in the order given, and the words of cppargs. */
static void add_lines(struct args *a, const char *s)
{
	while (s && *s) {
		size_t n = strcspn(s, "\n");

		if (n)
			add(a, "%.*s", (int)n, s);
		s += n + (s[n] == '\n');
	}
}

static void make_args(dtrace_hdl_t *dtp, const char *name, struct args *a)
{
	enum { STDC_A, STDC_C, STDC_S, STDC_T };
	const char *path = dtp->opt_text[OPT_CPPPATH];
	char *copy = mem_strdup(name);

	add(a, "%s", path ? path : "cpp");
	/* #include "x.h" stands beside the script, which cpp knows by its text alone. */
	add(a, "-iquote");
	add(a, "%s", dirname(copy));
	free(copy);
	add_predefined(a);
	if (opt_on(dtp->opt, OPT_CPPHDRS))
		add(a, "-H");
	if (opt_on(dtp->opt, OPT_STDC) && dtp->opt[OPT_STDC] == STDC_S)
		add(a, "-traditional-cpp");
	add_lines(a, dtp->opt_text[OPT_CPPARGS]);
	add(a, "-");
	vec_push(&a->v, NULL);
}

/* The text with its first line named and a "#!" blanked, so that lines keep their numbers. */
static int input_file(const char *name, const char *text, size_t len)
{
	int fd = memfd_create("cpp", MFD_CLOEXEC);
	size_t skip = 0;
	FILE *fp;

	if (fd < 0)
		return -1;
	fp = fdopen(dup(fd), "w");
	if (!fp) {
		close(fd);
		return -1;
	}
	if (len > 1 && text[0] == '#' && text[1] == '!')
		while (skip < len && text[skip] != '\n')
			skip++;
	fputs("# 1 \"", fp);
	for (; *name; name++) {
		if (*name == '"' || *name == '\\')
			fputc('\\', fp);
		fputc(*name == '\n' ? ' ' : *name, fp);
	}
	fputs("\"\n", fp);
	fwrite(text + skip, 1, len - skip, fp);
	if (fclose(fp) || lseek(fd, 0, SEEK_SET) < 0) {
		close(fd);
		return -1;
	}
	return fd;
}

static int spawn(const struct args *a, int in, int out, pid_t *pid)
{
	posix_spawn_file_actions_t fa;
	posix_spawnattr_t attr;
	sigset_t none, handled;
	int rc;

	sigemptyset(&none);
	sigemptyset(&handled);
	sigaddset(&handled, SIGPIPE);
	posix_spawn_file_actions_init(&fa);
	posix_spawn_file_actions_adddup2(&fa, in, STDIN_FILENO);
	posix_spawn_file_actions_adddup2(&fa, out, STDOUT_FILENO);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	posix_spawnattr_setsigmask(&attr, &none);
	posix_spawnattr_setsigdefault(&attr, &handled);
	rc = posix_spawnp(pid, a->v.v[0], &fa, &attr, a->v.v, environ);
	posix_spawnattr_destroy(&attr);
	posix_spawn_file_actions_destroy(&fa);
	return rc;
}

/* Runs cpp: 0 or an error. */
static int run(const struct args *a, int in, struct str *out)
{
	int fds[2], rc, status;
	char buf[4096];
	ssize_t n;
	pid_t pid;

	if (pipe2(fds, O_CLOEXEC) < 0)
		return EDT_CPPFORK;
	rc = spawn(a, in, fds[1], &pid);
	close(fds[1]);
	if (rc) {
		close(fds[0]);
		return rc == ENOENT		      ? EDT_CPPENT
		       : rc == EAGAIN || rc == ENOMEM ? EDT_CPPFORK
						      : EDT_CPPEXEC;
	}
	while ((n = read(fds[0], buf, sizeof(buf))) > 0 || (n < 0 && errno == EINTR))
		if (n > 0)
			str_add(out, buf, n);
	close(fds[0]);
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return EDT_CPPERR;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : EDT_CPPERR;
}

int cpp_run(dtrace_hdl_t *dtp, const char *name, const char *text, size_t len, struct str *out)
{
	struct args a = { 0 };
	int in, rc;

	in = input_file(name, text, len);
	if (in < 0)
		return errno;
	make_args(dtp, name, &a);
	rc = run(&a, in, out);
	if (!rc && out->n)
		cheader_strip(out->s, out->n);
	close(in);
	args_free(&a);
	return rc;
}
