/* SPDX-License-Identifier: BSD-2-Clause */
/* what: one option a line */

#pragma D option quiet flowindent
