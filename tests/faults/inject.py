# SPDX-License-Identifier: MIT
"""Calls that are made to fail: which there are, and what each can be told (shim.c, faultpoint.h).

A run with a Table counts the calls of each point; the next runs have one of them fail.
"""
import errno
import os
import struct
import subprocess

HEADER = struct.Struct("=QIIiI")                # struct fault_table up to entries
ENTRY = struct.Struct("=QII24s8Q")              # struct fault_entry
ENTRIES = 16384
SHORT, END = -1, -2                             # FAULT_SHORT, FAULT_END

MEMORY = ("calloc", "malloc", "realloc", "mmap", "vasprintf", "open_memstream")
OPENS = ("open", "openat", "fopen", "opendir", "pipe2", "eventfd", "signalfd", "socket",
         "socketpair", "memfd_create", "accept4", "epoll_create1", "dup2")
# May be interrupted by a signal: signal(7), and open(2) of some file systems.
INTERRUPTED = ("open", "openat", "read", "write", "pread", "pwrite", "recv", "send", "poll",
               "waitid", "waitpid", "epoll_wait", "nanosleep", "flock", "accept4", "dup2")
# They remove what was made: it stays if they may not.
REMOVE = ("unlink", "unlinkat", "rmdir")


def hows(name):
    """(errno or SHORT or END, whether all later calls fail as well) that a function can have."""
    found = []
    if name in MEMORY:
        return [(errno.ENOMEM, True), (errno.ENOMEM, False)]
    if name == "write to a pipe":
        return [(errno.EINTR, False)]
    if name in INTERRUPTED:
        found.append((errno.EINTR, False))
    if name in ("read", "pread", "recv", "readdir"):
        found.append((errno.EIO, True))
    if name in ("read", "recv"):
        found += [(errno.EAGAIN, False), (END, True)]
    if name in ("read", "pread", "write", "pwrite", "sendfile"):
        found.append((SHORT, True))
    if name in ("write", "pwrite", "fflush", "fclose", "sendfile"):
        found += [(errno.ENOSPC, True), (errno.EIO, False)]
    if name in ("write", "send"):
        found.append((errno.EPIPE, True))
    if name in OPENS:
        found += [(errno.EMFILE, True), (errno.ENOMEM, False)]
    if name in ("open", "openat", "mkdir", "mkdtemp", "mkostemp", "renameat", "rename"):
        found += [(errno.ENOSPC, True), (errno.EACCES, False)]
    if name in ("fork", "pthread_create", "timer_create"):
        return [(errno.EAGAIN, True), (errno.ENOMEM, False)]
    if name == "syscall":                       # perf_event_open, pidfd_open, ...
        found += [(errno.EMFILE, False), (errno.ENOSYS, True)]
    if name in ("waitid", "waitpid"):           # another would be for a mistake of ours
        return found + [(errno.ECHILD, True)]
    return found or [(errno.EPERM, True), (errno.EIO, False)]


class Point:
    """A function, as called by these callers."""

    def __init__(self, key, calls, in_child, name, frames):
        self.key = key
        self.calls = calls
        self.in_child = in_child
        self.name = name
        self.frames = frames

    def faults(self):
        """Its first, second and last call fail, in each way that it can; the first will do where
        it is memory that there is none of: nearly all of that is asked for in one place."""
        calls = {1} if self.name in MEMORY else {1, min(2, self.calls), self.calls}
        return [Fault(self, nth, *how) for nth in sorted(calls) for how in hows(self.name)]


class Fault:
    def __init__(self, point, nth, how, on):
        self.point = point
        self.nth = nth
        self.how = how
        self.on = on

    def __str__(self):
        how = {SHORT: "short", END: "end"}.get(self.how) or errno.errorcode[self.how]
        return "%s%s, call %d%s: %s" % (self.point.name, " in a child" * self.point.in_child,
                                        self.nth, " and on" * self.on, how)

    def why(self):
        """What the C library says of it; "": it is no error."""
        return os.strerror(self.how) if self.how > 0 else ""

    def where(self, program):
        """The callers in the program, for who looks into it."""
        own = [hex((f & (1 << 48) - 1) - 1) for f in self.point.frames if f >> 48 == 1]
        p = subprocess.run(["addr2line", "-fs", "-e", program, *own], stdout=subprocess.PIPE,
                           stderr=subprocess.DEVNULL, check=False)
        return " < ".join(p.stdout.decode().split("\n")[0::2]).strip(" <")


class Table:
    """The file that the shim and the test share."""

    def __init__(self, path, shim):
        self.path = path
        self.env = {"FAULT_TABLE": path, "LD_PRELOAD": shim}
        self.wish(None)

    def wish(self, fault):
        """Begins anew, with that fault or none."""
        with open(self.path, "wb") as f:
            if fault:
                f.write(HEADER.pack(fault.point.key, fault.nth, fault.on, fault.how, 0))
            f.truncate(HEADER.size + ENTRIES * ENTRY.size)

    def fired(self):
        with open(self.path, "rb") as f:
            return HEADER.unpack(f.read(HEADER.size))[4]

    def points(self):
        with open(self.path, "rb") as f:
            f.seek(HEADER.size)
            found = [Point(key, calls, in_child, name.rstrip(b"\0").decode(), frames)
                     for key, calls, in_child, name, *frames in ENTRY.iter_unpack(f.read()) if key]
        return sorted(found, key=lambda p: (p.in_child, p.name, p.frames))
