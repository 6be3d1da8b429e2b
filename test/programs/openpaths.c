/* SPDX-License-Identifier: BSD-2-Clause */
/* Opens a path of 200 bytes and one of 3000 that are not there, after touching them. */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static int try_open(char *path, size_t n)
{
	int fd;

	for (size_t i = 0; i < n; i++)
		path[i] = i % 10 ? (char)('a' + i % 10) : '/';
	path[n] = '\0';
	fd = open(path, O_RDONLY);
	return fd < 0 ? 0 : close(fd);
}

int main(void)
{
	static char path[3001];

	return try_open(path, 200) | try_open(path, 3000);
}
