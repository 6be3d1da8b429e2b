/* SPDX-License-Identifier: BSD-2-Clause */
/* what: two storage classes */

self this int x;
