/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What becomes of provider definitions: a C header, and an object to be linked with the program.
 *
 * The header's macros place a one-byte no-op and describe it in a note of the kind that other tools read too
 * (.note.stapsdt). The counter that says whether somebody looks is defined once, in the object, and raised by the
 * kernel when a probe is enabled; what the probes were declared to be passed is told there too, in notes of our own
 * (.note.dtrace, sym/funcs.h). The program's own objects are not changed.
 */
#include "lib/impl.h"

#include <ctype.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/str.h"
#include "sym/funcs.h"

/* ---- header ------------------------------------------------------------------------------------------ */

/* "query__start": as part of a macro's name. */
static void put_upper(struct str *o, const char *s)
{
	for (; *s; s++) {
		if (s[0] == '_' && s[1] == '_')
			s++;
		str_putc(o, *s == '-' || *s == '.' ? '_' : (char)toupper((unsigned char)*s));
	}
}

static void put_macro_name(struct str *o, const struct provdef *pd, const struct provdef_probe *pr)
{
	put_upper(o, pd->name);
	str_putc(o, '_');
	put_upper(o, pr->name);
}

static void put_list(struct str *o, size_t n, const char *fmt)
{
	for (size_t i = 0; i < n; i++) {
		str_puts(o, i ? ", " : "");
		str_printf(o, fmt, i);
	}
}

/* The type as C spells it: D's own words are translated. */
static void put_param(struct str *o, dtrace_hdl_t *dtp, struct type *t, size_t i)
{
	const char *name = type_is_string(t) ? "const char *" : type_name(dtp->ses->types, t);
	const char *args = strstr(name, "(*)");

	if (args)
		str_printf(o, "%.*s(*arg%zu)%s", (int)(args - name), name, i, args + 3);
	else
		str_printf(o, "%s%sarg%zu", name, name[strlen(name) - 1] == '*' ? "" : " ", i);
}

/*
 * An argument is in a register, or a constant. Past the sixth there may be no register left: those are put on the
 * stack, where the note can name them; a variable elsewhere would be named by its symbol, which nobody can read.
 */
#define IN_REGISTERS 6

static void put_note(struct str *o, const struct provdef *pd, const struct provdef_probe *pr)
{
	str_puts(o, "\t__asm__ __volatile__(\n\t\t\"990:\\tnop\\n\"\n"
		    "\t\t\".pushsection .note.stapsdt,\\\"?\\\",\\\"note\\\"\\n\"\n"
		    "\t\t\".balign 4\\n.4byte 992f-991f, 994f-993f, 3\\n\"\n"
		    "\t\t\"991:\\t.asciz \\\"stapsdt\\\"\\n992:\\t.balign 4\\n\"\n");
	str_printf(o, "\t\t\"993:\\t.8byte 990b, _.stapsdt.base, %s_%s_semaphore\\n\"\n", pd->name, pr->name);
	str_printf(o, "\t\t\".asciz \\\"%s\\\"\\n.asciz \\\"%s\\\"\\n\"\n\t\t\".asciz \\\"", pd->name, pr->name);
	for (size_t i = 0; i < pr->nargs; i++) {
		struct type *t = type_resolve(pr->args[i]);

		str_printf(o, "%s%s%d@%%%zu", i ? " " : "", type_is_integer(t) && type_is_signed(t) ? "-" : "",
			   type_is_integer(t) ? (int)t->size : 8, i);
	}
	str_puts(o, "\\\"\\n994:\\t.balign 4\\n.popsection\\n\"\n"
		    "\t\t\".ifndef _.stapsdt.base\\n\"\n"
		    "\t\t\".pushsection .stapsdt.base,\\\"aG\\\",\\\"progbits\\\",.stapsdt.base,comdat\\n\"\n"
		    "\t\t\".weak _.stapsdt.base\\n.hidden _.stapsdt.base\\n_.stapsdt.base:\\t.space 1\\n\"\n"
		    "\t\t\".size _.stapsdt.base, 1\\n.popsection\\n.endif\\n\"\n\t\t: :");
	for (size_t i = 0; i < pr->nargs; i++)
		str_printf(o, i < IN_REGISTERS ? "%s \"nr\"(arg%zu)" : "%s \"o\"(stack%zu)", i ? "," : "", i);
	/* What arguments point to has been written by then. */
	str_puts(o, "\n\t\t: \"memory\");\n");
}

static void put_functions(struct str *o, dtrace_hdl_t *dtp, const struct provdef *pd, const struct provdef_probe *pr)
{
	str_printf(o, "\nextern unsigned short %s_%s_semaphore\n"
		      "\t__attribute__((unused, section(\".probes\"), visibility(\"hidden\")));\n\n", pd->name, pr->name);
	str_printf(o, "static __inline__ __attribute__((always_inline, unused)) int __dtraceenabled_%s___%s(void)\n{\n"
		      "\treturn __builtin_expect(*(volatile unsigned short *)&%s_%s_semaphore, 0);\n}\n\n",
		   pd->name, pr->name, pd->name, pr->name);
	str_printf(o, "static __inline__ __attribute__((always_inline, unused)) void __dtrace_%s___%s(", pd->name, pr->name);
	for (size_t i = 0; i < pr->nargs; i++) {
		str_puts(o, i ? ", " : "");
		put_param(o, dtp, pr->args[i], i);
	}
	str_puts(o, pr->nargs ? ")\n{\n" : "void)\n{\n");
	for (size_t i = IN_REGISTERS; i < pr->nargs; i++)
		str_printf(o, "\tvolatile __typeof__(arg%zu) stack%zu = arg%zu;\n", i, i, i);
	put_note(o, pd, pr);
	str_puts(o, "}\n");
}

static void put_macros(struct str *o, const struct provdef *pd, const struct provdef_probe *pr, bool real)
{
	str_puts(o, "#define ");
	put_macro_name(o, pd, pr);
	str_putc(o, '(');
	put_list(o, pr->nargs, "arg%zu");
	if (real) {
		str_printf(o, ") __dtrace_%s___%s(", pd->name, pr->name);
		put_list(o, pr->nargs, "arg%zu");
		str_puts(o, ")\n");
	} else {
		str_puts(o, ") do {");
		for (size_t i = 0; i < pr->nargs; i++)
			str_printf(o, " (void)sizeof(arg%zu);", i);
		str_puts(o, " } while (0)\n");
	}
	str_puts(o, "#define ");
	put_macro_name(o, pd, pr);
	if (real)
		str_printf(o, "_ENABLED() __dtraceenabled_%s___%s()\n", pd->name, pr->name);
	else
		str_puts(o, "_ENABLED() (0)\n");
}

static void put_all_macros(struct str *o, const dtrace_hdl_t *dtp, bool real)
{
	for (size_t i = 0; i < dtp->ses->providers.n; i++)
		for (size_t k = 0; k < dtp->ses->providers.v[i]->probes.n; k++)
			put_macros(o, dtp->ses->providers.v[i], dtp->ses->providers.v[i]->probes.v[k], real);
}

static void put_header(struct str *o, dtrace_hdl_t *dtp, const char *file)
{
	const char *base = strrchr(file, '/') ? strrchr(file, '/') + 1 : file;
	char *guard = mem_printf("_%s", base);

	for (char *c = guard; *c; c++)
		*c = isalnum((unsigned char)*c) ? (char)toupper((unsigned char)*c) : '_';
	str_puts(o, "/*\n * Generated by dtrace(1M).\n */\n\n");
	str_printf(o, "#ifndef %s\n#define %s\n\n#include <unistd.h>\n\n", guard, guard);
	str_puts(o, "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n"
		    "/* Without probes: -D NO_DTRACE. */\n"
		    "#if defined(__x86_64__) && defined(__ELF__) && defined(__GNUC__) && !defined(NO_DTRACE)\n");
	for (size_t i = 0; i < dtp->ses->providers.n; i++)
		for (size_t k = 0; k < dtp->ses->providers.v[i]->probes.n; k++)
			put_functions(o, dtp, dtp->ses->providers.v[i], dtp->ses->providers.v[i]->probes.v[k]);
	str_putc(o, '\n');
	put_all_macros(o, dtp, true);
	str_puts(o, "\n#else\n\n");
	put_all_macros(o, dtp, false);
	str_printf(o, "\n#endif\n\n#ifdef __cplusplus\n}\n#endif\n\n#endif /* %s */\n", guard);
	free(guard);
}

/* Arguments go by a register each. */
static int check_args(dtrace_hdl_t *dtp)
{
	for (size_t i = 0; i < dtp->ses->providers.n; i++)
		for (size_t k = 0; k < dtp->ses->providers.v[i]->probes.n; k++) {
			const struct provdef_probe *pr = dtp->ses->providers.v[i]->probes.v[k];

			for (size_t a = 0; a < pr->nargs; a++)
				if (!type_is_scalar(pr->args[a]) && !type_is_string(pr->args[a]))
					return hdl_errorf(dtp, EDT_COMPILER,
							  "argument #%zu of probe %s:%s is of type %s: "
							  "only integers and pointers can be passed",
							  a + 1, dtp->ses->providers.v[i]->name, pr->name,
							  type_name(dtp->ses->types, pr->args[a]));
		}
	return 0;
}

int dtrace_program_header(dtrace_hdl_t *dtp, FILE *out, const char *fname)
{
	struct str o = {0};
	int rc = check_args(dtp);

	if (rc == 0) {
		put_header(&o, dtp, fname && *fname ? fname : "dtrace.h");
		if (fwrite(str_c(&o), 1, o.n, out) != o.n || fflush(out) == EOF)
			rc = hdl_error(dtp, errno);
	}
	str_free(&o);
	return rc;
}

/* ---- object ------------------------------------------------------------------------------------------ */

enum { SEC_NONE, SEC_PROBES, SEC_DECLS, SEC_STACK, SEC_SYMTAB, SEC_STRTAB, SEC_NAMES, SEC_MAX };

static const char section_names[] =
	"\0.probes\0.note.dtrace\0.note.GNU-stack\0.symtab\0.strtab\0.shstrtab";

static uint32_t section_name(const char *name)
{
	uint32_t off = 1;

	while (strcmp(section_names + off, name))
		off += strlen(section_names + off) + 1;
	return off;
}

static void section(Elf64_Shdr *sh, const char *name, uint32_t type, uint64_t flags, uint64_t align)
{
	sh->sh_name = section_name(name);
	sh->sh_type = type;
	sh->sh_flags = flags;
	sh->sh_addralign = align;
}

static void place(Elf64_Shdr *sh, struct str *o, const void *data, uint64_t n)
{
	str_pad(o, 0, ROUND_UP(o->n, sh->sh_addralign) - o->n);
	sh->sh_offset = o->n;
	sh->sh_size = n;
	if (data)
		str_add(o, data, n);
	else
		str_pad(o, 0, n);
}

/* The note of a probe: provider, name, types passed, types of args[], one a line; of the latter with their number. */
static void put_decl(struct str *o, const dtrace_hdl_t *dtp, const struct provdef *pd,
		     const struct provdef_probe *pr)
{
	Elf64_Nhdr nh = { .n_namesz = sizeof(ELF_DECL_OWNER), .n_type = ELF_DECL_NOTE };
	struct str d = { 0 };

	str_printf(&d, "%s%c%s%c", pd->name, 0, pr->name, 0);
	for (size_t i = 0; i < pr->nargs; i++)
		str_printf(&d, "%s%s", i ? "\n" : "", type_name(dtp->ses->types, pr->args[i]));
	str_putc(&d, 0);
	for (size_t i = 0; i < pr->nout; i++)
		str_printf(&d, "%s%zu %s", i ? "\n" : "", pr->from[i],
			   type_name(dtp->ses->types, pr->out[i]));
	str_putc(&d, 0);
	nh.n_descsz = d.n;
	str_add(o, (const char *)&nh, sizeof(nh));
	str_add(o, ELF_DECL_OWNER, sizeof(ELF_DECL_OWNER));
	str_pad(o, 0, ROUND_UP(o->n, 4) - o->n);
	str_add(o, d.s, d.n);
	str_pad(o, 0, ROUND_UP(o->n, 4) - o->n);
	str_free(&d);
}

/* A counter for each probe, each a hidden symbol. */
static void put_object(struct str *o, const dtrace_hdl_t *dtp)
{
	Elf64_Shdr sh[SEC_MAX] = {0};
	struct str syms = { 0 }, names = { 0 }, decls = { 0 };
	Elf64_Sym sym = {0};
	Elf64_Ehdr eh = {
		.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
		.e_type = ET_REL,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_ehsize = sizeof(eh),
		.e_shentsize = sizeof(sh[0]),
		.e_shnum = SEC_MAX,
		.e_shstrndx = SEC_NAMES,
	};
	uint64_t n = 0;

	str_add(&syms, (const char *)&sym, sizeof(sym));
	str_putc(&names, 0);
	for (size_t i = 0; i < dtp->ses->providers.n; i++) {
		const struct provdef *pd = dtp->ses->providers.v[i];

		for (size_t k = 0; k < pd->probes.n; k++, n++) {
			sym.st_name = names.n;
			sym.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT);
			sym.st_other = STV_HIDDEN;
			sym.st_shndx = SEC_PROBES;
			sym.st_value = 2 * n;
			sym.st_size = 2;
			str_printf(&names, "%s_%s_semaphore", pd->name, pd->probes.v[k]->name);
			str_putc(&names, 0);
			str_add(&syms, (const char *)&sym, sizeof(sym));
			put_decl(&decls, dtp, pd, pd->probes.v[k]);
		}
	}
	str_add(o, (const char *)&eh, sizeof(eh));
	section(&sh[SEC_PROBES], ".probes", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, 2);
	section(&sh[SEC_DECLS], ".note.dtrace", SHT_NOTE, 0, 4);
	section(&sh[SEC_STACK], ".note.GNU-stack", SHT_PROGBITS, 0, 1);
	section(&sh[SEC_SYMTAB], ".symtab", SHT_SYMTAB, 0, 8);
	section(&sh[SEC_STRTAB], ".strtab", SHT_STRTAB, 0, 1);
	section(&sh[SEC_NAMES], ".shstrtab", SHT_STRTAB, 0, 1);
	place(&sh[SEC_PROBES], o, NULL, 2 * n);
	place(&sh[SEC_DECLS], o, decls.s, decls.n);
	place(&sh[SEC_STACK], o, NULL, 0);
	place(&sh[SEC_SYMTAB], o, syms.s, syms.n);
	place(&sh[SEC_STRTAB], o, names.s, names.n);
	place(&sh[SEC_NAMES], o, section_names, sizeof(section_names));
	sh[SEC_SYMTAB].sh_link = SEC_STRTAB;
	sh[SEC_SYMTAB].sh_info = 1; /* the first that is not local */
	sh[SEC_SYMTAB].sh_entsize = sizeof(sym);
	str_pad(o, 0, ROUND_UP(o->n, 8) - o->n);
	eh.e_shoff = o->n;
	str_add(o, (const char *)sh, sizeof(sh));
	memcpy(o->s, &eh, sizeof(eh));
	str_free(&syms);
	str_free(&names);
	str_free(&decls);
}

static int write_file(const char *path, const struct str *o)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666), rc = 0;
	size_t done = 0;

	if (fd < 0)
		return -errno;
	while (done < o->n && !rc) {
		ssize_t n = write(fd, o->s + done, o->n - done);

		if (n > 0)
			done += n;
		else if (errno != EINTR)
			rc = -errno;
	}
	if (close(fd) < 0 && !rc)
		rc = -errno;
	return rc;
}

/* Objects are what the program is linked from; they must be of the machine that the new one is of. */
static int check_object(dtrace_hdl_t *dtp, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	Elf64_Ehdr eh;
	ssize_t n;

	if (fd < 0)
		return hdl_errorf(dtp, errno, "failed to open %s: %s", path, strerror(errno));
	n = read(fd, &eh, sizeof(eh));
	close(fd);
	if (n < EI_NIDENT || memcmp(eh.e_ident, ELFMAG, SELFMAG))
		return hdl_errorf(dtp, EDT_COMPILER, "%s is not an ELF object file", path);
	if (eh.e_ident[EI_CLASS] != ELFCLASS64)
		return hdl_errorf(dtp, EDT_COMPILER, "can't mix 32-bit and 64-bit object files");
	if (n != sizeof(eh) || eh.e_machine != EM_X86_64 || eh.e_type != ET_REL)
		return hdl_errorf(dtp, EDT_COMPILER, "%s is not a relocatable file of this machine", path);
	return 0;
}

int dtrace_program_link(dtrace_hdl_t *dtp, dtrace_prog_t *pgp, unsigned int dflags, const char *file, int objc,
			char *const objv[])
{
	struct str o = {0};
	int rc;

	if (dflags)
		return hdl_error(dtp, EINVAL);
	if (pgp && pgp->tree->clauses)
		return hdl_errorf(dtp, EDT_COMPILER, "clauses in a program for an object are not implemented");
	if (check_args(dtp) < 0)
		return -1;
	for (int i = 0; i < objc; i++)
		if (check_object(dtp, objv[i]) < 0)
			return -1;
	put_object(&o, dtp);
	rc = write_file(file, &o);
	str_free(&o);
	return rc ? hdl_errorf(dtp, -rc, "failed to write %s: %s", file, strerror(-rc)) : 0;
}
