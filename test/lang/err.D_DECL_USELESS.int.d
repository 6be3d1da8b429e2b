/* SPDX-License-Identifier: BSD-2-Clause */
/* what: nothing declared */

int;
