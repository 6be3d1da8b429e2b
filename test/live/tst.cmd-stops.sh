#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: where -c holds a command, with breakpoints of the processor and without; initialisers that fork, or clone; a uprobe on main
# @@needs: uprobe cc cmd:readelf
# @@timeout: 120
. "$SRC/test/lib/check.sh"
cd "$TMPDIR" || exit 1

# The fork of an initialiser comes by main as well, untraced; with an argument there is none.
cat >prog.c <<'END'
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
static pid_t child = -1;
static void __attribute__((constructor)) init(int argc)
{
	if (write(2, "", 0) == 0 && argc == 1)
		child = fork();
}
int main(void)
{
	int status = 0;

	if (write(2, "", 0) != 0 || (child > 0 && waitpid(child, &status, 0) != child))
		return 1;
	if (!child)
		return 7;
	printf("%d\n", WIFEXITED(status) ? WEXITSTATUS(status) : -1);
	return 0;
}
END
cc -O1 -o prog prog.c && cc -O1 -s -o stripped prog.c || exit 1
# The address of main is an offset in its file: text begins at the same place in both.
main=0x$(readelf -sW prog | awk '$4 == "FUNC" && $8 == "main" { print $2 }')

held()
{
	for case in exec:2 preinit:2 postinit:1 main:1; do
		for prog in prog stripped; do
			run "$DTRACE" -qZ -x evaltime=${case%:*} -n 'pid$target:a.out:nosuch:entry { }
				pid$target:libc.so.6:write:entry { @l = count(); }
				syscall::write:entry /pid == $target && arg2 == 0/ { @ = count(); }
				END { printa("%@d\n", @); printa("library %@d\n", @l); }' -c "./$prog"
			status 0
			err ''
			has_out '^7$'
			has_out "^${case#*:}\$"
			case $case in
			exec*) ;;
			preinit*) has_out '^library 3$' ;;
			*) has_out '^library 2$' ;;
			esac
		done
	done
}

for without in '' breakpoint; do
	export DTRACE_WITHOUT=$without
	held
	run "$DTRACE" -qn 'pid$target:a.out:main:entry { printf("main\n"); }' -c './prog none'
	status 0
	has_out '^0$'
	has_out '^main$'
done

# Other ways to a child: without a signal at its end; in the same memory; a thread. None of them meets what holds main.
cat >others.c <<'END'
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
static char stack[65536];
static pid_t child = -1;
static int beside(void *arg)
{
	return arg != NULL;
}
static void *thread(void *arg)
{
	return arg;
}
static void __attribute__((constructor)) init(void)
{
	pthread_t t;
	pid_t p = clone(beside, stack + sizeof(stack), CLONE_VM | SIGCHLD, NULL);

	if (p < 0 || waitpid(p, NULL, 0) != p || pthread_create(&t, NULL, thread, NULL) || pthread_join(t, NULL))
		_exit(1);
	child = syscall(SYS_clone, 0, NULL, NULL, NULL, NULL);
}
int main(void)
{
	int status = 0;

	if (!child)
		_exit(7);
	if (waitpid(child, &status, __WALL) != child)
		return 1;
	printf("%d\n", WIFEXITED(status) ? WEXITSTATUS(status) : -1);
	return 0;
}
END
cc -O1 -o others others.c -lpthread || exit 1
for without in '' breakpoint; do
	export DTRACE_WITHOUT=$without
	run "$DTRACE" -qn 'pid$target:a.out:main:entry { printf("main\n"); }' -c ./others
	status 0
	err ''
	has_out '^7$'
	has_out '^main$'
done

# Somebody else's probe is where the int3 would be written.
events=/sys/kernel/tracing/uprobe_events
if [ -w $events ] && echo "p:stops$$/main $TMPDIR/prog:$main" >>$events; then
	trap 'echo 0 >"/sys/kernel/tracing/events/stops$$/enable"; echo "-:stops$$/main" >>$events' EXIT
	echo 1 >"/sys/kernel/tracing/events/stops$$/enable"
	run "$DTRACE" -qn 'pid$target:a.out:main:entry { printf("main\n"); } pid$target:libc.so.6:printf:entry { printf("printf\n"); }' \
		-c './prog none'
	status 0
	err ''
	has_out '^0$'
	has_out '^main$'
	has_out '^printf$'
else
	echo "no uprobe_events here"
fi
finish
