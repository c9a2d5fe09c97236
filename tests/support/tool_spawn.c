/* tool_spawn.c - a small host: opens blobs and bundles, spawns what can be spawned, and prints
 * the content as numbers, so that machines of both byte orders must print the same text.
 *
 *     tool_spawn FILE...      exit code 1 when one was refused; the reason goes to stderr */
#include "base.h"
#include "ent.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A value that depends on every bit of every number, and on their order. */
typedef struct Sum {
    u32    bits;
    double total;
} Sum;

static void sum_add(Sum* sum, u32 bits, double value) {
    sum->bits = (sum->bits ^ bits) * 16777619u;
    sum->bits ^= sum->bits >> 15;
    sum->total += value;
}

static void sum_words(Sum* sum, const void* at, u32 count, int floats) {
    for (u32 i = 0; i < count; i++) {
        u32 bits;
        f32 number;
        memcpy(&bits, (const unsigned char*)at + (size_t)i * 4, 4);
        memcpy(&number, &bits, 4);
        sum_add(sum, bits, floats ? (double)number : (double)bits);
    }
}

static int field_is_number(const Field* field) {
    return field->kind == FIELD_f32 || field->kind == FIELD_Vec2 || field->kind == FIELD_Vec3 ||
           field->kind == FIELD_Vec4 || field->kind == FIELD_Quat;
}

/* --- the content of a world --- */

static void print_manager(const Manager* m) {
    const ComponentType* type = &m->desc.type;
    Sum                  owners = {0}, values = {0};
    sum_words(&owners, m->entity, m->count, 0);
    for (u32 f = 0; f < type->record.field_count; f++) {
        const Field*         field = &type->record.fields[f];
        const u32            column = type->columns == BY_FIELD ? f : 0;
        const u32            stride = ent_component_column_bytes(type, column);
        const unsigned char* at = m->column[column];
        at += field->offset - ent_component_column_offset(type, column);
        for (u32 row = 0; row < m->count; row++) {
            sum_words(&values, at + (size_t)row * stride, field->bytes / 4, field_is_number(field));
        }
    }
    printf("  %s: %u, owners %08x, values %08x, sum %.6g\n", type->record.name, m->count,
           owners.bits, values.bits, values.total);
}

static void print_world(World* world, u32 element_count) {
    const TransformRows transforms = ent_transform_rows(world);
    Sum                 worlds = {0};
    printf("  entities %u of %u\n", ent_entity_count(world), element_count);
    for (u32 i = 0; i < ent_world_manager_count(world); i++) {
        const Manager* m = ent_world_manager_at(world, i);
        if (m->count > 0) print_manager(m);
    }
    sum_words(&worlds, ent_transform_worlds(world), transforms.count * 12, 1);
    printf("  depth %u, world matrices %.6g\n", ent_transform_depth(world), worlds.total);
}

/* The component types that the project declares: below the current folder, as paths are relative to
 * it. */
static ent_status declare_all(World* world, const Blob* blob) {
    const BlobSection*     references = ent_blob_section(blob, SECTION_REFERENCE);
    const ReferenceRecord* row = references ? ent_blob_data(blob, references) : NULL;
    for (u32 i = 0; references && i < references->count; i++) {
        Resource resource;
        char     path[300];
        if (row[i].type != RESOURCE_COMPONENT) continue;
        snprintf(path, sizeof path, "%s.component", ent_blob_reference_name(blob, i));
        TRY(ent_resource_open(&resource, path, NULL, NULL));
        const ent_status status = ent_world_declare(world, &resource.blob);
        ent_resource_close(&resource);
        if (status != ENT_OK) return status;
    }
    return ENT_OK;
}

static ent_status spawn_and_print(const Blob* blob) {
    World*     world;
    ent_status status = ent_world_create(&world, NULL);
    if (status != ENT_OK) return status;
    status = declare_all(world, blob);
    if (status == ENT_OK) status = ent_world_spawn(world, blob, NULL, NULL);
    if (status == ENT_OK) print_world(world, blob->header->element_count);
    ent_world_destroy(world);
    return status;
}

/* --- the content of a blob --- */

static void print_names(const Blob* blob) {
    const BlobSection* references = ent_blob_section(blob, SECTION_REFERENCE);
    if (ent_blob_section(blob, SECTION_NAME)) {
        for (u32 i = 0; i < blob->header->element_count; i++) {
            printf("  name %u \"%s\"\n", i, ent_blob_name(blob, i));
        }
    }
    for (u32 i = 0; references && i < references->count; i++) {
        printf("  refers to \"%s\"\n", ent_blob_reference_name(blob, i));
    }
}

static void print_sections(const Blob* blob) {
    printf("  type %u, id %08x%08x, %u bytes, %u sections\n", blob->header->resource_type,
           blob->header->resource.hi, blob->header->resource.lo, blob->header->blob_bytes,
           blob->header->section_count);
    for (u32 i = 0; i < blob->header->section_count; i++) {
        const BlobSection* s = &blob->section[i];
        Sum                words = {0};
        const u8*          data = ent_blob_data(blob, s);
        if (s->stride > 1) sum_words(&words, data, s->bytes / 4, 0);
        for (u32 k = 0; s->stride == 1 && k < s->bytes; k++) { /* text and pixels: bytes */
            const u32 byte = data[k];
            sum_words(&words, &byte, 1, 0);
        }
        printf("  section %u, identifier %08x, layout %08x, count %u, stride %u, words %08x\n",
               s->kind, s->identifier, s->layout, s->count, s->stride, words.bits);
    }
}

static ent_status blob_print(const char* name, const Blob* blob) {
    const u32 type = blob->header->resource_type;
    printf("%s\n", name);
    print_sections(blob);
    print_names(blob);
    return type == RESOURCE_ENTITY || type == RESOURCE_LEVEL ? spawn_and_print(blob) : ENT_OK;
}

/* Every resource of a bundle. */
static ent_status bundle_print(const char* path) {
    Library     library;
    const Blob* blob;
    ent_status  status = ent_library_open(&library, path, NULL);
    if (status != ENT_OK) return status;
    const Bundle* bundle = &library.bundle;
    for (u32 i = 0; i < bundle->header->resource_count && status == ENT_OK; i++) {
        const char* name = ent_bundle_name(bundle, &bundle->resource[i]);
        status = ent_library_resource(&library, name, bundle->resource[i].type, &blob);
        if (status == ENT_OK) status = blob_print(name, blob);
    }
    ent_library_close(&library);
    return status;
}

static int file_print(const char* path) {
    const char* dot = strrchr(path, '.');
    Resource    resource;
    ent_status  status;
    if (dot && strcmp(dot, ".pak") == 0) {
        status = bundle_print(path);
    } else {
        status = ent_resource_open(&resource, path, NULL, NULL);
        if (status == ENT_OK) status = blob_print(path, &resource.blob);
        if (status == ENT_OK) ent_resource_close(&resource);
    }
    if (status != ENT_OK) fprintf(stderr, "%s: %s\n", path, ent_status_text(status));
    return status != ENT_OK;
}

int main(int argc, char** argv) {
    int failed = argc < 2;
    if (argc < 2) fputs("usage: tool_spawn FILE...\n", stderr);
    for (int i = 1; i < argc; i++) failed |= file_print(argv[i]);
    return failed;
}
