/* SPDX-License-Identifier: BSD-2-Clause */
/* what: no associative arrays in this */

this int x[int];
