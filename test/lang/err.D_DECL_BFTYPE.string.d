/* SPDX-License-Identifier: BSD-2-Clause */
/* what: bit-fields are integers */

struct a { string x:3; };
