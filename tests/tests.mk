# SPDX-License-Identifier: MIT
# What `make check` and its relatives run. Included by the Makefile; run from the top.

unit_sources := $(sort $(wildcard tests/unit/*/*.c))
unit_programs := $(unit_sources:%.c=$(O)/%)
other_programs := $(patsubst %.c,$(O)/%,$(sort $(wildcard tests/diff/*.c tests/fuzz/*.c)))
bench_programs := $(patsubst %.c,$(O)/%,$(sort $(wildcard tests/bench/*.c)))
tool_programs := $(addprefix $(O)/tests/tools/,softstep softperf symbolize)
CHECK_CFLAGS = $(shell $(PKG_CONFIG) --cflags check)
CHECK_LIBS = $(shell $(PKG_CONFIG) --libs check)

$(O)/tests/%.o: all_cflags += -Itests
$(O)/tests/unit/%.o: all_cflags += $(CHECK_CFLAGS)
$(unit_programs): test_libs = $(CHECK_LIBS)

$(O)/tests/%: $(O)/tests/%.o $(O)/libmagictrace.a
	$(call say,LINK,$@)
	$(Q)$(CC) $(all_ldflags) -o $@ $^ $(LIB_LIBS) $(test_libs)

check check-long: all $(unit_programs) $(other_programs) $(tool_programs)
	$(Q)MT_LONG=$(if $(filter check-long,$@),1) tests/run.sh $(O)

check-unit: $(unit_programs)
	$(Q)for t in $^; do CK_VERBOSITY=minimal $$t || exit 1; done

bench: all $(bench_programs)
	$(Q)tests/bench/run.py $(O)

# Formatting, and what clang-tidy finds (.clang-format, .clang-tidy).
c_files := $(wildcard src/*/*.[ch] src/*/*/*.[ch] include/*.h tests/*/*.[ch] tests/*/*/*.[ch] demo/*.c)
lint:
	$(Q)for tool in clang-format clang-tidy; do command -v $$tool >/dev/null || \
		{ echo "there is no $$tool: scripts/setup.sh --lint installs it"; exit 1; }; done
	$(Q)clang-format --dry-run -Werror $(c_files)
	$(Q)printf '%s\n' $(filter %.c,$(c_files)) | xargs -P $$(nproc) -n 4 sh -c \
		'clang-tidy --quiet "$$@" -- -std=gnu17 -D_GNU_SOURCE -Isrc -Iinclude -Itests \
		 2>/dev/null' clang-tidy

demo: all $(O)/demo/demo
	$(Q)demo/run.sh $(O)

$(O)/demo/demo: demo/demo.c
	$(call say,CC,$<)
	$(Q)mkdir -p $(@D) && $(CC) -g -O1 -fno-omit-frame-pointer -o $@ $< -ldl

.SECONDARY:
.PHONY: check check-long check-unit bench lint demo
