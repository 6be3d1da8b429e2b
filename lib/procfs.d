/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Processes and threads. Of several definitions of a member the first counts whose names this kernel has.
 */
typedef struct timestruc {
	int64_t tv_sec;
	int64_t tv_nsec;
} timestruc_t;

translator timestruc_t < uint64_t ns > {
	tv_sec = ns / 1000000000;
	tv_nsec = ns % 1000000000;
};

/* Data models: pr_dmodel. */
inline int PR_MODEL_UNKNOWN = 0;
inline int PR_MODEL_ILP32 = 1;
inline int PR_MODEL_LP64 = 2;

/* States: pr_state. */
inline int SSLEEP = 1;
inline int SRUN = 2;
inline int SZOMB = 3;
inline int SSTOP = 4;
inline int SIDL = 5;
inline int SONPROC = 6;
inline int SWAIT = 7;

/* Flags: pr_flag. */
inline int PR_STOPPED = 0x00000001;
inline int PR_ISTOP = 0x00000002;
inline int PR_DSTOP = 0x00000004;
inline int PR_STEP = 0x00000008;
inline int PR_ASLEEP = 0x00000010;
inline int PR_PCINVAL = 0x00000020;
inline int PR_ASLWP = 0x00000040;
inline int PR_AGENT = 0x00000080;
inline int PR_DETACH = 0x00000100;
inline int PR_DAEMON = 0x00000200;
inline int PR_ISSYS = 0x00001000;
inline int PR_VFORKP = 0x00002000;
inline int PR_ORPHAN = 0x00004000;
inline int PR_NOSIGCHLD = 0x00008000;
inline int PR_WAITPID = 0x00010000;
inline int PR_FORK = 0x00100000;
inline int PR_RLC = 0x00200000;
inline int PR_KLC = 0x00400000;
inline int PR_ASYNC = 0x00800000;
inline int PR_MSACCT = 0x01000000;
inline int PR_BPTADJ = 0x02000000;
inline int PR_PTRACE = 0x04000000;
inline int PR_MSFORK = 0x08000000;
inline int PR_IDLE = 0x10000000;

typedef struct lwpsinfo {
	int pr_flag;
	id_t pr_lwpid;
	uintptr_t pr_addr;
	uintptr_t pr_wchan;
	char pr_stype;
	char pr_state;
	char pr_sname;
	char pr_nice;
	short pr_syscall;
	char pr_oldpri;
	char pr_cpu;
	int pr_pri;
	ushort_t pr_pctcpu;
	timestruc_t pr_start;
	timestruc_t pr_time;
	string pr_clname;
	string pr_name;
	processorid_t pr_onpro;
	processorid_t pr_bindpro;
	psetid_t pr_bindpset;
	lgrp_id_t pr_lgrp;
} lwpsinfo_t;

/* The bits of a thread's state, those of a dead one too. */
inline int _task_state[struct task_struct *T] = T->__state | T->exit_state;

inline int _STATE_ASLEEP = 0x0003; /* interruptible, uninterruptible */
inline int _STATE_STOPPED = 0x000c; /* stopped, traced */
inline int _STATE_DEAD = 0x00b0; /* exit_dead, exit_zombie, dead */
inline int _STATE_WAKING = 0x0300; /* wakekill, waking */

/* When a thread was made, in ns since 1970; start_time is of the monotonic clock. */
inline uint64_t _task_start[struct task_struct *T] = walltimestamp - timestamp + T->start_time;

/* Numbers of processes in the pid namespace of dtrace; 0: they have none there. */
inline int _pid_number[struct pid *P] = $_pidns == 0 ? P->numbers[0].nr :
    P->level >= $_pidns_level && (int64_t)P->numbers[$_pidns_level].ns == $_pidns ? P->numbers[$_pidns_level].nr : 0;
inline int _task_pid[struct task_struct *T] = $_pidns == 0 ? T->tgid : _pid_number[T->signal->pids[1]];

translator lwpsinfo_t < struct task_struct *T > {
	pr_flag = (_task_state[T] & _STATE_STOPPED ? PR_STOPPED | PR_ISTOP : 0) |
	    (_task_state[T] & _STATE_ASLEEP ? PR_ASLEEP : 0) | (T->pid == 0 ? PR_IDLE : 0) |
	    (T->mm == NULL ? PR_ISSYS : 0);
	pr_lwpid = $_pidns == 0 ? T->pid : _pid_number[T->thread_pid];
	pr_addr = (uintptr_t)T;
	pr_wchan = 0;
	pr_stype = 0;
	pr_state = _task_state[T] & _STATE_ASLEEP ? SSLEEP :
	    _task_state[T] & _STATE_STOPPED ? SSTOP :
	    _task_state[T] & _STATE_DEAD ? SZOMB :
	    _task_state[T] & _STATE_WAKING ? SWAIT : SRUN;
	pr_sname = _task_state[T] & _STATE_ASLEEP ? 'S' :
	    _task_state[T] & _STATE_STOPPED ? 'T' :
	    _task_state[T] & _STATE_DEAD ? 'Z' :
	    _task_state[T] & _STATE_WAKING ? 'W' : 'R';
	pr_nice = T->static_prio - 120;
	pr_syscall = 0;
	pr_oldpri = 0;
	pr_cpu = 0;
	pr_pri = T->prio;
	pr_pctcpu = 0;
	pr_start = xlate <timestruc_t> (_task_start[T]);
	pr_time = xlate <timestruc_t> (T->utime + T->stime);
	pr_clname = "";
	pr_name = T->comm;
	pr_onpro = T->thread_info.cpu;
	pr_onpro = T->cpu;
	pr_bindpro = -1;
	pr_bindpset = -1;
	pr_lgrp = 0;
};

typedef struct psinfo {
	int pr_flag;
	int pr_nlwp;
	int pr_nzomb;
	pid_t pr_pid;
	pid_t pr_ppid;
	pid_t pr_pgid;
	pid_t pr_sid;
	uid_t pr_uid;
	uid_t pr_euid;
	gid_t pr_gid;
	gid_t pr_egid;
	uintptr_t pr_addr;
	size_t pr_size;
	size_t pr_rssize;
	int pr_ttydev;
	ushort_t pr_pctcpu;
	ushort_t pr_pctmem;
	timestruc_t pr_start;
	timestruc_t pr_time;
	timestruc_t pr_ctime;
	string pr_fname;
	string pr_psargs;
	int pr_wstat;
	int pr_argc;
	uintptr_t pr_argv;
	uintptr_t pr_envp;
	char pr_dmodel;
	id_t pr_taskid;
	id_t pr_projid;
	int pr_poolid;
	zoneid_t pr_zoneid;
	id_t pr_contract;
	lwpsinfo_t pr_lwp;
} psinfo_t;

/* Pages in use: file, anonymous and shared memory. */
inline long _mm_rss[struct mm_struct *M] =
    M->rss_stat[0].count + M->rss_stat[1].count + M->rss_stat[3].count;
inline long _mm_rss_61[struct mm_struct *M] =
    M->rss_stat.count[0].counter + M->rss_stat.count[1].counter + M->rss_stat.count[3].counter;

translator psinfo_t < struct task_struct *T > {
	pr_flag = T->mm == NULL ? PR_ISSYS : 0;
	pr_nlwp = T->signal->nr_threads;
	pr_nzomb = 0;
	pr_pid = _task_pid[T];
	pr_ppid = _task_pid[T->real_parent];
	pr_pgid = _pid_number[T->signal->pids[2]];
	pr_sid = _pid_number[T->signal->pids[3]];
	pr_uid = T->cred->uid.val;
	pr_euid = T->cred->euid.val;
	pr_gid = T->cred->gid.val;
	pr_egid = T->cred->egid.val;
	pr_addr = (uintptr_t)T;
	/* In kilobytes. */
	pr_size = T->mm ? T->mm->total_vm * 4 : 0;
	pr_rssize = T->mm ? _mm_rss[T->mm] * 4 : 0;
	pr_rssize = T->mm ? _mm_rss_61[T->mm] * 4 : 0;
	pr_ttydev = T->signal->tty ? (T->signal->tty->driver->major << 20) +
	    T->signal->tty->driver->minor_start + T->signal->tty->index : -1;
	pr_pctcpu = 0;
	pr_pctmem = 0;
	pr_start = xlate <timestruc_t> (_task_start[T->group_leader]);
	/* Of this thread and those that ended. */
	pr_time = xlate <timestruc_t> (T->signal->utime + T->signal->stime + T->utime + T->stime);
	pr_ctime = xlate <timestruc_t> (T->signal->cutime + T->signal->cstime);
	pr_fname = T->comm;
	/* The arguments lie in the memory of their process, which is at hand for the current one alone. */
	pr_psargs = T->mm != NULL && T->mm == curthread->mm ? execargs : stringof(T->comm);
	pr_psargs = T->comm;
	pr_wstat = T->exit_code;
	pr_argc = 0;
	pr_argv = 0;
	pr_envp = 0;
	pr_dmodel = T->mm != NULL && T->mm->task_size <= 0xffffffff ? PR_MODEL_ILP32 : PR_MODEL_LP64;
	pr_taskid = 0;
	pr_projid = 0;
	pr_poolid = 0;
	pr_zoneid = 0;
	pr_contract = 0;
	pr_lwp = xlate <lwpsinfo_t> (T);
};

#pragma D attributes Stable/Stable/Common curpsinfo
inline psinfo_t *curpsinfo = xlate <psinfo_t *> (curthread);
#pragma D attributes Stable/Stable/Common curlwpsinfo
inline lwpsinfo_t *curlwpsinfo = xlate <lwpsinfo_t *> (curthread);
