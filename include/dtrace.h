/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libdtrace: the interface between a DTrace consumer and the library.
 *
 * The life of a consumer:
 *	dtrace_open() - dtrace_setopt() ... - dtrace_program_strcompile() - dtrace_program_exec() -
 *	dtrace_go() - { dtrace_sleep(); dtrace_work(); } until done - dtrace_close()
 *
 * Errors: a function that gives int returns 0, or -1 with the cause kept in the handle; one
 * that gives a pointer returns NULL. dtrace_errno() is the last cause, an errno value or a
 * number of the library's own; dtrace_errmsg() is its text, without prefix or newline.
 *
 * Ownership: what the library hands to a callback is valid until the callback returns; strings
 * returned by a function are valid until the next call with the same handle unless the function
 * says otherwise.
 *
 * Threads: a handle belongs to the thread that opened it, except for dtrace_wakeup() and
 * dtrace_abort().
 */
#ifndef DTRACE_H
#define DTRACE_H

#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

#define DTRACE_VERSION 3 /* of this interface; the first argument of dtrace_open() */

typedef struct dtrace_hdl dtrace_hdl_t;	  /* a consumer */
typedef struct dtrace_prog dtrace_prog_t; /* a compiled program; it belongs to its handle */
struct ps_prochandle;			  /* a process under control; it belongs to its handle */

typedef int processorid_t;	 /* CPU number; DTRACE_CPUALL: not of one CPU */
typedef uint32_t dtrace_id_t;	 /* probe identifier, from 1 */
typedef uint32_t dtrace_epid_t;	 /* enabled probe identifier, from 1 */
typedef uint32_t dtrace_aggid_t; /* aggregation identifier, from 1 */
typedef int64_t dtrace_optval_t; /* value of an option: bytes, nanoseconds, a number */

#define DTRACE_IDNONE 0
#define DTRACE_EPIDNONE 0
#define DTRACE_AGGIDNONE 0
#define DTRACE_CPUALL (-1)
#define DTRACE_PROVNAMELEN 64	/* bytes, the NUL included, of a provider's name */
#define DTRACE_MODNAMELEN 256	/* ... a module's */
#define DTRACE_FUNCNAMELEN 1024 /* ... a function's */
#define DTRACE_NAMELEN 256	/* ... a probe's name */

/* ---- the handle ------------------------------------------------------------------------------ */

#define DTRACE_O_MASK 0x0 /* flags of dtrace_open(): none is defined */

/*
 * Opens a consumer. Needs no privilege; dtrace_go() does. Options stand at their defaults,
 * changed by the environment (DTRACE_OPT_NAME=value). NULL and *errp (may be NULL) set on
 * failure.
 */
dtrace_hdl_t *dtrace_open(int version, int flags, int *errp);
/*
 * Ends tracing if need be, lets go of processes (created ones that were never continued are
 * killed), frees all. NULL is fine.
 */
void dtrace_close(dtrace_hdl_t *dtp);

/* Loads and attaches all that was enabled; BEGIN fires. -1: nothing is left attached. */
int dtrace_go(dtrace_hdl_t *dtp);
/*
 * Stops tracing; END fires. What was recorded until then is still to be consumed by
 * dtrace_work().
 */
int dtrace_stop(dtrace_hdl_t *dtp);
/*
 * Sleeps until there is work by statusrate, switchrate or aggrate, a process has ended or
 * dtrace_wakeup() was called.
 */
void dtrace_sleep(dtrace_hdl_t *dtp);
/*
 * Ends dtrace_sleep(), also one that has not begun yet. May be called from a signal handler or
 * another thread.
 */
void dtrace_wakeup(dtrace_hdl_t *dtp);

int dtrace_errno(dtrace_hdl_t *dtp);
/* Text of an error number; for the last error of dtp with its details. dtp may be NULL. */
const char *dtrace_errmsg(dtrace_hdl_t *dtp, int error);
/* Text of a fault of probe context (DTRACEFLT_*): "divide-by-zero". Static. */
const char *dtrace_faultstr(dtrace_hdl_t *dtp, int fault);
/* "Linux D 0.1": the language and its version. Static. */
const char *dtrace_version_string(void);

/* The errors that a client may want to tell apart; all others are known by their texts. */
enum {
	DTRACE_ERR_ENDTOOBIG = 1000, /* END enablings exceed size of principal buffer */
	DTRACE_ERR_WRITE = 1001	     /* the output cannot be written; the text is the reason */
};

/* Faults: dteda_fault, arg4 of ERROR. */
enum {
	DTRACEFLT_UNKNOWN = 0,
	DTRACEFLT_BADADDR = 1,
	DTRACEFLT_BADALIGN = 2,
	DTRACEFLT_ILLOP = 3,
	DTRACEFLT_DIVZERO = 4,
	DTRACEFLT_NOSCRATCH = 5,
	DTRACEFLT_KPRIV = 6,
	DTRACEFLT_UPRIV = 7,
	DTRACEFLT_TUPOFLOW = 8,
	DTRACEFLT_BADSTACK = 9,
	DTRACEFLT_LIBRARY = 1000
};

/* ---- options --------------------------------------------------------------------------------- */

#define DTRACEOPT_UNSET ((dtrace_optval_t)-2)

/*
 * Sets an option by its D name. value NULL: none was given ("-x quiet"). After dtrace_go()
 * dynamic options only.
 */
int dtrace_setopt(dtrace_hdl_t *dtp, const char *name, const char *value);
/*
 * A number, size (bytes) or rate (ns); 1 for what is on; DTRACEOPT_UNSET if there is none.
 * After dtrace_go() the values in force.
 */
int dtrace_getopt(dtrace_hdl_t *dtp, const char *name, dtrace_optval_t *val);

/* Values of bufpolicy and bufresize. */
enum { DTRACEOPT_BUFPOLICY_SWITCH = 0, DTRACEOPT_BUFPOLICY_FILL = 1, DTRACEOPT_BUFPOLICY_RING = 2 };
enum { DTRACEOPT_BUFRESIZE_AUTO = 0, DTRACEOPT_BUFRESIZE_MANUAL = 1 };

/* ---- stability ------------------------------------------------------------------------------- */

typedef uint8_t dtrace_stability_t;
typedef uint8_t dtrace_class_t;

enum {
	DTRACE_STABILITY_INTERNAL,
	DTRACE_STABILITY_PRIVATE,
	DTRACE_STABILITY_OBSOLETE,
	DTRACE_STABILITY_EXTERNAL,
	DTRACE_STABILITY_UNSTABLE,
	DTRACE_STABILITY_EVOLVING,
	DTRACE_STABILITY_STABLE,
	DTRACE_STABILITY_STANDARD,
	DTRACE_STABILITY_MAX = DTRACE_STABILITY_STANDARD
};
enum {
	DTRACE_CLASS_UNKNOWN,
	DTRACE_CLASS_CPU,
	DTRACE_CLASS_PLATFORM,
	DTRACE_CLASS_GROUP,
	DTRACE_CLASS_ISA,
	DTRACE_CLASS_COMMON,
	DTRACE_CLASS_MAX = DTRACE_CLASS_COMMON
};

typedef struct dtrace_attribute {
	dtrace_stability_t dtat_name; /* of the identifier */
	dtrace_stability_t dtat_data; /* of what it means */
	dtrace_class_t dtat_class;    /* where it exists */
} dtrace_attribute_t;

const char *dtrace_stability_name(dtrace_stability_t s); /* "Evolving"; NULL if there is none */
const char *dtrace_class_name(dtrace_class_t c);	 /* "Common"; NULL if there is none */
/* "Stable/Stable/Common" into buf, cut at len bytes with the NUL; gives buf. */
char *dtrace_attr2str(dtrace_attribute_t attr, char *buf, size_t len);
/* The reverse, any case. 0, or -1 if s is none (no handle, no errno). */
int dtrace_str2attr(const char *s, dtrace_attribute_t *attr);

/* ---- probes ---------------------------------------------------------------------------------- */

typedef struct dtrace_probedesc {
	dtrace_id_t dtpd_id; /* DTRACE_IDNONE: described by the fields */
	char dtpd_provider[DTRACE_PROVNAMELEN];
	char dtpd_mod[DTRACE_MODNAMELEN];
	char dtpd_func[DTRACE_FUNCNAMELEN];
	char dtpd_name[DTRACE_NAMELEN];
} dtrace_probedesc_t;

typedef struct dtrace_typeinfo {
	const char *dtt_name; /* C type as D spells it, NULL: unknown */
} dtrace_typeinfo_t;

typedef struct dtrace_probeinfo {
	dtrace_attribute_t dtp_attr; /* least stable of the four fields */
	dtrace_attribute_t dtp_arga; /* of the arguments */
	const dtrace_typeinfo_t *dtp_argv;
	int dtp_argc;
} dtrace_probeinfo_t;

/* Which field a bare description names last. */
typedef enum dtrace_probespec {
	DTRACE_PROBESPEC_NONE = -1,
	DTRACE_PROBESPEC_PROVIDER = 0,
	DTRACE_PROBESPEC_MOD = 1,
	DTRACE_PROBESPEC_FUNC = 2,
	DTRACE_PROBESPEC_NAME = 3
} dtrace_probespec_t;

typedef int dtrace_probe_f(dtrace_hdl_t *dtp, const dtrace_probedesc_t *pdp, void *arg);

/*
 * Calls func for each probe that *pdp names (fields may be globs; NULL: all probes) in order of
 * id, until it returns other than 0. Gives that value; 0 at the end; -1 if no probe matched.
 */
int dtrace_probe_iter(dtrace_hdl_t *dtp, const dtrace_probedesc_t *pdp, dtrace_probe_f *func,
		      void *arg);
/* Stability and argument types of the one probe that *pdp names; valid until the next call. */
int dtrace_probe_info(dtrace_hdl_t *dtp, const dtrace_probedesc_t *pdp, dtrace_probeinfo_t *pip);
/* "prov:mod:func:name" or fewer fields, the last of which is `spec`; a number alone is an id. */
int dtrace_str2desc(dtrace_hdl_t *dtp, dtrace_probespec_t spec, const char *s,
		    dtrace_probedesc_t *pdp);
int dtrace_id2desc(dtrace_hdl_t *dtp, dtrace_id_t id, dtrace_probedesc_t *pdp);
/*
 * "prov:mod:func:name", or "id" if the description is one; cut at len bytes with the NUL; gives
 * buf.
 */
char *dtrace_desc2str(const dtrace_probedesc_t *pdp, char *buf, size_t len);

/* ---- programs -------------------------------------------------------------------------------- */

/* Flags of compilation; each is also an option that holds for all programs. */
#define DTRACE_C_EMPTY 0x0002  /* an empty program is fine */
#define DTRACE_C_ZDEFS 0x0004  /* so is a description without a probe */
#define DTRACE_C_CPP 0x0010    /* files go through the C preprocessor */
#define DTRACE_C_KNODEF 0x0020 /* unresolved kernel symbols are fine */
#define DTRACE_C_UNODEF 0x0040 /* unresolved user symbols are fine */
#define DTRACE_C_PSPEC 0x0080  /* a doubtful start is a probe description */
#define DTRACE_C_ETAGS 0x0100  /* "[D_TAG] " before errors */
#define DTRACE_C_ARGREF 0x0200 /* unused macro arguments are fine */
#define DTRACE_C_DEFARG 0x0800 /* missing macro arguments are 0 or "" */
#define DTRACE_C_NOLIBS 0x1000 /* no D libraries */
#define DTRACE_C_MASK                                                                           \
	(DTRACE_C_EMPTY | DTRACE_C_ZDEFS | DTRACE_C_CPP | DTRACE_C_KNODEF | DTRACE_C_UNODEF | DTRACE_C_PSPEC | \
	 DTRACE_C_ETAGS | DTRACE_C_ARGREF | DTRACE_C_DEFARG | DTRACE_C_NOLIBS)

typedef struct dtrace_proginfo {
	dtrace_attribute_t dpi_descattr; /* least stable probe description */
	dtrace_attribute_t dpi_stmtattr; /* least stable statement */
	unsigned int dpi_aggregates;	 /* aggregating statements */
	unsigned int dpi_recgens;	 /* statements that record data */
	unsigned int dpi_matches;	 /* pairs of a clause and a probe */
	unsigned int dpi_speculations;	 /* speculate() calls */
} dtrace_proginfo_t;

/*
 * Compiles D text: what stands behind -n (DTRACE_PROBESPEC_NAME) and its like. argv[0 ..
 * argc-1] are $0, $1 ... dtrace_errmsg() of a failure is the compiler's message.
 */
dtrace_prog_t *dtrace_program_strcompile(dtrace_hdl_t *dtp, const char *s, dtrace_probespec_t spec,
					 unsigned int cflags, int argc, char *const argv[]);
/* The same for the rest of a file; the caller closes it. Messages name lines. */
dtrace_prog_t *dtrace_program_fcompile(dtrace_hdl_t *dtp, FILE *fp, unsigned int cflags, int argc,
				       char *const argv[]);

/* Of the providers that programs have defined: a C header for the programs that have their probes (fname: its name), ... */
int dtrace_program_header(dtrace_hdl_t *dtp, FILE *out, const char *fname);
/* ... and the object to be linked with their objects objv. dflags: 0. */
int dtrace_program_link(dtrace_hdl_t *dtp, dtrace_prog_t *pgp, unsigned int dflags, const char *file, int objc,
			char *const objv[]);
/* Enables every clause of a program on every probe it names. *pip may be NULL. */
int dtrace_program_exec(dtrace_hdl_t *dtp, dtrace_prog_t *pgp, dtrace_proginfo_t *pip);
/* The same figures without enabling; dpi_matches is what would match now. */
void dtrace_program_info(dtrace_hdl_t *dtp, dtrace_prog_t *pgp, dtrace_proginfo_t *pip);

typedef struct dtrace_ecbdesc {
	dtrace_probedesc_t dted_probe; /* the description */
} dtrace_ecbdesc_t;

typedef struct dtrace_stmtdesc { /* one clause under one of its descriptions */
	const dtrace_ecbdesc_t *dtsd_ecbdesc;
	unsigned int dtsd_clause;	  /* number of the clause, over all programs, from 0 */
	dtrace_attribute_t dtsd_descattr; /* of the description */
	dtrace_attribute_t dtsd_stmtattr; /* of the predicate and actions */
} dtrace_stmtdesc_t;

typedef int dtrace_stmt_f(dtrace_hdl_t *dtp, dtrace_prog_t *pgp, dtrace_stmtdesc_t *sdp, void *arg);

/* Prints the code generated for all that is enabled, for people to read. */
int dtrace_code_dump(dtrace_hdl_t *dtp, FILE *fp);

/*
 * Calls func for each clause and description in order of the text, until it returns other than
 * 0; gives that value.
 */
int dtrace_stmt_iter(dtrace_hdl_t *dtp, dtrace_prog_t *pgp, dtrace_stmt_f *func, void *arg);

/* ---- consuming ------------------------------------------------------------------------------- */

typedef enum dtrace_flowkind {
	DTRACEFLOW_ENTRY,
	DTRACEFLOW_RETURN,
	DTRACEFLOW_NONE
} dtrace_flowkind_t;

/* What a datum of a record came from. */
typedef enum dtrace_actkind {
	DTRACEACT_NONE = 0,
	DTRACEACT_DIFEXPR = 1, /* trace() */
	DTRACEACT_EXIT = 2,    /* exit() */
	DTRACEACT_PRINTF = 3,  /* an argument of printf() */
	DTRACEACT_PRINTA = 4,  /* printa() */
	DTRACEACT_LIBACT = 5,  /* another action that the library carries out */
	DTRACEACT_AGGREGATION = 0x0700
} dtrace_actkind_t;

#define DTRACEAGG_COUNT (DTRACEACT_AGGREGATION + 1)
#define DTRACEAGG_MIN (DTRACEACT_AGGREGATION + 2)
#define DTRACEAGG_MAX (DTRACEACT_AGGREGATION + 3)
#define DTRACEAGG_AVG (DTRACEACT_AGGREGATION + 4)
#define DTRACEAGG_SUM (DTRACEACT_AGGREGATION + 5)
#define DTRACEAGG_STDDEV (DTRACEACT_AGGREGATION + 6)
#define DTRACEAGG_QUANTIZE (DTRACEACT_AGGREGATION + 7)
#define DTRACEAGG_LQUANTIZE (DTRACEACT_AGGREGATION + 8)
#define DTRACEAGG_LLQUANTIZE (DTRACEACT_AGGREGATION + 9)

typedef struct dtrace_recdesc { /* one datum */
	uint16_t dtrd_action;	/* DTRACEACT_* or DTRACEAGG_* */
	uint32_t dtrd_size;	/* bytes */
	uint32_t dtrd_offset;	/* from the start of the data */
} dtrace_recdesc_t;

typedef struct dtrace_eprobedesc { /* an enabled probe: a clause on a probe */
	dtrace_epid_t dtepd_epid;
	dtrace_id_t dtepd_probeid;
	uint32_t dtepd_size; /* of the data, bytes */
	int dtepd_nrecs;     /* of dtepd_rec: one for each datum, in order */
	const dtrace_recdesc_t *dtepd_rec;
} dtrace_eprobedesc_t;

typedef struct dtrace_probedata { /* a firing */
	dtrace_hdl_t *dtpda_handle;
	const dtrace_eprobedesc_t *dtpda_edesc;
	const dtrace_probedesc_t *dtpda_pdesc;
	processorid_t dtpda_cpu;
	const char *dtpda_data; /* the data of the record */
	dtrace_flowkind_t dtpda_flow;
	const char *dtpda_prefix; /* " -> ", " <- " or "| " with flowindent, else NULL */
	int dtpda_indent;	  /* columns, with flowindent */
	uint64_t dtpda_timestamp; /* of the firing, ns of CLOCK_MONOTONIC; 0 without temporal */
} dtrace_probedata_t;

#define DTRACE_CONSUME_ERROR (-1) /* give up with an error */
#define DTRACE_CONSUME_THIS 0	  /* print it */
#define DTRACE_CONSUME_NEXT 1	  /* leave it out */
#define DTRACE_CONSUME_ABORT 2	  /* give up */

/* Called for each record, before its data. */
typedef int dtrace_consume_probe_f(const dtrace_probedata_t *data, void *arg);
/*
 * Called for each action before it is printed, with its first datum, and with rec NULL at the
 * end of the record.
 */
typedef int dtrace_consume_rec_f(const dtrace_probedata_t *data, const dtrace_recdesc_t *rec,
				 void *arg);

typedef enum {
	DTRACE_WORKSTATUS_ERROR = -1,
	DTRACE_WORKSTATUS_OKAY = 0,
	/*
	 * Nothing more will come: exit() was called and END has run, or dtrace_stop() was
	 * called.
	 */
	DTRACE_WORKSTATUS_DONE = 1
} dtrace_workstatus_t;

/*
 * Does what is due: drops and errors are reported to the handlers, aggregations read, records
 * of the buffers handed to the callbacks and printed to fp. With probe NULL the library prints
 * DTrace's own lines (header, "CPU ID FUNCTION:NAME" columns, flow indentation, by the options
 * quiet and flowindent); with a callback just the values, and the callback prints what it wants
 * around them. fp NULL: all text goes to the handler of dtrace_handle_buffered(). Give the same
 * fp in every call, and callbacks in all or none. Without callbacks the library writes to the
 * descriptor under fp, as much as it takes at a time: print to fp by dtrace_fputs() then.
 */
dtrace_workstatus_t dtrace_work(dtrace_hdl_t *dtp, FILE *fp, dtrace_consume_probe_f *probe,
				dtrace_consume_rec_f *rec, void *arg);

/* The value given to exit(), 0 if it was not called; 1 if a flame graph or heat map could not be written. */
int dtrace_exitstatus(dtrace_hdl_t *dtp);
/*
 * Puts text into fp behind all that dtrace_work() has printed there, without waiting for a slow
 * reader. 0 or -1.
 */
int dtrace_fputs(dtrace_hdl_t *dtp, FILE *fp, const char *text);
/*
 * Gives up what is not yet decoded or written: dtrace_work(), dtrace_sleep() and
 * dtrace_aggregate_print() return as soon as they can. May be called from a signal handler.
 */
void dtrace_abort(dtrace_hdl_t *dtp);

/*
 * The next dtrace_work() prints what the buffers hold now, without waiting for switchrate; under the policy
 * ring without taking it away. May be called from a signal handler. 0, or -1 before the first dtrace_work().
 */
int dtrace_snapshot(dtrace_hdl_t *dtp);

/* ---- handlers -------------------------------------------------------------------------------- */

/* ABORT ends the session: "Abort due to error", "Abort due to drop" ... */
#define DTRACE_HANDLE_ABORT (-1)
#define DTRACE_HANDLE_OK 0

typedef struct dtrace_errdata { /* a fault in D, or a library action that failed */
	dtrace_hdl_t *dteda_handle;
	const dtrace_eprobedesc_t *dteda_edesc;
	const dtrace_probedesc_t *dteda_pdesc;
	processorid_t dteda_cpu;
	int dteda_action; /* number of the action from 1; 0: predicate; -1: not known */
	int dteda_offset; /* place in the compiled code, -1: not known */
	int dteda_fault;  /* DTRACEFLT_* */
	uint64_t dteda_addr;
	const char *dteda_msg; /* the whole text, with newline, without "dtrace: " */
} dtrace_errdata_t;

typedef enum {
	DTRACEDROP_PRINCIPAL,
	DTRACEDROP_AGGREGATION,
	DTRACEDROP_DYNAMIC,
	DTRACEDROP_DYNRINSE,
	DTRACEDROP_DYNDIRTY,
	DTRACEDROP_SPEC,
	DTRACEDROP_SPECBUSY,
	DTRACEDROP_SPECUNAVAIL,
	DTRACEDROP_STKSTROVERFLOW,
	DTRACEDROP_DBLERROR,
	DTRACEDROP_UNKNOWN /* a cause of this implementation; the text tells it */
} dtrace_dropkind_t;

typedef struct dtrace_dropdata {
	dtrace_hdl_t *dtdda_handle;
	processorid_t dtdda_cpu; /* DTRACE_CPUALL: not of one CPU */
	dtrace_dropkind_t dtdda_kind;
	uint64_t dtdda_drops;  /* since the last report of the kind */
	const char *dtdda_msg; /* "11 drops on CPU 0\n" */
} dtrace_dropdata_t;

typedef struct dtrace_setoptdata { /* setopt() of D changed an option */
	dtrace_hdl_t *dtsda_handle;
	const dtrace_probedata_t *dtsda_probe;
	const char *dtsda_option;
	dtrace_optval_t dtsda_oldval;
	dtrace_optval_t dtsda_newval;
} dtrace_setoptdata_t;

typedef struct dtrace_bufdata { /* a piece of output, fp of dtrace_work() being NULL */
	dtrace_hdl_t *dtbda_handle;
	const char *dtbda_buffered;	       /* NUL-terminated text */
	const dtrace_probedata_t *dtbda_probe; /* of the record it belongs to, or NULL */
} dtrace_bufdata_t;

typedef int dtrace_handle_err_f(const dtrace_errdata_t *data, void *arg);
typedef int dtrace_handle_drop_f(const dtrace_dropdata_t *data, void *arg);
typedef int dtrace_handle_setopt_f(const dtrace_setoptdata_t *data, void *arg);
typedef int dtrace_handle_buffered_f(const dtrace_bufdata_t *data, void *arg);
/*
 * A process ended or cannot be traced any more; msg is the reason or NULL, see
 * dtrace_proc_status().
 */
typedef void dtrace_handle_proc_f(struct ps_prochandle *P, const char *msg, void *arg);

/*
 * Each may be set once; a second try fails with EALREADY. Without an error (drop) handler an
 * error (drop) ends the session.
 */
int dtrace_handle_err(dtrace_hdl_t *dtp, dtrace_handle_err_f *func, void *arg);
int dtrace_handle_drop(dtrace_hdl_t *dtp, dtrace_handle_drop_f *func, void *arg);
int dtrace_handle_proc(dtrace_hdl_t *dtp, dtrace_handle_proc_f *func, void *arg);
int dtrace_handle_setopt(dtrace_hdl_t *dtp, dtrace_handle_setopt_f *func, void *arg);
int dtrace_handle_buffered(dtrace_hdl_t *dtp, dtrace_handle_buffered_f *func, void *arg);

/* ---- aggregations ---------------------------------------------------------------------------- */

typedef struct dtrace_aggdesc {
	const char *dtagd_name; /* without @; "_" for the bare one */
	dtrace_aggid_t dtagd_varid;
	int dtagd_nrecs; /* key components, then the value */
	const dtrace_recdesc_t *dtagd_rec;
} dtrace_aggdesc_t;

typedef struct dtrace_aggdata { /* one key and its value */
	dtrace_hdl_t *dtada_handle;
	const dtrace_aggdesc_t *dtada_desc;
	const char *dtada_data; /* the data dtagd_rec describes; strings end with NUL */
	uint64_t dtada_normal;	/* divisor set by normalize(), 1 without */
	size_t dtada_size;	/* of the data, bytes */
} dtrace_aggdata_t;

#define DTRACE_AGGWALK_ERROR (-1) /* give up with an error */
#define DTRACE_AGGWALK_NEXT 0	  /* go on */
#define DTRACE_AGGWALK_ABORT 1	  /* stop walking */
#define DTRACE_AGGWALK_CLEAR 2	  /* set the value to 0, go on */

typedef int dtrace_aggregate_f(const dtrace_aggdata_t *data, void *arg);
typedef int dtrace_aggregate_walk_f(dtrace_hdl_t *dtp, dtrace_aggregate_f *func, void *arg);

/* Reads the aggregation buffers if aggrate has elapsed. */
int dtrace_aggregate_snap(dtrace_hdl_t *dtp);
/* Prints what printa() has not printed, in DTrace's layout; walk NULL: sorted by the options. */
int dtrace_aggregate_print(dtrace_hdl_t *dtp, FILE *fp, dtrace_aggregate_walk_f *walk);
/* Sets all values to 0, keeping the keys. */
void dtrace_aggregate_clear(dtrace_hdl_t *dtp);
/*
 * Walk over the last snapshot: in no order; sorted by the options aggsort*; by key; by value;
 * the same downwards.
 */
int dtrace_aggregate_walk(dtrace_hdl_t *dtp, dtrace_aggregate_f *func, void *arg);
int dtrace_aggregate_walk_sorted(dtrace_hdl_t *dtp, dtrace_aggregate_f *func, void *arg);
int dtrace_aggregate_walk_keysorted(dtrace_hdl_t *dtp, dtrace_aggregate_f *func, void *arg);
int dtrace_aggregate_walk_valsorted(dtrace_hdl_t *dtp, dtrace_aggregate_f *func, void *arg);
int dtrace_aggregate_walk_keyrevsorted(dtrace_hdl_t *dtp, dtrace_aggregate_f *func, void *arg);
int dtrace_aggregate_walk_valrevsorted(dtrace_hdl_t *dtp, dtrace_aggregate_f *func, void *arg);

/* ---- processes ------------------------------------------------------------------------------- */

/*
 * Creates a process from a file (searched in PATH) and argument vector, held before its first
 * instruction until dtrace_proc_continue(). It is killed if the caller ends before that. The
 * first process created or grabbed is $target.
 */
struct ps_prochandle *dtrace_proc_create(dtrace_hdl_t *dtp, const char *file, char *const *argv);
/* Follows a running process, which goes on running. flags: 0. */
struct ps_prochandle *dtrace_proc_grab(dtrace_hdl_t *dtp, pid_t pid, int flags);
/* Lets a created process go. */
void dtrace_proc_continue(dtrace_hdl_t *dtp, struct ps_prochandle *P);
/* Ends following it; P is gone. A process never continued is killed. */
void dtrace_proc_release(dtrace_hdl_t *dtp, struct ps_prochandle *P);
pid_t dtrace_proc_getpid(dtrace_hdl_t *dtp, struct ps_prochandle *P);
/*
 * 1 if it has ended, else 0. *wstatus (may be NULL): as of waitpid(2), 0 for a process that was
 * grabbed.
 */
int dtrace_proc_status(dtrace_hdl_t *dtp, struct ps_prochandle *P, int *wstatus);

#ifdef __cplusplus
}
#endif

#endif
