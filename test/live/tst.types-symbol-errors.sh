#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: kernel symbols and types that are not there, or without a type, are refused clearly
# @@needs: root bpf

expect() {
	out=$("$DTRACE" -x errtags -n "BEGIN { $1; exit(0); }" 2>&1) && { echo "accepted: $1"; exit 1; }
	case $out in *"$2"*) ;; *) echo "$1: $out"; exit 1 ;; esac
}
expect 'trace(`no_such_symbol_anywhere)' '[D_IDENT_UNDEF]'
expect 'trace(`no_such_symbol_anywhere)' 'failed to resolve `no_such_symbol_anywhere: Unknown symbol name'
expect 'trace(nomodule`x)' 'failed to resolve nomodule`x: Unknown module name'
expect 'trace(vmlinux`no_such_symbol)' 'failed to resolve vmlinux`no_such_symbol: Unknown symbol name'
expect 'trace(`_text)' 'D_SYM_NOTYPES'
expect '`runqueues.cpu = 1' '[D_OP_WRITE]'
expect '`runqueues = 1' '[D_OP_'
expect 'trace(sizeof(struct nomodule`foo))' '[D_UNKNOWN] failed to resolve type struct nomodule`foo: Unknown module name'
expect 'trace(sizeof(struct vmlinux`no_such))' 'failed to resolve type struct vmlinux`no_such: Unknown type name'
expect 'trace(sizeof(union vmlinux`a`b))' 'failed to resolve type union vmlinux`a`b: Improper use of scoping operator in type name'
# without a type there is still an address
out=$("$DTRACE" -qn 'BEGIN { printf("%x", (uint64_t)&`_text); exit(0); }' 2>&1)
grep -q "^$out T _text" /proc/kallsyms || { echo "_text: $out"; exit 1; }
