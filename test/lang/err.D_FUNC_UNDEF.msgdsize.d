/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * what: STREAMS messages do not exist
 * @@flags: -e
 * @@match: unimplemented subroutine: msgdsize$
 */
BEGIN { trace(msgdsize((void *)0)); }
