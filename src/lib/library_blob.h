/* SPDX-License-Identifier: BSD-2-Clause */
/* The D libraries of lib/, as tools/embed-libraries writes them. */
#ifndef LIB_LIBRARY_BLOB_H
#define LIB_LIBRARY_BLOB_H

struct library_text {
	const char *name; /* of the file: "procfs.d" */
	const char *text;
	unsigned int len;
};

struct library_name {
	const char *name;  /* "psinfo_t", "struct psinfo", "SIGINT" */
	unsigned int text; /* of library_texts[] */
};

extern const struct library_text library_texts[];
extern const unsigned int library_ntexts;
extern const struct library_name library_names[]; /* sorted */
extern const unsigned int library_nnames;

#endif
