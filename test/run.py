#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The test runner.

usage: test/run.py [--build DIR] [--fast] [--update] [--list] [--slowest N] [-v] [PATTERN...]

Runs all tests, or those whose name matches a PATTERN: a part of the name, or a glob for all of
it. A name is the path under test/. What a test prints is kept and shown only if it fails, or
with -v. --update rewrites expected files from what is printed now; look at the diff. --slowest
names the N files that took longest, at the end.

A test is one file:
  unit/test_NAME.c         a cmocka program, built by Meson; each of its tests counts
  **/tst.WHAT.d            D that must work
  **/err.TAG.WHAT.d        D that must be refused: [TAG] on stderr, status 1
  **/drp.KIND.WHAT.d       D that must drop: [DTRACEDROP_KIND] on stderr
  **/tst.WHAT.sh           passes with exit 0, is skipped with 77 (the last line says why)
and tools/check-includes. Tests in unit, lang and codegen run two at a time; all others alone.
Folders vm, stress and fuzz belong to other make targets.

A D case is run in its folder as  $DTRACE [-xerrtags|-xdroptags] FLAGS -s FILE ARGS. Beside it
X.d.out holds the expected stdout and X.d.err the expected stderr; a stream without a file is not
compared. A case must expect something: a file, a match, a status other than 0. In comments of the
case, one a line:
  what: TEXT               what is checked, for the report
  @@flags: WORDS           before -s, split as a shell would
  @@args: WORDS            after FILE
  @@run: COMMAND           sh runs this instead of the default command line
  @@status: N              expected exit status (default 0; err: 1); 128+N for signal N
  @@timeout: SECONDS       default 120
  @@needs: WORD...         skip where one is not met; see NEEDS (live: root bpf, always)
  @@match: REGEX           must match in stdout+stderr (^ and $ are line ends); repeatable
  @@filter: SED            applied to stdout before it is compared or rewritten; repeatable
  @@errfilter: SED         the same for stderr
  @@xfail: REASON          is known to fail; it is an error if it passes
Shell tests know what, needs, timeout and xfail.

A test sees DTRACE, BUILD (build directory), SRC (top of the tree), TESTDIR (its folder), PROGS
(compiled test/programs), FILE (its name), TMPDIR (an own empty folder, removed afterwards). It is
a session of its own, and all that is left of its process group at its end or timeout is killed.

The last line is "N passed, N failed, N skipped"; exit 1 if one failed or if none was run.
"""
import argparse
import concurrent.futures
import ctypes
import difflib
import fnmatch
import os
import platform
import re
import resource
import select
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

SRC = os.path.realpath(os.path.join(os.path.dirname(__file__), ".."))
TEST = os.path.join(SRC, "test")
PARALLEL = ("unit", "lang", "codegen")
ELSEWHERE = ("vm", "stress", "fuzz")
DIRECTIVES = ("flags args run status timeout needs match filter errfilter xfail").split()
SANITIZER = re.compile(r"ERROR: \w+Sanitizer|SUMMARY: \w+Sanitizer|: runtime error: ")
# A line of a comment: its mark, the directive ("what" has none), the value.
COMMENT = re.compile(r"\s*(/\*|\*|//|#)\s*(?:@@(\w+)|what):\s*(.*?)\s*$")
SHOWN = 200  # lines of one stream of a failed test


# --- what a machine must have for a test to run -------------------------------------------------

def can_bpf():
    """The kernel lets us create the smallest BPF map."""
    number = {"x86_64": 321, "aarch64": 280}.get(platform.machine())
    if number is None:
        return False
    attr = (ctypes.c_uint32 * 32)(2, 4, 8, 1)  # array, key, value, entries
    fd = ctypes.CDLL(None, use_errno=True).syscall(number, 0, attr, 128)
    if fd >= 0:
        os.close(fd)
    return fd >= 0


def event_source(name):
    return os.path.exists(f"/sys/bus/event_source/devices/{name}/type")


def can_trampoline():
    """Function tracing is there and not locked down."""
    try:
        with open("/sys/kernel/tracing/available_filter_functions", encoding="ascii") as f:
            return f.readline() != ""
    except OSError:
        return False


def can_uprobe_multi():
    """The kernel makes thousands of uprobes at once; one by one they take 12 ms each."""
    with open("/proc/kallsyms", encoding="ascii") as f:
        return any(line.split()[2] == "bpf_uprobe_multi_link_attach" for line in f)


NEEDS = {
    "root": (lambda: os.geteuid() == 0, "must be root"),
    "bpf": (can_bpf, "no permission for bpf(2)"),
    "btf": (lambda: os.path.exists("/sys/kernel/btf/vmlinux"), "kernel without BTF"),
    "kprobe": (lambda: event_source("kprobe"), "kernel without kprobes"),
    "uprobe": (lambda: event_source("uprobe"), "kernel without uprobes"),
    "uprobe_multi": (can_uprobe_multi, "kernel without uprobe_multi"),
    "fentry": (can_trampoline, "kernel without function tracing"),
    "cc": (lambda: shutil.which(os.environ.get("CC", "cc")), "no C compiler"),
}


def unmet(needs):
    """Why a test with these needs cannot run, or None. Also: cpus:N, cmd:NAME."""
    for need in needs:
        kind, _, value = need.partition(":")
        if kind == "cpus" and value.isdigit():
            if len(os.sched_getaffinity(0)) < int(value):
                return f"needs {value} CPUs"
        elif kind == "cmd" and value:
            if not shutil.which(value):
                return f"no command {value}"
        elif need not in NEEDS:
            raise ValueError(f"@@needs: {need}: not known to the runner")
        elif not NEEDS[need][0]():
            return NEEDS[need][1]
    return None


# --- running one command ------------------------------------------------------------------------

class Groups:
    """The process groups that are running, so that an interrupted runner leaves none."""

    def __init__(self):
        self.lock = threading.Lock()
        self.running = set()

    def start(self, *args, **kwargs):
        with self.lock:
            p = subprocess.Popen(*args, start_new_session=True, **kwargs)
            self.running.add(p.pid)
        return p

    def end(self, p):
        """Kills what is left. The leader is not reaped before, so its pid names no other group."""
        with self.lock:
            self.kill(p.pid)
            self.running.discard(p.pid)
        p.wait()

    def end_all(self):
        with self.lock:
            for pgid in self.running:
                self.kill(pgid)

    @staticmethod
    def kill(pgid):
        try:
            os.killpg(pgid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            pass


GROUPS = Groups()


class Run:
    """One command, run to its end or timeout: status, out, err, timed_out."""

    def __init__(self, argv, case, options):
        tmp = tempfile.mkdtemp(prefix="dtrace-test-")
        files = [tempfile.TemporaryFile() for _ in range(2)]
        try:
            p = GROUPS.start(argv, cwd=case.dir, stdin=subprocess.DEVNULL, stdout=files[0],
                             stderr=files[1], env=environment(case, options, tmp))
            self.timed_out = not wait_exit(p.pid, case.timeout * options.timeout_scale)
            GROUPS.end(p)
            self.status = p.returncode if p.returncode >= 0 else 128 - p.returncode
            self.out, self.err = (read_all(f) for f in files)
        finally:
            for f in files:
                f.close()
            shutil.rmtree(tmp, ignore_errors=True)


def wait_exit(pid, seconds):
    """Waits for a child to exit, without reaping it; False if it did not in time."""
    fd = os.pidfd_open(pid)
    try:
        poll = select.poll()
        poll.register(fd, select.POLLIN)
        return bool(poll.poll(seconds * 1000))
    finally:
        os.close(fd)


def read_all(file):
    file.seek(0)
    return file.read().decode("utf-8", "backslashreplace")


def environment(case, options, tmp):
    env = {k: v for k, v in os.environ.items()
           if not k.startswith(("DTRACE", "LC_", "MAKE", "MFLAGS"))}
    env.update(
        LC_ALL="C",
        TZ="UTC",
        CC=os.environ.get("CC", "cc"),
        SRC=SRC,
        BUILD=options.build,
        TESTDIR=case.dir,
        TMPDIR=tmp,
        FILE=os.path.basename(case.path),
        DTRACE=os.path.join(options.build, "dtrace"),
        PROGS=os.path.join(options.build, "test", "programs"),
        CMOCKA_MESSAGE_OUTPUT="TAP",
        ASAN_OPTIONS="detect_stack_use_after_return=1",
        UBSAN_OPTIONS="print_stacktrace=1:halt_on_error=1")
    return env


# --- tests --------------------------------------------------------------------------------------

class Result:
    def __init__(self, verdict, name, what="", reason="", detail=""):
        self.verdict, self.name, self.what, self.reason, self.detail = \
            verdict, name, what, reason, detail


class Case:
    """One test file. check() yields a Result for each test in it."""

    def __init__(self, path):
        self.path = path
        self.name = os.path.relpath(path, TEST)
        self.dir = os.path.dirname(path)
        self.top = self.name.split(os.sep)[0]
        self.what = ""
        self.directives = {key: [] for key in DIRECTIVES}
        self.fault = None
        self.read_directives()
        self.timeout = float(self.one("timeout", "120"))
        self.took = 0.0
        self.needs = " ".join(self.directives["needs"]).split()
        if self.top == "live":
            self.needs = ["root", "bpf"] + self.needs

    def read_directives(self):
        with open(self.path, encoding="utf-8", errors="replace") as f:
            for line in f:
                m = COMMENT.match(line)
                if not m:
                    continue
                mark, key, value = m.groups()
                if mark in ("/*", "*"):
                    value = value.split("*/")[0].rstrip()
                if key is None:
                    self.what = self.what or value
                elif key in self.directives:
                    self.directives[key].append(value)
                else:
                    self.fault = f"@@{key}: not known to the runner"

    def one(self, key, default=None):
        values = self.directives[key]
        return values[-1] if values else default

    def results(self, options):
        begin = time.monotonic()
        try:
            return self.verdicts(options)
        finally:
            self.took = time.monotonic() - begin

    def verdicts(self, options):
        try:
            if self.fault:
                raise ValueError(self.fault)
            reason = unmet(self.needs)
            if reason:
                return [Result("skip", self.name, self.what, reason)]
            results = self.check(options)
        except (ValueError, OSError, re.error, subprocess.CalledProcessError) as e:
            results = [self.failed(str(e))]
        xfail = self.one("xfail")
        return [expect_failure(r, xfail) for r in results] if xfail is not None else results

    def check(self, options):
        raise NotImplementedError

    def passed(self, run):
        return Result("ok", self.name, self.what, detail=both(run))

    def failed(self, reason, detail=""):
        return Result("not ok", self.name, self.what, reason, detail)


def expect_failure(result, why):
    if result.verdict == "not ok":
        return Result("skip", result.name, result.what, "known to fail: " + why, result.detail)
    if result.verdict == "ok":
        return Result("not ok", result.name, result.what,
                      "passes, but @@xfail says: " + why, result.detail)
    return result


class DCase(Case):
    def __init__(self, path):
        super().__init__(path)
        self.kind, self.tag = os.path.basename(path).split(".")[:2]
        self.expected = {"out": path + ".out", "err": path + ".err"}

    def command(self, options):
        if self.one("run") is not None:
            return ["sh", "-c", self.one("run")]
        words = {key: [w for v in self.directives[key] for w in shlex.split(v)]
                 for key in ("flags", "args")}
        tags = {"err": ["-xerrtags"], "drp": ["-xdroptags"]}.get(self.kind, [])
        return [os.path.join(options.build, "dtrace"), *tags, *words["flags"],
                "-s", os.path.basename(self.path), *words["args"]]

    def check(self, options):
        run = Run(self.command(options), self, options)
        run.shown = {"out": sed(self.directives["filter"], run.out),
                     "err": sed(self.directives["errfilter"], run.err)}
        if options.update and not run.timed_out:
            self.update(run)
        faults, diffs = self.faults(run), self.diffs(run)
        if not faults and not diffs:
            return [self.passed(run)]
        reason = "; ".join(faults + [f"std{s} differs" for s in diffs])
        rest = [stream(run, s) for s in ("out", "err") if s not in diffs]
        return [self.failed(reason, "".join([*diffs.values(), *rest]))]

    def faults(self, run):
        wanted = int(self.one("status", "1" if self.kind == "err" else "0"))
        matches = list(self.directives["match"])
        if run.timed_out:
            return [f"did not end in {self.timeout:g} s"]
        found = []
        if run.status != wanted:
            found.append(f"{ended(run.status)}, not status {wanted}")
        if SANITIZER.search(run.err):
            found.append("sanitizer report")
        tag = {"err": f"[{self.tag}]", "drp": f"[DTRACEDROP_{self.tag}]"}.get(self.kind)
        if tag and tag not in run.err:
            found.append(f"no {tag} on stderr")
        found += [f"no match for {m}" for m in matches if not re.search(m, run.out + run.err, re.M)]
        if not (tag or matches or wanted or any(map(os.path.exists, self.expected.values()))):
            found.append(f"expects nothing: no {self.name}.out, .err, @@match or @@status")
        return found

    def diffs(self, run):
        """Stream -> its diff, for the streams that have an expected file and differ from it."""
        found = {}
        for name, path in self.expected.items():
            if not os.path.exists(path):
                continue
            with open(path, encoding="utf-8", errors="backslashreplace", newline="") as f:
                want = f.read()
            if want != run.shown[name]:
                found[name] = cut("".join(
                    line if line.endswith("\n") else line + "\n\\ no newline at the end\n"
                    for line in difflib.unified_diff(
                        want.splitlines(True), run.shown[name].splitlines(True),
                        f"std{name} expected", f"std{name} now")))
        return found

    def update(self, run):
        """Writes the files that exist, and the .out of a case that expects nothing else yet."""
        new = self.kind == "tst" and not self.directives["match"] and not self.directives["status"]
        for name, path in self.expected.items():
            exists = os.path.exists(path)
            if exists or (new and name == "out" and not os.path.exists(self.expected["err"])):
                with open(path, "w", encoding="utf-8", newline="") as f:
                    f.write(run.shown[name])


class ShellTest(Case):
    def check(self, options):
        with open(self.path, encoding="utf-8", errors="replace") as f:
            shell = "bash" if "bash" in f.readline() else "sh"
        run = Run([shell, os.path.basename(self.path)], self, options)
        if run.timed_out:
            return [self.failed(f"did not end in {self.timeout:g} s", both(run))]
        if run.status == 77:
            lines = (run.out + run.err).strip().splitlines() or ["no reason given"]
            return [Result("skip", self.name, self.what, lines[-1])]
        if run.status != 0:
            return [self.failed(ended(run.status), both(run))]
        if SANITIZER.search(run.out + run.err):
            return [self.failed("sanitizer report", both(run))]
        return [self.passed(run)]


class UnitTest(Case):
    """A cmocka program; it reports in TAP."""

    def check(self, options):
        stem = os.path.splitext(self.name)[0]
        program = os.path.join(options.build, "test", stem)
        if not os.path.exists(program):
            return [self.failed("was not built (libcmocka-dev missing?)")]
        run = Run([program], self, options)
        results = []
        for line in run.out.splitlines():
            # A skipped test is "not ok N # SKIP name".
            m = re.match(r"(ok|not ok) \d+ (-|# SKIP) (\S+)", line)
            if m:
                verdict, mark, test = m.groups()
                skipped = mark == "# SKIP"
                results.append(Result("skip" if skipped else verdict, f"{stem}:{test}", "",
                                      skip_reason(run, test) if skipped else "", both(run)))
        bad = [r for r in results if r.verdict == "not ok"]
        for r in bad[1:]:
            r.detail = ""  # the first one showed it
        if run.timed_out:
            results.append(self.failed(f"did not end in {self.timeout:g} s", both(run)))
        elif SANITIZER.search(run.err) or (run.status != 0 and not bad):
            results.append(self.failed(ended(run.status), both(run)))
        elif not results:
            results.append(self.failed("ran no test", both(run)))
        return results


class ToolTest(Case):
    """A check of the tree itself: a program in tools/ that prints what is wrong."""

    def check(self, options):
        run = Run([self.path], self, options)
        if run.status != 0 or run.timed_out:
            return [self.failed(ended(run.status), both(run))]
        return [self.passed(run)]


def skip_reason(run, test):
    """cmocka's skip() takes no text; a test prints "NAME: why" before it."""
    m = re.search(rf"^{re.escape(test)}: (.*)$", run.out + run.err, re.M)
    return m.group(1) if m else "skip()"


def sed(scripts, text):
    if not scripts:
        return text
    argv = ["sed"]
    for script in scripts:
        argv += ["-e", script]
    done = subprocess.run(argv, input=text.encode(), stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, env={**os.environ, "LC_ALL": "C"}, check=False)
    if done.returncode != 0:
        raise ValueError(done.stderr.decode().strip())
    return done.stdout.decode("utf-8", "backslashreplace")


def ended(status):
    if status > 128:
        try:
            return f"killed by {signal.Signals(status - 128).name}"
        except ValueError:
            pass
    return f"status {status}"


def stream(run, name):
    text = getattr(run, name)
    return f"--- std{name}\n{cut(text)}" if text else ""


def both(run):
    return stream(run, "out") + stream(run, "err")


def cut(text):
    lines = text.splitlines(True)
    if lines and not lines[-1].endswith("\n"):
        lines[-1] += "\n"
    if len(lines) > SHOWN:
        lines[SHOWN // 2:-SHOWN // 2] = [f"... {len(lines) - SHOWN} lines ...\n"]
    return "".join(lines)


# --- all of them --------------------------------------------------------------------------------

def collect():
    tool = ToolTest(os.path.join(SRC, "tools", "check-includes"))
    tool.name, tool.top = "tools/check-includes", "tools"
    tool.what = "includes go down only"
    cases = [tool]
    for where, dirs, files in os.walk(TEST):
        dirs[:] = sorted(d for d in dirs if where != TEST or d not in ELSEWHERE)
        for file in sorted(files):
            path = os.path.join(where, file)
            if where == os.path.join(TEST, "unit") and re.fullmatch(r"test_.*\.c", file):
                cases.append(UnitTest(path))
            elif re.fullmatch(r"(tst|err|drp)\..+\.d", file):
                cases.append(DCase(path))
            elif re.fullmatch(r"tst\..+\.sh", file):
                cases.append(ShellTest(path))
    return cases


def selected(case, options):
    if options.fast and case.top not in PARALLEL + ("tools",):
        return False
    if not options.patterns:
        return True
    return any(fnmatch.fnmatchcase(case.name, p) or p in case.name
               for p in (os.path.normpath(q).removeprefix("test/") for q in options.patterns))


def in_order(cases, options):
    """The results of each case in turn; those that may share the machine run two at a time."""
    together = [c for c in cases if c.top in PARALLEL]
    alone = [c for c in cases if c.top not in PARALLEL]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        try:
            yield from pool.map(lambda c: c.results(options), together)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            GROUPS.end_all()
            raise
    for case in alone:
        yield case.results(options)


def report(result, options):
    line = f"{result.verdict} {result.name}"
    if result.what:
        line += f" - {result.what}"
    if result.reason:
        line += f" ({result.reason})"
    print(line)
    if result.detail and (options.verbose or result.verdict == "not ok"):
        print("".join("    " + l for l in result.detail.splitlines(True)), end="")
    sys.stdout.flush()


def interrupted(number, frame):
    raise KeyboardInterrupt


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=os.path.join(SRC, "build"))
    parser.add_argument("--fast", action="store_true", help="unit, lang, codegen: no root")
    parser.add_argument("--update", action="store_true", help="rewrite expected files")
    parser.add_argument("--list", action="store_true", help="name the tests, run none")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--timeout-scale", type=float, default=1)
    parser.add_argument("--slowest", type=int, default=0, metavar="N")
    parser.add_argument("-v", "--verbose", action="store_true")
    parser.add_argument("patterns", nargs="*", metavar="PATTERN")
    options = parser.parse_args()
    options.build = os.path.realpath(options.build)

    cases = [c for c in collect() if selected(c, options)]
    if options.list:
        for case in cases:
            print(f"{case.name} - {case.what}" if case.what else case.name)
        return 0

    # No core files, and no test that writes without end fills the disk.
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 30 if hard == -1 else min(1 << 30, hard), hard))
    signal.signal(signal.SIGTERM, interrupted)
    # A shell's background job ignores some, nohup another; what the tests start must not. Those that
    # python ignores itself, subprocess resets.
    for sig in signal.valid_signals() - {signal.SIGPIPE, signal.SIGXFSZ}:
        if signal.getsignal(sig) == signal.SIG_IGN:
            signal.signal(sig, lambda *_: None)

    count = {"ok": 0, "not ok": 0, "skip": 0}
    failed = []
    try:
        for results in in_order(cases, options):
            for result in results:
                count[result.verdict] += 1
                report(result, options)
                if result.verdict == "not ok":
                    failed.append(result.name)
    except KeyboardInterrupt:
        GROUPS.end_all()
        print("interrupted")
        return 130
    for case in sorted(cases, key=lambda c: -c.took)[:options.slowest]:
        print(f"{case.took:.1f} s of {case.timeout:g}: {case.name}")
    if len(failed) > 1:
        print("failed: " + " ".join(failed))
    print(f"{count['ok']} passed, {count['not ok']} failed, {count['skip']} skipped")
    return 1 if failed or count["ok"] == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
