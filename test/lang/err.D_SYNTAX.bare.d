/* SPDX-License-Identifier: BSD-2-Clause */
/* what: a description needs a predicate or actions in a script */

BEGIN
