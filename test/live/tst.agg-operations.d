/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * what: clear, trunc, normalize, denormalize, joined printa and the order of printing, changed at run time
 * @@flags: -q -x switchrate=20ms -x aggrate=10ms
 * @@match: Invalid normalization
 */
BEGIN
{
	@a[1, "x"] = sum(30);
	@a[2, "w"] = sum(10);
	@a[3, "v"] = sum(20);
	@a[-1, "u"] = sum(10);
	printf("by value, then key:");
	printa(@a);
	setopt("aggsortkey");
	printf("by key:");
	printa(@a);
	setopt("aggsortkeypos", "1");
	printf("by second key:");
	printa(@a);
	setopt("aggsortkeypos", "7");
	setopt("aggsortrev");
	printf("by key, reversed:");
	printa(@a);
	setopt("aggsortkey", "no");
	printf("by value, reversed:");
	printa(@a);
	setopt("aggsortrev", "no");
	setopt("aggsortkeypos", "0");

	normalize(@a, 2);
	normalize(@a, 5);
	printf("/5:");
	printa(@a);
	normalize(@a, 0);
	denormalize(@a);

	printf("top 2:");
	trunc(@a, 2);
	printa(@a);
	printf("bottom 1:");
	trunc(@a, -1);
	printa(@a);
	printf("cleared:");
	clear(@a);
	printa(@a);
	printf("none:");
	trunc(@a);
	printa(@a);

	@x["a"] = count();
	@x["c"] = count();
	@y["b"] = sum(7);
	@y["c"] = sum(3);
	printf("joined:\n");
	printa("%s %@d %@d\n", @x, @y);
	setopt("aggsortpos", "1");
	printf("joined, by the second:");
	printa(@x, @y);
	setopt("aggsortpos", "9");
	printf("joined, three:");
	printa(@y, @x, @y);

	@q["few"] = quantize(1000);
	@q["many"] = quantize(1);
	@q["many"] = quantize(2);
	trunc(@q, 1);
	printa(@q);
	clear(@q);
	@lo = min(4);
	@hi = max(4);
	clear(@lo);
	clear(@hi);
	printa("%@d %@d\n", @lo, @hi);
	@never = count();
	trunc(@never);
	@printed = sum(3);
	printa(@printed);
	clear(@printed);
	@end["left"] = sum(8);
	normalize(@end, 3);
	exit(0);
}
