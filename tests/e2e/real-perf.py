#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A program recorded with the real perf: until the next sample, our trace shows a sample's stack.

perf's own text is the truth; it is read here, independently of our reader.
"""
import collections
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "tools")]
import harness                  # noqa: E402
import fxt                      # noqa: E402
import names                    # noqa: E402

SOURCE = """
static volatile unsigned sink;
__attribute__((noinline)) static void spin(unsigned n) { while (n--) sink += n; }
__attribute__((noinline)) static void leaf_a(void) { spin(60000); sink++; }
__attribute__((noinline)) static void leaf_b(void) { spin(90000); sink++; }
__attribute__((noinline)) static void recurse(unsigned depth)
{
	if (depth) recurse(depth - 1); else leaf_a();
	sink++;
}
int main(void)
{
	for (unsigned i = 0; i < 300; i++) { recurse(i % 20); leaf_b(); sink++; }
	return 0;
}
"""
FIELDS = "pid,tid,time,ip,sym,symoff,dso,event,period"
HEADER = re.compile(r"\s*(\d+)/(\d+)\s+(\d+)\.(\d{9}):")
FRAME = re.compile(r"\s+([0-9a-f]+) (.*)$")

Sample = collections.namedtuple("Sample", "time frames")    # outermost first: (start, name)


def frame(addr, rest):
    m = re.match(r"(.*)\+0x([0-9a-f]+) \((.*)\)$", rest)
    if m and int(m.group(2), 16) < 1 << 62:
        return addr - int(m.group(2), 16), names.shown(m.group(1))[0]
    dso = re.match(r"\[unknown\] \((.*)\)$", rest).group(1)
    return addr, "[unknown @ 0x%x (%s)]" % (addr, dso)


def read_samples(text):
    """Samples by track."""
    tracks, frames = collections.OrderedDict(), []
    for line in text.splitlines():
        m = HEADER.match(line)
        if m and not line.startswith("\t"):
            pid, tid, seconds, rest = m.groups()
            frames = []
            tracks.setdefault("%s/%s" % (pid, tid), []).append(
                Sample(int(seconds) * 10**9 + int(rest), frames))
        elif line.startswith("\t"):
            addr, rest = FRAME.match(line).groups()
            frames.insert(0, frame(int(addr, 16), rest))
    return tracks


def open_at(spans, time):
    """The names of the spans that are open at a time, outermost first."""
    return [s.name for s in sorted(spans, key=lambda s: s.depth)
            if s.start <= time < s.start + s.length]


def compare(samples, spans, base):
    """Before each sample that changes the stack, the trace must show the stack of the one before.

    (The frames that are new at a sample share the time to the next change: there must be some.)
    """
    faults, compared = [], 0
    for one, two in zip(samples, samples[1:]):
        same = [a == b for a, b in zip(one.frames, two.frames)]
        if all(same) and len(one.frames) == len(two.frames):
            continue
        if two.time - one.time <= len(one.frames) + 1:
            continue
        compared += 1
        got, want = open_at(spans, two.time - base - 1), [name for _, name in one.frames]
        if got != want:
            faults.append("before %d: %s, expected %s" % (two.time - base, got, want))
    return faults, compared


def record(work):
    """Makes work/perf.data; why not, or None."""
    if not shutil.which("perf") or not shutil.which("cc"):
        return "perf or cc is not installed"
    source = os.path.join(work, "p.c")
    with open(source, "w", encoding="utf-8") as f:
        f.write(SOURCE)
    program = os.path.join(work, "p")
    subprocess.run(["cc", "-O0", "-fno-omit-frame-pointer", "-o", program, source], check=True)
    p = subprocess.run(["perf", "record", "-o", os.path.join(work, "perf.data"), "-e",
                        "cpu-clock:u", "-F", "2000", "--call-graph", "fp", program],
                       stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                       check=False)
    if p.returncode:
        return "perf record fails here: " + p.stdout.decode("utf-8", "replace").strip()[-200:]
    return None


def main():
    report = harness.Report("e2e/real-perf")
    build = harness.build_dir()
    with tempfile.TemporaryDirectory() as work:
        why = record(work)
        if why:
            report.skip("samples", why.replace("\n", " "))
            report.exit()
        data = os.path.join(work, "perf.data")
        text = subprocess.run(["perf", "script", "-i", data, "--ns", "-F", FIELDS],
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True,
                              env=dict(os.environ, LC_ALL="C")).stdout.decode("utf-8", "replace")
        tracks = read_samples(text)
        ended = harness.program(build, "decode", "-sampling", "-o", os.path.join(work, "t.fxt"),
                                data, env={"MAGIC_TRACE_PERF_PATH": "perf"})
        if ended.status != 0:
            report.fail("samples", "exit status %s: %s" % (ended.status, ended.stderr))
            report.exit()
        path = os.path.join(work, "t.fxt")
        faults = harness.check_trace(path)
        spans = collections.defaultdict(list)
        for s in fxt.spans(fxt.read(path)):
            spans[s.track].append(s)
        base = min(s[0].time for s in tracks.values())
        total = 0
        for track, samples in tracks.items():
            bad, compared = compare(samples, spans[track], base)
            faults += bad
            total += compared
        if total < 20:
            faults.append("only %d samples to compare" % total)
        if set(spans) != set(tracks):
            faults.append("tracks %s, expected %s" % (set(spans), set(tracks)))
        report.check("samples", faults)
    report.exit()


if __name__ == "__main__":
    main()
