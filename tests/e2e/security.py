#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What docs/security.md says of names, links, users and shells, by the program as a whole."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "tools")]
import harness                  # noqa: E402
import lines                    # noqa: E402

NOBODY = 65534
USER = 4321
SUDO = {"SUDO_UID": str(USER), "SUDO_GID": str(USER)}
# What a terminal, or text that runs from right to left, would be steered by; as characters.
STEERS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
HOSTILE = "\x1b]0;x\x07\x1b[2J \x9b31m \u202eevil\u2066 \x7f \r"


class Skip(Exception):
    """Why a test cannot be run."""


def need_root():
    if os.geteuid() != 0:
        raise Skip("not root")


def put(path, text):
    with open(path, "wb") as f:
        f.write(text.encode() if isinstance(text, str) else text)


def steering(where, text):
    """Faults: the characters that steer, but newlines and tabs."""
    return ["%s: %r" % (where, found) for found in STEERS.findall(text)]


def names_steer_nothing(build, work):
    """Of symbols, files, threads, command lines; on standard output, standard error, in the trace."""
    bad = "%s+0x0 (/tmp/%s)" % (HOSTILE.strip(), HOSTILE.strip())
    text = lines.start(10**9, "main") + lines.branch(10**9 + 5, "call", lines.at("main", off=8),
                                                     "2000 " + bad)
    put(os.path.join(work, "perf.data"), text + "not a line " + HOSTILE + "\n")
    put(os.path.join(work, "recording.json"), json.dumps({
        "version": 1, "mode": "intel_pt", "part": True, "reason": HOSTILE,
        "processes": [{"pid": 1, "command_line": HOSTILE + "\n",
                       "threads": [{"tid": 1, "comm": HOSTILE}]}]}))
    ended = harness.decode(build, work, "-z-print-events")
    said = steering("standard output", ended.stdout) + steering("standard error", ended.stderr)
    with open(ended.path, "rb") as f:
        trace = f.read()
    said += [] if b"\\x1b[2J" in trace else ["the trace has no such name"]
    # the numbers between its texts may be any bytes, so only what comes from these texts is looked for
    said += ["the trace has %r" % part for part in
             (b"\x1b[", b"\x1b]", b"\xc2\x9b", "\u202e".encode(), "\u2066".encode(), b" \x7f ")
             if part in trace]
    return said + harness.check_trace(ended.path)


def a_fifo_is_not_waited_for(build, work):
    """Wherever a recording has files: perf would wait for ever."""
    perf, said = os.path.join(work, "perf"), []
    # opens what is in a directory as perf does
    put(perf, "#!/bin/sh\nwhile [ \"$1\" != -i ] && [ $# -gt 1 ]; do shift; done\n"
        "[ -d \"$2\" ] && exec cat \"$2/data\"\n[ \"$1\" = -i ] && exec cat \"$2\"\n"
        "echo 'perf version 6.1'\n")
    os.chmod(perf, 0o755)
    for name in ("perf.data", "recording.json", "recording-1.map", "jit-1.dump", "kallsyms",
                 "vmlinux", "data"):
        directory = os.path.join(work, "of " + name)
        os.mkdir(directory)
        put(os.path.join(directory, "perf.data"), lines.good())
        if name == "data":
            os.unlink(os.path.join(directory, "perf.data"))
            os.mkdir(os.path.join(directory, "perf.data"))
            name = "perf.data/data"
        path = os.path.join(directory, name)
        if os.path.exists(path):
            os.unlink(path)
        os.mkfifo(path)
        ended = harness.decode(build, directory, env={"MAGIC_TRACE_PERF_PATH": perf})
        want = 1 if name.startswith("perf.data") else 0
        if ended.status != want:
            said.append("%s: status %s, %s" % (name, ended.status, ended.stderr))
    return said


def no_set_user_id(build, work):
    """Somebody made it setuid root: nobody gets anything from it."""
    need_root()
    copy = os.path.join(work, "magic-trace")
    shutil.copy(os.path.join(build, "magic-trace"), copy)
    os.chmod(work, 0o755)
    said = []
    for mode, status in ((0o755, 0), (0o4755, 1), (0o2755, 1)):
        os.chmod(copy, mode)
        p = subprocess.run(["setpriv", "--reuid", str(NOBODY), "--regid", str(NOBODY),
                            "--clear-groups", copy, "version"], stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE, check=False, cwd="/")
        if p.returncode != status or (status and b"set-user-ID" not in p.stderr):
            said.append("mode %o: status %d, %r" % (mode, p.returncode, p.stderr))
    return said


def owners(work, *names):
    return [os.lstat(os.path.join(work, name)).st_uid for name in names]


def sudo_decodes(build, work):
    """The trace is the user's; what was there before is not touched."""
    need_root()
    put(os.path.join(work, "perf.data"), lines.good())
    put(os.path.join(work, "trace.fxt"), "older")
    ended = harness.decode(build, work, env=SUDO)
    if ended.status != 0:
        return [ended.stderr]
    got = owners(work, "trace.fxt", "trace.fxt.old", "perf.data")
    return [] if got == [USER, 0, 0] else ["owners: %s" % got]


def sudo_records(build, work):
    """The user can decode, without sudo, what was recorded with it."""
    need_root()
    os.chmod(work, 0o755)
    directory, trace = os.path.join(work, "new", "rec"), os.path.join(work, "t.fxt")
    ended = harness.program(build, "run", "-sampling", "-working-directory", directory, "-o", trace,
                            "--", "sh", "-c", "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done",
                            env=SUDO)
    if ended.status != 0:
        return [ended.stderr]
    got = owners(work, "new", "new/rec", "new/rec/perf.data", "new/rec/recording.json", "t.fxt")
    said = [] if got == [USER] * 5 else ["owners: %s" % got]
    os.mkdir(os.path.join(work, "home"))
    os.chown(os.path.join(work, "home"), USER, USER)
    copy = os.path.join(work, "magic-trace")
    shutil.copy(os.path.join(build, "magic-trace"), copy)
    p = subprocess.run(["setpriv", "--reuid", str(USER), "--regid", str(USER), "--clear-groups",
                        copy, "decode", "-working-directory", directory, "-o", "u.fxt"],
                       cwd=os.path.join(work, "home"), stdout=subprocess.PIPE,
                       stderr=subprocess.STDOUT, check=False,
                       env=dict(os.environ, HOME=os.path.join(work, "home")))
    return said + ([] if p.returncode == 0 else ["as the user: " + p.stdout.decode()])


def no_shell(_build, _work):
    """No function that runs one is called, and none is named, but where text is about it."""
    said = []
    call = re.compile(r"\b(system|popen|wordexp|execlp|execvp|execvpe|posix_spawnp)\s*\(|"
                      r"exec\w*\(\"/bin/\w*sh\"|\"-c\"")
    for directory, _, names in os.walk(os.path.join(harness.TOP, "src")):
        for name in names:
            with open(os.path.join(directory, name), encoding="utf-8") as f:
                text = re.sub(r"/\*.*?\*/", "", f.read(), flags=re.S)
            said += ["%s: %s" % (name, found.group(0)) for found in call.finditer(text)]
    return said


TESTS = (names_steer_nothing, a_fifo_is_not_waited_for, no_set_user_id, sudo_decodes, sudo_records,
         no_shell)


def main():
    report = harness.Report("e2e/security")
    build = harness.build_dir()
    for test in TESTS:
        name = test.__name__.replace("_", " ")
        with tempfile.TemporaryDirectory() as work:
            try:
                report.check(name, test(build, work))
            except Skip as why:
                report.skip(name, why)
    report.exit()


if __name__ == "__main__":
    main()
