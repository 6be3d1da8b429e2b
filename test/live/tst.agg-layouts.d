/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * what: every layout of keys, values and distributions
 * @@flags: -q
 */

BEGIN
{
	/* the default form of keys and values */
	@ints[(char)-2, (short)-2, -2, (long)-2] = sum(-5);
	@text["tick-count"] = count();
	@pointer[(void *)16] = max(-3);
	@count = count();
	@sum = sum(-7);
	@sum = sum(3);
	@min = min(9);
	@min = min(-9);
	@max = max(-9);
	@max = max(-10);
	@avg = avg(-7);
	@avg = avg(2);
	@dev = stddev(1);
	@dev = stddev(5);
	@dev = stddev(9);
	@dev2 = stddev(-4611686018427387904);
	@dev2 = stddev(4611686018427387903);
	printa(@ints);
	printa(@text);
	printa(@pointer);
	printa(@count, @sum, @min, @max, @avg, @dev);
	printa(@dev2);

	/* distributions: the worked examples */
	@q = quantize(0);
	@q = quantize(1);
	@q = quantize(3);
	@q = quantize(3);
	@q = quantize(7);
	@q = quantize(-5);
	printa(@q);
	@l = lquantize(-1, 0, 10, 2);
	@l = lquantize(1, 0, 10, 2);
	@l = lquantize(3, 0, 10, 2);
	@l = lquantize(3, 0, 10, 2);
	@l = lquantize(12, 0, 10, 2);
	printa(@l);
	@both = quantize(1, 3);
	@both = quantize(2, -1);
	printa(@both);
	@down = quantize(1, -12);
	printa(@down);
	@zero = quantize(5, 0);
	printa(@zero);
	@lzero = lquantize(5, -10, 10, 5, 0);
	printa(@lzero);
	@ends["q"] = quantize(-9223372036854775807 - 1);
	@ends["q"] = quantize(9223372036854775807);
	printa(@ends);

	/* log-linear: whole numbers in the lowest magnitude, both sides, the ends */
	@ll = llquantize(7, 10, 0, 2, 20);
	@ll = llquantize(99, 10, 0, 2, 20);
	@ll = llquantize(1000, 10, 0, 2, 20);
	printa(@ll);
	@lm = llquantize(28, 3, 3, 3, 27);
	@lm = llquantize(-29, 3, 3, 3, 27);
	@lm = llquantize(5, 3, 3, 3, 27);
	printa(@lm);
	@lp = llquantize(5, 3, 3, 3, 27);
	printa(@lp);
	@l4 = llquantize(-16, 4, 0, 1, 2);
	@l4 = llquantize(0, 4, 0, 1, 2);
	@l4 = llquantize(8, 4, 0, 1, 2);
	printa(@l4);

	/* by a format */
	printa("%d,%d,%d,%d: %@d %@x\n", @ints);
	printa("[%-12s] %@5d %%\n", @text, @text);
	printa("%@d %@d %@u\n", @sum, @min);
	printa("no value\n", @count);
	printa("<%@d>", @both);
	printa("%-16s %@8d ms\n", @text);
	exit(0);
}
