#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs demo/demo.c under magic-trace, and says what to open and what is to be seen.
#   demo/run.sh BUILD_DIR     with BUILD_DIR/magic-trace and BUILD_DIR/demo/demo in it
set -eu

build=$1
dir=$build/demo
trace=$dir/demo.fxt.gz

# The whole run, not only its end: the demo is short. Its frames, and how much it works in each.
record()
{
	frames=$1 work=$2
	shift 2
	"$build/magic-trace" run -full-execution -output "$trace" "$@" "$dir/demo" -- "$frames" "$work"
}

software=$("$build/magic-trace" check | sed -n 's/^backend software *\([a-z]*\).*/\1/p')
sampling=
if [ -e /sys/bus/event_source/devices/intel_pt ]; then
	record 60 10
elif [ "$software" = good ]; then
	record 60 10 -software
elif [ "$software" = poor ]; then
	echo 'demo: single steps, for want of QEMU: this takes a while'
	record 10 1 -software
else
	# dwarf: libm has no frame pointers
	record 60 1500 -sampling -callgraph-mode dwarf
	sampling=yes
fi
echo
echo "demo: open $trace at https://magic-trace.org/ or https://ui.perfetto.dev"
if [ -n "$sampling" ]; then
	cat <<-EOF
	This machine has no Intel PT, so the stack was sampled: you see where the program was, every tenth
	of a millisecond: nearly always in draw, which calls shade, and six times in save: the hiccups.
	Samples cannot tell one call of a function from the next, so a row of draws is one block.
	EOF
else
	cat <<-EOF
	It shows every call: make_frame $frames times, in each of them move and draw, which calls shade,
	which calls cos; and behind every tenth draw a hiccup: save.
	EOF
fi
echo 'Zoom with W and S, move with A and D.'
