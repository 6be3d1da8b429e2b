/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Layouts shared by probe context (generated code, runtime/) and the consumer. Only plain C types here.
 * All of it lives in BPF array maps that the consumer maps into its memory.
 *
 * Maps of one consumer:
 *   conf    1 element, frozen: struct abi_conf. The verifier folds loads from it to constants.
 *   state   1 element: struct abi_state.
 *   cpus    1 element: struct abi_cpu for every possible CPU, indexed by CPU number.
 *   bufs    principal buffers: element (slot * 2 + half), slots of the traced CPUs only.
 *   aggs    aggregation buffers, likewise.
 *   globals 1 element: D globals, at the offsets the language gave them.
 *   frames  element (slot * ABI_FRAMES + i): working memory of one firing (see struct abi_frame).
 *   strtab  1 element, frozen: struct abi_str entries of literals and probe names, 8-aligned.
 *   rows    1 element per probe group: what differs from probe to probe (struct abi_row and its EPIDs).
 *   acct    element per slot: struct abi_acct for every EPID. Only with -x accounting.
 *   specst  1 element: states of the speculations, and what of each is where (struct abi_spec_part).
 *   specs   element (slot * nspec + speculation): the records of one speculation on one CPU.
 *   unwfiles, unwrows   how frames of user code are found: see "unwinding". unwasks: a BPF ring buffer.
 *   wakes   a BPF ring buffer, whose words say nothing: there is something to be done now.
 *   dvars   hash map, never touched by the consumer while tracing: dynamic variables.
 */
#ifndef ABI_ABI_H
#define ABI_ABI_H

#include <stdint.h>

/* ---- records in a principal buffer ------------------------------------------------------------------- */

/*
 * Records stand one behind the other, each 8-aligned, `size` a multiple of 8 that counts the header.
 * EPID 0 is filler: a record given up by a fault; skipped by its size. size == 0 ends the data.
 * The layout of the data behind the header is found from the EPID (struct layout in codegen/layout.h).
 */
struct abi_rec {
	uint32_t epid;
	uint32_t size;
};

/*
 * With `temporal` every header has the time as well: that of the firing, which is read before the record is
 * reserved. Before the consumer exchanges the halves it sets abi_cpu.not_before of all CPUs to a time a little
 * ago; who has reserved its record and finds its time to be older takes the time anew. So a half that is
 * entered after an exchange has nothing older than that, and what is older can be printed.
 */
struct abi_rec_time {
	uint32_t epid;
	uint32_t size;
	uint64_t time; /* ns, CLOCK_MONOTONIC */
};

#define ABI_EPID_NONE 0u
#define ABI_EPID_FAULT 0xffffffffu /* struct abi_fault_rec: a run-time fault, turned into the error message */

/* DTrace's fault codes. */
enum abi_fault {
	ABI_FAULT_UNKNOWN = 0,
	ABI_FAULT_BADADDR = 1,
	ABI_FAULT_BADALIGN = 2,
	ABI_FAULT_ILLOP = 3,
	ABI_FAULT_DIVZERO = 4,
	ABI_FAULT_NOSCRATCH = 5,
	ABI_FAULT_KPRIV = 6,
	ABI_FAULT_UPRIV = 7,
	ABI_FAULT_TUPOFLOW = 8,
	ABI_FAULT_BADSTACK = 9,
	ABI_FAULT_BADSIZE = 10,
	ABI_FAULT_BADINDEX = 11,
};

struct abi_fault_data { /* behind the header of an ABI_EPID_FAULT record */
	uint32_t epid;	 /* enabled probe that faulted */
	uint32_t action; /* 0: predicate, else the action's number from 1 */
	int32_t offset;	 /* place in the compiled code, -1 unknown */
	uint32_t fault;	 /* enum abi_fault */
	uint64_t value;	 /* address, size or index */
};

/* ---- the packed word ------------------------------------------------------------------- */

/*
 *  63            33 32 31                              0
 * +----------------+--+---------------------------------+
 * |    entered     |i |             offset              |
 * +----------------+--+---------------------------------+
 * A program enters half i and reserves [offset, offset + n) with one cmpxchg; it leaves by adding 1 to left[i] or
 * alone[i]. `entered` counts modulo 2^31 and wraps out at the top. The consumer exchanges the word for
 * {what was entered before, other half, start}; from then on nobody enters half i any more, and once
 * left[i] + alone[i] == entered (modulo 2^31) everything below the returned offset is complete. No count is ever
 * set back, so no word is seen twice.
 *
 * Atomic additions are what a record costs most, so a program that is alone leaves without one. It reads the word, then
 * left[i] + alone[i]; if that was `entered` and the cmpxchg succeeds, all who entered before it had left, and those who
 * enter after it find it inside until it has left. So there is one such program at most, which alone adds to alone[i]: a
 * load, an addition and a store. All others add to left[i] atomically, whichever way they interrupt one another.
 * (Stores of a CPU are seen in their order on x86-64.)
 * switch: offset = bytes used, grows to bufsize. fill: the same; ABI_OFF_FULL once something did not fit.
 * ring: offset = position of the newest record, shrinks; starts at `size`.
 *
 * A ring overwrites, so one who was interrupted in the middle of a record must not be lapped by those who
 * interrupted it: it would go on writing over newer records. Nobody keeps a list of who is inside. The ring is
 * divided into segments of `ring_segment` bytes; a record that stays in the segment of the one before it is
 * reserved at once (one exclusive-or tells), one that leaves it takes the slow way (runtime/ring.c). There, if
 * left == entered, nobody is inside: this place is kept in mark[half] as one that all who enter from now on
 * are beyond. Otherwise the segment is entered only if it ends less than one round behind the mark. Who finds
 * no room there is dropped as ABI_DROP_BUSY.
 */
#define ABI_WORD_ENTER (1ull << 33)
#define ABI_WORD_INDEX (1ull << 32)
#define ABI_WORD_OFFSET 0xffffffffull
#define ABI_WORD_ENTERED(w) ((uint32_t)((w) >> 33))
#define ABI_WORD_HALF(w) ((uint32_t)((w) >> 32) & 1u)
#define ABI_LEFT_MASK 0x7fffffffu

/* What rt_ring() gives instead of a word, whose offset is a multiple of 8. */
#define ABI_RING_NOROOM 1
#define ABI_RING_CLOSED 2
#define ABI_RING_BUSY 3

#define ABI_OFF_CLOSED 0xfffffff0u /* not tracing: nobody may enter */
#define ABI_OFF_FULL 0xffffffe0u   /* fill: took its last record */
#define ABI_OFF_MAX 0x20000000u	   /* 512 MiB: the verifier's limit for a variable offset */

/* ---- per CPU ------------------------------------------------------------------------------------------ */

#define ABI_SLOT_NONE 0xffffffffu /* this CPU is not traced */
#define ABI_FRAMES 8		  /* frames per CPU: firings that may be under way at once on one CPU */

enum abi_drop { /* cumulative per CPU; the consumer reports differences */
	ABI_DROP_PRINCIPAL,    /* no room in the active buffer */
	ABI_DROP_AGGREGATION,  /* new key, no room */
	ABI_DROP_DYNAMIC,      /* dynamic variable: no room */
	ABI_DROP_DYNBUSY,      /* dynamic variable: the kernel's table, or the key, was busy */
	ABI_DROP_FRAME,	       /* no frame free: the firing was lost */
	ABI_DROP_BUSY,	       /* the reservation lost every race */
	ABI_DROP_DBLERROR,     /* fault inside an ERROR clause */
	ABI_DROP_FAULTREC,     /* no room for a fault record */
	ABI_DROP_SPEC,
	ABI_DROP_SPECBUSY,
	ABI_DROP_SPECUNAVAIL,
	ABI_DROP_NCAUSES = 12,
};

/*
 * How many stores to dynamic variables were begun, and how many are done. What is taken out of map dvars is given to
 * another key at once, so a load is right only if no store to its key went on beside it. Those to elements of associative
 * arrays are counted in one of abi_state.dvar_turns, by hash of the key; those to variables of threads in
 * abi_cpu.dvar_turn, as begun and done at once: a load that they interrupt finds them over.
 */
#define ABI_DVAR_TURN_BITS 10
#define ABI_DVAR_TURNS (1u << ABI_DVAR_TURN_BITS)
struct abi_dvar_turn { /* read as one word */
	uint32_t begun, done;
} __attribute__((aligned(8)));

struct abi_cpu {
	uint64_t word;	  /* principal buffer */
	uint64_t left[2], alone[2]; /* low 31 bits of the sum count */
	uint32_t slot;	  /* index among the traced CPUs, or ABI_SLOT_NONE */
	uint32_t pad0;
	uint64_t mark[2]; /* ring: low half: offset when nobody was inside; high half: counts its changes */
	/* aggregation buffer: own word, own halves. offset: 0 or ABI_OFF_CLOSED; bytes used are in the half (abi_agghalf),
	   so that one who entered before a switch may still create entries */
	uint64_t agg_word __attribute__((aligned(64)));
	uint64_t agg_left[2];
	uint64_t frames;     /* bit i set: frame i is in use */
	uint64_t not_before; /* temporal: records from now on are not older (ns) */
	struct abi_dvar_turn dvar_turn;
	uint64_t pad1[2];
	uint64_t drops[ABI_DROP_NCAUSES] __attribute__((aligned(64)));
	uint64_t chill_since; /* chill(): where its second began (ns), and how long it has kept the CPU in it */
	uint64_t chilled;
} __attribute__((aligned(256)));

/* ---- consumer-wide state ------------------------------------------------------------------------------ */

enum abi_activity {
	ABI_INACTIVE,
	ABI_WARMUP,   /* BEGIN fires */
	ABI_ACTIVE,
	ABI_DRAINING, /* exit() was called */
	ABI_COOLDOWN, /* END fires */
	ABI_STOPPED,
};

struct abi_state {
	uint32_t activity;
	uint32_t filled;  /* fill: CPUs whose buffer is FULL */
	uint64_t exits;	  /* exit() calls seen */
	uint64_t snapshots; /* snapshot() calls */
	uint64_t answered;  /* of those the consumer has seen: the next one wakes it, through map wakes */
	uint64_t pad[4];
	struct abi_dvar_turn dvar_turns[ABI_DVAR_TURNS];
};

/* ---- unwinding ---------------------------------------------------------------------------------------- */

/*
 * User stacks are followed in probe context by what .eh_frame says. A file's rows stand in map unwrows one
 * behind the other, ascending; map unwfiles is a hash table of the files: that of an inode begins at
 * hash & (ABI_UNWIND_FILES - 1) and is one of ABI_UNWIND_TRIES. The consumer alone writes both: first the rows, then
 * the entry, its `state` last. A program that meets a file that is not there asks for it by way of
 * unwasks (struct abi_unwind_ask). Which file is at an address the program finds in the process's
 * memory map, so nothing must be known of processes before they run.
 */
#define ABI_UNWIND_FILES 4096u /* a power of two */
#define ABI_UNWIND_TRIES 16u
#define ABI_UNWIND_HASH(dev, ino) \
	((uint32_t)(((((uint64_t)(dev) << 32) ^ (ino)) * 0x9e3779b97f4a7c15ull) >> 40))
#define ABI_UNWIND_VDSO 1u /* inode of the kernel's page of code, on device 0 */

enum abi_unwind_state { ABI_UNWIND_FREE, ABI_UNWIND_READY };

struct abi_unwind_file {
	uint64_t ino;
	uint32_t dev; /* major << 20 | minor, the kernel's own form */
	uint32_t state;
	uint32_t first, count; /* rows */
	uint64_t pad;
};

struct abi_unwind_ask {
	uint64_t start; /* of the mapping */
	uint64_t ino;
	uint32_t dev, pid;
};

/*
 * A row: place in the file << 32 | rule. A rule, from the low bits on: enum abi_unwind_kind (3 bits), how the
 * frame pointer is found again (8), a signed offset in words (21). The return address is always at cfa - 8.
 */
enum abi_unwind_kind {
	ABI_UNWIND_NONE,     /* not known */
	ABI_UNWIND_SP,	     /* cfa = sp + off */
	ABI_UNWIND_BP,	     /* cfa = bp + off */
	ABI_UNWIND_BP_DEREF, /* cfa = *(bp + off) */
	ABI_UNWIND_SP_DEREF, /* cfa = *(sp + off) + 8 */
	ABI_UNWIND_PLT,	     /* cfa = sp + 8, and 8 more from place off of the 16 bytes of the entry on */
	ABI_UNWIND_SIGNAL,   /* the frame of a signal: all registers are in it */
	ABI_UNWIND_END,	     /* nobody called this */
};
#define ABI_UNWIND_RULE(kind, bp, off) ((uint32_t)(kind) | (uint32_t)(bp) << 3 | (uint32_t)(off) << 11)
#define ABI_UNWIND_ROW(place, rule) ((uint64_t)(place) << 32 | (rule))
#define ABI_UNWIND_KIND(rule) ((rule) & 7u)
#define ABI_UNWIND_BP_OF(rule) ((rule) >> 3 & 0xffu) /* 0: unchanged; n: at cfa - 8 * n */
#define ABI_UNWIND_OFF(rule) ((int64_t)((int32_t)(rule) >> 11) * 8)
#define ABI_UNWIND_BP_MAX 253
#define ABI_UNWIND_BP_OWN 254u	/* at the address that it holds */
#define ABI_UNWIND_BP_LOST 255u
#define ABI_UNWIND_OFF_MIN (-(1 << 20))
#define ABI_UNWIND_OFF_MAX ((1 << 20) - 1)

/* Offsets in the kernel's structures; mm 0: there is no unwinding. */
struct abi_unwind_conf {
	uint32_t frames; /* at most in a stack */
	uint32_t mm, tree, vdso;	       /* task_struct.mm, mm_struct.mm_mt.ma_root and .context.vdso */
	uint32_t start, pgoff, file, flags;    /* of vm_area_struct; vm_end is behind vm_start */
	uint32_t inode, ino, sb, dev;	       /* file.f_inode, inode.i_ino and .i_sb, super_block.s_dev */
	uint32_t xol, xol_addr;		       /* mm_struct.uprobes_state.xol_area, xol_area.vaddr; 0: unknown */
	uint32_t utask, ret, ret_addr, ret_next, ret_stack; /* task_struct.utask, uprobe_task.return_instances ... */
};

#define ABI_STACK_GOES_ON (~0ull) /* behind the pcs of a stack: there are more, which could not be had */

/* State of one unwinding, in the frame; the pcs stand behind it. */
struct abi_unwind {
	uint64_t ip, sp, bp;
	uint64_t exact; /* 1: ip is where it is; 0: a return address, which may be behind the end of its function */
	uint64_t n;	/* pcs stored */
	uint64_t start, end; /* of the mapping that ip is in */
	uint64_t base;	     /* place in the file = ip - base */
	uint64_t first, count; /* rows of its file; 0: not known */
	uint64_t unread;     /* 1: nothing is known of its file yet, or it has none */
	uint64_t guess;	     /* 1: of a frame that was gone through, the frame pointer was a guess */
	uint64_t ret;	     /* struct return_instance that comes next; 0: not looked for yet */
	uint64_t work[5];
	uint64_t node[32]; /* of the kernel's, copied */
};

/*
 * How processes are numbered in the pid namespace of the consumer. ns 0: it is the initial one, whose numbers the kernel's
 * helpers give. Else offsets in the kernel's structures; who has no number there has number 0.
 */
struct abi_pidns {
	uint64_t ns;		 /* address of its struct pid_namespace */
	uint32_t level;		 /* how deep it is in others */
	uint32_t thread, signal; /* task_struct.thread_pid, .signal */
	uint32_t process;	 /* signal_struct.pids of the process */
	uint32_t pid_level;	 /* struct pid.level */
	uint32_t nr, at_ns;	 /* in struct pid: the number at `level`, and in which namespace it is one */
};

struct abi_conf {
	uint32_t bufsize;     /* bytes of a half that records may use */
	uint32_t bufmap;      /* value size of map bufs (ring: bufsize + slack) */
	uint32_t aggsize;     /* bytes of an aggregation half */
	uint32_t agg_buckets; /* number of buckets, a power of two */
	uint32_t agg_heads;   /* offset of the bucket heads (uint32_t each) in a half */
	uint32_t agg_start;   /* offset of the first entry */
	uint32_t frame_size;  /* value size of map frames */
	uint32_t strsize;     /* bytes of a D string with its NUL */
	uint32_t strmax;      /* ROUND_UP(strsize, 8): room for the bytes of a struct abi_str */
	uint32_t strtab_size;
	uint32_t globals_size;
	uint32_t ncpus;	      /* possible CPUs: elements of struct abi_cpu */
	uint32_t nslots;
	uint32_t dvar_size;   /* value size of map dvars */
	uint32_t acct_epids;  /* struct abi_acct cells in an element of map acct, indexed by EPID */
	uint32_t reserve;     /* fill: bytes of bufsize that only END clauses may use, else 0 */
	uint32_t ring_segment; /* ring: a power of two, at least 8, else 0 */
	uint32_t nspec;	      /* speculations; 0: the program has none */
	uint32_t specsize;    /* bytes of one on one CPU */
	uint32_t spec_parts;  /* offset of the first struct abi_spec_part in specst */
	uint32_t temporal;    /* 1: records have a time */
	struct abi_unwind_conf unwind;
	struct abi_pidns pidns;
};

/* ---- speculation -------------------------------------------------------------------------------------- */

/*
 * A speculation is known by its id, 1 .. nspec. Map specst has one word of state for each, shared by all CPUs
 * and changed by cmpxchg, then, from conf.spec_parts, a struct abi_spec_part for every (slot, speculation), in
 * the order of the elements of map specs, which hold their records.
 *
 *	state word: state in bits 0..7; COMMITTING: the state before in bits 8..15; ACTIVEONE, and what comes of
 *	it: slot of the CPU that has the data in bits 32..63
 *
 * A program that speculates first marks itself as inside (entered), then looks at the state, reserves, fills,
 * and leaves. Whoever takes the data away first changes the state, so that nobody reserves any more, then looks
 * at `entered`: not 0, the data stays where it is for now, and the state says that it is still to be taken.
 * COMMITTING belongs to the program that made it; the two last states belong to the cleaner, which is the
 * consumer, at cleanrate: it alone leaves them.
 */
enum abi_spec_state {
	ABI_SPEC_INACTIVE,
	ABI_SPEC_ACTIVE,
	ABI_SPEC_ACTIVEONE,
	ABI_SPEC_ACTIVEMANY,
	ABI_SPEC_COMMITTING,	 /* being committed or discarded on this CPU */
	ABI_SPEC_COMMITTINGMANY, /* committed, some CPUs have data yet */
	ABI_SPEC_DISCARDING,	 /* discarded, some CPUs have data yet */
};
#define ABI_SPEC_STATE(w) ((uint32_t)(w) & 0xffu)
#define ABI_SPEC_BEFORE(w) ((uint32_t)(w) >> 8 & 0xffu)
#define ABI_SPEC_SLOT(w) ((uint32_t)((w) >> 32))

struct abi_spec_part {
	uint64_t word; /* {entered:32, used:32}; `used` in the low half: bytes of records */
	uint64_t pad[7];
};
#define ABI_SPEC_ENTER (1ull << 32)

/* What rt_speculate() gives instead of an offset, rt_commit() and rt_discard() instead of a length. */
#define ABI_SPEC_NONE (-1)   /* the id is not that of an active speculation */
#define ABI_SPEC_NOROOM (-2) /* counted as ABI_DROP_SPEC */
#define ABI_SPEC_BADID (-3)

/* ---- strings ------------------------------------------------------------------------------------------ */

/*
 * A D string in a frame, a variable or the string table. The bytes behind s[len] up to the next multiple
 * of 8 are zero (at least one), so that keys can be compared by 8-byte words. len <= strsize - 1.
 */
struct abi_str {
	uint64_t len; /* ABI_STR_NULL: the NULL string */
	char s[];
};
#define ABI_STR_NULL (~0ull)
#define ABI_STR_BYTES(strsize) (8 + (((strsize) + 7) & ~7u)) /* storage of a string variable */

/* ---- frames ------------------------------------------------------------------------------------------- */

/*
 * A frame is claimed once per firing by cmpxchg on abi_cpu.frames and given back at its end.
 *   0                     struct abi_frame
 *   sizeof                clause-local variables (dsession.locals_size bytes)
 *   then                  the text that strtok() goes through, if it is used: a string
 *   then                  temporaries at offsets given by the code generator
 *   then                  scratch of alloca, copyin, copyinstr: taken upwards from scratch_pos
 */
struct abi_frame {
	uint64_t args[10];     /* of the probe: long programs read them here */
	uint64_t error;	       /* its errno, likewise */
	uint64_t timestamp;    /* of this firing; 0: not read yet */
	uint64_t scratch_pos;  /* offset in the frame of the next free scratch byte */
	uint64_t fault_value;
	uint64_t strtok;       /* state of strtok: position + 1 in the text it has kept, 0 none */
	uint64_t pad[2];
	uint64_t work[16];     /* what changes in a routine's loop */
};

/* d_path(): bytes of a name with its NUL, names of a path; copyout(): bytes copied at once. */
#define ABI_PATH_NAME 256
#define ABI_PATH_NAMES 128
#define ABI_COPYOUT_BLOCK 64

/* ---- aggregation buffer ------------------------------------------------------------------------------- */

/*
 * A half: struct abi_agghalf, values of aggregations without key at fixed offsets (each behind one word that is set to 1 when
 * it is updated), then the bucket heads, then entries in order of creation. Offsets are from the start of
 * the half; 0 means none. Entries are published by cmpxchg on their bucket head; one key may stand twice.
 */
struct abi_agghalf {
	uint64_t used; /* bytes taken by entries from agg_start on; taken by cmpxchg by those who have entered the half */
	uint64_t pad[7];
};
struct abi_aggent {
	uint32_t next;	 /* offset of the next entry of this bucket */
	uint32_t hash;
	uint32_t shape;	 /* index into the consumer's table of key shapes (codegen/layout.h) */
	uint32_t nwords; /* of the key */
	uint64_t key[];	 /* nwords words, then the value */
};

/* Values, all of uint64_t words. */
enum abi_aggval {
	ABI_AGG_COUNT_WORDS = 1,
	ABI_AGG_SUM_WORDS = 1,
	ABI_AGG_AVG_WORDS = 2,	   /* count, sum */
	ABI_AGG_MIN_WORDS = 2,	   /* updates, value (kept as value ^ INT64_MAX so that zeroed memory is neutral) */
	ABI_AGG_MAX_WORDS = 2,	   /* updates, value (kept as value ^ INT64_MIN) */
	ABI_AGG_STDDEV_WORDS = 4,  /* count, sum, sum of squares low, high */
	ABI_AGG_QUANTIZE_WORDS = 127,
};

/*
 * lquantize: levels + 2 words: below base, the levels, at or above the last one's end.
 * llquantize: with n = steps - steps / factor buckets a magnitude and all = n * (high - low + 1):
 *   0                  v <= -factor^(high+1)
 *   1 .. all           negative ones: word all - i is the mirror of word all + 2 + i
 *   all + 1            |v| < factor^low
 *   all + 2 + m*n + k  magnitude low + m: its k-th label from below (k of whole numbers where parts are narrower than 1)
 *   2 * all + 2        v >= factor^(high+1)
 */
#define ABI_AGG_LQUANTIZE_WORDS(base, limit, step) (((uint64_t)(limit) - (uint64_t)(base)) / (step) + 2)
#define ABI_AGG_LLQUANTIZE_WORDS(factor, low, high, steps) \
	(2 * (((steps) - (steps) / (factor)) * ((high) - (low) + 1)) + 3)

/* ---- dynamic variables -------------------------------------------------------------------------------- */

#define ABI_DVAR_WORDS 6
#define ABI_DVAR_SHARED (1u << 31) /* or-ed into the number of words for routines: not the variable of one thread */
struct abi_dvar_key { /* exact up to ABI_DVAR_WORDS words of tuple, else four independent 64-bit hashes of it */
	uint32_t var;	 /* variable id */
	uint32_t nwords; /* of the tuple before hashing */
	uint64_t w[ABI_DVAR_WORDS];
};

/* ---- probe groups ------------------------------------------------------------------------------------- */

/*
 * One row per probe of a group that shares a program (system call number, cookie): constants of the probe,
 * then one EPID per clause of the program, 0 where the clause is not enabled on this probe.
 */
struct abi_row {
	uint32_t probe_id;
	uint32_t prov, mod, func, name; /* offsets of the names in strtab */
	uint32_t pad;
	uint32_t epid[]; /* row stride is rounded up to 8 */
};

/* ---- accounting --------------------------------------------------------------------------------------- */

enum abi_acct_cause { /* per EPID and CPU */
	ABI_ACCT_FIRED,	    /* counted at the probe's entry */
	ABI_ACCT_FALSE,	    /* predicate false */
	ABI_ACCT_NOROOM,
	ABI_ACCT_BUSY,
	ABI_ACCT_NOFRAME,
	ABI_ACCT_FAULT,
	ABI_ACCT_STOPPED,   /* fired after the end of tracing had begun, or exit() was called */
	ABI_ACCT_DONE,	    /* clauses that record nothing: ran to the end */
	ABI_ACCT_SPECSKIP,  /* speculate() of no active speculation */
	ABI_ACCT_SPECDROP,  /* no room in the speculative buffer */
	ABI_ACCT_DISCARDED, /* recorded, then discarded */
	ABI_ACCT_SPECLOST,  /* recorded, committed, and no room for it in the principal buffer */
	ABI_ACCT_SPECLEFT,  /* recorded, neither committed nor discarded when tracing ended */
	ABI_ACCT_WRITTEN,   /* the record was completed; a ring may overwrite it later */
};
struct abi_acct {
	uint64_t n[16];
};

#endif
