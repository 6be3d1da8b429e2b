# SPDX-License-Identifier: BSD-2-Clause
"""storage_gen.py SEED STATEMENTS D OUT: writes a program that assigns to variables of every class and to parts of them
(members, elements, bit-fields, strings, whole structures, memory of alloca()), in branches too, and what must be printed for
it by a model that knows nothing of dtrace's code: a dictionary from places to values."""
import random
import sys

rnd = random.Random(sys.argv[1])
STATEMENTS = int(sys.argv[2])

TYPES = {'int8_t': (8, 1), 'uint8_t': (8, 0), 'int16_t': (16, 1), 'uint16_t': (16, 0),
         'int32_t': (32, 1), 'uint32_t': (32, 0), 'int64_t': (64, 1), 'uint64_t': (64, 0)}
NAMES = {t: n for n, t in TYPES.items()}
INT, LONG = (32, 1), (64, 1)
# Members of struct s that are numbers: type, and for bit-fields their width.
MEMBERS = [('a', (8, 1), 8), ('b', (16, 0), 16), ('c', (32, 1), 32), ('d', (64, 0), 64), ('f', (32, 1), 5),
           ('g', (32, 0), 11), ('in.x', (8, 0), 8), ('in.y', (64, 1), 64), ('h', (64, 1), 33), ('k', (8, 0), 1)]
MEMBERS += [(f'arr[{i}]', (16, 1), 16) for i in range(4)]
STRUCTS = '''struct in { uint8_t x; int64_t y; };
struct s {
	int8_t a; uint16_t b; int32_t c; uint64_t d; int32_t f:5; uint32_t g:11; int16_t arr[4]; struct in in; string s;
	char t[8]; int64_t h:33; uint8_t k:1;
};
struct s gs; this struct s ts; self struct s ss; struct s as[int]; self struct s sas[int]; struct s gsa[2];
int32_t ga[5]; int8_t gm[3][2]; this uint16_t ta[5]; self int64_t sa[5];
int16_t x1[int]; uint32_t x2[int, string]; self int8_t x3[string];
string s0; this string s1; self string s2; string s3[int];
'''
HOLDERS = {'gs': 'gs.', 'this->ts': 'this->ts.', 'self->ss': 'self->ss.', 'as[1]': 'as[1].', 'as[2]': 'as[2].',
           'self->sas[7]': 'self->sas[7].', 'gsa[0]': 'gsa[0].', 'gsa[1]': 'gsa[1].', '*this->p': 'this->p->'}
NULLABLE = ['self->s2', 's3[4]', 'this->s1']

store, kinds, numbers, strings = {}, {}, [], []


def cut(v, bits, signed):
    v &= (1 << bits) - 1
    return v - (1 << bits) if signed and v >> (bits - 1) else v


def number(place, kind, width=None):
    numbers.append(place)
    kinds[place] = (kind, width or kind[0])
    store[place] = 0


def put(place, v):
    (bits, signed), width = kinds[place]
    store[place] = cut(v, width, signed)


def declare():
    text = STRUCTS
    for name, kind in TYPES.items():
        text += f'{name} g_{name}; this {name} t_{name}; self {name} s_{name};\n'
        for prefix in 'g_', 'this->t_', 'self->s_':
            number(prefix + name, kind)
    for i in range(5):
        number(f'ga[{i}]', (32, 1))
        number(f'this->ta[{i}]', (16, 0))
        number(f'self->sa[{i}]', (64, 1))
    for i in range(6):
        number(f'gm[{i // 2}][{i % 2}]', (8, 1))
    for i in range(3):
        number(f'x1[{i}]', (16, 1))
        number(f'x2[{i}, "k{i}"]', (32, 0))
        number(f'self->x3["q{i}"]', (8, 1))
    for prefix in HOLDERS.values():
        for member, kind, width in MEMBERS:
            number(prefix + member, kind, width)
        strings.append(prefix + 's')
    strings.extend(['s0'] + NULLABLE)
    for place in strings:
        store[place] = None if place in ('self->s2', 's3[4]') else ''
    return text + 'int ' + ', '.join(f'n{i}' for i in range(8)) + ';\n'


def spell(place):
    """The same place, perhaps by an index that is known at run time only: n3 is 3."""
    head, bracket, rest = place.partition('[')
    index, _, rest = rest.partition(']')
    if bracket and index.isdigit() and rnd.random() < .5:
        return f'{head}[n{index}]{rest}'
    return place


def literal():
    v = rnd.choice([0, 1, 2, 3, 5, -1, -2, -7, 127, 128, 255, 256, -128, -129, 32767, 65535, 100000, 2**31 - 1,
                    -2**31, 2**32, 2**40 + 3, -2**40, 2**63 - 1])
    return f'({v})' if v < 0 else str(v), v, INT if abs(v) < 2**31 else LONG


def atom():
    if rnd.random() < .35:
        return literal()
    place = rnd.choice(numbers)
    return spell(place), store[place], kinds[place][0]


def common(a, b):
    """D's rule: the wider of both; at equal width the unsigned one."""
    return a if a[0] + 1 - a[1] >= b[0] + 1 - b[1] else b


def calculate(op, a, b):
    if op in '/%':
        q = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
        return q if op == '/' else a - q * b
    return {'+': a + b, '-': a - b, '*': a * b, '&': a & b, '|': a | b, '^': a ^ b}[op]


def compare(op, a, b):
    return {'==': a == b, '!=': a != b, '<': a < b, '>': a > b, '<=': a <= b, '>=': a >= b}[op]


def string_condition():
    place = rnd.choice(strings)
    value = store[place]
    if value is None or rnd.random() < .2:
        op = rnd.choice(['==', '!='])
        return f'({spell(place)} {op} NULL)', (value is None) == (op == '==')
    other = rnd.choice(strings)
    text, right = spell(other), store[other]
    if right is None or rnd.random() < .5:
        right = rnd.choice(['', 'a', 'abc', value or 'z'])
        text = f'"{right}"'
    op = rnd.choice(['==', '!=', '<', '>', '<=', '>='])
    return f'({spell(place)} {op} {text})', compare(op, value, right)


def condition(depth):
    choice = rnd.random()
    if choice < .12:
        return string_condition()
    if depth <= 0 or choice < .5:
        (a, av, at), (b, bv, bt) = expression(depth - 1), expression(depth - 1)
        kind = common(at, bt)
        op = rnd.choice(['==', '!=', '<', '>', '<=', '>='])
        return f'({a} {op} {b})', compare(op, cut(av, *kind), cut(bv, *kind))
    a, av = condition(depth - 1)
    if choice < .6:
        return '!' + a, not av
    b, bv = condition(depth - 1)
    op = rnd.choice(['&&', '||', '^^'])
    return f'({a} {op} {b})', {'&&': av and bv, '||': av or bv, '^^': av != bv}[op]


def expression(depth):
    """Text, value and type. Each operation has a cast around it, so that the model need not know of chains."""
    if depth <= 0 or rnd.random() < .45:
        return atom()
    a, av, at = expression(depth - 1)
    if rnd.random() < .2:
        name = rnd.choice(list(TYPES))
        return f'({name})({a})', cut(av, *TYPES[name]), TYPES[name]
    b, bv, bt = expression(depth - 1)
    kind = common(at, bt)
    av, bv = cut(av, *kind), cut(bv, *kind)
    if rnd.random() < .25:
        c, cv = condition(depth - 1)
        return f'({c} ? {a} : {b})', av if cv else bv, kind
    op = rnd.choice('+-*&|^/%' if bv else '+-*&|^')
    return f'(({NAMES[kind]})({a} {op} {b}))', cut(calculate(op, av, bv), *kind), kind


def string_expression(depth):
    choice = rnd.random()
    place = rnd.choice(strings)
    if choice < .6 and store[place] is not None:
        return spell(place), store[place]
    if choice < .6 or depth <= 0:
        word = rnd.choice(['', 'a', 'abc', 'hello', 'zz9'])
        return f'"{word}"', word
    (a, av), (b, bv) = string_expression(depth - 1), string_expression(depth - 1)
    if choice < .75:
        c, cv = condition(1)
        return f'({c} ? {a} : {b})', av if cv else bv
    return f'strjoin({a}, {b})', (av + bv)[:255]


def branch(depth, live):
    c, cv = condition(2)
    text = f'if ({c}) {{ ' + statements(depth + 1, live and cv, rnd.randint(1, 3)) + '}'
    if rnd.random() < .5:
        text += ' else { ' + statements(depth + 1, live and not cv, rnd.randint(1, 3)) + '}'
    return text + '\n'


def assign_string():
    place = rnd.choice(strings)
    if place in NULLABLE and rnd.random() < .2:
        store[place] = None
        return f'{spell(place)} = NULL;\n'
    text, value = string_expression(2)
    store[place] = value
    return f'{spell(place)} = {text};\n'


def assign_struct():
    to, of = rnd.choice(list(HOLDERS)), rnd.choice(list(HOLDERS))
    for member in [m for m, _, _ in MEMBERS] + ['s']:
        store[HOLDERS[to] + member] = store[HOLDERS[of] + member]
    return f'{to} = {of};\n'


def step():
    place, to = rnd.sample(numbers, 2)
    op = rnd.choice(['++', '--'])
    old = store[place]
    put(place, old + (1 if op == '++' else -1))
    if rnd.random() < .5:
        put(to, store[place])
        return f'{spell(to)} = {op}{spell(place)};\n'
    put(to, old)
    return f'{spell(to)} = {spell(place)}{op};\n'


def assign():
    place = rnd.choice(numbers)
    text, value, _ = expression(2)
    put(place, value)
    return f'{spell(place)} = {text};\n'


def combine():
    place = rnd.choice(numbers)
    kind = kinds[place][0]
    if rnd.random() < .2:
        op, n = rnd.choice(['<<', '>>']), rnd.randrange(kind[0])
        put(place, store[place] << n if op == '<<' else store[place] >> n)
        return f'{spell(place)} {op}= {n};\n'
    text, value, right = expression(1)
    kind = common(kind, right)
    value = cut(value, *kind)
    op = rnd.choice('+-*&|^/%' if value else '+-*&|^')
    put(place, calculate(op, cut(store[place], *kind), value))
    return f'{spell(place)} {op}= {text};\n'


def statements(depth, live, n):
    """What is not live is written, but not done."""
    text = ''
    for _ in range(n):
        before = None if live else dict(store)
        choice = rnd.random()
        if choice < .12 and depth < 3:
            text += branch(depth, live)
        else:
            text += rnd.choice([assign, assign, combine, combine, step, assign_string, assign_struct])()
        if before:
            store.update(before)
    return text


def show(places):
    want.append(' '.join(str(store[p]) for p in places))
    return 'printf("' + ' '.join(['%d'] * len(places)) + '\\n", ' + ', '.join(places) + ');'


def show_string(place):
    if store[place] is None:
        want.append('1')
        return f'printf("%d\\n", {place} == NULL);'
    want.append(f'[{store[place]}]')
    return f'printf("[%s]\\n", {place});'


want = []
program = declare() + 'BEGIN { ' + ' '.join(f'n{i} = {i};' for i in range(8)) + ' }\n'
for _ in range(rnd.randint(1, 4)):
    for place in list(store):
        if place.startswith('this->p->'):
            store[place] = '' if place in strings else 0
    program += 'BEGIN {\nthis->p = (struct s *)alloca(sizeof (struct s));\n'
    program += statements(0, True, rnd.randint(3, STATEMENTS)) + show(rnd.choices(numbers, k=10)) + '\n}\n'
lasting = [p for p in numbers if not p.startswith('this->p->')]
for i in range(0, len(lasting), 12):
    program += 'BEGIN { ' + show(lasting[i:i + 12]) + ' }\n'
for place in strings:
    if not place.startswith('this->p->'):
        program += 'BEGIN { ' + show_string(place) + ' }\n'
with open(sys.argv[3], 'w') as f:
    f.write(program + 'BEGIN { exit(0); }\n')
with open(sys.argv[4], 'w') as f:
    f.write('\n'.join(want) + '\n\n')
