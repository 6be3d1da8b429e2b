/* SPDX-License-Identifier: BSD-2-Clause */
/* tracefs, and the reading of whole files. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/mount.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "kern/impl.h"
#include "kern/kern.h"

static int dir_open(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

/* A mount of our own that no path leads to: it is gone with its descriptor. */
static int tracefs_private(void)
{
	int fs, mnt, e;

	fs = syscall(SYS_fsopen, "tracefs", FSOPEN_CLOEXEC);
	if (fs < 0)
		return -errno;
	if (syscall(SYS_fsconfig, fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0) < 0) {
		e = errno;
		close(fs);
		return -e;
	}
	mnt = syscall(SYS_fsmount, fs, FSMOUNT_CLOEXEC,
		      MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC);
	e = errno;
	close(fs);
	return mnt < 0 ? -e : mnt;
}

/* A descriptor of the root. It is opened for each use: there are few, and none stays behind in a
 * library. */
static int tracefs_open(void)
{
	static const char *const roots[] = { "/sys/kernel/tracing", "/sys/kernel/debug/tracing" };
	struct statfs st;
	size_t i;

	for (i = 0; i < sizeof(roots) / sizeof(roots[0]); i++)
		if (statfs(roots[i], &st) == 0 && st.f_type == TRACEFS_MAGIC)
			return dir_open(roots[i]);
	return tracefs_private();
}

int kern_read_file(int dir_fd, const char *path, char **text, size_t *len)
{
	size_t n = 0, cap = 0;
	char *s = NULL, *more;
	ssize_t got = 0;
	int fd, e = 0;

	fd = openat(dir_fd, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	do {
		n += got;
		if (cap - n < 2) {
			cap = cap ? cap * 2 : 4096;
			more = realloc(s, cap);
			if (!more) {
				e = ENOMEM;
				break;
			}
			s = more;
		}
		got = read(fd, s + n, cap - n - 1);
		if (got < 0 && errno == EINTR)
			got = 0;
		else if (got < 0)
			e = errno;
		else if (got == 0)
			break;
	} while (!e);
	close(fd);
	if (e) {
		free(s);
		return -e;
	}
	s[n] = '\0';
	*text = s;
	if (len)
		*len = n;
	return 0;
}

int kern_tracefs_read(const char *path, char **text)
{
	int root = tracefs_open(), r;

	if (root < 0)
		return root;
	r = kern_read_file(root, path, text, NULL);
	close(root);
	return r;
}

struct names {
	char **v;
	size_t n, cap;
};

static int names_add(struct names *l, const char *name)
{
	char **more;

	if (l->n == l->cap) {
		l->cap = l->cap ? l->cap * 2 : 256;
		more = realloc(l->v, l->cap * sizeof(*l->v));
		if (!more)
			return -ENOMEM;
		l->v = more;
	}
	l->v[l->n] = strdup(name);
	if (!l->v[l->n])
		return -ENOMEM;
	l->n++;
	return 0;
}

static int names_read(DIR *d, struct names *l)
{
	struct dirent *e;
	int r = 0;

	do {
		errno = 0;
		e = readdir(d);
		if (!e)
			return -errno;
		if (strcmp(e->d_name, ".") && strcmp(e->d_name, ".."))
			r = names_add(l, e->d_name);
	} while (!r);
	return r;
}

int kern_tracefs_list(const char *dir, char ***names, size_t *count)
{
	int root = tracefs_open(), fd, r;
	struct names l = { 0 };
	DIR *d;

	if (root < 0)
		return root;
	fd = openat(root, dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	r = fd < 0 ? -errno : 0;
	close(root);
	if (r)
		return r;
	d = fdopendir(fd);
	if (!d) {
		r = -errno;
		close(fd);
		return r;
	}
	r = names_read(d, &l);
	closedir(d);
	if (r) {
		while (l.n)
			free(l.v[--l.n]);
		free(l.v);
		return r;
	}
	*names = l.v;
	*count = l.n;
	return 0;
}
