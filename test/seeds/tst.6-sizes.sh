#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: -x bufsize=1m, -b 1m, #pragma D option bufsize=1m: two areas of 1048576 bytes a CPU; suffixes; bad values
# @@needs: root bpf
. "$SRC/test/lib/seeds.sh"

# maps_of PID: "name value_size entries" of the maps that the process holds
maps_of()
{
	for f in /proc/"$1"/fdinfo/*; do
		awk '/^value_size/ { v = $2 } /^max_entries/ { n = $2 } /^map_type/ { t = $2 } END { if (v) print v, n, t }' \
			"$f" 2>/dev/null
	done
}
cpus=$(getconf _NPROCESSORS_ONLN)
areas()
{
	maps_of $job | grep -q "^$1 $((2 * cpus)) 2\$"
}
sized()
{
	env --default-signal=INT sh -c "exec $2" >out 2>err &
	job=$!
	await areas $1 || wrong "$2: no $((2 * cpus)) areas of $1 bytes: $(maps_of $job)"
	await lines out 10
	kill -INT $job
	wait $job || wrong "$2: status $?"
	ran="$2"
	grep -v 'drops\{0,1\} on CPU' err >said
	[ "$(sed 's/[0-9][0-9]* probes/N probes/' said)" = "dtrace: ${3:-description 'syscall'} matched N probes" ] ||
		wrong "$(cat said)"
	has_out ':(entry|return) $'
}
sized 1048576 "dtrace -P syscall -x bufsize=1m"
sized 1048576 "dtrace -P syscall -b 1m"
cat >f.d <<'EOD'
#pragma D option bufsize=1m
syscall::: { }
EOD
sized 1048576 "dtrace -s f.d" "script 'f.d'"
sized 1048576 "dtrace -b 64k -x bufsize=128k -s f.d" "script 'f.d'"
sized 4194304 "dtrace -P syscall"
for v in 1M 1024k 1024K 1048576 0x100000 04000000; do
	run dtrace -q -x bufsize=$v -n 'BEGIN { exit(0); }'
	status 0
	err ''
done
echo '#pragma D option bufsize=1m' >f.d
run dtrace -s f.d
status 1
has_err 'empty D program translation unit$'
for v in 1mb 1b 100wombats -1 '' 1.5m 99999999999999999999; do
	run dtrace -P syscall -b "$v"
	status 1
	err "dtrace: failed to set -b $v: Invalid value for specified option"
	run dtrace -P syscall -x bufsize="$v"
	status 1
	err "dtrace: failed to set -x bufsize: Invalid value for specified option"
done
finish
