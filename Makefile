# make demo    install what is missing, build, compile assets/, spawn a level
# make test    install what is missing, build, run every test
# make         entc, libent, entrun into build/<config>/
# make check   layering, headers, names, warnings, format
# make bench test-corpus test-editors test-s390x sweep fuzz golden format install clean
#
# config=release (the default), debug, sanitize.

config ?= release
BUILD  ?= build/$(config)
PREFIX ?= /usr/local
OUT    ?= out

CC      ?= cc
CFLAGS_release  := -O3 -g -DNDEBUG
CFLAGS_debug    := -O0 -g
CFLAGS_sanitize := -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
LDFLAGS_sanitize := -fsanitize=address,undefined
WARNINGS := -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wmissing-prototypes
# Floats are the same everywhere: no contraction. Records are read in place: no strict aliasing.
ALL_CFLAGS = -std=c11 -D_POSIX_C_SOURCE=200809L -fno-strict-aliasing -ffp-contract=off -fvisibility=hidden \
             -fPIC $(WARNINGS) $(CFLAGS_$(config)) $(CFLAGS)

# What a folder may include IS the architecture: nobody sees a folder that is not on its line.
INCLUDE_formats/base := -Iformats/base
INCLUDE_formats      := -Iformats -Iformats/base
INCLUDE_compiler     := $(INCLUDE_formats) -Icompiler
INCLUDE_runtime      := $(INCLUDE_formats) -Iruntime
INCLUDE_runtime/gpu  := $(INCLUDE_runtime) -Iruntime/gpu -Ishaders
INCLUDE_runtime/app  := $(INCLUDE_runtime/gpu) -Iruntime/app
INCLUDE_tests        := $(INCLUDE_runtime/app) -Icompiler -Itests

objects = $(patsubst %.c,$(BUILD)/%.o,$(wildcard $(1)/*.c))
FORMATS  := $(call objects,formats/base) $(call objects,formats)
COMPILER := $(call objects,compiler)
RUNTIME  := $(call objects,runtime)
APP      := $(call objects,runtime/app)
TESTS    := $(patsubst %.c,$(BUILD)/%.o,$(filter-out $(wildcard tests/tool_*.c tests/bench_*.c tests/fuzz_*.c),$(wildcard tests/*.c)))
LIBS_entc := -lcjson -lmeshoptimizer -lm
PUBLIC   := formats/base/shared.h formats/base/status.h $(filter-out formats/fields.h formats/sections.h,$(wildcard formats/*.h)) \
            $(filter-out %_internal.h,$(wildcard runtime/*.h))

.PHONY: all demo test test-corpus test-editors test-s390x sweep fuzz check bench golden format install clean deps-%
all: $(BUILD)/entc $(BUILD)/entrun $(BUILD)/libent.a $(BUILD)/libent.so

$(BUILD)/%.o: %.c Makefile
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) $(INCLUDE_$(patsubst %/,%,$(dir $<))) -MMD -MP -c $< -o $@

# The starting project of `entc init`: every file of compiler/start/ as a row START_FILE(path, text).
START := $(shell find compiler/start -type f | LC_ALL=C sort)
$(BUILD)/compiler/start_files.h: $(START) Makefile
	@mkdir -p $(@D)
	@for file in $(START); do echo "START_FILE(\"$${file#compiler/start/}\","; \
	    sed 's/[\\"]/\\&/g; s/.*/    "&\\n"/' $$file; echo ')'; done > $@
$(BUILD)/compiler/init.o: $(BUILD)/compiler/start_files.h
$(BUILD)/compiler/init.o: ALL_CFLAGS += -I$(BUILD)/compiler

$(BUILD)/entc: $(COMPILER) $(FORMATS)
	$(CC) $(LDFLAGS_$(config)) $(LDFLAGS) $^ -o $@ $(LIBS_entc) -pthread

# One object in which only ent_ symbols are left to be seen.
$(BUILD)/libent.o: $(RUNTIME) $(FORMATS)
	$(LD) -r $^ -o $@.all.o
	$(OBJCOPY) --localize-hidden $@.all.o $@
	@rm -f $@.all.o
$(BUILD)/libent.a: $(BUILD)/libent.o
	@rm -f $@
	$(AR) rcs $@ $<
$(BUILD)/libent.so: $(RUNTIME) $(FORMATS)
	$(CC) $(LDFLAGS_$(config)) $(LDFLAGS) -shared -Wl,-soname,libent.so.0 $^ -o $@ -lm -pthread
$(BUILD)/entrun: $(APP) $(BUILD)/libent.a $(BUILD)/formats/base/file.o
	$(CC) $(LDFLAGS_$(config)) $(LDFLAGS) $^ -o $@ -lm -pthread
OBJCOPY ?= objcopy

deps-%:
	@.ci/install $*

demo: deps-build
	@$(MAKE) --no-print-directory all
	$(BUILD)/entc build assets -o $(OUT) -v
	$(BUILD)/entc info $(OUT)
	$(BUILD)/entrun $(OUT) --level levels/town --stats

include tests/tests.mk

clean:
	rm -rf build out

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
