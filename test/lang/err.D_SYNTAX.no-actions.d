/* SPDX-License-Identifier: BSD-2-Clause */
/* what: a predicate needs actions */

BEGIN
/pid == 1/
