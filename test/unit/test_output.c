/* SPDX-License-Identifier: BSD-2-Clause */
/* Unit tests of the output writer: a pipe that is read slowly, one that is closed, a regular file.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "consumer/output.h"

static void test_pipe_never_blocks(void **state)
{
	struct output o;
	int p[2], flags;
	size_t i;

	(void)state;
	assert_int_equal(pipe(p), 0);
	flags = fcntl(p[1], F_GETFL);
	output_init(&o, p[1]);
	for (i = 0; i < 300000; i++) {
		str_puts(&o.buf, "0123456\n");
		if (i % 1000 == 0)
			assert_int_equal(output_poll(&o), 0);
	}
	assert_int_equal(output_poll(&o), 0);
	assert_true(output_full(&o)); /* nobody reads: the pipe is full, the rest stays */
	assert_true(output_backlog(&o) > 2000000);
	assert_int_equal(fcntl(p[1], F_GETFL), flags); /* shared with others: untouched */
	output_abort(&o);
	assert_int_equal(output_backlog(&o), 0);
	output_free(&o);
	close(p[0]);
	close(p[1]);
}

static void *slow_reader(void *arg)
{
	int *p = arg;
	char buf[3000];
	uint64_t sum = 0, n = 0;
	ssize_t r;

	while ((r = read(p[0], buf, sizeof(buf))) > 0) {
		for (ssize_t i = 0; i < r; i++)
			sum = sum * 31 + (unsigned char)buf[i];
		n += (uint64_t)r;
		if (n % 7 == 0)
			usleep(100);
	}
	p[2] = (int)(sum & 0x7fffffff);
	return NULL;
}

/* Everything arrives, in order. */
static void test_slow_pipe_gets_all(void **state)
{
	struct output o;
	int p[3];
	pthread_t t;
	uint64_t sum = 0;
	char line[32];
	int i, n;

	(void)state;
	assert_int_equal(pipe(p), 0);
	pthread_create(&t, NULL, slow_reader, p);
	output_init(&o, p[1]);
	for (i = 0; i < 200000; i++) {
		n = snprintf(line, sizeof(line), "line %d\n", i);
		str_add(&o.buf, line, (size_t)n);
		for (int k = 0; k < n; k++)
			sum = sum * 31 + (unsigned char)line[k];
		if (i % 50 == 0)
			assert_int_equal(output_poll(&o), 0);
	}
	assert_int_equal(output_flush(&o, NULL, NULL), 0);
	assert_int_equal(output_backlog(&o), 0);
	close(p[1]);
	pthread_join(t, NULL);
	assert_int_equal(p[2], (int)(sum & 0x7fffffff));
	output_free(&o);
	close(p[0]);
}

static void test_closed_pipe(void **state)
{
	struct output o;
	int p[2];

	(void)state;
	signal(SIGPIPE, SIG_IGN);
	assert_int_equal(pipe(p), 0);
	close(p[0]);
	output_init(&o, p[1]);
	str_puts(&o.buf, "text");
	assert_int_equal(output_poll(&o), -EPIPE);
	assert_int_equal(output_backlog(&o), 0);
	str_puts(&o.buf, "more");
	assert_int_equal(output_flush(&o, NULL, NULL), -EPIPE); /* sticks */
	output_free(&o);
	close(p[1]);
}

static bool at_once(void *arg)
{
	return ++*(int *)arg > 1;
}

static void test_flush_can_be_ended(void **state)
{
	struct output o;
	int p[2], asked = 0;

	(void)state;
	assert_int_equal(pipe(p), 0);
	output_init(&o, p[1]);
	str_pad(&o.buf, 'x', 1 << 20);
	assert_int_equal(output_flush(&o, at_once, &asked), -EINTR);
	assert_int_equal(asked, 2);
	assert_true(output_backlog(&o) > 0);
	output_free(&o);
	close(p[0]);
	close(p[1]);
}

static void test_regular_file(void **state)
{
	char name[] = "/tmp/test_output.XXXXXX";
	int fd = mkstemp(name), fd2;
	struct output o;

	(void)state;
	unlink(name);
	output_init(&o, fd);
	assert_true(o.regular);
	str_pad(&o.buf, 'x', 3 << 20);
	assert_false(output_full(&o));
	assert_int_equal(output_poll(&o), 0);
	assert_int_equal(output_backlog(&o), 0);
	assert_int_equal(lseek(fd, 0, SEEK_END), 3 << 20);
	fd2 = open("/dev/null", O_WRONLY);
	str_puts(&o.buf, "before");
	output_set_fd(&o, fd2);
	str_puts(&o.buf, "after");
	assert_int_equal(output_flush(&o, NULL, NULL), 0);
	assert_int_equal(lseek(fd, 0, SEEK_END), (3 << 20) + 6);
	output_free(&o);
	close(fd);
	close(fd2);
}

static void test_no_space(void **state)
{
	struct output o;
	int fd = open("/dev/full", O_WRONLY);

	(void)state;
	if (fd < 0)
		skip();
	output_init(&o, fd);
	str_puts(&o.buf, "x");
	assert_int_equal(output_poll(&o), -ENOSPC);
	output_free(&o);
	close(fd);
}

static void test_socket(void **state)
{
	struct output o;
	int p[2];
	char c[4];

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, p), 0);
	output_init(&o, p[1]);
	str_puts(&o.buf, "abc");
	assert_int_equal(output_poll(&o), 0);
	assert_int_equal(read(p[0], c, 4), 3);
	str_pad(&o.buf, 'x', 4 << 20);
	assert_int_equal(output_poll(&o), 0);
	assert_true(output_full(&o));
	output_free(&o);
	close(p[0]);
	close(p[1]);
}

static void test_no_descriptor(void **state)
{
	struct output o;

	(void)state;
	output_init(&o, -1);
	str_pad(&o.buf, 'x', 4 << 20);
	assert_false(output_full(&o));
	assert_int_equal(output_poll(&o), 0);
	assert_int_equal(output_flush(&o, NULL, NULL), 0);
	assert_int_equal(output_backlog(&o), 4 << 20);
	output_free(&o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pipe_never_blocks),
		cmocka_unit_test(test_slow_pipe_gets_all),
		cmocka_unit_test(test_closed_pipe),
		cmocka_unit_test(test_flush_can_be_ended),
		cmocka_unit_test(test_regular_file),
		cmocka_unit_test(test_no_space),
		cmocka_unit_test(test_socket),
		cmocka_unit_test(test_no_descriptor),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
