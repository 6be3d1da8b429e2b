/* SPDX-License-Identifier: BSD-2-Clause */
/* what: an unknown pragma of D */

#pragma D nosuch x
