#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The records of our filter in perf give the trace that perf's text gives, byte for byte.

What is decoded is recorded here, by the stepper and by QEMU's plugin; the truth is the text path:
the same with MAGIC_TRACE_NO_DLFILTER set. MT_LONG=1: more programs, and more faults.
"""
import os
import re
import shutil
import stat
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "tools")]
import harness                  # noqa: E402
import softtrace                # noqa: E402

TEXT = {"MAGIC_TRACE_NO_DLFILTER": "1"}
FILTER = "magic-trace-dlfilter.so"
REFERENCE = ("-stacks", "reference", "-time-spread", "reference", "-inline", "off")
HELLO, TIME, THREAD, FLAGS, PLACE, BRANCH, TICK = range(0xf8, 0xff)
LENGTHS = {HELLO: 9, TIME: 9, THREAD: 9, FLAGS: 6, PLACE: 24, BRANCH: 8, TICK: 1}

STEPPED = [                     # name, program, options of softstep
    ("exceptions", "throws", ()),
    ("turns", "turns", ()),
    ("swap", "swap {a} {b}", ()),
    ("overflow in a loop", "turns", ("-z", "0", "-F", "overflow,6100,500")),
    ("cut", "turns", ("-t", "instructions", "-z", "0", "-F", "cut,601,333")),
]
LONG_STEPPED = [
    ("threads", "soft threads", ()),
    ("signals", "soft signals", ()),
    ("callback", "soft qsort", ()),
    ("hello", "static fib", ()),
    ("recursion", "soft fib", ()),
    ("dlopen", "soft dlopen", ()),
    ("threads per CPU", "soft threads", ("-C", "-m", "-n")),
    ("exec", "soft exec", ()),
    ("fork", "soft fork", ("-f",)),
    ("odd instructions", "soft odd", ()),
    ("turns in one thread", "turns", ("-1", "-t", "instructions")),
    ("swap in real time", "swap {a} {b}", ("-t", "real", "-T", "40")),
    ("overflow", "turns", ("-F", "overflow,2500,500")),
    ("lost", "soft fib", ("-F", "truncated,4000,500")),
    ("ring", "soft fib15", ("-n", "-z", "0", "-r", "4096", "-R")),
    ("snapshots", "soft threads", ("-z", "0", "-r", "8192", "-s", "5000")),
]
EMULATED = ["soft threads", "swap {a} {b}"]
LONG_EMULATED = ["static fib", "throws", "soft signals", "soft exec", "turns"]


class Place(softtrace.Place):
    """The programs, and two libraries that differ in their names."""

    def __init__(self, build, work):
        super().__init__(build, work)
        self.build = build
        self.names = {n: self.library(n) for n in "ab"}
        self.programs["turns"] = harness.compile_target(work, "turns.c", "-O2")
        self.programs["swap"] = harness.compile_target(work, "swap.c", "-O1", "-ldl")

    def library(self, name):
        return harness.compile_target(self.work, "swap.c", "-O2", "-fno-inline", "-shared",
                                      "-fPIC", "-DNAME=" + name, out="lib%s.so" % name)

    def argv(self, words):
        return super().argv(words.format(**self.names))

    def decode(self, name, *args, build=None, env=None, output="trace.fxt"):
        path = self.path(output)
        # debug info is read once: decoding does little else
        ended = harness.program(build or self.build, "decode", *args, "-o", path, self.path(name),
                                env={"XDG_CACHE_HOME": self.path("cache"), **(env or {})})
        ended.path = path
        return ended

    def perf(self, name, script):
        """A program that stands in for perf."""
        path = self.path(name)
        with open(path, "w") as f:
            f.write("#!/bin/sh\n" + script)
        os.chmod(path, 0o755)
        return {"MAGIC_TRACE_PERF_PATH": path}


def read(path):
    with open(path, "rb") as f:
        return f.read()


def same(place, name, *args):
    """Both ways give the same file, and say the same."""
    text = place.decode(name, *args, env=TEXT, output="text.fxt")
    records = place.decode(name, *args, output="records.fxt")
    said = text.stderr.replace("text.fxt", "records.fxt")
    faults = []
    if text.status != 0 or records.status != 0 or said != records.stderr:
        faults.append("status %s and %s\n%s\n%s" % (text.status, records.status, text.stderr,
                                                    records.stderr))
    elif read(text.path) != read(records.path):
        faults.append("the traces differ: kept in " + place.work)
    return faults or harness.check_trace(records.path)


def stepped(place, name, words, options):
    data = "of-" + name.replace(" ", "-")
    ended = place.record(data, *options, "--", *place.argv(words))
    if ended.returncode:
        return [ended.stderr]
    faults = same(place, data)
    if "-F" in options and not re.search("[1-9][0-9]* decode error", place.decode(data).stderr):
        faults.append("it has no decode error")
    return faults


def emulated(place, qemu, words):
    data = "qemu-" + words.split()[-1].strip("{}")
    plugin = os.path.join(place.build, "magic-trace-qemu.so")
    ended = subprocess.run([qemu, "-seed", "1", "-plugin",
                            "%s,out=%s" % (plugin, place.path(data)), *place.argv(words)],
                           stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE, timeout=100, check=False)
    if ended.returncode:
        return [ended.stderr.decode()]
    return same(place, data)


# --- what perf writes ---

def records_of(stream):
    """Tags of all records, and the lines between them."""
    tags, lines, at = [], [], 0
    while at < len(stream):
        tag = stream[at]
        if tag in LENGTHS:
            tags.append(tag)
            at += LENGTHS[tag]
            if tag == PLACE:
                at += sum(int.from_bytes(stream[at - k:at - k + 2], "little") for k in (2, 4))
        else:
            end = stream.index(b"\n", at)
            lines.append(stream[at:end])
            at = end + 1
    return tags, lines


def tee(place):
    """A perf of which one can see what it writes, in `stream`."""
    stream, status = place.path("stream"), place.path("status")
    return place.perf("tee-perf", "{ perf \"$@\"; echo $? >%s; } | tee %s\nexit $(cat %s)\n" %
                      (status, stream, status))


def are_written(place):
    """By the reference's rules most jumps have no record, all else has one; no branch is text."""
    data = "of-turns"
    place.decode(data, *REFERENCE, env=tee(place))
    tags, lines = records_of(read(place.path("stream")))
    branches = [b for thread in place.decoded(data)[0].values() for b in thread]
    jumps = sum(flags in ("jcc", "jmp") for flags, _, _ in branches)
    sent = tags.count(BRANCH)
    faults = [l for l in lines if b"branches" in l]
    if not len(branches) - jumps <= sent < len(branches) - jumps / 2:
        faults.append("%d records of %d branches, %d jumps" % (sent, len(branches), jumps))
    if len(set(places(branches))) != tags.count(PLACE):
        faults.append("%d places sent, there are %d" % (tags.count(PLACE),
                                                        len(set(places(branches)))))
    return faults


def places(branches):
    for _, source, to in branches:
        yield source
        yield to


def all_are_written(place):
    """Each branch has its record: by the other rules, for inlined functions, with -filter."""
    data = "of-turns"
    branches = sum(map(len, place.decoded(data)[0].values()))
    faults = []
    for args in ((), ("-stacks", "reference"), REFERENCE[:4] + ("-inline", "on"),
                 REFERENCE + ("-filter", "recursive:land")):
        place.decode(data, *args, env=tee(place))
        sent = records_of(read(place.path("stream")))[0].count(BRANCH)
        if sent != branches:
            faults.append("%s: %d of %d" % (" ".join(args), sent, branches))
    return faults


def swapped(place):
    """The libraries did lie at one address, and each was called by its own names."""
    shown = subprocess.run([sys.executable, os.path.join(harness.TOOLS, "fxtdump.py"), "--spans",
                            place.decode("of-swap").path], stdout=subprocess.PIPE, text=True,
                           check=True).stdout
    printed = place.record("swap-again", "--", *place.argv("swap {a} {b}")).stdout
    turns = re.findall(r'"(turn_[ab])', shown)
    faults = [] if printed == "swap 5\n" else ["it printed " + printed]
    groups = [g for i, g in enumerate(turns) if i == 0 or turns[i - 1] != g]
    return faults + ([] if groups == ["turn_a", "turn_b"] * 3 else ["called: %s" % groups])


# --- when there is no filter ---

def warned_of_filter(ended):
    return [l for l in ended.stderr.splitlines() if "warning" in l and "filter" in l]


def without(place, change, *words):
    """A magic-trace beside which the filter has changed decodes all the same, and says why."""
    build = tempfile.mkdtemp(dir=place.work)
    shutil.copy(os.path.join(place.build, "magic-trace"), build)
    change(os.path.join(build, FILTER))
    text = place.decode("of-turns", env=TEXT, output="text.fxt")
    ended = place.decode("of-turns", build=build)
    faults = ["it does not say: " + w for w in words if w not in ended.stderr]
    if ended.status != 0 or read(ended.path) != read(text.path):
        faults.append("status %s, or another trace: %s" % (ended.status, ended.stderr))
    if len(warned_of_filter(ended)) != 1:
        faults.append("not one warning: " + ended.stderr)
    return faults


def write(text):
    def change(path):
        with open(path, "w") as f:
            f.write(text)
    return change


def compile_filter(source):
    def change(path):
        subprocess.run(["gcc", "-shared", "-fPIC", "-x", "c", "-o", path, "-"],
                       input=source.encode(), check=True)
    return change


def old_perf(place):
    """A perf that knows no filters."""
    env = place.perf("old-perf", 'case "$*" in *--dlfilter*)\n'
                     'echo " Error: unknown option \\`dlfilter=x\'" >&2\n'
                     'echo " Usage: perf script" >&2; exit 129;;\nesac\nexec perf "$@"\n')
    ended = place.decode("of-turns", env=env)
    words = ("takes longer", "unknown option")
    return [ended.stderr] if ended.status or not all(w in ended.stderr for w in words) else []


def bad_data(place):
    """What perf cannot read is not the filter's fault, and is said once."""
    data = bytearray(read(place.path("of-turns")))
    with open(place.path("bad"), "wb") as f:
        f.write(b"PERFILE1" + data[8:4000])
    ended = place.decode("bad")
    faults = [] if ended.status == 1 and "filter" not in ended.stderr else [ended.stderr]
    text = place.decode("bad", env=TEXT)
    return faults + ([] if text.stderr == ended.stderr else [text.stderr, ended.stderr])


def bad_data_first(place):
    """Of several data files one cannot be read: the others have their records."""
    directory = place.path("several")
    os.mkdir(directory)
    shutil.copy(place.path("bad"), os.path.join(directory, "perf.data"))
    shutil.copy(place.path("of-turns"), os.path.join(directory, "perf.data.2"))
    ended = place.decode("several", env=tee(place))
    tags, _ = records_of(read(place.path("stream")))
    return [] if ended.status == 3 and BRANCH in tags else ["status %s, %s" % (ended.status,
                                                                               ended.stderr)]


def installed(place):
    """`make install` puts it where it is found."""
    top = place.path("installed")
    p = subprocess.run(["make", "-s", "-C", harness.TOP, "O=" + place.build, "install",
                        "PREFIX=" + top], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                       check=False)
    if p.returncode:
        return [p.stdout.decode()]
    path = os.path.join(top, "lib", "magic-trace", FILTER)
    ended = place.decode("of-turns", build=os.path.join(top, "bin"))
    faults = [] if stat.S_ISREG(os.stat(path).st_mode) else ["not installed"]
    return faults + ([ended.stderr] if ended.status or warned_of_filter(ended) else [])


def hostile(place):
    """A file's path that looks like records is mapped: it is taken for a path."""
    directory = place.path("x\n\udcf8\udcff\udcfd") + "a" * 40
    os.mkdir(directory)
    library = os.path.join(directory, "lib.so")
    shutil.copy(place.names["a"], library)
    ended = place.record("hostile", "--", place.programs["swap"], library, place.names["b"])
    records = place.decode("hostile")
    faults = [] if ended.returncode == 0 else [ended.stderr]
    if records.status != 0 or " 0 lines not understood" not in records.stderr:
        faults.append("status %s, %s" % (records.status, records.stderr))
    shown = subprocess.run([sys.executable, os.path.join(harness.TOOLS, "fxtdump.py"), "--spans",
                            records.path], stdout=subprocess.PIPE, text=True, check=True).stdout
    return faults + [n for n in ("turn_a", "turn_b") if shown.count('"' + n) < 12]


def main():
    report = harness.Report("e2e/record-path")
    build = harness.build_dir()
    why = softtrace.cannot_test(build)
    if why:
        report.skip("all", why)
        report.exit()
    with tempfile.TemporaryDirectory() as work:
        place = Place(build, work)
        for name, words, options in STEPPED + (LONG_STEPPED if harness.LONG else []):
            report.check(name, harness.faults_of(stepped, place, name, words, options))
        qemu = shutil.which("qemu-x86_64")
        if qemu:
            for words in EMULATED + (LONG_EMULATED if harness.LONG else []):
                report.check("in QEMU: " + words,
                             harness.faults_of(emulated, place, qemu, words))
        else:
            report.skip("in QEMU", "qemu-x86_64 is not installed")
        for option in (("-filter", "recursive:land"), ("-z-print-events",), ("-max-depth", "3"),
                       REFERENCE):
            report.check("decoded with " + " ".join(option),
                         harness.faults_of(same, place, "of-turns", *option))
        report.check("records", harness.faults_of(are_written, place))
        report.check("records of all", harness.faults_of(all_are_written, place))
        report.check("swapped", harness.faults_of(swapped, place))
        report.check("no filter", harness.faults_of(without, place, lambda path: None,
                                                    "there is no " + FILTER))
        report.check("not a library", harness.faults_of(without, place, write("no\n"),
                                                        "takes longer"))
        report.check("another version", harness.faults_of(
            without, place, compile_filter("int start(void **d, void *c) { return -1; }\n"
                                           "int filter_event_early(void *d, void *s, void *c) "
                                           "{ return 0; }\nchar perf_dlfilter_fns[1024];\n"),
            "takes longer"))
        report.check("old perf", harness.faults_of(old_perf, place))
        report.check("bad data", harness.faults_of(bad_data, place))
        report.check("bad data first", harness.faults_of(bad_data_first, place))
        report.check("installed", harness.faults_of(installed, place))
        report.check("hostile path", harness.faults_of(hostile, place))
    report.exit()


if __name__ == "__main__":
    main()
