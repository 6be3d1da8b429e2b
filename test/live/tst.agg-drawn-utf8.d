/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * what: encoding=utf8: bars of eighths of a column, packed distributions of eight heights; below zero as without it
 * @@flags: -q -x agghist -x aggpack -x encoding=utf8
 */
BEGIN
{
	@c["open"] = sum(100);
	@c["read"] = sum(3);
	printa(@c);
	@mixed["a"] = sum(-3);
	@mixed["b"] = sum(1);
	printa(@mixed);
	@q["k"] = quantize(1);
	@q["k"] = quantize(2, 2);
	@q["k"] = quantize(4, 4);
	@q["k"] = quantize(8, 9);
	@q["k"] = quantize(16, 16);
	@q["l"] = quantize(128, -1);
	printa(@q);
	setopt("aggpack", "no");
	setopt("aggzoom");
	printa(@q);
	exit(0);
}
