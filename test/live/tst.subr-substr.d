/*
 * what: substr(): windows as in Perl
 * @@needs: root bpf
 */
#pragma D option quiet

BEGIN
{
	s = "abcde"; i = -7; n = 3;
	printf("[%s] [%s] [%s]\n", substr(s, i, n), substr(s, -10, 3), substr(s, -10));
	printf("[%s] [%s] [%s] [%s]\n", substr(s, 0), substr(s, 2), substr(s, 4), substr(s, 5));
	printf("[%s] [%s] [%s] [%s]\n", substr(s, 6), substr(s, 1, 2), substr(s, 1, 0),
	    substr(s, 1, 100));
	printf("[%s] [%s] [%s] [%s]\n", substr(s, -2), substr(s, -2, 1), substr(s, -2, 5),
	    substr(s, -5, 5));
	printf("[%s] [%s] [%s] [%s]\n", substr(s, 1, -1), substr(s, 1, -4), substr(s, 1, -5),
	    substr(s, -3, -1));
	printf("[%s] [%s] [%s]\n", substr("", 0), substr("", -1, 2), substr("x", 0, -1));
	printf("[%s]\n", substr(substr("the quick brown fox", 4), 6, 5));
	printf("%d\n", strlen(substr(s, 1, 3)) + (substr(s, 1, 3) == "bcd" ? 10 : 20));
	exit(0);
}
