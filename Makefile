# pattn: build, test, check. `make help` lists the targets.
SHELL     := /bin/bash

CC        ?= gcc
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
SOURCES   += $(foreach dir,gpu cuda emu,$(wildcard kernels/$(dir)/*.c))
GPU_TEXTS := $(sort $(wildcard kernels/gpu/args.h kernels/gpu/shared.h kernels/gpu/device*.h kernels/cuda/*.cu))

OBJECTS   := $(SOURCES:%.c=$(BUILD)/%.o) $(BUILD)/kernels/gpu/texts.o
LIBRARY   := $(BUILD)/libpattn.a
UNITS     := $(patsubst tests/unit/%.c,$(BUILD)/tests/%,$(wildcard tests/unit/test_*.c)) \
             $(patsubst tests/kernels/%.c,$(BUILD)/tests/%,$(wildcard tests/kernels/test_*.c))

.PHONY: all deps run test check unit cli asan ubsan tsan tidy format check-format check-layers \
        aarch64 fuzz check-gpu clean help FORCE

all: pattn pattn-emu.so

help: ## show this list
	@sed -n 's/^\([a-z0-9-]*\):.*## /  \1\t/p' $(MAKEFILE_LIST) | expand -t 16

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
	$(CC) $(CPPFLAGS) $(CFLAGS) -c $< -o $@

# The emulator: every instance of every kernel, compiled as C++ and loaded like a vendor's driver.
$(BUILD)/pattn-emu.so: $(BUILD)/tests/check_gpu FORCE
	@mkdir -p $(BUILD)/emu && $< --list > $(BUILD)/emu/instances
	@$(MAKE) --no-print-directory -f kernels/emu/emu.mk CC='$(CC)' CXX='$(CXX)' BUILD='$(BUILD)' \
		SANITIZE='$(SANITIZE)' MUTANT='$(MUTANT)' $@

check-gpu: $(BUILD)/tests/check_gpu ## compile every GPU kernel with NVRTC; table to docs/gpu-resources.md
	$< docs/gpu-resources.md

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

clean: ## remove what was built
	rm -rf build pattn pattn-emu.so

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
