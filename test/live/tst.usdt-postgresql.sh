#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: the probes of Debian's PostgreSQL: doc/examples/postgresql.d under statements whose counts are known
# @@needs: uprobe cmd:psql cmd:setpriv
# @@timeout: 120
. "$SRC/test/lib/check.sh"
cd "$TMPDIR" || exit 1
bin=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | tail -n 1)
readelf -n "$bin/postgres" 2>/dev/null | grep -q 'Provider: postgresql' || {
	echo 'there is no server with static probes'
	exit 77
}
id postgres >/dev/null 2>&1 || {
	echo 'there is no user for the server'
	exit 77
}

# It does not run as root. Its files are in a folder of its own, its socket too; nobody else can reach it.
dir=$(mktemp -d /tmp/dtrace-postgresql.XXXXXX) && chown postgres "$dir" || exit 1
trap 'kill -INT $server 2>/dev/null; wait $server; rm -rf "$dir"' EXIT
as="setpriv --reuid=postgres --regid=postgres --clear-groups"
cd "$dir" || exit 1
$as "$bin/initdb" -D data -N -A trust --no-instructions --locale=C >"$TMPDIR/init" 2>&1 || {
	cat "$TMPDIR/init"
	exit 1
}
$as "$bin/postgres" -D data -k "$dir" -c listen_addresses= -c autovacuum=off -c fsync=off >"$TMPDIR/server" 2>&1 &
server=$!
tries=0
until psql -h "$dir" -U postgres -Atqc 'select 1' >/dev/null 2>&1; do
	tries=$((tries + 1))
	[ $tries -lt 300 ] || { cat "$TMPDIR/server"; exit 1; }
	sleep 0.1
done
cd "$TMPDIR" || exit 1

# A session that was there before.
mkfifo in
psql -h "$dir" -U postgres -Atq <in >answers 2>&1 &
session=$!
exec 3>in
echo "select 'here';" >&3
until grep -q here answers; do sleep 0.1; done

env --default-signal=INT "$DTRACE" -n 'BEGIN { printf("ready\n"); }' -s "$SRC/doc/examples/postgresql.d" >out 2>err 3>&- &
dt=$!
until grep -q ready out; do
	kill -0 $dt || { cat err; exit 1; }
	sleep 0.1
done
cat >&3 <<'END'
create table t (a int, b text);
insert into t select i, 'x' || i from generate_series(1, 1000) i;
select count(*) from t where a > 500;
select count(*) from t where a > 500;
select b from t order by b desc limit 1;
select 1 / 0;
END
exec 3>&-
wait $session
kill -INT $dt
ran=postgresql.d
got=0
wait $dt || got=$?
status 0
err ''
has_out '^ +2 +[0-9]+ +[0-9]+  select count\(\*\) from t where a > 500;$'
has_out '^ +1 +[0-9]+ +[0-9]+  select b from t order by b desc limit 1;$'
has_out '^ +1 +[0-9]+ +[0-9]+  insert into t select i'
# A statement that failed has no end; its transaction has.
! grep -q '1 / 0' out || wrong "a failed statement: $(cat out)"
# The server has transactions and sorts of its own.
has_out '^transaction-commit +([5-9]|[1-9][0-9]+)$'
has_out '^transaction-abort +[1-9]'
has_out '^sort-start +[1-9]'
has_out '^block found in the buffers +[1-9]'
grep -q '^500' answers || wrong "the answers: $(cat answers)"
finish
