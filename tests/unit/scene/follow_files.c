/* follow_files.c - writes the sources of a town as files. */
#include <stdio.h>

#include "follow_town.h"
#include "test_image_files.h"

static const char* const prefabs[TOWN_PREFABS] = {"parts/post", "parts/pole", "models/box"};

const char* town_part_name(u32 part) {
    static const char* const names[] = {"transform", "light", "mesh",  "health",
                                        "tag",       "tag",   "marker"};
    static_assert(COUNT_OF(names) == TOWN_PARTS, "one name for each component");
    return names[part];
}

/* A text in memory that becomes a file. */
typedef struct Page {
    FILE*  to;
    char*  text;
    size_t size;
} Page;

static void page_begin(Page* page) {
    page->to = open_memstream(&page->text, &page->size);
    assert_non_null(page->to);
}

static void page_end(Page* page, const char* folder, const char* name) {
    assert_int_equal(fclose(page->to), 0);
    test_write_text(folder, name, page->text);
    free(page->text);
}

/* --- levels and prefabs --- */

static void value_write(FILE* to, const Town* t, const Flat* flat, u32 kind, u32 value) {
    char path[128];
    switch (kind) {
    case TOWN_F32: fprintf(to, "%u.5", value); break;
    case TOWN_BOOL: fprintf(to, value ? "true" : "false"); break;
    case TOWN_ENUM: fprintf(to, "\"m%u\"", value); break;
    case TOWN_TEXT: fprintf(to, value ? "\"t%u\"" : "\"\"", value); break;
    case TOWN_MATERIAL: fprintf(to, "\"paints/p%u\"", value); break;
    case TOWN_POSITION: fprintf(to, "[%u, 0, 0]", value); break;
    case TOWN_MESH: fprintf(to, value ? "\"models/disc/box\"" : "\"models/box/box\""); break;
    case TOWN_ENTITY:
        if (value == TOWN_CHILD) {
            fprintf(to, "\"c%u\"", t->prefab[0].child_name);
            break;
        }
        town_path(flat, value - 1, path);
        fprintf(to, "\"%s\"", path);
        break;
    default: fprintf(to, "%u", value);
    }
}

static void part_write(FILE* to, const Town* t, const Flat* flat, const TownLayer* layer,
                       u32 part) {
    u32 count = 0;
    fprintf(to, "{");
    for (u32 f = 0; f < TOWN_FIELDS; f++) {
        const TownField* field = &t->field[part][f];
        if (!field->serial || !layer->set[part][f]) continue;
        fprintf(to, "%s \"%s\": ", count++ ? "," : "", field->name);
        value_write(to, t, flat, field->kind, layer->value[part][f]);
    }
    fprintf(to, " }");
}

static void layer_write(FILE* to, const Town* t, const Flat* flat, const TownLayer* layer) {
    u32 count = 0;
    fprintf(to, "\"components\": {");
    for (u32 part = 0; part < TOWN_PARTS; part++) {
        if (!layer->has[part] || part == TOWN_TAG_2) continue;
        fprintf(to, "%s \"%s\": %s", count++ ? "," : "", town_part_name(part),
                part == TOWN_TAG ? "[ " : "");
        part_write(to, t, flat, layer, part);
        if (part != TOWN_TAG) continue;
        if (layer->has[TOWN_TAG_2]) fprintf(to, ", "), part_write(to, t, flat, layer, TOWN_TAG_2);
        fprintf(to, " ]");
    }
    fprintf(to, " }");
}

static void nodes_write(FILE* to, const Town* t, const Flat* flat, u32 parent) {
    u32 count = 0;
    for (u32 i = 0; i < TOWN_NODES; i++) {
        const TownNode* n = &t->node[i];
        if (!n->exists || n->parent != parent) continue;
        fprintf(to, "%s\n{ \"name\": \"e%u\", ", count++ ? "," : "", n->name);
        if (n->prefab != NONE) {
            fprintf(to, "\"prefab\": \"%s\", \"overrides\": { \"c%u\": { ", prefabs[n->prefab],
                    t->prefab[n->prefab].child_name);
            layer_write(to, t, flat, &n->child);
            fprintf(to, " } }, ");
        }
        layer_write(to, t, flat, &n->layer);
        fprintf(to, ", \"children\": [");
        nodes_write(to, t, flat, i);
        fprintf(to, "] }");
    }
}

static void level_write(const Town* t, const Flat* flat, const char* folder) {
    Page page;
    page_begin(&page);
    fprintf(page.to, "{ \"entities\": [");
    nodes_write(page.to, t, flat, NONE);
    fprintf(page.to, "] }\n");
    page_end(&page, folder, "src/yard.level.json");
}

static void prefab_write(const Town* t, const Flat* flat, const char* folder, u32 i) {
    char name[64];
    Page page;
    page_begin(&page);
    fprintf(page.to, "{ ");
    layer_write(page.to, t, flat, &t->prefab[i].root);
    fprintf(page.to, ", \"children\": [ { \"name\": \"c%u\", ", t->prefab[i].child_name);
    layer_write(page.to, t, flat, &t->prefab[i].child);
    fprintf(page.to, " } ] }\n");
    snprintf(name, sizeof name, "src/%s.entity.json", prefabs[i]);
    page_end(&page, folder, name);
}

/* --- declarations --- */

static void field_write(FILE* to, const Town* t, const TownField* f) {
    static const char* const types[] = {"u32", "f32", "bool", "enum", "text", "resource", "entity"};
    static_assert(COUNT_OF(types) == TOWN_DECLARED, "one type for each kind");
    fprintf(to, "\"%s\": { \"type\": \"%s\"", f->name, types[f->kind]);
    if (f->kind == TOWN_MATERIAL) fprintf(to, ", \"resource\": \"material\"");
    for (u32 i = 0; i < t->moods && f->kind == TOWN_ENUM; i++)
        fprintf(to, "%s\"m%u\"%s", i ? ", " : ", \"enum\": [", (i + t->first_mood) % t->moods,
                i + 1 < t->moods ? "" : "]");
    if (f->kind < TOWN_TEXT) {
        fprintf(to, ", \"default\": ");
        value_write(to, t, NULL, f->kind, f->fallback);
    }
    if (*f->former) fprintf(to, ", \"was\": [%s]", f->former);
    fprintf(to, " }");
}

static void declaration_write(const Town* t, const char* folder, u32 part) {
    char name[64];
    Page page;
    u32  count = 0;
    page_begin(&page);
    fprintf(page.to, "{ \"several\": %s, \"fields\": {", part == TOWN_TAG ? "true" : "false");
    for (u32 f = 0; f < TOWN_FIELDS; f++) {
        if (!t->field[part][f].serial) continue;
        fprintf(page.to, count++ ? ",\n" : "\n");
        field_write(page.to, t, &t->field[part][f]);
    }
    fprintf(page.to, " } }\n");
    snprintf(name, sizeof name, "src/%s.component.json", town_part_name(part));
    page_end(&page, folder, name);
}

/* --- resources --- */

static void model_text_write(const Town* t, const char* folder, const char* name, u32 position) {
    Page page;
    page_begin(&page);
    fprintf(page.to,
            "{ \"asset\": { \"version\": \"2.0\" }, \"buffers\": [ { \"uri\": \"box%%20data.bin\", "
            "\"byteLength\": 36 } ], \"bufferViews\": [ { \"buffer\": 0, \"byteLength\": 36 } ], "
            "\"accessors\": [ { \"bufferView\": 0, \"componentType\": 5126, \"count\": 3, "
            "\"type\": \"VEC3\", \"min\": [0, 0, 0], \"max\": [%u, 1, 0] } ],\n"
            "\"meshes\": [ { \"name\": \"box\", \"primitives\": [ { \"attributes\": { "
            "\"POSITION\": 0 } } ] } ],\n"
            "\"nodes\": [ { \"name\": \"c%u\", \"mesh\": 0, \"translation\": [%u, 0, 0] } ] }\n",
            t->width, t->prefab[TOWN_PREFABS - 1].child_name, position);
    page_end(&page, folder, name);
}

static void models_write(const Town* t, const char* folder) {
    const f32 triangle[9] = {0, 0, 0, (f32)t->width, 0, 0, 0, 1, 0};
    char      text[64];
    test_write(folder, "src/models/box data.bin", triangle, sizeof triangle);
    model_text_write(t, folder, "src/models/box.gltf",
                     t->prefab[TOWN_PREFABS - 1].child.value[TOWN_TRANSFORM][0]);
    model_text_write(t, folder, "src/models/disc.gltf", 0);
    snprintf(text, sizeof text, "{ \"lods\": %u, \"lod_error\": 0.%u }", 1 + t->lods, 1 + t->lods);
    test_write_text(folder, "src/models/box.model.json", text);
}

static void paints_write(const Town* t, const char* folder) {
    for (u32 i = 0; i < TOWN_MATERIALS; i++) {
        char name[64], text[160];
        snprintf(name, sizeof name, "src/paints/p%u.material.json", i + 1);
        snprintf(text, sizeof text,
                 "{ \"roughness\": 0.%02u, \"textures\": { \"base_color\": { \"texture\": "
                 "\"textures/planks\" } } }",
                 t->roughness[i]);
        test_write_text(folder, name, text);
    }
    test_image_write(folder, "src/textures/planks.png", 8, 8, t->shade, true);
}

static void settings_write(const Town* t, const char* folder) {
    char text[128];
    snprintf(text, sizeof text, "{ \"data\": { \"files\": [\"notes/a.txt\"%s%s] } }",
             t->notes & 1 ? ", \"notes/b.txt\"" : "", t->notes & 2 ? ", \"notes/c.txt\"" : "");
    test_write_text(folder, "src/entc.json", text);
}

void town_write(const Town* t, const char* folder) {
    static const TestFile fixed[] = {
        {"notes/a.txt", "first"},
        {"notes/b.txt", "second"},
        {"notes/c.txt", "third"},
        {"all.package.json",
         "{ \"roots\": [\"yard.level\", \"*.component\", \"paints/*.material\", "
         "\"notes/*.data\", \"models/box/box.mesh\", \"models/disc/box.mesh\"] }"},
    };
    Flat flat;
    town_flatten(t, &flat);
    test_write_files(folder, "src", fixed, COUNT_OF(fixed));
    level_write(t, &flat, folder);
    for (u32 i = 0; i + 1 < TOWN_PREFABS; i++) prefab_write(t, &flat, folder, i);
    declaration_write(t, folder, TOWN_HEALTH);
    declaration_write(t, folder, TOWN_TAG);
    declaration_write(t, folder, TOWN_MARKER);
    models_write(t, folder);
    paints_write(t, folder);
    settings_write(t, folder);
}

void town_spoil(Town* t, const char* folder) {
    static const char* const files[] = {
        "src/yard.level.json",         "src/parts/post.entity.json", "src/health.component.json",
        "src/tag.component.json",      "src/models/box.model.json",  "src/models/box.gltf",
        "src/paints/p1.material.json", "src/textures/planks.png",    "src/entc.json"};
    static const char* const texts[] = {"{", "{ \"unknown\": 1 }", "[]", "no text of JSON"};
    test_write_text(folder, files[random_below(&t->random, COUNT_OF(files))],
                    texts[random_below(&t->random, COUNT_OF(texts))]);
}
