/* diag_sarif.c - diagnostics as a SARIF document, which cJSON prints. Source: OASIS, Static Analysis
 * Results Interchange Format (SARIF) Version 2.1.0, 2020. */
#include "diag_internal.h"

#include <cjson/cJSON.h>

#include "print.h"
#include "version.h"

/* Memory for cJSON is that of the compiler: a request that fails ends the program. */
static void hooks_set(void) {
    cJSON_Hooks hooks = {memory_alloc_raw, memory_free};
    cJSON_InitHooks(&hooks);
}

static cJSON* item_add(cJSON* list) {
    cJSON* item = cJSON_CreateObject();
    cJSON_AddItemToArray(list, item);
    return item;
}

/* A text from a file is not always valid UTF-8. */
static void text_add(cJSON* to, const char* key, const char* text) {
    Print       clean;
    FILE*       out = print_begin(&clean);
    const char* end = text + strlen(text);
    while (text < end) {
        if ((u8)*text < 0x20 || *text == 0x7f)
            fputc(*text++, out);
        else
            text += diag_character_print(out, text, end);
    }
    cJSON_AddStringToObject(to, key, print_end(&clean).at);
    print_drop(&clean);
}

static void message_add(cJSON* to, const char* key, const char* text) {
    text_add(cJSON_AddObjectToObject(to, key), "text", text);
}

static void rules_add(cJSON* driver) {
    cJSON* rules = cJSON_AddArrayToObject(driver, "rules");
    for (u32 i = 0; i < DIAG_CODE_COUNT; i++) {
        cJSON* rule = item_add(rules);
        cJSON_AddStringToObject(rule, "id", diag_code_name((DiagCode)i));
        message_add(rule, "shortDescription", diag_code_text((DiagCode)i));
    }
}

/* A path as a relative URI reference, RFC 3986. */
static void uri_add(cJSON* to, const char* path) {
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/";
    Print uri;
    FILE* out = print_begin(&uri);
    for (; *path; path++) fprintf(out, strchr(plain, *path) ? "%c" : "%%%02X", (u8)*path);
    cJSON_AddStringToObject(to, "uri", print_end(&uri).at);
    print_drop(&uri);
}

/* SARIF counts characters, from 1. */
static void location_add(cJSON* location, Walk* walk, const Note* n, DiagCode code) {
    cJSON* physical = cJSON_AddObjectToObject(location, "physicalLocation");
    uri_add(cJSON_AddObjectToObject(physical, "artifactLocation"), n->report.source->path);
    if (!diag_place_is_shown(n->report.source, code)) return;
    const Place place = diag_place(walk, n->report.source, n->report.offset);
    cJSON*      region = cJSON_AddObjectToObject(physical, "region");
    cJSON_AddNumberToObject(region, "startLine", place.line);
    cJSON_AddNumberToObject(region, "startColumn", walk->characters + 1);
    cJSON_AddNumberToObject(region, "byteOffset", n->report.offset);
    cJSON_AddNumberToObject(region, "byteLength", n->report.bytes);
}

/* Notes without a position are appended to the message. */
static void finding_message_add(cJSON* result, const Finding* e) {
    char   text[2 * MESSAGE_BYTES_MAX];
    size_t used = (size_t)snprintf(text, sizeof text, "%s", e->report.message);
    for (const Note* n = e->notes; n && used < sizeof text; n = n->next) {
        if (n->report.source) continue;
        used += (size_t)snprintf(text + used, sizeof text - used, " (%s)", n->report.message);
    }
    message_add(result, "message", text);
}

/* Of a model, the object around the place; its full name is that of messages, such as nodes[3]. */
static void logical_add(cJSON* location, Walks* walks, const Report* r) {
    const DiagObject* object = diag_object(&walks->objects, r->source, r->offset);
    Arena             arena = {0};
    if (!object) return;
    cJSON* logical = item_add(cJSON_AddArrayToObject(location, "logicalLocations"));
    text_add(logical, "name", json_decode(object->name, &arena));
    text_add(logical, "fullyQualifiedName",
             arena_print(&arena, "%s[%u]", json_decode(object->list, &arena), object->index));
    cJSON_AddStringToObject(logical, "kind", "object");
    arena_drop(&arena);
}

static void result_add(cJSON* results, Walks* walks, const Finding* e) {
    const Note here = {NULL, e->report};
    cJSON*     result = item_add(results);
    cJSON_AddStringToObject(result, "ruleId", diag_code_name(e->code));
    cJSON_AddStringToObject(result, "level", severity_of(e));
    finding_message_add(result, e);
    cJSON* locations = cJSON_AddArrayToObject(result, "locations");
    if (e->report.source) {
        cJSON* location = item_add(locations);
        location_add(location, &walks->finding, &here, e->code);
        logical_add(location, walks, &e->report);
    }
    cJSON* related = cJSON_AddArrayToObject(result, "relatedLocations");
    for (const Note* n = e->notes; n; n = n->next) {
        if (!n->report.source) continue;
        cJSON* location = item_add(related);
        location_add(location, &walks->note, n, e->code);
        message_add(location, "message", n->report.message);
    }
}

void diag_sarif_print(FILE* out, Walks* walks, const Finding* findings, u32 count) {
    hooks_set();
    cJSON* root = cJSON_CreateObject();
    cJSON_AddStringToObject(root, "version", "2.1.0");
    cJSON_AddStringToObject(root, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
    cJSON* run = item_add(cJSON_AddArrayToObject(root, "runs"));
    cJSON* driver = cJSON_AddObjectToObject(cJSON_AddObjectToObject(run, "tool"), "driver");
    cJSON_AddStringToObject(driver, "name", "entc");
    cJSON_AddStringToObject(driver, "version", ENT_VERSION);
    rules_add(driver);
    cJSON_AddStringToObject(run, "columnKind", "unicodeCodePoints");
    cJSON* results = cJSON_AddArrayToObject(run, "results");
    for (u32 i = 0; i < count; i++) result_add(results, walks, &findings[i]);
    char* text = cJSON_PrintUnformatted(root);
    fprintf(out, "%s\n", text);
    cJSON_free(text);
    cJSON_Delete(root);
}
