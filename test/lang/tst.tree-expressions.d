/* SPDX-License-Identifier: BSD-2-Clause */
/* what: the tree of every operator, with its precedence and type */
/* @@run: $DTRACE -e -x tree=1 -s $FILE || : the tree is checked, not the code */
/* @@errfilter: /^dtrace: /d */

BEGIN
/pid / 2 > 1 || pid == 1 ^^ tid != 2 && !uid/
{
	x = 1;
	y = (unsigned char)x;
	x = x + y * 2 - x / 3 % 4;
	x = x << 1 >> 2;
	x = x & 1 | x ^ 3;
	x = -x + +x + ~x;
	x += 1, x -= 1, x *= 2, x /= 2, x %= 2, x &= 1, x |= 1, x ^= 1, x <<= 1, x >>= 1;
	x++, x--, ++x, --x;
	x = x < 1 ? x <= 2 : x > 3 ? x >= 4 : 0;
	y = x = 5;
	p = (int *)arg0;
	*p = p[1] + *(p + 2);
	s = stringof(p);
	s = execname == "sh" ? "a" : strjoin(s, "b");
	n = sizeof (int) + sizeof x + sizeof ("hi") + sizeof (struct cpuinfo *[2]);
	n = offsetof(struct cpuinfo, cpu_chip);
	a[pid, execname] = 'a';
	self->v = this->w = 0x10u;
	self->m[1] = 2;
	x = 'ab"d' + 017 + 0xffffffff;
}
