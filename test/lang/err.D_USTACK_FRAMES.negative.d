/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * what: user stacks as keys have a positive number of frames
 * @@flags: -e
 * @@match: line [0-9]+: ustack\( \) argument #1 must be a non-zero positive integer constant$
 */

BEGIN { @[ustack(-2)] = count(); }
