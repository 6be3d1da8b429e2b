/* SPDX-License-Identifier: BSD-2-Clause */
/* what: a provider that is not there */

#pragma D depends_on provider nosuch
