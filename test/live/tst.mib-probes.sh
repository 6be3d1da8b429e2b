#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: mib: packets, resets, retransmissions and lost datagrams of a program against the kernel's own counters
# @@needs: cmd:python3
. "$SRC/test/lib/check.sh"
cd "$TMPDIR" || exit 1

# All over 127.0.0.1, in small packets. It prints by how much the kernel's counters have grown meanwhile.
cat >go.py <<'END'
import ctypes, select, socket, struct

def counters():
    lines = [l.split() for f in ("snmp", "netstat") for l in open("/proc/net/" + f)]
    return {a[0][:-1] + k: int(v) for a, b in zip(lines[::2], lines[1::2]) for k, v in zip(a[1:], b[1:])}

before = counters()
# Seven pings; the kernel answers each.
s = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)
for i in range(7):
    head = struct.pack("!BBHHH", 8, 0, 0, 0x1234, i)
    total = sum(struct.unpack("!4H", head))
    total = (total & 0xffff) + (total >> 16)
    s.sendto(head[:2] + struct.pack("!H", ~total & 0xffff) + head[4:], ("127.0.0.1", 0))

def connection():
    server = socket.socket()
    server.bind(("127.0.0.1", 0))
    server.listen(1)
    c = socket.create_connection(server.getsockname())
    return c, server.accept()[0]

def reset(s):
    s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    s.close()

# Four connections are reset, both sides know; two more when one side has ended already.
for i in range(4):
    a, b = connection()
    a.send(b"x")
    b.recv(1)
    reset(a)
    select.select([b], [], [])
    b.close()
for i in range(2):
    a, b = connection()
    a.shutdown(socket.SHUT_WR)
    b.recv(1)
    reset(b)
    a.close()
# A socket that has no room for all that comes.
r = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
r.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
r.bind(("127.0.0.1", 0))
u = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for i in range(50):
    u.sendto(b"x" * 1000, r.getsockname())
# Five datagrams to a port that nobody has.
gone = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
gone.bind(("127.0.0.1", 0))
port = gone.getsockname()
gone.close()
u = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for i in range(5):
    try:
        u.sendto(b"x", port)
    except ConnectionRefusedError:
        pass
# Packets with a fault: put together whole, of one protocol more than there are; three of TCP, four of UDP with a wrong sum.
own = socket.inet_aton("127.0.0.1")
def header(protocol, length):
    return struct.pack("!BBHHHBBH", 0x45, 0, 20 + length, 1, 0, 64, protocol, 0) + own + own
raw = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW)
for i in range(2):
    raw.sendto(header(253, 8) + bytes(8), ("127.0.0.1", 0))
for i in range(3):
    raw.sendto(header(6, 20) + struct.pack("!HHIIBBHHH", 1, port[1], 1, 1, 0x50, 2, 1, 0x1234, 0), ("127.0.0.1", 0))
for i in range(4):
    raw.sendto(header(17, 16) + struct.pack("!HHHH", 1, port[1], 16, 0x1234) + bytes(8), ("127.0.0.1", 0))
# Of wrong headers the kernel makes none: they go to the device as they are. Three have a wrong sum, two a wrong length.
device = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
device.bind(("lo", 0x0800))
ethernet = bytes(12) + b"\x08\x00"
for i in range(3):
    device.send(ethernet + header(253, 26) + bytes(26))
for i in range(2):
    device.send(ethernet + b"\x41" + header(253, 26)[1:] + bytes(26))
# A socket that lets no packet in: the request to connect is sent again.
server = socket.socket()
server.bind(("127.0.0.1", 0))
server.listen(1)
code = ctypes.create_string_buffer(struct.pack("HBBI", 6, 0, 0, 0))
server.setsockopt(socket.SOL_SOCKET, 26, struct.pack("HxxxxxxQ", 1, ctypes.addressof(code)))
c = socket.socket()
c.setblocking(False)
c.connect_ex(server.getsockname())
while c.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 8)[2] == 0:
    select.select([], [], [], 0.05)
after = counters()
for k in after:
    print("own", k, after[k] - before.get(k, 0)) # some are shown when they are not 0
END
run "$DTRACE" -qZn '
mib:::udpNoPorts { @["UdpNoPorts"] = sum(args[0]); }
mib:::ipInHdrErrors { @["IpInHdrErrors"] = sum(args[0]); }
mib:::ipInCksumErrs { @["IpExtInCsumErrors"] = sum(args[0]); }
mib:::ipInUnknownProtos { @["IpInUnknownProtos"] = sum(args[0]); }
mib:::tcpInErrs { @["TcpInErrs"] = sum(args[0]); }
mib:::udpInCksumErrs { @["UdpInCsumErrors"] = sum(args[0]); }
mib:::udpInOverflows { @["UdpRcvbufErrors"] = sum(args[0]); }
mib:::icmpOutDestUnreachs { @["IcmpOutDestUnreachs"] = sum(args[0]); }
mib:::icmpOutTimeExcds { @["IcmpOutTimeExcds"] = sum(args[0]); }
mib:::ipInReceives { @["IpInReceives"] = sum(args[0]); }
mib:::icmpInMsgs { @["IcmpInMsgs"] = sum(args[0]); }
mib:::icmpOutMsgs { @["IcmpOutMsgs"] = sum(args[0]); }
mib:::tcpInSegs { @["TcpInSegs"] = sum(args[0]); }
mib:::tcpEstabResets { @["TcpEstabResets"] = sum(args[0]); }
mib:::tcpRetransSegs { @["TcpRetransSegs"] = sum(args[0]); }
mib:::udpInErrors, mib:::udpInCksumErrs { @["UdpInErrors"] = sum(args[0]); }
mib:::tcpEstabResets /pid == $target/ { @["mine"] = sum(args[0]); }
END { printa("seen %s %@d\n", @); }' -c 'python3 go.py'
status 0
grep -q '^own' out || wrong "the program failed: $(cat err)"
seen() { sed -n "s/^seen $1 //p" out; }
own() { sed -n "s/^own $1 //p" out; }
# The program did at least this. The probes see the whole machine, and a little longer.
for least in 'IpInReceives 20' 'IcmpInMsgs 14' 'IcmpOutMsgs 14' 'TcpInSegs 10' 'TcpEstabResets 10' 'TcpRetransSegs 1' 'UdpInErrors 1'; do
	k=${least% *}
	[ "$(own "$k")" -ge "${least#* }" ] || wrong "the program's $k: $(own "$k")"
	[ "$(seen "$k")" -ge "$(own "$k")" ] || wrong "$k: $(seen "$k"), by the kernel $(own "$k")"
done
for most in 'udpNoPorts UdpNoPorts 5' 'icmpOutDestUnreachs IcmpOutDestUnreachs 5' 'ipInHdrErrors IpInHdrErrors 5' \
	'ipInCksumErrs IpExtInCsumErrors 3' 'ipInUnknownProtos IpInUnknownProtos 2' 'tcpInErrs TcpInErrs 3' \
	'udpInCksumErrs UdpInCsumErrors 4' 'udpInOverflows UdpRcvbufErrors 1'; do
	"$DTRACE" -ln "mib:::${most%% *}" >/dev/null 2>&1 || continue
	least=${most#* } k=${least% *}
	[ "$(own "$k")" -ge "${least#* }" ] && [ "$(seen "$k")" -ge "$(own "$k")" ] ||
		wrong "$k: $(seen "$k"), by the kernel $(own "$k")"
done
[ "$(seen mine)" -ge 6 ] && [ "$(seen mine)" -le 10 ] || wrong "resets of the program: $(seen mine)"
finish
