#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: psinfo_t and lwpsinfo_t of a process agree with what /proc and the process itself say
# @@needs: btf
"$DTRACE" -xerrtags -q -n '
BEGIN
{
	printf("pid %d\n", curpsinfo->pr_pid == $pid);
	printf("ppid %d\n", curpsinfo->pr_ppid == $ppid);
	printf("pgid %d\n", curpsinfo->pr_pgid == $pgid);
	printf("sid %d\n", curpsinfo->pr_sid == $sid);
	printf("ids %d\n", curpsinfo->pr_uid == $uid && curpsinfo->pr_euid == $euid &&
	    curpsinfo->pr_gid == $gid && curpsinfo->pr_egid == $egid);
	printf("addr %d\n", curpsinfo->pr_addr == (uintptr_t)curthread);
	printf("fname %s\n", curpsinfo->pr_fname);
	printf("dmodel %d\n", curpsinfo->pr_dmodel == PR_MODEL_LP64);
	printf("lwp %d %d\n", curlwpsinfo->pr_lwpid == tid, curpsinfo->pr_lwp.pr_lwpid == tid);
	printf("state %d %c\n", curlwpsinfo->pr_state == SRUN, curlwpsinfo->pr_sname);
	printf("onpro %d\n", curlwpsinfo->pr_onpro == cpu);
	printf("started %d\n", walltimestamp / 1000000000 - curpsinfo->pr_start.tv_sec < 100);
	printf("kthread %d\n", curpsinfo->pr_flag & PR_ISSYS);
}
BEGIN
/execname == "dtrace"/
{
	size = curpsinfo->pr_size;
	rss = curpsinfo->pr_rssize;
	printf("size %d\n", size > 1000 && rss > 500 && rss < size);
	printf("time %d\n", curpsinfo->pr_time.tv_sec < 100 && curpsinfo->pr_time.tv_nsec > 0);
	printf("nlwp %d\n", curpsinfo->pr_nlwp);
	exit(0);
}' >"$TMPDIR/out" 2>&1
cat >"$TMPDIR/right" <<'E2'
pid 1
ppid 1
pgid 1
sid 1
ids 1
addr 1
fname dtrace
dmodel 1
lwp 1 1
state 1 R
onpro 1
started 1
kthread 0
size 1
time 1
nlwp 1

E2
diff "$TMPDIR/right" "$TMPDIR/out" || exit 1

# The command of -c, in its last call.
"$DTRACE" -q -c /bin/true -n '
syscall::exit_group:entry
/pid == $target/
{
	printf("%s %d %d\n", curpsinfo->pr_fname, curpsinfo->pr_ttydev, curpsinfo->pr_nlwp);
}' >"$TMPDIR/out" 2>&1 </dev/null
grep -q '^true -\{0,1\}[0-9]* 1$' "$TMPDIR/out" || { cat "$TMPDIR/out"; exit 1; }
