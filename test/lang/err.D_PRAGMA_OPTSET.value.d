/* SPDX-License-Identifier: BSD-2-Clause */
/* what: a bad value of an option */

#pragma D option bufsize=x
