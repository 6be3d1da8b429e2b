#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Made-up D programs that are right by the rules of the language.

usage: cg_gen.py SEED COUNT [FIRST [FUNCTION...]]

Writes COUNT programs (0: without end), each behind a line "#!cg SEED-NUMBER KIND" (cgload.c), beginning
with number FIRST. The FUNCTIONs named are not used (cgload -l). A program depends on these, on seed and
number alone. KIND is "load", or "run" for those that have nothing but BEGIN, END and ERROR and do no harm.
Actions, subroutines and built-in variables are read from the tables of the compiler, so that new rows are
used without a change here.
"""
import os
import random
import re
import sys

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")

INTS = ["char", "signed char", "unsigned char", "short", "unsigned short", "int", "unsigned int",
        "long", "unsigned long", "long long", "unsigned long long", "int8_t", "uint8_t", "int16_t",
        "uint16_t", "int32_t", "uint32_t", "int64_t", "uint64_t", "size_t", "pid_t", "uid_t",
        "enum color", "hash_t"]
# Each class of type once: these make up most variables, so that all classes meet.
PLAIN = ["int8_t", "int16_t", "int32_t", "int64_t", "uint8_t", "uint16_t", "uint32_t", "uint64_t"]
ARITH = ["+", "-", "*", "&", "|", "^"]
DIVIDE = ["/", "%"]
SHIFT = ["<<", ">>"]
COMPARE = ["==", "!=", "<", "<=", ">", ">="]
LOGIC = ["&&", "||", "^^"]
WORDS = ["", "a", "abc", "/usr/lib/../bin//env", "name=value,other", "0x1f", "-123", "{\\\"k\\\":[1,{\\\"b\\\":2}]}",
         "Mixed Case", "10.0.0.1", "%d", "\\t\\n", "x" * 70]

TYPES = """enum color { RED, GREEN = 5, BLUE = -3 };
typedef unsigned int hash_t;
struct point { int x; short y; };
struct all {
	int8_t i8; int16_t i16; int32_t i32; int64_t i64;
	uint8_t u8; uint16_t u16; uint32_t u32; uint64_t u64;
	int f1:3; unsigned int f2:11; int64_t f3:33; uint8_t f4:5;
	enum color e;
	struct point in, many[3];
	int64_t nums[4]; uint8_t bytes[8]; string strs[2]; int *ptrs[2];
	char text[12];
	string s; int *p; struct point *pp;
	union { long whole; struct { int low, high; } half; } u;
};
translator struct point < int i > { x = i + 1; y = i * i; };
translator struct all < struct point *q > { i32 = q->x; s = "t"; in = xlate <struct point> (q->y); };
"""
PLAIN_MEMBERS = ["i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"]  # as in PLAIN
INT_MEMBERS = PLAIN_MEMBERS * 2 + ["f1", "f2", "f3", "f4", "e", "in.x", "in.y", "u.whole", "u.half.low", "u.half.high"]

KERNEL_INTS = ["curthread->pid", "curthread->tgid", "curthread->prio", "curthread->start_time",
               "curthread->se.vruntime", "curthread->real_parent->tgid", "curthread->mm->total_vm",
               "curthread->in_iowait", "curthread->cred->uid.val", "curthread->comm[{i} & 15]",
               "curthread->signal->nr_threads", "curthread->group_leader->static_prio",
               "`runqueues.nr_running", "vmlinux`runqueues.cpu", "curcpu->cpu_id",
               "curpsinfo->pr_pid", "curpsinfo->pr_uid", "curpsinfo->pr_rssize", "curpsinfo->pr_pgid",
               "curpsinfo->pr_start.tv_sec", "curlwpsinfo->pr_lwpid", "curlwpsinfo->pr_state",
               "curlwpsinfo->pr_pri", "fds[{i}].fi_oflags", "fds[{i}].fi_offset", "SIGINT", "EPERM",
               "DTRACEFLT_DIVZERO", "O_RDWR", "(int)curcpu->cpu_chip", "$pid", "$1"]
KERNEL_STRINGS = ["curthread->comm", "curthread->real_parent->comm", "curpsinfo->pr_psargs",
                  "curpsinfo->pr_fname", "curlwpsinfo->pr_name", "fds[{i}].fi_name", "fds[{i}].fi_pathname",
                  "fds[{i}].fi_fs", "fds[{i}].fi_dirname", "cwd",
                  "stringof(curthread->fs->root.mnt->mnt_root->d_name.name)",
                  "stringof(curthread->comm)", "$$2"]
KERNEL_POINTERS = ["&`vfs_read", "curthread", "curthread->mm", "&curthread->pid", "curthread->stack", "curthread->comm"]

# Descriptions; what args[] gives there: numbers, then strings.
PROBES = [
    ("syscall::read:entry", ["args[0]", "args[2]"], ["copyinstr(arg1)"]),
    ("syscall::write:return", ["args[0]", "errno"], []),
    ("syscall::open*:entry", [], ["copyinstr(arg1)", "copyinstr(arg1, 64)"]),
    ("syscall:::entry", [], []),
    ("syscall:::return", [], []),
    ("profile:::tick-1s", ["args[0]", "args[1]"], []),
    ("profile:::profile-97", ["args[1]"], []),
    ("profile:::tick-10ms", [], []),
    ("proc:::exec", [], ["copyinstr(arg0)", "stringof(args[0])"]),
    ("proc:::exec-failure", ["args[0]"], []),
    ("proc:::exec-success", [], []),
    ("proc:::lwp-create", ["args[0]->pr_lwpid", "args[1]->pr_pid"], ["args[1]->pr_fname", "args[1]->pr_psargs"]),
    ("proc:::create", ["args[0]->pr_ppid"], ["args[0]->pr_fname"]),
    ("proc:::exit", ["args[0]"], []),
    ("proc:::start", [], []),
    ("proc:::signal-send", ["args[2]", "args[0]->pr_flag", "args[1]->pr_nlwp"], ["args[1]->pr_psargs"]),
    ("proc:::signal-handle", ["args[0]", "args[1]->si_code"], []),
    ("proc:::fault", ["args[0]"], []),
    ("sched:::off-cpu", ["args[0]->pr_pri", "args[1]->pr_pid"], ["args[1]->pr_fname", "args[0]->pr_name"]),
    ("sched:::enqueue", ["args[2]->cpu_id", "args[0]->pr_onpro"], ["args[0]->pr_name"]),
    ("sched:::wakeup", ["args[0]->pr_state"], ["args[1]->pr_fname"]),
    ("sched:::sleep", [], []),
    ("io:::start", ["args[0]->b_bcount", "args[0]->b_flags", "args[1]->dev_minor", "args[2]->fi_offset"],
     ["args[1]->dev_statname", "args[1]->dev_name", "args[2]->fi_pathname"]),
    ("io:::done", ["args[0]->b_blkno", "args[1]->dev_major"], ["args[1]->dev_pathname"]),
    ("vminfo:::as_fault", ["args[0]"], []),
    ("sysinfo:::pswitch", ["arg0"], []),
    ("sysinfo:::readch", ["arg0"], []),
    ("ip:::send", ["args[2]->ip_plength", "args[4]->ipv4_ttl"], ["args[2]->ip_saddr", "args[3]->if_name"]),
    ("tcp:::receive", ["args[4]->tcp_dport", "args[4]->tcp_flags"], ["args[2]->ip_daddr"]),
    ("tcp:::state-change", ["args[3]->tcps_state", "args[5]->tcps_state"], ["args[3]->tcps_raddr"]),
    ("udp:::send", ["args[4]->udp_length"], ["args[2]->ip_saddr"]),
    ("mib:::tcpActiveOpens", ["arg0"], []),
    ("rawtp:::sched_switch", ["args[1]->pid", "args[2]->prio", "args[0]"], ["args[2]->comm"]),
    ("rawtp:::sys_enter", ["args[1]"], []),
    ("rawtp:::sched_process_exec", ["args[0]->tgid", "args[1]"], ["stringof(args[2]->filename)"]),
    ("sdt:::sched_switch", ["args[1]", "args[2]", "args[6]"], ["stringof(args[0])", "stringof(args[4])"]),
    ("sdt:::kfree", ["arg0"], []),
]


def table(name, word):
    """The rows of a .def file: lists of their columns, strings without quotes."""
    with open(os.path.join(TOP, "src", "lang", name), encoding="ascii") as f:
        text = re.sub(r"/\*.*?\*/", "", f.read(), flags=re.S)
    rows = re.findall(r"^" + word + r"\((.*?)\)\s*$", text, flags=re.M | re.S)
    return [[re.sub(r'\s+', ' ', c).strip().strip('"') for c in re.findall(r'\s*("[^"]*"|[^,]+)', r)] for r in rows]


class Func:
    def __init__(self, row):
        self.name, self.kind, self.flags = row[1], row[2], row[3]
        proto = row[4]
        self.ret = proto[:proto.index("(")].strip()
        self.least, self.params = 0, []
        optional = False
        for p in proto[proto.index("(") + 1:proto.rindex(")")].split(","):
            p = p.strip()
            if p.startswith("["):
                optional, p = True, p[1:].strip()
            if p and p != "...":
                self.params.append(p)
                self.least += not optional


FUNCS = [f for f in map(Func, table("func.def", "FUNC"))
         if "FUNC_EMIT" in f.flags and f.name not in sys.argv[4:]]
SUBRS = [f for f in FUNCS if f.kind == "FUNC_SUBR"]
ACTIONS = [f for f in FUNCS if f.kind == "FUNC_ACTION"]
AGGFUNCS = [f.name for f in FUNCS if f.kind == "FUNC_AGG"]
BUILTINS = [(r[1], r[2]) for r in table("builtin.def", "BUILTIN") if "BUILT" in r[3] and "ARRAY" not in r[3]]
BUILTIN_STRINGS = [b for b, t in BUILTINS if t == "string"]
BUILTIN_INTS = [b for b, t in BUILTINS if t != "string" and "*" not in t]
OWN = {"copyout", "copyoutstr", "raise", "stop"}  # may hurt the process that runs them


class Program:
    def __init__(self, rnd, kind):
        self.rnd, self.kind = rnd, kind
        self.ints, self.strs, self.ptrs, self.points, self.alls = [], [], [], [], []  # lvalues: (text, type)
        self.arrays, self.aggs, self.inlines = [], {}, []
        self.probe_ints, self.probe_strs = [], []
        self.destructive = rnd.random() < (0.2 if kind == "load" else 0.1)
        # Where the kernel's stack is looked at, its symbols are read first: that takes longer than all the rest.
        self.stacks = rnd.random() < 0.15
        self.builtins = [b for b in BUILTIN_INTS if self.stacks or b not in ("caller", "stackdepth")]
        self.spec = False  # the clause speculates: no destructive subroutines
        self.made = 0  # variables by first assignment
        self.budget = 0  # of operands, for one statement

    def chance(self, p):
        return self.rnd.random() < p

    def pick(self, *of):
        return self.rnd.choice(of)

    def some(self, what):
        return self.rnd.choice(what)

    # ---- variables -----------------------------------------------------------------------------

    def variables(self):
        """Declarations; what is declared is known afterwards."""
        out = []
        for scope, prefix, mark in (("", "", "g"), ("self ", "self->", "t"), ("this ", "this->", "l")):
            for t in self.rnd.sample(PLAIN, 4) + self.rnd.sample(INTS, 3):
                v = f"{mark}{len(self.ints)}"
                out.append(f"{scope}{t} {v};")
                self.ints.append((prefix + v, t))
            out.append(f"{scope}string {mark}s, {mark}s2; {scope}int *{mark}p; {scope}{self.some(PLAIN)} *{mark}q;")
            self.strs += [prefix + mark + "s", prefix + mark + "s2"]
            self.ptrs += [("int", prefix + mark + "p")]
            if not prefix or self.chance(0.7):
                out.append(f"{scope}struct all {mark}a; {scope}struct point {mark}k; {scope}struct point *{mark}kp;")
                self.alls.append(prefix + mark + "a")
                self.points.append(prefix + mark + "k")
                self.ptrs.append(("struct point", prefix + mark + "kp"))
        out.append(f"{self.some(PLAIN)} ga1[5], ga2[3][4]; string gas[3];")
        out.append(f"self {self.some(PLAIN)} ta1[6]; this {self.some(PLAIN)} la1[4], la2[2][2];")
        self.arrays = ["ga1[{5}]", "ga2[{3}][{4}]", "self->ta1[{6}]", "this->la1[{4}]", "this->la2[{2}][{2}]"]
        for i in range(self.rnd.randint(1, 3)):
            keys = [self.pick("int", "string", "int64_t", "uint8_t", "struct point", "int *", *PLAIN)
                    for _ in range(self.rnd.randint(1, 3))]
            scope, prefix = self.pick(("", ""), ("self ", "self->"))
            what = self.pick("int", "string", "struct all", "int *", "struct point", *PLAIN)
            out.append(f"{scope}{what} as{i}[{', '.join(keys)}];")
            self.assoc(f"{prefix}as{i}", keys, what)
        return out

    def assoc(self, name, keys, what):
        v = (name, keys)
        if what == "string":
            self.strs += [v] * 2
        elif what == "struct all":
            self.alls.append(v)
        elif what == "struct point":
            self.points.append(v)
        elif what.endswith("*"):
            self.ptrs.append(("int", v))
        else:
            self.ints += [(v, what)] * 2

    def place(self, v, d):
        """The text of a variable; that of an associative array with keys."""
        if isinstance(v, str):
            return v
        return f"{v[0]}[{', '.join(self.value(k, d) for k in v[1])}]"

    def value(self, t, d):
        if t == "string":
            return self.str(d)
        if t == "struct point":
            return self.point(d)
        if t.endswith("*"):
            return self.ptr(t[:-1].strip(), d)
        return self.int(d)

    # ---- numbers -------------------------------------------------------------------------------

    def literal(self):
        return self.pick("0", "1", "2", "-1", "7", "63", "127", "128", "255", "'a'", "65535", "0x7fffffff",
                         "0xffffffff", "2147483648", "-2147483647", "0x7fffffffffffffff",
                         "0xffffffffffffffff", "123456789012", "1ull", "3u", "010", "RED", "BLUE", "NULL", str(self.rnd.randint(0, 1 << 40)))

    def int_lvalue(self, d):
        r = self.rnd.random()
        if r < 0.15 and self.alls:
            return f"{self.all_place(d)}.{self.some(INT_MEMBERS)}"
        if r < 0.22 and self.alls:
            m = self.pick("nums[{4}]", "bytes[{8}]", "many[{3}].x", "many[{3}].y")
            return f"{self.all_place(d)}.{self.indexes(m, d)}"
        if r < 0.3:
            return self.indexes(self.some(self.arrays), d)
        if r < 0.36 and self.points:
            return f"{self.place(self.some(self.points), d)}.{self.pick('x', 'y')}"
        if r < 0.42:
            t = self.some(PLAIN)
            return self.pick(f"*{self.ptr(t, d)}", f"{self.ptr(t, d)}[{self.int(d)}]")
        if r < 0.48:
            return self.pick(f"{self.ptr('struct point', d)}->{self.pick('x', 'y')}",
                             f"{self.ptr('struct all', d)}->{self.some(PLAIN_MEMBERS)}",
                             f"(*{self.ptr('struct all', d)}).{self.some(INT_MEMBERS)}",
                             f"{self.ptr('struct point', d)}[{self.int(d)}].x")
        return self.place(self.some(self.ints)[0], d)

    def indexes(self, text, d):
        """{n} becomes an index: a constant within bounds, or anything computed."""
        def index(m):
            return str(self.rnd.randrange(int(m.group(1)))) if self.chance(0.5) else \
                self.pick(f"({self.int(d)}) & 1", self.some(self.ints[:9])[0], f"({self.computed(d)})")
        return re.sub(r"\{(\d+)\}", index, text)

    def computed(self, d):
        return self.place(self.some(self.ints)[0], d - 1)

    def constant(self):
        return self.pick("sizeof (struct all)", "offsetof(struct all, {})".format(self.pick("u8", "s", "in")),
                         f"sizeof ({self.some(INTS)})", "sizeof (curthread->comm)", "GREEN", self.literal())

    def int(self, d):
        self.budget -= 1
        if d <= 0 or self.budget < 0:
            r = self.rnd.random()
            if r < 0.35:
                return self.literal()
            if r < 0.5:
                return self.some(self.builtins)
            return self.some([v for v in self.ints if isinstance(v[0], str)])[0]
        r, a = self.rnd.random(), d - 1
        if r < 0.17:
            x, y = self.int(a), self.int(a)
            if self.chance(0.4):
                x, y = self.alike(a)
            return f"({x} {self.some(ARITH)} {y})"
        if r < 0.23:
            y = self.pick(f"({self.int(a)} | 1)", self.some(self.ints[:12])[0], str(self.rnd.randint(1, 300)))
            x = self.pick(self.int(a), self.typed(a))
            if self.chance(0.4):
                x, y = self.alike(a)
            return f"({x} {self.some(DIVIDE)} {y})"
        if r < 0.28:
            y = self.pick(f"({self.int(a)} & 63)", str(self.rnd.randint(0, 63)), self.computed(a))
            return f"({self.pick(self.int(a), self.typed(a))} {self.some(SHIFT)} {y})"
        if r < 0.34:
            x, y = self.alike(a) if self.chance(0.6) else (self.int(a), self.int(a))
            return f"({x} {self.some(COMPARE)} {y})"
        if r < 0.37:
            return f"({self.str(a)} {self.some(COMPARE)} {self.str(a)})"
        if r < 0.4:
            t = self.pick("int", "struct point", "void", *PLAIN)
            return self.pick(f"({self.ptr(t, a)} {self.some(COMPARE)} {self.pick('NULL', self.ptr(t, a))})",
                             f"({self.ptr(t, a)} {self.some(COMPARE)} {self.int(a)})",
                             f"({self.ptr('int', a)} - {self.ptr('int', a)})", f"!{self.ptr(t, a)}")
        if r < 0.44:
            x = self.pick(self.int(a), self.typed(a), self.ptr("int", a))
            return f"({x} {self.some(LOGIC)} {self.pick(self.int(a), self.int(a), self.ptr('void', a))})"
        if r < 0.5:
            return f"{self.pick('-', '+', '!', '~')}{self.pick('(%s)' % self.int(a), self.typed(a))}"
        if r < 0.55:
            return self.pick(f"({self.int(a)} ? {self.int(a)} : {self.int(a)})",
                             f"({self.ptr('int', a)} ? {self.typed(a)} : {self.typed(a)})")
        if r < 0.59:
            return f"({self.some(INTS)})({self.pick(self.int(a), self.int(a), self.ptr('void', a))})"
        if r < 0.64:
            return self.some(self.builtins)
        if r < 0.68:
            x = self.some(KERNEL_INTS + self.probe_ints * 5)
            return x.replace("{i}", self.pick(str(self.rnd.randint(0, 3)), f"({self.int(a)})"))
        if r < 0.74:
            return self.subr(("int", "size_t", "int64_t", "uint_t", "uint16_t", "uint32_t", "uint64_t"), a)
        if r < 0.78:
            x = self.int_lvalue(a)
            return self.pick(f"({x})++", f"({x})--", f"++({x})", f"--({x})")
        if r < 0.81:
            op = self.pick("=", "+=", "-=", "*=", "&=", "|=", "^=", "<<=", ">>=")
            return f"({self.int_lvalue(a)} {op} {self.int(a)})"
        if r < 0.82:
            return f"({self.int(a)}, {self.typed(a)})"
        if r < 0.85:
            return self.constant()
        if r < 0.87:
            return f"{self.str_lvalue(a)}[{self.int(a)}]"
        if r < 0.89:
            return self.pick(f"xlate <struct point> ({self.int(a)}).{self.pick('x', 'y')}",
                             f"xlate <struct all *> ({self.ptr('struct point', a)})->{self.pick('i32', 'in.x')}",
                             f"uregs[{self.pick('R_RAX', 'R_RSP', 'R_PC', '0', '25')}]")
        if r < 0.91 and self.inlines:
            return self.some(self.inlines).replace("{i}", self.int(a)).replace("{s}", self.str(a))
        return self.int_lvalue(a)

    def alike(self, d):
        """Two numbers of one type; the second is no constant, which might be 0."""
        t = self.some(PLAIN)
        y = [v for v, of in self.ints if of == t and isinstance(v, str)]
        return self.typed(d, t), self.some(y) if y else f"{self.all_place(0)}.{PLAIN_MEMBERS[PLAIN.index(t)]}"

    def typed(self, d, t=None):
        """A number of type t, or of one that is as likely narrow as wide."""
        t = t or self.some(PLAIN)
        named = [v for v, of in self.ints if of == t and isinstance(v, str)]
        if named and self.chance(0.6):
            return self.some(named)
        if self.alls and self.chance(0.3):
            return f"{self.all_place(0)}.{PLAIN_MEMBERS[PLAIN.index(t)]}"
        return f"({t})({self.int(d)})"

    # ---- text ----------------------------------------------------------------------------------

    def str_lvalue(self, d):
        r = self.rnd.random()
        if r < 0.2 and self.alls:
            return f"{self.all_place(d)}.{self.pick('s', self.indexes('strs[{2}]', d))}"
        if r < 0.3:
            return self.indexes("gas[{3}]", d)
        if r < 0.34:
            return f"{self.ptr('struct all', d)}->s"
        return self.place(self.some(self.strs), d)

    def str(self, d):
        self.budget -= 1
        if d <= 0 or self.budget < 0:
            if self.chance(0.5):
                return f'"{self.some(WORDS)}"'
            return self.pick(self.some(BUILTIN_STRINGS), self.some([v for v in self.strs if isinstance(v, str)]))
        r, a = self.rnd.random(), d - 1
        if r < 0.45:
            return self.subr(("string",), a)
        if r < 0.55:
            x = self.some(KERNEL_STRINGS + self.probe_strs * 4)
            return x.replace("{i}", self.pick(str(self.rnd.randint(0, 3)), f"({self.int(a)})"))
        if r < 0.6:
            return f"({self.int(a)} ? {self.str(a)} : {self.pick(self.str(a), 'NULL')})"
        if r < 0.64:
            return f"({self.str_lvalue(a)} = {self.str(a)})"
        if r < 0.67:
            return f"({self.int(a)}, {self.str(a)})"
        if r < 0.71:
            return self.pick(f"stringof({self.ptr('void', a)})", f"(string){self.ptr('char', a)}",
                             f"stringof({self.int(a)})")
        if r < 0.73 and self.alls:
            return f"stringof({self.all_place(a)}.text)"
        if r < 0.75:
            return f"xlate <struct all *> ({self.ptr('struct point', a)})->s"
        if r < 0.83:
            return self.some(BUILTIN_STRINGS)
        return self.str_lvalue(a)

    # ---- addresses and structures ----------------------------------------------------------------

    def ptr(self, t, d):
        """Points to t, or to void if t is that."""
        self.budget -= 1
        known = [v for of, v in self.ptrs if of == t]
        r, a = self.rnd.random(), d - 1
        if known and (r < 0.3 or (d <= 0 and r < 0.8)):
            return self.place(self.some(known), a)
        if d <= 0 or self.budget < 0:
            return f"(({t} *){self.pick('0', 'curthread', 'arg1', 'NULL', '8')})"
        if t != "void":
            if r < 0.38:
                return f"({self.ptr(t, a)} {self.pick('+', '-')} {self.int(a)})"
            if r < 0.42:
                return f"({self.int(a)} + {self.ptr(t, a)})"
            if known and r < 0.48:
                v = self.place(self.some(known), a)
                return self.pick(f"(({v})++)", f"(--({v}))", f"(++({v}))", f"(({v})--)", f"({v} += {self.int(a)})",
                                 f"({v} -= {self.int(a)})", f"({v} = {self.ptr(t, a)})")
        if r < 0.52:
            return f"({self.int(a)} ? {self.ptr(t, a)} : {self.pick('NULL', self.ptr(t, a))})"
        if r < 0.55:
            return f"({self.int(a)}, {self.ptr(t, a)})"
        if t == "struct point" and self.alls and r < 0.65:
            return self.pick(f"{self.all_place(a)}.pp", f"(({t} *){self.all_place(a)}.many)")
        if t == "int" and self.alls and r < 0.65:
            x = self.all_place(a)
            return self.pick(f"{x}.p", f"{x}.{self.indexes('ptrs[{2}]', a)}", f"(*{x}.ptrs)",
                             f"(*({x}.ptrs + {self.int(a)}))")
        if r < 0.75:
            return f"(({t} *)alloca({self.size(a)}))"
        if r < 0.82:
            return f"(({t} *)copyin({self.int(a)}, {self.size(a)}))"
        if r < 0.84:
            return f"(({t} *){self.subr(('struct task_struct *', 'void *'), a)})"
        if r < 0.9:
            return f"(({t} *){self.some(KERNEL_POINTERS if self.stacks else KERNEL_POINTERS[1:])})"
        if r < 0.95:
            return f"(({t} *)&ga1[{self.pick('0', '4', '1')}])"
        return f"(({t} *)({self.int(a)}))"

    def size(self, d):
        """Bytes of scratch: a constant must fit in."""
        return self.pick("8", "48", f"({self.int(d)} & 63)", self.place(self.some(self.ints)[0], d))

    def all_place(self, d):
        return self.place(self.some(self.alls), d)

    def point(self, d):
        self.budget -= 1
        r, a = self.rnd.random(), d - 1
        if d > 0 and self.budget > 0:
            if r < 0.12:
                return f"(*{self.ptr('struct point', a)})"
            if r < 0.22:
                return f"({self.int(a)} ? {self.point(a)} : {self.point(a)})"
            if r < 0.27:
                return f"({self.point_lvalue(a)} = {self.point(a)})"
            if r < 0.32:
                return f"({self.int(a)}, {self.point(a)})"
            if r < 0.36:
                return f"{self.ptr('struct all', a)}->in"
            if r < 0.4:
                return f"{self.ptr('struct point', a)}[{self.int(a)}]"
        return self.point_lvalue(a)

    def point_lvalue(self, d):
        r = self.rnd.random()
        if self.alls and (r < 0.4 or not self.points):
            return f"{self.all_place(d)}.{self.pick('in', self.indexes('many[{3}]', d))}"
        return self.place(self.some(self.points), d)

    # ---- calls -----------------------------------------------------------------------------------

    def argument(self, f, i, d):
        p = f.params[i]
        if f.name == "inet_ntoa6" and i == 1:
            return self.pick("0", "1", "-1")
        if p in ("const char *", "char *"):
            return self.pick(self.str(d), self.str(d), self.str(d), f"((char *){self.ptr('void', d)})")
        if p == "struct path *":
            return self.pick("&curthread->fs->pwd", "&curthread->fs->root", f"((struct path *){self.ptr('void', d)})")
        if p in ("struct mutex *", "rwlock_t *"):
            return f"(({p}){self.ptr('void', d)})"
        if p.endswith("*"):
            return self.ptr("void", d)
        if p == "uintptr_t":
            if self.kind == "run" and f.name in OWN:
                return "8"
            return self.pick(self.int(d), self.ptr("void", d), "arg0", "arg1")
        if f.name in ("alloca", "copyin") and p == "size_t":
            return self.size(d)
        if p == "size_t":
            return self.pick(str(self.rnd.randint(1, 40)), self.int(d))
        if p == "pid_t":
            return self.pick("pid", "1", self.int(d))
        return self.pick(self.int(d), self.typed(d), str(self.rnd.randint(0, 36)))

    def call(self, f, d):
        n = self.rnd.randint(f.least, len(f.params))
        return f"{f.name}({', '.join(self.argument(f, i, d) for i in range(n))})"

    def subr(self, rets, d):
        of = [f for f in SUBRS if f.ret in rets and self.may(f)]
        return self.call(self.some(of), d)

    def may(self, f):
        if "DESTRUCTIVE" in f.flags and (not self.destructive or self.spec):
            return False
        if f.name == "stack" and not self.stacks:
            return False
        return self.kind != "run" or f.name not in {"raise", "stop"}

    # ---- actions -----------------------------------------------------------------------------------

    def conversion(self, d):
        """A conversion with its argument."""
        mods = self.pick("", "", "", "-", "+", "0", " ", "#") + self.pick("", "", "8", "20", "3.2", ".4")
        r = self.rnd.random()
        if r < 0.3:
            return f"%{mods}{self.pick('d', 'i', 'u', 'x', 'X', 'o')}", [self.pick(self.int(d), self.typed(d))]
        if r < 0.55:
            return f"%{self.pick('', '-10', '.3', '12')}{self.pick('s', 's', 'S')}", [self.str(d)]
        if r < 0.6:
            return f"%{self.pick('c', 'C')}", [f"(char)({self.int(d)})"]
        if r < 0.65:
            return f"%{self.pick('hd', 'hi', 'hx')}", [f"(short)({self.int(d)})"]
        if r < 0.72:
            t = self.pick("l", "ll")
            return f"%{t}{self.pick('d', 'x', 'i', 'X')}", [f"({'long' if t == 'l' else 'long long'})({self.int(d)})"]
        if r < 0.75:
            return f"%{self.pick('lu', 'lo')}", [f"(unsigned long)({self.int(d)})"]
        if r < 0.82:
            return f"%{self.pick('a', 'A', 'p', '?p')}", [self.pick(self.ptr("void", d), f"(uint64_t)({self.int(d)})")]
        if r < 0.86:
            return f"%{self.pick('Y', 'T')}", [self.pick("walltimestamp", f"(uint64_t)({self.int(d)})")]
        if r < 0.89:
            return "%P", [f"(uint16_t)({self.int(d)})"]
        if r < 0.92:
            return "%I", [self.ptr("void", d)]
        if r < 0.96:
            return f"%{self.pick('*d', '-*x')}", ["(int)" + self.pick("5", f"({self.int(d)})"), self.int(d)]
        return "%%", []

    def format(self, d, least=0):
        text, args = self.pick("", "x ", "[", "\\n"), []
        for _ in range(self.rnd.randint(least, 4)):
            conv, values = self.conversion(d)
            text += conv + self.pick("", " ", ", ")
            args += values
        return ", ".join([f'"{text or "-"}"'] + args)

    def anything(self, d):
        """A value of any type."""
        return self.pick(self.int(d), self.typed(d), self.str(d), self.ptr("int", d), self.point(d),
                         self.all_place(d), f"{self.all_place(d)}.nums", f"{self.all_place(d)}.u",
                         f"{self.all_place(d)}.text", "curthread->se", "*curthread->cred", "curthread->cred->uid",
                         "curthread->comm", self.some(KERNEL_STRINGS).replace("{i}", "1"))

    def agg_keys(self, d, kinds):
        out = []
        for k in kinds:
            out.append(k if "(" in k else self.value(k, d))
        return f"[{', '.join(out)}]" if out else ""

    def agg(self):
        """The name of an aggregation, which may be new."""
        if self.aggs and self.chance(0.5):
            return self.some(sorted(self.aggs))
        name = self.pick("", f"a{len(self.aggs)}")
        if name not in self.aggs:
            keys = [self.pick("int", "string", "struct point", "int *", "uint8_t", "int64_t", *PLAIN,
                              "stack()" if self.stacks else "int", "stack(3)" if self.stacks else "string",
                              "ustack()", "ustack(2, 64)", "jstack()", "sym(arg0)", "mod(arg2)", "func(arg1)",
                              "usym(ucaller)", "ufunc(arg0)", "umod(ucaller)", "uaddr(arg1)")
                    for _ in range(self.pick(0, 0, 1, 1, 2, 3, 4))]
            f = self.some(AGGFUNCS)
            fixed = {"lquantize": self.pick("0, 100", "0, 1000, 10", "-50, 50, 7", "0, 60000, 1"),
                     "llquantize": self.pick("10, 0, 6, 20", "2, 1, 10, 4", "10, 2, 5, 10")}.get(f, "")
            self.aggs[name] = (f, keys, fixed)
        return name

    def agg_statement(self, d):
        name = self.agg()
        f, keys, fixed = self.aggs[name]
        args = [] if f == "count" else [self.pick(self.int(d), self.typed(d), self.ptr("int", d), "timestamp")]
        if fixed:
            args.append(fixed)
        if f.endswith("quantize") and self.chance(0.3):
            if f == "quantize" or f == "llquantize" or fixed.count(",") == 2:
                args.append(self.int(d))
        return f"@{name}{self.agg_keys(d, keys)} = {f}({', '.join(args)});"

    def printa(self):
        name = self.some(sorted(self.aggs))
        f, keys, _ = self.aggs[name]
        same = [n for n, a in sorted(self.aggs.items()) if a[1] == keys]
        what = ", ".join("@" + n for n in [name] + [n for n in same if n != name and self.chance(0.5)])
        if self.chance(0.4):
            return f"printa({what});"
        text = ""
        for k in keys:
            if k == "string":
                text += self.pick("%s ", "%-20s|", "%S ")
            elif k.startswith(("stack", "ustack", "jstack")):
                text += "%k "
            elif k.startswith("u") and "(" in k:
                text += "%A "
            elif "(" in k or k.endswith("*"):
                text += "%a "
            elif k == "struct point":
                return f"printa({what});"
            else:
                text += self.pick("%d ", "%x ", "%8u ")
        text += self.pick("%@d\\n", "%@u", "%@8x ", "= %@d %%")
        return f'printa("{text}", {what});'

    def action(self, f, d):
        """A statement; None if it has none here."""
        if "AGGARG" in f.flags:
            if not self.aggs:
                return None
            if f.name == "printa":
                return self.printa()
            name = self.some(sorted(self.aggs))
            more = {"normalize": f", {self.pick('1', '1000', self.int(d))}",
                    "trunc": self.pick("", f", {self.pick('5', '-3', self.int(d))}")}.get(f.name, "")
            return f"{f.name}(@{name}{more});"
        if f.name == "printf":
            return f"printf({self.format(d)});"
        if f.name == "system":
            return 'system("true");' if self.kind == "run" else f"system({self.format(d)});"
        if f.name == "freopen":
            return self.pick('freopen("/dev/null");', 'freopen("");') if self.kind == "run" else \
                self.pick('freopen("");', f"freopen({self.format(d)});")
        if f.name in ("trace", "print"):
            return f"{f.name}({self.anything(d)});"
        if f.name == "tracemem":
            more = self.pick("", f", {self.int(d)}")
            return f"tracemem({self.pick(self.ptr('void', d), self.int(d))}, {self.pick('1', '16', '200')}{more});"
        if f.name == "stack":
            return self.pick("stack();", "stack(5);")
        if f.name in ("ustack", "jstack"):
            return self.pick(f"{f.name}();", f"{f.name}(4);", f"{f.name}(7, 100);")
        if f.name == "setopt":
            return self.pick('setopt("quiet");', 'setopt("switchrate", "5hz");', 'setopt("aggsortrev", "no");',
                             'setopt("flowindent", "on");', f"setopt({self.str(d)}, {self.str(d)});")
        if f.name == "chill" and self.kind == "run":
            return "chill(100);"
        if f.name in ("commit", "discard", "speculate"):
            return None
        return self.call(f, d) + ";"

    def store(self, d, mode):
        r = self.rnd.random()
        if r < 0.3:
            op = self.pick("=", "=", "+=", "-=", "*=", "&=", "|=", "^=", "<<=", ">>=")
            return f"{self.int_lvalue(d)} {op} {self.int(d)};"
        if r < 0.36:
            op, by = self.some(DIVIDE), self.pick(f"({self.int(d)} | 1)", self.some(self.ints[:12])[0])
            return f"{self.int_lvalue(d)} {op}= {by};"
        if r < 0.5:
            return f"{self.str_lvalue(d)} = {self.pick(self.str(d), self.str(d), self.str(d), '0')};"
        if r < 0.54:
            return f"{self.str_lvalue(d)}[{self.int(d)}] = {self.int(d)};"
        if r < 0.64:
            of, v = self.some(self.ptrs)
            v = self.place(v, d)
            return self.pick(f"{v} = {self.ptr(of, d)};", f"{v} += {self.int(d)};", f"{v}++;", f"{v} -= {self.int(d)};",
                             f"--{v};", f"{v}--;", f"++{v};")
        if r < 0.72 and self.points:
            return f"{self.point_lvalue(d)} = {self.pick(self.point(d), f'xlate <struct point> ({self.int(d)})')};"
        if r < 0.78 and self.alls:
            a = self.all_place(d)
            return self.pick(f"{a} = {self.all_place(d)};",
                             f"{a} = ({self.int(d)} ? {self.all_place(d)} : {self.all_place(d)});",
                             f"{a} = *{self.ptr('struct all', d)};", f"{a} = ({self.int(d)}, {self.all_place(d)});",
                             f"{a} = xlate <struct all> ({self.ptr('struct point', d)});",
                             f"{a} = {self.ptr('struct all', d)}[{self.int(d)}];",
                             f"{a} = 0;" if "." not in a else f"{a}.i8 = 0;")
        if r < 0.8:
            return self.pick(f"{self.all_place(d)}.u = {self.all_place(d)}.u;", f"{self.all_place(d)} = 0;",
                             f"this->cred = *curthread->cred; trace(this->cred.uid.val);" if mode == "free" else ";",
                             "self->ids = curthread->cred->uid; kids[self->ids]++;")
        if r < 0.82:
            return f"{self.place(self.some(self.ints)[0], d)} = 0;"
        if r < 0.85:
            t = self.pick("int", "struct point")
            return f"*{self.ptr(t, d)} = {self.value(t, d)};"
        if r < 0.9:
            f = self.some([f for f in SUBRS if f.ret == "void" and self.may(f)])
            return self.call(f, d) + ";"
        if r < 0.93:
            return f"{self.subr(('string', 'int', 'void *'), d)};"
        return f"{self.int(d)};"

    def fresh(self, d):
        """A variable that its first assignment makes."""
        prefix = self.pick("", "self->", "this->")
        self.made += 1
        v = f"{prefix}n{self.made}"
        r = self.rnd.random()
        if r < 0.4:
            text = f"{v} = {self.int(d)};"
            self.ints.append((v, "?"))
        elif r < 0.6:
            text = f"{v} = stringof({self.str(d)});"
            self.strs.append(v)
        elif r < 0.7:
            text = f"{v} = {self.ptr('int', d)};"
            self.ptrs.append(("int", v))
        elif r < 0.9 and prefix != "this->":
            keys = [self.pick("int", "string", *PLAIN) for _ in range(self.rnd.randint(1, 4))]
            what = self.pick("int", "string")
            value = f"stringof({self.str(d)})" if what == "string" else self.int(d)
            text = f"{v}[{', '.join(self.value(k, d) for k in keys)}] = {value};"
            self.assoc(v, keys, what)
        else:
            text = f"{v}c++;"
            self.ints.append((v + "c", "int64_t"))
        return text

    def statement(self, d, mode, nest=2):
        """mode: free, spec (behind speculate()), quiet (no records, behind commit())."""
        self.budget = 30
        r = self.rnd.random()
        if r < 0.12 and nest:
            body = self.block(d, mode, nest - 1)
            other = ""
            if self.chance(0.5):
                other = " else " + self.pick("", f"if ({self.int(d)}) ") + self.block(d, mode, nest - 1)
            return f"if ({self.pick(self.int(d), self.ptr('void', d))}) {body}{other}"
        if r < 0.4 and mode != "quiet":
            fs = [f for f in ACTIONS if self.may(f) and (mode == "free" or f.name not in ("exit",)) and
                  (mode == "free" or "DESTRUCTIVE" not in f.flags)]
            text = self.action(self.some(fs), d)
            if text:
                return text
        if r < 0.6 and mode == "free":
            return self.agg_statement(d)
        if r < 0.65:
            return self.fresh(d) if nest == 2 else self.store(d, mode)
        return self.store(d, mode)

    def block(self, d, mode, nest):
        return "{ " + " ".join(self.statement(d, mode, nest) for _ in range(self.rnd.randint(1, 3))) + " }"

    # ---- clauses -----------------------------------------------------------------------------------

    def clause(self, specs):
        d = self.pick(1, 1, 2, 2, 3, 4)
        mode, lines = "free", []
        r = self.rnd.random()
        self.budget, self.spec = 20, False
        if r < 0.1:
            mode, self.spec = "spec", True
            lines.append(f"speculate({self.pick('self->sp', 'gsp', self.int(1))});")
        elif r < 0.16:
            mode = "quiet"
            lines.append(f"{self.pick('commit', 'commit', 'discard')}({self.pick('self->sp', 'gsp', self.int(1))});")
        elif r < 0.22:
            lines.append(f"{self.pick('self->sp', 'gsp')} = speculation();")
        predicate = ""
        if self.chance(0.35):
            predicate = f"/ {self.pick(self.int(d), self.ptr('void', 1), self.str(1) + ' == execname')} /\n"
        if self.chance(0.04):
            return f"{specs}\n{predicate}{{ }}\n" if not lines else f"{specs}\n{predicate}{{ {lines[0]} }}\n"
        lines += [self.statement(d, mode) for _ in range(self.rnd.randint(1, self.pick(3, 6, 10)))]
        body = "\n\t".join(lines)
        return f"{specs}\n{predicate}{{\n\t{body}\n}}\n"

    def options(self):
        out = ["quiet"] if self.chance(0.5) else []
        out.append(self.pick("bufpolicy=switch", "bufpolicy=fill", "bufpolicy=ring"))
        out += self.rnd.sample(["temporal", "accounting", "flowindent", "aggsortrev", "nspec=3", "noresolve",
                                "rawbytes"], self.pick(0, 0, 1, 2))
        out.append(f"strsize={self.pick(256, 256, 64, 8, 33, 512, 2000)}")
        if self.chance(0.2):
            out.append(self.pick("stackframes=7", "ustackframes=3", "printsize=64", "jstackframes=9", "cpu=0",
                                 "aggpercpu", "oformat=json", "cleanrate=5hz"))
        out.append(f"bufsize={self.pick('512k', '1m')}")
        out.append(f"aggsize={self.pick('4m', '8m')}")
        out.append(f"scratchsize={self.pick(256, 256, 64, 1000)}")
        out.append("specsize=256k")
        out.append(f"dynvarsize={self.pick('256k', '1m')}")
        if self.chance(0.9):
            out.append("ustackunwind=fp")  # tables for unwinding are made anew for each program
        if self.destructive:
            out.append("destructive")
        return [f"#pragma D option {o}" for o in out]

    def text(self):
        lines = self.options() + [TYPES] + self.variables()
        lines += ["self int sp; int gsp;"]
        self.ints += [("gsp", "int32_t")]
        lines += ["inline int ten = 10; inline uint8_t small[int a] = a * a + 1;",
                  "inline int64_t len[string s, int i] = strlen(s) + i; inline string twice[string s] = strjoin(s, s);",
                  "inline struct point *px = xlate <struct point *> (3);"]
        self.inlines = ["ten", "small[{i}]", "len[{s}, {i}]", "strlen(twice[{s}])", "px->y"]
        for _ in range(self.pick(1, 1, 2, 2, 3, 6)):
            if self.kind == "run":
                specs = self.pick("BEGIN", "BEGIN", "BEGIN", "END", "ERROR", "dtrace:::BEGIN, dtrace:::END")
                self.probe_ints, self.probe_strs = (["arg2", "arg4", "arg5"] if specs == "ERROR" else []), []
            else:
                specs, self.probe_ints, self.probe_strs = self.some(PROBES)
                if self.chance(0.1):
                    more = self.some(PROBES)[0]
                    specs, self.probe_ints, self.probe_strs = f"{specs},\n{more}", [], []
                elif self.chance(0.12):
                    specs, self.probe_ints, self.probe_strs = self.pick("BEGIN", "END", "ERROR"), [], []
            lines.append(self.clause(specs))
        if self.kind == "run":
            lines.append("BEGIN { exit(0); }")
        return "\n".join(lines) + "\n"


def main():
    seed, count = sys.argv[1], int(sys.argv[2])
    n = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    end = n + count
    try:
        while not count or n < end:
            rnd = random.Random(f"{seed}-{n}")
            kind = "run" if rnd.random() < 0.15 else "load"
            sys.stdout.write(f"#!cg {seed}-{n} {kind}\n{Program(rnd, kind).text()}")
            n += 1
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


main()
