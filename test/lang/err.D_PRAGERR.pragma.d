/* SPDX-License-Identifier: BSD-2-Clause */
/* what: #pragma D error too */

#pragma D error "no"
