/*
 * what: functions and per-CPU variables of the kernel by name
 * @@needs: root bpf
 */
#pragma D option quiet

BEGIN
{
	printf("%d %d %d\n", `runqueues.nr_running > 0, `runqueues.nr_running < 1000000,
	    vmlinux`runqueues.cpu == cpu);
	printf("%d\n", &`runqueues.cpu != NULL && *&`runqueues.cpu == cpu);
	printf("%d %d\n", &`vfs_read == &vmlinux`vfs_read, (uint64_t)&`vfs_read >> 63);
	printf("%d\n", `runqueues.curr == curthread);
	exit(0);
}
