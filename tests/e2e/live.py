# SPDX-License-Identifier: MIT
"""What the tests that record for real share: magic-trace while it runs, and what it leaves behind.

Each test is a function that gets a Place (a directory of its own) and raises Fault when something
is wrong. Nothing waits for a time: only for what is to happen, with a limit that ends the test.
"""
import concurrent.futures
import errno
import os
import select
import shutil
import signal
import subprocess
import tempfile
import time
import traceback

import harness

LIMIT = 60          # seconds that anything may take
DYING = 5           # what was killed is gone by then


class Fault(Exception):
    """What is wrong."""


class Skip(Exception):
    """Why a test cannot be run here."""


def expect(good, *what):
    if not good:
        raise Fault(" ".join(str(w) for w in what))


def until(look, what):
    """Waits until look() gives something that is true, and returns that."""
    end = time.monotonic() + LIMIT
    while True:
        found = look()
        if found:
            return found
        if time.monotonic() > end:
            raise Fault("in %d s there was no %s" % (LIMIT, what() if callable(what) else what))
        time.sleep(0.005)


def read(path):
    """The text of a file; "" when there is none."""
    try:
        with open(path, "rb") as f:
            return f.read().decode("utf-8", "replace")
    except OSError:
        return ""


def status_of(pid):
    """/proc/PID/status as a dictionary; empty when the process is gone."""
    lines = [line.split(":", 1) for line in read("/proc/%d/status" % pid).splitlines()]
    return {line[0]: line[1].strip() for line in lines if len(line) == 2}


def is_stopped(pid):
    return status_of(pid).get("State", "")[:1] == "T"


def is_alive(pid):
    return status_of(pid).get("State", "X")[:1] not in "XZ"


def cpu_time(pid):
    """What a process has had of the CPU in user mode, in ticks of 10 ms; None: it is gone."""
    fields = read("/proc/%d/stat" % pid).rpartition(")")[2].split()
    return int(fields[11]) if fields else None


def until_busy(pid):
    """Waits until it has worked for some time from now on: then there are samples of it."""
    before = cpu_time(pid)
    expect(before is not None, "process %d has ended" % pid)
    until(lambda: (cpu_time(pid) or 0) >= before + 3, "work of process %d" % pid)


class Place:
    """The directory of one test, and the mark in the environment of all that it starts."""

    def __init__(self, build, top, name):
        self.build = build
        self.top = top
        self.name = name
        self.dir = tempfile.mkdtemp(dir=top)
        self.tmp = os.path.join(self.dir, "tmp")
        os.mkdir(self.tmp)
        self.env = dict(os.environ, TMPDIR=self.tmp)
        self.env[harness.MARK] = self.dir
        self.env.pop("MAGIC_TRACE_PERF_PATH", None)
        self.targets = []

    def path(self, name):
        return os.path.join(self.dir, name)

    def put(self, name, text, mode=0o644):
        with open(self.path(name), "w", encoding="utf-8") as f:
            f.write(text)
        os.chmod(self.path(name), mode)
        return self.path(name)

    def perf(self, **commands):
        """A perf that runs lines of shell before one of its commands, in the test's directory."""
        cases = "".join("%s)\n%s\n;;\n" % case for case in commands.items())
        return self.put("perf", "#!/bin/sh\nplace='%s'\ncase $1 in\n%sesac\nexec perf \"$@\"\n"
                        % (self.dir, cases), 0o755)

    def processes(self):
        """{pid: name} of those that have our mark."""
        return {pid: read("/proc/%d/comm" % pid).strip() for pid in harness.marked(self.dir)}

    def find(self, name):
        """The pid of the process of that name, as soon as there is one."""
        return until(lambda: [p for p, n in self.processes().items() if n == name],
                     "process %s" % name)[0]

    def left_behind(self):
        """
        Processes and temporary files that should not be there any more. What was killed needs a
        moment to be gone: perf's addr2line is not our child, and nobody can wait for its end.
        """
        end = time.monotonic() + DYING
        while self.processes() and time.monotonic() < end:
            time.sleep(0.005)
        return ["left running: %d (%s)" % p for p in self.processes().items()] + \
            ["left in TMPDIR: " + name for name in os.listdir(self.tmp)]

    def close(self):
        for target in self.targets:
            target.kill()
        for pid in self.processes():
            try:
                os.kill(pid, signal.SIGKILL)
            except OSError:
                pass
        shutil.rmtree(self.dir, ignore_errors=True)


class Output:
    """What goes to a file, or comes from a terminal, while it grows."""

    def __init__(self, take):
        self.take = take

    def text(self):
        return self.take()

    def wait(self, word, times=1):
        until(lambda: self.text().count(word) >= times,
              lambda: "%r (%d times) in: %s" % (word, times, self.text()))


class Target:
    """A program that runs by itself, to be attached to. Not marked: it is to be left behind."""

    def __init__(self, place, program, *args):
        env = {k: v for k, v in place.env.items() if k != harness.MARK}
        self.process = subprocess.Popen([program, *args], stdin=subprocess.DEVNULL, env=env,
                                        stdout=subprocess.PIPE, start_new_session=True)
        place.targets.append(self)
        self.pid = self.process.pid
        self.process.stdout.readline()          # it has begun

    def end(self):
        """Tells it to end; what it says, and its exit status."""
        self.process.send_signal(signal.SIGUSR1)
        said = self.process.communicate(timeout=LIMIT)[0].decode()
        return said, self.process.returncode

    def expect_unharmed(self):
        """It runs, and has got no signal but the one that now ends it."""
        expect(is_alive(self.pid) and not is_stopped(self.pid), "the target's state:",
               status_of(self.pid).get("State"))
        expect(status_of(self.pid).get("TracerPid") == "0", "somebody traces the target")
        said, status = self.end()
        expect((said, status) == ("signal %d\nINT 0 TERM 0 HUP 0\n" % signal.SIGUSR1, 0),
               "the target said %r, status %s" % (said, status))

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


class Terminal:
    """A terminal that a program has, and who types at it."""

    def __init__(self):
        self.master, self.slave = os.openpty()
        self.seen = b""
        os.set_blocking(self.master, False)

    def read(self):
        """All that was shown so far; the end of each line is one newline."""
        try:
            while True:
                got = os.read(self.master, 65536)
                if not got:
                    break
                self.seen += got
        except OSError as e:
            if e.errno not in (errno.EAGAIN, errno.EIO, errno.EBADF):
                raise
        return self.seen.decode("utf-8", "replace").replace("\r\n", "\n")

    def type(self, keys):
        os.write(self.master, keys.encode())

    def close(self):
        for fd in (self.master, self.slave):
            if fd >= 0:
                os.close(fd)
        self.master = self.slave = -1


SAMPLING = ("-sampling", "-callgraph-mode", "fp")


class Live:
    """magic-trace while it records; its trace is trace.fxt of the place."""

    def __init__(self, place, *args, program=(), before=(), terminal=False, perf=None, env=None,
                 backend=SAMPLING, **popen):
        self.place = place
        self.trace = place.path("trace.fxt")
        self.files = []
        self.terminal = Terminal() if terminal else None
        self.ready_fd, ready = os.pipe()
        argv = [*before, os.path.join(place.build, "magic-trace"), args[0], *backend,
                "-o", self.trace, "-ready-fd", str(ready), *args[1:]]
        if program:
            argv += ["--", *program]
        full = dict(place.env, **(env or {}))
        if perf:
            full["MAGIC_TRACE_PERF_PATH"] = perf
        files = {"stdin": subprocess.DEVNULL, "pass_fds": (ready,), "bufsize": 0}
        if terminal:
            # the session that has the terminal, and the process group in its foreground
            argv = ["setsid", "--ctty", *argv]
            files.update(dict.fromkeys(("stdin", "stdout", "stderr"), self.terminal.slave))
            self.out = self.err = Output(self.terminal.read)
        else:
            files["start_new_session"] = True
            self.out, files["stdout"] = self.to_file("stdout")
            self.err, files["stderr"] = self.to_file("stderr")
        files.update(popen)
        self.process = subprocess.Popen(argv, env=full, **files)
        self.pid = self.process.pid
        os.close(ready)
        if terminal:
            os.close(self.terminal.slave)
            self.terminal.slave = -1
        for file in self.files:
            file.close()

    def to_file(self, name):
        path = self.place.path(name)
        self.files.append(open(path, "ab"))
        return Output(lambda: read(path)), self.files[-1]

    def ready(self):
        """Waits for the line that says so, and for nobody to have the file open; the pid in it."""
        line = b""
        with os.fdopen(self.ready_fd, "rb", buffering=0) as f:
            while True:
                expect(select.select([f], [], [], LIMIT)[0], "-ready-fd is not closed:", line)
                got = f.read(64)
                if not got:
                    break
                line += got
        line = line.decode()
        word, _, pid = line.partition(" ")
        expect(word == "recording" and pid.strip().isdigit() and line.endswith("\n"),
               "-ready-fd got %r: %s" % (line, self.err.text()))
        return int(pid)

    def send(self, sig):
        self.process.send_signal(sig)

    def wait(self):
        """Its exit status, when it has ended."""
        if self.terminal:
            until(lambda: self.terminal.read() is not None and self.process.poll() is not None,
                  lambda: "end: " + self.terminal.read())
        try:
            return self.process.wait(LIMIT)
        except subprocess.TimeoutExpired:
            raise Fault("it has not ended: " + self.err.text()) from None

    def end(self, status=0, trace=True):
        """It has to end with that status, with a good trace or none, and leave nothing behind."""
        got, left = self.wait(), self.place.left_behind()
        said = self.err.text()
        expect(got == status, "exit status %s, expected %s: %s" % (got, status, said))
        expect(not left, *left)
        if trace:
            faults = harness.check_trace(self.trace)
            expect(not faults, *faults)
            expect("Visit https://magic-trace.org/ and open %s to view trace." % self.trace in said,
                   "no Visit:", said)
        else:
            expect(not [n for n in os.listdir(self.place.dir) if n.startswith("trace.fxt")],
                   "there is a trace:", said)
        if self.terminal:
            self.terminal.close()
        return said


def expect_order(text, *words):
    """All are there once, as lines of their own, in this order."""
    lines = text.splitlines()
    for word in words:
        expect(lines.count(word) == 1, "%r is there %d times in: %s"
               % (word, lines.count(word), text))
    order = sorted(words, key=lines.index)
    expect(order == list(words), "order %s, expected %s" % (order, list(words)))


def why_not(event="cpu-clock:u"):
    """Why nothing can be recorded here; None: it can."""
    if not shutil.which("perf") or not shutil.which("gcc"):
        return "perf or gcc is not installed"
    with tempfile.TemporaryDirectory() as work:
        p = subprocess.run(["perf", "record", "-o", os.path.join(work, "d"), "-e", event, "true"],
                           stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT, check=False)
    if p.returncode:
        return "perf record -e %s fails here: %s" % (
            event, p.stdout.decode("utf-8", "replace").strip()[-200:].replace("\n", " "))
    return None


def need_breakpoints():
    why = why_not("mem:0x1000:x")
    if why:
        raise Skip(why)


def run_one(build, top, test):
    """(why it failed, why it was skipped); None for what it did not."""
    place = Place(build, top, test.__name__)
    try:
        test(place)
        left = place.left_behind()
        return ("\n".join(left) if left else None), None
    except Skip as e:
        return None, str(e)
    except Fault as e:
        return str(e), None
    except Exception:                           # pylint: disable=broad-except
        return "the test failed:\n" + traceback.format_exc(), None
    finally:
        place.close()


def run_all(prefix, tests, prepare, cannot_test=None):
    """
    Runs the tests, several at a time: they mostly wait. prepare(directory) comes before. All are
    skipped for the reason that cannot_test(build) gives; if not given, when perf cannot record.
    """
    report = harness.Report(prefix)
    build = harness.build_dir()
    why = cannot_test(build) if cannot_test else why_not()
    if why:
        report.skip("all", why)
        report.exit()
    # not below a TMPDIR of ours that has odd characters or is long: it ends up in command lines
    with tempfile.TemporaryDirectory(prefix="mt-e2e-") as top:
        prepare(top)
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            results = [(t, pool.submit(run_one, build, top, t)) for t in tests]
            for test, result in results:
                name = test.__name__.replace("_", " ")
                fault, skipped = result.result()
                if skipped:
                    report.skip(name, skipped)
                else:
                    report.check(name, [fault] if fault else [])
    report.exit()
