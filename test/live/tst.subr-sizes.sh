#!/bin/sh
# what: string subroutines at every strsize: results are cut at it, long texts are whole, all load
# @@needs: root bpf
# @@timeout: 120
fail() { echo "$*"; exit 1; }

cat >$TMPDIR/all.d <<'D'
BEGIN
{
	s = "/one/two/../three/";
	printf("[%s] [%s] [%s]\n", s, basename(s), dirname(s));
	printf("[%s] [%s] [%s]\n", cleanpath(s), substr(s, 5), strstr(s, "two"));
	printf("[%s] [%s] [%s]\n", strchr(s, 't'), strrchr(s, '/'), toupper(s));
	printf("[%s] [%s] [%d]\n", strtok(s, "/"), tolower(s), index(s, "three"));
}
BEGIN
{
	printf("[%s] [%s] [%d]\n", lltostr(1234567890123456789), lltostr(-1, 16), rindex(s, "/"));
	printf("[%s] [%d] [%s]\n", json("{\"a\": \"value\"}", "a"), strtoll("123456"), strjoin(s, s));
	this->a = alloca(20);
	printf("[%s] [%s]\n", inet_ntop(10, this->a), link_ntop(32, this->a));
	exit(0);
}
D
$DTRACE -qx strsize=65536 -s $TMPDIR/all.d >$TMPDIR/65536 || fail "65536"
for size in 256 4096; do
	$DTRACE -qx strsize=$size -s $TMPDIR/all.d >$TMPDIR/out || fail "$size"
	cmp $TMPDIR/out $TMPDIR/65536 || fail "$size: $(cat $TMPDIR/out)"
done
want='[/one/two/../three/] [three] [/one/two/..]
[/one/three] [two/../three/] [two/../three/]
[two/../three/] [/] [/ONE/TWO/../THREE/]
[one] [/one/two/../three/] [12]
[1234567890123456789] [0xffffffffffffffff] [17]
[value] [123456] [/one/two/../three//one/two/../three/]
[::] [00:00:00:00:00:00:00:00:00:00:00:00:00:00:00:00:00:00:00:00]'
[ "$(sed '/^$/d' $TMPDIR/65536)" = "$want" ] || fail "$(cat $TMPDIR/65536)"

# Six characters and the NUL.
want='[/one/t] [t] [/one]
[/one/t] [t] []
[t] [/t] [/ONE/T]
[one] [/one/t] [-1]
[123456] [0xffff] [4]
[] [123456] [/one/t]
[::] [00:00:]'
$DTRACE -qx strsize=7 -s $TMPDIR/all.d >$TMPDIR/out || fail 7
[ "$(sed '/^$/d' $TMPDIR/out)" = "$want" ] || fail "$(cat $TMPDIR/out)"
$DTRACE -qx strsize=2 -s $TMPDIR/all.d >$TMPDIR/out || fail 2

# 40960 characters: every turn of every loop.
got=$($DTRACE -qx strsize=65536 -n '
BEGIN
{
	s = "abcdefghij";
	s = strjoin(strjoin(s, s), strjoin(s, s)); s = strjoin(strjoin(s, s), strjoin(s, s));
	s = strjoin(strjoin(s, s), strjoin(s, s)); s = strjoin(strjoin(s, s), strjoin(s, s));
	s = strjoin(strjoin(s, s), strjoin(s, s)); s = strjoin(strjoin(s, s), strjoin(s, s));
	t = strjoin(s, "XYZ");
	printf("%d %d %d %d\n", strlen(s), index(t, "jX"), rindex(t, "ab"), index(t, s));
	printf("%d %d %d\n", strlen(strstr(t, "ijX")), strlen(strchr(t, 88)), strlen(strrchr(t, 97)));
}
BEGIN
{
	printf("%d %s\n", strlen(basename(t)), basename(strjoin(t, "/end")));
	printf("%d %d\n", strlen(dirname(strjoin(t, "/e"))), strlen(cleanpath(strjoin(t, "/./e"))));
	printf("%s %s\n", substr(toupper(t), 40955), substr(t, 40955));
	printf("%d\n", strlen(strtok(t, "X")));
	printf("%s\n", strtok(NULL, "X"));
}
BEGIN
{
	printf("%s\n", json(strjoin("{\"", strjoin(t, "\":1, \"q\": [1,2]}")), "q"));
	exit(0);
}')
want='40960 40959 40950 0
5 3 13
40963 end
40963 40965
FGHIJXYZ fghijXYZ
40960
YZ
[1,2]'
[ "$(echo "$got" | sed '/^$/d')" = "$want" ] || fail "$got"

# At defaults a clause has 4 KB for alloca() and copyin().
printf '%3000s' x >$TMPDIR/in
got=$($DTRACE -qn '
syscall::write:entry
/pid == $target && arg2 == 3000/
{
	this->p = (char *)copyin(arg1, arg2);
	this->q = (char *)alloca(1000);
	printf("%c%c", this->p[2999], this->q[999] + 33);
}' -c "dd if=$TMPDIR/in of=/dev/null bs=3000 count=1 status=none") || fail "4 KB: status $?"
[ "$got" = 'x!' ] || fail "4 KB: $got"
