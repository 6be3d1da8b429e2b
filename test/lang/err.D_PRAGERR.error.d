/* SPDX-License-Identifier: BSD-2-Clause */
/* what: #error ends the compilation */

#error stop  here 
