/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The compiled runtime: runtime/runtime.c as a BPF ELF object with BTF, embedded at build time
 * (tools/embed). Aligned to 16 bytes, constant for the life of the process.
 */
#ifndef CODEGEN_RUNTIME_BLOB_H
#define CODEGEN_RUNTIME_BLOB_H

extern const unsigned char runtime_object[];
extern const unsigned int runtime_object_size; /* bytes */

#endif
