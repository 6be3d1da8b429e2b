/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Creation of the maps: which ones, how large, and what happens when memory does not suffice.
 * Moving data through them is switch.c.
 */
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "buffer/impl.h"
#include "kern/kern.h"

#define PAGE 4096u
#define FAULT_RECORD (sizeof(struct abi_rec_time) + sizeof(struct abi_fault_data))
#define NO_RECORDS_SIZE 4096u /* principal half when no clause records: fault records only */
#define DVAR_NODE_MAX (1u << 20)

const char *buffer_refusal_text(enum buffer_refusal why)
{
	switch (why) {
	case BUFFER_NOSPACE: return "Not enough space";
	case BUFFER_ENDTOOLARGE: return "END enablings exceed size of principal buffer";
	case BUFFER_TOOSMALL: return "Enabling exceeds size of buffer";
	case BUFFER_SYSTEM: return "Failed to create buffers";
	case BUFFER_OK: break;
	}
	return "";
}

/* ---- areas ---------------------------------------------------------------------------------- */

static void area_destroy(struct area *a)
{
	if (a->mem)
		munmap(a->mem, a->len);
	if (a->fd >= 0)
		close(a->fd);
	*a = (struct area){ .fd = -1 };
}

/* One array map, or zeroed memory of the same shape; mapped if asked. */
static int area_create(const struct buffers *b, struct area *a, const char *name, uint64_t value,
		       uint32_t n, bool mapped)
{
	uint64_t len = ROUND_UP(ROUND_UP(value, 8) * n, (uint64_t)PAGE);
	int err;

	*a = (struct area){ .fd = -1, .len = len };
	if (b->plain) {
		a->mem = mmap(NULL, len, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (a->mem == MAP_FAILED) {
			a->mem = NULL;
			return -ENOMEM;
		}
		return 0;
	}
	a->fd = kern_map_create(BPF_MAP_TYPE_ARRAY, name, 4, value, n, mapped ? BPF_F_MMAPABLE : 0);
	if (a->fd < 0) {
		err = a->fd;
		a->fd = -1;
		return err;
	}
	if (!mapped)
		return 0;
	err = kern_map_mmap(a->fd, len, PROT_READ | PROT_WRITE, &a->mem);
	if (err) {
		a->mem = NULL;
		area_destroy(a);
	}
	return err;
}

/* A one-element map whose contents are constants for the verifier. */
static int area_create_frozen(const struct buffers *b, struct area *a, const char *name,
			      const void *data, uint32_t size)
{
	uint32_t key = 0;
	int err;

	*a = (struct area){ .fd = -1 };
	if (b->plain || size == 0)
		return 0;
	a->fd = kern_map_create(BPF_MAP_TYPE_ARRAY, name, 4, size, 1, BPF_F_RDONLY_PROG);
	if (a->fd < 0) {
		err = a->fd;
		a->fd = -1;
		return err;
	}
	err = kern_map_update(a->fd, &key, data, 0);
	if (!err)
		err = kern_map_freeze(a->fd);
	if (err)
		area_destroy(a);
	return err;
}

/* ---- sizes ---------------------------------------------------------------------------------- */

/*
 * What all areas together may take: half of what there is, so that tracing does not kill its
 * machine.
 */
static uint64_t memory_budget(bool plain)
{
	uint64_t avail = UINT64_MAX, group = UINT64_MAX;

	if (plain)
		return UINT64_MAX;
	if (kern_meminfo_available(&avail))
		avail = UINT64_MAX;
	if (kern_cgroup_memory_room(&group))
		group = UINT64_MAX;
	return MIN(avail, group) / 2;
}

static bool is_nomem(int err)
{
	/* EPERM: RLIMIT_MEMLOCK, on kernels without cgroup accounting; E2BIG: a map's limit */
	return err == -ENOMEM || err == -EPERM || err == -E2BIG;
}

/*
 * Tries sizes from `want` down by halves until make() succeeds. The size in force is left in *size.
 * floor: what is refused with `refusal` at once, whatever the memory.
 */
struct sizing {
	struct buffers *b;
	const struct buffer_request *req;
	uint64_t per_size; /* areas of this size */
	uint64_t extra;	   /* bytes beyond `size` in each area */
	uint64_t max;	   /* largest size of one area */
	uint64_t floor;
	enum buffer_refusal refusal;
	int (*make)(struct sizing *s, uint32_t size);
};

static int size_find(struct sizing *s, uint64_t want, uint64_t *budget, uint64_t *size,
		     enum buffer_refusal *why)
{
	uint64_t n = want & ~7ull, total;
	int err;

	*why = n < 8 ? BUFFER_TOOSMALL : BUFFER_NOSPACE;
	for (;; n = (n / 2) & ~7ull) {
		if (n < 8)
			return -ENOMEM;
		if (n < s->floor) {
			*why = s->refusal;
			return -ENOSPC;
		}
		err = -ENOMEM;
		if (n <= s->max) {
			total = (n + s->extra) * s->per_size;
			if (total <= *budget)
				err = s->make(s, n);
			if (!err) {
				*budget -= total;
				*size = n;
				*why = BUFFER_OK;
				return 0;
			}
		}
		if (!is_nomem(err)) {
			*why = BUFFER_SYSTEM;
			return err;
		}
		if (s->req->manual)
			return err;
	}
}

/*
 * An eighth of the ring: so much of it at most is out of use while a program is interrupted in the middle of
 * a record. A record and a segment must fit beside each other, else every record takes the slow way.
 */
static uint32_t ring_segment(uint32_t size, uint32_t slack)
{
	uint32_t n = 8;

	while (n * 2 <= size / 8)
		n *= 2;
	return (uint64_t)slack + n <= size ? n : 8;
}

static int bufs_make(struct sizing *s, uint32_t size)
{
	struct buffers *b = s->b;

	b->conf.bufsize = size;
	b->conf.bufmap = size + s->extra;
	if (b->policy == CG_RING)
		b->conf.ring_segment = ring_segment(size, s->extra);
	return area_create(b, &b->bufs, "bufs", b->conf.bufmap, b->conf.nslots * 2, true);
}

/*
 * A quarter of the words of what is left for keys become bucket heads: 1/8 of the space, as DTrace
 * has it.
 */
static void agg_layout(struct abi_conf *c, uint32_t size, uint32_t fixed)
{
	uint32_t buckets = 1;

	while (buckets * 2 <= size / 8 / sizeof(uint32_t) && buckets < (1u << 22))
		buckets *= 2;
	c->aggsize = size;
	c->agg_heads = ROUND_UP((uint32_t)sizeof(struct abi_agghalf) + fixed, 64);
	c->agg_buckets = buckets;
	c->agg_start = ROUND_UP(c->agg_heads + buckets * (uint32_t)sizeof(uint32_t), 8);
}

static int aggs_make(struct sizing *s, uint32_t size)
{
	struct buffers *b = s->b;

	agg_layout(&b->conf, size, s->req->agg_fixed);
	return area_create(b, &b->aggs, "aggs", size, b->conf.nslots * 2, true);
}

/* Smallest half that holds the fixed values and one entry of the largest kind. */
static uint64_t agg_floor(const struct buffer_request *req)
{
	struct abi_conf c;
	uint64_t n = ROUND_UP(sizeof(struct abi_agghalf) + (uint64_t)req->agg_fixed, 64) + 8 +
		     req->agg_min;

	for (;; n += 8) {
		agg_layout(&c, n, req->agg_fixed);
		if ((uint64_t)c.agg_start + req->agg_min <= n)
			return n;
	}
}

static uint32_t dvar_node(const struct buffer_request *req)
{
	return sizeof(struct abi_dvar_key) + ROUND_UP(MAX(req->dvar_size, 8), 8);
}

static int dvars_make(struct sizing *s, uint32_t size)
{
	uint32_t n = MAX(size / dvar_node(s->req), 1);

	s->b->conf.dvar_size = ROUND_UP(MAX(s->req->dvar_size, 8), 8);
	if (s->b->plain)
		return 0;
	/* Preallocated: no allocation happens at probe time. */
	s->b->dvars.fd = kern_map_create(BPF_MAP_TYPE_HASH, "dvars", sizeof(struct abi_dvar_key),
					 s->b->conf.dvar_size, n, 0);
	if (s->b->dvars.fd < 0) {
		int err = s->b->dvars.fd;

		s->b->dvars.fd = -1;
		return err;
	}
	return 0;
}

#define NSPEC_MAX (1u << 23) /* turns of one loop in probe context */

static int specs_make(struct sizing *s, uint32_t size)
{
	struct buffers *b = s->b;
	uint64_t parts = MAX(s->req->nspec, 1) * b->conf.nslots;

	b->conf.specsize = size;
	/* Mapped for accounting only: programs and the cleaner need the words of map specst. */
	return area_create(b, &b->specs, "specs", size, parts, s->req->acct_epids > 0);
}

/* States and parts, in one element. */
static int specst_make(struct buffers *b, const struct buffer_request *req)
{
	uint64_t parts = ROUND_UP(req->nspec * sizeof(uint64_t), sizeof(struct abi_spec_part));
	uint64_t size = parts + (req->nspec * b->conf.nslots + 1) * sizeof(struct abi_spec_part);

	if (req->nspec > NSPEC_MAX || size > ABI_OFF_MAX)
		return -ENOMEM;
	b->conf.nspec = req->nspec;
	b->conf.spec_parts = parts;
	return area_create(b, &b->specst, "specst", size, 1, true);
}

/* ---- creation ------------------------------------------------------------------------------- */

static int slots_find(struct buffers *b, const struct buffer_request *req)
{
	int possible = req->plain ? req->plain : kern_cpus_possible();
	int *cpus = NULL, err;
	size_t n = 0, i;

	if (possible <= 0)
		return possible ? possible : -EINVAL;
	b->conf.ncpus = possible;
	if (req->plain) {
		cpus = mem_alloc(possible * sizeof(*cpus));
		for (; n < (size_t)possible; n++)
			cpus[n] = n;
	} else {
		err = kern_cpus_online(&cpus, &n);
		if (err)
			return err;
	}
	b->slots = mem_alloc((n ? n : 1) * sizeof(*b->slots));
	for (i = 0; i < n; i++)
		if ((req->cpu < 0 || cpus[i] == req->cpu) && (uint32_t)cpus[i] < b->conf.ncpus)
			b->slots[b->conf.nslots++].cpu = cpus[i];
	free(cpus);
	return b->conf.nslots ? 0 : -ENODEV;
}

static void cpus_init(struct buffers *b)
{
	struct abi_cpu *cpus = b->cpus.mem, *c;
	uint32_t i, start = b->policy == CG_RING ? b->conf.bufsize : 0;

	for (i = 0; i < b->conf.ncpus; i++) {
		cpus[i].slot = ABI_SLOT_NONE;
		cpus[i].word = cpus[i].agg_word = ABI_WORD_INDEX | ABI_OFF_CLOSED;
	}
	for (i = 0; i < b->conf.nslots; i++) {
		c = &cpus[b->slots[i].cpu];
		c->slot = i;
		gate_init(&b->slots[i].buf, &c->word, c->left, c->alone,
			  b->policy == CG_RING ? c->mark : NULL, start);
		gate_init(&b->slots[i].agg, &c->agg_word, c->agg_left, NULL, NULL, 0);
	}
}

static int sizes_create(struct buffers *b, const struct buffer_request *req,
			struct buffer_result *res)
{
	uint64_t budget = memory_budget(b->plain), size;
	uint64_t want = req->principal ? req->bufsize : MAX(NO_RECORDS_SIZE, req->reserve);
	uint32_t slack =
		req->policy == CG_RING ? ROUND_UP(MAX(req->max_record, FAULT_RECORD), 8) : 0;
	struct sizing s = { .b = b, .req = req, .per_size = b->conf.nslots * 2 };
	int err;

	s.extra = slack;
	s.max = ABI_OFF_MAX - slack;
	s.make = bufs_make;
	if (req->policy == CG_FILL) {
		s.floor = b->conf.reserve = req->reserve;
		s.refusal = BUFFER_ENDTOOLARGE;
	}
	err = size_find(&s, want, &budget, &size, &res->why);
	if (err)
		return err;
	if (req->principal) {
		res->bufsize = size;
		res->buf_lowered = size + 8 < want;
	}
	if (req->aggs) {
		s.extra = 0;
		s.max = ABI_OFF_MAX;
		s.floor = agg_floor(req);
		s.refusal = BUFFER_TOOSMALL;
		s.make = aggs_make;
		err = size_find(&s, req->aggsize, &budget, &res->aggsize, &res->why);
		if (err)
			return err;
		res->agg_lowered = res->aggsize + 8 < req->aggsize;
	}
	if (req->specs) {
		err = specst_make(b, req);
		if (err) {
			res->why = is_nomem(err) ? BUFFER_NOSPACE : BUFFER_SYSTEM;
			return err;
		}
		s.extra = s.floor = 0;
		s.per_size = b->conf.nslots * MAX(req->nspec, 1); /* none: the maps must exist */
		s.max = ABI_OFF_MAX;
		s.make = specs_make;
		err = size_find(&s, req->specsize, &budget, &res->specsize, &res->why);
		if (err)
			return err;
		res->spec_lowered = res->specsize + 8 < req->specsize;
	}
	if (req->dvars) {
		s.extra = s.floor = 0;
		s.per_size = 1;
		s.max = 1ull << 31;
		s.make = dvars_make;
		err = size_find(&s, req->dvarsize, &budget, &res->dvarsize, &res->why);
		if (err)
			return err;
		res->dvar_lowered = res->dvarsize + 8 < req->dvarsize;
	}
	return 0;
}

static int areas_create(struct buffers *b, const struct buffer_request *req)
{
	struct abi_conf *c = &b->conf;
	int err;

	c->frame_size = req->frames ? ROUND_UP(req->frame_size, 8) : 0;
	c->strsize = req->strsize;
	c->strmax = ROUND_UP(req->strsize, 8);
	c->strtab_size = req->strtab_size;
	c->globals_size = ROUND_UP(req->globals_size, 8);
	c->acct_epids = req->acct_epids;
	c->temporal = req->temporal;
	c->unwind = req->unwind;
	if (kern_pidns())
		c->pidns = *kern_pidns();
	err = area_create(b, &b->state, "state", sizeof(struct abi_state), 1, true);
	if (!err)
		err = area_create(b, &b->cpus, "cpus", sizeof(struct abi_cpu) * c->ncpus, 1, true);
	if (!err && c->globals_size)
		err = area_create(b, &b->globals, "globals", c->globals_size, 1, true);
	if (!err && c->frame_size)
		err = area_create(b, &b->frames, "frames", c->frame_size, c->nslots * ABI_FRAMES,
				  false);
	if (!err && c->acct_epids)
		err = area_create(b, &b->acct, "acct",
				  sizeof(struct abi_acct) * (uint64_t)c->acct_epids, c->nslots,
				  true);
	if (!err && req->wakes && !b->plain)
		err = wakes_create(b);
	if (!err)
		err = area_create_frozen(b, &b->strtab, "strtab", req->strtab, req->strtab_size);
	if (!err)
		err = area_create_frozen(b, &b->conf_area, "conf", c, sizeof(*c));
	return err;
}

int buffers_create(struct buffers **out, const struct buffer_request *req,
		   struct buffer_result *res)
{
	struct buffers *b = mem_alloc(sizeof(*b));
	struct area *areas[] = { &b->conf_area, &b->state,  &b->cpus,	&b->bufs, &b->aggs,
				 &b->globals,	&b->frames, &b->strtab, &b->acct, &b->dvars,
				 &b->specst,	&b->specs,  &b->wakes };
	size_t i;
	int err;

	*out = NULL;
	*res = (struct buffer_result){ .why = BUFFER_SYSTEM };
	for (i = 0; i < ARRAY_SIZE(areas); i++)
		areas[i]->fd = -1;
	b->policy = req->policy;
	b->plain = req->plain > 0;
	b->header = req->temporal ? sizeof(struct abi_rec_time) : sizeof(struct abi_rec);
	err = slots_find(b, req);
	if (!err)
		err = sizes_create(b, req, res);
	if (!err) {
		err = areas_create(b, req);
		if (err)
			res->why = is_nomem(err) ? BUFFER_NOSPACE : BUFFER_SYSTEM;
	}
	if (err) {
		buffers_destroy(b);
		return err;
	}
	cpus_init(b);
	*out = b;
	return 0;
}

void buffers_destroy(struct buffers *b)
{
	size_t i;

	if (!b)
		return;
	area_destroy(&b->conf_area);
	area_destroy(&b->state);
	area_destroy(&b->cpus);
	area_destroy(&b->bufs);
	area_destroy(&b->aggs);
	area_destroy(&b->globals);
	area_destroy(&b->frames);
	area_destroy(&b->strtab);
	area_destroy(&b->acct);
	area_destroy(&b->dvars);
	area_destroy(&b->specst);
	area_destroy(&b->specs);
	wakes_destroy(b);
	for (i = 0; i < b->rows.n; i++)
		close(b->rows.v[i]);
	vec_free(&b->rows);
	for (i = 0; b->slots && i < b->conf.nslots; i++)
		free(b->slots[i].kept);
	free(b->slots);
	free(b);
}

int buffers_rows_create(struct buffers *b, const void *rows, uint32_t size)
{
	struct area a;
	int err = area_create_frozen(b, &a, "rows", rows, size);

	if (err)
		return err;
	if (a.fd >= 0)
		vec_push(&b->rows, a.fd);
	return a.fd;
}

int buffers_strtab_renew(struct buffers *b, const void *strtab, uint32_t size)
{
	struct abi_conf conf = b->conf;
	struct area tab, c;
	int err;

	if (size == b->conf.strtab_size)
		return 0;
	conf.strtab_size = size;
	err = area_create_frozen(b, &tab, "strtab", strtab, size);
	if (err)
		return err;
	err = area_create_frozen(b, &c, "conf", &conf, sizeof(conf));
	if (err) {
		area_destroy(&tab);
		return err;
	}
	area_destroy(&b->strtab);
	area_destroy(&b->conf_area);
	b->strtab = tab;
	b->conf_area = c;
	b->conf = conf;
	return 0;
}

/* ---- what there is -------------------------------------------------------------------------- */

int buffers_fd(const struct buffers *b, enum cg_map map)
{
	switch (map) {
	case CG_MAP_CONF: return b->conf_area.fd;
	case CG_MAP_STATE: return b->state.fd;
	case CG_MAP_CPUS: return b->cpus.fd;
	case CG_MAP_BUFS: return b->bufs.fd;
	case CG_MAP_AGGS: return b->aggs.fd;
	case CG_MAP_GLOBALS: return b->globals.fd;
	case CG_MAP_FRAMES: return b->frames.fd;
	case CG_MAP_STRTAB: return b->strtab.fd;
	case CG_MAP_ACCT: return b->acct.fd;
	case CG_MAP_DVARS: return b->dvars.fd;
	case CG_MAP_SPECST: return b->specst.fd;
	case CG_MAP_SPECS: return b->specs.fd;
	case CG_MAP_WAKES: return b->wakes.fd;
	default: return -1;
	}
}

const struct abi_conf *buffers_conf(const struct buffers *b)
{
	return &b->conf;
}

enum cg_policy buffers_policy(const struct buffers *b)
{
	return b->policy;
}

struct abi_state *buffers_state(struct buffers *b)
{
	return b->state.mem;
}

struct abi_cpu *buffers_cpu(struct buffers *b, int cpu)
{
	return (struct abi_cpu *)b->cpus.mem + cpu;
}

uint32_t buffers_nslots(const struct buffers *b)
{
	return b->conf.nslots;
}

int buffers_slot_cpu(const struct buffers *b, uint32_t slot)
{
	return b->slots[slot].cpu;
}

const struct abi_acct *buffers_acct(const struct buffers *b, uint32_t slot)
{
	if (!b->acct.mem)
		return NULL;
	return (const struct abi_acct *)b->acct.mem + (size_t)slot * b->conf.acct_epids;
}

void *buffers_globals(struct buffers *b)
{
	return b->globals.mem;
}

void *buffer_half(const struct buffers *b, uint32_t slot, uint32_t half)
{
	return (char *)b->bufs.mem + (size_t)b->conf.bufmap * (slot * 2 + half);
}
