/* SPDX-License-Identifier: BSD-2-Clause */
/* what: parentheses balance in a predicate */

BEGIN
/(pid == 1/
{
}
