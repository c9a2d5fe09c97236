/* build_variants.c - compiles every variant of a folder, so that sources for one language or
 * platform are checked together with all others. Nothing is written.
 *
 * The languages and platforms are those of the settings that occur in file names; all combinations
 * are compiled, because the sources of a resource may be for a language or a platform. Without
 * these settings, languages and platforms cannot be distinguished: then there is a variant for each
 * tag, and for each pair of tags of a file. Of variants that select the same files only one is
 * compiled, and of a variant only the products with sources other than in the previous variants. */
#include <stdlib.h>

#include "build_internal.h"
#include "diag_print.h"
#include "sections.h"
#include "clock.h"
#include "order.h"

/* --- the list of variants --- */

typedef struct Check {
    const BuildOptions* options;
    Diagnostics*        diag; /* of all variants */
    Traces              traces;
    Arena               arena;
    ARRAY(const char*) tags; /* of files: "fr", "fr.mobile"; each once, by name */
    ARRAY(Variant) variants; /* the default variant first */
    ARRAY(u64) chosen;       /* of each compiled variant, the files that it selected */
    ARRAY(Build*) kept;      /* with sources that have diagnostics */
    u32 compiled;
} Check;

static void tags_find(Check* c, const Build* b) {
    const Tree* tree = &b->sources;
    u32         kept = 0;
    for (u32 i = 0; i < tree->files.count; i++) {
        const TreeFile* file = &tree->files.at[i];
        const Suffix    suffix = settings_suffix(&b->settings, tree_relative(file));
        if (suffix.kind == SUFFIX_VALID && suffix.tags.bytes)
            *array_push(&c->tags) = arena_text(&c->arena, suffix.tags);
    }
    if (c->tags.count) qsort(c->tags.at, c->tags.count, sizeof *c->tags.at, order_texts);
    for (u32 i = 0; i < c->tags.count; i++) {
        if (kept && strcmp(c->tags.at[kept - 1], c->tags.at[i]) == 0) continue;
        c->tags.at[kept++] = c->tags.at[i];
    }
    c->tags.count = kept;
}

static bool tags_have(const Check* c, const char* name) {
    const size_t bytes = strlen(name);
    bool         have = false;
    for (u32 i = 0; i < c->tags.count && !have; i++) {
        const char* tags = c->tags.at[i];
        const char* dot = strchr(tags, '.');
        have = strncmp(tags, name, bytes) == 0 && (tags[bytes] == 0 || tags[bytes] == '.');
        have |= dot && strcmp(dot + 1, name) == 0;
    }
    return have;
}

/* Every language with every platform, and each of them alone. */
static void variants_of_settings(Check* c, const Settings* settings) {
    const SettingsNames *l = &settings->languages, *p = &settings->platforms;
    for (u32 i = 0; i <= l->names.count; i++) {
        const char* lang = i ? arena_text(&c->arena, text_of(l->names.at[i - 1])) : NULL;
        if (lang && !tags_have(c, lang)) continue;
        for (u32 k = 0; k <= p->names.count; k++) {
            const char* platform = k ? arena_text(&c->arena, text_of(p->names.at[k - 1])) : NULL;
            if (platform && !tags_have(c, platform)) continue;
            *array_push(&c->variants) = (Variant){lang, platform};
        }
    }
}

static void variants_of_tags(Check* c) {
    *array_push(&c->variants) = (Variant){0};
    for (u32 i = 0; i < c->tags.count; i++) {
        char* tags = arena_text(&c->arena, text_of(c->tags.at[i]));
        char* dot = strchr(tags, '.');
        if (dot) *dot = 0;
        *array_push(&c->variants) = (Variant){tags, dot ? dot + 1 : NULL};
        if (!dot) continue;
        *array_push(&c->variants) = (Variant){tags, NULL};
        *array_push(&c->variants) = (Variant){dot + 1, NULL};
    }
}

/* --- one variant --- */

static const char* variant_note(Check* c, Variant v) {
    if (!v.lang && !v.platform) return NULL;
    return arena_print(&c->arena, "reported in a build with%s%s%s%s", v.lang ? " --lang " : "",
                       v.lang ? v.lang : "", v.platform ? " --platform " : "",
                       v.platform ? v.platform : "");
}

static u64 assets_hash(const Build* b, bool declarations) {
    u64 hash = 1;
    for (u32 i = 0; i < b->assets.count; i++) {
        const Asset* asset = b->assets.asset[i];
        if (declarations && asset->type != RESOURCE_COMPONENT) continue;
        hash = hash_bytes(asset->source.path, strlen(asset->source.path), hash);
    }
    return hash;
}

/* Does the variant select other files than the previous ones? */
static bool is_new_choice(Check* c, const Build* b) {
    const u64 chosen = assets_hash(b, false);
    for (u32 i = 0; i < c->chosen.count; i++) {
        if (c->chosen.at[i] == chosen) return false;
    }
    *array_push(&c->chosen) = chosen;
    return true;
}

static void variant_compile(Check* c, Build* b) {
    if (!is_new_choice(c, b)) return;
    c->traces.declarations = assets_hash(b, true);
    b->traces = &c->traces;
    products_select(b);
    products_compile(b);
    c->compiled += b->compiled;
    traces_add(&c->traces, b);
}

/* Sources with diagnostics are needed until the diagnostics are printed. */
static int variant_run(Check* c, Variant variant, bool first) {
    Build*        b = memory_alloc(sizeof *b);
    BuildOptions* o = ARENA_NEW(&c->arena, BuildOptions, 1);
    *o = *c->options;
    o->variant.lang = variant.lang;
    o->variant.platform = variant.platform;
    o->out = o->cache = NULL;
    o->mode = BUILD_DRY_RUN;
    int code = build_begin(b, o);
    b->distrust = true;
    if (code == EXIT_OK) code = build_look(b);
    if (code == EXIT_INVALID) code = EXIT_OK; /* which the diagnostics show */
    if (code == EXIT_OK && first) {
        tags_find(c, b);
        if (settings_have_variants(&b->settings))
            variants_of_settings(c, &b->settings);
        else
            variants_of_tags(c);
    }
    if (code == EXIT_OK) variant_compile(c, b);
    texts_read(b);
    workers_stop(b);
    if (diag_absorb_noted(c->diag, b->diag, variant_note(c, variant))) {
        *array_push(&c->kept) = b;
    } else {
        build_end(b);
        memory_free(b);
    }
    return code;
}

static void check_drop(Check* c) {
    for (u32 i = 0; i < c->kept.count; i++) {
        build_end(c->kept.at[i]);
        memory_free(c->kept.at[i]);
    }
    array_drop(&c->kept);
    array_drop(&c->tags);
    array_drop(&c->variants);
    array_drop(&c->chosen);
    traces_drop(&c->traces);
    diag_destroy(c->diag);
    arena_drop(&c->arena);
}

int build_check_variants(const BuildOptions* options) {
    const u64 start = clock_ns();
    Check     c = {.options = options, .diag = diag_create()};
    if (options->messages.quiet) diag_hide_warnings(c.diag);
    int code = variant_run(&c, (Variant){0}, true);
    for (u32 i = 1; i < c.variants.count && code == EXIT_OK; i++) {
        code = variant_run(&c, c.variants.at[i], false);
    }
    diag_print(c.diag, stderr, options->messages.format, options->messages.color);
    if (code == EXIT_OK) code = diag_exit_code(c.diag);
    if (code == EXIT_OK && options->messages.verbose && !options->messages.quiet) {
        fprintf(stderr, "entc: %u variant%s, %u compiled, %.0f ms\n", c.chosen.count,
                c.chosen.count == 1 ? "" : "s", c.compiled, (f64)(clock_ns() - start) / 1e6);
    }
    check_drop(&c);
    return code;
}
