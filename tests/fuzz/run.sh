#!/bin/sh
# SPDX-License-Identifier: MIT
# Fuzzes each target with libFuzzer: tests/fuzz/run.sh BUILD SECONDS NAME...
#
# BUILD/fuzz/NAME is the program. It begins with what is in tests/fuzz/corpus/NAME, and keeps what it
# learns in BUILD/learned/NAME for the next run; what fails goes to BUILD/found/NAME-*. For each a
# line is printed, as docs/fuzzing.md has them. Status 1 when something was found.
set -u

build=$1
seconds=$2
shift 2
found=0

# The number behind a name of libFuzzer's closing statistics.
stat()
{
	sed -n "s/^stat::$1: *//p" "$build/learned/$name.log"
}

for name in "$@"; do
	dict=
	[ ! -f "tests/fuzz/$name.dict" ] || dict=-dict=tests/fuzz/$name.dict
	mkdir -p "$build/learned/$name" "$build/found"
	if "$build/fuzz/$name" $dict -max_total_time="$seconds" -max_len=4096 -timeout=10 \
		-rss_limit_mb=2048 -print_final_stats=1 -artifact_prefix="$build/found/$name-" \
		"$build/learned/$name" "tests/fuzz/corpus/$name" >"$build/learned/$name.log" 2>&1
	then
		said=nothing
	else
		said="something: see $build/learned/$name.log"
		found=1
	fi
	printf '| %s | %s | %s s | %s | %s |\n' "$name" "$(stat number_of_executed_units)" \
		"$seconds" "$said" "$(git describe --always --dirty 2>/dev/null)"
done
exit $found
