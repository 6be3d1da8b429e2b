/* SPDX-License-Identifier: BSD-2-Clause */
/* what: provider definitions are refused as a whole */

provider p { probe a(char *, int); probe b() : (int x); };
