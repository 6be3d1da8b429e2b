/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The functions and static probes of ELF files: where probes can be placed. Naming addresses is left to others.
 */
#ifndef SYM_FUNCS_H
#define SYM_FUNCS_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/vec.h"

struct elf_func {
	uint64_t addr, size; /* as linked; size 0: not told */
	const char *name;
	uint8_t rank;	/* of several names of an address the lowest is preferred: global, weak, local */
	bool ifunc;	/* chooses among implementations, is not called itself */
};

struct elf_segment {
	uint64_t addr, offset, size; /* size: in the file */
	bool exec;
};

/* A static probe of a .note.stapsdt section. */
struct elf_note {
	const char *provider, *name, *args;
	uint64_t addr;	    /* of the instruction, as linked */
	uint64_t semaphore; /* address of the counter, 0: none */
};

/*
 * What a probe was declared to be passed and to have as args[] (notes of the object that dtrace -G makes): types, one
 * a line; of out each behind the number of the argument that it is made of, "0 int"; "": as passed.
 */
struct elf_decl {
	const char *provider, *name, *args, *out;
};

#define ELF_DECL_SECTION ".note.dtrace"
#define ELF_DECL_OWNER "dtrace"
#define ELF_DECL_NOTE 1

struct elf_file {
	int fd;
	dev_t dev;
	ino_t ino;
	const uint8_t *data; /* mapped */
	size_t size;
	uint16_t type;	     /* ET_EXEC, ET_DYN */
	uint64_t entry;
	VEC(struct elf_segment) segs;
	VEC(struct elf_func) funcs; /* by address, then rank */
	VEC(struct elf_note) notes;
	VEC(struct elf_decl) decls;
	bool have_funcs, have_notes;
	struct elf_file *debug; /* keeps the names of functions; NULL: none */
	char *unpacked;		/* data, if it is not mapped */
	/* Where debug files are looked for too: beside the path, and below the root of a process. */
	char *path;
	pid_t pid;
};

/* An x86-64 ELF file. 0 or negative errno: -ENOEXEC if it is something else. */
int elf_file_open(struct elf_file **out, const char *path);
void elf_file_close(struct elf_file *f); /* accepts NULL */
/* Reads the symbols, those of a separate debug file too, if that was not done yet. */
void elf_file_funcs(struct elf_file *f);
void elf_file_notes(struct elf_file *f);
/* Place in the file of an address as linked; false: not from the file. */
bool elf_file_offset(const struct elf_file *f, uint64_t addr, uint64_t *offset);
/* The bytes at an address, at most *n of them; NULL: none. */
const uint8_t *elf_file_bytes(const struct elf_file *f, uint64_t addr, size_t *n);
bool elf_file_is_code(const struct elf_file *f, uint64_t addr);
/* Calls f for each relocation, with the name of its symbol or NULL, until f says stop; gives whether it did. */
bool elf_file_relocations(const struct elf_file *f,
			  bool (*each)(void *arg, const Elf64_Rela *r, const char *name),
			  void *arg);
/* The function of this name, of several the preferred one; NULL. */
const struct elf_func *elf_file_func(struct elf_file *f, const char *name);
/* Address as linked of a symbol of any kind that the file gives to others; 0: none. */
uint64_t elf_file_symbol(const struct elf_file *f, const char *name);
/* The same of one that the file keeps to itself too; 0 also if several have the name. */
uint64_t elf_file_private_symbol(const struct elf_file *f, const char *name);
/* Of a variable that each thread has: its distance from the thread pointer, if the file is a program. False: none. */
bool elf_file_thread_symbol(const struct elf_file *f, const char *name, int64_t *distance);
/* The function that an address lies in; NULL. */
const struct elf_func *elf_file_func_at(struct elf_file *f, uint64_t addr);

#endif
