/* SPDX-License-Identifier: BSD-2-Clause */
/* what: unsigned void */

unsigned void *x;
