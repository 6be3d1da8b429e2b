#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: doc/examples about TCP: connections made, accepted and refused, bytes sent
# needs: root bpf cmd:python3
. "$SRC/test/lib/examples.sh"

cat >go.py <<'END'
import socket

server = socket.socket()
server.bind(("127.0.0.1", 0))
server.listen(1)
port = server.getsockname()[1]
c = socket.create_connection(("127.0.0.1", port))
a = server.accept()[0]
c.send(b"x" * 300)
a.recv(1000)
c.send(b"x" * 21)
a.recv(1000)
print("ports", port, c.getsockname()[1], flush=True)
print("sent again", int.from_bytes(c.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 104)[100:], "little"), flush=True)
c.close()
a.recv(10)
a.close()
server.close()
try:
    socket.create_connection(("127.0.0.1", port))
except OSError:
    pass
END
example tcpconnections -c 'python3 go.py'
set -- $(rows '$1 == "ports" { print $2, $3 }')
has_out "^connected +127.0.0.1 +$2 +127.0.0.1 +$1\$"
has_out "^accepted +127.0.0.1 +$1 +127.0.0.1 +$2\$"
has_out "^refused +127.0.0.1 +[0-9]+ +127.0.0.1 +$1\$"

# A machine that stands still has the kernel send again what is not acknowledged in a fifth of a second.
for _ in 1 2 3 4 5; do
	example tcpbytes -c 'python3 go.py'
	has_out '^sent again [0-9]+$'
	grep -q '^sent again 0$' out && break
done
set -- $(rows '$1 == "ports" { print $2, $3 }')
is 'bytes' "$(rows "\$2 == $2 && \$4 == $1 { print \$6 }")" 321
is 'segments of 256 to 511 bytes' "$(rows '$1 == 256 && /\|/ { print $NF }')" -ge 1
finish
