# SPDX-License-Identifier: BSD-2-Clause
# For shell tests that compare several records of a program in their order: buffers are printed CPU by CPU, so that a
# program that moves changes it. From here on this shell and all that it starts are on one CPU.
taskset -pc "$(taskset -pc $$ | sed 's/.*[:,-] *//')" $$ >/dev/null || exit 1
