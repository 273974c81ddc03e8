#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs all tests and sums up.
#   tests/run.sh BUILD_DIR        MT_LONG=1: the long forms as well
#
# A unit test program closes with libcheck's line. Every other test prints lines `ok NAME`,
# `FAIL NAME: why`, `SKIP NAME: reason`, and exits with 1 when one failed; it gets BUILD_DIR as its
# argument. A skip counts as a failure unless tests/skips.txt has its name; so does a program that
# prints none of these.
set -u

build=$1
limit=120
[ -z "${MT_LONG:-}" ] || limit=3600
passed=0 failed=0 skipped=0
log=$(mktemp)
trap 'rm -f "$log"' EXIT

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
		echo "FAIL $name (status $status):"
		tail -n 100 "$log" | sed 's/^/  /'
	else
		echo "ok   $name: $good passed"
	fi
	[ -z "$skip" ] || echo "$skip"
	passed=$((passed + good)) failed=$((failed + bad + refused)) skipped=$((skipped + skip_count))
}

export CK_VERBOSITY=normal
for source in tests/unit/*/*.c; do
	program=${source%.c}
	run "${program#tests/}" "$build/$program"
done
run check-includes scripts/check-includes.sh
for source in tests/fuzz/*.c; do
	program=${source%.c}
	run "${program#tests/}" "$build/$program"
done
for script in tests/golden/run.* tests/diff/* tests/e2e/*; do
	if [ -f "$script" ] && [ -x "$script" ]; then
		run "${script#tests/}" "$script" "$build"
	fi
done

echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
