# SPDX-License-Identifier: MIT
"""What the tests above unit level share: where things are, and how a result is said.

Each test program prints one line a test (`ok NAME`, `FAIL NAME: why`, `SKIP NAME: reason`) and
exits with 1 when one failed. Its first argument is the build directory (default: build); with
MT_LONG=1 in the environment it runs its long form.
"""
import concurrent.futures
import importlib.util
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback

sys.dont_write_bytecode = True

# A shell has what it runs in the background ignore this; what we run would inherit it.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# What is read of debug info is not kept where the user of this machine has it.
os.environ["XDG_CACHE_HOME"] = "/dev/null/none"

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
fxtcheck = load_module("fxtcheck", os.path.join(TOOLS, "fxtcheck.py"))


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
    """What is wrong with a trace file, as a list."""
    return fxtcheck.faults(path)


class Lines:
    """What a process writes to a pipe, taken as it comes, and waited for."""

    def __init__(self, pipe):
        self.lines = []
        self.ended = False
        self.changed = threading.Condition()
        self.thread = threading.Thread(target=self._take, args=(pipe,), daemon=True)
        self.thread.start()

    def _take(self, pipe):
        with pipe:
            for line in pipe:
                with self.changed:
                    self.lines.append(line.decode("utf-8", "replace").rstrip("\n"))
                    self.changed.notify_all()
        with self.changed:
            self.ended = True
            self.changed.notify_all()

    def find(self, text):
        """The first line that has the text; None."""
        return next((line for line in self.lines if text in line), None)

    def wait(self, text, count=1, timeout=60):
        """Until so many lines have the text; the last of them, or None: there will be none."""
        def found():
            return [line for line in self.lines if text in line][count - 1:count]

        with self.changed:
            self.changed.wait_for(lambda: self.ended or found(), timeout)
            return (found() or [None])[0]

    def rest(self, timeout=60):
        """All of them, when the pipe is closed."""
        self.thread.join(timeout)
        return self.lines


MARK = "MAGIC_TRACE_TEST_MARK"


def marked(mark):
    """Processes with this mark in their environment, which those that have ended have not."""
    found, word = [], ("%s=%s" % (MARK, mark)).encode()
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/%s/environ" % pid, "rb") as f:
                if word in f.read().split(b"\0"):
                    found.append(int(pid))
        except OSError:
            pass
    return found


class Recorder:
    """magic-trace run or attach, while it runs.

    It has a directory for temporary files of its own, and a mark in its environment; what it leaves
    behind is found by these. Command is "run" or "attach".
    """

    def __init__(self, build, work, command, *args, env=None, stdin=subprocess.DEVNULL,
                 pass_fds=(), **popen):
        self.tmp = tempfile.mkdtemp(prefix="tmp", dir=work)
        self.started = time.monotonic()
        self.ready_fd, theirs = os.pipe()
        environ = dict(os.environ, **(env or {}), TMPDIR=self.tmp)
        environ[MARK] = self.tmp
        argv = [os.path.join(build, "magic-trace"), command, "-ready-fd", str(theirs), *args]
        self.process = subprocess.Popen(argv, stdin=stdin, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, env=environ,
                                        pass_fds=[theirs, *pass_fds], start_new_session=True,
                                        **popen)
        os.close(theirs)
        self.pid = self.process.pid
        self.out = Lines(self.process.stdout)
        self.err = Lines(self.process.stderr)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        """Nothing of it stays, whatever has failed."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        for pid in marked(self.tmp):
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        if self.ready_fd >= 0:
            os.close(self.ready_fd)

    def ready(self):
        """The line that says that recording is on; "" when it has ended before."""
        with os.fdopen(self.ready_fd, "rb") as f:
            self.ready_fd = -1
            return f.read().decode()

    def signal(self, sig):
        self.process.send_signal(sig)

    def end(self, timeout=60):
        """Waits for its end."""
        try:
            status = self.process.wait(timeout)
        except subprocess.TimeoutExpired:
            return Ended(None, "\n".join(self.out.lines), "still running after %d s, having said:"
                         "\n%s" % (timeout, "\n".join(self.err.lines)))
        return Ended(status, "\n".join(self.out.rest()), "\n".join(self.err.rest()))

    def left(self, also=()):
        """What it has left behind: processes (but those named), temporary files."""
        deadline = time.monotonic() + 30
        while True:
            pids = [pid for pid in marked(self.tmp) if pid not in also]
            files = os.listdir(self.tmp)
            if not pids and not files:
                return []
            if time.monotonic() > deadline:
                return ["left behind: %s" % what for what in
                        [shown_process(pid) for pid in pids] + files]
            time.sleep(0.02)


def shown_process(pid):
    try:
        with open("/proc/%d/cmdline" % pid, "rb") as f:
            words = f.read().replace(b"\0", b" ").decode("utf-8", "replace")
            return "process %d: %s" % (pid, words)
    except OSError:
        return "process %d" % pid


def faults_of(function, *args, **options):
    """What a test finds wrong; where it broke off, when what it looks at is not as it thinks."""
    try:
        return function(*args, **options)
    except Exception:           # whatever it is: the other tests are to run
        return [traceback.format_exc()]


def check_all(report, tests, workers):
    """Tests (name, function, arguments) of which some run at the same time: most of them wait.
    Each has its own line, in the order given."""
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        running = [(name, pool.submit(faults_of, function, *args))
                   for name, function, *args in tests]
        for name, found in running:
            report.check(name, found.result())


def compile_target(work, name, *flags, out=None, compiler=None):
    """A program of tests/e2e/targets, made in work; its path. Flags that name other sources of
    that directory stand for their paths."""
    compiler = compiler or ("g++" if name.endswith(".cc") else "gcc")
    targets = os.path.join(TOP, "tests", "e2e", "targets")
    path, source = os.path.join(work, out or os.path.splitext(name)[0]), os.path.join(targets, name)
    flags = [os.path.join(targets, f) if f in os.listdir(targets) else f for f in flags]
    std = [] if "++" in compiler else ["-std=gnu17"]
    subprocess.run([compiler, *std, "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror", "-pthread",
                    "-fno-omit-frame-pointer", "-mno-omit-leaf-frame-pointer",
                    "-I", os.path.join(TOP, "include"), "-o", path, source, *flags], check=True)
    return path


def in_mount_namespace(report, script, inside, cannot_test):
    """Has inside(report, build) run in a mount namespace of its own, by the script called again;
    or skips all, for the reason that cannot_test() gives."""
    build = build_dir()
    if sys.argv[2:] == ["inside"]:
        inside(report, build)
        report.exit()
    why = cannot_test()
    if why:
        report.skip("all", why.replace("\n", " "))
        report.exit()
    sys.exit(subprocess.run(["unshare", "-m", sys.executable, os.path.abspath(script), build,
                             "inside"], check=False).returncode)
