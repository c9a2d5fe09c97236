# make demo    install what is missing, build, compile assets/, spawn a level, draw another
# make test    install what is missing, build, run every test
# make test-quick    build, run the tests that are quick: less than a minute after a build
# make         entc, libent, entrun into build/<config>/
# make check   layering, headers, names, warnings, format
# make bench bench-gpu test-corpus test-editors test-s390x test-watch sweep simulate evolution faults tsan fuzz fuzz-all
#      golden format clean
# make test-long            the long forms of all sweeps; test-environments: the tests under other circumstances
# make reference transcripts figures    the generated parts of the pages; figures-stale: rows older than their sources
# make graph              the modules and what each may use, as a Mermaid diagram
# make install uninstall    into $(DESTDIR)$(PREFIX)
#
# config=release (the default), debug, sanitize.

config ?= release
BUILD  ?= build/$(config)
PREFIX ?= /usr/local
STAGE   = $(DESTDIR)$(PREFIX)
OUT    ?= out

VERSION := $(shell sed -n 's/^.define ENT_VERSION  *"\([0-9.]*\)".*/\1/p' formats/version.h)
# Before 1.0, the second number may change the binary interface too.
SONAME  := libent.so.$(if $(filter 0.%,$(VERSION)),$(basename $(VERSION)),$(firstword $(subst ., ,$(VERSION))))

CC      ?= cc
CFLAGS_release  := -O3 -g -DNDEBUG
CFLAGS_debug    := -O0 -g
CFLAGS_sanitize := -O1 -g1 -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
# A sanitized program starts four times as fast when it is linked statically, at a fixed address; tests start thousands.
# Its plugins and libraries use the sanitizers that it exports.
LDFLAGS_sanitize := -fsanitize=address,undefined -static-libasan -static-libubsan -no-pie \
                    -Wl,--export-dynamic-symbol=__asan_*,--export-dynamic-symbol=__ubsan_*
WARNINGS := -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wmissing-prototypes
# Floats are the same everywhere: no contraction. Records are read in place: no strict aliasing.
# A host does not define ENT_BUILD: it sees no short names and no private members.
BASE_CFLAGS := -std=c11 -D_POSIX_C_SOURCE=200809L -DENT_BUILD -fno-strict-aliasing -ffp-contract=off -fvisibility=hidden \
               -fPIC $(WARNINGS) $(CFLAGS_$(config))
ALL_CFLAGS   = $(BASE_CFLAGS) $(EXCESS) $(CFLAGS)
GLSLC       := glslc --target-env=vulkan1.2 -O -Werror
# By default, gcc for s390x evaluates floats in double precision.
EXCESS := $(if $(filter s390x-%,$(shell $(CC) -dumpmachine)),-fexcess-precision=fast)

# The modules. A module's line says which others it may use: it is their folder's include path, so that
# nothing else can be included, and tests/check.sh compares it with the symbols of the object files.
# What a module sees, it sees with all that those see in turn.
SEES_formats/base       :=
SEES_formats/platform   := formats/base
SEES_formats/components := formats/base
SEES_formats            := formats/components formats/platform
SEES_formats/cli        := formats/platform
SEES_formats/header     := formats

SEES_compiler/text      := formats
SEES_compiler/source    := compiler/text
SEES_compiler/types     := compiler/text
SEES_compiler/image     := compiler/text
SEES_compiler/gltf      := compiler/source compiler/types
SEES_compiler/assets    := compiler/gltf compiler/image
SEES_compiler/output    := compiler/assets
SEES_compiler/flat      := compiler/output
SEES_compiler/map       := compiler/flat
SEES_compiler/emit      := compiler/map
SEES_compiler/model     := compiler/flat
SEES_compiler/plugins   := compiler/flat
SEES_compiler/compile   := compiler/emit compiler/model
SEES_compiler/blobs     := compiler/assets
SEES_compiler/inspect   := compiler/blobs
SEES_compiler/pack      := compiler/blobs formats/cli
SEES_compiler/database  := compiler/plugins
SEES_compiler/graph     := compiler/database compiler/compile formats/cli
SEES_compiler/project   := compiler/plugins formats/cli
SEES_compiler/refactor  := compiler/graph compiler/project
SEES_compiler/author    := compiler/graph compiler/project
SEES_compiler/cmd       := compiler/author compiler/refactor compiler/inspect compiler/pack

SEES_runtime/world      := formats
SEES_runtime/transform  := runtime/world
SEES_runtime/scene      := runtime/transform
SEES_runtime            := runtime/scene

SEES_shaders/device      := formats/components
SEES_shaders/canvas      := shaders/device
SEES_runtime/gpu/device  := runtime/world shaders/device
SEES_runtime/gpu/canvas  := runtime/gpu/device shaders/canvas
SEES_runtime/gpu/systems := runtime/scene runtime/gpu/canvas
SEES_shaders/skinning     := shaders/device
SEES_runtime/gpu/skinning := runtime/scene runtime/gpu/device shaders/skinning
SEES_shaders/lights      := shaders/canvas
SEES_runtime/gpu/lights  := runtime/gpu/systems shaders/lights
SEES_shaders/shadows     := shaders/canvas
SEES_runtime/gpu/shadows := runtime/gpu/systems shaders/shadows
SEES_shaders/normals     := shaders/canvas
SEES_runtime/gpu/normals := runtime/gpu/canvas shaders/normals
SEES_runtime/gpu/frame   := runtime/gpu/systems
SEES_runtime/gpu/textures := runtime/gpu/systems
SEES_shaders/colliders   := shaders/device
SEES_runtime/gpu/colliders := runtime/gpu/systems shaders/colliders
SEES_shaders/lighting    := shaders/canvas shaders/lights shaders/shadows shaders/normals
SEES_runtime/gpu/lighting := runtime/gpu/colliders runtime/gpu/textures runtime/gpu/lights runtime/gpu/shadows runtime/gpu/normals shaders/lighting
# What skeletons and morph targets move is drawn by the system of meshes, and lit by the lights of tiles.
SEES_shaders/meshes      := shaders/skinning shaders/lighting
SEES_runtime/gpu/meshes  := shaders/meshes runtime/gpu/skinning runtime/gpu/lighting
# Algorithms that measurements compare with those of the product; nothing of it is linked to a library or a program.
SEES_shaders/compare     := shaders/sph shaders/particles shaders/meshes
SEES_runtime/gpu/compare := runtime/gpu/sph runtime/gpu/particles shaders/compare
# A folder of runtime/gpu without a line above is a system, with its kernels in shaders/NAME.
SEES_shaders/shapes      := shaders/lighting
SEES_runtime/gpu/shapes  := runtime/gpu/lighting shaders/shapes
SEES_shaders/emission    := shaders/device
SEES_runtime/gpu/emission := runtime/gpu/systems shaders/emission
SEES_shaders/water       := shaders/lighting
SEES_runtime/gpu/water   := runtime/gpu/shapes shaders/water

GPU_SYSTEMS := $(filter-out $(patsubst SEES_runtime/gpu/%,%,$(filter SEES_runtime/gpu/%,$(.VARIABLES))),$(patsubst runtime/gpu/%/,%,$(sort $(wildcard runtime/gpu/*/))))
$(foreach system,$(GPU_SYSTEMS),$(eval SEES_shaders/$(system) := shaders/canvas shaders/colliders shaders/emission))
$(foreach system,$(GPU_SYSTEMS),$(eval SEES_runtime/gpu/$(system) := runtime/gpu/water runtime/gpu/emission shaders/$(system)))
SEES_runtime/app         := runtime runtime/gpu/frame runtime/gpu/meshes $(GPU_SYSTEMS:%=runtime/gpu/%) formats/cli

MODULES := $(sort $(patsubst SEES_%,%,$(filter SEES_%,$(.VARIABLES))))
# (2): the modules that lead to this one, because tests/modules.py reports a cycle, which has to end here.
closure = $(if $(filter $(1),$(2)),,$(1) $(foreach module,$(SEES_$(1)),$(call closure,$(module),$(1) $(2))))
include_of = $(foreach module,$(sort $(call closure,$(1))),-I$(module) $(if $(filter shaders/%,$(module)),-I$(BUILD)/$(module)))
$(foreach module,$(MODULES),$(eval INCLUDE_$(module) := $(call include_of,$(module))))
# Tests see every module.
UNITS := $(patsubst %/,%,$(wildcard tests/unit/*/))
TESTED_SHADERS := $(wildcard $(foreach kind,comp vert frag,tests/unit/*/*.$(kind)))
INCLUDE_TESTS := $(patsubst %/,-I$(BUILD)/%,$(sort $(dir $(TESTED_SHADERS)))) -I$(BUILD)/tests/bench $(MODULES:%=-I%) $(patsubst %,-I$(BUILD)/%,$(filter shaders/%,$(MODULES))) \
                 -Itests/support -Itests/unit/scene -Itests/fuzz -Itests/bench
TEST_FOLDERS := $(UNITS) tests/support tests/fuzz tests/bench
$(foreach folder,$(TEST_FOLDERS),$(eval INCLUDE_$(folder) := $(INCLUDE_TESTS)))
INCLUDE_tests/support += -I$(BUILD)/tests/support
$(foreach folder,$(TEST_FOLDERS),$(eval EXTRA_$(folder) := -DTEST_BUILD='"$(BUILD)"' -UNDEBUG))
# The starting project of `entc init` is a header. A file may be longer than the strings that every C compiler has to
# accept; these compilers accept any length.
EXTRA_compiler/author := -I$(BUILD)/compiler/author -Wno-overlength-strings

START := $(shell find compiler/author/start -type f | LC_ALL=C sort)
objects  = $(patsubst %.c,$(BUILD)/%.o,$(wildcard $(addsuffix /*.c,$(1))))
PLATFORM := $(call objects,formats/platform)
BASE     := $(call objects,formats/base)
FORMATS  := $(call objects,formats/components formats)
CLI      := $(call objects,formats/cli)
COMPILER := $(call objects,$(filter compiler/%,$(MODULES))) $(CLI)
RUNTIME  := $(call objects,$(filter-out runtime/gpu/% runtime/app,$(filter runtime/%,$(MODULES))))
COMPARE  := $(call objects,runtime/gpu/compare)
GPU      := $(call objects,$(filter-out runtime/gpu/compare,$(filter runtime/gpu/%,$(MODULES))))
APP      := $(call objects,runtime/app) $(CLI) $(BUILD)/formats/fields.o
# meshoptimizer is loaded when a mesh is compiled (mesh_library.c), or linked where there is only an archive.
MESHOPTIMIZER := $(shell readelf -d $$($(CC) -print-file-name=libmeshoptimizer.so) 2>/dev/null | sed -n 's/.*(SONAME).*\[\(.*\)\]/\1/p')
EXTRA_compiler/gltf += $(MESHOPTIMIZER:%=-DMESHOPTIMIZER_SONAME='"%"')
# Qhull's archive costs nothing at the start of the program; not every system has it.
QHULL       := $(if $(wildcard $(shell $(CC) -print-file-name=libqhullstatic_r.a)),-l:libqhullstatic_r.a,-lqhull_r)
LIBS_entc   := -lcjson $(if $(MESHOPTIMIZER),,-lmeshoptimizer) $(QHULL) -lspng -lturbojpeg -lzstd -lm
LIBS_libent := -lzstd -lm -pthread
LIBS_gpu    := -lm -ldl
LIBS_entrun := -lpng $(LIBS_gpu) $(LIBS_libent)
# What a host includes: headers that are installed as they are but for what ENT_BUILD guards, and three that
# are written from the field tables.
HEADERS  := formats/base/status.h formats/base/types.h formats/platform/jobs.h formats/components/component_type.h \
            formats/components/fluid_step.h formats/components/collider_shape.h formats/blob.h formats/bundle.h formats/output_index.h formats/declaration.h formats/plugin.h \
            formats/source_map.h formats/version.h runtime/ent.h \
            $(filter-out %_internal.h %_private.h %/rows.h,$(wildcard runtime/world/*.h runtime/transform/*.h runtime/scene/*.h))
HEADERS_written := lists.h records.h rows.h
# Of the systems on the GPU, what a host sees: headers with functions or types of its interface.
HEADERS_gpu := $(shell grep -lE 'ENT_API|^typedef struct Ent' runtime/gpu/*/*.h)

.PHONY: all headers demo test test-quick bench-gpu test-corpus test-editors test-s390x test-watch test-long test-environments sweep simulate evolution faults tsan fuzz fuzz-all check graph sees bench golden format install uninstall clean deps-%
all: $(BUILD)/entc $(BUILD)/entrun $(BUILD)/libent.a $(BUILD)/libent.so $(BUILD)/libent_gpu.a headers

# What an object is compiled with is in the file `flags` of its folder, on which it depends instead of the Makefile:
# the file is written only when a line of the Makefile has changed it. CFLAGS and CC of the command line are not in it.
# (1): a file, (2): its text.
keep = $(if $(subst <$(strip $(2))>,,<$(strip $(file <$(1)))>),$(shell mkdir -p $(dir $(1)))$(file >$(1),$(2)))
ifneq ($(filter-out clean sees graph format figures figures-stale,$(or $(MAKECMDGOALS),all)),)
$(foreach folder,$(filter-out shaders/%,$(MODULES)) $(TEST_FOLDERS),$(call keep,$(BUILD)/$(folder)/flags,$(BASE_CFLAGS) $(EXTRA_$(folder)) $(INCLUDE_$(folder))))
$(foreach folder,$(filter shaders/%,$(MODULES)),$(call keep,$(BUILD)/$(folder)/flags,$(GLSLC) $(INCLUDE_$(folder))))
$(foreach folder,runtime/app/examples tests/plugins tests/faults,$(call keep,$(BUILD)/$(folder)/flags,$(BASE_CFLAGS)))
$(call keep,$(BUILD)/compiler/author/start_files,$(START))
endif
$(foreach folder,$(filter-out shaders/%,$(MODULES)) $(TEST_FOLDERS),$(eval $(call objects,$(folder)): $(BUILD)/$(folder)/flags))

$(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) $(EXTRA_$(patsubst %/,%,$(dir $<))) $(INCLUDE_$(patsubst %/,%,$(dir $<))) -MMD -MP -c $< -o $@

# A shader: checked, and an array of words that C includes. Those of elements that cast are also compiled without their
# output, which shadow maps have no image for.
SHADERS := $(wildcard shaders/*/*.comp shaders/*/*.vert shaders/*/*.frag tests/bench/*.comp) $(TESTED_SHADERS)
CASTERS := $(shell grep -l 'shapes_fragment.glsl' $(filter %.frag,$(SHADERS)))
SHADER_TEXTS := $(SHADERS:%=$(BUILD)/%.h) $(CASTERS:%.frag=$(BUILD)/%_cast.frag.h)
$(foreach folder,$(filter shaders/%,$(MODULES)) tests/bench $(sort $(patsubst %/,%,$(dir $(TESTED_SHADERS)))),$(eval $(filter $(BUILD)/$(folder)/%,$(SHADER_TEXTS)): $(BUILD)/$(folder)/flags))
$(SHADERS:%=$(BUILD)/%.h): $(BUILD)/%.h: %
	$(shader_compile)
$(CASTERS:%.frag=$(BUILD)/%_cast.frag.h): $(BUILD)/%_cast.frag.h: %.frag
	$(shader_compile)
define shader_compile
	@mkdir -p $(@D)
	$(GLSLC) $(if $(filter %_cast.frag.h,$@),-DCASTS=1) $(INCLUDE_$(patsubst %/,%,$(dir $<))) -MD -MF $(@:.h=.d) -MT $@ $< -o $(@:.h=.spv)
	@tr ' ' '\n' <$(@:.h=.d) | sed -n 's|^\([a-z][^:]*\)$$|\1:|p' >$(@:.h=.d).files; { echo; cat $(@:.h=.d).files; } >>$(@:.h=.d)
	spirv-val --target-env vulkan1.2 --scalar-block-layout $(@:.h=.spv)
	@{ echo "static const u32 $(subst .,_,$(basename $(@F)))[] = {"; \
	    od -An -v -tx4 $(@:.h=.spv) | sed 's/ \([0-9a-f]\{8\}\)/0x\1,/g'; echo '};'; } > $@
endef
$(GPU) $(COMPARE): | $(SHADER_TEXTS)

# The starting project of `entc init`: every file of compiler/author/start/ as a row START_FILE(path, text).
$(BUILD)/compiler/author/start_files.h: $(START) $(BUILD)/compiler/author/start_files
	@mkdir -p $(@D)
	@for file in $(START); do echo "START_FILE(\"$${file#compiler/author/start/}\","; \
	    sed 's/[\\"]/\\&/g; s/.*/    "&\\n"/' $$file; echo ')'; done > $@
$(BUILD)/compiler/author/init.o: $(BUILD)/compiler/author/start_files.h

$(BUILD)/entc: $(COMPILER) $(FORMATS) $(BUILD)/platform.a
	$(CC) $(LDFLAGS_$(config)) $(LDFLAGS) $^ -o $@ $(LIBS_entc) -pthread

# Of these, a library takes only what it uses.
$(BUILD)/platform.a: $(PLATFORM) $(BASE)
	@rm -f $@
	$(AR) rcs $@ $^
# One object in which only ent_ symbols are left to be seen.
$(BUILD)/libent.o: $(RUNTIME) $(FORMATS) $(BUILD)/platform.a
	$(LD) -r $^ -o $@.all.o
	$(OBJCOPY) --localize-hidden $@.all.o $@
	@rm -f $@.all.o
$(BUILD)/libent.a: $(BUILD)/libent.o
	@rm -f $@
	$(AR) rcs $@ $<
$(BUILD)/libent.so: $(RUNTIME) $(FORMATS) $(BUILD)/platform.a
	$(CC) $(LDFLAGS) -shared -Wl,-soname,$(SONAME) $^ -o $@ $(LIBS_libent)
# The systems on the GPU: what a host without them does not link. Only ent_ symbols here too.
$(BUILD)/libent_gpu.o: $(GPU) $(BUILD)/platform.a
	$(LD) -r $^ -o $@.all.o
	$(OBJCOPY) --localize-hidden $@.all.o $@
	@rm -f $@.all.o
$(BUILD)/libent_gpu.a: $(BUILD)/libent_gpu.o
	@rm -f $@
	$(AR) rcs $@ $<
# The headers of a host: as in the tree but for what ENT_BUILD guards, and three from the field tables.
INCLUDE := $(BUILD)/include/ent
INSTALLED_HEADERS := $(addprefix $(INCLUDE)/,$(notdir $(HEADERS) $(HEADERS_gpu)) $(HEADERS_written))
$(BUILD)/header_write: $(call objects,formats/header) $(FORMATS) $(BUILD)/platform.a
	$(CC) $(LDFLAGS_$(config)) $(LDFLAGS) $^ -o $@ -lzstd -lm -pthread
$(HEADERS_written:%=$(INCLUDE)/%): $(INCLUDE)/%.h: $(BUILD)/header_write $(wildcard formats/components/*.h)
	@mkdir -p $(@D)
	$(BUILD)/header_write $* formats >$@.new
	@mv $@.new $@
define installed_header
$(INCLUDE)/$(notdir $(1)): $(1)
	@mkdir -p $$(@D)
	awk '/^#ifdef ENT_BUILD/ {inside = skip = 1; next} inside && /^#else/ {skip = 0; next} \
	    inside && /^#endif/ {inside = skip = 0; next} !skip' $$< >$$@
endef
$(foreach header,$(HEADERS) $(HEADERS_gpu),$(eval $(call installed_header,$(header))))

$(BUILD)/entrun: $(APP) $(BUILD)/libent_gpu.a $(BUILD)/libent.a $(BUILD)/platform.a
	$(CC) $(LDFLAGS_$(config)) $(LDFLAGS) $^ -o $@ $(LIBS_entrun)
headers: $(INSTALLED_HEADERS)
OBJCOPY ?= objcopy

graph:
	@python3 tests/modules.py $(BUILD) --draw

# For tests/modules.py: a line per module, which names it and those that its own line names.
sees:
	@printf '%s\n' $(foreach module,$(MODULES),'$(module) $(SEES_$(module))')

# For tests/check.sh: the value of a variable, a word a line.
print-%:
	@printf '%s\n' $($*)

deps-%:
	@.ci/install $*

demo: deps-demo
	@$(MAKE) --no-print-directory all
	$(BUILD)/entc build assets -o $(OUT) -v
	$(BUILD)/entc info $(OUT)
	$(BUILD)/entrun $(OUT) --level levels/town --stats
	$(BUILD)/entrun $(OUT) --level levels/dam_break --frames 90 --png $(BUILD)/dam_break.png --every 30

# What is installed; `uninstall` removes the same. LIBDIR may be relative to PREFIX: lib/x86_64-linux-gnu.
PROGRAMS    := entc entrun
LIBDIR      ?= $(PREFIX)/lib
LIB         := $(if $(filter /%,$(LIBDIR)),$(LIBDIR),$(PREFIX)/$(LIBDIR))
DOC         := $(PREFIX)/share/doc/entc
ARCHIVES    := libent.a libent_gpu.a
MANUALS     := $(PROGRAMS:%=share/man/man1/%.1)
COMPLETIONS := $(PROGRAMS:%=share/bash-completion/completions/%) $(PROGRAMS:%=share/zsh/site-functions/_%) \
               $(PROGRAMS:%=share/fish/vendor_completions.d/%.fish)
# Every page, in the folders of the repository, and what pages link to: so the links work.
PAGES        = $(patsubst ./%,%,$(shell find . \( -path ./build -o -path ./out -o -path ./compiler/author/start -o -name '.*' ! -name . \) -prune -o -name '*.md' -print | LC_ALL=C sort))
DOCUMENTS    = $(PAGES) LICENSE formats/diagnostics.schema.json $(wildcard runtime/app/*.png runtime/app/examples/*.c) \
               runtime/world/manager_watch.h runtime/scene/skins.h runtime/scene/light_masks.h
INSTALLED    = $(PROGRAMS:%=$(PREFIX)/bin/%) $(ARCHIVES:%=$(LIB)/%) $(addprefix $(LIB)/,libent.so $(SONAME) libent.so.$(VERSION) \
               pkgconfig/libent.pc pkgconfig/libent_gpu.pc cmake/ent/ent-config.cmake cmake/ent/ent-config-version.cmake) \
               $(addprefix $(PREFIX)/include/ent/,$(notdir $(INSTALLED_HEADERS))) \
               $(addprefix $(PREFIX)/,$(MANUALS) $(COMPLETIONS) share/entc/diagnostics.schema.json share/entc/entc_blender.py) $(DOCUMENTS:%=$(DOC)/%)
# Those of its folders in which only entc installs, children before their parents.
FOLDERS      = $(shell printf '%s\n' $(PREFIX)/include/ent $(PREFIX)/share/entc $(LIB)/cmake/ent $(DOC) \
               $(foreach folder,$(sort $(dir $(DOCUMENTS))),$(call parents,$(DOC)/$(folder))) | LC_ALL=C sort -ru)
parents      = $(if $(filter-out $(DOC) $(DOC)/.,$(1:/=)),$(1:/=) $(call parents,$(dir $(1:/=))))
# An optimized build is installed without its debug information; `make install STRIP=:` leaves it as it is.
STRIP       ?= $(if $(filter release,$(config)),strip,:)
# The loader finds libent.so in a folder that it searches after ldconfig has run, which may need another user than
# this one: then the install is complete, and a program is linked with -Wl,-rpath. An install below DESTDIR is a
# package, whose installation runs ldconfig.
LDCONFIG    ?= ldconfig
loader_update = PATH="$$PATH:/usr/sbin:/sbin"; $(if $(DESTDIR),:,$(LDCONFIG) 2>/dev/null || \
               echo "$(LDCONFIG) has failed; where the loader does not find $(SONAME), link with -Wl,-rpath,$(LIB)")

install: all
	for folder in $(sort $(dir $(INSTALLED))); do install -d "$(DESTDIR)$$folder" || exit 1; done
	install $(PROGRAMS:%=$(BUILD)/%) "$(STAGE)/bin"
	install -m 644 $(ARCHIVES:%=$(BUILD)/%) "$(DESTDIR)$(LIB)"
	install -m 644 $(BUILD)/libent.so "$(DESTDIR)$(LIB)/libent.so.$(VERSION)"
	for p in $(PROGRAMS); do $(STRIP) "$(STAGE)/bin/$$p" || exit 1; done
	$(STRIP) --strip-unneeded "$(DESTDIR)$(LIB)/libent.so.$(VERSION)"
	for a in $(ARCHIVES); do $(STRIP) -S "$(DESTDIR)$(LIB)/$$a" || exit 1; done
	ln -sf libent.so.$(VERSION) "$(DESTDIR)$(LIB)/$(SONAME)"
	ln -sf $(SONAME) "$(DESTDIR)$(LIB)/libent.so"
	install -m 644 $(INSTALLED_HEADERS) "$(STAGE)/include/ent"
	for p in libent libent_gpu; do \
	    sed 's|@PREFIX@|$(PREFIX)|; s|@LIBDIR@|$(patsubst $(PREFIX)/%,$${prefix}/%,$(LIB))|; s|@VERSION@|$(VERSION)|; s|@LIBS@|$(LIBS_libent)|; s|@LIBS_GPU@|$(LIBS_gpu)|' \
	        runtime/$$p.pc.in >"$(DESTDIR)$(LIB)/pkgconfig/$$p.pc" || exit 1; \
	done
	up=$$(realpath -ms --relative-to="$(LIB)/cmake/ent" "$(PREFIX)") && for f in ent-config ent-config-version; do \
	    sed "s|@SONAME@|$(SONAME)|; s|@PREFIX@|$$up|; s|@VERSION@|$(VERSION)|g; s|@LIBS_GPU@|$(subst $() ,;,$(strip $(LIBS_gpu:-l%=%)))|" \
	        runtime/$$f.cmake.in >"$(DESTDIR)$(LIB)/cmake/ent/$$f.cmake" || exit 1; \
	done
	for f in $(DOCUMENTS); do install -m 644 $$f "$(DESTDIR)$(DOC)/$$f" || exit 1; done
	install -m 644 formats/diagnostics.schema.json compiler/blender/entc_blender.py "$(STAGE)/share/entc"
	for p in $(PROGRAMS); do \
	    $(BUILD)/$$p --help=man >"$(STAGE)/share/man/man1/$$p.1" && \
	    $(BUILD)/$$p --help=bash >"$(STAGE)/share/bash-completion/completions/$$p" && \
	    $(BUILD)/$$p --help=zsh >"$(STAGE)/share/zsh/site-functions/_$$p" && \
	    $(BUILD)/$$p --help=fish >"$(STAGE)/share/fish/vendor_completions.d/$$p.fish" || exit 1; \
	done
	@$(loader_update)

uninstall:
	for file in $(INSTALLED); do rm -f "$(DESTDIR)$$file" || exit 1; done
	for folder in $(FOLDERS); do \
	    [ ! -d "$(DESTDIR)$$folder" ] || rmdir --ignore-fail-on-non-empty "$(DESTDIR)$$folder" || exit 1; \
	done
	@$(loader_update)

include tests/tests.mk

clean:
	rm -rf build out

-include $(shell find $(BUILD) -name scratch -prune -o -type f -name '*.d' -print 2>/dev/null)
