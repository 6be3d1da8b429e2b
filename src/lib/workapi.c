/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dtrace_work(), dtrace_sleep() and the handlers, over the consumer. What is read and printed
 * when is the consumer's affair; here its hooks are turned into the client's callbacks.
 */
#include "lib/work.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/str.h"
#include "consumer/consumer.h"
#include "consumer/print.h"

/* ---- descriptions of enabled probes ---------------------------------------------------------- */

static uint16_t action_kind(enum func_id func)
{
	switch (func) {
	case FN_trace: return DTRACEACT_DIFEXPR;
	case FN_exit: return DTRACEACT_EXIT;
	case FN_printf: return DTRACEACT_PRINTF;
	case FN_printa: return DTRACEACT_PRINTA;
	default: return DTRACEACT_LIBACT;
	}
}

/*
 * Bytes that a datum takes in a client's data; 0: it has none. Strings stand in full, with
 * their NUL.
 */
static uint32_t field_bytes(const struct field *f, uint32_t strsize)
{
	switch (f->kind) {
	case FIELD_STRING:
	case FIELD_CONST_STRING:
	case FIELD_PROBE_STRING: return strsize;
	case FIELD_CONST_INT: return f->size ? f->size : 8;
	case FIELD_USYM: return 16;
	case FIELD_AGG: return 0;
	default: return f->size;
	}
}

void work_recdesc_offsets(dtrace_recdesc_t *r, uint32_t size, uint32_t *end)
{
	r->dtrd_size = size;
	r->dtrd_offset = ROUND_UP(*end, 8);
	*end = r->dtrd_offset + size;
}

static void describe_fields(struct epid_info *info, const struct layout *l, uint32_t strsize)
{
	uint32_t end = 0;
	int n = 0;

	for (size_t i = 0; i < l->nactions; i++)
		n += l->actions[i].nfields;
	info->recs = mem_alloc((n + 1) * sizeof(*info->recs));
	info->first = mem_alloc((l->nactions + 1) * sizeof(*info->first));
	n = 0;
	for (size_t i = 0; i < l->nactions; i++) {
		const struct action *a = &l->actions[i];

		info->first[i] = a->nfields ? n : -1;
		for (size_t k = 0; k < a->nfields; k++, n++) {
			info->recs[n].dtrd_action = action_kind(a->func);
			work_recdesc_offsets(&info->recs[n], field_bytes(&a->fields[k], strsize),
					     &end);
		}
	}
	info->edesc.dtepd_nrecs = n;
	info->edesc.dtepd_rec = info->recs;
	info->edesc.dtepd_size = end;
}

static const struct epid_info *epid_info(dtrace_hdl_t *dtp, const struct ecb *ecb)
{
	struct work *w = dtp->work;
	struct epid_info *info;

	while (w->epids.n < ecb->epid)
		vec_push(&w->epids, NULL);
	if (w->epids.v[ecb->epid - 1])
		return w->epids.v[ecb->epid - 1];
	info = w->epids.v[ecb->epid - 1] = mem_alloc(sizeof(*info));
	list_desc_names(ecb->prov, ecb->mod, ecb->func, ecb->name, ecb->probe_id, &info->pdesc);
	info->edesc.dtepd_epid = ecb->epid;
	info->edesc.dtepd_probeid = ecb->probe_id;
	describe_fields(info, ecb->layout, dtp->opt[OPT_STRSIZE]);
	return info;
}

static void epid_info_free(struct epid_info *info)
{
	if (!info)
		return;
	free(info->recs);
	free(info->first);
	free(info);
}

/* ---- a record laid out for the client -------------------------------------------------------- */

static bool action_present(const struct action *a, const void *rec, uint32_t header)
{
	const uint64_t *bits = (const uint64_t *)((const char *)rec + header);

	return a->presence < 0 || (bits[a->presence / 64] >> a->presence % 64 & 1);
}

static void put_value(char *to, uint32_t size, const struct print_value *v)
{
	uint64_t pair[2] = { v->pid, v->value };

	switch (v->kind) {
	case FIELD_INT:
	case FIELD_SYM: memcpy(to, &v->value, MIN(size, sizeof(v->value))); break;
	case FIELD_USYM: memcpy(to, pair, MIN(size, sizeof(pair))); break;
	case FIELD_STRING: /* the room was cleared: a NUL stays behind */
		memcpy(to, v->data, v->data ? MIN(v->size, size - 1) : 0);
		break;
	default: memcpy(to, v->data, v->data ? MIN(v->size, size) : 0);
	}
}

static const char *lay_out(dtrace_hdl_t *dtp, const struct ecb *ecb, const struct epid_info *info,
			   const void *rec)
{
	const struct layout *l = ecb->layout;
	const unsigned char *strs = (const unsigned char *)rec + l->fixed;
	struct str *data = &dtp->work->data;
	int n = 0;

	data->n = 0;
	str_pad(data, 0, info->edesc.dtepd_size);
	for (size_t i = 0; i < l->nactions; i++) {
		const struct action *a = &l->actions[i];

		if (!action_present(a, rec, l->header)) {
			n += a->nfields;
			continue;
		}
		for (size_t k = 0; k < a->nfields; k++, n++) {
			struct print_value v = { 0 };

			if (!info->recs[n].dtrd_size)
				continue;
			print_value_get(&v, &a->fields[k], ecb, rec, &strs);
			put_value(data->s + info->recs[n].dtrd_offset, info->recs[n].dtrd_size, &v);
		}
	}
	return str_c(data);
}

/* ---- records --------------------------------------------------------------------------------- */

static enum consumer_answer give_up(dtrace_hdl_t *dtp, int error)
{
	hdl_error(dtp, error);
	dtp->work->failed = true;
	return CONSUMER_ABORT;
}

static enum consumer_answer answer(dtrace_hdl_t *dtp, int rc)
{
	switch (rc) {
	case DTRACE_CONSUME_THIS: return CONSUMER_THIS;
	case DTRACE_CONSUME_NEXT: return CONSUMER_NEXT;
	case DTRACE_CONSUME_ABORT: return give_up(dtp, EDT_DIRABORT);
	default: return give_up(dtp, EDT_BADRVAL);
	}
}

static void fill_probedata(dtrace_hdl_t *dtp, const struct consumer_data *d,
			   const struct epid_info *info, dtrace_probedata_t *pd)
{
	*pd = (dtrace_probedata_t){
		.dtpda_handle = dtp,
		.dtpda_edesc = &info->edesc,
		.dtpda_pdesc = &info->pdesc,
		.dtpda_cpu = d->cpu,
		.dtpda_data = str_c(&dtp->work->data),
		.dtpda_flow = d->is_entry    ? DTRACEFLOW_ENTRY
			      : d->is_return ? DTRACEFLOW_RETURN
					     : DTRACEFLOW_NONE,
		.dtpda_prefix = d->prefix && *d->prefix ? d->prefix : NULL,
		.dtpda_indent = d->indent,
		.dtpda_timestamp = d->time,
	};
}

static enum consumer_answer hook_probe(void *arg, const struct consumer_data *d, bool after)
{
	dtrace_hdl_t *dtp = arg;
	struct work *w = dtp->work;
	const struct epid_info *info = epid_info(dtp, d->ecb);
	dtrace_probedata_t pd;
	int rc = DTRACE_CONSUME_THIS;

	/* What is printed so far comes before what the callback prints. */
	if (work_output(dtp, w->fp, false) < 0) {
		w->failed = true;
		return CONSUMER_ABORT;
	}
	if (!after)
		lay_out(dtp, d->ecb, info, d->rec);
	fill_probedata(dtp, d, info, &pd);
	w->now = &pd;
	if (!after && w->probe)
		rc = w->probe(&pd, w->arg);
	else if (after && w->rec)
		rc = w->rec(&pd, NULL, w->arg);
	w->now = NULL;
	/* At the end of a record there is nothing left to be left out. */
	return answer(dtp, after && rc == DTRACE_CONSUME_NEXT ? DTRACE_CONSUME_THIS : rc);
}

static enum consumer_answer hook_action(void *arg, const struct consumer_data *d,
					const struct action *a)
{
	dtrace_hdl_t *dtp = arg;
	struct work *w = dtp->work;
	const struct epid_info *info = epid_info(dtp, d->ecb);
	int first = info->first[a - d->ecb->layout->actions];
	dtrace_recdesc_t none = { .dtrd_action = action_kind(a->func) };
	dtrace_probedata_t pd;
	int rc;

	if (!w->rec)
		return CONSUMER_THIS;
	if (work_output(dtp, w->fp, false) < 0) {
		w->failed = true;
		return CONSUMER_ABORT;
	}
	fill_probedata(dtp, d, info, &pd);
	rc = w->rec(&pd, first < 0 ? &none : &info->recs[first], w->arg);
	return answer(dtp, rc);
}

/* ---- errors, drops, options ------------------------------------------------------------------ */

/* What was printed before comes before what a handler prints. */
static int relay_before(dtrace_hdl_t *dtp)
{
	if (!dtp->work || !dtp->work->relayed || work_output(dtp, dtp->work->fp, false) == 0)
		return 0;
	dtp->work->failed = true;
	return -1;
}

static enum consumer_answer hook_error(void *arg, const struct consumer_error *e)
{
	dtrace_hdl_t *dtp = arg;
	const struct epid_info *info = e->ecb ? epid_info(dtp, e->ecb) : NULL;
	dtrace_errdata_t data = {
		.dteda_handle = dtp,
		.dteda_edesc = info ? &info->edesc : NULL,
		.dteda_pdesc = info ? &info->pdesc : NULL,
		.dteda_cpu = e->cpu,
		.dteda_action = e->action,
		.dteda_offset = e->offset,
		.dteda_fault = (int)e->fault,
		.dteda_addr = e->value,
	};
	char *msg;
	int rc;

	if (!dtp->on_err)
		return give_up(dtp, EDT_ERRABORT);
	if (relay_before(dtp) < 0)
		return CONSUMER_ABORT;
	msg = mem_printf("%s\n", e->text);
	data.dteda_msg = msg;
	rc = dtp->on_err(&data, dtp->on_err_arg);
	free(msg);
	return rc == DTRACE_HANDLE_OK ? CONSUMER_NEXT : give_up(dtp, EDT_ERRABORT);
}

static int report_drop(dtrace_hdl_t *dtp, dtrace_dropkind_t kind, int cpu, uint64_t drops,
		       const char *text)
{
	dtrace_dropdata_t data = {
		.dtdda_handle = dtp, .dtdda_cpu = cpu, .dtdda_kind = kind, .dtdda_drops = drops
	};
	char *msg;
	int rc;

	if (!dtp->on_drop)
		return DTRACE_HANDLE_ABORT;
	msg = mem_printf("%s\n", text);
	data.dtdda_msg = msg;
	rc = dtp->on_drop(&data, dtp->on_drop_arg);
	free(msg);
	return rc;
}

static enum consumer_answer hook_drop(void *arg, const struct consumer_drop *d)
{
	static const dtrace_dropkind_t kinds[ABI_DROP_NCAUSES] = {
		[ABI_DROP_PRINCIPAL] = DTRACEDROP_PRINCIPAL,
		[ABI_DROP_AGGREGATION] = DTRACEDROP_AGGREGATION,
		[ABI_DROP_DYNAMIC] = DTRACEDROP_DYNAMIC,
		[ABI_DROP_DYNBUSY] = DTRACEDROP_UNKNOWN,
		[ABI_DROP_FRAME] = DTRACEDROP_UNKNOWN,
		[ABI_DROP_BUSY] = DTRACEDROP_UNKNOWN,
		[ABI_DROP_DBLERROR] = DTRACEDROP_DBLERROR,
		[ABI_DROP_FAULTREC] = DTRACEDROP_UNKNOWN,
		[ABI_DROP_SPEC] = DTRACEDROP_SPEC,
		[ABI_DROP_SPECBUSY] = DTRACEDROP_SPECBUSY,
		[ABI_DROP_SPECUNAVAIL] = DTRACEDROP_SPECUNAVAIL,
	};
	dtrace_hdl_t *dtp = arg;

	if (relay_before(dtp) < 0)
		return CONSUMER_ABORT;
	if (report_drop(dtp, kinds[d->kind], d->cpu, d->drops, d->text) != DTRACE_HANDLE_OK)
		return give_up(dtp, EDT_DROPABORT);
	return CONSUMER_NEXT;
}

void work_lost(dtrace_hdl_t *dtp, int cpu, uint64_t n, const char *text)
{
	report_drop(dtp, DTRACEDROP_UNKNOWN, cpu, n, text);
}

void work_message(dtrace_hdl_t *dtp, const char *text)
{
	report_drop(dtp, DTRACEDROP_UNKNOWN, DTRACE_CPUALL, 0, text);
}

static void hook_message(void *arg, const char *text)
{
	work_message(arg, text);
}

static const char *hook_setopt(void *arg, const struct consumer_data *d, const char *name,
			       const char *value)
{
	dtrace_hdl_t *dtp = arg;
	dtrace_setoptdata_t data = { .dtsda_handle = dtp, .dtsda_option = name };
	dtrace_probedata_t pd;
	int rc;

	if (dtrace_getopt(dtp, name, &data.dtsda_oldval) < 0)
		return dtrace_errmsg(NULL, EDT_BADOPTNAME);
	rc = options_set(dtp, OPT_FROM_SETOPT, name, value && *value ? value : NULL);
	if (rc)
		return dtrace_errmsg(NULL, rc);
	dtrace_getopt(dtp, name, &data.dtsda_newval);
	if (!dtp->on_setopt)
		return NULL;
	fill_probedata(dtp, d, epid_info(dtp, d->ecb), &pd);
	data.dtsda_probe = &pd;
	if (dtp->on_setopt(&data, dtp->on_setopt_arg) != DTRACE_HANDLE_OK)
		give_up(dtp, EDT_DIRABORT);
	return NULL;
}

static int hook_stop(void *arg)
{
	dtrace_hdl_t *dtp = arg;

	if (dtrace_stop(dtp) == 0)
		return 0;
	dtp->work->failed = true;
	return dtp->error < EDT_BASE ? -dtp->error : -EIO;
}

/* ---- output ---------------------------------------------------------------------------------- */

static int write_error(dtrace_hdl_t *dtp, int error)
{
	const char *own = dtp->consumer ? consumer_own_path(dtp->consumer) : NULL;
	const char *why = dtrace_errmsg(NULL, error);

	if (own)
		return hdl_errorf(dtp, EDT_DSIZE, "failed to write to %s: %s", own, why);
	return hdl_errorf(dtp, EDT_WRITE, "%s", why);
}

/* Hands the buffer on to the client. */
static int relay(dtrace_hdl_t *dtp, FILE *fp, struct output *o)
{
	size_t n = output_backlog(o);
	const char *text = str_c(&o->buf) + o->done;
	dtrace_bufdata_t data = { .dtbda_handle = dtp,
				  .dtbda_buffered = text,
				  .dtbda_probe = dtp->work->now };
	int rc = 0;

	if (!n)
		return 0;
	if (fp) {
		if (fwrite(text, 1, n, fp) != n && errno != EINTR)
			rc = write_error(dtp, errno ? errno : EIO);
	} else if (!dtp->on_buffered) {
		rc = hdl_error(dtp, EDT_NOBUFFERED);
	} else if (dtp->on_buffered(&data, dtp->on_buffered_arg) != DTRACE_HANDLE_OK) {
		rc = hdl_error(dtp, EDT_DIRABORT);
	}
	output_abort(o);
	return rc;
}

static bool aborted(void *arg)
{
	return ((dtrace_hdl_t *)arg)->aborted;
}

int work_output(dtrace_hdl_t *dtp, FILE *fp, bool wait)
{
	struct output *o = consumer_output(dtp->consumer);
	int rc;

	if (dtp->work->relayed)
		return relay(dtp, fp, o);
	rc = wait ? output_flush(o, aborted, dtp) : output_poll(o);
	/* Cut short by dtrace_abort(): what is left was given up. */
	if (rc == 0 || (rc == -EINTR && dtp->aborted))
		return 0;
	return write_error(dtp, -rc);
}

static void wake(void *arg, int fd)
{
	uint64_t n;
	ssize_t got = read(fd, &n, sizeof(n));

	(void)arg;
	(void)got;
}

static void fill_hooks(dtrace_hdl_t *dtp, struct consumer_hooks *h, bool callbacks)
{
	*h = (struct consumer_hooks){
		.arg = dtp,
		.stop = hook_stop,
		.error = hook_error,
		.drop = hook_drop,
		.message = hook_message,
		.setopt = hook_setopt,
	};
	symapi_hooks(h);
	if (callbacks) {
		h->probe = hook_probe;
		h->action = hook_action;
	}
}

int work_open(dtrace_hdl_t *dtp, FILE *fp, bool callbacks)
{
	struct consumer_config cfg = { .ecbs = &dtp->ecbs,
				       .opt = &dtp->live,
				       .buffers = dtp->buffers };
	int rc;

	if (dtp->consumer)
		return 0;
	if (!dtp->buffers)
		return hdl_error(dtp, EINVAL);
	dtp->work = mem_alloc(sizeof(*dtp->work));
	dtp->work->relayed = callbacks || !fp;
	fill_hooks(dtp, &dtp->work->hooks, callbacks);
	cfg.hooks = &dtp->work->hooks;
	cfg.strtab = strtab_data(dtp->strtab, &cfg.strtab_size);
	cfg.no_lines = callbacks;
	cfg.out_fd = -1;
	if (!dtp->work->relayed) {
		fflush(fp);
		cfg.out_fd = fileno(fp);
	}
	rc = consumer_create(&dtp->consumer, &cfg);
	if (rc == 0)
		rc = consumer_add_fd(dtp->consumer, dtp->wake_fd, wake, dtp);
	if (rc == 0)
		rc = procapi_watch(dtp);
	if (rc == 0)
		rc = symapi_watch(dtp);
	if (rc == 0)
		rc = unwindapi_watch(dtp);
	if (rc == 0)
		rc = enable_watch(dtp);
	if (rc < 0) {
		work_close(dtp);
		return hdl_error(dtp, -rc);
	}
	if (dtp->stopped)
		consumer_set_stopped(dtp->consumer);
	return 0;
}

void work_close(dtrace_hdl_t *dtp)
{
	struct consumer *c = dtp->consumer;

	dtp->consumer = NULL;
	consumer_destroy(c);
	if (!dtp->work)
		return;
	for (size_t i = 0; i < dtp->work->epids.n; i++)
		epid_info_free(dtp->work->epids.v[i]);
	vec_free(&dtp->work->epids);
	str_free(&dtp->work->data);
	free(dtp->work);
	dtp->work = NULL;
}

/* ---- the interface --------------------------------------------------------------------------- */

static dtrace_workstatus_t work_failed(dtrace_hdl_t *dtp)
{
	struct output *o = consumer_output(dtp->consumer);

	if (o->error)
		write_error(dtp, -o->error);
	else if (!dtp->work->failed)
		hdl_errorf(dtp, EDT_DSIZE, "%s", consumer_errmsg(dtp->consumer));
	return DTRACE_WORKSTATUS_ERROR;
}

dtrace_workstatus_t dtrace_work(dtrace_hdl_t *dtp, FILE *fp, dtrace_consume_probe_f *probe,
				dtrace_consume_rec_f *rec, void *arg)
{
	enum consumer_status st;
	struct work *w;

	if (work_open(dtp, fp, probe || rec) < 0)
		return DTRACE_WORKSTATUS_ERROR;
	w = dtp->work;
	w->probe = probe;
	w->rec = rec;
	w->arg = arg;
	w->fp = fp;
	w->failed = false;
	st = dtp->stopped ? consumer_drain(dtp->consumer) : consumer_work(dtp->consumer);
	if (st == CONSUMER_ERROR || w->failed)
		return work_failed(dtp);
	if (work_output(dtp, fp, st == CONSUMER_DONE) < 0)
		return DTRACE_WORKSTATUS_ERROR;
	if (st == CONSUMER_DONE && dtp->live.accounting && !w->accounted) {
		w->accounted = true;
		accounting_report(dtp->consumer);
	}
	return st == CONSUMER_DONE ? DTRACE_WORKSTATUS_DONE : DTRACE_WORKSTATUS_OKAY;
}

void dtrace_sleep(dtrace_hdl_t *dtp)
{
	/* Before the first dtrace_work() everything is due. */
	if (dtp->consumer && !dtp->aborted)
		consumer_sleep(dtp->consumer, -1);
}

void dtrace_abort(dtrace_hdl_t *dtp)
{
	dtp->aborted = 1;
	if (dtp->consumer)
		consumer_abort(dtp->consumer);
	dtrace_wakeup(dtp);
}

int dtrace_snapshot(dtrace_hdl_t *dtp)
{
	if (!dtp->consumer)
		return -1;
	consumer_snapshot(dtp->consumer);
	dtrace_wakeup(dtp);
	return 0;
}

int dtrace_exitstatus(dtrace_hdl_t *dtp)
{
	int status = 0;

	if (dtp->consumer && !consumer_exited(dtp->consumer, &status))
		status = 0;
	return dtp->consumer && consumer_unwritten(dtp->consumer) ? 1 : status;
}

int dtrace_fputs(dtrace_hdl_t *dtp, FILE *fp, const char *text)
{
	if (!dtp->consumer || dtp->work->relayed) {
		if (fputs(text, fp) < 0)
			return write_error(dtp, errno);
		return 0;
	}
	str_puts(&consumer_output(dtp->consumer)->buf, text);
	return work_output(dtp, fp, false);
}
