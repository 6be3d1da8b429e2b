/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Unit tests of src/sym/cfi: rows agree with what libdw makes of .eh_frame, for the C library, for the
 * dynamic linker and for this program; damaged sections do no harm.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <link.h>
#include <sys/stat.h>
#include <unistd.h>

#include "abi/abi.h"
#include "sym/cfi.h"

static uint32_t rule_at(const struct cfi *c, uint64_t place)
{
	uint32_t rule = 0;

	for (size_t low = 0, high = c->rows.n; low < high;) {
		size_t mid = low + (high - low) / 2;

		if (c->rows.v[mid] >> 32 <= place) {
			rule = (uint32_t)c->rows.v[mid];
			low = mid + 1;
		} else {
			high = mid;
		}
	}
	return rule;
}

static int64_t number(const Dwarf_Op *op)
{
	return (int64_t)op->number;
}

/* What libdw says of the frame's address, as a rule's kind and offset; -1: none that we have. */
static int model_cfa(const Dwarf_Op *ops, size_t n, int64_t *off)
{
	*off = n ? number(&ops[0]) : 0;
	if (n == 1 && ops[0].atom == DW_OP_bregx) {
		*off = (int64_t)ops[0].number2;
		return ops[0].number == 7 ? ABI_UNWIND_SP : ops[0].number == 6 ? ABI_UNWIND_BP : -1;
	}
	if (n == 1)
		return ops[0].atom == DW_OP_breg7   ? ABI_UNWIND_SP
		       : ops[0].atom == DW_OP_breg6 ? ABI_UNWIND_BP
						    : -1;
	if (n == 2 && ops[0].atom == DW_OP_breg6 && ops[1].atom == DW_OP_deref)
		return ABI_UNWIND_BP_DEREF;
	if (n == 9 && ops[0].atom == DW_OP_breg7 && ops[1].atom == DW_OP_breg16)
		return ABI_UNWIND_PLT;
	return -1;
}

struct counts {
	size_t same, special, other;
};

/* Compares one row with libdw's frame at its place. */
static void compare(const struct cfi *c, Dwarf_CFI *model, uint64_t place, uint64_t addr,
		    struct counts *n)
{
	uint32_t rule = rule_at(c, place);
	Dwarf_Frame *frame = NULL;
	Dwarf_Op *ops, mem[3];
	int64_t off;
	size_t nops;
	bool signal;
	int kind;

	if (dwarf_cfi_addrframe(model, addr, &frame)) {
		assert_int_equal(rule, 0);
		n->other++;
		return;
	}
	dwarf_frame_info(frame, NULL, NULL, &signal);
	if (signal) {
		assert_int_equal(ABI_UNWIND_KIND(rule), ABI_UNWIND_SIGNAL);
		n->special++;
		free(frame);
		return;
	}
	assert_int_equal(dwarf_frame_cfa(frame, &ops, &nops), 0);
	kind = model_cfa(ops, nops, &off);
	assert_int_equal(dwarf_frame_register(frame, 16, mem, &ops, &nops), 0);
	if (!nops) {
		assert_int_equal(ABI_UNWIND_KIND(rule), ABI_UNWIND_END);
		n->special++;
	} else if (nops != 2 || ops[0].atom != DW_OP_call_frame_cfa || number(&ops[1]) != -8) {
		assert_int_equal(rule,
				 0); /* the return address is in a register: vfork() of libc */
		n->special++;
	} else if (kind < 0 || kind == ABI_UNWIND_PLT) {
		if (kind < 0)
			assert_true(ABI_UNWIND_KIND(rule) == ABI_UNWIND_NONE ||
				    ABI_UNWIND_KIND(rule) == ABI_UNWIND_SP_DEREF);
		else
			assert_int_equal(ABI_UNWIND_KIND(rule), kind);
		n->special++;
	} else {
		assert_int_equal(ABI_UNWIND_KIND(rule), kind);
		assert_int_equal(ABI_UNWIND_OFF(rule), off);
		/* The frame pointer: the caller's is in memory at cfa - 8 * n, or still in the register. */
		assert_int_equal(dwarf_frame_register(frame, 6, mem, &ops, &nops), 0);
		if (nops == 0)
			assert_int_equal(ABI_UNWIND_BP_OF(rule), 0);
		else if (nops == 2 && ops[0].atom == DW_OP_call_frame_cfa &&
			 ops[1].atom == DW_OP_plus_uconst)
			assert_int_equal(-(int64_t)ABI_UNWIND_BP_OF(rule) * 8, number(&ops[1]));
		n->same++;
	}
	free(frame);
}

static uint64_t address_of(Elf *elf, uint64_t place)
{
	GElf_Phdr ph;
	size_t n;

	elf_getphdrnum(elf, &n);
	for (size_t i = 0; i < n && gelf_getphdr(elf, (int)i, &ph); i++)
		if (ph.p_type == PT_LOAD && ph.p_flags & PF_X && place - ph.p_offset < ph.p_filesz)
			return place - ph.p_offset + ph.p_vaddr;
	return 0;
}

static struct counts compare_file(const char *path)
{
	struct counts n = { 0 };
	struct cfi c;
	int fd = open(path, O_RDONLY);
	Dwarf_CFI *model;
	Elf *elf;

	assert_true(fd >= 0);
	assert_int_equal(cfi_read(&c, fd), 0);
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	model = dwarf_getcfi_elf(elf);
	assert_non_null(model);
	for (size_t i = 0; i < c.rows.n; i++) {
		uint64_t place = c.rows.v[i] >> 32, addr = address_of(elf, place);
		uint64_t last = i + 1 < c.rows.n ? (c.rows.v[i + 1] >> 32) - 1 : place;

		if (i)
			assert_true(c.rows.v[i - 1] >> 32 < place);
		if (addr)
			compare(&c, model, place, addr, &n);
		if (last != place && address_of(elf, last))
			compare(&c, model, last, address_of(elf, last), &n);
	}
	dwarf_cfi_end(model);
	elf_end(elf);
	cfi_free(&c);
	close(fd);
	return n;
}

static int library(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct counts *all = arg, n;

	(void)size;
	if (*info->dlpi_name != '/')
		return 0;
	n = compare_file(info->dlpi_name);
	all->same += n.same;
	all->special += n.special;
	all->other += n.other;
	return 0;
}

static void test_model(void **state)
{
	struct counts n = compare_file("/proc/self/exe");

	(void)state;
	assert_true(n.same > 100);
	assert_true(n.special > 0); /* the end of the stack, and the PLT */
	n = (struct counts){ 0 };
	dl_iterate_phdr(library, &n);
	assert_true(n.same > 10000);
	assert_true(n.special > 10);
}

/* Every byte of a section may be wrong: nothing but rows comes of it. */
static void test_damaged(void **state)
{
	static char image[1 << 22];
	int fd = open("/proc/self/exe", O_RDONLY);
	ssize_t size = read(fd, image, sizeof(image));
	uint64_t at = 0, len = 0, x = 88172645463325252ull;
	Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
	Elf_Scn *scn = NULL;
	size_t names;
	GElf_Shdr sh;
	struct cfi c;

	(void)state;
	assert_int_equal(elf_getshdrstrndx(elf, &names), 0);
	while ((scn = elf_nextscn(elf, scn)))
		if (gelf_getshdr(scn, &sh) &&
		    !strcmp(elf_strptr(elf, names, sh.sh_name), ".eh_frame")) {
			at = sh.sh_offset;
			len = sh.sh_size;
		}
	elf_end(elf);
	close(fd);
	if (size == (ssize_t)sizeof(image)) /* not all of it: built with more than its own */
		skip();
	assert_true(len > 0);
	for (int round = 0; round < 300; round++) {
		char *copy = malloc((size_t)size);

		memcpy(copy, image, (size_t)size);
		for (int i = 0; i < 1 + round % 20; i++) {
			x ^= x << 13;
			x ^= x >> 7;
			x ^= x << 17;
			copy[at + x % len] = (char)(x >> 40);
		}
		assert_int_equal(cfi_read_memory(&c, copy, (size_t)size), 0);
		for (size_t i = 1; i < c.rows.n; i++)
			assert_true(c.rows.v[i - 1] >> 32 < c.rows.v[i] >> 32);
		cfi_free(&c);
		free(copy);
	}
	assert_int_equal(cfi_read_memory(&c, "no ELF file", 11), -ENOEXEC);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_model),
		cmocka_unit_test(test_damaged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
