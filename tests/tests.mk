# tests.mk - the targets that test, measure and check.

LIBS_tests := -lcmocka -lpng $(LIBS_entc) $(LIBS_gpu)
LIBRARY := $(filter-out %/entc.o,$(COMPILER)) $(RUNTIME) $(FORMATS) $(PLATFORM) $(BASE)
SUPPORT := $(filter-out $(BUILD)/tests/support/tool_%,$(call objects,tests/support tests/fuzz))
UNIT_OBJECTS := $(call objects,$(UNITS))
GPU_OBJECTS := $(GPU) $(COMPARE) $(filter-out %/entrun.o,$(call objects,runtime/app))
# Units that need no device may be tested alone, which takes less time to compile: plain=1.
TEST_OBJECTS := $(UNIT_OBJECTS) $(if $(plain),$(filter-out %_gpu_support.o,$(SUPPORT)),$(SUPPORT) $(GPU_OBJECTS)) $(LIBRARY)

# The suites of tests/unit, found by the line with which each begins.
$(BUILD)/tests/support/suites_found.h: $(wildcard $(UNITS:%=%/*.c)) $(UNITS)
	@mkdir -p $(@D)
	@sed -n 's/^TEST_SUITE(\([a-z0-9_]*\)) {$$/SUITE(\1)/p' $(sort $(wildcard $(UNITS:%=%/*.c))) > $@
$(BUILD)/tests/support/test_main.o: $(BUILD)/tests/support/suites_found.h

$(BUILD)/tests/run: $(TEST_OBJECTS)
	$(CC) $(LDFLAGS_$(config)) $(LDFLAGS) $^ -o $@ $(LIBS_tests) -pthread

# The same compiler with ids of 8 bits: collisions that do not occur in a real build.
$(BUILD)/id8/entc: $(wildcard formats/*.[ch] formats/*/*.[ch] compiler/*/*.[ch])
	@$(MAKE) --no-print-directory BUILD=$(BUILD)/id8 CFLAGS="$(CFLAGS) -DENT_ID_BITS=8" $@

# Plugins as users write them: with only the public headers.
PLUGINS := $(patsubst %.c,$(BUILD)/%.so,$(wildcard tests/plugins/plugin_*.c)) $(BUILD)/tests/plugins/plugin_wind_duplicate.so
HOST_CFLAGS = $(filter-out -DENT_BUILD,$(ALL_CFLAGS)) -I$(BUILD)/include
$(BUILD)/tests/plugins/plugin_%.o: tests/plugins/plugin_%.c $(INSTALLED_HEADERS) $(BUILD)/tests/plugins/flags
	@mkdir -p $(@D)
	$(CC) $(HOST_CFLAGS) -c $< -o $@
$(BUILD)/tests/plugins/plugin_wind_duplicate.o: tests/plugins/plugin_wind.c $(INSTALLED_HEADERS) $(BUILD)/tests/plugins/flags
	@mkdir -p $(@D)
	$(CC) $(HOST_CFLAGS) -DWIND_SCALE=2 -c $< -o $@
$(BUILD)/tests/plugins/plugin_%.so: $(BUILD)/tests/plugins/plugin_%.o
	$(CC) $(LDFLAGS) -shared $< -o $@ -lm

# Hosts as users write them: with the public headers and the installed library.
EXAMPLES := $(patsubst runtime/app/%.c,$(BUILD)/%,$(wildcard runtime/app/examples/*.c))
$(BUILD)/runtime/app/examples/%.o: runtime/app/examples/%.c $(INSTALLED_HEADERS) $(BUILD)/runtime/app/examples/flags
	@mkdir -p $(@D)
	$(CC) $(HOST_CFLAGS) -c $< -o $@
$(BUILD)/examples/%: $(BUILD)/runtime/app/examples/%.o $(BUILD)/libent.a
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS_$(config)) $(LDFLAGS) $^ -o $@ $(LIBS_libent)
# The one with a component that the assets declare: its header is written as a user would do it.
OWN_MANAGER := runtime/app/examples/own_manager
$(BUILD)/runtime/app/examples/components.h: $(BUILD)/entc $(wildcard assets/gameplay/*.component.json)
	@mkdir -p $(@D)
	$(BUILD)/entc codegen assets -o $@
$(BUILD)/$(OWN_MANAGER).o: $(BUILD)/runtime/app/examples/components.h
$(BUILD)/$(OWN_MANAGER).o: HOST_CFLAGS += -I$(BUILD)/$(dir $(OWN_MANAGER))
# The one with a device of its own.
HOST_DEVICE := runtime/app/examples/host_device
$(BUILD)/$(HOST_DEVICE).comp.h: $(HOST_DEVICE).comp
	@mkdir -p $(@D)
	glslc --target-env=vulkan1.2 -Werror -mfmt=num $< -o $@
$(BUILD)/$(HOST_DEVICE).o: $(BUILD)/$(HOST_DEVICE).comp.h
$(BUILD)/$(HOST_DEVICE).o: HOST_CFLAGS += -I$(BUILD)/$(dir $(HOST_DEVICE))
$(BUILD)/examples/host_device: $(BUILD)/$(HOST_DEVICE).o $(BUILD)/libent_gpu.a $(BUILD)/libent.a
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS_$(config)) $(LDFLAGS) $^ -o $@ $(LIBS_gpu) $(LIBS_libent) -lvulkan

$(BUILD)/tool_%: $(BUILD)/tests/support/tool_%.o $(LIBRARY)
	$(CC) $(LDFLAGS_$(config)) $(LDFLAGS) $^ -o $@ $(LIBS_entc) -pthread
$(BUILD)/bench_%: $(BUILD)/tests/bench/bench_%.o $(BUILD)/libent.a $(BUILD)/platform.a
	$(CC) $(LDFLAGS_$(config)) $(LDFLAGS) $^ -o $@ $(LIBS_bench) $(LIBS_libent) -pthread
$(BUILD)/bench_texture: LIBS_bench := -lspng
# It draws.
$(BUILD)/tool_skin: $(GPU)
$(BUILD)/tool_skin: LIBS_entc += $(LIBS_gpu)

BENCH_GPU := $(patsubst %.c,$(BUILD)/%.o,$(wildcard tests/bench/bench_gpu*.c))
$(BENCH_GPU) $(BUILD)/tests/unit/device/test_gpu.o $(BUILD)/tests/unit/shapes/capsules.o: | $(SHADER_TEXTS)
$(BUILD)/bench_gpu: $(BENCH_GPU) $(GPU) $(COMPARE) $(BUILD)/libent.a $(BUILD)/platform.a
	$(CC) $(LDFLAGS_$(config)) $(LDFLAGS) $^ -o $@ $(LIBS_gpu) $(LIBS_libent)

# The suites of the modules that use a device, and of the pictures of entrun.
GPU_SUITES = frames $(shell sed -n 's/^TEST_SUITE(\([a-z0-9_]*\)) {$$/\1/p' \
    $(sort $(foreach module,$(notdir $(filter runtime/gpu/%,$(MODULES))),$(wildcard tests/unit/$(module)*/*.c))))

# All tests and benchmarks of the GPU systems: make bench-gpu device=NAME.
bench-gpu: deps-test
	@$(MAKE) --no-print-directory all $(BUILD)/tests/run $(BUILD)/tool_probe $(BUILD)/tool_skin $(BUILD)/bench_gpu
	for suite in $(GPU_SUITES); do REQUIRE_GPU=1 ENT_TEST_DEVICE="$(device)" $(BUILD)/tests/run $$suite || exit 1; done
	python3 tests/support/make_characters.py $(BUILD)/bench_meshes/src
	python3 tests/support/make_lods.py $(BUILD)/bench_meshes/src
	python3 tests/support/make_pools.py $(BUILD)/bench_meshes/src
	$(BUILD)/entc build $(BUILD)/bench_meshes/src -o $(BUILD)/bench_meshes/out -q
	python3 tests/support/make_loading.py $(BUILD)/bench_meshes/loading 60 500 24
	$(BUILD)/entc build $(BUILD)/bench_meshes/loading -o $(BUILD)/bench_meshes/loaded -q
	$(BUILD)/entc pack $(BUILD)/bench_meshes/loaded -o $(BUILD)/bench_meshes/loading.pak
	for edit in before= material=pane_green=1 texture=wall_shade=90; do \
	    python3 tests/support/make_room.py $(BUILD)/bench_reload/src wall_side=2048 $${edit#*=} && \
	    $(BUILD)/entc build $(BUILD)/bench_reload/src -o $(BUILD)/bench_reload/$${edit%%=*} -q || exit 1; done
	mkdir -p $(BUILD)/bench_reload/live
	python3 tests/support/make_machines.py $(BUILD)/bench_machines/src
	$(BUILD)/entc build $(BUILD)/bench_machines/src -o $(BUILD)/bench_machines/out -q
	BENCH_MACHINES=$(BUILD)/bench_machines/out BENCH_RELOAD=$(BUILD)/bench_reload BENCH_LOADING=$(BUILD)/bench_meshes/loading.pak BENCH_MESHES=$(BUILD)/bench_meshes/out python3 tests/bench/bench.py $(BUILD) gpu "$(device)"

# Preloaded into programs: fault_shim.so makes their calls fail, case_shim.so ignores the case of names of files.
$(BUILD)/%_shim.so: tests/faults/%_shim.c $(BUILD)/tests/faults/flags
	@mkdir -p $(@D)
	$(CC) -std=c11 -O2 -g -fPIC $(WARNINGS) -shared $< -o $@ -ldl

# Each suite in a separate process, as many at once as there are processors, at most four (jobs=N), and as make -jN
# permits. A test may take 300 s, 1200 s under sanitizers (TEST_SECONDS). filter=TEXT: the suites, or else the tests, whose
# names contain it.
# Make runs lines with + also with -n.
DRY  = $(findstring n,$(filter-out --%,$(firstword $(MAKEFLAGS))))
jobs ?= $(shell n=$$(nproc); echo $$((n < 4 ? n : 4)))
test: deps-test
	@$(MAKE) --no-print-directory test-built
	+$(if $(DRY),@echo) env TEST_LEAKLESS="$(LEAKLESS_SUITES)" $(BUILD)/tests/run -j $(jobs) $(if $(filter-out sanitize,$(config)),,-x "$(TOOL_SUITES) $(if $(complete),,$(SCENE_SUITES))") $(filter)
# Not run under sanitizers: they test scripts and installed files, or run commands of pages that other suites run too.
TOOL_SUITES := figures fresh_root header_examples hosts install modules mutate pages seeds tally
# Run under sanitizers with complete=1 only: scenes that vary those of other suites of the same systems, which take minutes there.
SCENE_SUITES := meshes_counts meshes_town room_reload scroll shapes_light water_light water_meets
# Their programs do not look for leaks, under sanitizers: see test_suites.c.
LEAKLESS_SUITES := bundle dump evolution git lods move names overrides patch recipes stored_links stored_random \
                   stored_rows watch
# What a developer runs often: the suites that need neither a GPU nor more than a few seconds, without git and npm. Less
# than a minute on two cores, after a build.
SLOW_SUITES := blob bundle docs dump evolution faults features git image_memory install limits lods modules move mutate \
               overrides pages patch recipes schema skinning slices spawn stored_links watch
test-quick:
	@$(MAKE) --no-print-directory test-built
	+$(if $(DRY),@echo) env TEST_WITHOUT="gpu git npm" $(BUILD)/tests/run -j $(jobs) -x "$(SLOW_SUITES) $(GPU_SUITES)" $(filter)
# Everything that tests use.
.PHONY: test-built
test-built: all $(BUILD)/tests/run $(BUILD)/id8/entc $(BUILD)/tool_probe $(BUILD)/tool_skin $(BUILD)/tool_host \
    $(BUILD)/fault_shim.so $(BUILD)/case_shim.so \
    $(PLUGINS) $(EXAMPLES)

# The long forms of all sweeps, a table, and tests/long.csv: make test-long only=NAME quick=1. Many hours.
test-long: deps-test
	python3 tests/sweeps/long.py $(only:%=--only %) $(if $(quick),--quick)

# All tests under nohup, without stdin, as another user, without HOME, and with umask 077.
test-environments: deps-test
	tests/sweeps/environments.sh $(filter)

# The long form of the sweeps with damaged input, under sanitizers: every value of every byte. About ten minutes.
sweep: deps-test
	@$(MAKE) --no-print-directory config=sanitize all build/sanitize/tests/run
	TEST_FULL=1 TEST_SECONDS=7200 build/sanitize/tests/run blob

# Every disturbance of a build, at every point, and of every command: about twenty minutes.
# make faults parts=builds|commands: one of the two.
faults: deps-faults
	@$(MAKE) --no-print-directory all $(BUILD)/tool_host $(BUILD)/fault_shim.so $(BUILD)/case_shim.so
	@$(MAKE) --no-print-directory config=sanitize build/sanitize/tool_host
	tests/faults/faults.sh $(BUILD) $(parts)

# Each condition of each reader of untrusted bytes, negated and removed in turn: a suite must fail.
# The same for a sample of single operators anywhere: make mutate-operators sample=60 seed=1; since=2026-11-22: in lines that
# were changed since that date; resume=1: continues an interrupted run.
.PHONY: mutate mutate-operators
mutate: deps-test
	@$(MAKE) --no-print-directory all $(BUILD)/tests/run
	python3 tests/sweeps/mutate.py $(BUILD) -j2 $(if $(resume),--resume)
sample ?= 60
mutate-operators: deps-test
	@$(MAKE) --no-print-directory test-built
	python3 tests/sweeps/mutate.py $(BUILD) --operators --sample $(sample) --seed $(seed) $(since:%=--since %) $(if $(resume),--resume)

# Worlds under every operation of a host: make simulate seed=N steps=N. A failed game prints the seed
# with which it can be repeated alone; config=sanitize works as for other targets.
seed  ?= $(shell date +%s)
steps ?= 1000000
simulate: deps-test
	@$(MAKE) --no-print-directory $(BUILD)/tests/run
	TEST_SEED=$(seed) SIMULATE_STEPS=$(steps) TEST_SECONDS=14400 $(BUILD)/tests/run simulate

# Random chains of changes of a declaration: make evolution seed=N chains=N. A failed chain prints its seed.
chains ?= 100000
evolution: deps-test
	@$(MAKE) --no-print-directory $(BUILD)/tests/run
	TEST_SEED=$(seed) EVOLUTION_CHAINS=$(chains) TEST_SECONDS=14400 $(BUILD)/tests/run evolution

# Data races: a compiler under the thread sanitizer, its job system, and worlds with jobs.
.PHONY: tsan-built
TSAN_UNITS := $(addprefix tests/unit/,build pack platform project scene world)
tsan-built:
	@$(MAKE) --no-print-directory CC=clang BUILD=build/tsan config=debug CFLAGS="-O1 -g1 -fsanitize=thread" \
	    LDFLAGS=-fsanitize=thread plain=1 UNITS="$(TSAN_UNITS)" build/tsan/entc build/tsan/tests/run
tsan: deps-tsan
	@$(MAKE) --no-print-directory tsan-built
	TEST_SECONDS=1200 build/tsan/tests/run jobs
	TEST_SECONDS=1200 build/tsan/tests/run threads
	TEST_SECONDS=1200 build/tsan/tests/run library_follow
	TEST_SECONDS=1200 build/tsan/tests/run follow_frames
	TEST_SECONDS=1200 build/tsan/tests/run bundle_has_equal_bytes_by_any_number_of_threads
	TEST_SECONDS=1200 build/tsan/tests/run bytes_do_not_depend_on_memory
	@mkdir -p build/tsan/scratch
	python3 tests/faults/same.py build/tsan build/tsan/scratch/world --complete threads

# A thousand random edits of a watched folder.
test-watch: deps-test
	@$(MAKE) --no-print-directory all $(BUILD)/tests/run
	TEST_FULL=1 TEST_SECONDS=3600 $(BUILD)/tests/run watch

# Coverage-guided: make fuzz target=NAME seconds=60; targets as in tests/fuzz/fuzz.h. It starts with the inputs
# that failed once, tests/fuzz/NAME/, where new ones are added when they are fixed.
target  ?= blob
seconds ?= 60
FUZZ_FLAGS := -DFUZZ -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined
fuzz: deps-fuzz
	@$(MAKE) --no-print-directory all
	@$(MAKE) --no-print-directory CC=clang BUILD=build/fuzz config=debug CFLAGS="-O1 $(FUZZ_FLAGS)" \
	    LDFLAGS="-fsanitize=fuzzer,address,undefined" build/fuzz/fuzz_$(target)
	@mkdir -p build/fuzz/corpus_$(target) build/fuzz/found tests/fuzz/$(target)
	@$(BUILD)/entc build assets -o build/fuzz/seeds
	@mkdir -p build/fuzz/paints && for i in $$(seq 40); do \
	    echo "{ \"roughness\": 0.$$i, \"metallic\": 0.$$i }" >build/fuzz/paints/p$$i.material.json; done
	@$(BUILD)/entc build build/fuzz/paints -o build/fuzz/painted
	@$(BUILD)/entc pack build/fuzz/painted -o build/fuzz/seeds/paints.pak
	@$(BUILD)/entc pack build/fuzz/painted -o build/fuzz/seeds/plain.pak --level 0
	@case $(target) in blob|bundle|index|json|save) \
	    find build/fuzz/seeds assets -type f -size -8k \( -path 'build/*' -o -name '*.json' \) \
	        -exec cp {} build/fuzz/corpus_$(target) \; ;; esac
	folder=$$(mktemp -d) && code=0; \
	FUZZ_FOLDER=$$folder/project FUZZ_SEEDS=build/fuzz/corpus_$(target) ASAN_OPTIONS=allocator_may_return_null=1 \
	    build/fuzz/fuzz_$(target) -max_total_time=$(seconds) -max_len=16384 -timeout=20 -rss_limit_mb=4096 \
	    -close_fd_mask=3 -print_final_stats=1 -artifact_prefix=build/fuzz/found/$(target)_ \
	    build/fuzz/corpus_$(target) tests/fuzz/$(target) || code=$$?; \
	rm -rf "$$folder"; exit $$code

# Every target in turn, each for this number of seconds.
fuzz-all: deps-fuzz
	MAKE=$(MAKE) tests/fuzz/fuzz.sh $(seconds)

$(BUILD)/fuzz_%: $(BUILD)/tests/fuzz/fuzz_%.o $(BUILD)/tests/fuzz/fuzz_folder.o $(LIBRARY)
	$(CC) $(LDFLAGS) $^ -o $@ $(LIBS_entc) -pthread

# What a suite cannot renew is an error.
golden: deps-test
	@$(MAKE) --no-print-directory test-built
	code=0; for suite in cases docs dump commands features; do GOLDEN=1 $(BUILD)/tests/run $$suite || code=1; done; \
	if [ -e .git ]; then git diff --stat; fi; exit $$code

# Parts of pages that are generated: the command reference, the output of commands, the tables of figures.
.PHONY: reference transcripts figures figures-stale
reference transcripts: deps-test
	@$(MAKE) --no-print-directory all $(BUILD)/tests/run $(EXAMPLES)
	for suite in $(if $(filter reference,$@),commands codes,pages); do GOLDEN=1 $(BUILD)/tests/run $$suite || exit 1; done
figures:
	python3 tests/bench/figures.py
# The rows of tests/bench.csv that are older than the sources of what they measure. For a release, strict=1: there must be
# none.
figures-stale:
	@python3 tests/bench/sources.py $(if $(strict),--strict)

# Models, compared with independent readers, and inputs that failed once.
CORPUS ?= ../shared/corpus/gltf
CASES  ?= ../shared/cases
test-corpus: deps-corpus
	@$(MAKE) --no-print-directory all $(BUILD)/tool_probe $(BUILD)/tool_skin $(BUILD)/tool_pose $(BUILD)/tool_tangents
	@if command -v npm >/dev/null; then $(MAKE) --no-print-directory build/corpus/node_modules/.package-lock.json; fi
	NODE_MODULES=build/corpus/node_modules tests/sweeps/corpus.sh $(BUILD) $(CORPUS) tests/golden/corpus.txt $(CASES)

bench: deps-bench
	@$(MAKE) --no-print-directory all $(patsubst tests/bench/%.c,$(BUILD)/%,$(filter-out tests/bench/bench_gpu%,$(wildcard tests/bench/bench_*.c))) $(BUILD)/tool_level $(BUILD)/tool_walk
	python3 tests/bench/bench.py $(BUILD)

# A project of `entc init` in VS Code. Needs npm and its registry.
EDITORS := build/editors
build/%/node_modules/.package-lock.json: tests/%/package.json tests/%/package-lock.json
	@mkdir -p build/$*
	cp $^ build/$*
	cd build/$* && npm ci --no-audit --no-fund --ignore-scripts
	@touch $@
test-editors: deps-build $(EDITORS)/node_modules/.package-lock.json
	@$(MAKE) --no-print-directory all
	@rm -rf $(EDITORS)/project
	$(BUILD)/entc init $(EDITORS)/project -q
	$(BUILD)/entc schema assets -o $(EDITORS)/schema
	node tests/editors/check.js $(EDITORS) $(EDITORS)/project assets $(EDITORS)/schema

test-s390x: deps-s390x
	tests/sweeps/s390x.sh $(BUILD)

check: deps-check
	tests/check.sh

format:
	clang-format -i $$(git ls-files '*.[ch]')
