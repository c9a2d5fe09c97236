/* report.c - sums over the outputs of a build: by resource, type, component and prefab. */
#include "report.h"

#include <stdlib.h>

#include "diag.h"
#include "failure.h"
#include "lfs_pointer.h"
#include "measure.h"
#include "pretty.h"
#include "print.h"
#include "process_memory.h"
#include "sections.h"
#include "swap.h"

/* An item with a name and a size. */
typedef struct Weight {
    const char* name;
    u64         bytes;
    u64         count; /* resources of a type, instances of a component, resources with a prefab */
} Weight;

typedef struct Row {
    const Product* product;
    const char*    name; /* with its type */
    u64            bytes;
    ARRAY(Weight) components;
    ARRAY(Weight) prefabs;
} Row;

typedef struct Report {
    Build*    build;
    Arena     arena;
    Row*      row;            /* [build->products.count] */
    Contents* contents;       /* [build->products.count] for a budget */
    ARRAY(Weight) components; /* sums over all */
    ARRAY(Weight) prefabs;
    Weight* prefab; /* [build->products.count] before they are gathered */
    Weight  types[RESOURCE_COUNT];
    u64     bytes, compile_ns;
} Report;

typedef ARRAY(Weight) Weights;

/* Adds to the item with that name; there is one for each component type. */
static void size_add(void* to, const char* name, u64 bytes, u64 count) {
    Weights* weights = to;
    u32      at = 0;
    while (at < weights->count && weights->at[at].name != name) at++;
    if (at == weights->count) *array_push(weights) = (Weight){name, 0, 0};
    weights->at[at].bytes += bytes;
    weights->at[at].count += count;
}

/* --- sizes --- */

static const char* component_name(const Report* r, u32 id) {
    const Registry* registry = &r->build->registry;
    for (u32 i = 0; i < registry->count; i++) {
        if (registry->types[i]->id == id) return registry->names[i];
    }
    return "?";
}

/* Reads the section table of the blob, in either byte order. The bytes may be those of a file in
 * the output folder or of a cache entry: only rows within the file are read. */
static void blob_sizes(Report* r, Row* row, const u8* bytes, size_t size) {
    BlobHeader  header;
    BlobSection s;
    if (size < sizeof header) return;
    memcpy(&header, bytes, sizeof header);
    const bool   flip = header.byte_order != BLOB_BYTE_ORDER;
    const size_t fit = MIN_OF((size - sizeof header) / sizeof s, (size_t)BLOB_SECTIONS_MAX);
    const size_t rows = MIN_OF(word_read(header.section_count, flip), fit);
    for (size_t i = 0; i < rows; i++) {
        memcpy(&s, bytes + sizeof header + i * sizeof s, sizeof s);
        if (word_read(s.kind, flip) != SECTION_COMPONENT) continue;
        const char* name = component_name(r, word_read(s.identifier, flip));
        const u32   weight = word_read(s.bytes, flip), count = word_read(s.count, flip);
        *array_push(&row->components) = (Weight){name, weight, count};
        size_add(&r->components, name, weight, count);
    }
}

static void estimate_read(Report* r, Row* row, ResourceType type, const char* name, u64 bytes) {
    if (bytes == 0 || row->product->type > RESOURCE_LEVEL) return;
    if (type != RESOURCE_ENTITY) return; /* the list of a level is not a prefab */
    const Product* prefab = product_find(r->build, text_of(name), type);
    if (!prefab || prefab == row->product) return;
    Weight* sum = &r->prefab[prefab - r->build->products.at];
    if (!sum->name) sum->name = arena_print(&r->arena, "%s.%s", name, ent_resource_suffix(type));
    sum->bytes += bytes;
    sum->count++;
    *array_push(&row->prefabs) = (Weight){sum->name, bytes, 1};
}

static void prefab_sizes(Report* r, Row* row) {
    const Product*  p = row->product;
    const Database* db = &r->build->database;
    if (p->compiled) {
        for (u32 i = 0; i < p->compiled->edge_count; i++) {
            const Edge* e = &p->compiled->edges[i];
            if (!e->need) estimate_read(r, row, e->type, e->name, e->bytes);
        }
        return;
    }
    const DatabaseProduct* stored = &db->products[p->row];
    for (u32 i = stored->first_read; i < stored->first_read + stored->read_count; i++) {
        const DatabaseRead* read = &db->reads[i];
        if (read->name == NONE) continue;
        estimate_read(r, row, (ResourceType)read->type, database_text(db, read->name), read->bytes);
    }
}

static int product_size(Report* r, Row* row, const Product* p) {
    const char* suffix = ent_resource_suffix(p->type);
    FileView    view = {0};
    row->product = p;
    row->name = arena_print(&r->arena, "%s.%s", p->name, suffix);
    if (p->compiled) r->compile_ns += p->compiled->compile_ns;
    if (product_view(r->build, p, &view) != ENT_OK) {
        const char* path = arena_print(&r->arena, "%s/%s", r->build->options->out, row->name);
        return io_failure(p->compiled ? "cannot write" : "cannot read", path);
    }
    row->bytes = view.size;
    blob_sizes(r, row, view.bytes, view.size);
    if (r->build->options->budget)
        contents_read(&r->contents[p - r->build->products.at], &r->build->registry, view.bytes,
                      view.size);
    file_unmap(&view);
    prefab_sizes(r, row);
    r->types[p->type].name = suffix;
    r->types[p->type].count++;
    r->types[p->type].bytes += row->bytes;
    r->bytes += row->bytes;
    return EXIT_OK;
}

static int size_order(const void* a, const void* b) {
    const Weight *x = a, *y = b;
    if (x->bytes != y->bytes) return x->bytes > y->bytes ? -1 : 1;
    return strcmp(x->name, y->name);
}

static void sizes_sort(void* of) {
    Weights* weights = of;
    if (weights->count) qsort(weights->at, weights->count, sizeof(Weight), size_order);
}

static int all_sizes(Report* r) {
    const u32 count = r->build->products.count;
    int       code = EXIT_OK;
    r->row = ARENA_NEW(&r->arena, Row, count + 1);
    r->prefab = ARENA_NEW(&r->arena, Weight, count + 1);
    r->contents = ARENA_NEW(&r->arena, Contents, count + 1);
    for (u32 i = 0; i < count && code == EXIT_OK; i++) {
        code = product_size(r, &r->row[i], &r->build->products.at[i]);
        sizes_sort(&r->row[i].components);
        sizes_sort(&r->row[i].prefabs);
    }
    for (u32 i = 0; i < count; i++) {
        if (r->prefab[i].name) *array_push(&r->prefabs) = r->prefab[i];
    }
    sizes_sort(&r->components);
    sizes_sort(&r->prefabs);
    return code;
}

/* --- the report --- */

static const char* origin_of(const Product* p) {
    return !p->compiled ? "unchanged" : p->compiled->is_cached ? "cache" : "compiled";
}

static void sizes_print(Pretty* w, const char* key, const char* count, const Weight* at, u32 n) {
    pretty_object(w, key);
    for (u32 i = 0; i < n; i++) {
        if (at[i].count == 0) continue;
        pretty_object(w, at[i].name);
        pretty_number(w, count, (f64)at[i].count);
        pretty_number(w, "bytes", (f64)at[i].bytes);
        pretty_end(w);
    }
    pretty_end(w);
}

static void sums_print(Pretty* w, const char* key, const Weight* at, u32 n) {
    pretty_object(w, key);
    for (u32 i = 0; i < n; i++) pretty_number(w, at[i].name, (f64)at[i].bytes);
    pretty_end(w);
}

static void row_print(Pretty* w, const Row* row) {
    const Product* p = row->product;
    pretty_object(w, row->name);
    pretty_number(w, "bytes", (f64)row->bytes);
    pretty_text(w, "source", p->asset->source.path);
    pretty_text(w, "from", origin_of(p));
    if (p->compiled) {
        pretty_number(w, "time_us", (f64)(p->compiled->compile_ns / 1000));
        pretty_text(w, "why", p->reason); /* lines, as `entc why` shows them */
    }
    if (row->components.count)
        sums_print(w, "component_bytes", row->components.at, row->components.count);
    if (row->prefabs.count) sums_print(w, "prefab_bytes", row->prefabs.at, row->prefabs.count);
    pretty_end(w);
}

static void report_print(const Report* r, FILE* out) {
    const Build* b = r->build;
    Pretty       w = {.out = out};
    pretty_object(&w, NULL);
    pretty_object(&w, "total");
    pretty_number(&w, "resources", b->products.count);
    pretty_number(&w, "compiled", b->compiled);
    pretty_number(&w, "from_cache", b->cached);
    pretty_number(&w, "bytes", (f64)r->bytes);
    pretty_number(&w, "time_us", (f64)(r->compile_ns / 1000));
    pretty_number(&w, "memory_bytes", (f64)process_memory_peak());
    pretty_end(&w);
    sizes_print(&w, "types", "resources", r->types, RESOURCE_COUNT);
    sizes_print(&w, "components", "instances", r->components.at, r->components.count);
    sizes_print(&w, "prefabs", "resources", r->prefabs.at, r->prefabs.count);
    pretty_object(&w, "resources");
    for (u32 i = 0; i < b->products.count; i++) row_print(&w, &r->row[i]);
    pretty_end(&w);
    pretty_end(&w);
}

static int report_write(const Report* r, const char* path) {
    Print print;
    report_print(r, print_begin(&print));
    return print_put(&print, path, NULL);
}

/* --- the budget --- */

#define EXCESSES_SHOWN 10u /* resources that exceed one limit; the others are counted */

typedef struct Breach {
    u32          offset, bytes; /* of the number in the text of the budget */
    u64          over;          /* bytes; 0: it is exceeded by a number of something else */
    const char*  message;
    const char*  worst;  /* the largest contribution, or NULL */
    const char** others; /* [other_count] of a limit for each resource of a type */
    u32          other_count;
} Breach;

typedef struct Budget {
    Report* report;
    Source* source;
    ARRAY(Breach) breaches;
} Budget;

/* The largest resource of a type, or with a component or prefab; NULL when there is none. */
static const char* worst_of(const Report* r, ResourceType type, const char* component,
                            const char* prefab) {
    const Row* worst = NULL;
    u64        max = 0;
    for (u32 i = 0; i < r->build->products.count; i++) {
        const Row*     row = &r->row[i];
        const Weights* of = component ? (const void*)&row->components : (const void*)&row->prefabs;
        u64            bytes = type == RESOURCE_NONE || row->product->type == type ? row->bytes : 0;
        if (component || prefab) {
            bytes = 0;
            for (u32 k = 0; k < of->count; k++) {
                if (strcmp(of->at[k].name, component ? component : prefab) == 0)
                    bytes = of->at[k].bytes;
            }
        }
        if (bytes > max) max = bytes, worst = row;
    }
    if (!worst) return NULL;
    return arena_print((Arena*)&r->arena, "the largest contribution is that of %s: %llu bytes",
                       worst->name, (unsigned long long)max);
}

/* Reads a number; `expected` is what it must be. */
static bool bound_read(Budget* b, const JsonToken* value, const char* expected, f64* bound) {
    const JsonKind kind = json_token_kind(value);
    *bound = json_token_number(value);
    if (kind == JSON_NUMBER && *bound >= 0) return true;
    diag_error(b->report->build->diag, E0202, b->source, json_token_offset(b->source, value), 1,
               "a budget must be %s, not %s", expected,
               kind == JSON_NUMBER ? "a negative number" : json_kind_name(kind));
    return false;
}

/* Compares a number with the actual size. */
static void budget_hold(Budget* b, const JsonToken* value, const char* what, u64 bytes,
                        const char* worst) {
    Report* r = b->report;
    f64     max = 0;
    if (!bound_read(b, value, "a number of bytes", &max) || (f64)bytes <= max) return;
    *array_push(&b->breaches) =
        (Breach){.offset = json_token_offset(b->source, value),
                 .bytes = value->bytes,
                 .over = bytes - (u64)max,
                 .message = arena_print(
                     &r->arena, "the size of %s is %llu bytes and exceeds its budget by %llu bytes",
                     what, (unsigned long long)bytes, (unsigned long long)(bytes - (u64)max)),
                 .worst = worst};
}

static const Weight* size_named(const Weight* at, u32 count, Text name) {
    for (u32 i = 0; i < count; i++) {
        if (at[i].name && text_equal(text_of(at[i].name), name)) return &at[i];
    }
    return NULL;
}

static const Row* row_named(const Report* r, Text name) {
    u32 dot = name.bytes;
    while (dot > 0 && name.at[dot - 1] != '.') dot--;
    if (dot == 0) return NULL;
    const Text         suffix = {name.at + dot, name.bytes - dot};
    const ResourceType type = resource_from_suffix(suffix);
    if (type == RESOURCE_NONE) return NULL;
    const Product* p = product_find(r->build, (Text){name.at, dot - 1}, type);
    return p ? &r->row[p - r->build->products.at] : NULL;
}

/* Reports an unknown key: WHAT "KEY"WHERE. */
static void key_report(Budget* b, const JsonToken* member, const char* what, const char* where,
                       const char* const* names, u32 count) {
    const JsonString key = json_token_key(member);
    const char*      near = diag_nearest(key.raw, names, count);
    diag_error(b->report->build->diag, E0201, b->source, (u32)(key.raw.at - b->source->text) - 1,
               key.raw.bytes + 2, "%s \"%.*s\"%s%s%s%s", what, (int)key.raw.bytes, key.raw.at,
               where, DIAG_NEAREST(near));
}

/* --- limits of what a resource costs: "entities", "draw_calls", .. --- */

static const char* measured_note(Report* r, const Measured* m, const MeasureInfo* info) {
    if (!m->max) return NULL;
    const char* name = r->row[m->max - r->build->products.at].name;
    if (!m->instances)
        return arena_print(&r->arena, "the largest contribution is that of %s: %llu %s", name,
                           (unsigned long long)m->max_sum, info->text);
    return arena_print(
        &r->arena, "the largest contribution is that of %s: %llu %s of %u instance%s", name,
        (unsigned long long)m->max_sum, info->text, m->instances, m->instances == 1 ? "" : "s");
}

/* A resource that exceeds a limit. */
typedef struct Excess {
    const char* name;
    Measured    measured;
} Excess;

typedef ARRAY(Excess) Excesses;

static int excess_order(const void* a, const void* b) {
    const Excess *x = a, *y = b;
    if (x->measured.sum != y->measured.sum) return x->measured.sum > y->measured.sum ? -1 : 1;
    return strcmp(x->name, y->name);
}

static const char* excess_text(Arena* arena, const Excess* e, const MeasureInfo* info) {
    return arena_print(arena, "%s has %llu %s", e->name, (unsigned long long)e->measured.sum,
                       info->text);
}

/* Reports the resource that exceeds the limit most, and the others in notes: one limit is one
 * diagnostic. */
static void excesses_add(Budget* b, Excesses* list, Measure measure, f64 max, u32 offset,
                         u32 bytes) {
    Arena*             arena = &b->report->arena;
    const MeasureInfo* info = &measures[measure];
    const u32          shown = MIN_OF(list->count, EXCESSES_SHOWN);
    if (list->count == 0) return;
    qsort(list->at, list->count, sizeof(Excess), excess_order);
    const char** others = ARENA_NEW(arena, const char*, shown);
    for (u32 i = 1; i < shown; i++) others[i - 1] = excess_text(arena, &list->at[i], info);
    if (shown < list->count)
        others[shown - 1] =
            arena_print(arena, "%u more resources exceed this limit", list->count - shown);
    *array_push(&b->breaches) = (Breach){
        .offset = offset,
        .bytes = bytes,
        .over = measure == MEASURE_BYTES ? list->at->measured.sum - (u64)max : 0,
        .message = arena_print(arena, "%s; its budget allows at most %llu",
                               excess_text(arena, list->at, info), (unsigned long long)max),
        .worst = measured_note(b->report, &list->at->measured, info),
        .others = others,
        .other_count = shown < list->count ? shown : shown - 1};
}

/* "entity, level and mesh" */
static const char* types_text(Arena* arena, u32 types) {
    const char* text = "";
    for (u32 type = RESOURCE_NONE + 1; type < RESOURCE_COUNT; type++) {
        const u32 rest = types >> type >> 1;
        if (types >> type & 1)
            text = arena_print(arena, "%s%s%s", text,
                               !*text ? ""
                               : rest ? ", "
                                      : " and ",
                               ent_resource_suffix(type));
    }
    return text;
}

/* One limit, for one product or, with NULL, for each resource of a type. */
static void measure_read(Budget* b, const JsonToken* m, ResourceType type, const Product* only) {
    const char* names[MEASURE_COUNT];
    Report*     r = b->report;
    u32         measure = 0;
    for (u32 i = 0; i < MEASURE_COUNT; i++) names[i] = measures[i].key;
    while (measure < MEASURE_COUNT && !json_key_is(m, names[measure])) measure++;
    if (measure == MEASURE_COUNT) {
        key_report(b, m, "unknown limit",
                   "; expected bytes, entities, draw_calls, triangles or "
                   "texture_bytes",
                   names, MEASURE_COUNT);
        return;
    }
    const MeasureInfo* info = &measures[measure];
    const u32          offset = json_token_offset(b->source, m), bytes = m->bytes;
    f64                max = 0;
    if (!bound_read(b, m, arena_print(&r->arena, "a number of %s", info->text), &max)) return;
    if (!(info->types >> type & 1)) {
        diag_error(r->build->diag, E0206, b->source, offset, bytes,
                   "a resource of type %s has no %s; such a limit applies to %s",
                   ent_resource_suffix(type), info->text, types_text(&r->arena, info->types));
        return;
    }
    Excesses list = {0};
    for (u32 i = 0; i < r->build->products.count; i++) {
        const Product* p = &r->build->products.at[i];
        if (only ? p != only : p->type != type) continue;
        const Measured sum = product_measure(r->build, r->contents, p, (Measure)measure);
        if ((f64)sum.sum > max) *array_push(&list) = (Excess){r->row[i].name, sum};
    }
    excesses_add(b, &list, (Measure)measure, max, offset, bytes);
    array_drop(&list);
}

/* An object of limits. */
static void limits_read(Budget* b, const JsonToken* limits, ResourceType type,
                        const Product* only) {
    for (const JsonToken* m = json_first(limits); m; m = json_next(m)) {
        if (!json_key_is_note(json_token_key(m))) measure_read(b, m, type, only);
    }
}

static void resource_hold(Budget* b, const JsonToken* m) {
    Report*    r = b->report;
    const Row* row = row_named(r, json_token_key(m).raw);
    if (row && json_token_is(m, JSON_OBJECT)) {
        limits_read(b, m, row->product->type, row->product);
        return;
    }
    if (row) {
        budget_hold(b, m, row->name, row->bytes, NULL);
        return;
    }
    const char** names = memory_alloc(sizeof(char*) * ((size_t)r->build->products.count + 1));
    for (u32 i = 0; i < r->build->products.count; i++) names[i] = r->row[i].name;
    key_report(b, m, "there is no resource", "", names, r->build->products.count);
    memory_free(names);
}

/* RESOURCE_NONE after reporting that there is no such type. */
static ResourceType type_read(Budget* b, const JsonToken* m) {
    const ResourceType type = resource_from_suffix(json_token_key(m).raw);
    const char*        names[RESOURCE_COUNT];
    if (type != RESOURCE_NONE) return type;
    for (u32 i = 1; i < RESOURCE_COUNT; i++) names[i - 1] = ent_resource_suffix(i);
    key_report(b, m, "unknown resource type", "", names, RESOURCE_COUNT - 1);
    return RESOURCE_NONE;
}

/* Limits of each resource of a type. */
static void each_hold(Budget* b, const JsonToken* m) {
    const ResourceType type = type_read(b, m);
    if (type == RESOURCE_NONE) return;
    if (json_token_is(m, JSON_OBJECT)) {
        limits_read(b, m, type, NULL);
        return;
    }
    diag_error(b->report->build->diag, E0202, b->source, json_token_offset(b->source, m), 1,
               "the budget of each resource of a type must be an object of limits, such as { "
               "\"entities\": 1000 }, not %s",
               json_kind_name(json_token_kind(m)));
}

static void type_hold(Budget* b, const JsonToken* m) {
    const ResourceType type = type_read(b, m);
    if (type == RESOURCE_NONE) return;
    Report*     r = b->report;
    const char* what =
        arena_print(&r->arena, "all resources of type %s", ent_resource_suffix(type));
    budget_hold(b, m, what, r->types[type].bytes, worst_of(r, type, NULL, NULL));
}

static void component_hold(Budget* b, const JsonToken* m) {
    Report*         r = b->report;
    const Registry* registry = &r->build->registry;
    const u32       type = registry_find(registry, json_token_key(m));
    if (type == NONE) {
        key_report(b, m, "unknown component type", "", registry->names, registry->count);
        return;
    }
    const char*   name = registry->names[type];
    const Weight* w = size_named(r->components.at, r->components.count, text_of(name));
    budget_hold(b, m, arena_print(&r->arena, "the component %s", name), w ? w->bytes : 0,
                worst_of(r, RESOURCE_NONE, name, NULL));
}

static void prefab_hold(Budget* b, const JsonToken* m) {
    Report*     r = b->report;
    const Text  key = json_token_key(m).raw;
    const Row*  row = row_named(r, key);
    const char* name = arena_text(&r->arena, key);
    if (!row || row->product->type != RESOURCE_ENTITY) {
        resource_hold(b, m); /* which reports that there is none */
        return;
    }
    const Weight* w = size_named(r->prefabs.at, r->prefabs.count, key);
    budget_hold(b, m, arena_print(&r->arena, "all instances of the prefab %s", name),
                w ? w->bytes : 0, worst_of(r, RESOURCE_NONE, NULL, name));
}

static const struct BudgetPart {
    const char* name;
    void (*hold)(Budget* budget, const JsonToken* member);
} parts[] = {
    {"types", type_hold},     {"each", each_hold},          {"components", component_hold},
    {"prefabs", prefab_hold}, {"resources", resource_hold},
};

static void part_read(Budget* b, const JsonToken* value, const struct BudgetPart* part) {
    if (!json_token_is(value, JSON_OBJECT)) {
        diag_error(b->report->build->diag, E0202, b->source, json_token_offset(b->source, value), 1,
                   "%s must be an object of names and sizes in bytes, not %s", part->name,
                   json_kind_name(json_token_kind(value)));
        return;
    }
    for (const JsonToken* m = json_first(value); m; m = json_next(m)) {
        if (!json_key_is_note(json_token_key(m))) part->hold(b, m);
    }
}

static void budget_member(Budget* b, const JsonToken* m) {
    const char* names[COUNT_OF(parts) + 1] = {"total"};
    for (u32 i = 0; i < COUNT_OF(parts); i++) names[i + 1] = parts[i].name;
    if (json_key_is_note(json_token_key(m))) return;
    if (json_key_is(m, "total")) {
        Report* r = b->report;
        budget_hold(b, m, "all outputs", r->bytes, worst_of(r, RESOURCE_NONE, NULL, NULL));
        return;
    }
    for (u32 i = 0; i < COUNT_OF(parts); i++) {
        if (!json_key_is(m, parts[i].name)) continue;
        part_read(b, m, &parts[i]);
        return;
    }
    key_report(b, m, "unknown key", " in a budget", names, COUNT_OF(names));
}

static int breach_order(const void* a, const void* b) {
    const Breach *x = a, *y = b;
    if (x->over != y->over) return x->over > y->over ? -1 : 1;
    return x->offset < y->offset ? -1 : 1;
}

/* Reported in the order of the file, as all diagnostics; a note marks the budget that is exceeded
 * most. */
static void breaches_report(Budget* b) {
    const u32 count = b->breaches.count;
    u32       sizes = 0;
    if (count == 0) return;
    for (u32 i = 0; i < count; i++) sizes += b->breaches.at[i].over > 0;
    qsort(b->breaches.at, count, sizeof(Breach), breach_order);
    for (u32 i = 0; i < count; i++) {
        const Breach* breach = &b->breaches.at[i];
        diag_error(b->report->build->diag, E0601, b->source, breach->offset, breach->bytes, "%s",
                   breach->message);
        if (breach->worst) diag_note(b->report->build->diag, NULL, 0, 0, "%s", breach->worst);
        for (u32 k = 0; k < breach->other_count; k++)
            diag_note(b->report->build->diag, NULL, 0, 0, "%s", breach->others[k]);
        if (i == 0 && sizes > 1)
            diag_note(b->report->build->diag, NULL, 0, 0,
                      "of the %u exceeded budgets%s, this one is exceeded by the largest amount",
                      sizes, sizes < count ? " of bytes" : "");
    }
}

static int budget_check(Report* r, const char* path) {
    Build*     b = r->build;
    Budget     budget = {.report = r, .source = ARENA_NEW(&b->arena, Source, 1)};
    const u32  errors = diag_error_count(b->diag);
    JsonTokens tokens;
    if (file_map(&b->budget, path) != ENT_OK) return io_failure("cannot read the budget", path);
    *budget.source = source_of(path, (const char*)b->budget.bytes, (u32)b->budget.size);
    if (lfs_is_pointer(b->budget.bytes, b->budget.size)) {
        diag_error(b->diag, E0110, budget.source, 0, 1,
                   "the file cannot be read: " LFS_POINTER_TEXT);
        return EXIT_INVALID;
    }
    if (json_tokens_open(&tokens, budget.source, b->diag)) {
        const JsonToken* root = json_tokens_root(&tokens);
        if (!json_token_is(root, JSON_OBJECT))
            diag_error(b->diag, E0202, budget.source, 0, 1, "a budget must be an object, not %s",
                       json_kind_name(json_token_kind(root)));
        for (const JsonToken* m = json_token_is(root, JSON_OBJECT) ? json_first(root) : NULL; m;
             m = json_next(m))
            budget_member(&budget, m);
    }
    json_tokens_close(&tokens);
    breaches_report(&budget);
    array_drop(&budget.breaches);
    return diag_error_count(b->diag) == errors ? EXIT_OK : EXIT_INVALID;
}

int build_estimate(Build* b) {
    const BuildOptions* o = b->options;
    Report              r = {.build = b};
    if (!o->report && !o->budget) return EXIT_OK;
    int code = all_sizes(&r);
    int written = EXIT_OK;
    if (code == EXIT_OK && o->budget) code = budget_check(&r, o->budget);
    if (code != EXIT_IO && o->report && build_writes(o)) {
        written = report_write(&r, o->report);
    }
    for (u32 i = 0; i < b->products.count; i++) {
        array_drop(&r.row[i].components);
        array_drop(&r.row[i].prefabs);
        contents_drop(&r.contents[i]);
    }
    array_drop(&r.components);
    array_drop(&r.prefabs);
    arena_drop(&r.arena);
    return code != EXIT_OK ? code : written;
}
