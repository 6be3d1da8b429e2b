/* SPDX-License-Identifier: BSD-2-Clause */
/* what: no variables of unknown size */

struct nosuchtag x;
