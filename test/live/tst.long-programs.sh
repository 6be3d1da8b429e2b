#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: many clauses on a probe, with and without ERROR clauses; all string subroutines on strings of 4 KB; a refusal names its limit
# needs: root bpf

cd "$TMPDIR" || exit 1
fail() { echo "$1"; cat out err; exit 1; }

# N clauses that fault if $2, M ERROR clauses
clauses() {
	awk -v n="$1" -v fault="$2" -v m="$3" 'BEGIN {
		print "#pragma D option quiet\nint64_t n, errors;";
		for (i = 0; i < n; i++)
			printf "BEGIN { @[execname, %d] = count(); n += %d; printf(\"%%d %%s\\n\", %d + %s, probename); }\n",
			    i, i, i, fault ? "*(int *)n" : "0";
		for (i = 0; i < m; i++)
			printf "ERROR { errors++; @e[arg4] = count(); printf(\"E %d %%d %%x\\n\", arg1, arg5); }\n", i;
		print "BEGIN { printf(\"n %d errors %d\\n\", n, errors); exit(0); }" }' >p.d
	"$DTRACE" -s p.d >out 2>err || fail "$*: status"
}
clauses 400 '' 0
awk '$2 == "BEGIN" { if ($1 != n++) exit 1 } /^n / { ok = $2 == 79800 && $4 == 0 } $3 == 1 { a++ }
	END { exit !(n == 400 && ok && a == 400) }' out || fail "400 clauses: output"
clauses 200 1 1
awk '$1 == "E" { if ($3 != ++n) exit 1 } /^n / { ok = $2 == 19900 && $4 == 200 } $1 == "dtrace" && $3 == 1 { a++ }
	END { exit !(n == 200 && ok && a == 200) }' out || fail "200 clauses, 1 of ERROR: output"
[ "$(grep -c 'invalid address (0x[0-9a-f]*) in action #3' err)" = 200 ] || fail "200 clauses, 1 of ERROR: messages"
clauses 40 1 10
awk '$1 == "E" { if ($2 != n % 10 || $3 != int(n / 10) + 1) exit 1; n++ } /^n / { ok = $2 == 780 && $4 == 400 }
	END { exit !(n == 400 && ok) }' out || fail "40 clauses, 10 of ERROR: output"

# The longest strings, through every subroutine
cat >p.d <<'END'
#pragma D option quiet
#pragma D option strsize=4096
BEGIN
{
	a = "0123456789abcde/";
	a = strjoin(a, a); a = strjoin(a, a); a = strjoin(a, a); a = strjoin(a, a);
	a = strjoin(a, a); a = strjoin(a, a); a = strjoin(a, a); a = strjoin(a, a);
	printf("%d %d\n", strlen(a), strlen(strjoin(a, "x")));
	printf("%d %d\n", strlen(toupper(a)), strlen(tolower(a)));
	printf("%s %d\n", basename(a), strlen(dirname(a)));
	printf("%d %s\n", strlen(cleanpath(a)), substr(a, 4090));
	printf("%d %d\n", index(a, "e/"), rindex(a, "e/"));
	printf("%d %d\n", strlen(strchr(a, 'e')), strlen(strrchr(a, 'e')));
	printf("%d\n", strlen(strstr(a, "e/01")));
	printf("%s %s\n", strtok(a, "/"), strtok(NULL, "/"));
	j = strjoin("{\"k\":\"", strjoin(substr(a, 0, 4000), "\",\"l\":7}"));
	printf("%d %s\n", strlen(json(j, "k")), json(j, "l"));
	printf("%d %s\n", strtoll(a), lltostr(strlen(a), 16));
	printf("%s %d\n", inet_ntoa((ipaddr_t *)alloca(4)), a == strjoin(a, ""));
	exit(0);
}
END
"$DTRACE" -s p.d >out 2>err || fail "strings of 4 KB: status"
cat >want <<'END'
4095 4095
4095 4095
0123456789abcde 4079
4095 abcde
14 4078
4081 1
4081
0123456789abcde 0123456789abcde
4000 7
123456789 0xfff
0.0.0.0 1
END
grep -v '^$' out | diff - want || fail "strings of 4 KB: output"

# What is too long is refused in a line that names the limit
too_long() { # statements, statement, limit
	awk -v n="$1" -v s="$2" 'BEGIN { print "int64_t n;\nBEGIN {"; for (i = 0; i < n; i++) printf s "\n", i; print "exit(0); }" }' >p.d
	"$DTRACE" -qs p.d >out 2>err && fail "$1 of $2 were loaded"
	[ "$(wc -l <err)" = 1 ] && grep -q "$3" err || fail "$1 of $2"
}
too_long 70000 'n = n + %d - n / 3;' 'more than 500000 instructions$'
too_long 5000 '@a[pid] = sum(n + %d);' 'the kernel .* \(8192 jumps\|1000000 instructions\) at most$'
exit 0
