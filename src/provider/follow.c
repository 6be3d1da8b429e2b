/* SPDX-License-Identifier: BSD-2-Clause */
/* Following forks (provider/follow.h). */
#include "provider/follow.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/vec.h"
#include "kern/kern.h"

#define KEY(pid, target) ((uint64_t)(pid) << 32 | (uint32_t)(target))
#define AT_KEY (-8) /* in the stack; the process is its upper half */
#define AT_VALUE (-16)

struct follow {
	const struct probes *t;
	int map; /* a hash: KEY() -> 4 bytes that mean nothing */
	int lost; /* an array: forks that found no room in it */
	VEC(pid_t) pids;
	VEC(int) fds;
};

struct follow *follow_create(const struct probes *t)
{
	struct follow *f;

	if (!t->follows || !t->follows(t->look_arg, 0))
		return NULL;
	f = mem_alloc(sizeof(*f));
	f->t = t;
	/* All memory at once: an entry must never fail for want of it. */
	f->map = kern_map_create(BPF_MAP_TYPE_HASH, "dt_follow", sizeof(uint64_t), 4,
				 t->follow_max(t->look_arg), 0);
	f->lost = kern_map_create(BPF_MAP_TYPE_ARRAY, "dt_unfollowed", 4, sizeof(uint64_t), 1, 0);
	return f;
}

void follow_destroy(struct follow *f)
{
	if (!f)
		return;
	for (size_t i = 0; i < f->fds.n; i++)
		kern_close(&f->fds.v[i]);
	vec_free(&f->fds);
	vec_free(&f->pids);
	kern_close(&f->map);
	kern_close(&f->lost);
	free(f);
}

uint64_t follow_lost(const struct follow *f)
{
	uint32_t zero = 0;
	uint64_t n = 0;

	return f && !kern_map_lookup(f->lost, &zero, &n) ? n : 0;
}

int follow_map(const struct follow *f)
{
	return f->map;
}

/* ---- programs that keep the table ------------------------------------------------------------------------ */

static void put_map_call(struct insns *c, const struct follow *f, int helper)
{
	insns_put_imm64(c, BPF_REG_1, BPF_PSEUDO_MAP_FD, f->map);
	insns_put(c, MOV(BPF_REG_2, BPF_REG_10));
	insns_put(c, ADDI(BPF_REG_2, AT_KEY));
	insns_put(c, MOV(BPF_REG_3, BPF_REG_10));
	insns_put(c, ADDI(BPF_REG_3, AT_VALUE));
	insns_put(c, MOVI(BPF_REG_4, BPF_ANY));
	insns_put(c, CALL(helper));
}

/* In the parent, before the child runs. The tracepoint's second argument is the child. */
static int fork_load(const struct follow *f, pid_t target)
{
	int tgid = kern_btf_member_offset("task_struct", "tgid"),
	    pid = kern_btf_member_offset("task_struct", "pid");
	struct insns c = { .n = 0 };
	uint32_t thread, other, room;

	if (tgid < 0 || pid < 0)
		return -EOPNOTSUPP;
	insns_put(&c, LOAD(BPF_DW, BPF_REG_7, BPF_REG_1, 8));
	insns_put_process(&c, BPF_REG_6);
	insns_put(&c, STOREI(BPF_W, BPF_REG_10, AT_KEY, target));
	insns_put(&c, STORE(BPF_W, BPF_REG_10, AT_KEY + 4, BPF_REG_6));
	put_map_call(&c, f, BPF_FUNC_map_lookup_elem);
	other = insns_jump_if(&c, BPF_JEQ, BPF_REG_0, 0);
	insns_put_read(&c, BPF_REG_7, tgid, 4, AT_KEY + 4);
	insns_put_read(&c, BPF_REG_7, pid, 4, AT_VALUE);
	insns_put(&c, LOAD(BPF_W, BPF_REG_1, BPF_REG_10, AT_KEY + 4));
	insns_put(&c, LOAD(BPF_W, BPF_REG_2, BPF_REG_10, AT_VALUE));
	thread = insns_jump_if_reg(&c, BPF_JNE, BPF_REG_1, BPF_REG_2);
	insns_put_process_of(&c, BPF_REG_6, BPF_REG_7);
	insns_put(&c, STORE(BPF_W, BPF_REG_10, AT_KEY + 4, BPF_REG_6));
	put_map_call(&c, f, BPF_FUNC_map_update_elem);
	room = insns_jump_if(&c, BPF_JEQ, BPF_REG_0, 0);
	insns_put_imm64(&c, BPF_REG_1, BPF_PSEUDO_MAP_VALUE, f->lost);
	insns_put(&c, MOVI(BPF_REG_2, 1));
	insns_put(&c, INSN(BPF_STX | BPF_ATOMIC | BPF_DW, BPF_REG_1, BPF_REG_2, 0, BPF_ADD));
	insns_land(&c, room);
	insns_land(&c, other);
	insns_land(&c, thread);
	return insns_load(&c, BPF_PROG_TYPE_RAW_TRACEPOINT, 0, "follow_fork");
}

/* When the last thread of a process ends, its number becomes free. */
static int exit_load(const struct follow *f, pid_t target)
{
	int sig = kern_btf_member_offset("task_struct", "signal"),
	    live = kern_btf_member_offset("signal_struct", "live");
	struct insns c = { .n = 0 };
	uint32_t threads;

	if (sig < 0 || live < 0)
		return -EOPNOTSUPP;
	insns_put(&c, CALL(BPF_FUNC_get_current_task_btf));
	insns_put(&c, LOAD(BPF_DW, BPF_REG_1, BPF_REG_0, sig));
	insns_put(&c, LOAD(BPF_W, BPF_REG_1, BPF_REG_1, live));
	threads = insns_jump_if(&c, BPF_JNE, BPF_REG_1, 0);
	insns_put_process(&c, BPF_REG_6);
	insns_put(&c, STOREI(BPF_W, BPF_REG_10, AT_KEY, target));
	insns_put(&c, STORE(BPF_W, BPF_REG_10, AT_KEY + 4, BPF_REG_6));
	put_map_call(&c, f, BPF_FUNC_map_delete_elem);
	insns_land(&c, threads);
	return insns_load(&c, BPF_PROG_TYPE_RAW_TRACEPOINT, 0, "follow_exit");
}

static int attach(struct follow *f, int prog, const char *tracepoint)
{
	int link = prog < 0 ? prog : kern_raw_tp_attach(prog, tracepoint);

	if (prog >= 0)
		vec_push(&f->fds, prog);
	if (link < 0)
		return link;
	vec_push(&f->fds, link);
	return 0;
}

bool follow_forks(const struct follow *f, pid_t pid)
{
	return f && f->t->follows(f->t->look_arg, pid);
}

int follow_add(struct follow *f, pid_t pid)
{
	bool forks = follow_forks(f, pid);
	uint64_t key = KEY(pid, pid);
	uint32_t value = 0;
	int err = f->map < 0 ? f->map : f->lost < 0 ? f->lost : 0;

	for (size_t i = 0; i < f->pids.n; i++)
		if (f->pids.v[i] == pid)
			return 0;
	if (!err && forks)
		err = attach(f, exit_load(f, pid), "sched_process_exit");
	if (!err && forks)
		err = attach(f, fork_load(f, pid), "sched_process_fork");
	if (!err)
		err = kern_map_update(f->map, &key, &value, BPF_ANY);
	if (!err)
		vec_push(&f->pids, pid);
	return err;
}

bool follow_has(const struct follow *f, pid_t pid, pid_t target)
{
	for (size_t i = 0; f && i < f->pids.n; i++) {
		pid_t other = f->pids.v[i];
		uint64_t key = KEY(pid, other);
		uint32_t value;

		if (other != pid && (!target || target == other) && !kern_map_lookup(f->map, &key, &value))
			return true;
	}
	return false;
}

/* ---- asking the table ------------------------------------------------------------------------------------ */

void follow_check(struct cg *cg, bool forks, vreg target, label out)
{
	struct ir *ir = cg_ir(cg);
	vreg tgid = cg_pid_tgid(cg);

	ir_comment(ir, forks ? "does this process belong to that of the probe?"
			     : "the process of this probe?");
	ir_alui(ir, IR_SHR, tgid, 32);
	if (!forks) {
		ir_jcc(ir, IR_NE, target, tgid, out);
		return;
	}
	int at = cg_probe_stack(cg);

	ir_store(ir, 4, ir_stack(ir, at), 0, target);
	ir_store(ir, 4, ir_stack(ir, at), 4, tgid);
	vreg found = ir_call(ir, BPF_FUNC_map_lookup_elem, 2, ir_mapfd(ir, CG_MAP_AUX),
			     ir_stack(ir, at));

	ir_jcci(ir, IR_EQ, found, 0, out);
}

uint32_t follow_put_check(struct insns *c, const struct follow *f, int target)
{
	if (!f) {
		insns_put_process(c, BPF_REG_1);
		return insns_jump_if_reg(c, BPF_JNE, BPF_REG_1, target);
	}
	insns_put(c, STORE(BPF_W, BPF_REG_10, AT_KEY, target));
	insns_put_process(c, BPF_REG_1);
	insns_put(c, STORE(BPF_W, BPF_REG_10, AT_KEY + 4, BPF_REG_1));
	put_map_call(c, f, BPF_FUNC_map_lookup_elem);
	return insns_jump_if(c, BPF_JEQ, BPF_REG_0, 0);
}
