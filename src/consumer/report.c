/* SPDX-License-Identifier: BSD-2-Clause */
/* Messages: drops, run-time errors of D, the table of -x accounting. */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "consumer/impl.h"

void consumer_message(struct consumer *c, const char *fmt, ...)
{
	const struct consumer_hooks *h = hooks_of(c);
	va_list ap;
	char *text;

	/* What was decoded before comes before the message, as far as the output takes it. */
	output_poll(&c->out);
	va_start(ap, fmt);
	text = mem_vprintf(fmt, ap);
	va_end(ap);
	if (h && h->message)
		h->message(h->arg, text);
	else
		fprintf(stderr, "dtrace: %s\n", text);
	free(text);
}

int consumer_fail(struct consumer *c, const char *fmt, ...)
{
	va_list ap;

	if (c->errmsg)
		return -1;
	va_start(ap, fmt);
	c->errmsg = mem_vprintf(fmt, ap);
	va_end(ap);
	return -1;
}

/* ---- drops ---------------------------------------------------------------------------------- */

/*
 * One row a cause. The words behind the number: one, many, and what follows them; per CPU: " on CPU
 * n" stands before that.
 */
static const struct drop_row {
	enum abi_drop kind;
	enum drop_when when;
	bool per_cpu;
	const char *tag, *one, *many, *tail;
} drop_rows[] = {
	{ ABI_DROP_PRINCIPAL, DROP_WITH_DATA, true, "PRINCIPAL", "drop", "drops", "" },
	{ ABI_DROP_BUSY, DROP_WITH_DATA, true, "BUSY", "drop", "drops", " (buffer busy)" },
	{ ABI_DROP_FRAME, DROP_WITH_DATA, true, "FRAME", "drop", "drops", " (no frame free)" },
	{ ABI_DROP_FAULTREC, DROP_WITH_DATA, true, "FAULTREC", "error message drop",
	  "error message drops", "" },
	{ ABI_DROP_AGGREGATION, DROP_WITH_AGGS, true, "AGGREGATION", "aggregation drop",
	  "aggregation drops", "" },
	{ ABI_DROP_DYNAMIC, DROP_WITH_STATUS, false, "DYNAMIC", "dynamic variable drop",
	  "dynamic variable drops", "" },
	{ ABI_DROP_DYNBUSY, DROP_WITH_STATUS, false, "DYNBUSY", "dynamic variable drop",
	  "dynamic variable drops", " (variables busy)" },
	{ ABI_DROP_SPEC, DROP_WITH_STATUS, false, "SPEC", "speculative drop", "speculative drops",
	  "" },
	{ ABI_DROP_SPECBUSY, DROP_WITH_STATUS, false, "SPECBUSY", "failed speculation",
	  "failed speculations", " (available buffer(s) still busy)" },
	{ ABI_DROP_SPECUNAVAIL, DROP_WITH_STATUS, false, "SPECUNAVAIL", "failed speculation",
	  "failed speculations", " (no speculative buffer available)" },
	{ ABI_DROP_DBLERROR, DROP_WITH_STATUS, false, "DBLERROR", "error", "errors",
	  " in ERROR probe enabling" },
};

const char *drop_name(enum abi_drop kind)
{
	for (size_t k = 0; k < ARRAY_SIZE(drop_rows); k++)
		if (drop_rows[k].kind == kind)
			return drop_rows[k].tag;
	return NULL;
}

static int drop_tell(struct consumer *c, const struct drop_row *row, int cpu, uint64_t n,
		     uint64_t total)
{
	const struct consumer_hooks *h = hooks_of(c);
	enum consumer_answer a = CONSUMER_THIS;
	char tag[40], where[24] = "", text[200], label[48] = "";
	struct consumer_drop d = { row->kind, cpu, n, total, tag, text };

	snprintf(tag, sizeof(tag), "DTRACEDROP_%s", row->tag);
	if (c->cfg.opt->droptags)
		snprintf(label, sizeof(label), "[%s] ", tag);
	if (row->per_cpu)
		snprintf(where, sizeof(where), " on CPU %d", cpu);
	snprintf(text, sizeof(text), "%s%" PRIu64 " %s%s%s", label, n,
		 n == 1 ? row->one : row->many, where, row->tail);
	if (c->cfg.opt->oformat == FORMAT_JSON && !c->cfg.no_lines)
		json_drop(c, &d);
	output_poll(&c->out);
	if (h && h->drop)
		a = h->drop(h->arg, &d);
	if (a == CONSUMER_ABORT)
		return consumer_fail(c, "Abort due to drop");
	if (a == CONSUMER_THIS)
		consumer_message(c, "%s", text);
	return 0;
}

int drops_report(struct consumer *c, enum drop_when when, int only)
{
	size_t k;
	uint32_t i;

	for (k = 0; k < ARRAY_SIZE(drop_rows); k++) {
		const struct drop_row *row = &drop_rows[k];
		uint64_t sum = 0, all = 0;

		if (row->when != when)
			continue;
		for (i = 0; i < c->nslots; i++) {
			int cpu = buffers_slot_cpu(c->cfg.buffers, i);
			uint64_t now =
				__atomic_load_n(&buffers_cpu(c->cfg.buffers, cpu)->drops[row->kind],
						__ATOMIC_RELAXED);
			uint64_t n = now - c->drops[i][row->kind];

			all += now;
			if (!n || (only >= 0 && (uint32_t)only != i))
				continue;
			c->drops[i][row->kind] = now;
			sum += n;
			if (row->per_cpu && drop_tell(c, row, cpu, n, now))
				return -1;
		}
		if (sum && !row->per_cpu && drop_tell(c, row, -1, sum, all))
			return -1;
	}
	return 0;
}

/* ---- errors --------------------------------------------------------------------------------- */

static const char *fault_text(uint32_t fault)
{
	switch (fault) {
	case ABI_FAULT_BADADDR: return "invalid address";
	case ABI_FAULT_BADALIGN: return "invalid alignment";
	case ABI_FAULT_ILLOP: return "illegal operation";
	case ABI_FAULT_DIVZERO: return "divide-by-zero";
	case ABI_FAULT_NOSCRATCH: return "out of scratch space";
	case ABI_FAULT_KPRIV: return "invalid kernel access";
	case ABI_FAULT_UPRIV: return "invalid user access";
	case ABI_FAULT_TUPOFLOW: return "tuple stack overflow";
	case ABI_FAULT_BADSTACK: return "bad stack";
	case ABI_FAULT_BADSIZE: return "invalid size";
	case ABI_FAULT_BADINDEX: return "index out of bounds";
	default: return "unknown fault";
	}
}

static int error_tell(struct consumer *c, struct consumer_error *e)
{
	const struct consumer_hooks *h = hooks_of(c);
	enum consumer_answer a = CONSUMER_THIS;

	c->errors++;
	if (c->cfg.opt->oformat == FORMAT_JSON && !c->cfg.no_lines)
		json_error(c, e);
	output_poll(&c->out);
	if (h && h->error)
		a = h->error(h->arg, e);
	if (a == CONSUMER_ABORT)
		return consumer_fail(c, "Abort due to error");
	if (a == CONSUMER_THIS)
		consumer_message(c, "%s", e->text);
	return 0;
}

static void error_head(struct str *s, uint32_t epid, const struct ecb *e)
{
	str_printf(s, "error on enabled probe ID %u (ID %u: %s:%s:%s:%s): ", epid,
		   e ? e->probe_id : 0, e ? e->prov : "", e ? e->mod : "", e ? e->func : "",
		   e ? e->name : "");
}

int fault_report(struct consumer *c, int cpu, const struct abi_fault_data *f)
{
	struct consumer_error e = { .cpu = cpu,
				    .epid = f->epid,
				    .ecb = ecb_get(c->cfg.ecbs, f->epid),
				    .action = f->action,
				    .offset = f->offset,
				    .fault = f->fault,
				    .value = f->value };
	struct str s = { 0 };
	int r;

	e.has_value = f->fault == ABI_FAULT_BADADDR || f->fault == ABI_FAULT_BADALIGN ||
		      f->fault == ABI_FAULT_BADSTACK || f->fault == ABI_FAULT_BADSIZE ||
		      f->fault == ABI_FAULT_BADINDEX;
	error_head(&s, f->epid, e.ecb);
	str_puts(&s, fault_text(f->fault));
	if (e.has_value && f->fault == ABI_FAULT_BADINDEX)
		str_printf(&s, " (%" PRId64 ")", (int64_t)f->value);
	else if (e.has_value)
		str_printf(&s, " (0x%" PRIx64 ")", f->value);
	if (f->action)
		str_printf(&s, " in action #%u", f->action);
	else
		str_puts(&s, " in predicate");
	if (f->offset >= 0)
		str_printf(&s, " at DIF offset %d", f->offset);
	e.text = str_c(&s);
	r = error_tell(c, &e);
	str_free(&s);
	return r;
}

/* An error of the consumer's own actions: setopt(), freopen(), normalize(). */
int error_report(struct consumer *c, int cpu, const struct ecb *ecb, const char *text)
{
	struct consumer_error e = {
		.cpu = cpu, .epid = ecb->epid, .ecb = ecb, .offset = -1, .fault = ABI_FAULT_UNKNOWN
	};
	struct str s = { 0 };
	int r;

	error_head(&s, ecb->epid, ecb);
	str_puts(&s, text);
	e.text = str_c(&s);
	r = error_tell(c, &e);
	str_free(&s);
	return r;
}

/* ---- accounting ----------------------------------------------------------------------------- */

static void accounting_line(struct consumer *c, const struct ecb *e, uint32_t slot,
			    const struct abi_acct *a)
{
	const uint64_t *n = a->n;
	char spec[160] = "";

	if (buffers_have_specs(c->cfg.buffers))
		snprintf(spec, sizeof(spec),
			 " specskip %" PRIu64 " specdrop %" PRIu64 " discarded %" PRIu64
			 " speclost %" PRIu64 " specleft %" PRIu64,
			 n[ABI_ACCT_SPECSKIP], n[ABI_ACCT_SPECDROP], n[ABI_ACCT_DISCARDED],
			 n[ABI_ACCT_SPECLOST], n[ABI_ACCT_SPECLEFT]);
	consumer_message(c,
			 "accounting: EPID %u CPU %d %s:%s:%s:%s fired %" PRIu64 " false %" PRIu64
			 " recorded %" PRIu64 " noroom %" PRIu64 " busy %" PRIu64
			 " noframe %" PRIu64 " fault %" PRIu64 " stopped %" PRIu64 " done %" PRIu64
			 " written %" PRIu64 "%s",
			 e->epid, buffers_slot_cpu(c->cfg.buffers, slot), e->prov, e->mod, e->func,
			 e->name, n[ABI_ACCT_FIRED], n[ABI_ACCT_FALSE],
			 consumer_recorded(c, e->epid, slot), n[ABI_ACCT_NOROOM], n[ABI_ACCT_BUSY],
			 n[ABI_ACCT_NOFRAME], n[ABI_ACCT_FAULT], n[ABI_ACCT_STOPPED],
			 n[ABI_ACCT_DONE], n[ABI_ACCT_WRITTEN], spec);
}

void accounting_report(struct consumer *c)
{
	const struct abi_conf *conf = buffers_conf(c->cfg.buffers);
	uint32_t slot, epid;

	for (epid = 1; epid <= c->cfg.ecbs->v.n; epid++)
		for (slot = 0; slot < c->nslots; slot++) {
			const struct abi_acct *a = buffers_acct(c->cfg.buffers, slot);

			if (a && epid < conf->acct_epids &&
			    (a[epid].n[ABI_ACCT_FIRED] || consumer_recorded(c, epid, slot)))
				accounting_line(c, ecb_get(c->cfg.ecbs, epid), slot, &a[epid]);
		}
}
