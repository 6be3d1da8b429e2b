/* SPDX-License-Identifier: BSD-2-Clause */
/* what: an unknown class of dependency */

#pragma D depends_on nosuch x
