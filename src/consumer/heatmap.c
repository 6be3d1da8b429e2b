/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Heat maps: distributions over time, one panel each, in one SVG file that needs nothing else.
 * Time runs to the right, buckets upwards, the darker the more. The pointer shows a cell's
 * numbers, the wheel zooms into time, a double click shows all again; #zoom=FROM,TO (shares of the
 * whole) starts so.
 */
#include <stdlib.h>
#include <string.h>

#include "consumer/fold_impl.h"

#define PLOT 1040
#define LEFT 150
#define ROW 14
#define TOP 36
#define GAP 40

struct column {
	uint64_t from, to, *counts;
};

struct heat {
	char *title;
	struct heat_row *rows;
	size_t nrows;
	VEC(struct column) cols;
	unsigned int every, pending; /* intervals a column holds; in the last one so far */
};

struct heat *heat_create(const char *title, const struct heat_row *rows, size_t nrows)
{
	struct heat *h = mem_alloc(sizeof(*h));

	h->title = mem_strdup(title);
	h->rows = mem_alloc((nrows + 1) * sizeof(*h->rows));
	for (size_t i = 0; i < nrows; i++)
		h->rows[i] = (struct heat_row){ mem_strdup(rows[i].label), rows[i].real };
	h->nrows = nrows;
	h->every = 1;
	return h;
}

void heat_destroy(struct heat *h)
{
	if (!h)
		return;
	for (size_t i = 0; i < h->nrows; i++)
		free(h->rows[i].label);
	for (size_t i = 0; i < h->cols.n; i++)
		free(h->cols.v[i].counts);
	vec_free(&h->cols);
	free(h->rows);
	free(h->title);
	free(h);
}

static void column_join(const struct heat *h, struct column *to, uint64_t end,
			const uint64_t *counts)
{
	to->to = end;
	for (size_t i = 0; i < h->nrows; i++)
		to->counts[i] += counts[i];
}

/* Each column takes in the one behind it. */
static void halve(struct heat *h)
{
	size_t n = 0;

	for (size_t i = 0; i < h->cols.n; i += 2) {
		struct column c = h->cols.v[i];

		if (i + 1 < h->cols.n) {
			column_join(h, &c, h->cols.v[i + 1].to, h->cols.v[i + 1].counts);
			free(h->cols.v[i + 1].counts);
		}
		h->cols.v[n++] = c;
	}
	h->cols.n = n;
	h->every *= 2;
}

void heat_add(struct heat *h, uint64_t from, uint64_t to, const uint64_t *counts)
{
	struct column c = { from, to, NULL };

	if (h->cols.n && h->pending < h->every) {
		column_join(h, &h->cols.v[h->cols.n - 1], to, counts);
		h->pending++;
		return;
	}
	if (h->cols.n == HEAT_COLUMNS)
		halve(h);
	c.counts = mem_alloc((h->nrows + 1) * sizeof(*c.counts));
	memcpy(c.counts, counts, h->nrows * sizeof(*counts));
	vec_push(&h->cols, c);
	h->pending = 1;
}

/* ---- drawing -------------------------------------------------------------------------------- */

struct shown {
	size_t first, last; /* rows */
	uint64_t most;
	bool any;
};

static struct shown look(const struct heat *h)
{
	struct shown s = { 0 };

	for (size_t c = 0; c < h->cols.n; c++)
		for (size_t i = 0; i < h->nrows; i++) {
			uint64_t n = h->cols.v[c].counts[i];

			if ((int64_t)n <= 0)
				continue;
			s.first = s.any ? MIN(s.first, i) : i;
			s.last = s.any ? MAX(s.last, i) : i;
			s.most = MAX(s.most, n);
			s.any = true;
		}
	return s;
}

static size_t rows_of(const struct heat *h, const struct shown *s)
{
	size_t n = 0;

	for (size_t i = s->first; s->any && i <= s->last; i++)
		n += h->rows[i].real;
	return n;
}

/* Roughly the logarithm to base 2 of n + 1. */
static double shade(uint64_t n)
{
	int bits = 63 - __builtin_clzll(n + 1 ? n + 1 : n);

	return bits + (double)(n + 1) / (double)(1ull << bits) - 1;
}

static void cell_put(struct str *out, const struct heat *h, const struct column *c, size_t row,
		     size_t y, uint64_t start, uint64_t span, uint64_t most)
{
	double x = (double)(c->from - start) / (double)span,
	       w = (double)(c->to - c->from) / (double)span;
	double heat = shade(c->counts[row]) / shade(most);

	str_printf(out,
		   "<rect class=\"c\" x=\"%.3f\" y=\"%zu\" width=\"%.3f\" height=\"%d\" "
		   "fill=\"rgb(%d,%d,%d)\"><title>%.3f s - %.3f s: ",
		   x * PLOT, y, MAX(w * PLOT, 0.5), ROW, 255 - (int)(40 * heat),
		   235 - (int)(210 * heat), 200 - (int)(190 * heat),
		   (double)(c->from - start) / 1e9, (double)(c->to - start) / 1e9);
	svg_text(out, h->rows[row].label, strlen(h->rows[row].label));
	str_printf(out, ": %llu</title></rect>\n", (unsigned long long)c->counts[row]);
}

static size_t panel_put(struct str *out, const struct heat *h, size_t top, uint64_t start,
			uint64_t span)
{
	struct shown s = look(h);
	size_t n = rows_of(h, &s), height = n * ROW, y = height;

	str_printf(out, "<text x=\"8\" y=\"%zu\">", top + 14);
	svg_text(out, h->title, strlen(h->title));
	str_puts(out, "</text>\n");
	top += 20;
	for (size_t i = s.first; s.any && i <= s.last; i++) {
		if (!h->rows[i].real)
			continue;
		y -= ROW;
		str_printf(out, "<text x=\"%d\" y=\"%zu\" text-anchor=\"end\" font-size=\"10\">",
			   LEFT - 6, top + y + 10);
		svg_text(out, h->rows[i].label, strlen(h->rows[i].label));
		str_puts(out, "</text>\n");
	}
	str_printf(
		out,
		"<"
		"svg class=\"p\" x=\"%d\" y=\"%zu\" width=\"%d\" height=\"%zu\" viewBox=\"0 0 %d %zu\" "
		"preserveAspectRatio=\"none\">\n<rect width=\"%d\" height=\"%zu\" fill=\"#fff\"/>\n",
		LEFT, top, PLOT, MAX(height, 1), PLOT, MAX(height, 1), PLOT, height);
	for (size_t c = 0; c < h->cols.n; c++) {
		y = height;
		for (size_t i = s.first; s.any && i <= s.last; i++) {
			if (!h->rows[i].real)
				continue;
			y -= ROW;
			if ((int64_t)h->cols.v[c].counts[i] > 0)
				cell_put(out, h, &h->cols.v[c], i, y, start, span, s.most);
		}
	}
	str_puts(out, "</svg>\n");
	str_printf(out, "<text class=\"from\" x=\"%d\" y=\"%zu\" font-size=\"10\">0 s</text>\n",
		   LEFT, top + height + 12);
	str_printf(
		out,
		"<text class=\"to\" x=\"%d\" y=\"%zu\" font-size=\"10\" text-anchor=\"end\">%.3f s</text>\n",
		LEFT + PLOT, top + height + 12, (double)span / 1e9);
	return top + height + GAP;
}

static const char script[] =
	"<script type=\"text/javascript\"><![CDATA[\n"
	"(function () {\n"
	"var me = document.currentScript, svg = me &&"
	" me.ownerSVGElement || document.documentElement;\n"
	"var W = 1040, span = parseFloat(svg.querySelector('#time').getAttribute('data-span'));\n"
	"var panels = Array.prototype.slice.call(svg.querySelectorAll('svg.p')), from = 0, "
	"to = 1;\n"
	"var info = svg.querySelector('#info');\n"
	"function every(sel, f) { Array.prototype.forEach.call(svg.querySelectorAll(sel), f); }\n"
	"function show(a, b) {\n"
	"  from = Math.max(0, a); to = Math.min(1, Math.max(b, from + 1e-6));\n"
	"  panels.forEach(function (p) {\n"
	"    p.setAttribute('viewBox', "
	"from * W + ' 0 ' + (to - from) * W + ' ' + p.getAttribute('height'));\n"
	"  });\n"
	"  every('.from', function (t) { t.textContent = (from * span).toFixed(3) + ' s'; });\n"
	"  every('.to', function (t) { t.textContent = (to * span).toFixed(3) + ' s'; });\n"
	"}\n"
	"every('.c', function (c) {\n"
	"  c.addEventListener('mouseover', function () { "
	"info.textContent = c.querySelector('title').textContent; });\n"
	"  c.addEventListener('mouseout', function () { info.textContent = ''; });\n"
	"});\n"
	"panels.forEach(function (p) {\n"
	"  p.addEventListener('wheel', function (e) {\n"
	"    var box = p.getBoundingClientRect(), at = (e.clientX - box.left) / (box.width || W);\n"
	"    var w = to - from, n = Math.min(1, w * (e.deltaY < 0 ? 0.7 : 1.4)), "
	"x = from + at * w - at * n;\n"
	"    x = Math.max(0, Math.min(x, 1 - n)); show(x, x + n); e.preventDefault();\n"
	"  }, { passive: false });\n"
	"});\n"
	"svg.addEventListener('dblclick', function () { show(0, 1); });\n"
	"var m = /zoom=([0-9.]+),([0-9.]+)/.exec(decodeURIComponent(location.hash));\n"
	"if (m) show(parseFloat(m[1]), parseFloat(m[2]));\n"
	"})();\n"
	"]]></script>\n";

void heat_write(struct heat *const *maps, size_t n, struct str *out)
{
	uint64_t start = UINT64_MAX, end = 0;
	size_t height = TOP, top = TOP, i;

	for (i = 0; i < n; i++) {
		struct shown s = look(maps[i]);

		height += 20 + rows_of(maps[i], &s) * ROW + GAP;
		if (!maps[i]->cols.n)
			continue;
		start = MIN(start, maps[i]->cols.v[0].from);
		end = MAX(end, maps[i]->cols.v[maps[i]->cols.n - 1].to);
	}
	if (start >= end)
		start = end = 0;
	svg_head(out, LEFT + PLOT + 10, (int)(n ? height : TOP + GAP), "Heat map");
	str_printf(out, "<g id=\"time\" data-span=\"%.9f\"/>\n", (double)(end - start) / 1e9);
	for (i = 0; i < n; i++)
		top = panel_put(out, maps[i], top, start, end > start ? end - start : 1);
	if (!n)
		str_puts(out, "<text x=\"8\" y=\"50\">no distribution was traced</text>\n");
	str_puts(out, script);
	str_puts(out, "</svg>\n");
}
