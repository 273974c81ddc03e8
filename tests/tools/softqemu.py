# SPDX-License-Identifier: MIT
"""What the tests of QEMU's plugin share: programs under QEMU, who controls them, and what perf
makes of a part of what was executed."""
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile

import harness
import softtrace
from softtrace import compare

QEMU = shutil.which("qemu-x86_64")
SOURCES = {                     # programs for these tests only
    "dies": """#include <stdlib.h>
int main(void) { abort(); }
""",
    # closes all its files but the standard ones, or uses their numbers
    "closes": """#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	int end = sysconf(_SC_OPEN_MAX);

	if (argc > 1 && !strcmp(argv[1], "range"))
		syscall(SYS_close_range, 3, ~0u, 0);
	else if (argc > 1 && !strcmp(argv[1], "mark"))
		syscall(SYS_close_range, 3, ~0u, 4);
	else
		for (int fd = 3; fd < end; fd++)
			argc > 1 ? dup2(1, fd) : close(fd);
	puts("end");
	return 0;
}
""",
    # executes a file by its descriptor; with one more argument, one that has no name
    "by-fd": """#include <fcntl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	char *args[] = { "soft", "fib", 0 };
	int fd = open(argv[1], O_RDONLY | O_CLOEXEC);

	if (argc > 2) {
		int copy = memfd_create("copy", MFD_CLOEXEC);

		while (sendfile(copy, fd, 0, 1 << 20) > 0)
			;
		fd = copy;
	}
	fexecve(fd, args, environ);
	return 1;
}
""",
}


class Place(softtrace.Place):
    """Programs, and how they are recorded."""

    def __init__(self, build, work):
        super().__init__(build, work)
        self.plugin = os.path.join(build, "magic-trace-qemu.so")
        for name, text in SOURCES.items():
            self.programs[name] = self.path(name)
            subprocess.run(["gcc", "-D_GNU_SOURCE", "-xc", "-o", self.path(name), "-"],
                           input=text.encode(), check=True)
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
        options = {"out": self.path(name), "log": self.path(name + ".log"), "multi_thread": "on",
                   **options}
        value = ",".join([self.plugin.replace(",", ",,")] +
                         ["%s=%s" % (k.replace("_", "-"), str(v).replace(",", ",,"))
                          for k, v in options.items()])
        return [QEMU, "-seed", "1", "-plugin", value, *argv]

    def qemu(self, name, words, **options):
        return subprocess.run(self.command(name, self.argv(words), **options),
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, timeout=100, check=False)


def numbered(name, program, n=0):
    """The name of the n-th file of a program, both from 0 on."""
    return "%s.%06d%06d" % (name, program, n) if program or n else name


def compare_image(place, name, n):
    """The only file of the n-th program; the log's number stands behind its name, too."""
    if n:
        os.replace(place.path(numbered(name + ".log", n)), place.path(numbered(name, n) + ".log"))
    return compare(place, numbered(name, n))


def files_of(place, name):
    """What there is besides the log and the socket, in order."""
    return sorted(f for f in os.listdir(place.work) if re.fullmatch(name + r"(\.\d+)?", f))


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

    def __init__(self, place, name, words, stdin=subprocess.DEVNULL, before=(), **options):
        self.controller = Controller(place, name)
        self.process = subprocess.Popen(
            [*before,
             *place.command(name, place.argv(words), control=self.controller.path, **options)],
            stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
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


def decoded_pieces(place, name, executed=None):
    """What is decoded of a file are pieces of what was executed: its log says what that is."""
    want, (got, errors, others) = executed or place.logged(name), place.decoded(name)
    faults = errors + others
    for tid, its in got.items():
        wrong = pieces(want[tid], its)
        if wrong:
            faults.append("%s, thread %s: %s" % (name, tid, wrong))
    return faults + ([] if got else [name + ": nothing decoded"])


def named(place, name, comm, symbol):
    """perf names the thread, and a function, by nothing but this file."""
    p = subprocess.run(["perf", "script", "-i", place.path(name), "--itrace=be", "-F",
                        "comm,ip,sym"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                       check=False)
    words = [line.split() for line in p.stdout.splitlines()]
    if any(w[:1] != [comm] for w in words) or not any(w[-1:] == [symbol] for w in words):
        return ["%s: not of %s, or without %s: %s" % (name, comm, symbol, words[:3])]
    return []


def call(function, place, *args):
    if args and isinstance(args[-1], dict):
        options = dict(args[-1])
        if "in" in options:
            options["trigger_file"] = place.programs[options.pop("in")]
        return function(place, *args[:-1], **options)
    return function(place, *args)


def run_all(name, tests, skipped=()):
    """Runs tests, of name, function and arguments, or those that the command line names; skipped:
    names and reasons."""
    report = harness.Report(name)
    if not QEMU:
        report.skip("all", "qemu-x86_64 is not installed")
    elif not shutil.which("perf"):
        report.skip("all", "perf is not installed")
    else:
        with tempfile.TemporaryDirectory() as work:
            place = Place(harness.build_dir(), work)
            chosen = [t for t in tests if len(sys.argv) < 3 or t[0] in sys.argv[2:]]
            harness.check_all(report, [(test, call, function, place, *args) for
                                       test, function, *args in chosen], 2)
        for test, reason in skipped:
            report.skip(test, reason)
    report.exit()
