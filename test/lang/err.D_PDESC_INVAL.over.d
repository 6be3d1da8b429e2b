/* SPDX-License-Identifier: BSD-2-Clause */
/* what: at most four fields */

a:b:c:d:e
{
}
