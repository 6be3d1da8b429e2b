/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stresscheck POLICY RATE LOAD MESSAGES: is everything there that test/programs/stress says it did?
 *
 * Reads the lines of test/stress/stress.d from standard input (text, or JSON, which has the times that `temporal`
 * orders by), then what the load printed, and the messages with -x accounting. Checked, for each probe and CPU:
 * lines are whole and in order; fired, by the load's count, is the sum of what became of it; recorded, by
 * dtrace's count, are the lines; under ring and fill those that are there are the last and the first ones, without
 * a gap. Prints a line, and before it what was found wrong; exit status 1 for that.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stresscheck.h"

static struct cpu cpus[CPUS];
static struct timer timers[8192];
static size_t ntimers;
static int faults, is_ring, is_fill, is_json;
static u64 rate, last_header, late, errors, error_drops, total_lines;

static void wrong(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static void wrong(const char *fmt, ...)
{
	va_list ap;

	if (faults++ >= 30)
		return;
	va_start(ap, fmt);
	printf("  ");
	vprintf(fmt, ap);
	printf("\n");
	va_end(ap);
}

/* ---- lines ------------------------------------------------------------------------------------------------ */

/* Where a record of a thread stands among all that it could have made: three places a call. */
static u64 place_of(const struct line *l)
{
	return l->n * 3 + (l->clause == U ? 0 : l->clause == A ? 1 : 2);
}

static int place_exists(u64 place)
{
	u64 n = place / 3;

	return place % 3 == 1 || (place % 3 == 0 ? n % 16 == 0 : n % 3 == 0);
}

static u64 place_after(u64 place)
{
	do
		place++;
	while (!place_exists(place));
	return place;
}

/* How many places of [from, to) a record could have had. */
static u64 places(u64 from, u64 to)
{
	u64 n = 0;

	for (; from < to; from++)
		n += (u64)place_exists(from);
	return n;
}

static void check_thread(struct cpu *c, const struct line *l)
{
	u64 place = place_of(l);
	int first = !c->lines[A] && !c->lines[B] && !c->lines[U];

	if (!place_exists(place))
		wrong("CPU %d: %c of call %" PRIu64 " cannot be", l->cpu, letters[l->clause], l->n);
	if (place < c->task_next)
		wrong("CPU %d: %c of call %" PRIu64 " is out of order", l->cpu, letters[l->clause],
		      l->n);
	else if (is_fill || (is_ring && !first))
		c->task_gaps += places(c->task_next, place);
	c->task_next = place_after(place);
	if (l->clause == B && strcmp(l->text, &"abcdefghijklmnop"[l->n & 15]))
		wrong("CPU %d: torn: B of call %" PRIu64 " has '%s'", l->cpu, l->n, l->text);
	if (l->clause != B && l->more != (l->n ^ l->time))
		wrong("CPU %d: torn: %c of call %" PRIu64, l->cpu, letters[l->clause], l->n);
}

/* Blocks of BLOCK records, every 16 calls; a ring may have lost the start of the first. */
static void check_block(struct cpu *c, const struct line *l)
{
	u64 in = l->n % 16;

	if (in >= BLOCK)
		wrong("CPU %d: S of call %" PRIu64 " was discarded, or is none", l->cpu, l->n);
	else if (in && l->n != c->next[S] && !(is_ring && !c->lines[S]))
		wrong("CPU %d: S of call %" PRIu64 " is without those before it", l->cpu, l->n);
	else if (!in && c->lines[S] && c->next[S] % 16 != BLOCK)
		wrong("CPU %d: the S before that of call %" PRIu64 " has no end", l->cpu, l->n);
	c->blocks += in == BLOCK - 1;
	c->next[S] = l->n + 1;
}

static void check_interrupt(struct cpu *c, const struct line *l)
{
	u64 *gaps = l->clause == H ? &c->timer_gaps : &c->softirq_gaps;

	if (l->n < c->next[l->clause])
		wrong("CPU %d: %c %" PRIu64 " is out of order", l->cpu, letters[l->clause], l->n);
	else if (l->clause != P && (is_fill || (is_ring && c->lines[l->clause])))
		*gaps += l->n - c->next[l->clause];
	c->next[l->clause] = l->n + 1;
	if (l->clause == H && c->nh < KEPT) {
		c->h[c->nh] = l->n;
		c->h_timer[c->nh++] = l->more;
	} else if (l->clause == P && c->np < KEPT) {
		c->p[c->np++] = l->n;
	}
}

static void check_line(const struct line *l)
{
	struct cpu *c = &cpus[l->cpu];
	u64 *last = &c->last_time[l->clause];

	switch (l->clause) {
	case A:
	case B:
	case U: check_thread(c, l); break;
	case S: check_block(c, l); break;
	case H:
	case I:
	case P: check_interrupt(c, l); break;
	case M:
		/* An id is given again when all that it had was shown. */
		if (l->more >= NAMES || l->n < c->many[l->more])
			wrong("CPU %d: M of call %" PRIu64 " is out of order", l->cpu, l->n);
		else
			c->many[l->more] = l->n + 1;
		break;
	case E:
		if (l->n != 4)
			wrong("CPU %d: fault %" PRIu64 " is no division by zero", l->cpu, l->n);
		break;
	case END: break;
	default: wrong("CPU %d: no line of EPID %d can be", l->cpu, (int)l->clause); break;
	}
	if (l->clause != M && l->time <= *last)
		wrong("CPU %d: %c at %" PRIu64 " behind that of %" PRIu64, l->cpu,
		      letters[l->clause], l->time, *last);
	*last = l->time;
	c->lines[l->clause]++;
	total_lines++;
}

static int number(const char **s, u64 *to)
{
	char *end;

	if (**s != ' ' || (!isdigit((unsigned char)(*s)[1]) && (*s)[1] != '-'))
		return 0;
	*to = strtoull(*s + 1, &end, 10);
	*s = end;
	return 1;
}

/* "A 2 0 17 123456 123481" */
static int line_parse(const char *s, struct line *l)
{
	static const char more[] = "AUMH";
	char letter = *s;
	u64 epid, cpu;

	memset(l, 0, sizeof(*l));
	if (!letter || !number((s++, &s), &epid) || !number(&s, &cpu) || !number(&s, &l->n) ||
	    !number(&s, &l->time))
		return 0;
	if (epid >= NCLAUSES || letters[epid] != letter || cpu >= CPUS)
		return 0;
	l->clause = (enum clause)epid;
	l->cpu = (int)cpu;
	if (strchr(more, letter))
		return number(&s, &l->more) && !*s;
	if (letter == 'B') {
		l->text = s + 1;
		return *s == ' ';
	}
	return !*s;
}

static void agg_set(const char *name, int cpu, u64 value)
{
	int i;

	for (i = 0; i < NAGGS; i++)
		if (!strcmp(name, aggs[i]) && cpu >= 0 && cpu < CPUS)
			cpus[cpu].agg[i] = value;
}

/* What was aggregated is printed behind all lines: "  calls   0   20000", and of @alone the value only. */
static int agg_parse(const char *s)
{
	char name[16];
	int cpu;
	u64 value;

	if (sscanf(s, " %15[a-z] %d %" SCNu64, name, &cpu, &value) == 3)
		agg_set(name, cpu, value);
	else if (sscanf(s, " %" SCNu64, &value) == 1)
		agg_set("alone", 0, value);
	else
		return 0;
	return 1;
}

static void text_line(char *s)
{
	struct line l;

	if (line_parse(s, &l))
		check_line(&l);
	else if (*s && (*s != ' ' || !agg_parse(s)))
		wrong("torn: %s", s);
}

/* The value behind a key; keys have no other place in our lines. */
static const char *json_find(const char *s, const char *key)
{
	const char *at = strstr(s, key);

	return at ? at + strlen(key) : NULL;
}

/* "keys":["calls",0],"value":20000 */
static void json_agg(const char *s)
{
	const char *name = json_find(s, "\"name\":\""), *keys = json_find(s, "\"keys\":[");
	const char *value = json_find(s, "\"value\":"), *cpu = keys ? strchr(keys, ',') : NULL;
	char word[16];

	if (!value || !keys || !name || sscanf(name, "%15[a-z]", word) != 1)
		wrong("torn: %s", s);
	else
		agg_set(word, *keys == ']' ? 0 : atoi(cpu + 1),
			strtoull(value + (*value == '"'), NULL, 10));
}

static void json_line(char *s)
{
	const char *cpu = json_find(s, "\"cpu\":"), *epid = json_find(s, "\"epid\":");
	const char *time = json_find(s, "\"time\":");
	char *text = (char *)json_find(s, "\"text\":\""),
	     *end = text ? strstr(text, "\\n\"") : NULL;
	struct line l;
	u64 header;

	if (!strncmp(s, "{\"type\":\"aggregation\"", 21))
		json_agg(s);
	if (strncmp(s, "{\"type\":\"record\"", 16))
		return; /* errors and drops are messages too */
	if (!time || !cpu || !epid) {
		wrong("torn: %s", s);
		return;
	}
	header = strtoull(time, NULL, 10);
	if (header < last_header)
		wrong("not in the order of time, after %" PRIu64 ": %s", last_header, s);
	last_header = header;
	if (end)
		*end = '\0';
	if (!end || !line_parse(text, &l) || l.cpu != atoi(cpu) || (int)l.clause != atoi(epid)) {
		wrong("torn: %s", s);
		return;
	}
	/* Committed records have the time of the commit. */
	if (l.clause != S && l.clause != M) {
		if (header < l.time)
			wrong("older than its firing: %s at %" PRIu64, text, header);
		late += header != l.time;
	}
	check_line(&l);
}

static void lines_read(void)
{
	char *s = NULL;
	size_t size = 0;
	ssize_t n;

	while ((n = getline(&s, &size, stdin)) > 0) {
		if (s[n - 1] == '\n')
			s[n - 1] = '\0';
		if (*s == '{') {
			is_json = 1;
			json_line(s);
		} else {
			text_line(s);
		}
	}
	free(s);
}

/* ---- the load, and the messages ------------------------------------------------------------------------------ */

static void load_read(const char *path)
{
	FILE *f = fopen(path, "r");
	char s[256];
	u64 v[4];
	int cpu;

	while (f && fgets(s, sizeof(s), f)) {
		if (sscanf(s, "cpu %d %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64, &cpu, &v[0],
			   &v[1], &v[2], &v[3]) == 5 &&
		    cpu >= 0 && cpu < CPUS) {
			struct cpu *c = &cpus[cpu];

			c->there = 1;
			c->calls = v[0];
			c->probed = v[1];
			c->timers = v[2];
			c->softirqs = v[3];
		} else if (sscanf(s, "timer %d %" SCNu64 " %" SCNu64, &cpu, &v[0], &v[1]) == 3 &&
			   ntimers < sizeof(timers) / sizeof(timers[0])) {
			timers[ntimers++] = (struct timer){ cpu, v[0], v[1] };
		}
	}
	if (f)
		fclose(f);
}

static void account_read(const char *s)
{
	u64 epid, cpu;
	const char *at;
	int i;

	if (sscanf(s, " EPID %" SCNu64 " CPU %" SCNu64, &epid, &cpu) != 2 || epid >= NCLAUSES ||
	    cpu >= CPUS) {
		wrong("accounting: %s", s);
		return;
	}
	for (i = 0; i < NCOLUMNS; i++) {
		char key[16];

		snprintf(key, sizeof(key), " %s ", columns[i]);
		at = strstr(s, key);
		if (at)
			cpus[cpu].acct[epid][i] = strtoull(at + strlen(key), NULL, 10);
		else
			wrong("accounting without %s: %s", columns[i], s);
	}
}

static void message_read(char *s)
{
	u64 n;
	int cpu, len = 0;

	if (!strncmp(s, "accounting:", 11))
		account_read(s + 11);
	else if (!strncmp(s, "error on enabled probe ID 11 ", 29))
		errors++;
	else if (sscanf(s, "%" SCNu64 " error message drop%*1[s] on CPU", &n) == 1 &&
		 strstr(s, "error message drop"))
		error_drops += n;
	else if ((sscanf(s, "%" SCNu64 " drops on CPU %d%n", &n, &cpu, &len) == 2 ||
		  sscanf(s, "%" SCNu64 " drop on CPU %d%n", &n, &cpu, &len) == 2) &&
		 cpu >= 0 && cpu < CPUS) {
		if (!s[len])
			cpus[cpu].drops += n;
		else if (!strcmp(s + len, " (buffer busy)"))
			cpus[cpu].busy += n;
		else if (strcmp(s + len, " (no frame free)"))
			wrong("%s", s);
	} else if (!strstr(s, " speculative drop") && !strstr(s, " failed speculation") &&
		   !strstr(s, "missed firing")) {
		wrong("%s", s);
	}
}

static void messages_read(const char *path)
{
	FILE *f = fopen(path, "r");
	char s[1024];

	while (f && fgets(s, sizeof(s), f)) {
		s[strcspn(s, "\n")] = '\0';
		if (!strncmp(s, "dtrace: ", 8))
			message_read(s + 8);
		else if (*s)
			wrong("%s", s);
	}
	if (f)
		fclose(f);
}

/* ---- sums -------------------------------------------------------------------------------------------------- */

/* How many of 0 .. n - 1 leave the remainder r. */
static u64 share(u64 n, u64 by, u64 r)
{
	return n / by + (n % by > r);
}

/* The firings of a clause with a true predicate, as the load knows; not for what depends on speculations. */
static int expected(const struct cpu *c, int cpu, enum clause e, u64 *n)
{
	switch (e) {
	case A:
	case CALLS:
	case ALONE: *n = c->calls; return 1;
	case B: *n = share(c->calls, 3, 0); return 1;
	case SPEC: *n = share(c->calls, 8, 0); return 1;
	case MANY: *n = cpu ? 0 : share(c->calls, 512, 3); return 1;
	case F: *n = share(c->calls, 1024, 11); return 1;
	case U:
	case PROBED: *n = c->probed; return 1;
	case H:
	case TIMERS: *n = c->timers; return 1;
	case I:
	case SOFTIRQS: *n = c->softirqs; return 1;
	case E: *n = c->acct[F][FAULT]; return 1;
	default: return 0;
	}
}

static void check_row(const struct cpu *c, int cpu, enum clause e)
{
	static const enum column ends[] = { FALSE,   NOROOM, BUSY,    NOFRAME,	FAULT,
					    STOPPED, DONE,   WRITTEN, SPECSKIP, SPECDROP };
	const u64 *v = c->acct[e];
	u64 sum = 0, want, had = v[FIRED] - v[FALSE] - v[STOPPED],
	    gone = v[DISCARDED] + v[SPECLOST] + v[SPECLEFT];
	size_t i;

	for (i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		sum += v[ends[i]];
	if (sum != v[FIRED])
		wrong("EPID %d CPU %d: fired %" PRIu64 ", what became of it %" PRIu64, e, cpu,
		      v[FIRED], sum);
	if (v[RECORDED] != c->lines[e])
		wrong("EPID %d CPU %d: recorded %" PRIu64 ", lines %" PRIu64, e, cpu, v[RECORDED],
		      c->lines[e]);
	if (is_ring ? v[WRITTEN] < v[RECORDED] + gone : v[WRITTEN] != v[RECORDED] + gone)
		wrong("EPID %d CPU %d: written %" PRIu64 ", recorded %" PRIu64 ", gone %" PRIu64, e,
		      cpu, v[WRITTEN], v[RECORDED], gone);
	if (expected(c, cpu, e, &want) && (is_fill ? had > want : had != want))
		wrong("EPID %d CPU %d: the load made %" PRIu64 ", fired %" PRIu64, e, cpu, want,
		      had);
}

/* One of the kernel's timers is that of our profile: it has expired as often as the probe has fired. */
static void check_profile(const struct cpu *c, int cpu)
{
	u64 had = c->acct[PROFILE][FIRED] - c->acct[PROFILE][FALSE] - c->acct[PROFILE][STOPPED],
	    most = 0;
	size_t i;

	for (i = 0; i < ntimers; i++) {
		if (timers[i].cpu != cpu)
			continue;
		if (timers[i].count == had)
			return;
		if (timers[i].count > most)
			most = timers[i].count;
	}
	/* Below 100 a second its timer expires more often than the probe fires; fill stops before the load. */
	if (had && (rate >= 100 && !is_fill ? 1 : most < had))
		wrong("CPU %d: profile fired %" PRIu64 ", no timer expired as often", cpu, had);
}

/* Every expiry of the profile's timer that is there has its P, from the second one on and to the last but one. */
static void check_pairs(const struct cpu *c, int cpu)
{
	u64 timer = 0;
	size_t i, j = 0;

	if (rate < 100 || c->acct[H][BUSY] + c->acct[P][BUSY] || !c->np || !c->nh)
		return;
	for (i = 0; i < c->nh; i++)
		if (c->h[i] == c->p[c->np / 2])
			timer = c->h_timer[i];
	for (i = 0; timer && i < c->nh; i++) {
		if (c->h_timer[i] != timer || c->h[i] <= c->p[0] || c->h[i] >= c->p[c->np - 1])
			continue;
		while (c->p[j] < c->h[i])
			j++;
		if (c->p[j] != c->h[i])
			wrong("CPU %d: H %" PRIu64 " is there, its P is not", cpu, c->h[i]);
	}
	if (!timer)
		wrong("CPU %d: P %" PRIu64 " is there, its H is not", cpu, c->p[c->np / 2]);
}

/* A thread that was not running between its last call and the shutting of its gate. */
static int ring_of_interrupts(const struct cpu *c)
{
	return is_ring && c->lines[H] > 100;
}

static void check_ends(const struct cpu *c, int cpu)
{
	u64 end = c->calls * 3;

	if (!place_exists(end))
		end = place_after(end);
	if (is_ring) {
		if (!c->acct[A][BUSY] && !c->acct[B][BUSY] && c->task_next != end &&
		    (c->lines[A] || !ring_of_interrupts(c)))
			wrong("CPU %d: the last call is %" PRIu64
			      ", the last record of one %" PRIu64,
			      cpu, c->calls - 1, c->task_next / 3);
		if (c->lines[H] && !c->acct[H][BUSY] && c->next[H] != c->timers)
			wrong("CPU %d: of %" PRIu64 " timers the last is %" PRIu64, cpu, c->timers,
			      c->next[H]);
		if (c->lines[I] && !c->acct[I][BUSY] && c->next[I] != c->softirqs)
			wrong("CPU %d: of %" PRIu64 " softirqs the last is %" PRIu64, cpu,
			      c->softirqs, c->next[I]);
	}
	if (c->task_gaps > c->acct[A][BUSY] + c->acct[B][BUSY] + c->acct[U][BUSY])
		wrong("CPU %d: %" PRIu64 " records of threads are not there", cpu, c->task_gaps);
	if (c->timer_gaps > c->acct[H][BUSY] || c->softirq_gaps > c->acct[I][BUSY])
		wrong("CPU %d: %" PRIu64 " records of timers, %" PRIu64
		      " of softirqs are not there",
		      cpu, c->timer_gaps, c->softirq_gaps);
	if (is_ring || is_fill)
		check_pairs(c, cpu);
}

static void check_aggs(const struct cpu *c, int cpu)
{
	const u64 n = c->agg[AGG_CALLS];
	const struct {
		enum agg agg;
		u64 want;
	} rows[] = {
		{ AGG_WRITTEN, c->acct[A][WRITTEN] },
		{ AGG_CALLS, is_fill ? c->acct[CALLS][DONE] : c->calls },
		{ AGG_SUM, n ? n * (n - 1) / 2 : 0 },
		{ AGG_MOST, n ? n - 1 : 0 },
		{ AGG_PROBED, is_fill ? c->acct[PROBED][DONE] : c->probed },
		{ AGG_TIMERS, is_fill ? c->acct[TIMERS][DONE] : c->timers },
		{ AGG_PROFILE, c->acct[PROFILE][DONE] },
		{ AGG_SOFTIRQS, is_fill ? c->acct[SOFTIRQS][DONE] : c->softirqs },
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (c->agg[rows[i].agg] != rows[i].want)
			wrong("CPU %d: @%s is %" PRIu64 ", not %" PRIu64, cpu, aggs[rows[i].agg],
			      c->agg[rows[i].agg], rows[i].want);
}

static void check_cpu(const struct cpu *c, int cpu)
{
	u64 noroom = 0, busy = 0, lost = 0;
	int e;

	for (e = 1; e < NCLAUSES; e++) {
		check_row(c, cpu, (enum clause)e);
		noroom += c->acct[e][NOROOM];
		busy += c->acct[e][BUSY];
		lost += c->acct[e][SPECLOST];
	}
	/* A block of committed records without room is one drop. fill has none: it is full. */
	if (!is_fill && (c->drops < noroom || c->drops > noroom + lost))
		wrong("CPU %d: %" PRIu64 " drops were told, no room had %" PRIu64
		      " and blocks of %" PRIu64,
		      cpu, c->drops, noroom, lost);
	if (c->busy != busy)
		wrong("CPU %d: %" PRIu64 " drops of a busy buffer were told, there were %" PRIu64,
		      cpu, c->busy, busy);
	if (!is_ring && c->acct[S][RECORDED] != c->blocks * BLOCK)
		wrong("CPU %d: %" PRIu64 " records of %" PRIu64 " whole blocks", cpu,
		      c->acct[S][RECORDED], c->blocks);
	if (c->acct[S][SPECDROP] || c->acct[S][SPECSKIP])
		wrong("CPU %d: S had no room", cpu);
	check_profile(c, cpu);
	check_ends(c, cpu);
	check_aggs(c, cpu);
}

static void check_all(const char *policy)
{
	u64 calls = 0, fired = 0, dropped = 0, faulted = 0, alone = 0, interrupts = 0;
	u64 ends = 0, ends_lost = 0;
	int cpu, e, n = 0;

	for (cpu = 0; cpu < CPUS; cpu++) {
		const struct cpu *c = &cpus[cpu];

		ends += c->lines[END];
		ends_lost += c->acct[END][NOROOM];
		if (!c->there)
			continue;
		n++;
		check_cpu(c, cpu);
		calls += c->calls;
		alone += c->acct[ALONE][DONE];
		interrupts += c->timers + c->softirqs;
		for (e = 1; e < NCLAUSES; e++) {
			const u64 *v = c->acct[e];

			fired += v[FIRED] - v[FALSE] - v[STOPPED];
			dropped += v[NOROOM] + v[BUSY] + v[NOFRAME] + v[SPECDROP] + v[SPECLOST];
			faulted += v[FAULT];
		}
		/* fill may stop before a thread has begun; in a ring interrupts may follow the last call. */
		if (!c->lines[A] && !is_fill && !ring_of_interrupts(c))
			wrong("CPU %d: no records", cpu);
	}
	if (cpus[0].agg[AGG_ALONE] != (is_fill ? alone : calls))
		wrong("@alone is %" PRIu64 ", not %" PRIu64, cpus[0].agg[AGG_ALONE],
		      is_fill ? alone : calls);
	if (!is_ring && !is_fill && errors + error_drops != faulted)
		wrong("%" PRIu64 " errors were told and %" PRIu64 " dropped, there were %" PRIu64,
		      errors, error_drops, faulted);
	/* switch keeps no room for it. */
	if (ends + (is_ring || is_fill ? 0 : ends_lost) != 1)
		wrong("END was recorded %" PRIu64 " times, lost %" PRIu64, ends, ends_lost);
	if (!n || !calls)
		wrong("the load did nothing");
	printf("%s%s: %d CPUs, %" PRIu64 " calls, %" PRIu64 " counted in interrupts; fired %" PRIu64
	       ", recorded %" PRIu64 ", dropped %" PRIu64 ", late %" PRIu64 ": %s\n",
	       policy, is_json ? ", temporal" : "", n, calls, interrupts, fired, total_lines,
	       dropped, late, faults ? "WRONG" : "ok");
}

int main(int argc, char **argv)
{
	if (argc != 5) {
		fprintf(stderr, "usage: stresscheck POLICY RATE LOAD MESSAGES\n");
		return 2;
	}
	is_ring = !strcmp(argv[1], "ring");
	is_fill = !strcmp(argv[1], "fill");
	rate = strtoull(argv[2], NULL, 10);
	lines_read();
	load_read(argv[3]);
	messages_read(argv[4]);
	check_all(argv[1]);
	return faults > 0;
}
