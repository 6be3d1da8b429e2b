/* SPDX-License-Identifier: BSD-2-Clause */
/* short: calls f once and exits with 0, as soon as it can. */
int f(int x);

int f(int x)
{
	return x - 1;
}

int main(int argc, char **argv)
{
	(void)argv;
	return argc > 0 ? f(1) : 1;
}
