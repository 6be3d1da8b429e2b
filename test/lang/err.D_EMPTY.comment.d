/* SPDX-License-Identifier: BSD-2-Clause */
/* what: a unit needs something in it */

