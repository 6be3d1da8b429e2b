/* SPDX-License-Identifier: BSD-2-Clause */
/* what: a name of D itself */

int rand;
