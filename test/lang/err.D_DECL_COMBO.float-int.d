/* SPDX-License-Identifier: BSD-2-Clause */
/* what: float int */

float int x;
