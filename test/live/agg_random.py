# SPDX-License-Identifier: BSD-2-Clause
"""agg_random.py SEED D OUT: writes a program that aggregates random values, and what must be printed for it by a model
that knows nothing of dtrace's code: numbers from the lists of values, buckets by search among their bounds."""
import random
import sys
from math import isqrt

rnd = random.Random(sys.argv[1])
M64 = 1 << 64


def s64(v):
    v %= M64
    return v - M64 if v >> 63 else v


def trunc_div(a, b):
    return abs(a) // b if a >= 0 else -(abs(a) // b)


class Quantize:
    name, args = 'quantize', ''

    def __init__(self):
        pos = [1 << i for i in range(63)]
        self.labels = [-p for p in reversed(pos)] + [0] + pos
        self.text = [str(x) for x in self.labels]
        self.weights = self.labels
        self.zero, self.empty = 63, (62, 64)

    def bucket(self, v):
        if v >= 0:
            return max(i for i, x in enumerate(self.labels) if x <= v and x >= 0)
        return min(i for i, x in enumerate(self.labels) if x >= v and x < 0) if v > self.labels[0] else 0


class Lquantize:
    name = 'lquantize'

    def __init__(self):
        self.base = rnd.randint(-1000, 1000)
        self.step = rnd.choice([1, 2, 3, 10, 77])
        self.levels = rnd.randint(1, 30)
        limit = self.base + self.levels * self.step + rnd.randrange(self.step)
        self.args = f', {self.base}, {limit}, {self.step}'
        top = self.base + self.levels * self.step
        bounds = [self.base + i * self.step for i in range(self.levels)]
        self.text = [f'< {self.base}'] + [str(b) for b in bounds] + [f'>= {top}']
        self.weights = [self.base - 1] + bounds + [top]
        self.zero = self.bucket(0)
        self.empty = (0, min(2, self.levels + 1))

    def bucket(self, v):
        if v < self.base:
            return 0
        return min((v - self.base) // self.step, self.levels) + 1


class Llquantize:
    name = 'llquantize'

    def __init__(self):
        self.factor, self.low, self.high, steps = rnd.choice(
            [(10, 0, 6, 20), (10, 0, 2, 10), (2, 3, 10, 8), (3, 3, 5, 27), (4, 0, 1, 2), (10, 2, 4, 5), (16, 1, 3, 32)])
        self.args = f', {self.factor}, {self.low}, {self.high}, {steps}'
        pos = []
        for m in range(self.low, self.high + 1):
            start, end = self.factor ** m, self.factor ** (m + 1)
            width = end / steps
            if width < 1:
                pos += range(start, end)
            else:
                pos += [start] + [int(k * width) for k in range(steps) if start < k * width < end]
        self.top = self.factor ** (self.high + 1)
        self.pos = pos
        self.labels = [-self.top] + [-p for p in reversed(pos)] + [0] + pos + [self.top]
        self.text = [f'<= -{self.top}'] + [str(x) for x in self.labels[1:-1]] + [f'>= {self.top}']
        self.weights = self.labels
        self.zero = len(pos) + 1
        self.empty = (self.zero, self.zero + 2)

    def bucket(self, v):
        if abs(v) < self.factor ** self.low:
            return self.zero
        i = max(i for i, p in enumerate(self.pos + [self.top]) if p <= abs(v))
        return self.zero + 1 + i if v > 0 else self.zero - 1 - i

    def label(self, i, counts):
        if i == self.zero and self.low > 0:
            return ('abs() < ' if any(counts[:i]) else '< ') + str(self.factor ** self.low)
        return self.text[i]


def block(f, counts):
    used = [i for i, c in enumerate(counts) if c]
    first, last = (max(used[0] - 1, 0), min(used[-1] + 1, len(counts) - 1)) if used else f.empty
    rows = range(first, last + 1)
    total = sum(abs(counts[i]) for i in rows)
    up, down = any(counts[i] > 0 for i in rows), any(counts[i] < 0 for i in rows)
    text = '\n%16s %41s %-9s\n' % ('value', '-' * 13 + ' Distribution ' + '-' * 13, 'count')
    for i in rows:
        c, width = counts[i], 20 if up and down else 40
        n = (abs(c) * width * 2 + total) // (2 * total) if total else 0
        bar = '@' * n
        if up and down:
            bar = '%20s|%20s' % (bar, '') if c <= 0 else '%20s|%-20s' % ('', bar)
        else:
            bar = '%40s|' % bar if down else '|%-40s' % bar
        label = f.label(i, counts) if hasattr(f, 'label') else f.text[i]
        text += '%16s %s %-9d\n' % (label, bar, c)
    return text


def value():
    kind = rnd.randrange(6)
    if kind == 0:
        return rnd.choice([0, 1, -1, 2, -2, 2 ** 63 - 1, -2 ** 63, 2 ** 62, -2 ** 62, 2 ** 62 - 1])
    v = rnd.randrange(1 << rnd.randrange(1, [10, 20, 40, 62, 63][kind - 1]))
    return v if rnd.randrange(2) else -v


def d(v):
    return '(-9223372036854775807 - 1)' if v == -2 ** 63 else f'({v})'


program, expected = ['#pragma D option quiet'], ['']
for n in range(12):
    func = rnd.choice(['count', 'sum', 'avg', 'min', 'max', 'stddev', Quantize, Lquantize, Llquantize, Quantize, Llquantize])
    f = None if isinstance(func, str) else func()
    keys, weights = {}, rnd.random() < 0.3
    lines = []
    for _ in range(rnd.randint(1, 24)):
        k, v, w = rnd.randint(-1, 2), value(), rnd.randint(-5, 9) if weights and f else 1
        keys.setdefault(k, []).append((v, w))
        arg = '' if func == 'count' else d(v) + (f.args if f else '') + (f', {w}' if w != 1 else '')
        lines.append(f'\t@a{n}["key", {k}] = {f.name if f else func}({arg});')
    program += ['BEGIN', '{'] + lines + ['}']
    rows = []
    for k, pairs in keys.items():
        vs = [v for v, _ in pairs]
        s = s64(sum(vs))
        if f:
            counts = [0] * len(f.text)
            for v, w in pairs:
                counts[f.bucket(v)] += w
            rank, text = (sum(a * b for a, b in zip(f.weights, counts)), counts[f.zero]), block(f, counts)
        else:
            num = {'count': len(vs), 'sum': s, 'avg': trunc_div(s, len(vs)), 'min': min(vs), 'max': max(vs)}.get(func)
            if func == 'stddev':
                avg = trunc_div(s, len(vs))
                num = isqrt(max(sum(v * v for v in vs) // len(vs) - avg * avg, 0))
            rank, text = (num, 0), ' %16d' % num
        rows.append((rank, k % (1 << 32), '  %-50s %8d%s\n' % ('key', k, text)))
    expected += [r[2] for r in sorted(rows, key=lambda r: r[:2])]
program += ['BEGIN', '{', '\texit(0);', '}']
open(sys.argv[2], 'w').write('\n'.join(program) + '\n')
open(sys.argv[3], 'w').write('\n' + ''.join(expected))
