/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Processes, their files and their arguments. Places in the kernel's structures are given by the
 * caller, who has them from BTF.
 */
#include "str.h"

static __always_inline u64 word_read(u64 addr, bool *bad)
{
	u64 v = 0;

	if (bpf_probe_read_kernel(&v, sizeof(v), (void *)addr))
		*bad = true;
	return v;
}

/* ---- ancestors ---- */

#define ANCESTORS_MAX 65536

struct ancestry {
	u64 task;
	u64 wanted, parent, tgid; /* places of the two members */
	u64 found;
};

static long ancestor_turn(u64 i, struct ancestry *a)
{
	u32 pid = 0;
	u64 up = 0;

	(void)i;
	if (conf.pidns.ns)
		pid = process_number(a->task);
	else if (bpf_probe_read_kernel(&pid, sizeof(pid), (void *)(a->task + a->tgid)))
		return 1;
	if (pid == (u32)a->wanted) {
		a->found = 1;
		return 1;
	}
	if (bpf_probe_read_kernel(&up, sizeof(up), (void *)(a->task + a->parent)) || !up ||
	    up == a->task)
		return 1;
	a->task = up;
	return 0;
}

/* Is the current process pid, or did it come from it? */
ROUTINE u64 rt_progenyof(u64 pid, u64 parent, u64 tgid)
{
	struct ancestry a = { .wanted = pid, .parent = parent, .tgid = tgid };

	a.task = bpf_get_current_task();
	bpf_loop(ANCESTORS_MAX, ancestor_turn, &a, 0);
	return a.found;
}

/* ---- paths ---- */

/*
 * From a directory entry up to the root, across mounts, then down again with the names. Room for
 * the names' entries is behind that of the string and NAME_ROOM bytes, into which the last name
 * may reach.
 */
#define NAME_ROOM ABI_PATH_NAME
#define NAMES_MAX ABI_PATH_NAMES

enum { D_MOUNT, D_ENTRY, D_NAMES, D_STATE, D_POS };
enum { D_UP, D_DONE, D_UNKNOWN };

struct walk {
	char *f;
	u64 dst, names; /* places in the frame */
	u64 root_mount, root_entry;
	u64 a, b; /* see rt_d_path() */
};

#define PLACE(v, i) ((v) >> 16 * (i) & 0xffff)
#define P_PARENT(k) PLACE((k)->a, 0)	 /* dentry.d_parent */
#define P_TEXT(k) PLACE((k)->a, 1)	 /* dentry.d_name.name */
#define P_ROOT(k) PLACE((k)->a, 2)	 /* vfsmount.mnt_root */
#define P_MNT(k) PLACE((k)->a, 3)	 /* mount.mnt */
#define P_MOUNTPOINT(k) PLACE((k)->b, 0) /* mount.mnt_mountpoint */
#define P_MPARENT(k) PLACE((k)->b, 1)	 /* mount.mnt_parent */

static long up_turn(u64 i, struct walk *k)
{
	volatile u64 *w = WORK(k->f);
	u64 mount = w[D_MOUNT], entry = w[D_ENTRY], n = w[D_NAMES], top, up, *place;
	bool bad = false;

	(void)i;
	w[D_STATE] = D_DONE;
	if (mount == k->root_mount && entry == k->root_entry)
		return 1;
	top = word_read(mount + P_ROOT(k), &bad);
	up = word_read(entry + P_PARENT(k), &bad);
	if (entry == top) {
		mount -= P_MNT(k);
		up = word_read(mount + P_MPARENT(k), &bad);
		if (up == mount && !bad)
			return 1;
		w[D_ENTRY] = word_read(mount + P_MOUNTPOINT(k), &bad);
		w[D_MOUNT] = up + P_MNT(k);
	} else {
		place = word_at(k->f, k->names + n * 8, conf.frame_size);
		if (!place || n >= NAMES_MAX || up == entry)
			bad = true;
		else
			*place = entry;
		w[D_NAMES] = n + 1;
		w[D_ENTRY] = up;
	}
	w[D_STATE] = bad ? D_UNKNOWN : D_UP;
	return bad;
}

static long down_turn(u64 i, struct walk *k)
{
	volatile u64 *w = WORK(k->f);
	u64 n = w[D_NAMES], pos = w[D_POS], at, *entry;
	bool bad = false;
	long len;

	if (i >= n || pos >= conf.strsize)
		return 1;
	entry = word_at(k->f, k->names + (n - 1 - i) * 8, conf.frame_size);
	at = k->dst + 8 + pos;
	FENCE(at);
	if (!entry || at > conf.frame_size - (NAME_ROOM + 1ull))
		return 1;
	k->f[at] = '/';
	len = bpf_probe_read_kernel_str(k->f + at + 1, NAME_ROOM,
					(void *)word_read(*entry + P_TEXT(k), &bad));
	if (len <= 0 || bad) {
		w[D_STATE] = D_UNKNOWN;
		return 1;
	}
	w[D_POS] = pos + len;
	return 0;
}

static __always_inline void text_unknown(struct abi_str *s)
{
	if (conf.strmax >= 16) {
		__builtin_memcpy(s->s, "<unknown>\0\0\0\0\0\0", 16);
		str_finish(s, 9);
	} else {
		str_finish(s, 0);
	}
}

/*
 * The path at `addr`, as the current process sees it; to a root of 0 and 0 as the system does. a and b
 * hold the places of four members each, 16 bits each: those of PLACE; the third and fourth of b are
 * task_struct.fs and fs_struct.root, or 0.
 */
ROUTINE u64 rt_d_path(u64 frame, u64 dst, u64 addr, u64 a, u64 b)
{
	char *f = frame_get(frame);
	struct walk k = { .f = f, .dst = dst, .a = a, .b = b };
	struct abi_str *to;
	bool bad = false;
	volatile u64 *w;
	u64 fs;

	if (!f || !(to = str_at(f, dst, conf.frame_size)))
		return 1;
	w = WORK(f);
	w[D_MOUNT] = word_read(addr, &bad);
	w[D_ENTRY] = word_read(addr + 8, &bad);
	if (bad)
		return 1;
	if (PLACE(b, 2)) {
		fs = word_read(bpf_get_current_task() + PLACE(b, 2), &bad);
		k.root_mount = word_read(fs + PLACE(b, 3), &bad);
		k.root_entry = word_read(fs + PLACE(b, 3) + 8, &bad);
	}
	k.names = dst + STR_STORAGE + NAME_ROOM;
	w[D_NAMES] = w[D_POS] = 0;
	w[D_STATE] = D_UP;
	bpf_loop(2 * NAMES_MAX, up_turn, &k, 0);
	if (w[D_STATE] == D_DONE)
		bpf_loop(NAMES_MAX, down_turn, &k, 0);
	if (w[D_STATE] != D_DONE) {
		text_unknown(to);
	} else if (!w[D_NAMES]) {
		to->s[0] = '/';
		str_finish(to, 1);
	} else {
		str_finish(to, w[D_POS]);
	}
	return 0;
}

/* ---- arguments ---- */

static long blank_turn(u64 i, struct scan *sc)
{
	u64 *p = word_at(sc->f, sc->s + i * 8, conf.frame_size), zeros;

	if (i * 8 >= sc->n || !p)
		return 1;
	zeros = ~(((*p & EACH(0x7f)) + EACH(0x7f)) | *p | EACH(0x7f));
	*p |= zeros >> 2; /* 0x20 */
	return 0;
}

/* The n bytes at start, of the current process, with blanks for NULs. 1: they are not at hand. */
ROUTINE u64 rt_str_args(u64 frame, u64 dst, u64 start, u64 n)
{
	char *f = frame_get(frame);
	struct scan sc = { .f = f, .s = dst + 8 };
	struct abi_str *to;

	if (!f || !(to = str_at(f, dst, conf.frame_size)))
		return 1;
	n = min_u64(n, conf.strsize - 1);
	FENCE(n);
	if (n > conf.strmax || bpf_probe_read_user(to->s, n, (void *)start))
		return 1;
	sc.n = n;
	bpf_loop(conf.strmax / 8, blank_turn, &sc, 0);
	str_finish(to, n);
	return 0;
}
