# SPDX-License-Identifier: MIT
"""What is done while something fails, and what has to hold whatever that was.

A Scene is one command of magic-trace in a directory of its own, run again and again. After each:

* it has ended, by itself and in time;
* with status 0 or 3 there is a whole trace, and the older one is kept beside it; with status 0 and
  no warning, a recording that is decoded has given the very bytes that it gives when nothing fails;
* with status 1 the older trace is untouched, and one message says why there is no other; or the new
  one was there, whole, before something failed that had nothing to do with it;
* no process and no file is left behind;
* a target that is attached to lives, runs, and is traced by nobody.
"""
import gzip
import os
import re
import shutil
import signal
import subprocess

import harness
import lines
import live
from counting import Counting
from stepped import Stepped

OLDER = b"an older trace\n"
TRACE = "trace.fxt.gz"
TIMEOUT = 100           # perf is waited for for 60 s
MESSAGE = re.compile(r"^magic-trace: (?!warning: )", re.M)
WARNING = re.compile(r"^magic-trace: warning: ", re.M)


class Scene:
    """One command; args are its arguments but -o."""

    name = ""
    exact = False       # the same bytes each time
    env = {}
    target = None

    def __init__(self, build, top, programs):
        self.build = build
        self.programs = programs
        self.place = live.Place(build, top, self.name)
        self.out = self.place.path("out")
        os.mkdir(self.out)
        self.want = None
        self.status = None
        self.said = ""
        self.cat = None
        self.prepare()

    @staticmethod
    def cannot():
        """Why it cannot be done here; None."""

    def prepare(self):
        """What is there before the first run."""

    def args(self):
        raise NotImplementedError

    def file(self, name):
        return os.path.join(self.out, name)

    def argv(self):
        program = os.path.join(self.build, "magic-trace")
        command, *rest = self.args()
        return [program, command, "-o", self.file(TRACE), *rest]

    def start(self, env=None, before=()):
        """Its process, behind an older trace; what it says goes to a file, by way of a process that
        has none of its limits."""
        for name in os.listdir(self.out):
            os.unlink(self.file(name))
        with open(self.file(TRACE), "wb") as f:
            f.write(OLDER)
        full = dict(self.place.env, **self.env, **(env or {}))
        with open(self.place.path("said"), "wb") as said:
            self.cat = subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=said,
                                        start_new_session=True)
        with self.cat.stdin as said:
            return subprocess.Popen([*before, *self.argv()], env=full, stdin=subprocess.DEVNULL,
                                    stdout=said, stderr=said, start_new_session=True)

    def take_said(self):
        """All that it said, unless somebody holds on to its standard error."""
        try:
            self.cat.wait(live.DYING)
        except subprocess.TimeoutExpired:
            self.cat.kill()
            self.cat.wait()
        self.said = live.read(self.place.path("said"))

    def run(self, env=None, before=()):
        """Runs it; sets status (None: it hangs) and said."""
        process = self.start(env, before)
        try:
            self.status = process.wait(TIMEOUT)
        except subprocess.TimeoutExpired:
            self.status = None
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        self.take_said()

    def bytes(self):
        with gzip.open(self.file(TRACE)) as f:
            return f.read()

    # ---- what has to hold ----

    def wrong(self, why="", removes=False):
        """
        What is not as it has to be after a run. One that ends with status 1 has to say why;
        with removes, what cannot be removed stays.
        """
        if self.status is None:
            return ["it hangs, having said: " + self.said]
        if self.status < 0:
            return ["killed by signal %d, having said: %s" % (-self.status, self.said)]
        if self.status == 1 and "Visit " not in self.said:
            bad = self.wrong_words(why) + self.wrong_files({TRACE: OLDER}, removes)
        elif self.status in (0, 1, 3):
            bad = self.wrong_trace() + self.wrong_files({TRACE: None, TRACE + ".old": OLDER},
                                                        removes)
        else:
            bad = ["exit status %d" % self.status]
        bad += self.wrong_rest(removes) + self.wrong_target()
        return bad and [*bad, "status %d, said: %s" % (self.status, self.said)]

    def wrong_words(self, why):
        n = len(MESSAGE.findall(self.said))
        if n != 1:
            return ["%d messages" % n]
        # or that something did not come, in the time that it may take; and who had no share of the
        # CPU has no samples
        other = " within ", "no sample was taken", "executed nothing in that time"
        return [] if any(w in self.said for w in (why, *other)) else ["%r is not said" % why]

    def wrong_files(self, want, removes):
        """Files of these contents, None: any, and no others."""
        bad = []
        for name, content in want.items():
            if not os.path.exists(self.file(name)):
                bad.append("there is no " + name)
            elif content is not None:
                with open(self.file(name), "rb") as f:
                    if f.read() != content:
                        bad.append(name + " has changed")
        extra = set(os.listdir(self.out)) - set(want)
        return bad + ([] if removes else ["left beside the trace: " + n for n in sorted(extra)])

    def wrong_trace(self):
        if self.status == 3 and not WARNING.search(self.said) and not MESSAGE.search(self.said):
            return ["a part, without a word of it"]
        if not os.path.exists(self.file(TRACE)):
            return ["there is no trace"]
        if self.exact and self.status == 0 and not WARNING.search(self.said):
            return [] if self.bytes() == self.want else ["another trace, without a word of it"]
        return harness.check_trace(self.file(TRACE))

    def wrong_rest(self, removes):
        left = self.place.left_behind()
        for pid in self.place.processes():
            os.kill(pid, signal.SIGKILL)
        if not os.listdir(self.place.tmp):
            return left
        if removes or self.next_names_it():
            left = [line for line in left if "TMPDIR" not in line]
        subprocess.run(["rm", "-rf", self.place.tmp], check=True)
        os.mkdir(self.place.tmp)
        return left

    def next_names_it(self):
        """Whether the next recording says what this one has left for temporary files: a directory
        that could not be removed, when it is too old to be one of a recording about to begin."""
        left = [os.path.join(self.place.tmp, name) for name in os.listdir(self.place.tmp)]
        os.utime(left[0], (0, 0))
        ended = harness.program(self.build, "run", "-sampling", "/no/such/program",
                                env=self.place.env)
        return len(left) == 1 and left[0] + " was left by a recording" in ended.stderr

    def wrong_target(self):
        """One that was harmed is replaced."""
        if not self.target:
            return []
        try:
            live.expect(live.is_alive(self.target.pid), "the target has ended")
            live.expect(live.status_of(self.target.pid).get("TracerPid") == "0",
                        "somebody traces the target")
            self.progress()
            return []
        except live.Fault as e:
            self.target.kill()
            self.begin_target()
            return [str(e)]

    def begin_target(self):
        """Sets target."""

    def progress(self):
        """Waits until the target has come on."""
        before = live.cpu_time(self.target.pid)
        live.until(lambda: live.cpu_time(self.target.pid) > before, "progress of the target")

    def unharmed(self):
        """The run without a fault, which all others are held against."""
        self.run()
        if self.status == 0 and self.exact:
            self.want = self.bytes()
        return self.wrong() if self.status == 0 else ["status %s: %s" % (self.status, self.said)]

    def close(self):
        try:
            if self.target:
                self.target.expect_unharmed()
            return []
        except live.Fault as e:
            return [str(e)]
        finally:
            self.place.close()


# ---- decode ----

class DecodeText(Scene):
    """A text of perf's."""
    name = "decode a text"
    exact = True
    env = harness.REPLAY

    def prepare(self):
        self.place.put("perf.data", lines.good(200))

    def args(self):
        return ["decode", "-working-directory", self.place.dir]


class DecodeSampled(Scene):
    """A recording of the real perf, with source lines."""
    name = "decode samples"
    exact = True

    def prepare(self):
        self.record("-sampling", "-callgraph-mode", "fp", "-full-execution")

    def record(self, *args, program=()):
        subprocess.run([os.path.join(self.build, "magic-trace"), "run", "-working-directory",
                        self.place.path("kept"), "-o", self.place.path("first.fxt"), *args, "--",
                        *(program or (self.programs["count"], "count", "40"))],
                       env=self.place.env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, check=True)

    def args(self):
        return ["decode", "-working-directory", self.place.path("kept")]


class DecodeBranches(DecodeSampled):
    """One of Intel PT, through the filter."""
    name = "decode branches"

    def prepare(self):
        self.record("-software", "-software-engine", "step", program=(self.programs["short"],))


# ---- run ----

class Run(Scene):
    """A program, with sampled stacks."""
    name = "run"

    def args(self):
        return ["run", "-sampling", "-callgraph-mode", "fp", "--", self.programs["count"], "count",
                "40"]


class RunSteps(Scene):
    """A program, each branch of it."""
    name = "run by steps"

    def args(self):
        return ["run", "-software", "-software-engine", "step", "--", self.programs["short"]]


class RunQemu(RunSteps):
    """The same under QEMU."""
    name = "run under qemu"

    @staticmethod
    def cannot():
        return None if shutil.which("qemu-x86_64") else "qemu-x86_64 is not installed"

    def args(self):
        return ["run", "-software", "-software-engine", "qemu", "--", self.programs["short"]]


# ---- attach ----

class Attach(Scene):
    """A program that runs, with sampled stacks."""
    name = "attach"
    options = ("-sampling", "-callgraph-mode", "fp", "-duration", "0.1")

    def prepare(self):
        self.begin_target()

    def begin_target(self):
        self.target = Counting(self.place, self.programs["count"])

    def args(self):
        return ["attach", *self.options, "-pid", str(self.target.pid)]


class AttachTrigger(Attach):
    """With a trigger, which it hits at once."""
    name = "attach with a trigger"
    options = ("-sampling", "-callgraph-mode", "fp", "-trigger", "count_round")

    @staticmethod
    def cannot():
        return live.why_not("mem:0x1000:x")


class AttachSteps(Attach):
    """A program that runs, each branch of it."""
    name = "attach by steps"
    options = ("-software", "-software-engine", "step", "-duration", "0.02")

    def begin_target(self):
        self.target = Stepped(self.place, self.programs["steps"])

    def progress(self):
        self.target.goes_on()


SHORT = """
static __attribute__((noinline)) int g(int n) { __asm__(""); return n + 1; }
static __attribute__((noinline)) int f(int n) { return g(n) + g(n + 1); }
int main(void) { return f(20) + f(30) != 104; }
"""


class Programs(dict):
    """{name: path}, made when it is asked for; static, since to step the dynamic linker takes a
    second."""

    def __init__(self, top):
        super().__init__()
        self.top = top

    def __missing__(self, name):
        if name == "count":
            path = harness.compile_target(self.top, "odd_target.c", "-g", "-static")
        elif name == "steps":
            path = harness.compile_target(self.top, "steps.c", "-O1", "-static")
        else:
            path = os.path.join(self.top, name)
            subprocess.run(["gcc", "-g", "-O1", "-static", "-x", "c", "-o", path, "-"],
                           input=SHORT.encode(), check=True)
        self[name] = path
        return path
