/* SPDX-License-Identifier: BSD-2-Clause */
/* what: no void members */

struct a { void x; };
