/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * what: indexes that find no register are within the bounds of their array for older verifiers too
 * @@needs: root bpf
 * @@flags: -q
 */
int arr[5];
long wide[3][4];

BEGIN
{
	a = 1; b = 2; c = 3; d = 4; e = 5; f = 6; g = 7; h = 8; i = 3; j = 2;
	s = "abcdef";
	arr[3] = 30;
	wide[2][3] = 23;
	printf("%d\n", a + (b * (c + (d * (e + (f * (g + (h * (arr[i] + wide[j][i] + s[j])))))))));
	printf("%d\n", arr[a] + (arr[b] + (arr[c] + (arr[d] + (arr[a + b] + (wide[j][i] + arr[j + a]))))));
	wide[j + 4 - (a + (b - (c - (d - (e - (f - (g - h)))))))][i - (a - (b - a))] = 5;
	printf("%d\n", wide[a - 1][i]);
	exit(0);
}

ERROR { printf("%d\n", arg4 != 0); exit(1); }
