/* info.c - `entc info`: counts and sizes of the sections of a blob, a folder or a bundle. */
#include "inspect_text.h"

#include <stdlib.h>

#include "bundles.h"
#include "exit_codes.h"
#include "hash.h"
#include "pretty.h"
#include "slots.h"

typedef struct Sum {
    u32  kind, identifier, order; /* of a section */
    char name[64];
    u64  blobs, count, bytes;
} Sum;

typedef struct Info {
    const BlobOptions* options;
    u64                max; /* bytes of all resources of a bundle */
    bool               json;
    Sum                type[RESOURCE_COUNT];
    ARRAY(Sum) sections;
    Slots slots;                /* of `sections`, by kind and identifier, until they are sorted */
    u64   blobs, bytes, inside; /* `inside`: bytes of sections */
} Info;

static void sum_name(Sum* sum, const BlobSection* s, const ComponentType* type) {
    if (s->kind == SECTION_COMPONENT && !type)
        snprintf(sum->name, sizeof sum->name, "component 0x%08x", s->identifier);
    else
        snprintf(sum->name, sizeof sum->name, "%s",
                 type ? type->record.name : section_name(s->kind));
}

static u64 section_hash(u32 kind, u32 identifier) {
    const u32 key[] = {kind, identifier};
    return hash_bytes(key, sizeof key, 0);
}

static void slots_extend(Info* info) {
    slots_grow(&info->slots, 64);
    for (u32 i = 0; i < info->sections.count; i++) {
        const Sum* sum = &info->sections.at[i];
        *slots_free(&info->slots, section_hash(sum->kind, sum->identifier)) = i + 1;
    }
}

/* Any number of blobs may each have component types of their own, so that a search in a list would take
 * the square of their number. */
static Sum* info_section(Info* info, const BlobFile* file, const BlobSection* s) {
    if (slots_are_full(&info->slots, info->sections.count)) slots_extend(info);
    u32* slot = slots_first(&info->slots, section_hash(s->kind, s->identifier));
    for (; *slot; slot = slots_next(&info->slots, slot)) {
        Sum* sum = &info->sections.at[*slot - 1];
        if (sum->kind == s->kind && sum->identifier == s->identifier) return sum;
    }
    const ComponentType* type = known_type_find(&file->known, s->identifier);
    Sum*                 sum = array_push(&info->sections);
    *slot = info->sections.count;
    *sum = (Sum){.kind = s->kind, .identifier = s->identifier, .order = type ? type->order : NONE};
    sum_name(sum, s, type);
    return sum;
}

static void sum_add(Sum* sum, u64 count, u64 bytes) {
    sum->blobs++, sum->count += count, sum->bytes += bytes;
}

static void info_add(Info* info, const BlobFile* file) {
    const Blob*       blob = &file->blob;
    const BlobHeader* h = blob->header;
    info->blobs++, info->bytes += blob->size;
    sum_add(&info->type[h->resource_type], h->element_count, blob->size);
    for (u32 i = 0; i < h->section_count; i++) {
        const BlobSection* s = &blob->section[i];
        sum_add(info_section(info, file, s), s->count, s->bytes);
        info->inside += s->bytes;
    }
}

static int info_visit(void* user, const char* path) {
    BlobFile  file;
    const int code = blob_file_open(&file, path, ((Info*)user)->options);
    if (code != EXIT_OK) return code;
    file_types_report(&file);
    info_add(user, &file);
    blob_file_close(&file);
    return EXIT_OK;
}

static int sums_compare(const void* a, const void* b) {
    const Sum *x = a, *y = b;
    if (x->kind != y->kind) return x->kind < y->kind ? -1 : 1;
    if (x->order != y->order) return x->order < y->order ? -1 : 1;
    return x->identifier < y->identifier ? -1 : x->identifier > y->identifier;
}

static void sum_print(const char* name, const Sum* sum) {
    printf("%-24s %8llu %12llu %14llu\n", name, (unsigned long long)sum->blobs,
           (unsigned long long)sum->count, (unsigned long long)sum->bytes);
}

static void sections_sort(Info* info) {
    if (info->sections.count > 1) {
        qsort(info->sections.at, info->sections.count, sizeof(Sum), sums_compare);
    }
}

static void sections_print(Info* info) {
    sections_sort(info);
    printf("%-24s %8s %12s %14s\n", "section", "blobs", "count", "bytes");
    for (u32 i = 0; i < info->sections.count; i++) {
        sum_print(info->sections.at[i].name, &info->sections.at[i]);
    }
    printf("%-24s %8s %12s %14llu\n", "headers and padding", "", "",
           (unsigned long long)(info->bytes - info->inside));
    printf("%-24s %8llu %12s %14llu\n", "total", (unsigned long long)info->blobs, "",
           (unsigned long long)info->bytes);
}

/* --- JSON --- */

/* `count`: the key of the number of elements or rows. */
static void sum_json(Pretty* w, const char* name, const Sum* sum, const char* count) {
    pretty_object(w, NULL);
    pretty_text(w, "name", name);
    pretty_number(w, "blobs", (f64)sum->blobs);
    pretty_number(w, count, (f64)sum->count);
    pretty_number(w, "bytes", (f64)sum->bytes);
    pretty_end(w);
}

static void sums_json(Pretty* w, Info* info) {
    pretty_array(w, "types");
    for (u32 i = RESOURCE_NONE + 1; i < RESOURCE_COUNT; i++) {
        if (info->type[i].blobs) sum_json(w, ent_resource_suffix(i), &info->type[i], "elements");
    }
    pretty_end(w);
    sections_sort(info);
    pretty_array(w, "sections");
    for (u32 i = 0; i < info->sections.count; i++) {
        sum_json(w, info->sections.at[i].name, &info->sections.at[i], "count");
    }
    pretty_end(w);
    pretty_number(w, "headers_and_padding_bytes", (f64)(info->bytes - info->inside));
    pretty_number(w, "blobs", (f64)info->blobs);
    pretty_number(w, "bytes", (f64)info->bytes);
}

static void header_json(Pretty* w, const BlobFile* file) {
    const BlobHeader* h = file->blob.header;
    char              id[24];
    snprintf(id, sizeof id, "0x%016llx", (unsigned long long)resource_id(h->resource));
    pretty_text(w, "type", ent_resource_suffix(h->resource_type));
    pretty_text(w, "id", id);
    pretty_text(w, "byte_order", byte_order_text(file->other_order));
}

static Pretty json_begin(const char* path) {
    Pretty w = {.out = stdout};
    pretty_object(&w, NULL);
    pretty_text(&w, "path", path);
    return w;
}

/* --- folders and bundles --- */

static int info_bundle_visit(void* user, const BundleFile* file, const BundleResource* resource,
                             const BlobFile* blob, u32 place) {
    UNUSED(file);
    UNUSED(resource);
    UNUSED(place);
    info_add(user, blob);
    return EXIT_OK;
}

static int info_bundle(Info* info, const char* path) {
    const BundleVisitor add = {.visit = info_bundle_visit, .user = info};
    BundleFile          file;
    int                 code = bundle_file_open(&file, path);
    if (code != EXIT_OK) return code;
    code = bundle_file_count(&file, path, info->max);
    if (code == EXIT_OK) code = bundle_each(&file, path, info->options, NULL, &add);
    bundle_file_close(&file);
    return code;
}

/* For a folder or a bundle. */
static int info_many(Info* info, const char* path, bool bundle) {
    const int code = bundle ? info_bundle(info, path) : paths_each(path, info_visit, info);
    if (info->json) {
        Pretty w = json_begin(path);
        sums_json(&w, info);
        pretty_end(&w);
        return code;
    }
    printf("%-24s %8s %12s %14s\n", "type", "blobs", "elements", "bytes");
    for (u32 i = RESOURCE_NONE + 1; i < RESOURCE_COUNT; i++) {
        if (info->type[i].blobs) sum_print(ent_resource_suffix(i), &info->type[i]);
    }
    printf("\n");
    sections_print(info);
    return code;
}

static void blob_json(Info* info, const BlobFile* file, const char* path) {
    Pretty w = json_begin(path);
    header_json(&w, file);
    sums_json(&w, info);
    groups_json(&w, &file->blob);
    pretty_end(&w);
}

static void blob_print(Info* info, const BlobFile* file, const char* path) {
    const BlobHeader* h = file->blob.header;
    printf("%s: %s 0x%016llx, %zu bytes, %u %s, byte order %s\n\n", path,
           ent_resource_suffix(h->resource_type), (unsigned long long)resource_id(h->resource),
           file->size, h->element_count, element_noun(h->resource_type, h->element_count),
           byte_order_text(file->other_order));
    sections_print(info);
    groups_print(&file->blob);
}

static int info_blob(Info* info, const char* path) {
    BlobFile  file;
    const int code = blob_file_open(&file, path, info->options);
    if (code != EXIT_OK) return code;
    file_types_report(&file);
    info_add(info, &file);
    if (info->json)
        blob_json(info, &file, path);
    else
        blob_print(info, &file, path);
    blob_file_close(&file);
    return EXIT_OK;
}

int inspect_info(const char* path, const BlobOptions* options, u64 max, bool json) {
    Info     info = {.options = options, .max = max, .json = json};
    PathForm form;
    int      code = path_form(path, &form);
    if (code != EXIT_OK) return code;
    const bool is_one = form == PATH_BLOB || form == PATH_INDEX;
    code = is_one ? info_blob(&info, path) : info_many(&info, path, form == PATH_BUNDLE);
    array_drop(&info.sections);
    slots_drop(&info.slots);
    return code;
}
