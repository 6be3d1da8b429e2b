/*
 * what: a program's types may be called like the kernel's: built-in variables, args[] and libraries have theirs all the same
 * @@args: 3
 */
#pragma D option quiet

struct task_struct { int mine; };
struct file { char mine[$1]; };
struct dentry { int mine; };
struct path { int mine; };
struct in6_addr { int mine; };
typedef struct { int mine; } psinfo_t;
struct task_struct t;

io:::start { trace(args[2]->fi_pathname); }
syscall::newfstat:entry { trace(args[1]->st_size); }

BEGIN
{
	t.mine = sizeof (struct file);
	printf("%d %d %d\n", t.mine, sizeof (t), sizeof (psinfo_t));
	printf("%d %d\n", curthread->tgid == pid, ((struct vmlinux`task_struct *)curthread)->tgid == pid);
	printf("%d %s\n", curpsinfo->pr_pid == pid, curpsinfo->pr_fname);
	printf("%d %d\n", fds[2].fi_name != "<none>", strlen(cwd) > 0);
	this->a = (struct vmlinux`in6_addr *)alloca(16);
	printf("%s\n", inet_ntoa6(this->a));
	exit(0);
}
