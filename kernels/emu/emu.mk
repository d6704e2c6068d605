# pattn-emu.so: the SIMT emulator and every kernel instance of $(BUILD)/emu/instances, one a line:
# name, entry, defines; of CUDA's kernels once, of HIP's once for each generation of matrix units.
# Called by the Makefile, which knows the instances only once the tool's library is built.
EMU       := $(BUILD)/emu
GFX       := 9 11 12
RUNTIME   := $(patsubst kernels/emu/simt/%.c,$(EMU)/simt/%.o,$(wildcard kernels/emu/simt/*.c))

CPPFLAGS  := -I. -D_GNU_SOURCE -MMD -MP
WARN      := -Wall -Wextra -Werror -Wno-unknown-pragmas -Wno-unused-function
CXXFLAGS  := -std=c++17 -O2 -g -fPIC -fno-omit-frame-pointer -DPATTN_EMU $(WARN) \
             $(if $(MUTANT),-DMUTANT_$(MUTANT)) $(if $(SANITIZE),-fsanitize=$(SANITIZE))

# The runtime switches stacks: it hands sanitizers what they must know and is not watched itself.
CFLAGS    := -std=gnu11 -O2 -g -fPIC -fno-omit-frame-pointer $(WARN) -pthread

say        = $(if $(V),,@echo '  $@';)

# What each object is made of: its source, and in ROW what that is compiled with.
RULES     := $(shell awk -v folder='$(EMU)' -v gfx='$(GFX)' ' \
    function rule(name, source, row) { \
        print "OBJECTS += " folder "/" name ".o"; \
        print folder "/" name ".o: " source; \
        print folder "/" name ".o: ROW := -DINSTANCE=" name " " row } \
    { defines = $$0; sub(/[^ ]* [^ ]* /, "", defines); count = split(gfx, generations); \
      rule($$1, "kernels/cuda/" $$2 ".cu", defines); \
      for (i = 1; i <= count; i++) \
          rule("gfx" generations[i] "_" $$1, "kernels/hip/" $$2 ".hip", \
               "-DGFX=" generations[i] " " defines) }' $(EMU)/instances > $(EMU)/rules.mk)
include $(EMU)/rules.mk

$(BUILD)/pattn-emu.so: $(RUNTIME) $(OBJECTS)
	$(say)$(CXX) -shared $(if $(SANITIZE),-fsanitize=$(SANITIZE)) -pthread $^ -lm -o $@

$(EMU)/simt/%.o: kernels/emu/simt/%.c kernels/emu/emu.mk
	@mkdir -p $(@D)
	$(say)$(CC) $(CPPFLAGS) $(CFLAGS) -c $< -o $@

$(OBJECTS): kernels/emu/emu.mk
	$(say)$(CXX) $(CPPFLAGS) $(CXXFLAGS) $(ROW) -x c++ -c $(filter kernels/cuda/%.cu kernels/hip/%.hip,$^) -o $@

-include $(wildcard $(EMU)/*.d $(EMU)/simt/*.d)
