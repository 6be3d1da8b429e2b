# SPDX-License-Identifier: BSD-2-Clause
# For tests of commands exactly as documents print them: `dtrace` is ours, in an empty folder. For commands that
# only a signal ends:
#	interrupt SECONDS COMMAND	the shell's command line; SIGINT after SECONDS of tracing, before which the output is copied to early
. "$SRC/test/lib/check.sh"
. "$SRC/test/lib/await.sh"
PATH=$BUILD:$PATH
cd "$TMPDIR" || exit 1

tracing_or_gone()
{
	tracing $job || ended $job
}

interrupt()
{
	ran="$2"
	# A shell's background job ignores SIGINT, and so would dtrace.
	env --default-signal=INT sh -c "exec $2" >out 2>err &
	job=$!
	await tracing_or_gone || wrong "not ready: $(cat err)"
	sleep "$1"
	cp out early
	kill -INT $job 2>/dev/null
	got=0
	wait $job || got=$?
}

# Lines of records by CPU: "CPU COUNT", ascending.
lines_by_cpu()
{
	awk '$2 ~ /^[0-9]+$/ && $3 ~ /:/ { n[$1]++ } END { for (c in n) print c, n[c] }' out | sort -n
}
