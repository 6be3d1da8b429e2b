#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Calls of string subroutines with made-up arguments, and what they must give.

usage: subr_gen.py SEED COUNT PROGRAM EXPECTED

Writes a D program and its output. What is expected is computed here from what the functions are
defined to do, by other means than theirs.
"""
import json
import posixpath
import random
import sys

seed, count, program, expected = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4]
rnd = random.Random(seed)
calls = []


def quoted(s):
    return '"' + "".join({'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t"}.get(c, c)
                         for c in s) + '"'


def text(alphabet, most):
    return "".join(rnd.choice(alphabet) for _ in range(rnd.randint(0, most)))


def add(expr, want):
    calls.append((expr, want))


def substr():
    s, i = text("abcdefgh", 20), rnd.randint(-25, 25)
    if rnd.random() < 0.2:
        start = i + len(s) if i < 0 else i
        add(f"substr({quoted(s)}, {i})", s[max(start, 0):])
        return
    n = rnd.randint(-25, 25)
    start = i + len(s) if i < 0 else i
    end = len(s) + n if n < 0 else start + n
    start, end = max(start, 0), min(end, len(s))
    add(f"substr({quoted(s)}, {i}, {n})", s[start:end] if start < end else "")


def index():
    s, sub = text("ab", 30), text("ab", 4)
    if rnd.random() < 0.5:
        add(f"lltostr(index({quoted(s)}, {quoted(sub)}))", str(s.find(sub)))
        add(f"lltostr(rindex({quoted(s)}, {quoted(sub)}))", str(s.rfind(sub)))
        return
    at = rnd.randint(-3, 33)
    if not sub:
        first = last = min(max(at, 0), len(s))
    else:
        first = s.find(sub, max(at, 0))
        last = s.rfind(sub, 0, at + len(sub)) if at >= 0 else -1
    add(f"lltostr(index({quoted(s)}, {quoted(sub)}, {at}))", str(first))
    add(f"lltostr(rindex({quoted(s)}, {quoted(sub)}, {at}))", str(last))


def search():
    s, sub, c = text("abc", 40), text("abc", 4), rnd.choice("abcx")
    for call, at in ((f"strstr({quoted(s)}, {quoted(sub)})", s.find(sub)),
                     (f"strchr({quoted(s)}, '{c}')", s.find(c)),
                     (f"strrchr({quoted(s)}, '{c}')", s.rfind(c))):
        if at < 0:
            add(f'{call} == NULL ? "NULL" : "?"', "NULL")
        else:
            add(call, s[at:])


def paths():
    s = "".join(rnd.choice(["/", "/", ".", "..", "a", "bc", "..."])
                for _ in range(rnd.randint(0, 12)))
    stripped = s.rstrip("/")
    base = "." if not s else "/" if not stripped else stripped.rsplit("/", 1)[-1]
    head = stripped[:len(stripped) - len(stripped.rsplit("/", 1)[-1])] if stripped else ""
    directory = (head.rstrip("/") or "/") if head else "/" if s and not stripped else "."
    add(f"basename({quoted(s)})", base)
    add(f"dirname({quoted(s)})", directory)
    clean = posixpath.normpath(s) if s else ""
    add(f"cleanpath({quoted(s)})", "/" + clean.lstrip("/") if clean.startswith("/") else clean)


def numbers():
    v = rnd.choice([rnd.randint(-2**63, 2**63 - 1), rnd.randint(-300, 300)])
    base = rnd.randint(2, 36)
    n, digits = v if base == 10 else v % 2**64, ""
    sign, n = ("-", -n) if n < 0 else ("", n)
    prefix = "0x" if base == 16 else "0" if base == 8 and n else ""
    while n or not digits:
        n, d = divmod(n, base)
        digits = "0123456789abcdefghijklmnopqrstuvwxyz"[d] + digits
    literal = f"(-{-v - 1}LL - 1)" if v < 0 else f"{v}LL"
    add(f"lltostr({literal}, {base})", sign + prefix + digits)
    blanks, minus = text(" \t", 3), rnd.choice(["", "-", "+"])
    body = text("0123456789abcXYZ", 8)
    kept = ""
    for c in body:
        if int(c, 36) >= base:
            break
        kept += c
    want = int(kept, base) if kept else 0
    add(f"lltostr(strtoll({quoted(blanks + minus + body)}, {base}))",
        str(-want if minus == "-" else want))


def case():
    s = "".join(chr(rnd.randint(32, 126)) for _ in range(rnd.randint(0, 30)))
    add(f"tolower({quoted(s)})", s.lower())
    add(f"toupper({quoted(s)})", s.upper())


def tokens():
    s, delims = text("abc,; ", 25), text(",; ", 3)
    left, got = s, []
    while True:
        left = left.lstrip(delims) if delims else left
        if not left:
            break
        end = min([left.find(d) for d in delims if d in left] or [len(left)])
        got.append(left[:end])
        left = left[end + 1:]
    first = quoted(s)
    for t in got:
        add(f"strtok({first}, {quoted(delims)})", t)
        first = "NULL"
    add(f'strtok({first}, {quoted(delims)}) == NULL ? "NULL" : "?"', "NULL")


def value(depth):
    kind = rnd.randint(0, 7 if depth else 4)
    if kind <= 1:
        return rnd.choice([True, False, None])
    if kind == 2:
        return rnd.choice([rnd.randint(-1000, 1000), 1.5, -2.5e30])
    if kind <= 4:
        return text('ab{}[],:"\\ ', 6)
    if kind == 5:
        return [value(depth - 1) for _ in range(rnd.randint(0, 3))]
    return {k: value(depth - 1) for k in rnd.sample(["a", "b", "ab", "x y", "{"], rnd.randint(0, 3))}


def selectors():
    spaces = rnd.choice([None, (", ", ": "), (" , ", " :")])
    top = rnd.choice([list, dict])
    v = None
    while not isinstance(v, top):
        v = value(3)
    raw = json.dumps(v, separators=spaces)
    path, at = "", v
    while isinstance(at, (list, dict)) and (not path or rnd.random() < 0.8):
        if isinstance(at, list):
            i = rnd.randint(0, 3)
            path += f"[{i}]"
            at = at[i] if i < len(at) else KeyError
        else:
            k = rnd.choice(["a", "b", "ab", "x y", "{"])
            path += ("." if path else "") + k
            at = at.get(k, KeyError)
    if len(raw) > 250:
        return
    call = f"json({quoted(raw)}, {quoted(path)})"
    if at is KeyError:
        add(f'{call} == NULL ? "NULL" : "?"', "NULL")
        return
    add(call, json.dumps(at, separators=spaces)[1:-1] if isinstance(at, str) else
        json.dumps(at, separators=spaces))


kinds = (substr, index, search, paths, numbers, case, tokens, selectors)
with open(program, "w", encoding="ascii") as d, open(expected, "w", encoding="ascii") as out:
    while len(calls) < count:
        n = len(calls)
        rnd.choice(kinds)()
        d.write("BEGIN {\n")
        for expr, want in calls[n:]:
            d.write(f'\tprintf("[%s]\\n", {expr});\n')
            out.write(f"[{want}]\n")
        d.write("}\n")
