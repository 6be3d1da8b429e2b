/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A flame graph of folded stacks: one SVG file that needs nothing else. Outermost frames are at
 * the bottom, a frame is as wide as its share. The pointer shows a frame's numbers, a click lets
 * it fill the width, a click on the bottom or on the ground shows all again; #zoom=NAME behind the
 * file's address starts so.
 */
#include <stdlib.h>
#include <string.h>

#include "consumer/fold_impl.h"

#define WIDTH 1200
#define ROW 17
#define TOP 36
#define NARROW 0.05 /* narrower frames are left out (pixels) */

/* ---- SVG ------------------------------------------------------------------------------------ */

void svg_text(struct str *out, const char *s, size_t n)
{
	for (; n--; s++) {
		if (*s == '<')
			str_puts(out, "&lt;");
		else if (*s == '>')
			str_puts(out, "&gt;");
		else if (*s == '&')
			str_puts(out, "&amp;");
		else if (*s == '"')
			str_puts(out, "&quot;");
		else /* nothing that XML, or a reader of UTF-8, does not take */
			str_putc(out, *s >= ' ' && *s < 127 ? *s : '?');
	}
}

void svg_head(struct str *out, int width, int height, const char *title)
{
	str_printf(
		out,
		"<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>\n"
		"<"
		"svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" width=\"%d\" height=\"%d\" "
		"viewBox=\"0 0 %d %d\" font-family=\"monospace\" font-size=\"12\">\n"
		"<rect id=\"ground\" width=\"%d\" height=\"%d\" fill=\"#f8f8f4\"/>\n"
		"<text x=\"8\" y=\"20\" font-size=\"14\">%s</text>\n"
		"<text id=\"info\" x=\"%d\" y=\"20\" text-anchor=\"end\"></text>\n",
		width, height, width, height, width, height, title, width - 8);
}

/* ---- the tree ------------------------------------------------------------------------------- */

struct frame {
	const char *name;
	size_t n;
	uint64_t count;
	struct frame *children, *last, *next;
};

struct tree {
	struct arena *arena;
	struct frame root;
	size_t depth;
};

/* Lines come sorted: only the youngest child can be the one that is looked for. */
static struct frame *child_get(struct tree *t, struct frame *f, const char *name, size_t n)
{
	struct frame *c = f->last;

	if (c && c->n == n && !memcmp(c->name, name, n))
		return c;
	/* ';' sorts behind characters of names: an equal name may stand further back. */
	for (c = f->children; c; c = c->next)
		if (c->n == n && !memcmp(c->name, name, n))
			return c;
	c = arena_new(t->arena, struct frame);
	c->name = name;
	c->n = n;
	if (f->last)
		f->last->next = c;
	else
		f->children = c;
	f->last = c;
	return c;
}

static void line_insert(struct tree *t, const struct fold_line *l)
{
	const char *s = l->text, *end = l->text + l->n;
	struct frame *f = &t->root;
	size_t depth = 0;

	f->count += l->count;
	while (s < end) {
		const char *semi = memchr(s, ';', (size_t)(end - s));
		size_t n = (size_t)((semi ? semi : end) - s);

		f = child_get(t, f, s, n);
		f->count += l->count;
		depth++;
		s += n + 1;
	}
	if (depth > t->depth)
		t->depth = depth;
}

/* ---- frames --------------------------------------------------------------------------------- */

static void color_put(struct str *out, const struct frame *f)
{
	unsigned int h = 2166136261u, kernel = f->n > 4 && !memcmp(f->name + f->n - 4, "_[k]", 4);

	for (size_t i = 0; i < f->n; i++)
		h = (h ^ (unsigned char)f->name[i]) * 16777619u;
	if (kernel)
		str_printf(out, "rgb(%u,%u,%u)", 90 + h % 50, 150 + h / 64 % 60,
			   200 + h / 4096 % 55);
	else
		str_printf(out, "rgb(%u,%u,%u)", 215 + h % 40, 110 + h / 64 % 110,
			   40 + h / 4096 % 40);
}

static void frame_put(struct str *out, const struct tree *t, const struct frame *f, uint64_t before,
		      size_t depth)
{
	double x = (double)before / (double)t->root.count,
	       w = (double)f->count / (double)t->root.count;
	const char *name = depth ? f->name : "all";
	size_t n = depth ? f->n : 3;

	if (w * WIDTH < NARROW)
		return;
	str_printf(out, "<g class=\"f\" data-x=\"%.9f\" data-w=\"%.9f\" data-d=\"%zu\"><title>", x,
		   w, depth);
	svg_text(out, name, n);
	str_printf(
		out,
		" (%llu, %.2f%%)</title><rect x=\"%.2f\" y=\"%zu\" width=\"%.2f\" height=\"%d\" fill=\"",
		(unsigned long long)f->count, 100 * w, x * WIDTH, TOP + (t->depth - depth) * ROW,
		w * WIDTH, ROW - 1);
	color_put(out, f);
	str_printf(out, "\" rx=\"2\"/><text x=\"%.2f\" y=\"%zu\" data-n=\"", x * WIDTH + 3,
		   TOP + (t->depth - depth) * ROW + 12);
	svg_text(out, name, n);
	str_puts(out, "\"></text></g>\n");
	for (const struct frame *c = f->children; c; c = c->next) {
		frame_put(out, t, c, before, depth + 1);
		before += c->count;
	}
}

static const char script[] =
	"<script type=\"text/javascript\"><![CDATA[\n"
	"(function () {\n"
	"var me = document.currentScript, svg = me &&"
	" me.ownerSVGElement || document.documentElement, W = 1200;\n"
	"var frames = Array.prototype.slice.call(svg.querySelectorAll('g.f'));\n"
	"var info = svg.querySelector('#info');\n"
	"function num(g, k) { return parseFloat(g.getAttribute('data-' + k)); }\n"
	"function place(g, x, w) {\n"
	"  var r = g.querySelector('rect'), t = g.querySelector('text'), "
	"name = t.getAttribute('data-n');\n"
	"  var room = Math.floor((w - 6) / 7.3);\n"
	"  r.setAttribute('x', x); r.setAttribute('width', w); t.setAttribute('x', x + 3);\n"
	"  t.textContent = room < 3 ? '' : name.length > room ? name.slice(0, "
	"room - 2) + '..' : name;\n"
	"}\n"
	"function zoom(to) {\n"
	"  var x0 = num(to, 'x'), w0 = num(to, 'w'), d0 = num(to, 'd'), e = 1e-9;\n"
	"  frames.forEach(function (g) {\n"
	"    var x = num(g, 'x'), w = num(g, 'w'), above = num(g, 'd') < d0 && x <= x0 + e &&"
	" x + w >= x0 + w0 - e;\n"
	"    var inside = x >= x0 - e && x + w <= x0 + w0 + e && num(g, 'd') >= d0;\n"
	"    g.style.display = above || inside ? '' : 'none';\n"
	"    g.style.opacity = above ? 0.5 : 1;\n"
	"    if (above) place(g, 0, W);\n"
	"    else if (inside) place(g, (x - x0) / w0 * W, w / w0 * W);\n"
	"  });\n"
	"  svg.setAttribute('data-zoom', to.querySelector('text').getAttribute('data-n'));\n"
	"}\n"
	"frames.forEach(function (g) {\n"
	"  g.style.cursor = 'pointer';\n"
	"  g.addEventListener('click', function () { zoom(g); });\n"
	"  g.addEventListener('mouseover', function () { "
	"info.textContent = g.querySelector('title').textContent; });\n"
	"  g.addEventListener('mouseout', function () { info.textContent = ''; });\n"
	"});\n"
	"function all() { if (frames.length) zoom(frames[0]); }\n"
	"svg.querySelector('#ground').addEventListener('click', all);\n"
	"all();\n"
	"var m = /zoom=([^&]*)/.exec(decodeURIComponent(location.hash));\n"
	"if (m) frames.some(function (g) {\n"
	"  if (g.querySelector('text').getAttribute('data-n') !== m[1]) return false;\n"
	"  zoom(g); return true;\n"
	"});\n"
	"})();\n"
	"]]></script>\n";

void fold_flamegraph(const struct fold *f, struct str *out)
{
	struct tree t = { .arena = arena_create() };
	size_t n, i;
	struct fold_line *v = fold_lines(f, &n);

	for (i = 0; i < n; i++)
		line_insert(&t, &v[i]);
	svg_head(out, WIDTH, (int)(TOP + (t.depth + 1) * ROW + 8), "Flame graph");
	if (t.root.count)
		frame_put(out, &t, &t.root, 0, 0);
	else
		str_puts(out, "<text x=\"8\" y=\"40\">no stacks were recorded</text>\n");
	str_puts(out, script);
	str_puts(out, "</svg>\n");
	free(v);
	arena_destroy(t.arena);
}
