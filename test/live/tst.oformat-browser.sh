#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: flame graph and heat map in a real browser: drawn, hover shows numbers, clicks and #zoom zoom
# @@timeout: 180
. "$SRC/test/lib/check.sh"
cd "$TMPDIR" || exit 1
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || {
	echo "needs chromium"
	exit 77
}

look() # URL: the document when its scripts have run
{
	timeout 100 "$browser" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --user-data-dir="$TMPDIR/profile" \
		--virtual-time-budget=3000 --dump-dom "$1" 2>log
}

run "$DTRACE" -q -x flamegraph=flame.svg -x heatmap=heat.svg -x aggrate=20ms -n '
	syscall::write:entry /pid == $target/ { @[ustack()] = count(); }
	syscall:::entry /pid == $target/ { @q = quantize(arg0); }' -c "$PROGS/deep"
status 0

# Inside a page, where a script can move the pointer; what it saw is written into the title.
page()
{
	{
		echo '<!DOCTYPE html><html><head><title>none</title></head><body>'
		grep -v '^<?xml' "$1"
		printf '<script>%s</script></body></html>\n' "$2"
	} >page.html
	look "file://$TMPDIR/page.html" >dom
	sed -n 's/.*<title>\(.*\)<\/title><\/head>.*/\1/p' dom | head -1
}

got=$(page flame.svg '
	var f = [].find.call(document.querySelectorAll("g.f"), function (g) { return g.querySelector("text").getAttribute("data-n") == "deep`f2"; });
	f.dispatchEvent(new MouseEvent("mouseover"));
	var s = document.querySelector("#info").textContent;
	f.dispatchEvent(new MouseEvent("click"));
	var box = f.querySelector("rect").getBoundingClientRect();
	document.title = s + " " + Math.round(box.width) + " " + f.querySelector("text").textContent + " " +
		document.querySelector("svg").getAttribute("data-zoom");')
[ "$got" = 'deep`f2 (1, 100.00%) 1200 deep`f2 deep`f2' ] || wrong "flame graph: '$got': $(tail -3 log)"
look "file://$TMPDIR/flame.svg#zoom=deep%60f3" >dom
grep -q 'data-zoom="deep`f3"' dom || wrong "no zoom by the address: $(head -c 300 dom)"

got=$(page heat.svg '
	var c = document.querySelector(".c"), p = document.querySelector("svg.p");
	c.dispatchEvent(new MouseEvent("mouseover"));
	var s = /: [0-9]+$/.test(document.querySelector("#info").textContent) && c.getBoundingClientRect().width > 0;
	p.dispatchEvent(new WheelEvent("wheel", { deltaY: -1, clientX: 600, clientY: 80 }));
	var w = parseFloat(p.getAttribute("viewBox").split(" ")[2]);
	document.querySelector("svg").dispatchEvent(new MouseEvent("dblclick"));
	document.title = s + " " + Math.round(w) + " " + p.getAttribute("viewBox").split(" ")[2];')
[ "$got" = 'true 728 1040' ] || wrong "heat map: '$got': $(tail -3 log)"
look "file://$TMPDIR/heat.svg#zoom=0.25,0.5" >dom
grep -q 'viewBox="260 0 260 ' dom || wrong "no zoom by the address: $(grep -o 'viewBox="[^"]*"' dom | head -3)"
finish
