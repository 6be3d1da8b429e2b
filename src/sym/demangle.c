/* SPDX-License-Identifier: BSD-2-Clause */
/* Demangling. Every name is taken apart once. */
#include "sym/demangle.h"

#include <ctype.h>
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/str.h"
#include "sym/rust.h"

typedef char *cxa_demangle_f(const char *name, char *buf, size_t *len, int *status);

struct demangler {
	struct hmap *known; /* address of the name -> text */
	cxa_demangle_f *cxx;
	void *library;
	bool tried;
};

struct demangler *demangler_create(void)
{
	struct demangler *d = mem_alloc(sizeof(*d));

	d->known = hmap_create();
	return d;
}

static int text_free(const void *key, size_t n, void *value, void *arg)
{
	(void)key;
	(void)n;
	(void)arg;
	free(value);
	return 0;
}

void demangler_destroy(struct demangler *d)
{
	if (!d)
		return;
	hmap_each(d->known, text_free, NULL);
	hmap_destroy(d->known);
	if (d->library)
		dlclose(d->library);
	free(d);
}

static void library_open(struct demangler *d)
{
	d->tried = true;
	d->library = dlopen("libstdc++.so.6", RTLD_NOW | RTLD_LOCAL);
	if (!d->library)
		d->library = dlopen("libc++abi.so.1", RTLD_NOW | RTLD_LOCAL);
	if (d->library)
		d->cxx = (cxa_demangle_f *)dlsym(d->library, "__cxa_demangle");
}

/* ---- Rust ---- */

/* The text ends in "::h" and 16 hexadecimal digits: the hash that tells instances apart. */
static bool rust_hash(const char *s, size_t n)
{
	if (n < 19 || memcmp(s + n - 19, "::h", 3))
		return false;
	for (size_t i = n - 16; i < n; i++)
		if (!isdigit((unsigned char)s[i]) && (s[i] < 'a' || s[i] > 'f'))
			return false;
	return true;
}

static const struct {
	const char *code, *text;
} escapes[] = {
	{ "$LT$", "<" }, { "$GT$", ">" }, { "$RF$", "&" }, { "$BP$", "*" }, { "$LP$", "(" },
	{ "$RP$", ")" }, { "$C$", "," },  { "$SP$", "@" }, { "..", "::" },
};

/* "$u20$": a character by its number. Gives the bytes that were read, 0: it is none. */
static size_t rust_char(const char *s, struct str *out)
{
	char *end;
	unsigned long c;

	if (s[0] != '$' || s[1] != 'u' || !isxdigit((unsigned char)s[2]))
		return 0;
	c = strtoul(s + 2, &end, 16);
	if (*end != '$' || c < ' ' || c > '~')
		return 0;
	str_putc(out, (char)c);
	return (size_t)(end + 1 - s);
}

static size_t rust_escape(const char *s, struct str *out)
{
	for (size_t i = 0; i < ARRAY_SIZE(escapes); i++) {
		size_t n = strlen(escapes[i].code);

		if (!strncmp(s, escapes[i].code, n)) {
			str_puts(out, escapes[i].text);
			return n;
		}
	}
	return rust_char(s, out);
}

static char *rust_tidy(const char *s, size_t n)
{
	struct str out = { 0 };
	bool start = true; /* of a part of the path: "_$LT$" stands for "<" there */

	for (size_t i = 0; i < n;) {
		size_t used;

		if (start && s[i] == '_' && s[i + 1] == '$')
			i++;
		used = rust_escape(s + i, &out);
		if (!used) {
			str_putc(&out, s[i]);
			used = 1;
		}
		start = s[i] == ':' && used == 1;
		i += used;
	}
	str_reserve(&out, 0);
	return out.s;
}

/* ---- all ---- */

static char *take_apart(struct demangler *d, const char *name)
{
	char *text;
	int status = 0;
	size_t n;

	if (name[1] == 'R')
		return rust_demangle(name);
	if (!d->tried)
		library_open(d);
	text = d->cxx ? d->cxx(name, NULL, NULL, &status) : NULL;
	if (!text)
		return NULL;
	n = strlen(text);
	if (rust_hash(text, n)) {
		char *tidy = rust_tidy(text, n - 19);

		free(text);
		text = tidy;
	}
	return text;
}

const char *demangle(struct demangler *d, const char *name)
{
	uint64_t key = (uintptr_t)name;
	char *text;

	if (name[0] != '_' || (name[1] != 'Z' && name[1] != 'R'))
		return name;
	text = hmap_get_u64(d->known, key);
	if (!text) {
		text = take_apart(d, name);
		hmap_put_u64(d->known, key, text ? text : mem_strdup(name));
		text = hmap_get_u64(d->known, key);
	}
	return text;
}
