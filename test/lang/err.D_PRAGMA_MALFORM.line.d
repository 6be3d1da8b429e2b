/* SPDX-License-Identifier: BSD-2-Clause */
/* what: #line needs a number */

#line "a.d"
