/* make fuzz target=json seconds=60
 *
 * Any text for the scanner, the reader of levels and that of declarations; its tokens have the values
 * of cJSON, and a declaration without an error becomes a blob that the validator
 * accepts. */
#include <stdlib.h>

#include "declare.h"
#include "declare_write.h"
#include "diag_print.h"
#include "fuzz.h"
#include "json_oracle.h"
#include "product.h"

void fuzz_json_seeds(void) {}

void fuzz_json_repair(u8* data, size_t size) { /* it contains no checksum */
    UNUSED(data);
    UNUSED(size);
}

static void declare(const Source* source, const Registry* built_in, Arena* arena,
                    Diagnostics* diag) {
    const Declaration* d = declaration_read(source, "fuzz", arena, diag);
    if (d->has_errors) return;
    Registry*               registry = ARENA_NEW(arena, Registry, 1);
    AssetContent            content = {0};
    Asset                   asset = {.name = "fuzz", .source = *source, .content = &content};
    const ComponentCompiler add = {
        .type = d->type, .compile = component_compile_fields, .from = "fuzz", .declared = d};
    u8*    bytes = NULL;
    size_t size;
    *registry = *built_in;
    if (!registry_add(registry, &add, diag)) abort();
    Compile compile = {.registry = registry, .diag = diag, .asset = &asset, .name = "fuzz"};
    if (!compile_declaration(&compile, &bytes, &size)) abort();
    memory_free(bytes);
}

void fuzz_json(const u8* data, size_t size) {
    static Registry registry;
    char*           text = calloc(1, size + 1);
    Diagnostics*    diag = diag_create();
    Arena           arena = {0};
    Doc             doc;
    if (registry.count == 0 && !registry_init(&registry, diag)) abort();
    memcpy(text, data, size);
    const Source source = source_of("fuzz.level.json", text, (u32)size);
    JsonTokens   tokens;
    if (json_tokens_open(&tokens, &source, diag) && json_oracle_difference(&tokens)) abort();
    json_tokens_close(&tokens);
    doc_level_read(&doc, &source, &registry, &arena, diag, NULL);
    doc_drop(&doc);
    declare(&source, &registry, &arena, diag);
    arena_drop(&arena);
    diag_destroy(diag);
    free(text);
}

FUZZ_TARGET(json)
