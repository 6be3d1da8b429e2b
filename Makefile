# SPDX-License-Identifier: BSD-2-Clause
# A thin front for Meson: `make help` lists what there is.
#
#   CC=clang      another compiler           BUILD=dir     another build directory
#   PREFIX=/usr DESTDIR=dir                  for `make install`
#   JOBS=n        compile n files at once    TESTS=...     `make check` of these alone
#   FUZZ_SECONDS=n                           for `make fuzz`, each target

ifeq ($(origin CC),default)
CC := cc
endif
export CC
BUILD ?= build
PREFIX ?= /usr/local
DESTDIR ?=
FUZZ_SECONDS ?= 60
TESTS ?=

NINJA := ninja $(if $(JOBS),-j$(JOBS))
# Under CI a warning is an error; elsewhere a newer compiler must not break the build.
OPTIONS := -Dwerror=$(if $(CI),true,false)
# Out of a shell so that a relative one is taken from here, not from the build directory.
DEST := $(if $(DESTDIR),$(abspath $(DESTDIR)))

.PHONY: all configure help demo check check-fast check-vm stress negative bench asan fuzz format
.PHONY: install clean distclean

all: configure
	@$(NINJA) -C $(BUILD)

configure:
	@tools/configure $(BUILD) $(OPTIONS)

help:
	@echo 'make             build; ./$(BUILD)/dtrace runs from the tree'
	@echo 'make demo        as root: install what is missing, build, count system calls for 3 s'
	@echo 'make check       as root: install what is missing, build, run every test'
	@echo 'make check-fast  no root, seconds: unit tests, test/lang, test/codegen'
	@echo 'make check-vm    the live tests on other kernels, in QEMU'
	@echo 'make stress      long runs under load, 8 minutes'
	@echo 'make negative    a build whose consumer does not wait must be found wrong, 20 runs of 20'
	@echo 'make asan        every test under AddressSanitizer and UBSan'
	@echo 'make fuzz        libFuzzer and made-up programs, FUZZ_SECONDS=60 for each'
	@echo 'make bench       what tracing costs'
	@echo 'make install     PREFIX=/usr/local DESTDIR='
	@echo 'make format      clang-format over our sources'

demo:
	@tools/install-deps build
	@$(MAKE) --no-print-directory all
	./$(BUILD)/dtrace -n 'syscall:::entry { @[execname] = count(); }' -n 'tick-3s { exit(0); }'

check:
	@tools/install-deps build test
	@$(MAKE) --no-print-directory all
	@test/run.py --build $(BUILD) $(TESTS)

check-fast: all
	@test/run.py --build $(BUILD) --fast $(TESTS)

asan:
	@tools/install-deps build test
	@tools/configure build-asan $(OPTIONS) -Db_sanitize=address,undefined -Db_lundef=false
	@$(NINJA) -C build-asan
	@test/run.py --build build-asan --timeout-scale 5 $(TESTS)

fuzz:
	@tools/install-deps build fuzz
	@CC=clang tools/configure build-fuzz -Dfuzz=true -Db_sanitize=address,undefined \
		-Db_lundef=false -Dc_args=-fsanitize=fuzzer-no-link
	@tools/fuzz build-fuzz $(FUZZ_SECONDS)

bench:
	@$(call need,bench/run)
	@tools/install-deps build test bench
	@$(MAKE) --no-print-directory all
	@BUILD=$(abspath $(BUILD)) bench/run

check-vm:
	@$(call need,test/vm/run)
	@tools/install-deps build test vm
	@$(MAKE) --no-print-directory all
	@BUILD=$(abspath $(BUILD)) test/vm/run

stress:
	@$(call need,test/stress/run)
	@tools/install-deps build test
	@$(MAKE) --no-print-directory all
	@BUILD=$(abspath $(BUILD)) test/stress/run

# A build that is broken on purpose must be caught in every run.
negative:
	@tools/install-deps build test
	@tools/configure build-negative $(OPTIONS) -Dnegative=true
	@$(NINJA) -C build-negative
	@NEGATIVE=1 BUILD=$(abspath build-negative) test/stress/exact
	@NEGATIVE=1 BUILD=$(abspath build-negative) test/stress/run 10

need = test -x $(1) || { echo '$@: there is no $(1) yet'; exit 2; }

install: configure
	@meson configure $(BUILD) -Dprefix=$(PREFIX)
	@$(NINJA) -C $(BUILD)
	@meson install -C $(BUILD) --no-rebuild $(if $(DEST),--destdir $(DEST))

format:
	@tools/install-deps format
	@for d in src cmd include runtime test bench; do tools/list-sources $$d c h; done | \
		xargs -r clang-format -i

clean:
	@test ! -f $(BUILD)/build.ninja || $(NINJA) -C $(BUILD) clean

distclean:
	rm -rf build build-asan build-fuzz build-negative
