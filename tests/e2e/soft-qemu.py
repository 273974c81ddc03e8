#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""QEMU's plugin: the branches that perf decodes are those that were executed, thread by thread.

The plugin's log says which blocks QEMU has executed; what is judged against it is what `perf
script` makes of the packets. That the log itself is right shows against the stepper, which sees
each instruction of the same program: tests "as stepped". The socket from which the plugin is
controlled is served by this test, byte for byte as src/soft/qemuctl.h has it.
"""
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "tools")]
import harness                  # noqa: E402

branches = harness.load_module("soft_branches", os.path.join(HERE, "soft-branches.py"))

QEMU = shutil.which("qemu-x86_64")
CASES = [                       # name, program, what it prints, how often it executes another
    ("hello", "static fib", "fib 55\n", 0),
    ("fib", "soft fib", "fib 55\n", 0),
    ("qsort", "soft qsort", "qsort\n", 0),
    ("dlopen", "soft dlopen", "dlopen 0.914653\n" * 2, 0),
    ("exception", "throws", "throws 2 9\n", 0),
    ("signals", "soft signals", "signals 7 3 1 x\n", 0),
    ("threads", "soft threads", None, 0),
    ("exec", "soft exec", "fib 55\n", 1),
    ("script", "script", "fib 55\n", 1),
    ("fork", "soft fork", "fork 3 0\n", 0),
    ("death", "dies", "", 0),
]
DIES = """#include <stdlib.h>
int main(void) { abort(); }
"""


class Place(branches.Place):
    """Programs, and how they are recorded."""

    def __init__(self, build, work):
        super().__init__(build, work)
        self.plugin = os.path.join(build, "magic-trace-qemu.so")
        source = self.path("dies.c")
        with open(source, "w") as f:
            f.write(DIES)
        self.programs["dies"] = self.path("dies")
        subprocess.run(["gcc", "-o", self.path("dies"), source], check=True)
        # what it starts is a script: the kernel runs its interpreter
        with open(self.path("again.sh"), "w") as f:
            f.write("#!%s fib\n" % self.programs["soft"])
        os.chmod(self.path("again.sh"), 0o755)
        self.programs["script"] = shutil.which("env")

    def argv(self, words):
        if words == "script":
            return [self.programs["script"], self.path("again.sh")]
        return super().argv(words)

    def command(self, name, argv, **options):
        """The command line; options are the plugin's, with _ for a dash."""
        options = {"out": self.path(name), "log": self.path(name + ".log"), **options}
        value = ",".join([self.plugin.replace(",", ",,")] +
                         ["%s=%s" % (k.replace("_", "-"), str(v).replace(",", ",,"))
                          for k, v in options.items()])
        return [QEMU, "-seed", "1", "-plugin", value, *argv]

    def qemu(self, name, words, **options):
        return subprocess.run(self.command(name, self.argv(words), **options),
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, timeout=100, check=False)


def image(name, n):
    """The file of the n-th program; logs are beside as LOG.N, not FILE.N.log."""
    return "%s.%d" % (name, n) if n else name


def compare_image(place, name, n):
    if n:
        os.replace(place.path("%s.log.%d" % (name, n)), place.path(image(name, n) + ".log"))
    return branches.compare(place, image(name, n))


def run_case(place, name, words, printed, execs):
    ended = place.qemu(name, words)
    status = -signal.SIGABRT if words == "dies" else 0
    # QEMU itself says something when a program dies of a signal, and we say nothing
    said = re.sub(r"^qemu: uncaught target signal.*\n", "", ended.stderr) if status else ended.stderr
    faults = []
    if ended.returncode != status or printed not in (None, ended.stdout) or said:
        faults.append("status %d, printed %r, %r" % (ended.returncode, ended.stdout, ended.stderr))
    for n in range(execs + 1):
        faults += compare_image(place, name, n)
    if os.path.exists(place.path("%s.%d" % (name, execs + 1))):
        faults.append("there is a file too many")
    threads = 4 if words == "soft threads" else 1
    if len(place.logged(name)) != threads:
        faults.append("%d threads" % len(place.logged(name)))
    return faults


# --- against the stepper ---

def symbols(program):
    """Address and size of functions, by name."""
    names = subprocess.run(["nm", "-S", program], stdout=subprocess.PIPE, text=True,
                           check=True).stdout
    found = {}
    for line in names.splitlines():
        words = line.split()
        if len(words) == 4 and words[2] in "tT":
            found[words[3]] = (int(words[0], 16), int(words[1], 16))
    return found


def within(logged, functions):
    """The branches that begin or end in some functions, of all threads; what is elsewhere is "-":
    there, libraries do as the CPU is."""
    def place(address):
        return address if any(start <= int(address, 16) < start + size
                              for start, size in functions) else "-"
    moved = [(flags, place(a), place(b)) for thread in logged.values() for flags, a, b in thread]
    return [b for b in moved if b[1:] != ("-", "-")]


def as_stepped(place, name, words, *functions):
    """Both engines see the same branches of functions of the program; it is not moved."""
    faults = []
    ended = [place.qemu(name, words), place.record(name + "-s", "--", *place.argv(words))]
    faults += [e.stderr for e in ended if e.returncode]
    ranges = [symbols(place.programs["static"])[f] for f in functions]
    by_qemu, by_step = (within(place.logged(n), ranges) for n in (name, name + "-s"))
    if not by_step or by_qemu != by_step:
        at = next((i for i, (a, b) in enumerate(zip(by_qemu, by_step)) if a != b), -1)
        faults.append("%d by QEMU, %d stepped; from %d on: %s / %s" %
                      (len(by_qemu), len(by_step), at, by_qemu[at:at + 3], by_step[at:at + 3]))
    return faults + branches.compare(place, name)


# --- control ---

class Controller:
    """Serves the socket; what the plugin says, as lists of words."""

    def __init__(self, place, name):
        self.path = place.path(name + ".socket")
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(self.path)
        self.listener.listen(4)
        self.listener.settimeout(60)
        self.lines = self.connection = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for s in (self.lines, self.connection, self.listener):
            if s:
                s.close()

    def accept(self):
        for s in (self.lines, self.connection):
            if s:
                s.close()
        self.connection, _ = self.listener.accept()
        self.connection.settimeout(60)
        self.lines = self.connection.makefile("r")

    def next(self):
        """The words of the next line; [] at the end."""
        return self.lines.readline().split()

    def ask(self, what):
        """Sends a command; the lines up to its answer."""
        self.connection.sendall(what.encode() + b"\n")
        lines = []
        while not lines or lines[-1] not in (["done"], []):
            lines.append(self.next())
        return lines

    def rest(self):
        return [line.split() for line in self.lines]


class Controlled:
    """A program under QEMU, with a controller, which is connected."""

    def __init__(self, place, name, words, **options):
        self.controller = Controller(place, name)
        self.process = subprocess.Popen(
            place.command(name, place.argv(words), control=self.controller.path, **options),
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.controller.accept()
        self.hello = self.controller.next()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate()
        self.controller.__exit__()

    def end(self, printed):
        """Waits for its end; what is wrong with that."""
        out, err = self.process.communicate(timeout=100)
        if self.process.returncode or out != printed or err:
            return ["status %s, printed %r, %r" % (self.process.returncode, out, err)]
        return []


def counts(place, name, line):
    """What the plugin says when it ends, against its log."""
    logged = place.logged(name)
    n = sum(map(len, logged.values()))
    if line[:1] != ["bye"] or len(line) != 7 or int(line[2]) != n or int(line[4]) != len(logged):
        return ["%s, but %d branches, %d threads" % (line, n, len(logged))]
    return []


def controlled(place):
    """hello, bye, and nothing else; for each program."""
    faults = []
    with Controlled(place, "exec-c", "soft exec") as c:
        pid = str(c.process.pid)
        first = [c.hello, *c.controller.rest()]
        c.controller.accept()
        second = c.controller.rest()
        faults += c.end("fib 55\n")
    if [first[0], first[2:]] != [["hello", pid, "0"], [["exec", "1"]]]:
        faults.append("said first %s" % first)
    faults += counts(place, "exec-c", first[1]) + compare_image(place, "exec-c", 0)
    faults += compare_image(place, "exec-c", 1)
    if second[0] != ["hello", pid, "1"] or len(second) != 2:
        faults.append("said then %s" % second)
    return faults + counts(place, "exec-c.1", second[1])


def pieces(want, got):
    """Whether what was decoded consists of pieces of what was executed, in order. A piece begins
    behind an end: with "tr strt", which perf makes up where a snapshot begins, unless the one
    before has ended in the kernel."""
    index = {}
    for i, b in enumerate(want):
        index.setdefault(b, []).append(i)
    ends = [i for i in range(1, len(got))
            if got[i][0] == "tr_strt" or got[i - 1][0].startswith("tr_end")]
    at = taken = 0
    for first, end in zip([0, *ends], [*ends, len(got)]):
        piece = got[first + (got[first][0] == "tr_strt"):end]
        found = next((i for i in index.get(piece[0], ())
                      if i >= at and want[i:i + len(piece)] == piece), None) if piece else at
        if found is None:
            return "not executed: %s ... of %d" % (piece[:2], len(piece))
        at = found + len(piece)
        taken += len(piece)
    return "" if taken else "nothing"


def decoded_pieces(place, name):
    want, (got, errors, others) = place.logged(name), place.decoded(name)
    faults = errors + others
    for tid, its in got.items():
        wrong = pieces(want[tid], its)
        if wrong:
            faults.append("thread %s: %s" % (tid, wrong))
    return faults + ([] if got else ["nothing decoded"])


def snapshots(place):
    """Each snapshot, and what the ring has at the end, is a part of what was executed."""
    faults = []
    with Controlled(place, "snap", "soft checks 1.5", ring=65536) as c:
        said = c.process.stdout.readline()
        answers = [c.controller.ask("snapshot") for _ in range(3)]
        rest = c.controller.rest()
        faults += c.end("checked\n")
    if said != "ready\n" or answers != [[["done"]]] * 3:
        faults.append("%r, %s" % (said, answers))
    if len(rest) != 1 or rest[0][0] != "bye":
        faults.append("at the end: %s" % rest)
    size = os.path.getsize(place.path("snap"))
    if size > 12 * 65536:
        faults.append("%d bytes of 4 rings of 2 threads" % size)
    return faults + decoded_pieces(place, "snap")


def stop(place):
    """The program goes on, and what was recorded up to there is complete."""
    faults = []
    with Controlled(place, "stop", "soft checks 1") as c:
        c.process.stdout.readline()
        answer = c.controller.ask("stop")
        size = os.path.getsize(place.path("stop"))
        faults += c.end("checked\n")
    if [line[0] for line in answer] != ["bye", "done"]:
        faults.append("said %s" % answer)
    if os.path.getsize(place.path("stop")) != size:
        faults.append("it was written to afterwards")
    return faults + branches.compare(place, "stop")


def trigger(place, name, words, program, **options):
    """Each call of fib, or the first; 177 calls make fib(10)."""
    start = symbols(place.programs[program])["fib"][0]
    multi = options.get("multi") == "on"
    with Controlled(place, name, words, trigger="%x" % start, **options) as c:
        lines = c.controller.rest()
        faults = c.end("fib 55\n")
    hits = [line for line in lines if line[0] == "hit"]
    if len(hits) != (177 if multi else 1):
        faults.append("%d hits" % len(hits))
    if any(line[2] != str(c.process.pid) or not line[3].endswith("%x" % (start & 0xfff)) or
           line[4:] != ["0", "0"] for line in hits):
        faults.append("hits: %s" % hits[:3])
    times = [int(line[1]) for line in hits]
    if times != sorted(times):
        faults.append("times of hits run backwards")
    if "ring" not in options:
        return faults + branches.compare(place, name)
    got = [b for its in place.decoded(name)[0].values() for b in its]
    if not multi and [got[-2][0], got[-2][2], got[-1]] != \
            ["call", hits[0][3], ("tr_end_async", hits[0][3], "0")]:
        faults.append("the snapshot ends with %s" % got[-2:])
    return faults + decoded_pieces(place, name)


def untraced(place):
    """A program that QEMU cannot run is run all the same, and this is said."""
    other = place.path("other")
    shutil.copy("/bin/true", other)
    os.chown(other, 1, 1)
    os.chmod(other, 0o4755)
    place.programs["env"] = shutil.which("env")
    with Controlled(place, "other-d", "env " + other) as c:
        lines = c.controller.rest()
        faults = c.end("")
    if [line[0] for line in lines] != ["untraced", "bye"] or other not in lines[0]:
        faults.append("said %s" % lines)
    return faults + branches.compare(place, "other-d")


def failing(place):
    """A file that cannot be made: said where it is to be said, and nowhere else."""
    with Controlled(place, "bad", "soft fib", out="/proc/none/x") as c:
        lines = c.controller.rest()
        c.process.communicate()
        status = c.process.returncode
    if len(lines) != 1 or lines[0][0] != "failed" or "/proc/none/x:" not in lines[0] or not status:
        return ["status %s, said %s" % (status, lines)]
    return []


def odd_names(place):
    """Commas, blanks and quotes in paths."""
    name = "a, b='c',d%"
    ended = place.qemu(name, "soft fib")
    faults = [ended.stderr] if ended.returncode or ended.stderr else []
    return faults + branches.compare(place, name)


def descriptors(place):
    """The program gets the descriptors that it gets without us, and may close all it likes."""
    script = "exec 3</dev/null; ls -l /proc/self/fd | wc -l; for i in 3 4 5 6 7 8 9; do " \
             "eval \"exec $i<&-\"; done; echo end"
    place.programs["bash"] = shutil.which("bash")
    plain = subprocess.run([QEMU, place.programs["bash"], "-c", script], stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE, text=True, check=False)
    ended = subprocess.run(place.command("fds", [place.programs["bash"], "-c", script]),
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    if (plain.returncode, plain.stdout, plain.stderr) != (ended.returncode, ended.stdout,
                                                          ended.stderr):
        return ["%r, plain %r" % (ended, plain)]
    return branches.compare(place, "fds")


def reproducible(place):
    """Counted time: the same file each time, with one thread."""
    files = set()
    for _ in range(20 if harness.LONG else 3):
        ended = place.qemu("again", "soft dlopen", time="instructions")
        if ended.returncode:
            return [ended.stderr]
        with open(place.path("again"), "rb") as f:
            files.add(f.read())
    return (["%d different files" % len(files)] if len(files) != 1 else
            branches.compare(place, "again"))


def real_time(place):
    ended = place.qemu("real", "soft threads", time="real")
    faults = [ended.stderr] if ended.returncode or ended.stderr else []
    return faults + branches.compare(place, "real")


def tests():
    for name, words, printed, execs in CASES:
        yield name, run_case, name, words, printed, execs
    yield ("fib as stepped", as_stepped, "fib-as", "static fib", "main", "do_fib", "fib")
    yield ("qsort as stepped", as_stepped, "qsort-as", "static qsort", "do_qsort", "compare")
    yield ("signals as stepped", as_stepped, "signals-as", "static signals", "do_signals",
           "on_signal", "jump")
    yield "control", controlled
    yield "snapshots", snapshots
    yield "stop", stop
    yield "trigger", trigger, "trigger", "static fib", "static", {"ring": 65536}
    yield "trigger all", trigger, "trigger-all", "static fib", "static", {"multi": "on"}
    yield "trigger in ring", trigger, "trigger-r", "static fib", "static", {"multi": "on",
                                                                           "ring": 65536}
    yield "trigger in file", trigger, "trigger-f", "soft fib", "soft", {"in": "soft"}
    if os.geteuid() == 0:
        yield "untraced", untraced
    for test in (failing, odd_names, descriptors, reproducible, real_time):
        yield test.__name__.replace("_", " "), test


def call(function, place, *args):
    if args and isinstance(args[-1], dict):
        options = dict(args[-1])
        if "in" in options:
            options["trigger_file"] = place.programs[options.pop("in")]
        return function(place, *args[:-1], **options)
    return function(place, *args)


def chosen():
    return [test for test in tests() if len(sys.argv) < 3 or test[0] in sys.argv[2:]]


def main():
    report = harness.Report("e2e/soft-qemu")
    if not QEMU:
        report.skip("all", "qemu-x86_64 is not installed")
    elif not shutil.which("perf"):
        report.skip("all", "perf is not installed")
    else:
        with tempfile.TemporaryDirectory() as work:
            place = Place(harness.build_dir(), work)
            harness.check_all(report, [(name, call, function, place, *args) for
                                       name, function, *args in chosen()], 2)
            if os.geteuid() != 0:
                report.skip("untraced", "the test is not run by root")
    report.exit()


if __name__ == "__main__":
    main()
