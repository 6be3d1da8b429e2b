/* SPDX-License-Identifier: BSD-2-Clause */
/* what: keys are values */

int x[void];
