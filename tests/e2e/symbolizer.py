#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What our symbolizer says of addresses, against addr2line and llvm-symbolizer.

Of each file the same random addresses are given to all three: function, file, line, and the chain
of inlined functions must be those of one of the other two, which do not always agree: addr2line of
binutils 2.40 does not read .dwo files, misses inlined functions that clang has made, and takes the
wrong file of some of DWARF 5. Differences are counted by kind; with `-v` behind the build directory
they are shown, with two examples each. MT_LONG=1: more files, and 10,000 addresses of each, not 500.
"""
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tools"))
import harness  # noqa: E402

BUILD = harness.build_dir()
SYMBOLIZE = os.path.join(BUILD, "tests", "tools", "symbolize")
ADDRESSES = 10000 if harness.LONG else 500
VERBOSE = "-v" in sys.argv

# At most this part of the addresses may differ in one way.
TOLERANCE = 0.005

CXX = r"""
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#ifdef HEAVY
#include <regex>
#endif
#include <set>
#include <sstream>
#include <string>
#include <unordered_map>
#include <vector>

namespace market {
template <typename Price, int Depth> struct Book {
	std::map<Price, std::vector<int>> levels;
	inline void add(Price p, int n)
	{
		auto &level = levels[p];
		level.push_back(n);
		if (level.size() > Depth)
			level.erase(level.begin());
	}
	int total() const
	{
		return std::accumulate(levels.begin(), levels.end(), 0, [](int sum, auto &l) {
			return sum + std::accumulate(l.second.begin(), l.second.end(), 0);
		});
	}
};
}

struct Shape {
	virtual ~Shape() = default;
	virtual double area() const = 0;
};
struct Square : Shape {
	double side;
	explicit Square(double s) : side(s) {}
	double area() const override { return side * side; }
};

int main(int argc, char **argv)
{
	market::Book<int, 3> small;
	market::Book<double, 7> large;
	std::unordered_map<std::string, std::set<int>> words;
	std::vector<std::unique_ptr<Shape>> shapes;
	std::function<int(int)> fib = [&](int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); };
	std::ostringstream out;

	for (int i = 0; i < 1000 * argc; i++) {
		small.add(i % 17, i);
		large.add(i % 13 / 2.0, i);
		words[std::to_string(i % 100)].insert(i);
		shapes.push_back(std::make_unique<Square>(i));
	}
	std::sort(shapes.begin(), shapes.end(), [](auto &a, auto &b) { return a->area() > b->area(); });
	out << small.total() << large.total() << words.size() << fib(10);
#ifdef HEAVY
	std::regex pattern("a(b|c)+[0-9]{2,5}");
	out << std::regex_search(argv[0], pattern);
#endif
	std::puts(out.str().c_str());
	return 0;
}
"""

RUST = r"""
use std::collections::{BTreeMap, HashMap};

#[derive(Clone, Debug)]
struct Order { price: u64, amount: u64 }

trait Rule { fn apply(&self, o: &Order) -> u64; }
struct Double; struct Half;
impl Rule for Double { fn apply(&self, o: &Order) -> u64 { o.amount * 2 } }
impl Rule for Half { fn apply(&self, o: &Order) -> u64 { o.amount / 2 } }

fn total<I: Iterator<Item = u64>>(it: I) -> u64 { it.filter(|x| x % 3 != 0).map(|x| x + 1).sum() }

fn main() {
    let n = std::env::args().count() as u64 * 1000;
    let mut book: BTreeMap<u64, Vec<Order>> = BTreeMap::new();
    let mut words: HashMap<String, usize> = HashMap::new();
    for i in 0..n {
        book.entry(i % 17).or_default().push(Order { price: i, amount: i * 3 });
        *words.entry(format!("w{}", i % 100)).or_insert(0) += 1;
    }
    let rules: Vec<Box<dyn Rule>> = vec![Box::new(Double), Box::new(Half)];
    let mut sum = 0;
    for orders in book.values() {
        for o in orders { for r in &rules { sum += r.apply(o) + o.price; } }
    }
    let mut sorted: Vec<_> = words.into_iter().collect();
    sorted.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
    println!("{} {} {:?}", sum, total(0..n), sorted.first());
}
"""


def run(argv, **more):
    return subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=True,
                          **more).stdout.decode("utf-8", "replace")


def code_of(path):
    """[(address, size)] of the sections that hold code, but for what linkers put there."""
    found = []
    for line in run(["readelf", "-SW", path]).splitlines():
        m = re.match(r"\s*\[\s*\d+\]\s+(\S+)\s+PROGBITS\s+([0-9a-f]+)\s+[0-9a-f]+\s+([0-9a-f]+)"
                     r"\s+[0-9a-f]+\s+(\S+)", line)
        if m and "X" in m[4] and not re.match(r"\.plt|\.init$|\.fini$", m[1]):
            found.append((int(m[2], 16), int(m[3], 16)))
    return found


def choose_addresses(path, n):
    sections = code_of(path)
    rand = random.Random(1)
    return [rand.randrange(a, a + size) for a, size in
            rand.choices(sections, weights=[s for _, s in sections], k=n)]


def aliases_of(path):
    """All names of each address that is a function, by the symbol tables."""
    names = {}
    files = [path]
    m = re.search(r"Build ID: ([0-9a-f]+)", run(["readelf", "-n", path]))
    if m:
        files.append("/usr/lib/debug/.build-id/%s/%s.debug" % (m[1][:2], m[1][2:]))
    for line in "".join(run(["readelf", "-sW", f]) for f in files
                        if os.path.exists(f)).splitlines():
        words = line.split()
        if len(words) >= 8 and words[3] in ("FUNC", "IFUNC") and words[6] != "UND":
            names.setdefault(int(words[1], 16), set()).add(words[7].partition("@")[0])
    return names


def clean(name):
    return "" if name in ("?", "??") else name


def place(function, where):
    """(function, file, line); what is not known is empty."""
    where = re.sub(r" \(discriminator \d+\)$", "", where)
    path, _, line = where.rpartition(":")
    line = int(line) if line.isdigit() else 0
    path = os.path.normpath(path) if clean(path) else ""
    return (clean(function.partition("@")[0]), path if line else "", line)


def ask_ours(path, addresses, *more):
    """[(address of the symbol, chain)]"""
    out = run([SYMBOLIZE, path, *more], input="".join("%x\n" % a for a in addresses).encode())
    answers = []
    for line in out.splitlines():
        address, symbol, *words = line.split("\t")
        offset = int(symbol.rpartition("+")[2], 16) if symbol != "?" else 0
        answers.append((int(address, 16) - offset,
                        [place(words[i], words[i + 1]) for i in range(0, len(words), 2)]))
    return answers


def ask_addr2line(path, addresses):
    out = run(["addr2line", "-afie", path], input="".join("%x\n" % a for a in addresses).encode())
    answers = []
    lines = out.splitlines()
    i = 0
    while i < len(lines):
        if re.match(r"0x[0-9a-f]{8,}$", lines[i]):
            answers.append([])
            i += 1
            continue
        answers[-1].append(place(lines[i], lines[i + 1]))
        i += 2
    return answers


def ask_llvm(path, addresses):
    out = run(["llvm-symbolizer", "--inlining", "--functions=linkage", "--no-demangle",
               "--obj=" + path], input="".join("0x%x\n" % a for a in addresses).encode())
    answers = []
    for block in out.split("\n\n"):
        lines = block.splitlines()
        if lines:
            answers.append([place(lines[i], lines[i + 1].rpartition(":")[0])
                            for i in range(0, len(lines), 2)])
    return answers


def same_path(mine, other):
    """One may lack the directory that the compiler ran in; what is not known there is no claim."""
    if not mine or not other:
        return not other
    a, b = sorted((mine, other), key=len)
    return a == b or b.endswith("/" + a)


def same_function(mine, other, names):
    """names: those of the symbol that the address is in, if it may be called by them."""
    return mine == other or other in names


def differ(ours, theirs, names):
    """How, in a word; None: not at all."""
    if not ours:
        return "unknown to us" if theirs[0][2] else None
    # between functions the others may take the symbol before it
    if ours[0][0] and not theirs[0][0]:
        return "unknown to them"
    if len(ours) != len(theirs):
        return "depth"
    for i, (mine, other) in enumerate(zip(ours, theirs)):
        # the outermost function is one of the symbol table, where a clone or an alias has its name
        outermost = i == len(ours) - 1
        if other[0] and not same_function(mine[0], other[0], names if outermost else ()):
            return "function"
        if mine[2] != other[2]:
            return "line"
        if not same_path(mine[1], other[1]):
            return "file"
    return None


class Target:
    def __init__(self, name, path):
        self.name, self.path = name, path


class Kinds:
    """Differences by kind."""

    def __init__(self):
        self.kinds = {}

    def add(self, kind, example):
        self.kinds.setdefault(kind, []).append(example)

    def say(self, name):
        print("%s: %s" % (name, ", ".join("%s: %d" % (k, len(v))
                                          for k, v in sorted(self.kinds.items())) or "all same"))
        for kind, examples in sorted(self.kinds.items()):
            for example in examples[:2]:
                print("    %s: %s" % (kind, example))


def compare(report, target, tools):
    addresses = choose_addresses(target.path, ADDRESSES)
    aliases = aliases_of(target.path)
    ours = ask_ours(target.path, addresses)
    theirs = {tool: ask(target.path, addresses) for tool, ask in tools.items()}
    counts = [len(ours), *map(len, theirs.values())]
    if any(n != len(addresses) for n in counts):
        report.fail(target.name, "%d addresses, %s answers" % (len(addresses), counts))
        return
    kinds = {tool: Kinds() for tool in ("all", *tools)}
    for i, address in enumerate(addresses):
        symbol, mine = ours[i]
        found = {}
        for tool, answers in theirs.items():
            kind = differ(mine, answers[i], aliases.get(symbol, ()))
            if kind:
                found[tool] = kind
                kinds[tool].add(kind, "0x%x: %s, and there %s" % (address, mine, answers[i]))
        if len(found) == len(tools):
            tool = list(tools)[0]
            kinds["all"].add(found[tool], "0x%x: %s, and %s" %
                             (address, mine, [theirs[t][i] for t in tools]))
    known = sum(1 for _, mine in ours if mine and mine[0][2])
    inlined = sum(1 for _, mine in ours if len(mine) > 1)
    if VERBOSE:
        print("%s: %d addresses, %d with a line, %d in inlined functions" %
              (target.name, len(addresses), known, inlined))
        for tool, found in kinds.items():
            found.say("  unlike " + tool)
    faults = ["%s: %d of %d, as %s" % (kind, len(examples), len(addresses), examples[0])
              for kind, examples in sorted(kinds["all"].kinds.items())
              if len(examples) > TOLERANCE * len(addresses)]
    if known == 0:
        faults.append("no line is known at all")
    report.check(target.name, faults)


def library(name):
    """The file that the dynamic linker has for a library."""
    for line in run(["/sbin/ldconfig", "-p"]).splitlines():
        if line.strip().startswith(name + " ") and "x86-64" in line:
            return os.path.realpath(line.split(" => ")[1])
    return None


def has_debug_file(path):
    m = re.search(r"Build ID: ([0-9a-f]+)", run(["readelf", "-n", path]))
    return bool(m) and os.path.exists("/usr/lib/debug/.build-id/%s/%s.debug" % (m[1][:2], m[1][2:]))


def build_cxx(scratch, name, compiler, *flags):
    path = os.path.join(scratch, name)
    source = os.path.join(scratch, "sample.cc")
    with open(source, "w", encoding="utf-8") as f:
        f.write(CXX)
    run([compiler, "-O2", *(["-DHEAVY"] if harness.LONG else []), *flags, source, "-o", path],
        cwd=scratch)
    return Target(name, path)


def built_targets(report, scratch):
    yield build_cxx(scratch, "dwarf5", "g++", "-gdwarf-5")
    yield build_cxx(scratch, "split", "g++", "-g", "-gsplit-dwarf")
    if shutil.which("clang++"):
        yield build_cxx(scratch, "clang", "clang++", "-g", "-gdwarf-5")
    else:
        report.skip("clang++", "it is not installed")
    if not harness.LONG:
        return
    yield build_cxx(scratch, "dwarf4", "g++", "-gdwarf-4")
    yield build_cxx(scratch, "compressed", "g++", "-g", "-gz=zlib")
    yield build_cxx(scratch, "not-pie", "g++", "-g", "-no-pie")
    if shutil.which("clang++"):
        yield build_cxx(scratch, "clang-split", "clang++", "-g", "-gsplit-dwarf")
    if shutil.which("dwp"):
        target = build_cxx(scratch, "packed", "g++", "-gdwarf-4", "-gsplit-dwarf")
        run("dwp -e packed -o packed.dwp && rm packed-*.dwo", shell=True, cwd=scratch)
        yield target
    if shutil.which("dwz"):
        target = build_cxx(scratch, "dwz", "g++", "-gdwarf-4")
        run(["dwz", target.path])
        yield target


def rust_targets(report, scratch):
    if not shutil.which("rustc"):
        report.skip("rustc", "it is not installed")
        return
    source = os.path.join(scratch, "sample.rs")
    with open(source, "w", encoding="utf-8") as f:
        f.write(RUST)
    path = os.path.join(scratch, "rust")
    run(["rustc", "-O", "-g", source, "-o", path], cwd=scratch)
    yield Target("rust", path)


def libraries(report):
    libc = library("libc.so.6")
    if libc and has_debug_file(libc):
        yield Target("libc.so.6", libc)
    else:
        report.skip("libc.so.6", "its debug info is not installed")
    # Debian's package of it with debug info is a build of its own
    debug = library("libstdc++.so.6") or ""
    debug = os.path.join(os.path.dirname(debug), "debug", os.path.basename(debug))
    if harness.LONG and os.path.exists(debug):
        yield Target("libstdc++.so.6", debug)
    elif harness.LONG:
        report.skip("libstdc++.so.6", "its debug info is not installed")


def targets(report, scratch, all_of_them):
    """Without llvm-symbolizer only those that addr2line makes no mistakes with."""
    yield Target("magic-trace", os.path.join(BUILD, "magic-trace"))
    if not all_of_them:
        yield build_cxx(scratch, "dwarf5", "g++", "-gdwarf-5")
        return
    yield from libraries(report)
    yield from built_targets(report, scratch)
    yield from rust_targets(report, scratch)


def check_cache(report, target, scratch):
    """From the cache everything is the same, also when the file's own debug info is gone."""
    addresses = choose_addresses(target.path, 200)
    cache = os.path.join(scratch, "cache")
    first = ask_ours(target.path, addresses, cache)
    kept = [f for f in os.listdir(cache) if f.endswith(".tables")]
    again = ask_ours(target.path, addresses, cache)
    run(["strip", "-g", target.path])
    stripped = ask_ours(target.path, addresses, cache)
    none = ask_ours(target.path, addresses)
    faults = []
    if len(kept) != 1 or len(os.listdir(cache)) != 1:
        faults.append("in the cache are %s" % os.listdir(cache))
    if first != again or first != stripped or not any(chain for _, chain in first):
        faults.append("the answers from the cache differ")
    if any(chain for _, chain in none):
        faults.append("lines are known without debug info: this tests nothing")
    report.check("cache", faults)


def main():
    report = harness.Report("e2e/symbolizer")
    tools = {}
    for tool, ask in (("llvm-symbolizer", ask_llvm), ("addr2line", ask_addr2line)):
        if shutil.which(tool):
            tools[tool] = ask
        else:
            report.skip(tool, "it is not installed")
    if not shutil.which("g++"):
        report.skip("all", "g++ is not installed")
        return
    with tempfile.TemporaryDirectory(prefix="magic-trace-") as scratch:
        for target in targets(report, scratch, "llvm-symbolizer" in tools):
            compare(report, target, tools)
        check_cache(report, build_cxx(scratch, "cached", "g++", "-g"), scratch)
    report.exit()


if __name__ == "__main__":
    main()
