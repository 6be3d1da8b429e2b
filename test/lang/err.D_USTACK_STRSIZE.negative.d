/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * what: the size of the strings of a stack is positive
 * @@flags: -e
 * @@match: line [0-9]+: ustack\( \) argument #2 must be a positive integer constant$
 */

BEGIN { ustack(1, -1); }
