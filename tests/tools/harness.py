# SPDX-License-Identifier: MIT
"""What the tests above unit level share: where things are, and how a result is said.

Each test program prints one line a test (`ok NAME`, `FAIL NAME: why`, `SKIP NAME: reason`) and
exits with 1 when one failed. Its first argument is the build directory (default: build); with
MT_LONG=1 in the environment it runs its long form.
"""
import importlib.util
import os
import subprocess
import sys
import time

sys.dont_write_bytecode = True

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TOOLS = os.path.join(TOP, "tests", "tools")
SHARED = os.path.join(os.path.dirname(TOP), "shared")
LONG = os.environ.get("MT_LONG", "") not in ("", "0")


def build_dir():
    """The build directory of the command line, as an absolute path."""
    return os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else os.path.join(TOP, "build"))


def load_module(name, path):
    """A module from a file, whatever the file is called."""
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


fxtdump = load_module("fxtdump", os.path.join(TOOLS, "fxtdump.py"))


class Report:
    """Prints results and remembers whether one was bad."""

    def __init__(self, prefix):
        self.prefix = prefix
        self.failed = 0
        self.started = time.monotonic()

    def ok(self, name):
        print("ok %s/%s" % (self.prefix, name), flush=True)

    def fail(self, name, why):
        """why may be several lines: the first stands behind the name."""
        self.failed += 1
        first, _, rest = str(why).partition("\n")
        print("FAIL %s/%s: %s" % (self.prefix, name, first))
        for line in rest.splitlines():
            print("    " + line)
        sys.stdout.flush()

    def skip(self, name, reason):
        print("SKIP %s/%s: %s" % (self.prefix, name, reason), flush=True)

    def check(self, name, faults):
        """ok when the list of faults is empty, else a failure that shows the first few."""
        if not faults:
            self.ok(name)
            return
        shown = [str(f) for f in faults[:10]]
        if len(faults) > 10:
            shown.append("... and %d more" % (len(faults) - 10))
        self.fail(name, "\n".join(shown))

    def exit(self):
        sys.exit(1 if self.failed else 0)


class Ended:
    """How a run of our program ended. status None: it did not, in time."""

    def __init__(self, status, stdout, stderr):
        self.status = status
        self.stdout = stdout
        self.stderr = stderr


def program(build, *args, env=None, timeout=60, before=(), **popen):
    """Runs magic-trace; env is added to the environment, before is a command that runs it."""
    argv = [*before, os.path.join(build, "magic-trace"), *args]
    try:
        p = subprocess.run(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE, env=dict(os.environ, **(env or {})),
                           timeout=timeout, check=False, **popen)
    except subprocess.TimeoutExpired:
        return Ended(None, "", "still running after %d s" % timeout)
    return Ended(p.returncode, p.stdout.decode("utf-8", "replace"),
                 p.stderr.decode("utf-8", "replace"))


REPLAY = {"MAGIC_TRACE_PERF_PATH": os.path.join(TOOLS, "replay-perf")}


def decode(build, directory, *args, output="trace.fxt", env=None, **more):
    """`magic-trace decode` on the texts perf.data* in a directory, the trace beside them."""
    path = os.path.join(directory, output)
    ended = program(build, "decode", *args, "-o", path, "-working-directory", directory,
                    env=dict(REPLAY, **(env or {})), **more)
    ended.path = path
    return ended


def check_trace(path):
    """What fxtdump.py --check finds wrong, as a list."""
    p = subprocess.run([sys.executable, os.path.join(TOOLS, "fxtdump.py"), "--check", path],
                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    return ["fxtdump.py --check: " + (p.stderr + p.stdout).decode()] if p.returncode else []
