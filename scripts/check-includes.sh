#!/bin/sh
# SPDX-License-Identifier: MIT
# Checks what src/ includes: each module only what it may know, no circle of modules (a header and its
# source, taken together), every header complete in itself. Prints what is wrong and exits with 1. Run
# from the top; CC: the compiler.
set -u
LC_ALL=C
export LC_ALL

# What each module may include beside itself.
may_include()
{
	case $1 in
	cli) echo 'base event perf record soft stack symbol trace' ;;
	record) echo 'base perf soft symbol' ;;
	perf) echo 'base dlfilter event symbol' ;;
	stack) echo 'base event' ;;
	event | soft | symbol | trace | dlfilter) echo 'base' ;;
	base) echo '' ;;
	*) echo "src/$1: this module is not in the matrix of $0" >&2 ;;
	esac
}

# Lines "FILE INCLUDED" of all includes in quotes.
includes=$(grep -Ho '^#include "[^"]*"' src/*/*.[ch] src/*/*/*.[ch] | sed 's/:#include "/ /; s/"$//')

wrong=$(echo "$includes" | while read -r file included; do
	module=${file#src/}
	module=${module%%/*}
	if [ ! -f "src/$included" ]; then
		echo "$file: \"$included\" is not a file under src/"
		continue
	fi
	case " $module $(may_include "$module") " in
	*" ${included%%/*} "*) ;;
	*) echo "$file: $module must not include $included" ;;
	esac
done 2>&1)

# PART WHOLE: of a module in several files, a part that knows the whole by its types. They are not to
# become more: what several files need to know goes into a header of its own, as record/loopstate.h.
parts='perf/lines perf/text
perf/notes perf/text
record/describe record/recording
record/description record/recording
soft/perfhead soft/perfdata
soft/recflow soft/recorder
soft/recstate soft/recorder
soft/stepdeed soft/steptask
soft/track soft/recorder
stack/hits stack/stacks
stack/inlines stack/stacks
stack/inlining stack/stacks
stack/loss stack/thread
stack/thread stack/stacks
symbol/byline symbol/locate
symbol/byname symbol/locate
symbol/places symbol/locate
trace/gzip trace/codec
trace/source trace/trace
trace/strings trace/trace
trace/tracks trace/trace
trace/zstd trace/codec'

# Lines "MODULE INCLUDED" without file names' ends.
arrows=$(echo "$includes" | sed 's/^src\///; s/\.[ch] / /; s/\.h$//' | awk '$1 != $2' | sort -u)
circle=$(echo "$arrows" | grep -vxF "$parts" | tsort 2>&1 >/dev/null | sed 's/^tsort: */circle: /')
unused=$(echo "$parts" | grep -vxF "$arrows" | sed 's/$/: the first includes the second no more; list them no more/')

# A header is complete if it is the first that its source includes: else that does not compile. One
# without a source is compiled here.
incomplete=$(for header in src/*/*.h src/*/*/*.h include/*.h; do
	[ -f "$header" ] || continue
	source=${header%.h}.c
	if [ -f "$source" ]; then
		[ "$(grep -m 1 '^#include' "$source")" = "#include \"${header#src/}\"" ] ||
			echo "$source: does not include $header first"
		continue
	fi
	echo "#include \"$header\"" |
		"${CC:-gcc}" -std=gnu17 -D_GNU_SOURCE -I. -Isrc -Iinclude -Wall -Werror -fsyntax-only -x c - ||
		echo "$header: does not compile by itself"
done 2>&1)

for problem in "$wrong" "$circle" "$unused" "$incomplete"; do
	[ -z "$problem" ] || echo "$problem"
done
if [ -n "$wrong$circle$unused$incomplete" ]; then
	echo 'FAIL check-includes: see above'
	exit 1
fi
echo 'ok check-includes'
