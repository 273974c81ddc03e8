#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the stacks of a stepped program really were.

usage: truth.py LOG TEXT [-o SPANS]

LOG    what `softstep -k LOG` has written: each transfer of control, with the stack pointer
       (tests/support/stacklog.h)
TEXT   `perf script` of the same recording: only how addresses are called, and its first time,
       from which all times count, as in the trace
SPANS  the spans, as tree.py describes them; standard output if not given

The rules know nothing of exceptions, longjmp, fibers or tail calls, only of the stack pointer.

- A call pushes a frame, which lasts as long as the slot of its return address: behind each
  transfer, all frames with slots below the stack pointer are gone. A call of what is behind it,
  which only takes its address, is none.
- Control that lands in another function at the level of the topmost frame, whatever brought it
  there, makes it that function's: tail calls, foo@plt to foo, PLT0 to the resolver to foo. A
  function is what perf gives a name, in its file; a clone, as foo.cold, is the function itself.
- A signal pushes a frame, which lasts until the stack pointer is behind the address that the
  handler returns to: it is the handler's, and then that of the code there. rt_sigreturn ends it.
- Where the kernel gives back to a place for which perf has no name, the function is the one that
  called it.
- Each stack has frames of its own. Which one it is that the stack pointer lies in, Thread._find
  says. The frames of a stack to which control switches lie on those of the stack that was left,
  and begin anew if the stack had been left before; they go when control switches back to a stack
  further down, and are kept for the next time. So main > next > swapcontext > generator > yield.
- exec and the end of a thread end all frames; exec does when the new program begins.

What can fool it: a fiber's stack inside another stack's frame; memory of a stack that is used
again for another while frames are left on it, as Go does. A child made by fork begins without the
frames that its parent had.
"""
import argparse
import collections
import json
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import tree                     # noqa: E402

# Bytes below a stack pointer that a function may use without moving it (x86-64 psABI: 128), and
# some more: a stack that is left is resumed no further down than so.
BELOW = 512
# Bytes above the highest that a stack pointer has been: no deeper frame returns further up.
ABOVE = 256
# No return, and no jump to another function, takes the stack pointer down by so much: it has
# switched to another stack.
LEAP = 4096
# Instructions of a slot of the PLT: endbr64, bnd jmp, and what lies between them.
PLT_SLOT = 4
SIGRETURN = 15
ENDLESS = 1 << 64

Event = collections.namedtuple("Event", "thread kind source to sp time")
Function = collections.namedtuple("Function", "name file")
UNNAMED = Function("[unknown]", "")
Span = collections.namedtuple("Span", "track start order depth end name")


class Names:
    """What perf calls the addresses of a recording."""
    SIDE = r"([0-9a-f]+) (.*?)(?:\+0x[0-9a-f]+)? \(([^()]*(?:\([^()]*\))?[^()]*)\)"
    LINE = re.compile(r"^ *-?\d+/-?\d+ +(\d+)\.(\d{9}): +\d+ +branches:\S* .*? " + SIDE +
                      r" => +" + SIDE + r"\s*$")

    def __init__(self, path):
        self.functions = {}
        self.first = None       # time, ns
        with open(path, encoding="utf-8", errors="surrogateescape") as f:
            for line in f:
                self._take(self.LINE.match(line))

    def _take(self, match):
        if not match:
            return
        if self.first is None:
            self.first = int(match[1] + match[2])
        for at in (3, 6):
            address = int(match[at], 16)
            if address not in self.functions:
                self.functions[address] = Function(tree.shown_name(match[at + 1]), match[at + 2])

    def function(self, address):
        return self.functions.get(address, UNNAMED)

    def label(self, address):
        """How a span is called that begins there."""
        name, file = self.function(address)
        return name if name != UNNAMED.name else "[unknown @ 0x%x (%s)]" % (address, file)


class Frame:
    """One of a stack. slot: below it the stack pointer lies; that of the return address. kernel: it
    was pushed by a signal."""
    __slots__ = ("slot", "kernel", "function", "name", "since", "start", "depth", "order")

    def __init__(self, slot, kernel=False):
        self.slot, self.kernel = slot, kernel
        self.function = self.name = None
        self.since = 0          # when it has become that function's
        self.start = None       # of the span that shows it; None: none does
        self.depth = self.order = 0


class Stack:
    """The frames on one stack, and where its stack pointer has been."""

    def __init__(self, mapping, sp):
        self.mapping, self.frames = mapping, []
        self.low = self.high = self.last = sp

    def saw(self, sp):
        self.last, self.low, self.high = sp, min(sp, self.low), max(sp, self.high)

    def left_near(self, sp):
        """Whether sp is where it was left, or further up on it."""
        return self.last - BELOW <= sp <= self.high + ABOVE


class Thread:
    """A thread: its stacks, and those that are shown, the one that runs on top."""

    def __init__(self, track, names):
        self.track, self.names = track, names
        self.spans = []
        self.mappings, self.mapping = [], None
        self.stacks, self.altstacks, self.shown = [], [], []
        self.depth = self.begun = self.last = 0

    # --- what is shown ---

    def _begin(self, frame, time):
        self.begun += 1
        frame.start, frame.depth, frame.order = time, self.depth, self.begun
        self.depth += 1

    def _end(self, frame, time):
        if frame.start is None:
            return
        self.spans.append(Span(self.track, frame.start, frame.order, frame.depth, time,
                               frame.name))
        frame.start = None
        self.depth -= 1

    def _pop_below(self, stack, slot, time):
        while stack.frames and stack.frames[-1].slot < slot:
            self._end(stack.frames.pop(), time)

    def _switch(self, stack, time):
        """Shows it, on top; whether it was not shown before."""
        if stack not in self.shown:
            self.shown.append(stack)
            return True
        while self.shown[-1] is not stack:
            for frame in reversed(self.shown.pop().frames):
                self._end(frame, time)
        return False

    def _end_all(self, time):
        for stack in reversed(self.shown):
            for frame in reversed(stack.frames):
                self._end(frame, time)
        self.stacks, self.altstacks, self.shown = [], [], []

    # --- which stack it is ---

    def _find(self, sp, leaps):
        """The stack that sp lies in. leaps: control came by a return, or an indirect jump to
        another function."""
        for stack in self.altstacks:
            if stack.mapping[0] <= sp < stack.mapping[1]:
                return stack
        current = self.shown[-1] if self.shown else None
        near = [s for s in self.stacks
                if s is not current and s.mapping is self.mapping and s.left_near(sp)]
        if current in self.stacks and current.mapping is self.mapping:
            if current.low <= sp <= current.high:
                return current
            left = leaps and sp < current.last - LEAP or sp > current.high + ABOVE
            if not near and not left:
                return current
        if near:
            return min(near, key=lambda s: s.high)
        self.stacks.append(Stack(self.mapping, sp))
        return self.stacks[-1]

    def _enter_mapping(self, start, end):
        """The mapping may have grown, or have been joined with its neighbour."""
        for mapping in self.mappings:
            if start < mapping[1] and mapping[0] < end:
                mapping[:] = min(start, mapping[0]), max(end, mapping[1])
                self.mapping = mapping
                return
        self.mapping = [start, end]
        self.mappings.append(self.mapping)

    # --- what happens ---

    def _land(self, event):
        """Control has come to event.to, with the stack pointer event.sp."""
        time, sp, kind = event.time, event.sp, event.kind
        function = self.names.function(event.to)
        leaps = kind == "return" or \
            kind == "ijmp" and self.names.function(event.source) != function
        stack = self._find(sp, leaps)
        resumed = self._switch(stack, time)
        stack.saw(sp)
        # of a call; of a handler's frame on the stack, which is over what it returns to
        slot = {"call": sp, "icall": sp, "handler": sp + 8}.get(kind)
        self._pop_below(stack, sp if slot is None else slot + 1, time)
        if resumed:
            for frame in stack.frames:
                self._begin(frame, time)
        if slot is not None:
            stack.frames.append(Frame(slot, kernel=kind == "handler"))
        if not stack.frames:
            stack.frames.append(Frame(ENDLESS))
        self._run(stack.frames[-1], function, event)

    def _run(self, frame, function, event):
        """The topmost frame is that function's."""
        if frame.function == function or event.kind == "resume" and function is UNNAMED:
            return
        name = self.names.label(event.to)
        # a slot of the PLT to which perf gives the name of the function is no span of its own
        if frame.name == name and event.kind == "ijmp" and event.time - frame.since <= PLT_SLOT:
            frame.function = function
            return
        self._end(frame, event.time)
        frame.function, frame.name, frame.since = function, name, event.time
        self._begin(frame, event.time)

    def _sigreturn(self, time):
        frames = self.shown[-1].frames if self.shown else []
        if not any(frame.kernel for frame in frames):
            return
        kernel = False
        while not kernel:
            kernel = frames[-1].kernel
            self._end(frames.pop(), time)

    def take(self, event):
        if event.kind == "end":         # is noticed late
            self._end_all(self.last)
            return
        self.last = event.time
        if event.kind == "stack":
            self._enter_mapping(event.source, event.to)
        elif event.kind == "altstack":
            bounds = [event.source, event.to]
            self.altstacks = [s for s in self.altstacks if s.mapping != bounds]
            self.altstacks.append(Stack(bounds, event.source))
        elif event.kind == "exec":
            self._end_all(event.time)
            self.mappings, self.mapping = [], None
        elif event.kind == "syscall":
            if event.to == SIGRETURN:
                self._sigreturn(event.time)
        else:
            self._land(event)

    def finish(self):
        self._end_all(self.last)
        return sorted(self.spans)


def read_log(path):
    with open(path, encoding="ascii") as f:
        for line in f:
            thread, kind, source, to, sp, time = line.split()
            yield Event(thread, kind, int(source, 16), int(to, 16), int(sp, 16), int(time))


def true_spans(log, text):
    """Spans of all threads, sorted as in a file of spans; times from the first branch on."""
    names, threads = Names(text), {}
    if names.first is None:
        raise ValueError("%s: perf has found no branch" % text)
    for event in read_log(log):
        if event.thread not in threads:
            threads[event.thread] = Thread(event.thread, names)
        threads[event.thread].take(event)
    return [s._replace(start=s.start - names.first, end=s.end - names.first)
            for track in sorted(threads) for s in threads[track].finish()]


def write_spans(spans, out):
    for s in spans:
        out.write("%s %d %d %d %s\n" % (json.dumps(s.track), s.depth, s.start, s.end - s.start,
                                        json.dumps(s.name)))


def main():
    parser = argparse.ArgumentParser(usage="truth.py LOG TEXT [-o SPANS]")
    parser.add_argument("log")
    parser.add_argument("text")
    parser.add_argument("-o", default="/dev/stdout")
    args = parser.parse_args()
    spans = true_spans(args.log, args.text)
    with open(args.o, "w", encoding="utf-8") as out:
        write_spans(spans, out)


if __name__ == "__main__":
    sys.exit(main())
