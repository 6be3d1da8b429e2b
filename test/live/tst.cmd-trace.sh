#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: tracing: matched lines, streams, layout, quiet, -o, exit status, errors at the start
. "$SRC/test/lib/check.sh"
cd "$TMPDIR" || exit 1
exec 3>&1

# The CPU is of no interest.
nocpu()
{
	sed -i 's/^ *[0-9][0-9]*\( .*:[A-Z]* \)/  N\1/' out
}

run "$DTRACE" -n 'BEGIN {exit(0)}'
nocpu
status 0
err "dtrace: description 'BEGIN ' matched 1 probe"
out 'CPU     ID                    FUNCTION:NAME
  N      1                           :BEGIN 
'
printf 'BEGIN {}\nBEGIN, END { exit(7); }\n' >two.d
run "$DTRACE" -s two.d -n END
nocpu
status 7
err "dtrace: script 'two.d' matched 3 probes
dtrace: description 'END' matched 1 probe"
out 'CPU     ID                    FUNCTION:NAME
  N      1                           :BEGIN 
  N      1                           :BEGIN 
  N      2                             :END 
  N      2                             :END 
'

# Quiet: flag, option, pragma, environment. The newline of the end stays.
printf '#pragma D option quiet\nBEGIN { printf("x"); exit(0); }\n' >quiet.d
for how in '-q -n BEGIN{printf("x");exit(0);}' '-xquiet -n BEGIN{printf("x");exit(0);}' '-s quiet.d'; do
	run "$DTRACE" $how
	status 0
	err ''
	out 'x'
done
run env DTRACE_OPT_QUIET= "$DTRACE" -n 'BEGIN { printf("x"); exit(0); }'
err ''
out 'x'
run "$DTRACE" -x quiet=no -n 'BEGIN { exit(0); }'
has_err matched
run "$DTRACE" -x quiet=no -s quiet.d
err ''

run "$DTRACE" -wn 'BEGIN { exit(0); }'
err "dtrace: description 'BEGIN ' matched 1 probe
dtrace: allowing destructive actions"
run "$DTRACE" -wqn 'BEGIN { exit(0); }'
err ''

# What does not match.
run "$DTRACE" -qZn 'wassup{trace(1);}' -qn 'BEGIN{printf("I am done"); exit(0);}'
status 0
out 'I am done'
err ''
run "$DTRACE" -x quiet
status 1
err 'dtrace: no probes specified'
: >empty.d
run "$DTRACE" -xempty -s empty.d
status 1
err "dtrace: script 'empty.d' matched 0 probes
dtrace: no probes matched"

# -o appends.
rm -f file
run "$DTRACE" -qo file -n 'BEGIN { printf("1"); exit(0); }'
status 0
out ''
run "$DTRACE" -q -n 'BEGIN { printf("2"); exit(0); }' -o file
[ "$(cat file)" = "$(printf '1\n2')" ] || wrong "-o: $(cat file)"
run "$DTRACE" -o /no/such/file -n BEGIN
status 1
err "dtrace: failed to open output file '/no/such/file': No such file or directory"
run sh -c "\"$DTRACE\" -qn 'BEGIN { printf(\"1\"); exit(0); }' >/dev/full"
status 1
err 'dtrace: failed to write to <stdout>: No space left on device'
run "$DTRACE" -qo /dev/full -n 'BEGIN { printf("1"); exit(0); }'
status 1
err 'dtrace: failed to write to /dev/full: No space left on device'
run sh -c "\"$DTRACE\" -V >/dev/full"
status 1
err 'dtrace: failed to write to <stdout>: No space left on device'
# The file of freopen() is named, also when another one follows it.
for more in '' 'freopen("");' 'freopen("file");'; do
	run "$DTRACE" -qw -n "BEGIN { freopen(\"/dev/full\"); printf(\"1\"); $more exit(0); }"
	status 1
	err 'dtrace: processing aborted: failed to write to /dev/full: No space left on device'
done

# Errors at the start: after the matched line, status 1, nothing printed.
run "$DTRACE" -x bufpolicy=fill -b 32 -x strsize=64 -n 'BEGIN { exit(0); } END { trace(execname); }'
status 1
out ''
err "dtrace: description 'BEGIN ' matched 2 probes
dtrace: END enablings exceed size of principal buffer"
run "$DTRACE" -x bufsize=100t -x bufresize=manual -n 'BEGIN { exit(0); }'
status 1
out ''
err "dtrace: description 'BEGIN ' matched 1 probe
dtrace: could not enable tracing: Not enough space"
run "$DTRACE" -x cpu=4095 -qn 'BEGIN { exit(0); }'
status 1

# Sizes and rates that the start has changed.
run "$DTRACE" -qb 100t -n 'BEGIN { exit(0); }'
status 0
has_err '^dtrace: buffer size lowered to [0-9]+[kmg]$'
run "$DTRACE" -x quietresize -qb 100t -n 'BEGIN { exit(0); }'
err ''
run "$DTRACE" -qx aggsize=100t -n 'BEGIN { @ = count(); exit(0); }'
has_err '^dtrace: aggregation size lowered to [0-9]+[kmg]$'
run "$DTRACE" -qb 1000001 -n 'BEGIN { exit(0); }'
err ''
run "$DTRACE" -q -x statusrate=20s -x cleanrate=10000hz -n 'BEGIN { exit(0); }'
err 'dtrace: cleaning rate reduced to 5000 hz
dtrace: status rate increased to once every 10 seconds'

# exit(): the low 8 bits; the last one that is consumed.
run "$DTRACE" -qn 'BEGIN { exit(300); }'
status 44
run "$DTRACE" -qn 'BEGIN { exit(1); } BEGIN { exit(2); } END { exit(3); }'
status 3
finish
