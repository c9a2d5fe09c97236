/* plugin_load.c - loads plugins and registers their component types. */
#include "plugin_load.h"

#include <errno.h>
#include <stdio.h>

#include "diag.h"
#include "diag_print.h"
#include "exit_codes.h"
#include "failure.h"
#include "file.h"
#include "lfs_pointer.h"
#include "plugin_internal.h"
#include "shared_library.h"

static int refuse(int code, const Plugin* p, const char* format, const char* reason) {
    fprintf(stderr, "entc: error: the plugin \"%s\" ", p->path);
    fprintf(stderr, format, reason);
    fputc('\n', stderr);
    return code;
}

/* --- functions for the setup of a plugin --- */

static int component_add(PluginHost* host, const PluginComponent1* c) {
    char reason[512];
    if (!host->diag) return 0;
    if (!plugin_component_check(c, reason, sizeof reason)) {
        diag_error(host->diag, E0502, NULL, 0, 0, "the component \"%.64s\" of %s is invalid: %s",
                   c && c->name ? c->name : "", host->from, reason);
        return 0;
    }
    PluginType* plugin = ARENA_NEW(host->arena, PluginType, 1);
    void*       memory = arena_alloc(host->arena, plugin_component_bytes(c));
    *plugin = (PluginType){host->from, c->compile, c->check, c->user};
    const ComponentCompiler add = {.type = plugin_component_open(c, memory),
                                   .compile =
                                       c->compile ? plugin_compile : component_compile_fields,
                                   .check = c->check ? plugin_check : NULL,
                                   .from = host->from,
                                   .plugin = plugin};
    return registry_add(host->registry, &add, host->diag);
}

static void say(PluginHost* host, const char* text) {
    if (!host->quiet) fprintf(stderr, "entc: note: %s: %s\n", host->path, text);
}

static void* take(PluginHost* host, size_t bytes) {
    UNUSED(host);
    return memory_alloc(bytes);
}

static void give_back(PluginHost* host, void* memory) {
    UNUSED(host);
    memory_free(memory);
}

static const ApiCompiler1 compiler_1 = {component_add, say, take, give_back};

/* The get_ent_api function that every plugin receives. */
static const void* plugin_api(u32 id, u32 version) {
    const struct {
        u32         id, version;
        const void* table;
    } tables[] = {{API_COMPILER, 1, &compiler_1},
                  {API_INSTANCE, 2, &plugin_api_instance},
                  {API_JSON, 1, &plugin_api_json}};
    for (u32 i = 0; i < COUNT_OF(tables); i++) {
        if (tables[i].id == id && tables[i].version == version) return tables[i].table;
    }
    return NULL;
}

/* --- loading --- */

static bool content_read(Plugin* p, Hash128* hash, bool* is_pointer) {
    FileView view;
    if (file_map(&view, p->path) != ENT_OK) return false;
    *is_pointer = lfs_is_pointer(view.bytes, view.size);
    *hash = hash_content(view.bytes, view.size);
    file_unmap(&view);
    return true;
}

/* The hash must be that of the loaded bytes: a linker may write the file at the same time. */
static int library_open(Plugin* p) {
    char    reason[512];
    Hash128 after;
    bool    is_pointer;
    if (!content_read(p, &p->content, &is_pointer))
        return io_failure("cannot read the plugin", p->path);
    if (is_pointer) return refuse(EXIT_IO, p, "cannot be loaded: %s", LFS_POINTER_TEXT);
    p->library = shared_library_open(p->path, reason, sizeof reason);
    if (!p->library) return refuse(EXIT_IO, p, "cannot be loaded: %s", reason);
    if (!content_read(p, &after, &is_pointer)) return io_failure("cannot read the plugin", p->path);
    if (hash_equal(p->content, after)) return EXIT_OK;
    return refuse(EXIT_IO, p, "was modified while it was being loaded%s", "");
}

/* The same library, possibly with two names, would conflict with itself. */
static bool is_duplicate(const Plugins* all, const Plugin* p) {
    for (const Plugin* other = all->at; other < p; other++) {
        if (other->library == p->library) return true;
    }
    return false;
}

static int setup_run(Plugin* p, const char* (*setup)(PluginHost*, ApiGet*), Diagnostics* diag) {
    p->diag = diag;
    const char* reason = setup(p, plugin_api);
    p->diag = NULL;
    if (reason) diag_error(diag, E0502, NULL, 0, 0, "%s cannot be used: %s", p->from, reason);
    return diag_exit_code(diag); /* not used after an error of an earlier plugin */
}

static int plugin_start(Plugin* p, Diagnostics* diag) {
    ApiGet* get = (ApiGet*)shared_library_function(p->library, "ent_get_plugin_api");
    if (!get)
        return refuse(EXIT_IO, p, "is not a plugin: it does not export ent_get_plugin_api%s", "");
    const PluginCompiler2* table = get(PLUGIN_COMPILER, 2);
    if (!table) {
        return refuse(
            EXIT_UNSUPPORTED, p,
            "provides no PLUGIN_COMPILER of version 2, the version that this entc supports%s", "");
    }
    if (!table->setup) {
        diag_error(diag, E0502, NULL, 0, 0, "%s provides a PLUGIN_COMPILER without setup", p->from);
        return EXIT_INVALID;
    }
    p->close = table->close;
    return setup_run(p, table->setup, diag);
}

static int plugin_open(Plugins* all, Plugin* p, Diagnostics* diag) {
    int code = library_open(p);
    if (code == EXIT_OK && is_duplicate(all, p)) {
        code = refuse(EXIT_USAGE, p, "is specified twice%s", "");
    }
    return code == EXIT_OK ? plugin_start(p, diag) : code;
}

int plugins_open(Registry* registry, const Words* paths, bool quiet, Diagnostics* diag) {
    int code = EXIT_OK;
    if (paths->count == 0) return EXIT_OK;
    Plugins* all = registry->plugins = memory_alloc(sizeof *all);
    all->at = ARENA_NEW(&all->arena, Plugin, paths->count);
    for (u32 i = 0; i < paths->count; i++) {
        Plugin* p = &all->at[all->count++];
        p->path = paths->at[i];
        p->from = arena_print(&all->arena, "the plugin \"%s\"", p->path);
        p->registry = registry;
        p->arena = &all->arena;
        p->quiet = quiet;
        const int found = plugin_open(all, p, diag);
        if (code == EXIT_OK) code = found;
    }
    return code;
}

bool plugins_share(Registry* registry, const Registry* from, Diagnostics* diag) {
    bool shared = true;
    for (u32 i = 0; i < from->count && shared; i++) {
        if (from->compiler[i].plugin) shared = registry_add(registry, &from->compiler[i], diag);
    }
    return shared;
}

void plugins_close(Registry* registry) {
    Plugins* all = registry->plugins;
    if (!all) return;
    for (u32 i = all->count; i-- > 0;) {
        Plugin* p = &all->at[i];
        if (p->close) p->close(p);
        if (p->library) shared_library_close(p->library);
    }
    arena_drop(&all->arena);
    memory_free(all);
    registry->plugins = NULL;
}
