/* SPDX-License-Identifier: BSD-2-Clause */
/* what: a dependency needs a name */

#pragma D depends_on module
