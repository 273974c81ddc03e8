#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs all tests, as many at a time as there are CPUs, and sums up.
#   tests/run.sh BUILD_DIR        MT_LONG=1: the long forms as well; MT_ONLY: those whose names fit
#                                 this extended regular expression
#   tests/run.sh BUILD_DIR NAME COMMAND...        one of them, for the above
#
# A unit test program closes with libcheck's line. Every other test prints lines `ok NAME`,
# `FAIL NAME: why`, `SKIP NAME: reason`, and exits with 1 when one failed; it gets BUILD_DIR as its
# argument. A skip counts as a failure unless tests/skips.txt has its name; so does a program that
# prints none of these.
set -u

build=$1
limit=240
[ -z "${MT_LONG:-}" ] || limit=3600
log=$(mktemp)
sum=
trap 'rm -f "$log" "$sum"' EXIT

count()
{
	grep -ac "^$1[ :]" "$log"
}

# The number behind a word of libcheck's closing line; 0 when there is none.
checks()
{
	n=$(grep -a '^[0-9]*%: Checks: ' "$log" | sed "s/.*$1: \([0-9]*\).*/\1/")
	echo "${n:-0}"
}

skips()
{
	grep -a '^SKIP[ :]' "$log" | sed 's/^SKIP *//' | while IFS=: read -r name reason; do
		if cut -f 1 tests/skips.txt | grep -qxF "$name"; then
			echo "  SKIP $name:$reason"
		else
			echo "  FAIL $name: skipped, and not in tests/skips.txt:$reason"
		fi
	done
}

# Runs one. What is to be said is said at once, and the counts go to the file $MT_SUM.
run()
{
	name=$1
	shift
	timeout "$limit" "$@" >"$log" 2>&1
	status=$?
	bad=$(($(count FAIL) + $(checks Failures) + $(checks Errors)))
	good=$(($(count ok) + $(checks Checks) - $(checks Failures) - $(checks Errors)))
	skip=$(skips)
	refused=$(echo "$skip" | grep -c '^  FAIL')
	skip_count=$(($(count SKIP) - refused))
	[ $status -eq 0 ] || [ $bad -gt 0 ] || bad=1
	if [ $((good + bad + refused + skip_count)) -eq 0 ]; then
		echo 'no line says that a test was run' >>"$log"
		bad=1
	fi
	if [ $bad -gt 0 ]; then
		said="FAIL $name (status $status):
$(tail -n 100 "$log" | sed 's/^/  /')"
	else
		said="ok   $name: $good passed"
	fi
	[ -z "$skip" ] || said="$said
$skip"
	printf '%s\n' "$said"
	echo "$good $((bad + refused)) $skip_count" >>"$MT_SUM"
}

# Whether this build has no use for a test (tests/unsanitized.txt).
is_pointless()
{
	grep -q fsanitize "$build/flags-are" && cut -f 1 tests/unsanitized.txt | grep -qxF "$1"
}

# The tests, a line each: its name, and the command. Those that take longest come first.
list()
{
	candidates | grep -E "^(${MT_ONLY:-.*})" | while read -r name command; do
		is_pointless "$name" || echo "$name $command"
	done
}

candidates()
{
	for script in tests/golden/run.* tests/truth/run.* tests/diff/* tests/e2e/* tests/faults/*; do
		if [ -f "$script" ] && [ -x "$script" ]; then
			echo "${script#tests/} $script $build"
		fi
	done
	for source in tests/fuzz/*.c tests/unit/*/*.c; do
		program=${source%.c}
		echo "${program#tests/} $build/$program"
	done
	echo check-includes scripts/check-includes.sh
}

if [ $# -gt 1 ]; then
	shift
	run "$@"
	exit 0
fi
sum=$(mktemp)

# Only what a test can need: a program that is stepped looks at each variable of its environment,
# which costs as much as all else that it does.
kept='PATH HOME TMPDIR LANG MT_LONG LD_LIBRARY_PATH ASAN_OPTIONS UBSAN_OPTIONS LSAN_OPTIONS
	MAGIC_TRACE_PERF_PATH MAKEFLAGS CC CFLAGS LDFLAGS PKG_CONFIG PKG_CONFIG_PATH
	RUSTUP_HOME CARGO_HOME'
set -- CK_VERBOSITY=normal "MT_SUM=$sum"
for name in $kept; do
	if eval "[ -n \"\${$name+is set}\" ]"; then
		eval "set -- \"\$@\" \"$name=\$$name\""
	fi
done
# one that dies without a word has no line in the sum, and is missed there
wanted=$(list | wc -l)
list | env -i "$@" xargs -L 1 -P "$(nproc)" tests/run.sh "$build"
counted=$(wc -l <"$sum")
awk -v lost=$((wanted - counted)) '
	{ passed += $1; failed += $2; skipped += $3 }
	END { printf "%d passed, %d failed, %d skipped\n", passed, failed + lost, skipped
	      exit failed + lost > 0 }' "$sum"
