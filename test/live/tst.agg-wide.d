/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * what: aggregations behind one of 60,000 buckets, beyond the reach of an instruction's offset
 * @@needs: root bpf
 * @@flags: -q
 */
BEGIN
{
	@before = count();
	@wide = lquantize(59999, 0, 60000, 1);
	@wide = lquantize(59998, 0, 60000, 1);
	@low = min(-7);
	@high = max(-7);
	@spread = stddev(3);
	@spread = stddev(5);
	@mean = avg(10);
	@mean = avg(20);
	@some = quantize(4);
}

BEGIN
{
	@low = min(-9);
	@high = max(12);
	printa("%@d\n", @before);
	printa("%@d %@d %@d %@d\n", @low, @high, @spread, @mean);
	printa(@some);
	printa(@wide);
	exit(0);
}
