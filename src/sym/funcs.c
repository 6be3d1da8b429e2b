/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ELF files: functions, static probes, addresses and offsets. A file is mapped and read in place; nothing in
 * it is trusted: whatever points outside is left out.
 */
#include "sym/funcs.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <libelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str.h"
#include "sym/debugfile.h"

/* ---- the file ---------------------------------------------------------------------------------------- */

/* n elements of `size` bytes at an offset of the file; NULL if they are not all there. */
static const void *at(const struct elf_file *f, uint64_t offset, uint64_t n, size_t size)
{
	if (offset > f->size || n > (f->size - offset) / size || offset % (size % 8 ? 4 : 8))
		return NULL;
	return f->data + offset;
}

static void read_segments(struct elf_file *f, const Elf64_Ehdr *eh)
{
	const Elf64_Phdr *ph = at(f, eh->e_phoff, eh->e_phnum, sizeof(*ph));

	for (size_t i = 0; ph && eh->e_phentsize == sizeof(*ph) && i < eh->e_phnum; i++) {
		struct elf_segment *s;

		if (ph[i].p_type != PT_LOAD)
			continue;
		s = vec_add(&f->segs);
		s->addr = ph[i].p_vaddr;
		s->offset = ph[i].p_offset;
		s->size = ph[i].p_filesz;
		s->exec = ph[i].p_flags & PF_X;
	}
}

static const Elf64_Ehdr *header(const struct elf_file *f)
{
	const Elf64_Ehdr *eh = at(f, 0, 1, sizeof(*eh));

	if (!eh || memcmp(eh->e_ident, ELFMAG, SELFMAG) || eh->e_ident[EI_CLASS] != ELFCLASS64 ||
	    eh->e_ident[EI_DATA] != ELFDATA2LSB || eh->e_machine != EM_X86_64)
		return NULL;
	return eh;
}

static int map_file(struct elf_file *f, const char *path)
{
	struct stat st;
	void *data;

	f->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (f->fd < 0)
		return -errno;
	if (fstat(f->fd, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode) || !st.st_size)
		return -ENOEXEC;
	/* Shared: the kernel writes breakpoints into private mappings, ours as well. */
	data = mmap(NULL, st.st_size, PROT_READ, MAP_SHARED, f->fd, 0);
	if (data == MAP_FAILED)
		return -errno;
	f->data = data;
	f->size = st.st_size;
	f->dev = st.st_dev;
	f->ino = st.st_ino;
	return 0;
}

int elf_file_open(struct elf_file **out, const char *path)
{
	struct elf_file *f = mem_alloc(sizeof(*f));
	int err = map_file(f, path);
	const Elf64_Ehdr *eh = err ? NULL : header(f);

	if (!err && !eh)
		err = -ENOEXEC;
	if (err) {
		elf_file_close(f);
		return err;
	}
	f->type = eh->e_type;
	f->entry = eh->e_entry;
	read_segments(f, eh);
	*out = f;
	return 0;
}

void elf_file_close(struct elf_file *f)
{
	if (!f)
		return;
	if (f->unpacked)
		free(f->unpacked);
	else if (f->data)
		munmap((void *)f->data, f->size);
	free(f->path);
	if (f->fd >= 0)
		close(f->fd);
	if (f->debug)
		elf_file_close(f->debug);
	vec_free(&f->segs);
	vec_free(&f->funcs);
	vec_free(&f->notes);
	vec_free(&f->decls);
	free(f);
}

bool elf_file_offset(const struct elf_file *f, uint64_t addr, uint64_t *offset)
{
	for (size_t i = 0; i < f->segs.n; i++) {
		const struct elf_segment *s = &f->segs.v[i];

		if (addr < s->addr || addr - s->addr >= s->size)
			continue;
		*offset = addr - s->addr + s->offset;
		return *offset < f->size;
	}
	return false;
}

const uint8_t *elf_file_bytes(const struct elf_file *f, uint64_t addr, size_t *n)
{
	uint64_t offset;

	if (!elf_file_offset(f, addr, &offset))
		return NULL;
	if (*n > f->size - offset)
		*n = f->size - offset;
	return f->data + offset;
}

/* ---- sections ---------------------------------------------------------------------------------------- */

static const Elf64_Shdr *sections(const struct elf_file *f, size_t *n)
{
	const Elf64_Ehdr *eh = header(f);

	*n = eh->e_shnum;
	if (!eh->e_shoff || eh->e_shentsize != sizeof(Elf64_Shdr))
		return NULL;
	return at(f, eh->e_shoff, eh->e_shnum, sizeof(Elf64_Shdr));
}

/* A string of a table, whose end lies in the table too; NULL. */
static const char *string_at(const struct elf_file *f, const Elf64_Shdr *table, uint64_t offset)
{
	if (table->sh_offset > f->size || table->sh_size > f->size - table->sh_offset || offset >= table->sh_size)
		return NULL;
	const char *s = (const char *)f->data + table->sh_offset + offset;

	return memchr(s, 0, table->sh_size - offset) ? s : NULL;
}

static const Elf64_Shdr *section_find(const struct elf_file *f, const char *name)
{
	const Elf64_Ehdr *eh = header(f);
	size_t n;
	const Elf64_Shdr *sh = sections(f, &n);

	for (size_t i = 0; sh && eh->e_shstrndx < n && i < n; i++) {
		const char *s = string_at(f, &sh[eh->e_shstrndx], sh[i].sh_name);

		if (s && !strcmp(s, name) && sh[i].sh_type != SHT_NOBITS)
			return &sh[i];
	}
	return NULL;
}

/* ---- functions --------------------------------------------------------------------------------------- */

bool elf_file_is_code(const struct elf_file *f, uint64_t addr)
{
	for (size_t i = 0; i < f->segs.n; i++)
		if (f->segs.v[i].exec && addr >= f->segs.v[i].addr && addr - f->segs.v[i].addr < f->segs.v[i].size)
			return true;
	return false;
}

static uint8_t rank(unsigned int bind)
{
	return bind == STB_GLOBAL || bind == STB_GNU_UNIQUE ? 0 : bind == STB_WEAK ? 1 : 2;
}

/* Symbols of `from`, which is f itself or its debug file, become functions of f. */
static void add_symbols(struct elf_file *f, const struct elf_file *from, const Elf64_Shdr *table,
			const Elf64_Shdr *strings)
{
	uint64_t n = table->sh_size / sizeof(Elf64_Sym);
	const Elf64_Sym *sym = at(from, table->sh_offset, n, sizeof(*sym));

	for (uint64_t i = 0; sym && i < n; i++) {
		unsigned int type = ELF64_ST_TYPE(sym[i].st_info);
		const char *name;
		struct elf_func *fn;

		if ((type != STT_FUNC && type != STT_GNU_IFUNC) || sym[i].st_shndx == SHN_UNDEF ||
		    !elf_file_is_code(f, sym[i].st_value))
			continue;
		name = string_at(from, strings, sym[i].st_name);
		if (!name || !*name)
			continue;
		fn = vec_add(&f->funcs);
		fn->addr = sym[i].st_value;
		fn->size = sym[i].st_size;
		fn->name = name;
		fn->rank = rank(ELF64_ST_BIND(sym[i].st_info));
		fn->ifunc = type == STT_GNU_IFUNC;
	}
}

static void add_tables(struct elf_file *f, const struct elf_file *from, uint32_t type)
{
	size_t n;
	const Elf64_Shdr *sh = sections(from, &n);

	for (size_t i = 0; sh && i < n; i++)
		if (sh[i].sh_type == type && sh[i].sh_link < n)
			add_symbols(f, from, &sh[i], &sh[sh[i].sh_link]);
}

static bool debug_open(void *arg, int fd, Elf *elf)
{
	struct elf_file *f = arg;
	char path[40];

	(void)elf;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	elf_file_close(f->debug);
	f->debug = NULL;
	if (elf_file_open(&f->debug, path))
		return false;
	add_tables(f, f->debug, SHT_SYMTAB);
	return f->funcs.n > 0;
}

/* Mini debug information. */
static void mini_open(struct elf_file *f, Elf *elf)
{
	struct str image = {0};

	if (debugfile_mini(elf, &image)) {
		elf_file_close(f->debug);
		f->debug = mem_alloc(sizeof(*f));
		f->debug->fd = -1;
		f->debug->unpacked = image.s;
		f->debug->data = (const uint8_t *)image.s;
		f->debug->size = image.n;
		if (header(f->debug))
			add_tables(f, f->debug, SHT_SYMTAB);
		return;
	}
	str_free(&image);
}

/* Of a file that was stripped; where it comes from may have debug files of its own. */
static void other_symbols(struct elf_file *f)
{
	const char *path = f->path ? f->path : "";
	char root[32];
	Elf *elf = elf_version(EV_CURRENT) == EV_NONE ? NULL : elf_begin(f->fd, ELF_C_READ, NULL);

	if (!elf)
		return;
	snprintf(root, sizeof(root), "/proc/%d/root", (int)f->pid);
	if (!debugfile_find(elf, path, "", debug_open, f) &&
	    !(f->pid && debugfile_find(elf, path, root, debug_open, f)))
		mini_open(f, elf);
	elf_end(elf);
}

static int by_addr(const void *x, const void *y)
{
	const struct elf_func *a = x, *b = y;

	if (a->addr != b->addr)
		return a->addr < b->addr ? -1 : 1;
	if (a->rank != b->rank)
		return a->rank - b->rank;
	return strcmp(a->name, b->name);
}

void elf_file_funcs(struct elf_file *f)
{
	size_t n = 0;

	if (f->have_funcs)
		return;
	f->have_funcs = true;
	add_tables(f, f, SHT_SYMTAB);
	if (!f->funcs.n)
		other_symbols(f);
	add_tables(f, f, SHT_DYNSYM);
	if (!f->funcs.n)
		return;
	qsort(f->funcs.v, f->funcs.n, sizeof(*f->funcs.v), by_addr);
	/* Both tables hold the exported functions. */
	for (size_t i = 0; i < f->funcs.n; i++)
		if (!n || f->funcs.v[i].addr != f->funcs.v[n - 1].addr ||
		    strcmp(f->funcs.v[i].name, f->funcs.v[n - 1].name))
			f->funcs.v[n++] = f->funcs.v[i];
	f->funcs.n = n;
}

const struct elf_func *elf_file_func(struct elf_file *f, const char *name)
{
	const struct elf_func *best = NULL;

	elf_file_funcs(f);
	for (size_t i = 0; i < f->funcs.n; i++) {
		const struct elf_func *fn = &f->funcs.v[i];

		if (!strcmp(fn->name, name) && (!best || fn->rank < best->rank))
			best = fn;
	}
	return best;
}

/* Variables of threads are symbols of another kind. NULL: none, or several. */
static const Elf64_Sym *symbol_find(const struct elf_file *f, uint32_t type, const char *name, bool of_thread)
{
	const Elf64_Sym *found = NULL;
	size_t n;
	const Elf64_Shdr *sh = sections(f, &n);

	for (size_t i = 0; sh && i < n; i++) {
		uint64_t count = sh[i].sh_size / sizeof(Elf64_Sym);
		const Elf64_Sym *sym;

		if (sh[i].sh_type != type || sh[i].sh_link >= n)
			continue;
		sym = at(f, sh[i].sh_offset, count, sizeof(*sym));
		for (uint64_t k = 0; sym && k < count; k++) {
			const char *s = string_at(f, &sh[sh[i].sh_link], sym[k].st_name);

			if (!s || sym[k].st_shndx == SHN_UNDEF || strcmp(s, name) ||
			    (ELF64_ST_TYPE(sym[k].st_info) == STT_TLS) != of_thread)
				continue;
			if (found && found->st_value != sym[k].st_value)
				return NULL;
			found = &sym[k];
		}
	}
	return found;
}

static uint64_t symbol_of(const struct elf_file *f, uint32_t type, const char *name)
{
	const Elf64_Sym *sym = symbol_find(f, type, name, false);

	return sym ? sym->st_value : 0;
}

bool elf_file_thread_symbol(const struct elf_file *f, const char *name, int64_t *distance)
{
	const Elf64_Sym *sym = symbol_find(f, SHT_SYMTAB, name, true);
	const Elf64_Ehdr *eh = header(f);
	const Elf64_Phdr *ph = eh ? at(f, eh->e_phoff, eh->e_phnum, sizeof(*ph)) : NULL;

	for (size_t i = 0; sym && ph && eh->e_phentsize == sizeof(*ph) && i < eh->e_phnum; i++) {
		uint64_t size = ph[i].p_memsz;

		if (ph[i].p_type != PT_TLS)
			continue;
		/* The block ends at the thread pointer, but for what its alignment takes. */
		if (ph[i].p_align > 1)
			size += (0 - ph[i].p_vaddr - size) & (ph[i].p_align - 1);
		*distance = (int64_t)(sym->st_value - size);
		return true;
	}
	return false;
}

uint64_t elf_file_symbol(const struct elf_file *f, const char *name)
{
	return symbol_of(f, SHT_DYNSYM, name);
}

uint64_t elf_file_private_symbol(const struct elf_file *f, const char *name)
{
	uint64_t addr = symbol_of(f, SHT_SYMTAB, name);

	return addr ? addr : symbol_of(f, SHT_DYNSYM, name);
}

bool elf_file_relocations(const struct elf_file *f,
			  bool (*each)(void *arg, const Elf64_Rela *r, const char *name), void *arg)
{
	size_t n;
	const Elf64_Shdr *sh = sections(f, &n);

	for (size_t i = 0; sh && i < n; i++) {
		uint64_t count = sh[i].sh_size / sizeof(Elf64_Rela), nsyms = 0;
		const Elf64_Shdr *table = sh[i].sh_link < n ? &sh[sh[i].sh_link] : NULL;
		const Elf64_Sym *sym = NULL;
		const Elf64_Rela *r;

		if (sh[i].sh_type != SHT_RELA || !(sh[i].sh_flags & SHF_ALLOC))
			continue;
		r = at(f, sh[i].sh_offset, count, sizeof(*r));
		if (table && table->sh_type == SHT_DYNSYM && table->sh_link < n) {
			nsyms = table->sh_size / sizeof(*sym);
			sym = at(f, table->sh_offset, nsyms, sizeof(*sym));
		}
		for (uint64_t k = 0; r && k < count; k++) {
			uint64_t s = ELF64_R_SYM(r[k].r_info);

			if (each(arg, &r[k],
				 sym && s && s < nsyms
					 ? string_at(f, &sh[table->sh_link], sym[s].st_name)
					 : NULL))
				return true;
		}
	}
	return false;
}

const struct elf_func *elf_file_func_at(struct elf_file *f, uint64_t addr)
{
	size_t lo = 0, hi;

	elf_file_funcs(f);
	hi = f->funcs.n;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (f->funcs.v[mid].addr <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (!lo)
		return NULL;
	const struct elf_func *fn = &f->funcs.v[lo - 1];

	while (fn > f->funcs.v && fn[-1].addr == fn->addr)
		fn--;
	return addr - fn->addr < fn->size || addr == fn->addr ? fn : NULL;
}

/* ---- static probes ----------------------------------------------------------------------------------- */

#define NOTE_STAPSDT 3

/* Texts that stand one behind the other, each with its NUL; false: they do not all end. */
static bool texts(const uint8_t *from, const uint8_t *end, const char **out[], int n)
{
	for (int i = 0; i < n; i++) {
		const uint8_t *nul = from < end ? memchr(from, 0, end - from) : NULL;

		if (!nul)
			return false;
		*out[i] = (const char *)from;
		from = nul + 1;
	}
	return true;
}

/* Three addresses, then provider, name and arguments. */
static void add_note(struct elf_file *f, const uint8_t *desc, size_t size, uint64_t base)
{
	struct elf_note note = { 0 };
	const char **field[] = {&note.provider, &note.name, &note.args};
	uint64_t word[3];

	if (size < sizeof(word))
		return;
	memcpy(word, desc, sizeof(word));
	if (!texts(desc + sizeof(word), desc + size, field, 3))
		return;
	/* Programs that were moved after linking (prelink) have another address of .stapsdt.base. */
	uint64_t moved = base && word[1] ? base - word[1] : 0;

	note.addr = word[0] + moved;
	note.semaphore = word[2] ? word[2] + moved : 0;
	if (*note.provider && *note.name && elf_file_is_code(f, note.addr))
		vec_push(&f->notes, note);
}

static void add_decl(struct elf_file *f, const uint8_t *desc, size_t size, uint64_t base)
{
	struct elf_decl decl = { 0 };
	const char **field[] = { &decl.provider, &decl.name, &decl.args, &decl.out };

	(void)base;
	if (texts(desc, desc + size, field, 4))
		vec_push(&f->decls, decl);
}

/* Calls f for the notes of a type that stand in a section. */
static void each_note(struct elf_file *f, const char *name, const char *owner, uint32_t type,
		      uint64_t base,
		      void (*add)(struct elf_file *f, const uint8_t *desc, size_t size,
				  uint64_t base))
{
	const Elf64_Shdr *sh = section_find(f, name);
	const uint8_t *data = sh ? at(f, sh->sh_offset, sh->sh_size, 1) : NULL;
	size_t n = strlen(owner) + 1;

	for (size_t left = data ? sh->sh_size : 0; left >= sizeof(Elf64_Nhdr);) {
		Elf64_Nhdr nh;
		uint64_t desc, all;

		memcpy(&nh, data, sizeof(nh));
		desc = sizeof(nh) + ROUND_UP((uint64_t)nh.n_namesz, 4);
		all = desc + ROUND_UP((uint64_t)nh.n_descsz, 4);
		if (all > left)
			return;
		if (nh.n_type == type && nh.n_namesz == n && !memcmp(data + sizeof(nh), owner, n))
			add(f, data + desc, nh.n_descsz, base);
		data += all;
		left -= all;
	}
}

void elf_file_notes(struct elf_file *f)
{
	const Elf64_Shdr *base;

	if (f->have_notes)
		return;
	f->have_notes = true;
	base = section_find(f, ".stapsdt.base");
	each_note(f, ".note.stapsdt", "stapsdt", NOTE_STAPSDT, base ? base->sh_addr : 0, add_note);
	each_note(f, ELF_DECL_SECTION, ELF_DECL_OWNER, ELF_DECL_NOTE, 0, add_decl);
}
