/* SPDX-License-Identifier: BSD-2-Clause */
/* what: brackets balance in a predicate */

BEGIN
/x[1/
{
}
