#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Names and source lines of a recorded program: those of its source, whatever perf says.

The program is stepped (tests/tools/softstep) once and decoded again and again, each time with its
files as they should be or as they should not.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tools"))
import fxt  # noqa: E402
import harness  # noqa: E402
from softtrace import cannot_test  # noqa: E402

BUILD = harness.build_dir()

LIBRARY = r"""
static volatile int sink;
static __attribute__((noinline)) int hidden(int a)
{
	return a + sink;
}
int seen(int a)
{
	return hidden(a) + 1;   /* line 9 */
}
"""

PROGRAM = r"""
extern "C" int seen(int);
namespace market {
struct Book {
	int n = 0;
	__attribute__((noinline)) void add(int a);
};
void Book::add(int a)
{
	n += seen(a);           /* line 10 */
}
}
int main(int argc, char **)
{
	market::Book book;
	for (int i = 0; i < 3; i++)
		book.add(argc); /* line 17 */
	return 0;
}
"""

# A symbol table of its own, packed, for what .dynsym does not have ("mini debug info").
PACK = r"""
nm -D lib.so --format=posix --defined-only | cut -d' ' -f1 | sort >dyn
nm lib.so --format=posix --defined-only | awk '$2=="T"||$2=="t" {print $1}' | sort >all
comm -13 dyn all >keep
objcopy -S --keep-symbols=keep lib.so mini && xz -f mini
objcopy --strip-all --add-section .gnu_debugdata=mini.xz lib.so small.so && cat small.so >lib.so
"""


class Place:
    def __init__(self, work):
        self.work = work
        for name, text in (("lib.c", LIBRARY), ("prog.cc", PROGRAM)):
            with open(self.path(name), "w", encoding="utf-8") as f:
                f.write(text)
        self.sh("gcc -g -O1 -fPIC -shared -Wl,-soname,lib.so lib.c -o lib.so")
        self.sh("g++ -g -O1 prog.cc -o prog ./lib.so -Wl,-rpath,$PWD")

    def path(self, name):
        return os.path.join(self.work, name)

    def sh(self, command):
        subprocess.run(command, shell=True, cwd=self.work, check=True, stdout=subprocess.PIPE,
                       stderr=subprocess.PIPE)

    def record(self):
        step = os.path.join(BUILD, "tests", "tools", "softstep")
        subprocess.run([step, "-i", "-o", self.path("perf.data"), "--", self.path("prog")], check=True,
                       stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def decode(self, *args, env=None):
        """(begins by name, what was said, faults)"""
        out = self.path("trace.fxt")
        ended = harness.program(BUILD, "decode", *args, "-o", out, self.path("perf.data"), env=env)
        if ended.status != 0:
            return {}, ended.stderr, ["status %s: %s" % (ended.status, ended.stderr)]
        begins = {}
        for event in fxt.read(out):
            if event.ph == "B":
                begins.setdefault(event.name, []).append(event)
        return begins, ended.stderr, harness.check_trace(out)


def expect(begins, name, times, **wanted):
    """Begins of a function, and their arguments as shown (those of files by their ends)."""
    found = begins.get(name, [])
    faults = []
    if len(found) != times:
        faults.append("%d × %s, not %d" % (len(found), name, times))
    for event in found:
        for key, value in wanted.items():
            have = event.args.get(key)
            if have is None or value is None:
                same = have is None and value is None
            else:
                same = str(have).endswith("/" + value) if key in ("file", "called_from") else \
                    str(have) == value
            if not same:
                faults.append("%s of %s is %r, not %r" % (key, name, have, value))
    return faults


def all_known(place):
    begins, said, faults = place.decode()
    faults += expect(begins, "market::Book::add", 3, file="prog.cc", line="9",
                     called_from="prog.cc:17", symbol="market::Book::add")
    faults += expect(begins, "seen", 3, file="lib.c", line="8")
    faults += expect(begins, "hidden", 3)
    return faults + (["warned: " + said] if "lib.so" in said else [])


def raw_names(place):
    begins, _, faults = place.decode("-no-demangle")
    return faults + expect(begins, "_ZN6market4Book3addEi", 3, file="prog.cc")


def filtered(place):
    """Functions are selected by the ends of their names, by library, by line: always the same two.
    The trace goes from each call of add to that of hidden."""
    faults = []
    for what in ("(market::Book::add hidden)", "(Book::add lib.so:hidden)",
                 "(line:prog.cc:9 lib.c:4)", "(_ZN6market4Book3addEi symbol:hidden)"):
        begins, said, more = place.decode("-filter", what)
        more += expect(begins, "market::Book::add", 3) + expect(begins, "seen", 3)
        if "hidden" in begins:
            more.append("hidden is in the trace")
        if "several functions" in said:
            more.append("warned: " + said)
        faults += ["%s: %s" % (what, f) for f in more]
    for what in ("(prog.cc:8 hidden)", "(ook::add hidden)"):
        _, said, more = place.decode("-filter", what)
        if not more or "nothing lies between" not in said:
            faults.append("%s is taken: %s" % (what, said))
    return faults


def gone(place):
    """The library cannot be had: its path is not that of the file that was recorded."""
    place.sh("mv lib.so away.so && cp away.so lib.so")
    begins, said, faults = place.decode()
    place.sh("mv away.so lib.so")
    if "lib.so: it is another file" not in said:
        faults.append("not warned: " + said)
    return faults + expect(begins, "market::Book::add", 3, file="prog.cc")


def damaged(place, name, change):
    """A damaged file in its place: a trace, warning or not; the lines of the program are there."""
    place.sh("cp lib.so good.so && %s" % change)
    begins, _, faults = place.decode()
    place.sh("cat good.so >lib.so")
    return [name + ": " + f for f in
            faults + expect(begins, "market::Book::add", 3, file="prog.cc")]


def hostile(place):
    faults = []
    for name, change in (
            ("DWARF of noise",
             "objcopy --dump-section .debug_info=info lib.so && "
             "head -c $(stat -c %s info) /dev/urandom >noise && "
             "objcopy --update-section .debug_info=noise lib.so bad.so && cat bad.so >lib.so"),
            ("abbreviations of noise",
             "objcopy --dump-section .debug_abbrev=info lib.so && "
             "head -c $(stat -c %s info) /dev/urandom >noise && "
             "objcopy --update-section .debug_abbrev=noise lib.so bad.so && cat bad.so >lib.so"),
            ("lines of noise",
             "objcopy --dump-section .debug_line=info lib.so && "
             "head -c $(stat -c %s info) /dev/urandom >noise && "
             "objcopy --update-section .debug_line=noise lib.so bad.so && cat bad.so >lib.so")):
        faults += damaged(place, name, change)
    return faults


def cached(place):
    """What was kept is taken: also when the files have lost it since, but for their build-ids."""
    cache = place.path("cache")
    env = {"XDG_CACHE_HOME": cache}
    first, _, faults = place.decode(env=env)
    kept = os.listdir(os.path.join(cache, "magic-trace"))
    faults += [] if len(kept) >= 2 else ["in the cache are %s" % kept]
    place.sh("cp prog good && objcopy -g prog stripped && cat stripped >prog")
    again, _, more = place.decode(env=env)
    place.sh("cat good >prog")
    faults += more + expect(again, "market::Book::add", 3, file="prog.cc", line="9",
                            called_from="prog.cc:17")
    if {n: len(e) for n, e in first.items()} != {n: len(e) for n, e in again.items()}:
        faults.append("the traces differ")
    return faults


def packed(place):
    """A library whose static functions only the mini debug info has, which perf does not read."""
    place.sh(PACK)
    place.record()
    begins, _, faults = place.decode()
    return faults + expect(begins, "seen", 3) + expect(begins, "hidden", 3)


def stripped(place):
    """It is said of which file the symbols are missing."""
    place.sh("gcc -O1 -fPIC -shared -Wl,-soname,lib.so lib.c -o new.so -s && cat new.so >lib.so")
    place.record()
    begins, said, faults = place.decode()
    if not re.search(r"lib\.so: no function is known at \d+ places?: it has no symbol table", said):
        faults.append("not warned: " + said)
    if "DEBUGINFOD_URLS" not in said:
        faults.append("no advice: " + said)
    return faults + expect(begins, "seen", 3)


def main():
    report = harness.Report("e2e/symbols")
    why = cannot_test(BUILD)
    if why:
        report.skip("all", why)
        return
    with tempfile.TemporaryDirectory(prefix="magic-trace-") as work:
        place = Place(work)
        place.record()
        for test in (all_known, raw_names, filtered, gone, hostile, cached):
            report.check(test.__name__, test(place))
        if shutil.which("xz"):
            report.check("packed", packed(place))
        else:
            report.skip("packed", "xz is not installed")
        report.check("stripped", stripped(place))
    report.exit()


if __name__ == "__main__":
    main()
