/*
 * what: json(): selectors, kinds of values, what is not there, what is malformed
 * @@needs: root bpf
 * @@flags: -x strsize=512
 */
#pragma D option quiet

BEGIN
{
	t = "{\"name\": \"cat \\\"x\\\" \\u00e9\", \"n\" : -12.5e+3,\t\"ok\":true, \"no\":null, \"a\": {\"b\": [10, \"two\", {\"c\": \"deep\", \"d\": [[1,2],[3,4]]}, []], \"}\": 1}, \"z\": 0}";
	printf("[%s] [%s] [%s] [%s]\n", json(t, "name"), json(t, "n"), json(t, "ok"), json(t, "no"));
	printf("[%s] [%s] [%s]\n", json(t, "a.b[0]"), json(t, "a.b[1]"), json(t, "a.b[2].c"));
	printf("[%s] [%s] [%s]\n", json(t, "a.b[2]"), json(t, "a.b[3]"), json(t, "a.}"));
	printf("[%s] [%s] [%s]\n", json(t, "a.b[2].d[1][0]"), json(t, "a.b[2].d[0]"), json(t, "z"));
}
BEGIN
{
	printf("%d %d %d %d\n", json(t, "none") == NULL, json(t, "a.none") == NULL,
	    json(t, "a.b[4]") == NULL, json(t, "name.x") == NULL);
	printf("%d %d %d %d\n", json(t, "") == NULL, json(t, "a.b[x]") == NULL,
	    json(t, "n[0]") == NULL, json("", "a") == NULL);
	printf("[%s] [%s] [%s]\n", json("[1, 2,3]", "[2]"), json(" [ [ ] , \"x\" ]", "[1]"),
	    json("[1,\"two\"]", "1"));
}
BEGIN
{
	printf("%d %d %d\n", json("{\"a\": 0x10}", "a") == NULL, json("{\"a\": truth}", "a") == NULL,
	    json("{\"a\": \"\\u12g4\"}", "a") == NULL);
	printf("%d %d %d\n", json("\"a\"", "a") == NULL, json("{\"a\" 1}", "a") == NULL,
	    json("{\"b\": 1 \"a\": 2}", "a") == NULL);
	printf("%d %d %d\n", json("{\"a\": 12", "a") == NULL, json("{\"a\": \"x", "a") == NULL,
	    json("{\"a\": {\"b\"", "a") == NULL);
	printf("[%s] [%s] [%s]\n", json("{\"a\": 12 ", "a"), json("{\"a\":1, b", "a"),
	    json("{\"b\": \"\\\"}\", \"a\": \"y\"}", "a"));
	printf("[%s] [%s]\n", json("{\"aa\":1,\"a\":2}", "a"), json("{\"a\":1,\"aa\":2}", "aa"));
	printf("[%s] [%s]\n", json("{\"a\":\"\"}", "a"), json("{\"\\n\":false}", "\\n"));
}
BEGIN { trace(json((string)NULL, "a")); }
BEGIN { exit(0); }
ERROR { printf("fault %d %d %d\n", arg2, arg4, arg5); }
