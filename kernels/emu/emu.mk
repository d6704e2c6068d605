# pattn-emu.so: the SIMT emulator and every kernel instance of $(BUILD)/emu/instances, one a line:
# name, entry, defines. Called by the Makefile, which knows the instances only once the tool's
# library is built.
EMU       := $(BUILD)/emu
INSTANCES := $(shell cut -d' ' -f1 $(EMU)/instances)
RUNTIME   := $(patsubst kernels/emu/simt/%.c,$(EMU)/simt/%.o,$(wildcard kernels/emu/simt/*.c))

CPPFLAGS  := -I. -D_GNU_SOURCE -MMD -MP
WARN      := -Wall -Wextra -Werror -Wno-unknown-pragmas -Wno-unused-function
CXXFLAGS  := -std=c++17 -O2 -g -fPIC -fno-omit-frame-pointer -DPATTN_EMU $(WARN) \
             $(if $(MUTANT),-DMUTANT_$(MUTANT)) $(if $(SANITIZE),-fsanitize=$(SANITIZE))

# The runtime switches stacks: it hands sanitizers what they must know and is not watched itself.
CFLAGS    := -std=gnu11 -O2 -g -fPIC -fno-omit-frame-pointer $(WARN) -pthread

say        = $(if $(V),,@echo '  $@';)
row        = $(shell grep '^$(1) ' $(EMU)/instances | cut -d' ' -f$(2))

$(BUILD)/pattn-emu.so: $(RUNTIME) $(INSTANCES:%=$(EMU)/%.o)
	$(say)$(CXX) -shared $(if $(SANITIZE),-fsanitize=$(SANITIZE)) -pthread $^ -lm -o $@

$(EMU)/simt/%.o: kernels/emu/simt/%.c kernels/emu/emu.mk
	@mkdir -p $(@D)
	$(say)$(CC) $(CPPFLAGS) $(CFLAGS) -c $< -o $@

.SECONDEXPANSION:
$(INSTANCES:%=$(EMU)/%.o): $(EMU)/%.o: kernels/cuda/$$(call row,$$*,2).cu kernels/emu/emu.mk
	$(say)$(CXX) $(CPPFLAGS) $(CXXFLAGS) -DINSTANCE=$* $(call row,$*,3-) -x c++ -c $< -o $@

-include $(wildcard $(EMU)/*.d $(EMU)/simt/*.d)
