# SPDX-License-Identifier: BSD-2-Clause
# For the stress tests: test/stress/stress.d over test/programs/stress, checked by test/programs/stresscheck.
#
# stressed POLICY TEMPORAL RATE LOAD: one run of `stress LOAD` with profile-RATE. Prints what was checked; status 1 if
# anything is wrong, and then $TMPDIR/load and $TMPDIR/messages are left. Times that `temporal` orders by are in JSON.
stressed()
{
	rm -f "$TMPDIR/load" "$TMPDIR/messages" "$TMPDIR/status"
	{
		status=0
		"$DTRACE" -x bufpolicy="$1" -b 16k -x switchrate=1ms -x temporal="$2" \
			-x oformat="$([ "$2" = yes ] && echo json || echo text)" -o /dev/fd/3 \
			-s "$SRC/test/stress/stress.d" -c "$PROGS/stress $4" "$3" \
			3>&1 >"$TMPDIR/load" 2>"$TMPDIR/messages" || status=$?
		echo $status >"$TMPDIR/status"
		# Under fill the load goes on for a moment, until it sees that it is alone.
		left=0
		while ! grep -q '^timer' "$TMPDIR/load" && [ $left -lt 3000 ]; do
			sleep 0.01
			left=$((left + 1))
		done
	} | "$PROGS/stresscheck" "$1" "$3" "$TMPDIR/load" "$TMPDIR/messages" || return 1
	[ "$(cat "$TMPDIR/status")" = 0 ] || {
		echo "  status $(cat "$TMPDIR/status")"
		return 1
	}
}
