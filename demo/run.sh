#!/bin/sh
# SPDX-License-Identifier: MIT
# Records demo/demo.c with perf, decodes it, says what to open.
#   demo/run.sh BUILD_DIR     with BUILD_DIR/magic-trace and BUILD_DIR/demo/demo in it
set -eu

build=$1
dir=$build/demo
trace=$dir/demo.fxt.gz
pmu=/sys/bus/event_source/devices/intel_pt
perf=${MAGIC_TRACE_PERF_PATH:-perf}

if ! command -v "$perf" >/dev/null; then
	echo "demo: there is no $perf: scripts/setup.sh installs it" >&2
	exit 1
fi

if [ -e "$pmu" ]; then
	echo 'demo: recording every branch with Intel PT'
	event=intel_pt//u how='' sampling=''
else
	echo 'demo: this machine has no Intel PT: recording stack samples, 10,000 a second'
	event=cpu-clock:u how='-F 10000 --call-graph dwarf' sampling=-sampling
fi

rm -rf "$dir/recording"
mkdir -p "$dir/recording"
# $how is a list of words.
# shellcheck disable=SC2086
if ! "$perf" record -q -e $event $how -o "$dir/recording/perf.data" "$dir/demo" \
	>"$dir/record.log" 2>&1; then
	cat "$dir/record.log" >&2
	paranoid=$(cat /proc/sys/kernel/perf_event_paranoid 2>/dev/null || echo unknown)
	echo "demo: perf could not record. kernel.perf_event_paranoid is $paranoid; above 2, only root" >&2
	echo 'may record: sudo sysctl kernel.perf_event_paranoid=2' >&2
	exit 1
fi

"$build/magic-trace" decode $sampling -working-directory "$dir/recording" -output "$trace"
echo
echo "demo: open $trace at https://magic-trace.org/ or https://ui.perfetto.dev"
if [ -n "$sampling" ]; then
	cat <<-EOF
	It shows where the program was, every tenth of a millisecond: nearly always in draw, which calls
	shade, and six times in save: the hiccups. Samples cannot tell one call of a function from the
	next, so a row of draws is one block.
	EOF
else
	cat <<-EOF
	It shows every call: make_frame sixty times, in each of them move and draw, which calls shade,
	which calls cos; and behind every tenth draw a hiccup: save.
	EOF
fi
echo 'Zoom with W and S, move with A and D.'
