/* SPDX-License-Identifier: BSD-2-Clause */
/* what: translators are refused as a whole */

struct s { int a; };
translator struct s < int *p > { a = *p; };
