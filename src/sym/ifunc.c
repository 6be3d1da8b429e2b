/* SPDX-License-Identifier: BSD-2-Clause */
/* Implementations chosen by indirect functions (sym/ifunc.h). */
#include "sym/ifunc.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct search {
	const struct elf_image *of;
	const struct elf_func *fn;
	int mem; /* /proc/PID/mem */
	uint64_t found;
};

/* The word that a relocation has filled; only an address of code of the image means something. */
static bool take(struct search *s, uint64_t where)
{
	uint64_t value, offset;

	if (pread(s->mem, &value, sizeof(value), (off_t)where) != sizeof(value))
		return false;
	value -= s->of->bias;
	if (value == s->fn->addr || !elf_file_is_code(s->of->file, value) ||
	    !elf_file_offset(s->of->file, value, &offset))
		return false;
	s->found = value;
	return true;
}

/* Does the relocation of image `im` put the function's implementation somewhere? */
static bool is_of(const struct search *s, const struct elf_image *im, const Elf64_Rela *r,
		  const char *name)
{
	switch (ELF64_R_TYPE(r->r_info)) {
	case R_X86_64_IRELATIVE:
		return im->file == s->of->file && (uint64_t)r->r_addend == s->fn->addr;
	case R_X86_64_JUMP_SLOT:
	case R_X86_64_GLOB_DAT:
	case R_X86_64_64: return name && !strcmp(name, s->fn->name);
	}
	return false;
}

struct walking {
	struct search *s;
	const struct elf_image *im;
};

static bool relocation(void *arg, const Elf64_Rela *r, const char *name)
{
	const struct walking *w = arg;

	return is_of(w->s, w->im, r, name) && take(w->s, r->r_offset + w->im->bias);
}

bool ifunc_resolve(pid_t pid, const struct elf_images *im, size_t of, const struct elf_func *fn,
		   uint64_t *addr)
{
	struct search s = { .of = &im->v.v[of], .fn = fn };
	bool found = false;
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/mem", (int)pid);
	s.mem = open(path, O_RDONLY | O_CLOEXEC);
	if (s.mem < 0)
		return false;
	/* Its own words first: they are relocated whether anybody else calls it or not. */
	for (size_t i = 0; i < im->v.n && !found; i++) {
		struct walking w = { &s, &im->v.v[i ? (i <= of ? i - 1 : i) : of] };

		found = elf_file_relocations(w.im->file, relocation, &w);
	}
	close(s.mem);
	*addr = s.found;
	return found;
}
