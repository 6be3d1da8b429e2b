/* SPDX-License-Identifier: BSD-2-Clause */
/* what: a comment must end */

BEGIN
{
}
/* ab
