#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: ip: datagrams over the loopback, each sent and received once, with the addresses and lengths of their sender
. "$SRC/test/lib/check.sh"
cd "$TMPDIR" || exit 1

cat >go.py <<'END'
import socket
for family, host in ((socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1")):
    try:
        server = socket.socket(family, socket.SOCK_DGRAM)
        server.bind((host, 0))
    except OSError:
        continue
    client = socket.socket(family, socket.SOCK_DGRAM)
    for size in (1, 100, 777):
        client.sendto(b"x" * size, server.getsockname())
        server.recv(2000)
        print("sent", host, size)
END
# A packet may be received in any thread.
run "$DTRACE" -qn '
ip:::send /pid == $target && args[2]->ip_ver == 4 && args[4]->ipv4_protostr == "UDP"/
{ printf("send %s %s %d %d %s %d\n", args[2]->ip_saddr, args[2]->ip_daddr, args[2]->ip_plength - 8,
	args[4]->ipv4_ttl, args[3]->if_name, args[3]->if_local); }
ip:::receive /args[2]->ip_ver == 4 && args[4]->ipv4_protostr == "UDP"/
{ printf("receive %s %s %d\n", args[2]->ip_saddr, args[4]->ipv4_daddr, args[4]->ipv4_length - 28); }
ip:::send /pid == $target && args[2]->ip_ver == 6/
{ printf("send6 %s %d\n", args[2]->ip_daddr, args[5]->ipv6_plen - 8); }
' -c 'python3 go.py'
status 0
for size in $(awk '$1 == "sent" && $2 == "127.0.0.1" { print $3 }' out); do
	has_out "^send 127.0.0.1 127.0.0.1 $size 64 lo 1\$"
	has_out "^receive 127.0.0.1 127.0.0.1 $size\$"
done
[ "$(grep -c '^send 1' out)" = 3 ] || wrong "$(cat out)"
for size in $(awk '$1 == "sent" && $2 == "::1" { print $3 }' out); do
	has_out "^send6 ::1 $size\$"
done
finish
