/* SPDX-License-Identifier: BSD-2-Clause */
/* what: short char */

short char x;
