#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Expressions in D and in C, for tst.arith-conformance.sh.

usage: arith_gen.py SEED CLAUSES PER_CLAUSE D-FILE C-FILE

The C program prints what the D program must print. D's rules are written out
here once more, independently of the compiler: the operand of the larger rank (width in bits, one
more if unsigned; the left one of equals) gives the type of a binary operator; a chain of one type
is computed in 64 bits; a value is cut to its type when it meets another type, is stored, cast or
recorded. In C every value is a uint64_t; CUT(T, x) is x brought to the type T.
"""
import random
import sys

# name in D, type in C, bits, signed
TYPES = [
    ("int8_t", "int8_t", 8, True), ("uint8_t", "uint8_t", 8, False),
    ("short", "int16_t", 16, True), ("unsigned short", "uint16_t", 16, False),
    ("int", "int32_t", 32, True), ("uint32_t", "uint32_t", 32, False),
    ("long", "int64_t", 64, True), ("unsigned long long", "uint64_t", 64, False),
]
INT, INT64 = TYPES[4], TYPES[6]
MIX = ["+", "-", "*", "/", "%", "&", "|", "^"]
COMPARE = ["==", "!=", "<", "<=", ">", ">="]


def rank(t):
    return t[2] + (not t[3])


def cut(t, x):
    return f"CUT({t[1]}, {x})"


class Expr:
    """d: text in D; c: the 64-bit value in C; raw: may it be wider than its type?"""

    def __init__(self, d, c, t, const=False):
        self.d, self.c, self.t, self.const = d, c, t, const

    def to(self, t):
        """As an operand of the type t."""
        return self.c if self.t == t else cut(t, cut(self.t, self.c))


class Gen:
    def __init__(self, seed):
        self.rnd = random.Random(seed)
        self.vars = []  # (name in D, name in C, type)
        self.decls = []
        self.members = []
        self.used = set()
        places = ["g", "self->s", "this->t", "a[1]", "a[2, \"x\"]", "st.m", "arr[3]", "self->st.m",
                  "sa[7].m"]
        for i, t in enumerate(TYPES * 2):
            self.variable(self.rnd.choice(places) if i >= len(TYPES) else places[i % len(places)],
                          i, t)
        self.fields = [("bf%d" % i, "bits.bf%d" % i, t, self.rnd.randint(1, t[2]))
                       for i, t in enumerate(TYPES)]

    def variable(self, place, i, t):
        c = f"v{i}"
        kind = place.split("[")[0].split(".")[0]
        if place == "g":
            d = c
            self.decls.append(f"{t[0]} {d};")
        elif place in ("self->s", "this->t"):
            d = place[:6] + c
            self.decls.append(f"{place[:4]} {t[0]} {c};")
        elif place == "a[1]":
            d = f"{c}[{i}]"
            self.decls.append(f"{t[0]} {c}[int];")
        elif kind == "a":
            d = f"{c}[{i}, \"x\"]"
            self.decls.append(f"{t[0]} {c}[int, string];")
        elif kind == "arr":
            d = f"{c}[idx]"
            self.decls.append(f"{t[0]} {c}[5];")
        else:
            base = {"st": "st", "self->st": "self->st", "sa": "sa[7]"}[kind]
            d = f"{base}.{c}"
            self.members.append(f"{t[0]} {c};")
        self.vars.append((d, c, t))

    def value(self, t):
        bits, signed = t[2], t[3]
        low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
        v = self.rnd.choice([0, 1, 2, -1, low, high, high - 1, self.rnd.randint(low, high),
                             self.rnd.randint(-100, 100), 1 << self.rnd.randrange(bits)])
        return v & (1 << bits) - 1

    def constant(self):
        v = self.rnd.choice([0, 1, 2, 3, 7, 10, 100, 255, 256, 32767, 65535, 1000000,
                             2147483647, 2147483648, 4294967295, 4294967296,
                             0x7fffffffffffffff, self.rnd.getrandbits(31), self.rnd.getrandbits(62)])
        kind = self.rnd.choice(["", "", "", "u", "ll", "ull", "x"])
        if kind == "x":
            for t in (TYPES[4], TYPES[5], TYPES[6], TYPES[7]):
                if v < 1 << t[2] - t[3]:
                    break
            return Expr(hex(v), f"{v}ull", t, True)
        t = {"": INT if v < 1 << 31 else INT64, "u": TYPES[5] if v < 1 << 32 else TYPES[7],
             "ll": INT64, "ull": TYPES[7]}[kind]
        return Expr(f"{v}{kind}", f"{v}ull", t, True)

    def leaf(self, const_ok=True):
        r = self.rnd.random()
        if const_ok and r < 0.2:
            return self.constant()
        if r < 0.3:
            d, c, t, _ = self.rnd.choice(self.fields)
            return Expr("st." + d, cut(t, c), t)  # GCC computes with its width
        d, c, t = self.rnd.choice(self.vars)
        return Expr(d, cut(t, c), t)

    def binary(self, depth):
        a = self.expr(depth - 1)
        b = self.expr(depth - 1, not a.const)
        op = self.rnd.choice(MIX + MIX + COMPARE + ["<<", ">>", "&&", "||", "^^"])
        if op in ("<<", ">>"):
            count = cut(INT64, cut(b.t, b.c))
            shift = f"({a.c} << ({count} & 63))" if op == "<<" else \
                f"SHR({int(a.t[3])}, {a.c}, {count} & 63)"
            return Expr(f"({a.d} {op} {b.d})", shift, a.t)
        if op in ("&&", "||"):
            return Expr(f"({a.d} {op} {b.d})", f"(uint64_t)({a.c} {op} {b.c})", INT)
        if op == "^^":
            return Expr(f"({a.d} ^^ {b.d})", f"(uint64_t)(!{a.c} != !{b.c})", INT)
        t = b.t if rank(b.t) > rank(a.t) else a.t
        x, y = a.to(t), b.to(t)
        if op in COMPARE:
            kind = "int64_t" if t[3] else "uint64_t"
            return Expr(f"({a.d} {op} {b.d})", f"(uint64_t)(({kind}){x} {op} ({kind}){y})", INT)
        if op in ("/", "%"):
            # No zero: the last bit is set, in every width.
            one = Expr("1", "1ull", INT, True)
            bt = one.t if rank(one.t) > rank(b.t) else b.t
            b = Expr(f"({b.d} | 1)", f"({b.to(bt)} | {one.to(bt)})", bt)
            t = b.t if rank(b.t) > rank(a.t) else a.t
            name = ("DIV" if op == "/" else "MOD") + ("S" if t[3] else "U")
            return Expr(f"({a.d} {op} {b.d})", f"{name}({a.to(t)}, {b.to(t)})", t)
        return Expr(f"({a.d} {op} {b.d})", f"({x} {op} {y})", t)

    def unary(self, depth):
        a = self.expr(depth - 1, False)
        op = self.rnd.choice(["-", "~", "!", "+"])
        if op == "!":
            return Expr(f"(!{a.d})", f"(uint64_t)(!{a.c})", INT)
        return Expr(f"({op}{a.d})", f"({op}{a.c})", a.t)

    def expr(self, depth, const_ok=True):
        r = self.rnd.random()
        if depth <= 0 or r < 0.08:
            return self.leaf(const_ok)
        if r < 0.2:
            return self.unary(depth)
        if r < 0.3:
            t = self.rnd.choice(TYPES)
            a = self.expr(depth - 1, False)
            return Expr(f"(({t[0]}){a.d})", cut(t, cut(a.t, a.c)), t)
        if r < 0.38:
            c = self.expr(depth - 1, False)
            a, b = self.expr(depth - 1), self.expr(depth - 1)
            t = b.t if rank(b.t) > rank(a.t) else a.t
            return Expr(f"({c.d} ? {a.d} : {b.d})", f"({c.c} ? {a.to(t)} : {b.to(t)})", t)
        e = self.binary(depth)
        return self.binary(depth) if e.const and not const_ok else e

    # ---- statements: (D, C) ----

    def record(self, d, c, t):
        if self.rnd.random() < 0.5:
            conv = "d" if t[3] else "u"
            kind = "lld" if t[3] else "llu"
            cast = "long long" if t[3] else "unsigned long long"
            return (f'printf("%{conv}\\n", {d});', f'printf("%{kind}\\n", ({cast}){cut(t, c)});')
        return (f"r = {d}; printf(\"%x\\n\", r);",
                f"printf(\"%llx\\n\", (unsigned long long){cut(t, c)});")

    def assign(self):
        d, c, t = self.rnd.choice(self.vars)
        b = self.expr(2, False)
        op = self.rnd.choice(["=", "+", "-", "*", "&", "|", "^", "<<", ">>"])
        if op == "=":
            dd, cc = f"{d} = {b.d};", f"{c} = {cut(t, cut(b.t, b.c))};"
        elif op in ("<<", ">>"):
            old, n = cut(t, c), f"({cut(INT64, cut(b.t, b.c))} & 63)"
            v = f"({old} << {n})" if op == "<<" else f"SHR({int(t[3])}, {old}, {n})"
            dd, cc = f"{d} {op}= {b.d};", f"{c} = {cut(t, v)};"
        else:
            at = b.t if rank(b.t) > rank(t) else t
            v = f"({cut(at, cut(t, c))} {op} {b.to(at)})"
            dd, cc = f"{d} {op}= {b.d};", f"{c} = {cut(t, v)};"
        rd, rc = self.record(d, cut(t, c), t)
        return dd + " " + rd, cc + " " + rc

    def step(self):
        d, c, t = self.rnd.choice(self.vars)
        op, sign = self.rnd.choice([("++", "+"), ("--", "-")])
        new = f"{c} = {cut(t, f'({c} {sign} 1)')};"
        if self.rnd.random() < 0.5:
            rd, rc = self.record(f"{op}{d}", cut(t, c), t)
            return rd, new + " " + rc
        rd, rc = self.record(f"{d}{op}", cut(t, c), t)
        return rd, rc + " " + new

    def field(self):
        d, c, t, bits = self.rnd.choice(self.fields)
        b = self.expr(2, False)
        rd, rc = self.record("st." + d, c, t)
        return f"st.{d} = {b.d}; {rd}", f"{c} = {cut(t, cut(b.t, b.c))}; {rc}"

    def statement(self):
        r = self.rnd.random()
        if r < 0.12:
            return self.assign()
        if r < 0.18:
            return self.step()
        if r < 0.22:
            return self.field()
        e = self.expr(self.rnd.choice([1, 2, 2, 3, 3, 4]), False)
        return self.record(e.d, e.c, e.t)

    def clause(self, n):
        d, c = [], []
        for name, cname, t in self.vars:
            if name.startswith("this->") or self.rnd.random() < 0.5:
                v = self.value(t)
                d.append(f"{name} = ({t[0]}){hex(v)};")
                c.append(f"{cname} = {cut(t, f'{v}ull')};")
        for _ in range(n):
            x, y = self.statement()
            d.append(x)
            c.append(y)
        return "BEGIN\n{\n\t" + "\n\t".join(d) + "\n}\n", "static void clause%d(void)\n{\n\t" + \
            "\n\t".join(c) + "\n}\n"


C_HEAD = r"""#include <stdint.h>
#include <stdio.h>
#define CUT(T, x) ((uint64_t)(T)(x))
#define SHR(is_signed, a, n) ((is_signed) ? (uint64_t)((int64_t)(a) >> (n)) : (a) >> (n))
static uint64_t DIVS(uint64_t a, uint64_t b)
{
	return b == ~0ull ? -a : (uint64_t)((int64_t)a / (int64_t)b);
}
static uint64_t MODS(uint64_t a, uint64_t b)
{
	return b == ~0ull ? 0 : (uint64_t)((int64_t)a % (int64_t)b);
}
#define DIVU(a, b) ((a) / (b))
#define MODU(a, b) ((a) % (b))
"""


def main():
    seed, clauses, per = (int(x) for x in sys.argv[1:4])
    g = Gen(seed)
    d = ["#pragma D option quiet", "#pragma D option bufsize=8m"]
    fields = [f"{t[0]} {name}:{bits};" for name, _, t, bits in g.fields]
    d.append("struct st {\n\t" + "\n\t".join(g.members + fields) + "\n};")
    d += ["struct st st;", "self struct st st;", "struct st sa[int];", "int64_t r;", "int idx;"]
    d += g.decls
    d.append("BEGIN { idx = 3; }")
    c = [C_HEAD]
    c += [f"static uint64_t {name};" for _, name, _ in g.vars]
    # One bit-field of C each: D does not pack them, their values are the same.
    c.append("static struct {\n\t" + "\n\t".join(
        f"{t[1]} {name}:{bits};" for name, _, t, bits in g.fields) + "\n} bits;")
    main_body = []
    for i in range(clauses):
        x, y = g.clause(per)
        d.append(x)
        c.append(y.replace("clause%d", f"clause{i}", 1))
        main_body.append(f"\tclause{i}();")
    d.append("BEGIN { exit(0); }")
    c.append("int main(void)\n{\n" + "\n".join(main_body) + "\n\treturn 0;\n}")
    with open(sys.argv[4], "w") as f:
        f.write("\n".join(d) + "\n")
    with open(sys.argv[5], "w") as f:
        f.write("\n".join(c) + "\n")


main()
