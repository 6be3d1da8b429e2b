# SPDX-License-Identifier: BSD-2-Clause
# For shell tests: waiting for what must come, however long the machine takes, instead of for a time.

# A load without end, which is killed: "$PROGS/spin" $ENDLESS
ENDLESS=1000000000000

# await COMMAND...: until the command succeeds; status 1 if it has not in a minute.
await()
{
	tries=0
	until "$@" 2>/dev/null; do
		tries=$((tries + 1))
		[ $tries -lt 1200 ] || return 1
		sleep 0.05
	done
}

# has FILE RE: the file is there and has such a line.
has()
{
	grep -Eqs -- "$2" "$1"
}

# lines FILE N: it has N lines or more that are not empty.
lines()
{
	[ "$(grep -c . "$1")" -ge "$2" ]
}

# waiting PID: the process is reading its standard input.
waiting()
{
	grep -Eqs '^(0|63) 0x0 ' "/proc/$1/syscall"
}

# tracing PID: dtrace is in its loop, waiting in ppoll(2). Before that probes may be attached that do not fire yet.
tracing()
{
	grep -Eqs '^(271|73) ' "/proc/$1/syscall"
}

# ended PID: it is no more.
ended()
{
	! kill -0 "$1"
}
