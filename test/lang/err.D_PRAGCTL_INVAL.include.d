/* SPDX-License-Identifier: BSD-2-Clause */
/* what: other directives are refused without -C */

#include <a.h>
