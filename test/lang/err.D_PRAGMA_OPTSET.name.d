/* SPDX-License-Identifier: BSD-2-Clause */
/* what: an unknown option */

#pragma D option nosuch
