/* SPDX-License-Identifier: BSD-2-Clause */
/* what: an unknown component of a provider */

#pragma D attributes Stable/Stable/ISA provider p thing
