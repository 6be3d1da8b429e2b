/* SPDX-License-Identifier: BSD-2-Clause */
/* what: a scalar is no output of a translator */
translator int < int i > { a = i; };
