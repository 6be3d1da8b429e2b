#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: tcp, udp: a connection over the loopback, its segments, states and refusal, with the ports of its program
. "$SRC/test/lib/check.sh"
cd "$TMPDIR" || exit 1

cat >go.py <<'END'
import socket, time

server = socket.socket()
server.bind(("127.0.0.1", 0))
server.listen(1)
port = server.getsockname()[1]
c = socket.create_connection(("127.0.0.1", port))
a = server.accept()[0]
c.send(b"x" * 321)
a.recv(1000)
print("ports", port, c.getsockname()[1])
last = "0100007F:%04X 0100007F:%04X 06" % (c.getsockname()[1], port)
c.close()
a.recv(10)
a.close()
while last not in open("/proc/net/tcp").read(): # it waits now that both ends are closed
    time.sleep(0.01)
server.close()
try:
    socket.create_connection(("127.0.0.1", port))
except OSError:
    pass
u = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
u.bind(("127.0.0.1", 0))
v = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
v.connect(u.getsockname())
v.send(b"y" * 123)
u.recv(1000)
print("udp", u.getsockname()[1], v.getsockname()[1])
END
# Not on kernels that do not tell of resets without a socket.
refused=
"$DTRACE" -ln tcp:::accept-refused 2>/dev/null | grep -q accept-refused && refused='tcp:::accept-refused
{ printf("refused %d %d %s %s %d\n", args[4]->tcp_sport, args[4]->tcp_dport, args[2]->ip_saddr, args[2]->ip_daddr,
	args[4]->tcp_flags == (TH_RST | TH_ACK)); }'
# What comes in may be handled in any thread: those probes are told by their ports.
run "$DTRACE" -qn "$refused"'
tcp:::send /pid == $target && args[2]->ip_plength > 321/
{ printf("send %d %d %d %s\n", args[4]->tcp_sport, args[4]->tcp_dport, args[2]->ip_plength - args[4]->tcp_offset,
	args[4]->tcp_flags & TH_ACK ? "ack" : "none"); }
tcp:::receive /args[2]->ip_plength > 321/
{ printf("receive %d %d %d\n", args[4]->tcp_sport, args[4]->tcp_dport,
	args[2]->ip_plength - args[4]->tcp_offset); }
tcp:::send /pid == $target && args[4]->tcp_flags == TH_SYN/
{ printf("syn %d %s\n", args[4]->tcp_dport, args[3]->tcps_state == TCP_STATE_SYN_SENT ? "syn-sent" : "other"); }
tcp:::state-change
{ printf("state %d %d %d %d\n", args[3]->tcps_lport, args[3]->tcps_rport, args[5]->tcps_state,
	args[3]->tcps_state); }
tcp:::connect-request, tcp:::connect-established, tcp:::connect-refused, tcp:::accept-established
{ printf("%s %d %d %s\n", probename, args[3]->tcps_lport, args[3]->tcps_rport, args[2]->ip_daddr);
	printf("ports-%s %d %d %d\n", probename, args[4]->tcp_sport, args[4]->tcp_dport, args[4]->tcp_flags); }
udp:::send /pid == $target/
{ printf("usend %d %d %d %d\n", args[4]->udp_sport, args[4]->udp_dport, args[4]->udp_length - 8,
	args[3]->udps_rport); }
udp:::receive
{ printf("ureceive %d %d %s\n", args[4]->udp_sport, args[4]->udp_dport, args[2]->ip_daddr); }
' -c 'python3 go.py'
status 0
err ''
set -- $(awk '$1 == "ports" { print $2, $3 }' out)
server=$1 client=$2
set -- $(awk '$1 == "udp" { print $2, $3 }' out)
has_out "^send $client $server 321 ack\$"
has_out "^receive $client $server 321\$"
has_out "^syn $server syn-sent\$"
[ "$(grep -c "^syn $server " out)" = 2 ] || wrong 'not two attempts'
has_out "^connect-request [0-9]+ $server 127.0.0.1\$"
has_out "^connect-established $client $server 127.0.0.1\$"
has_out "^connect-refused [0-9]+ $server 127.0.0.1\$"
[ -z "$refused" ] || has_out "^refused $server [0-9]+ 127.0.0.1 127.0.0.1 1\$"
has_out "^accept-established $server $client 127.0.0.1\$"
# The segment is not at hand: its ports are those of the socket, as this end would send.
has_out "^ports-connect-request [0-9]+ $server 0\$"
has_out "^ports-connect-established $client $server 0\$"
has_out "^ports-connect-refused [0-9]+ $server 0\$"
has_out "^ports-accept-established $server $client 0\$"
# close -> syn-sent -> established -> fin-wait-1 -> fin-wait-2 -> time-wait; the other end: established -> close-wait -> last-ack
for change in '7 2' '2 1' '1 4' '4 5' '5 6'; do
	has_out "^state $client $server $change\$|^state 0 $server $change\$"
done
has_out "^state $server $client 3 1\$"
has_out "^state $server $client 1 8\$"
has_out "^state $server $client 8 9\$"
has_out "^usend $2 $1 123 $1\$"
has_out "^ureceive $2 $1 127.0.0.1\$"
[ $fault = 0 ] || cat out
finish
