/*
 * what: basename(), dirname(), cleanpath()
 * @@needs: root bpf
 */
#pragma D option quiet

BEGIN
{
	printf("%s %s %s %s %s\n", basename("/foo/bar/"), basename("/"), basename("//"),
	    basename(""), basename("/foo/."));
	printf("%s %s %s %s %s\n", basename("foo"), basename("foo///"), basename("/foo//bar"),
	    basename(".."), basename("a/b/c"));
	printf("%s %s %s %s %s %s\n", dirname("/foo/bar/"), dirname("f"), dirname("./"),
	    dirname("/."), dirname("/./."), dirname(""));
	printf("%s %s %s %s %s %s\n", dirname("/"), dirname("//"), dirname("/foo"), dirname("foo//"),
	    dirname("/foo//bar//"), dirname("a/b/c"));
	printf("%s %s %s %s %s\n", cleanpath("/foo/bar/../../baz/.//"), cleanpath("/../.."),
	    cleanpath("./a"), cleanpath("./"), cleanpath(".."));
	printf("%s [%s] %s %s %s\n", cleanpath("a/."), cleanpath(""), cleanpath("/"), cleanpath("//"),
	    cleanpath("/a//b///c"));
	printf("%s %s %s %s %s\n", cleanpath("a/.."), cleanpath("a/../.."), cleanpath("../a/../b"),
	    cleanpath("a/b/../c"), cleanpath("/..a/.b/c../..."));
	printf("%s %s %s %s\n", cleanpath("/a/b/../../../c"), cleanpath("../../x/.."),
	    cleanpath("/."), cleanpath("/a/."));
	exit(0);
}
