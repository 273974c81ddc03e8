# SPDX-License-Identifier: MIT
#
#   make               build/magic-trace
#   make check         every test that is quick (under 3 minutes)
#   make check-long    the longer ones as well
#   make coverage      what `make check` runs of src, by gcov
#   make fuzz          libFuzzer, a minute a target (clang): FUZZ=NAME, FUZZ_SECONDS=N
#   make bench         measurements; asserts nothing
#   make demo          records a small program, decodes it, says what to open
#   make install       the program, its manual page, completion: PREFIX=/usr/local, DESTDIR=
#   make man           writes docs/magic-trace.1 and .bash anew from the tables in src/cli
#   make lint          clang-format, clang-tidy and cppcheck
#
#   DEBUG=1  no optimisation     ASAN=1  address and undefined-behaviour sanitizers
#   V=1      show the commands   O=DIR   build somewhere else
#   WERROR=0 warnings are no errors: for a compiler newer than those we know
#   HARDEN=0 without what makes a fault harder to exploit; CFLAGS and LDFLAGS come behind it, and win
#
# Sources are found, not listed: src/MODULE/*.c is the program, tests/unit/MODULE/NAME.c is the
# unit test of src/MODULE/NAME.c.

ifeq ($(origin CC),default)
CC := gcc
endif
PKG_CONFIG ?= pkg-config
PREFIX ?= /usr/local
Q := $(if $(V),,@)
say = $(if $(V),,@printf '  %-6s %s\n' $(1) $(2))

variant := $(if $(ASAN),-asan)$(if $(DEBUG),-debug)$(if $(COVERAGE),-coverage)
O ?= build$(variant)

# libelf comes with libdw; libisal is the fast gzip. libiberty (the demangler) has no .pc file.
LIBS := libdw libelf libisal libzstd jansson
ifeq ($(filter clean,$(MAKECMDGOALS)),)
missing := $(strip $(foreach l,$(LIBS),$(shell $(PKG_CONFIG) --exists $(l) || echo $(l))) \
	$(if $(filter /%,$(shell $(CC) -print-file-name=libiberty.a)),,libiberty))
ifneq ($(missing),)
$(error there is no $(missing). `scripts/setup.sh` installs what the build needs)
endif
LIB_CFLAGS := $(shell $(PKG_CONFIG) --cflags $(LIBS))
LIB_LIBS := $(shell $(PKG_CONFIG) --libs $(LIBS)) -liberty
endif

VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo 0.1)

WERROR ?= 1
WARNINGS := -Wall -Wextra $(if $(filter 1,$(WERROR)),-Werror) -Wshadow -Wstrict-prototypes \
	-Wmissing-prototypes -Wpointer-arith -Wwrite-strings -Wvla -Wformat=2 -Wno-missing-field-initializers
# (With sanitizers, -O2 takes twice as long as -O1.)
CFLAGS ?= $(if $(COVERAGE),-O0 -g,$(if $(DEBUG),-O0 -g3,$(if $(ASAN),-O1,-O2) -g))
coverage_cflags := $(if $(COVERAGE),--coverage -include tests/support/coverage.h)

# docs/security.md says what each is for. _FORTIFY_SOURCE takes an optimising compiler, and hides calls
# from the address sanitizer. A distribution's compiler or flags may have another one already.
HARDEN ?= 1
, := ,
harden_cflags := -fstack-protector-strong -fstack-clash-protection \
	$(if $(filter x86_64-%,$(shell $(CC) -dumpmachine)),-fcf-protection) \
	$(if $(ASAN)$(findstring _FORTIFY_SOURCE,$(CFLAGS) $(CPPFLAGS)),,\
	$(if $(filter-out -O0,$(lastword $(filter -O%,$(CFLAGS)))),-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2))
harden_ldflags := -Wl$(,)-z$(,)relro -Wl$(,)-z$(,)now -Wl$(,)-z$(,)noexecstack
ifneq ($(HARDEN),1)
harden_cflags :=
harden_ldflags :=
endif
pie_cflags := $(if $(harden_cflags),-fPIE)
pie_ldflags := $(if $(harden_cflags),-pie)

common_cflags = -std=gnu17 -D_GNU_SOURCE -Isrc -Iinclude $(WARNINGS) $(harden_cflags) $(CPPFLAGS) \
	$(CFLAGS) $(coverage_cflags) -pthread $(LIB_CFLAGS) \
	$(if $(ASAN),-fsanitize=address$(,)undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
all_cflags = $(pie_cflags) $(common_cflags)
all_ldflags = $(pie_ldflags) $(harden_ldflags) $(LDFLAGS) -pthread \
	$(if $(COVERAGE),--coverage) $(if $(ASAN),-fsanitize=address$(,)undefined)

# What is not part of the program: the filter, which perf loads.
sources := $(filter-out src/dlfilter/%,$(sort $(wildcard src/*/*.c)))
objects := $(sources:src/%.c=$(O)/src/%.o)
library := $(filter-out $(O)/src/cli/main.o,$(objects))

# A plugin of QEMU that records as Intel PT does. It takes no QEMU to make it.
plugin_sources := $(sort $(wildcard src/soft/plugin/*.c)) $(addprefix src/soft/,$(addsuffix .c,\
	auxbuf highfd image insn outfile packet perfdata perfhead qemuargs recflow recorder recthread \
	stream told track unixaddr)) $(addprefix src/base/,err.c human.c num.c procfs.c procmaps.c xalloc.c)
plugin := $(O)/magic-trace-qemu.so
plugin_objects := $(plugin_sources:%.c=$(O)/plugin/%.o)

filter_sources := $(sort $(wildcard src/dlfilter/*.c)) src/base/hash.c src/base/num.c
filter := $(O)/magic-trace-dlfilter.so
filter_objects := $(filter_sources:%.c=$(O)/plugin/%.o)

all: $(O)/magic-trace $(plugin) $(filter)

# What is called for each block that the program executes lies in several files: a fifth is gained.
# (clang needs a linker for it that may not be there.)
plugin_lto := $(if $(findstring clang,$(CC)),,-flto=auto)
shared_ldflags = $(harden_ldflags) $(LDFLAGS) $(harden_cflags) $(CFLAGS) $(plugin_lto)
$(O)/plugin/%.o: pie_cflags :=
$(O)/plugin/%.o: coverage_cflags :=
$(O)/plugin/%.o: all_cflags += -fPIC -fvisibility=hidden $(plugin_lto) -fno-sanitize=all
$(plugin): $(plugin_objects)
	$(call say,LINK,$@)
	$(Q)$(CC) $(shared_ldflags) -shared -o $@ $(plugin_objects)

$(filter): $(filter_objects)
	$(call say,LINK,$@)
	$(Q)$(CC) $(shared_ldflags) -shared -o $@ $(filter_objects)

$(O)/plugin/%.o: %.c Makefile $(O)/flags-are
	$(call say,CC,$<)
	$(Q)mkdir -p $(@D) && $(CC) $(all_cflags) -MMD -MP -c -o $@ $<

$(O)/magic-trace: $(objects)
	$(call say,LINK,$@)
	$(Q)$(CC) $(all_ldflags) $(if $(hot_lto),$(pie_cflags) $(harden_cflags) $(CFLAGS) $(hot_lto)) -o $@ $(objects) $(LIB_LIBS)

$(O)/libmagictrace.a: $(library)
	$(call say,AR,$@)
	$(Q)rm -f $@ && $(AR) rcs $@ $(library)

# What is called for each branch lies in many files, too: a sixth is gained. The objects hold machine
# code as well, which is what the tests are linked with.
hot := $(filter $(addprefix $(O)/src/,event/% perf/records.o perf/text.o perf/lines.o stack/% \
	trace/% base/hash.o base/intern.o base/spool.o cli/decode.o cli/symbols.o),$(objects))
hot_lto := $(if $(ASAN)$(DEBUG)$(COVERAGE),,$(plugin_lto))
$(hot): all_cflags += $(if $(hot_lto),$(hot_lto) -ffat-lto-objects)

# The version is the only thing that changes without a source changing.
$(O)/src/cli/version.o: all_cflags += -DMT_VERSION='"$(VERSION)"'
$(O)/version-is: FORCE
	$(Q)mkdir -p $(O); echo '$(VERSION)' | cmp -s - $@ || echo '$(VERSION)' >$@
$(O)/src/cli/version.o: $(O)/version-is

# Objects of another compiler, or of other flags, are no use. (Not $(all_cflags): it would have what
# is added to them for whichever object comes first.)
$(O)/flags-are: FORCE
	$(Q)mkdir -p $(O); echo '$(CC) $(common_cflags)' | cmp -s - $@ || \
		echo '$(CC) $(common_cflags)' >$@

$(O)/%.o: %.c Makefile $(O)/flags-are
	$(call say,CC,$<)
	$(Q)mkdir -p $(@D) && $(CC) $(all_cflags) -MMD -MP -c -o $@ $<

-include $(shell find $(O) -name '*.d' 2>/dev/null)

include tests/tests.mk

man: all
	$(Q)$(O)/magic-trace help -man >docs/magic-trace.1
	$(Q)$(O)/magic-trace help -bash >docs/magic-trace.bash

install: all
	install -D $(O)/magic-trace $(DESTDIR)$(PREFIX)/bin/magic-trace
	install -D -m 644 $(plugin) $(DESTDIR)$(PREFIX)/lib/magic-trace/magic-trace-qemu.so
	install -D -m 644 $(filter) $(DESTDIR)$(PREFIX)/lib/magic-trace/$(notdir $(filter))
	install -D -m 644 include/magic_trace.h $(DESTDIR)$(PREFIX)/include/magic_trace.h
	install -D -m 644 docs/magic-trace.1 $(DESTDIR)$(PREFIX)/share/man/man1/magic-trace.1
	install -D -m 644 docs/magic-trace.bash \
		$(DESTDIR)$(PREFIX)/share/bash-completion/completions/magic-trace

clean:
	$(Q)rm -rf build build-asan build-debug build-asan-debug build-coverage build-fuzz

FORCE:
.PHONY: all man install clean FORCE
.DELETE_ON_ERROR:
