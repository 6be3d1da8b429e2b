# SPDX-License-Identifier: BSD-2-Clause
# For shell tests: what a dtrace process has in the kernel, and that it is gone.
. "$SRC/test/lib/await.sh"

# Programs that the process holds, by the descriptors it has open.
programs_of()
{
	for f in /proc/"$1"/fdinfo/*; do
		grep -hs '^prog_id:' "$f"
	done | awk '{ print $2 }' | sort -un
}

# Those of them that a link of the process attaches. Others may be there for a moment, to ask what the kernel can do.
attached_of()
{
	for f in /proc/"$1"/fdinfo/*; do
		grep -qs '^link_type:' "$f" && grep -hs '^prog_id:' "$f"
	done | awk '{ print $2 }' | sort -un
}

# armed PID N: waits until the process has N programs or more attached and is tracing; remembers its programs in $armed_ids.
armed()
{
	tries=0
	while [ $tries -lt 600 ]; do
		if tracing "$1" && [ "$(attached_of "$1" | grep -c .)" -ge "$2" ]; then
			armed_ids=$(programs_of "$1")
			return 0
		fi
		kill -0 "$1" 2>/dev/null || return 1
		tries=$((tries + 1))
		sleep 0.05
	done
	return 1
}

# gone PID: none of the programs in $armed_ids is left, nor a link of one. The kernel frees them after a grace period.
gone()
{
	tries=0
	while [ $tries -lt 600 ]; do
		left=
		for id in $armed_ids; do
			bpftool prog show id "$id" >/dev/null 2>&1 && left="$left $id"
			bpftool link show 2>/dev/null | grep -q "prog $id " && left="$left link-of-$id"
		done
		[ -z "$left" ] && {
			echo "programs $(echo $armed_ids): gone"
			return 0
		}
		tries=$((tries + 1))
		sleep 0.05
	done
	echo "left:$left"
	return 1
}
