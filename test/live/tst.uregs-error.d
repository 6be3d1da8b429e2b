/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * what: ERROR clauses compute with the value of a fault in a clause that reads registers
 * @@needs: root bpf
 * @@flags: -q
 */
ERROR
{
	this->cut = (int8_t)arg5;
	printf("%d %d %d\n", this->cut, arg5 * 3, arg5 >> 1);
}

BEGIN
{
	this->pc = uregs[R_PC];
	printf("%d\n", this->pc != 0);
	trace(*(int *)20);
}

BEGIN { exit(0); }
