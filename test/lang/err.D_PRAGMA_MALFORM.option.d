/* SPDX-License-Identifier: BSD-2-Clause */
/* what: an option needs a name */

#pragma D option
