/* measure.c - see measure.h. */
#include "measure.h"

#include <stdlib.h>

#include "mesh_data.h"
#include "sections.h"
#include "swap.h"

#define MEASURE_ROW(name, key, text, types) {key, text, types},
const MeasureInfo measures[MEASURE_COUNT] = {MEASURES(MEASURE_ROW)};
#undef MEASURE_ROW

/* --- one blob --- */

typedef struct Reader {
    Contents*       contents;
    const Registry* registry;
    const u8*       bytes; /* [size] */
    size_t          size;
    bool            flip;
} Reader;

static u32 word_of(const Reader* r, u64 offset) {
    u32 word;
    memcpy(&word, r->bytes + offset, 4);
    return word_read(word, r->flip);
}

static u64 id_of(const Reader* r, u64 offset) {
    return (u64)word_of(r, offset + 4) << 32 | word_of(r, offset);
}

static BlobSection section_of(const Reader* r, u64 offset) {
    BlobSection s;
    u32         word[sizeof s / 4];
    for (u32 i = 0; i < COUNT_OF(word); i++) word[i] = word_of(r, offset + i * 4);
    memcpy(&s, word, sizeof s);
    return s;
}

/* Rows of [count] records of this size that are inside of the section. */
static u32 rows_of(const BlobSection* s, u32 record_bytes) {
    return MIN_OF(s->count, s->bytes / record_bytes);
}

static void parts_read(Reader* r, const BlobSection* s) {
    static const u32 indices[] = {3, 2, 1}; /* of an element of each topology */
    const u32        count = rows_of(s, sizeof(MeshPartRecord));
    r->contents->draw_calls = count;
    for (u32 i = 0; i < count; i++) {
        const u64 at = s->offset + (u64)i * sizeof(MeshPartRecord);
        const u32 topology = word_of(r, at + offsetof(MeshPartRecord, topology));
        const u32 used = word_of(r, at + offsetof(MeshPartRecord, index_count));
        if (topology < COUNT_OF(indices) && indices[topology] == 3)
            r->contents->triangles += used / 3;
    }
}

static void needs_read(Reader* r, const BlobSection* s) {
    const u32 count = rows_of(s, sizeof(ReferenceRecord));
    for (u32 i = 0; i < count; i++)
        *array_push(&r->contents->needs) = id_of(r, s->offset + (u64)i * sizeof(ReferenceRecord));
}

/* The references to meshes in one field of all instances. */
static void field_read(Reader* r, const BlobSection* s, const ComponentType* type, u32 field) {
    const Field* f = &type->record.fields[field];
    const u32    column = type->columns == BY_FIELD ? field : 0;
    const u64    start = component_column_start(type, s->count, column) + f->offset -
                      ent_component_column_offset(type, column);
    const u32 row_bytes = ent_component_column_bytes(type, column);
    for (u32 i = 0; i < s->count; i++) {
        for (u32 k = 0; k < f->bytes; k += (u32)sizeof(ResourceRef)) {
            const u64 at = start + (u64)i * row_bytes + k;
            const u64 id = at + 8 <= s->bytes ? id_of(r, s->offset + at) : 0;
            if (id) *array_push(&r->contents->meshes) = id;
        }
    }
}

static void instances_read(Reader* r, const BlobSection* s) {
    for (u32 i = 0; i < r->registry->count; i++) {
        const ComponentType* type = r->registry->types[i];
        if (type->id != s->identifier || type->layout != s->layout || s->count > 1u << 28) continue;
        for (u32 f = 0; f < type->record.field_count; f++) {
            const Field* field = &type->record.fields[f];
            if (field_form(field) == FORM_RESOURCE && field->refers_to == RESOURCE_MESH)
                field_read(r, s, type, f);
        }
    }
}

static int id_order(const void* a, const void* b) {
    const u64 x = *(const u64*)a, y = *(const u64*)b;
    return x < y ? -1 : x > y;
}

void contents_read(Contents* contents, const Registry* registry, const u8* bytes, size_t size) {
    BlobHeader header;
    Reader     r = {contents, registry, bytes, size, false};
    contents->bytes = size;
    if (size < sizeof header) return;
    memcpy(&header, bytes, sizeof header);
    r.flip = header.byte_order != BLOB_BYTE_ORDER;
    const u32 type = word_read(header.resource_type, r.flip);
    if (type == RESOURCE_ENTITY || type == RESOURCE_LEVEL)
        contents->entities = word_read(header.element_count, r.flip);
    const u64 rows = MIN_OF((u64)word_read(header.section_count, r.flip),
                            (size - sizeof header) / sizeof(BlobSection));
    for (u64 i = 0; i < rows; i++) {
        const BlobSection s = section_of(&r, sizeof header + i * sizeof(BlobSection));
        if ((u64)s.offset + s.bytes > size) continue;
        if (s.kind == SECTION_MESH_PART) parts_read(&r, &s);
        if (s.kind == SECTION_TEXTURE_DATA) contents->texture_bytes = s.bytes;
        if (s.kind == SECTION_REFERENCE) needs_read(&r, &s);
        if (s.kind == SECTION_COMPONENT) instances_read(&r, &s);
    }
    if (contents->meshes.count)
        qsort(contents->meshes.at, contents->meshes.count, sizeof(u64), id_order);
}

void contents_drop(Contents* contents) {
    array_drop(&contents->needs);
    array_drop(&contents->meshes);
}

/* --- sums --- */

static u32 product_with(const Build* b, u64 id) {
    const u32* slot = slots_first(&b->product_slots, id);
    while (*slot && b->products.at[*slot - 1].id != id) slot = slots_next(&b->product_slots, slot);
    return *slot - 1; /* NONE: there is none */
}

static void contribution_add(Measured* m, const Product* from, u64 sum, u32 instances) {
    m->sum += sum;
    if (sum <= m->max_sum) return;
    m->max = from, m->max_sum = sum, m->instances = instances;
}

/* The meshes of all instances, which are in the order of their ids. */
static Measured meshes_measure(const Build* b, const Contents* contents, const Contents* of,
                               bool triangles) {
    Measured m = {0};
    for (u32 first = 0, end; first < of->meshes.count; first = end) {
        const u64 id = of->meshes.at[first];
        for (end = first + 1; end < of->meshes.count && of->meshes.at[end] == id;) end++;
        const u32 at = product_with(b, id);
        if (at == NONE) continue;
        const u64 each = triangles ? contents[at].triangles : contents[at].draw_calls;
        contribution_add(&m, &b->products.at[at], each * (end - first), end - first);
    }
    return m;
}

static Measured textures_measure(const Build* b, const Contents* contents, u32 first) {
    Measured m = {0};
    u8*      seen = memory_alloc(b->products.count);
    ARRAY(u32) queue = {0};
    *array_push(&queue) = first;
    seen[first] = 1;
    for (u32 i = 0; i < queue.count; i++) {
        const u32       at = queue.at[i];
        const Contents* c = &contents[at];
        contribution_add(&m, at == first ? NULL : &b->products.at[at], c->texture_bytes, 0);
        for (u32 k = 0; k < c->needs.count; k++) {
            const u32 next = product_with(b, c->needs.at[k]);
            if (next == NONE || seen[next]) continue;
            seen[next] = 1;
            *array_push(&queue) = next;
        }
    }
    array_drop(&queue);
    memory_free(seen);
    return m;
}

Measured product_measure(const Build* b, const Contents* contents, const Product* p,
                         Measure measure) {
    const u32       at = (u32)(p - b->products.at);
    const Contents* c = &contents[at];
    const bool      is_mesh = p->type == RESOURCE_MESH;
    switch (measure) {
    case MEASURE_ENTITIES: return (Measured){.sum = c->entities};
    case MEASURE_DRAW_CALLS:
        return is_mesh ? (Measured){.sum = c->draw_calls} : meshes_measure(b, contents, c, false);
    case MEASURE_TRIANGLES:
        return is_mesh ? (Measured){.sum = c->triangles} : meshes_measure(b, contents, c, true);
    case MEASURE_TEXTURE_BYTES: return textures_measure(b, contents, at);
    default: return (Measured){.sum = c->bytes};
    }
}
