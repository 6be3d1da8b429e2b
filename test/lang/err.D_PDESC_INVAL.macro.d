/* SPDX-License-Identifier: BSD-2-Clause */
/* what: an undefined macro in a description */

nosuch$nosuch:::
{
}
