/* SPDX-License-Identifier: BSD-2-Clause */
/* what: nor is a struct that is not defined */
struct later;
translator struct later < int i > { a = i; };
