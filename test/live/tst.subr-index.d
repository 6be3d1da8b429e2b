/*
 * what: index(), rindex(), strstr(), strchr(), strrchr()
 * @@needs: root bpf
 */
#pragma D option quiet

BEGIN
{
	s = "banana"; i = -3;
	printf("%d %d %d %d\n", index(s, "an"), index(s, "an", 2), index(s, "an", 4), index(s, "x"));
	printf("%d %d %d %d\n", index(s, "", 2), index(s, "", 10), index(s, "b", i), index(s, "a", 6));
	printf("%d %d %d %d\n", index("", ""), index("foo", ""), rindex("foo", ""), rindex("", ""));
	printf("%d %d %d %d\n", rindex(s, "an"), rindex(s, "an", 2), rindex(s, "an", 0),
	    rindex(s, "a"));
	printf("%d %d %d %d\n", rindex(s, "b", i), rindex(s, "", i), rindex(s, "ana", 99),
	    rindex(s, "banana"));
	printf("%d %d %d\n", rindex(s, "", 4), index(s, "bananas"), rindex("", "x"));
}

BEGIN
{
	printf("[%s] [%s] [%s]\n", strstr(s, "nan"), strstr(s, ""), strstr(s, "a"));
	printf("%d %d\n", strstr(s, "nab") == NULL, strstr("", "a") == NULL);
	printf("[%s] [%s] [%s] [%s]\n", strchr(s, 'n'), strrchr(s, 'n'), strchr(s, 'b'),
	    strrchr(s, 'b'));
	printf("%d %d [%s] [%s]\n", strchr(s, 'x') == NULL, strrchr("", 'x') == NULL,
	    strchr(s, '\0'), strrchr(s, 0));
	printf("%d\n", index("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab",
	    "aaaaaaaaaaaaaaaab"));
}

BEGIN { printf("%d", index((string)NULL, "x")); }
BEGIN { printf("%s", strchr((string)NULL, 'x')); }
BEGIN { exit(0); }
ERROR { printf("fault %d %d %d\n", arg2, arg4, arg5); }
