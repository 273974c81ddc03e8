# SPDX-License-Identifier: MIT
# What `make check` and its relatives run. Included by the Makefile; run from the top.

unit_sources := $(sort $(wildcard tests/unit/*/*.c))
unit_programs := $(unit_sources:%.c=$(O)/%)
other_programs := $(patsubst %.c,$(O)/%,$(sort $(wildcard tests/diff/*.c tests/fuzz/*.c)))
bench_programs := $(patsubst %.c,$(O)/%,$(sort $(wildcard tests/bench/*.c)))
tool_programs := $(addprefix $(O)/tests/tools/,softstep softperf symbolize)
shim := $(O)/tests/faults/shim.so
CHECK_CFLAGS = $(shell $(PKG_CONFIG) --cflags check)
CHECK_LIBS = $(shell $(PKG_CONFIG) --libs check)

$(O)/tests/%.o: all_cflags += -Itests
# Unit tests run once: to optimise them takes longer than they do (and without, nothing is fortified).
$(O)/tests/unit/%.o: all_cflags += $(CHECK_CFLAGS) -O0 -U_FORTIFY_SOURCE
$(unit_programs): test_libs = $(CHECK_LIBS)

$(O)/tests/%: $(O)/tests/%.o $(O)/libmagictrace.a
	$(call say,LINK,$@)
	$(Q)$(CC) $(all_ldflags) -o $@ $^ $(LIB_LIBS) $(test_libs)

# What is preloaded into magic-trace (with sanitizers it is not: their allocator must come first).
$(shim): tests/faults/shim.c tests/faults/faultpoint.c tests/faults/faultpoint.h
	$(call say,LINK,$@)
	$(Q)mkdir -p $(@D) && $(CC) -std=gnu17 -D_GNU_SOURCE $(WARNINGS) -O1 -g -fPIC -shared \
		-static-libgcc -o $@ $(filter %.c,$^)

check check-long: all $(unit_programs) $(other_programs) $(tool_programs) $(shim)
	$(Q)MT_LONG=$(if $(filter check-long,$@),1) tests/run.sh $(O)

check-unit: $(unit_programs)
	$(Q)for t in $^; do CK_VERBOSITY=minimal $$t || exit 1; done

# Without the tests of the program as a whole: what is killed while it writes its counts damages them.
# COVER=. has them too.
COVER ?= unit|golden|diff|fuzz
coverage:
	$(Q)$(MAKE) --no-print-directory COVERAGE=1 CC=gcc coverage-run

coverage-run: all $(unit_programs) $(other_programs) $(tool_programs)
	$(Q)find $(O) -name '*.gcda' -delete
	$(Q)MT_ONLY='$(COVER)' tests/run.sh $(O) || true
	$(Q)tests/tools/coverage.py $(O) perf stack trace

# Fuzzing: each target of tests/fuzz with libFuzzer, FUZZ_SECONDS each; FUZZ=NAME for one of them.
FUZZ_SECONDS ?= 60
FUZZ ?= $(patsubst tests/fuzz/%.c,%,$(sort $(wildcard tests/fuzz/*.c)))
fuzz_build := build-fuzz
fuzz_cflags := -O1 -g -fsanitize=fuzzer-no-link -DLIBFUZZER
fuzz:
	$(Q)command -v clang >/dev/null || { echo 'fuzzing takes clang, for its libFuzzer'; exit 1; }
	$(Q)$(MAKE) --no-print-directory CC=clang ASAN=1 O=$(fuzz_build) CFLAGS='$(fuzz_cflags)' \
		$(addprefix $(fuzz_build)/fuzz/,$(FUZZ))
	$(Q)tests/fuzz/run.sh $(fuzz_build) $(FUZZ_SECONDS) $(FUZZ)

$(O)/fuzz/%: $(O)/tests/fuzz/%.o $(O)/libmagictrace.a
	$(call say,LINK,$@)
	$(Q)mkdir -p $(@D) && $(CC) $(all_ldflags) -fsanitize=fuzzer -o $@ $^ $(LIB_LIBS)

bench: all $(bench_programs)
	$(Q)tests/bench/run.py $(O)

# Formatting, and what clang-tidy and cppcheck find (.clang-format, .clang-tidy, .cppcheck). A file that
# has passed is not looked at again before it, or what it includes, changes.
c_files := $(wildcard src/*/*.[ch] src/*/*/*.[ch] include/*.h tests/*/*.[ch] tests/*/*/*.[ch] demo/*.c)
lint: cppcheck
	$(Q)for tool in clang-format clang-tidy; do command -v $$tool >/dev/null || \
		{ echo "there is no $$tool: scripts/setup.sh --lint installs it"; exit 1; }; done
	$(Q)clang-format --dry-run -Werror $(c_files)
	$(Q)$(MAKE) --no-print-directory -k $(if $(findstring jobserver,$(MAKEFLAGS)),,-j$$(nproc)) \
		$(patsubst %.c,$(O)/lint/%.ok,$(filter %.c,$(c_files)))

# Of the program only: programs that are traced do odd things on purpose. Not style, which
# clang-tidy is asked for.
cppcheck:
	$(call say,CHECK,src)
	$(Q)command -v cppcheck >/dev/null || \
		{ echo "there is no cppcheck: scripts/setup.sh --lint installs it"; exit 1; }
	$(Q)mkdir -p $(O)/lint/cppcheck && cppcheck -j$$(nproc) --quiet --error-exitcode=1 --std=c11 \
		--enable=warning,portability,performance --suppress=missingIncludeSystem \
		--suppressions-list=.cppcheck --cppcheck-build-dir=$(O)/lint/cppcheck -D_GNU_SOURCE \
		-Isrc -Iinclude src include demo

# The analyzer goes through 225,000 states of each function if nobody stops it, which takes four times
# as long as these. In tests, where each ck_assert doubles the paths, a few do.
analyzer_states = $(if $(filter tests/%,$<),10000,50000)
lint_cflags := -std=gnu17 -D_GNU_SOURCE -Isrc -Iinclude -Itests
$(O)/lint/%.ok: %.c .clang-tidy tests/.clang-tidy
	$(call say,TIDY,$<)
	$(Q)clang-tidy --quiet $< -- $(lint_cflags) -Xclang -analyzer-config \
		-Xclang max-nodes=$(analyzer_states) 2>/dev/null
	$(Q)mkdir -p $(@D) && $(CC) $(lint_cflags) -MM -MP -MT $@ -MF $(@:.ok=.d) $< && touch $@

demo: all $(O)/demo/demo
	$(Q)demo/run.sh $(O)

$(O)/demo/demo: demo/demo.c
	$(call say,CC,$<)
	$(Q)mkdir -p $(@D) && $(CC) -g -O1 -fno-omit-frame-pointer -o $@ $< -ldl

.SECONDARY:
.PHONY: check check-long check-unit coverage coverage-run fuzz bench lint cppcheck demo
