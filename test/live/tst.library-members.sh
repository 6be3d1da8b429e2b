#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# what: every member of every translator of the libraries compiles and loads on this kernel
# @@needs: btf
# @@timeout: 120
exec python3 - <<'E2'
import glob, os, re, subprocess, sys

NESTED = {"pr_start": ".tv_sec", "pr_time": ".tv_sec", "pr_ctime": ".tv_sec", "pr_lwp": ".pr_lwpid"}
failed = False


def run(out, inp, members):
    """The first line of what goes wrong, faults of our NULL apart."""
    text = "int nil; BEGIN { exit(0); } " + "".join(
        f"BEGIN {{ trace(xlate <{out} *> (({inp})nil)->{m}{NESTED.get(m, '')}); }} " for m in members)
    p = subprocess.run([os.environ["DTRACE"], "-q", "-n", text], capture_output=True, text=True, timeout=60)
    lines = [l for l in p.stderr.splitlines() if "invalid address" not in l and "matched" not in l]
    return lines[0] if lines else ""


for path in sorted(glob.glob(os.environ["SRC"] + "/lib/*.d")):
    with open(path, encoding="ascii") as f:
        text = f.read()
    for out, inp in re.findall(r"^translator (\w+) < (.*?)\s*\w+ >", text, re.M):
        body = re.search(r"\{([^{}]*?)\} %s;" % out, text)
        members = re.findall(r"(\w+);", body.group(1)) if body else []
        if not members or not run(out, inp, members):
            continue
        for m in members:
            error = run(out, inp, [m])
            if error and "not implemented (yet)" not in error:
                print(f"{path}: {out} < {inp} >: {m}: {error}")
                failed = True
sys.exit(failed)
E2
