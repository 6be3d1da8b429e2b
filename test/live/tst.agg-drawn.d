/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * what: agghist, aggpack, aggzoom, encoding: layouts of entries drawn in one line, changed at run time
 * @@flags: -q -x agghist -x aggpack -x encoding=ascii -x switchrate=20ms
 */
BEGIN
{
	@c["open"] = count();
	@c["open"] = count();
	@c["open"] = count();
	@c["read"] = count();
	printa(@c);
	@s[1, (char)2] = sum(30);
	@s[2, (char)3] = sum(10);
	printa(@s);
	@mixed["a"] = sum(-3);
	@mixed["b"] = sum(1);
	printa(@mixed);
	@one = sum(5);
	printa(@one);
	@avg["not drawn"] = avg(3);
	printa(@avg);
	@q["few"] = quantize(8);
	@q["few"] = quantize(9);
	@q["many"] = quantize(1);
	@q["many"] = quantize(1);
	@q["many"] = quantize(1);
	@q["many"] = quantize(100);
	printa(@q);
	@l[1] = lquantize(-1, 0, 10, 2);
	@l[2] = lquantize(5, 0, 10, 2);
	@l[2] = lquantize(11, 0, 10, 2, -2);
	printa(@l);
	@plain = quantize(3);
	@plain = quantize(40, 3);
	printa(@plain);
	setopt("aggzoom");
	printa(@plain);
	printa(@c);
	printa(@q);
	setopt("agghist", "no");
	setopt("aggpack", "no");
	printa(@c);
	printa(@q);
	printa("%s %@d\n", @c);
	exit(0);
}
