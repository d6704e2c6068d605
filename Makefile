# pattn: build, test, check. `make help` lists the targets.
SHELL     := /bin/bash

ifeq ($(origin CC),default)
CC        := gcc
endif
ifeq ($(origin CXX),default)
CXX       := g++
endif
BUILD     ?= build/release
OPT       ?= -O3 -g
SANITIZE  ?=
MUTANT    ?=

# One direction of dependencies, lowest layer first; tests/check_layers.sh reads this line.
LAYERS    := base data oracle kernels tune cmd

MACHINE   := $(shell $(CC) -dumpmachine)
COMMIT    := $(shell git describe --always --dirty 2>/dev/null || echo unknown)
VERSION   := 0.1.0

WARN      := -Wall -Wextra -Werror -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla
CPPFLAGS  += -I. -D_GNU_SOURCE -MMD -MP
CFLAGS    += -std=gnu11 $(OPT) $(WARN) -pthread -ffp-contract=off -fno-math-errno
LDLIBS    += -lsqlite3 -lcjson -lm -pthread
ifneq ($(SANITIZE),)
CFLAGS    += -fsanitize=$(SANITIZE) -fno-omit-frame-pointer -fno-sanitize-recover=all
LDFLAGS   += -fsanitize=$(SANITIZE)
endif

# `make V=1` shows whole commands.
say        = $(if $(V),,@echo '  $@';)

SOURCES   := $(foreach dir,base data oracle kernels tune cmd,$(wildcard $(dir)/*.c))

# The CPU backend: one rung of the ladder a file, compiled for its instruction set.
CPU_ISAS  := scalar
ifneq ($(filter x86_64%,$(MACHINE)),)
CPU_ISAS  += avx2 avx512
endif
SOURCES   += $(filter-out kernels/cpu/isa_%,$(wildcard kernels/cpu/*.c)) $(CPU_ISAS:%=kernels/cpu/isa_%.c)
ISA_FLAGS_scalar :=
ISA_FLAGS_avx2   := -mavx2 -mfma -mf16c
ISA_FLAGS_avx512 := -mavx512f -mavx512bw -mavx512dq -mavx512vl -mfma -mf16c -mprefer-vector-width=512

# The GPU backend, its drivers, and the text of what they compile at run time.
SOURCES   += $(foreach dir,gpu cuda hip emu,$(wildcard kernels/$(dir)/*.c))
GPU_TEXTS := $(sort $(wildcard kernels/cuda/*.cu kernels/hip/*.hip $(addprefix kernels/gpu/,args.h shared*.h peak.h device*.h) \
               $(addprefix kernels/emu/simt/,simt.h half.h)))

OBJECTS   := $(SOURCES:%.c=$(BUILD)/%.o) $(BUILD)/kernels/gpu/texts.o
LIBRARY   := $(BUILD)/libpattn.a
UNITS     := $(patsubst tests/unit/%.c,$(BUILD)/tests/%,$(wildcard tests/unit/test_*.c)) \
             $(patsubst tests/kernels/%.c,$(BUILD)/tests/%,$(wildcard tests/kernels/test_*.c))

MUTANTS   := skipped_mask nan_output unwritten far_key crash hang
# What ThreadSanitizer is worth running on: whatever a team of threads works at.
THREADED  := test_base_team test_threads
# What runs kernels on fibers, which clang's ThreadSanitizer follows much faster than gcc's.
FIBERS    := $(patsubst tests/kernels/%.c,%,$(wildcard tests/kernels/test_emu_*.c))
TSAN_EMU  := BUILD=build/tsan-emu CC=clang CXX=clang++ OPT='-O1 -g' SANITIZE=thread \
             $(FIBERS:%=build/tsan-emu/tests/%)

# Packages of Debian 12: to build and run, and to test.
RUN_DEPS  := gcc g++ libc6-dev libsqlite3-dev libcjson-dev
TEST_DEPS := libcmocka-dev clang clang-tidy clang-format libclang-rt-14-dev python3-jsonschema \
             python3-numpy sqlite3 gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user
DEPS      := $(RUN_DEPS) $(if $(filter test,$(MAKECMDGOALS)),$(TEST_DEPS))

.PHONY: all deps run test build-tests unit asan ubsan tsan tidy format check-format \
        check-layers check-warnings check-gpu deps-gpu fuzz man dist clean help FORCE

all: pattn pattn-emu.so

help: ## show this list
	@sed -n 's/^\([a-z0-9 -]*\):.*## /  \1\t/p' $(MAKEFILE_LIST) | expand -t 16

pattn pattn-emu.so: %: $(BUILD)/%
	@cp -f $< $@

$(BUILD)/pattn: $(BUILD)/cmd/main.o $(LIBRARY)
	$(say)$(CC) $(CFLAGS) $(LDFLAGS) $^ $(LDLIBS) -o $@

$(LIBRARY): $(filter-out $(BUILD)/cmd/main.o,$(OBJECTS))
	@rm -f $@
	$(say)ar rcs $@ $^

$(BUILD)/%.o: %.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(say)$(CC) $(CPPFLAGS) $(CFLAGS) -c $< -o $@

# Kernels fuse multiply and add; what the oracle computes must not be.
$(CPU_ISAS:%=$(BUILD)/kernels/cpu/isa_%.o): $(BUILD)/kernels/cpu/isa_%.o: kernels/cpu/isa_%.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(say)$(CC) $(CPPFLAGS) $(if $(MUTANT),-DMUTANT=mutant_$(MUTANT)) $(CFLAGS) -ffp-contract=fast $(ISA_FLAGS_$*) -c $< -o $@

# Each text a row of a table, as a C string.
$(BUILD)/kernels/gpu/texts.c: $(GPU_TEXTS) $(BUILD)/texts
	@mkdir -p $(@D)
	@{ echo '#include "kernels/gpu/sources.h"'; \
	echo 'const struct gpu_text gpu_texts[] = {'; \
	for text in $(GPU_TEXTS); do \
		echo "{\"$$text\","; sed 's/[\\"]/\\&/g; s/.*/"&\\n"/' $$text; echo '},'; \
	done; \
	echo '};'; \
	echo 'const int gpu_text_count = sizeof gpu_texts / sizeof *gpu_texts;'; } > $@

$(BUILD)/kernels/gpu/texts.o: $(BUILD)/kernels/gpu/texts.c
	$(say)$(CC) $(CPPFLAGS) $(CFLAGS) -c $< -o $@

# The emulator: every instance of every kernel, compiled as C++ and loaded like a vendor's driver.
$(BUILD)/pattn-emu.so: $(BUILD)/tests/check_gpu FORCE
	@mkdir -p $(BUILD)/emu && $< --list > $(BUILD)/emu/instances
	@$(MAKE) --no-print-directory -f kernels/emu/emu.mk CC='$(CC)' CXX='$(CXX)' BUILD='$(BUILD)' \
		SANITIZE='$(SANITIZE)' MUTANT='$(MUTANT)' $@

check-gpu: $(BUILD)/tests/check_gpu ## compile every GPU kernel with NVRTC and clang; tables to docs/
	$< docs/gpu-resources.md
	ROOT=$(CURDIR) CHECK_GPU=$< bash tests/checks/hip.sh docs/gpu-resources-hip.md || [ $$? = 77 ]

# The newest clang that Debian has for AMD's GPUs.
deps-gpu: ## install the compilers that check-gpu needs for the HIP kernels
	@sudo=$$([ $$(id -u) = 0 ] || echo sudo); $$sudo apt-get update -q; \
	for version in 22 19 16 15; do \
	    apt-cache show clang-$$version lld-$$version llvm-$$version >/dev/null 2>&1 || continue; \
	    DEBIAN_FRONTEND=noninteractive $$sudo apt-get install -qy --no-install-recommends \
	        clang-$$version lld-$$version llvm-$$version libamdhip64-5 && exit; \
	done; echo "no clang for AMD's GPUs among the packages"; exit 1

# The hash of the kernels' source and flags is part of every stored trial.
ISA_FLAGS := $(foreach isa,$(CPU_ISAS),$(ISA_FLAGS_$(isa)))
CPU_CODE  := $(shell (cat $(sort $(wildcard kernels/cpu/*.[ch])); \
               echo '$(OPT) $(SANITIZE) $(MUTANT) $(ISA_FLAGS)') | sha256sum | cut -c1-16)
COMPILER  := $(shell $(CC) --version | head -n 1)
$(BUILD)/kernels/cpu/device.o: CPPFLAGS += -DCPU_CODE='"$(CPU_CODE)"' -DCPU_COMPILER='"$(COMPILER)"'
$(BUILD)/kernels/cpu/device.o: $(BUILD)/code
$(BUILD)/cmd/version.o: CPPFLAGS += -DPATTN_VERSION='"$(VERSION)"' -DPATTN_COMMIT='"$(COMMIT)"'
$(BUILD)/cmd/version.o: $(BUILD)/version

# Files that change only when what they name does, so that a new flag or commit rebuilds.
stamp = @mkdir -p $(@D); echo '$(1)' | cmp -s - $@ || echo '$(1)' > $@
$(BUILD)/flags: FORCE
	$(call stamp,$(CC) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) $(MUTANT))
$(BUILD)/code: FORCE
	$(call stamp,$(CPU_CODE))
$(BUILD)/texts: FORCE
	$(call stamp,$(GPU_TEXTS))
$(BUILD)/version: FORCE
	$(call stamp,$(VERSION) $(COMMIT))

$(BUILD)/tests/%: tests/unit/%.c $(LIBRARY)
	@mkdir -p $(@D)
	$(say)$(CC) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) $< $(LIBRARY) -lcmocka $(LDLIBS) -o $@
$(BUILD)/tests/%: tests/kernels/%.c $(LIBRARY)
	@mkdir -p $(@D)
	$(say)$(CC) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) $< $(LIBRARY) -lcmocka $(LDLIBS) -o $@

$(BUILD)/tests/test_gpu_emu: $(BUILD)/pattn-emu.so

# These drive the machine itself too, and it must be the one the backend runs.
$(BUILD)/tests/test_emu_%: tests/kernels/test_emu_%.c $(LIBRARY) $(BUILD)/pattn-emu.so
	@mkdir -p $(@D)
	$(say)$(CC) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) $< $(LIBRARY) $(BUILD)/pattn-emu.so \
	    -Wl,-rpath,'$$ORIGIN/..' -lcmocka $(LDLIBS) -o $@

# A stand-in for NVIDIA's driver, which the test loads before the tool asks for the real one.
$(BUILD)/tests/test_cuda_driver: $(BUILD)/tests/libcuda_stub.so
$(BUILD)/tests/libcuda_stub.so: tests/kernels/libcuda_stub.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(say)$(CC) $(CPPFLAGS) $(filter-out -Wmissing-prototypes,$(CFLAGS)) $(LDFLAGS) -fPIC -shared \
	    -Wl,-soname,libcuda.so.1 $< -o $@

# And for AMD's runtime and its compiler.
$(BUILD)/tests/test_hip_driver: $(BUILD)/tests/libamdhip64_stub.so $(BUILD)/tests/libhiprtc_stub.so
$(BUILD)/tests/libamdhip64_stub.so $(BUILD)/tests/libhiprtc_stub.so: $(BUILD)/tests/lib%_stub.so: \
    tests/kernels/libamdhip64_stub.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(say)$(CC) $(CPPFLAGS) $(filter-out -Wmissing-prototypes,$(CFLAGS)) $(LDFLAGS) -fPIC -shared \
	    $(if $(filter hiprtc,$*),-DHIPRTC) -Wl,-soname,lib$*.so.7 $< -o $@

$(BUILD)/tests/cross_verify: tests/kernels/cross_verify.c \
    $(filter $(BUILD)/base/%.o $(BUILD)/data/%.o $(BUILD)/oracle/%.o $(BUILD)/kernels/%.o,$(filter-out %_json.o,$(OBJECTS))) \
    $(addprefix $(BUILD)/tune/,contest.o decide.o gate.o handover.o measure.o rates.o search.o stats.o \
        trial.o)
	@mkdir -p $(@D)
	$(say)$(CC) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) $^ -lm -pthread -o $@

# The release with one kernel fault planted: the mutated rungs come before the library's own.
$(BUILD)/mutants/%/pattn: $(BUILD)/cmd/main.o $(LIBRARY)
	@mkdir -p $(@D)
	$(say)set -e; $(foreach isa,$(CPU_ISAS),$(CC) $(CPPFLAGS) -DMUTANT=mutant_$* $(CFLAGS) -O1 \
	    -ffp-contract=fast $(ISA_FLAGS_$(isa)) -c kernels/cpu/isa_$(isa).c -o $(@D)/$(isa).o;) \
	$(CC) $(CFLAGS) $(LDFLAGS) $< $(CPU_ISAS:%=$(@D)/%.o) $(LIBRARY) $(LDLIBS) -o $@

deps: ## install the packages of Debian 12 that are missing (for `test` too when it is a goal)
	@missing=$$(for package in $(DEPS); do \
	    dpkg -s $$package >/dev/null 2>&1 || echo $$package; done); \
	if [ -n "$$missing" ]; then \
	    sudo=$$([ $$(id -u) = 0 ] || echo sudo); \
	    $$sudo apt-get update -q && \
	    DEBIAN_FRONTEND=noninteractive $$sudo apt-get install -qy --no-install-recommends $$missing; \
	fi

# Sub-makes, so that what `deps` has just installed is seen, on every processor.
EACH      := --no-print-directory -j$(shell nproc)
ONCE_DEPS := $(filter deps,$(MAKECMDGOALS))

run: | $(ONCE_DEPS) ## build and time every schedule on this CPU, keeping the trials in tuning.db
	@$(MAKE) $(EACH) pattn
	./pattn bench --db tuning.db

test: | $(ONCE_DEPS) ## build and run every test, with sanitizers and static analysis
	@$(MAKE) $(EACH) pattn build-tests $(MUTANTS:%=build/release/mutants/%/pattn)
	@$(MAKE) $(EACH) BUILD=build/asan OPT='-O1 -g' SANITIZE=address,undefined build-tests
	@$(MAKE) $(EACH) BUILD=build/tsan OPT='-O1 -g' SANITIZE=thread $(THREADED:%=build/tsan/tests/%)
	@$(MAKE) $(EACH) $(TSAN_EMU)
	@tests/run.sh

build-tests: $(UNITS)

unit: build-tests ## build and run the unit tests alone
	@tests/run.sh 'release/*'

asan ubsan: ## the unit and kernel tests under AddressSanitizer and UndefinedBehaviorSanitizer
	@$(MAKE) $(EACH) BUILD=build/asan OPT='-O1 -g' SANITIZE=address,undefined build-tests
	@tests/run.sh 'asan/*'

tsan: ## the threaded tests under ThreadSanitizer
	@$(MAKE) $(EACH) BUILD=build/tsan OPT='-O1 -g' SANITIZE=thread $(THREADED:%=build/tsan/tests/%)
	@$(MAKE) $(EACH) $(TSAN_EMU)
	@tests/run.sh 'tsan*'

# The rungs are checked by the compiler alone: the analyser walks their unrolled loops for minutes.
TIDY_FLAGS = $(filter-out -MMD -MP,$(CPPFLAGS)) -std=gnu11 -DCPU_CODE=__FILE__ -DCPU_COMPILER=__FILE__ \
             -DPATTN_VERSION=__FILE__ -DPATTN_COMMIT=__FILE__
tidy: ## static analysis (clang-tidy) of every source
	@printf '%s\n' $(filter-out kernels/cpu/isa_%,$(SOURCES)) | \
	    xargs -P 2 -n 4 sh -c 'clang-tidy --quiet "$$@" -- $(TIDY_FLAGS) 2>/dev/null' tidy

format: ## lay out every C file
	git ls-files '*.[ch]' | xargs clang-format -i

check-format: ## fail when `make format` would change something
	git ls-files '*.[ch]' | xargs clang-format --dry-run --Werror

check-layers: ## fail when a dependency points the wrong way
	@ROOT=$(CURDIR) bash tests/checks/layers.sh

check-warnings: $(OBJECTS)

SECONDS_EACH ?= 30
fuzz: ## fuzz every parser for SECONDS_EACH seconds
	@for harness in $(basename $(notdir $(wildcard tests/fuzz/fuzz_*.c))); do \
	    mkdir -p build/fuzz/$$harness-corpus && \
	    clang $(filter-out -MMD -MP,$(CPPFLAGS)) -std=gnu11 -g -O1 -w -fsanitize=fuzzer,address,undefined \
	        tests/fuzz/$$harness.c $(filter base/% data/% oracle/% tune/%,$(SOURCES)) kernels/schedule.c \
	        -DCPU_CODE='""' -DCPU_COMPILER='""' $(LDLIBS) -o build/fuzz/$$harness && \
	    (cd build/fuzz && ./$$harness -max_total_time=$(SECONDS_EACH) -timeout=5 -close_fd_mask=1 \
	        $$harness-corpus >$$harness.log 2>&1) || { tail -n 40 build/fuzz/$$harness.log; exit 1; }; \
	done

man: $(BUILD)/man ## write docs/pattn.1 from the rows of commands and options
	@$< > docs/pattn.1

$(BUILD)/man: docs/man.c $(BUILD)/flags
	$(say)$(CC) $(CPPFLAGS) -DPATTN_VERSION='"$(VERSION)"' $(CFLAGS) $(LDFLAGS) $< -o $@

# Runs without root and without our packages: what the tool links lies beside it. Debugging symbols
# are left out, since they tell where it was built.
DIST      := pattn-$(VERSION)-linux-$(firstword $(subst -, ,$(MACHINE)))
DIST_TEXT := README.md $(wildcard LICENSE*) $(wildcard data/*.json data/lens/* data/runs/* docs/*.md docs/*.svg docs/pattn.1 peers/*)
DIST_LIBS  = $(foreach lib,libsqlite3.so.0 libcjson.so.1,$(shell $(CC) -print-file-name=$(lib)))
dist: $(BUILD)/dist/pattn $(BUILD)/pattn-emu.so ## a tar in build/dist/ that runs without root and without our packages
	@rm -rf build/dist/$(DIST) && mkdir -p build/dist/$(DIST)
	@cp --parents $(DIST_TEXT) build/dist/$(DIST)
	@cp -L tests/device.sh $^ $(DIST_LIBS) build/dist/$(DIST)
	@cp /usr/share/doc/libcjson1/copyright build/dist/$(DIST)/libcjson.copyright
	@strip -g -R .note.gnu.build-id build/dist/$(DIST)/pattn build/dist/$(DIST)/pattn-emu.so
	@! command -v man >/dev/null || MANWIDTH=80 LC_ALL=C.UTF-8 man -l docs/pattn.1 | col -bx \
	    > build/dist/$(DIST)/docs/pattn.txt
	$(say)tar -C build/dist --sort=name --mtime='@$(shell git log -1 --format=%ct)' --mode=u=rwX,go=rX \
	    --owner=0 --group=0 --numeric-owner -c $(DIST) | gzip -9n > build/dist/$(DIST).tar.gz

$(BUILD)/dist/pattn: $(BUILD)/cmd/main.o $(LIBRARY)
	@mkdir -p $(@D)
	$(say)$(CC) $(CFLAGS) $(LDFLAGS) $^ $(LDLIBS) -Wl,-rpath,'$$ORIGIN' -o $@

clean: ## remove what was built
	rm -rf build pattn pattn-emu.so

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
