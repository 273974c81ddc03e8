#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""coverage.py BUILD [DIRECTORY ...]: what the tests ran of src, by gcov; for `make coverage`.

Prints a table of the directories of src, and of the files in those that are named: lines and
branches, how many were run and how many there are. The program that QEMU and perf load is not
counted there. A line of a header counts once, wherever it was run.
"""
import collections
import json
import os
import subprocess
import sys

Line = collections.namedtuple("Line", "count branches")


def data_files(build):
    for directory, _, names in os.walk(os.path.join(build, "src")):
        for name in names:
            if name.endswith(".gcno"):
                yield os.path.join(directory, name)


def reports(paths):
    """What gcov says of each file; some at a time."""
    paths = list(paths)
    for i in range(0, len(paths), 20):
        out = subprocess.run(["gcov", "--json-format", "--stdout", "--branch-probabilities",
                              *paths[i:i + 20]], check=True, stdout=subprocess.PIPE,
                             stderr=subprocess.DEVNULL, text=True).stdout
        for text in out.splitlines():
            yield json.loads(text)


def merge(old, count, branches):
    if not old:
        return Line(count, branches)
    if len(branches) != len(old.branches):
        branches = max(branches, old.branches, key=len)
    else:
        branches = [max(pair) for pair in zip(branches, old.branches)]
    return Line(max(count, old.count), branches)


def collect(build):
    """{file: {line: Line}}"""
    files = collections.defaultdict(dict)
    for report in reports(data_files(build)):
        for file in report["files"]:
            name = os.path.normpath(file["file"])
            if not name.startswith("src/"):
                continue
            for line in file["lines"]:
                number = line["line_number"]
                files[name][number] = merge(files[name].get(number), line["count"],
                                            [b["count"] for b in line["branches"]])
    return files


def totals(lines):
    """Lines run, lines, branches taken, branches."""
    branches = [count for line in lines for count in line.branches]
    return (sum(line.count > 0 for line in lines), len(lines), sum(n > 0 for n in branches),
            len(branches))


def percent(part, whole):
    return "%.1f %%" % (100 * part / whole) if whole else "–"


def row(name, lines):
    run, all_lines, taken, branches = totals(lines)
    print("| `%s` | %s | %d/%d | %s | %d/%d |" % (name, percent(run, all_lines), run, all_lines,
                                                 percent(taken, branches), taken, branches))


def table(title, rows):
    print("| %s | lines | | branches | |\n| --- | ---: | ---: | ---: | ---: |" % title)
    for name, lines in sorted(rows.items()):
        row(name, lines)


def main():
    files = collect(sys.argv[1])
    if not files:
        sys.exit("no coverage in %s: was it built with COVERAGE=1?" % sys.argv[1])
    directories = collections.defaultdict(list)
    for name, lines in files.items():
        directories[name.split("/")[1]] += lines.values()
    directories["all"] = [line for lines in files.values() for line in lines.values()]
    table("directory", directories)
    for wanted in sys.argv[2:]:
        print()
        table("file", {name: lines.values() for name, lines in files.items()
                       if os.path.dirname(name) == "src/" + wanted})


if __name__ == "__main__":
    main()
