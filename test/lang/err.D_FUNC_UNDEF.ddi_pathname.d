/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * what: the device tree of another system
 * @@flags: -e
 * @@match: unimplemented subroutine: ddi_pathname$
 */
BEGIN { trace(ddi_pathname((void *)0, 1)); }
