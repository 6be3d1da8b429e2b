/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * what: stacks have a positive number of frames
 * @@flags: -e
 * @@match: line [0-9]+: stack\( \) argument #1 must be a non-zero positive integer constant$
 */

BEGIN { stack(-1); }
