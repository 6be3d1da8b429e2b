/* SPDX-License-Identifier: BSD-2-Clause */
/* what: signed string */

signed string x;
