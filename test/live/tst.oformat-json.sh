#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: -x oformat=json: every kind of line follows doc/json.schema.json and says what was traced, also with -o
# @@timeout: 120
. "$SRC/test/lib/check.sh"
cd "$TMPDIR" || exit 1

valid()
{
	python3 "$TESTDIR/json_check.py" "$SRC/doc/json.schema.json" seen <"${1:-out}" || wrong "not as the schema says"
}

# is EXPRESSION: Python, over L, the list of the lines.
is()
{
	python3 -c 'import json, sys
L = [json.loads(l) for l in open(sys.argv[2])]
def of(t): return [l for l in L if l["type"] == t]
def act(i, k): return of("record")[i]["actions"][k]
sys.exit(not eval("(" + sys.argv[1] + ")"))' "$1" "${2:-out}" || wrong "not so: $1: $(cat "${2:-out}")"
}

# The validator finds what is wrong.
echo '{"type":"end","status":0,"records":1,"errors":0,"drops":{},"more":1}' >bad
python3 "$TESTDIR/json_check.py" "$SRC/doc/json.schema.json" <bad 2>/dev/null && wrong 'a bad line is valid'

run "$DTRACE" -w -x oformat=json -n 'BEGIN {
	trace(-1); printf("%d %s|%x\n", 7, "a\"b\\\t", 1ULL << 63); trace(9007199254740992); trace(9007199254740993);
	trace(-9007199254740993); trace((char)-3); sym((uintptr_t)&`schedule); stack(); tracemem(&`schedule, 8, 2);
	system("echo from the shell; true %d", 3); }
BEGIN { @a["k", -1] = count(); @a["l", 2] = count(); normalize(@a, 1); printa("%s", @a); clear(@a); }
BEGIN { trace(1); } BEGIN { zero = 0; trace(10 / zero); } BEGIN { @n = count(); @left["z"] = sum(9); normalize(@left, 4); }
BEGIN { exit(5); } END { if (1) { trace("yes"); } else { trace("no"); } @q = quantize(-5); @q = quantize(0); @q = quantize(4);
	@q = quantize(-9223372036854775807 - 1); @q = quantize(9223372036854775807); @l["x"] = lquantize(-1, 0, 10, 2);
	@l["x"] = lquantize(11, 0, 10, 2); @l["x"] = lquantize(3, 0, 10, 2); @ll = llquantize(0, 10, 0, 2, 20);
	@ll = llquantize(-17, 10, 0, 2, 20); @ll = llquantize(999, 10, 0, 2, 20); @ll = llquantize(-1000, 10, 0, 2, 20);
	@d = stddev(-5); @m = min(-3); }'
status 5
has_err 'divide-by-zero'
[ "$(head -1 out)" = 'from the shell' ] || wrong "system() is not before its record: $(head -1 out)"
sed -i 1d out
valid
is 'act(0, 0) == {"action": "trace", "values": [-1]}'
is 'act(0, 1) == {"action": "printf", "text": "7 a\"b\\\t|8000000000000000\n", "values": [7, "a\"b\\\t", "9223372036854775808"]}'
is '[act(0, i)["values"] for i in (2, 3, 4, 5)] == [[2**53], ["9007199254740993"], ["-9007199254740993"], [-3]]'
is 'act(0, 6)["values"][0]["function"] == "schedule"'
is '"frames" in act(0, 7)["values"][0] and act(0, 7)["values"][0]["truncated"] is False'
is 'len(act(0, 8)["values"][0]["bytes"]) == 4'
is 'act(0, 9) == {"action": "system", "text": "echo from the shell; true 3", "values": [3]}'
is "of(\"record\")[3][\"actions\"] == [{\"action\": \"exit\", \"values\": [5]}]"
is 'act(1, 0)["aggregations"][0]["entries"] == [{"keys": ["k", -1], "value": 1}, {"keys": ["l", 2], "value": 1}]'
is '[a["values"] for a in of("record")[4]["actions"]] == [["yes"]]'
is 'of("record")[0]["probe"] == {"id": 1, "provider": "dtrace", "module": "", "function": "", "name": "BEGIN"}'
is '[l["fault"] for l in of("error")] == [4] and "divide-by-zero" in of("error")[0]["text"]'
is '[(l["name"], l["value"]) for l in of("aggregation") if "value" in l] == [("n", 1), ("left", 2), ("d", 0), ("m", -3)]'
is '[(b["min"], b["max"], b["count"]) for l in of("aggregation") if l["name"] == "q" for b in l["buckets"]] ==
	[(None, "-4611686018427387904", 1), (-7, -4, 1), (0, 0, 1), (4, 7, 1), ("4611686018427387904", None, 1)]'
is '[(b["min"], b["max"]) for l in of("aggregation") if l["name"] == "l" for b in l["buckets"]] ==
	[(None, -1), (2, 3), (10, None)]'
is '[(b["min"], b["max"]) for l in of("aggregation") if l["name"] == "ll" for b in l["buckets"]] ==
	[(None, -1000), (-19, -15), (0, 0), (950, 999)]'
is 'L[-1]["type"] == "end" and L[-1]["status"] == 5 and L[-1]["records"] == len(of("record")) and L[-1]["errors"] == 1'

# Drops are lines, and their sum is in the last one; -o; time with temporal; default action; bytes that are no text.
run "$DTRACE" -x oformat=json -x temporal -o file -b 4k -x switchrate=200ms -n 'BEGIN { } syscall::getppid:entry
	/pid == $target/ { printf("%s", "\377\303\250x"); } END { trace(1); }' -c "$PROGS/spin 20000"
status 0
out ''
valid file
is 'of("drop") and sum(l["count"] for l in of("drop") if l["kind"] == "PRINCIPAL") == L[-1]["drops"]["PRINCIPAL"]' file
is 'L[-1]["records"] + L[-1]["drops"]["PRINCIPAL"] in (20001, 20002)' file
is 'of("record")[0]["actions"] == []' file
is 'act(1, 0)["values"] == ["\ufffd\u00e8x"]' file
is '[l["time"] for l in of("record")] == sorted(l["time"] for l in of("record"))' file

# Every kind of loss that a program can bring about alone, and its total; the address of a fault; a fault in ERROR.
run "$DTRACE" -x oformat=json -x aggsize=400 -x dynvarsize=100 -x nspec=1 -x specsize=32 -x statusrate=50ms -x aggrate=50ms \
	-x switchrate=50ms -n 'long t;
	BEGIN, tick-100ms { a[t] = 1; a[t + 1] = 1; a[t + 2] = 1; a[t + 3] = 1; t += 4; }
	BEGIN, tick-100ms { @[t] = count(); @[t + 1] = count(); @[t + 2] = count(); @[t + 3] = count(); @[t + 4] = count();
		@[t + 5] = count(); @[t + 6] = count(); @[t + 7] = count(); @[t + 8] = count(); @[t + 9] = count(); }
	BEGIN { s = speculation(); } BEGIN, tick-100ms { speculation(); } BEGIN { speculate(s); trace(t); trace(t); trace(t); trace(t); }
	BEGIN, tick-100ms { trace(*(int *)16); } ERROR { trace(*(int *)24); } tick-100ms /n++ == 3/ { exit(0); }'
status 0
valid
is '{"AGGREGATION", "DYNAMIC", "SPEC", "SPECUNAVAIL", "DBLERROR"} <= {l["kind"] for l in of("drop")}'
is 'all(L[-1]["drops"][k] == sum(l["count"] for l in of("drop") if l["kind"] == k) for k in L[-1]["drops"])'
is 'all(l["total"] == sum(m["count"] for m in of("drop")[:i + 1] if (m["kind"], m["cpu"]) == (l["kind"], l["cpu"]))
	for i, l in enumerate(of("drop")))'
is 'all((l["cpu"] is None) == (l["kind"] != "AGGREGATION") and str(l["count"]) in l["text"] for l in of("drop"))'
is 'L[-1]["errors"] == len(of("error")) >= 4 and
	{(l["fault"], l["value"], l["action"], l["probe"]["name"]) for l in of("error")} <= {(1, 16, 1, "BEGIN"), (1, 16, 1, "tick-100ms")}'

# Frames of users and stacks that are cut; freopen() and print() have their text.
run "$DTRACE" -w -x oformat=json -x ustackframes=2 -n 'syscall::write:entry /pid == $target && arg2 == 0/ { ustack(); usym(ucaller);
	@[ustack(1), execname] = count(); freopen("%s", "other"); print(pid); freopen(""); }' -c "$PROGS/deep"
status 0
cat other >>out
valid
is 'of("record")[0]["actions"][0]["values"][0]["truncated"] and [sorted(f) for f in act(0, 0)["values"][0]["frames"]] ==
	[["address", "function", "module", "offset"]] * 2'
is '[act(0, 0)["values"][0]["frames"][1][k] for k in ("module", "function")] == ["deep", "f3"]'
is 'act(0, 1)["values"][0]["function"] == "f3" and of("aggregation")[0]["keys"][1] == "deep"'
is 'act(0, 2)["text"] == "other" and act(0, 3)["action"] == "print" and len(act(0, 3)["text"]) > 4'

# Several aggregations in one printa(): also joined, in the order of the text output.
run "$DTRACE" -x oformat=json -n 'BEGIN { @x["a"] = count(); @y["b"] = sum(14); @y["c"] = sum(2); @q["b"] = quantize(5);
	normalize(@y, 2); printa("%s %@d %@d %@d\n", @x, @y, @q); printa(@x); exit(0); }'
status 0
valid
is 'act(0, 0)["joined"] == [
	{"keys": ["c"], "values": [{"value": 0}, {"value": 1}, {"buckets": []}]},
	{"keys": ["b"], "values": [{"value": 0}, {"value": 7}, {"buckets": [{"min": 4, "max": 7, "count": 1}]}]},
	{"keys": ["a"], "values": [{"value": 1}, {"value": 0}, {"buckets": []}]}]'
is '[(a["name"], len(a["entries"])) for a in act(0, 0)["aggregations"]] == [("x", 1), ("y", 2), ("q", 1)]'
is '"joined" not in act(0, 1)'

# From within the program; while tracing it changes the records that come.
run "$DTRACE" -n '#pragma D option oformat=json
BEGIN { trace(1); exit(0); }'
status 0
valid
is 'act(0, 0)["values"] == [1]'
run "$DTRACE" -q -n 'BEGIN { trace("text"); setopt("oformat", "json"); trace("still text\n"); }
BEGIN { trace(2); @a = count(); setopt("oformat", "text"); trace(3); } BEGIN { trace("text again\n"); exit(0); }
END { setopt("oformat", "json"); }'
status 0
[ "$(sed -n 1p out)$(sed -n 3p out)" = "textstill texttext again" ] || wrong "not text: $(cat out)"
sed -i -e 1d -e 3d out
valid
is '[act(0, 0)["values"], act(0, 2)["values"]] == [[2], [3]] and of("aggregation")[0]["value"] == 1'
run "$DTRACE" -q -n 'BEGIN { @[stack()] = count(); setopt("oformat", "folded"); exit(0); }'
status 0
grep -Eq '^(.*;)?[^; ]+ 1$' out || wrong "no folded stack: $(cat out)"

# No field of the schema was left out.
python3 "$TESTDIR/json_check.py" "$SRC/doc/json.schema.json" seen all || wrong 'fields that no line had'

# Only what is known.
run "$DTRACE" -x oformat=xml -n BEGIN
status 1
err 'dtrace: failed to set -x oformat: Invalid value for specified option'
run "$DTRACE" -q -n 'BEGIN { setopt("oformat", "xml"); exit(0); }'
has_err 'Invalid value for specified option'
finish
