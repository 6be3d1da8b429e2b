#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: long programs load: 200 clauses on a probe, expressions 50 deep, 20 arrays, long strings
# needs: root bpf
# timeout: 120

cd "$TMPDIR" || exit 1
fail() { echo "$1"; cat err; exit 1; }

# 200 clauses on one probe, in order
awk 'BEGIN {
	print "#pragma D option quiet\nint64_t n;";
	for (i = 0; i < 200; i++)
		printf "BEGIN { printf(\"%%d %%s\\n\", %d, execname); @[probename, %d] = count(); "\
		    "self->x%d = timestamp; n += %d; }\n", i, i, i % 20, i;
	print "BEGIN { printf(\"%d\\n\", n); exit(0); }";
	print "END { printa(\"%s %d %@d\\n\", @); }" }' >many.d
"$DTRACE" -s many.d >out 2>err || fail "200 clauses"
awk '$2 ~ /^dtrace/ { if ($1 != n++) exit 1 } $1 == "BEGIN" && $3 == 1 { a++ } NF == 1 { s = $1 }
	END { exit !(n == 200 && a == 200 && s == 19900) }' out || fail "200 clauses: output"

# Expressions 50 deep, to the left and to the right; the values from awk
deep() {
	awk -v dir="$1" 'BEGIN {
		split("+ - *", op, " "); e = "x"; v = 5;
		split("3 0 1 7 2", x, " ");
		for (i = 1; i <= 50; i++) {
			k = i % 5; o = op[i % 3 + 1]; a = x[k + 1];
			if (dir == "left") {
				e = "(" e " " o " x" k ")"; l = v; r = a;
			} else {
				e = "(x" k " " o " " e ")"; l = a; r = v;
			}
			v = o == "+" ? l + r : o == "-" ? l - r : l * r;
			if (v > 1000 || v < -1000) { e = "(" e " % 1000)"; v %= 1000; }
		}
		print "#pragma D option quiet\nint64_t x, x0, x1, x2, x3, x4;" > "deep.d";
		print "BEGIN { x = 5; x0 = 3; x1 = 0; x2 = 1; x3 = 7; x4 = 2;" > "deep.d";
		print "printf(\"%d\\n\", " e "); exit(0); }" > "deep.d";
		print v }' >want
	"$DTRACE" -s deep.d >out 2>err || fail "an expression 50 deep"
	[ "$(head -1 out)" = "$(cat want)" ] || { cat out want; fail "an expression 50 deep: value"; }
}
deep left
deep right

# 20 associative arrays with tuples of three, and 20 thread-local ones
awk 'BEGIN {
	print "#pragma D option quiet\nint64_t n;";
	for (i = 0; i < 20; i++) {
		printf "BEGIN { a%d[execname, pid, %d] = %d; self->b%d[pid, probename] = %d; }\n",
		    i, i, i, i, i;
		printf "BEGIN { n += a%d[execname, pid, %d] + self->b%d[pid, probename]; }\n", i, i, i;
	}
	print "BEGIN { printf(\"%d\\n\", n); exit(0); }" }' >arrays.d
"$DTRACE" -s arrays.d >out 2>err || fail "20 associative arrays"
[ "$(head -1 out)" = 380 ] || fail "20 associative arrays: value"

# Strings of 4095 characters in every kind of variable, as keys and in records
cat >strings.d <<END
#pragma D option quiet
#pragma D option strsize=4096
struct s { int n; string s; };
struct s st;
BEGIN
{
	a = "0123456789abcdef";
	a = strjoin(a, a); a = strjoin(a, a); a = strjoin(a, a); a = strjoin(a, a);
	a = strjoin(a, a); a = strjoin(a, a); a = strjoin(a, a); a = strjoin(a, a);
	self->s = strjoin(a, "x"); this->s = self->s; b[a] = this->s; st.s = b[a];
	printf("%d %d %d %d\n", strlen(a), strlen(self->s), strlen(b[self->s]), strlen(st.s));
	printf("%s\n", st.s);
	@[a, self->s] = count();
	exit(0);
}
END { printa("%s%s%@d\n", @); }
END
"$DTRACE" -s strings.d >out 2>err || fail "strsize 4096"
awk 'NR == 1 && $0 != "4095 4095 4095 4095" { exit 1 } NR == 2 && length($0) != 4095 { exit 1 }
	NR == 3 { ok = length($0) == 8191 } END { exit !ok }' out || fail "strsize 4096: output"
exit 0
