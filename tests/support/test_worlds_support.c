/* test_worlds_support.c - blobs in memory, random records, counting allocators. */
#include "test_worlds_support.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "hash.h"
#include "sections.h"

/* --- random --- */

u32 random_next(Random* r) {
    /* splitmix64 */
    u64 z = r->state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (u32)(z >> 32);
}

u32 random_below(Random* r, u32 limit) {
    return limit ? (u32)((u64)random_next(r) * limit >> 32) : 0;
}

f32 random_float(Random* r, f32 lo, f32 hi) {
    const f64 share = random_next(r) / 4294967295.0;
    const f32 v = (f32)(lo + ((f64)hi - lo) * share);
    return v < lo ? lo : v > hi ? hi : v;
}

u64 test_seed(const char* what, u64 usual) {
    const char* given = getenv("TEST_SEED");
    const u64   seed = given ? strtoull(given, NULL, 0) : usual;
    print_message("%s: TEST_SEED=%llu\n", what, (unsigned long long)seed);
    return seed;
}

static void random_quat(Random* r, f32* q) {
    f64 v[4], square = 0;
    do {
        square = 0;
        for (u32 i = 0; i < 4; i++) {
            v[i] = random_float(r, -1, 1);
            square += v[i] * v[i];
        }
    } while (square < 0.01 || square > 1);
    for (u32 i = 0; i < 4; i++) q[i] = (f32)(v[i] / sqrt(square));
}

void random_field(Random* r, const Field* f, u32 entity_count, void* words) {
    f32 number[4];
    u32 complete;
    if (f->kind == FIELD_Quat) {
        random_quat(r, number);
        memcpy(words, number, sizeof number);
    } else if (field_is_float(f)) {
        const f32 lo = f->lo < -1e30 ? -100.0f : (f32)f->lo;
        const f32 hi = f->hi > 1e30 ? 100.0f : (f32)f->hi;
        for (u32 i = 0; i < field_words(f); i++) number[i] = random_float(r, lo, hi);
        memcpy(words, number, f->bytes);
    } else if (f->kind == FIELD_ResourceRef) {
        ResourceRef ref = {0, 0};
        u32         row = 0;
        while (row < TEST_REFERENCES && test_reference_type(row) != f->refers_to) row++;
        assert_true(row < TEST_REFERENCES);
        if (f->required || random_below(r, 4)) ref = test_reference(row);
        memcpy(words, &ref, sizeof ref);
    } else {
        const f64 span = f->hi - f->lo;
        if (f->kind == FIELD_EntityRef)
            complete = random_below(r, 4) ? random_below(r, entity_count) : NONE;
        else if (f->kind == FIELD_Enum32)
            complete = random_below(r, f->text_count);
        else if (f->kind == FIELD_Bool32)
            complete = random_below(r, 2);
        else
            complete =
                span >= 4294967295.0 ? random_next(r) : (u32)f->lo + random_below(r, (u32)span + 1);
        memcpy(words, &complete, sizeof complete);
    }
}

void random_record(Random* r, const RecordType* type, u32 entity_count, void* record) {
    for (u32 i = 0; i < type->field_count; i++) {
        random_field(r, &type->fields[i], entity_count, (u8*)record + type->fields[i].offset);
    }
}

/* --- references --- */

static const struct {
    const char*  name;
    ResourceType type;
} reference_source[TEST_REFERENCES] = {
    {"models/box", RESOURCE_MESH},  {"models/man", RESOURCE_SKELETON},
    {"models/walk", RESOURCE_CLIP}, {"models/clay", RESOURCE_MATERIAL},
    {"models/ball", RESOURCE_MESH}, {"models/wood", RESOURCE_TEXTURE}};

/* Rows of the source in the order of their ids. */
static u32 reference_row(u32 row) {
    u64 id[TEST_REFERENCES];
    for (u32 i = 0; i < TEST_REFERENCES; i++) {
        id[i] = resource_id(ent_resource_ref(reference_source[i].name, reference_source[i].type));
    }
    for (u32 i = 0; i < TEST_REFERENCES; i++) {
        u32 before = 0;
        for (u32 k = 0; k < TEST_REFERENCES; k++) before += id[k] < id[i];
        if (before == row) return i;
    }
    return 0;
}

ResourceRef test_reference(u32 row) {
    const u32 i = reference_row(row);
    return ent_resource_ref(reference_source[i].name, reference_source[i].type);
}

u32 test_reference_type(u32 row) { return reference_source[reference_row(row)].type; }

const char* test_reference_name(u32 row) { return reference_source[reference_row(row)].name; }

static void references_add(Output* out) {
    ReferenceRecord record[TEST_REFERENCES];
    char            text[256];
    u32             bytes = 0;
    for (u32 i = 0; i < TEST_REFERENCES; i++) {
        const char*  name = test_reference_name(i);
        const size_t length = strlen(name) + 1;
        record[i] = (ReferenceRecord){test_reference(i), test_reference_type(i), bytes};
        memcpy(text + bytes, name, length);
        bytes += (u32)length;
    }
    output_section(out, SECTION_REFERENCE, record, TEST_REFERENCES);
    output_section(out, SECTION_REFERENCE_NAME, text, bytes);
}

/* --- blobs --- */

Target target_native(void) {
    const u32 one = 1;
    u8        first;
    memcpy(&first, &one, 1);
    return first ? TARGET_LITTLE : TARGET_BIG;
}

Target target_other(void) { return target_native() == TARGET_LITTLE ? TARGET_BIG : TARGET_LITTLE; }

Bytes output_bytes(Output* out, Target target, const BlobOptions* options) {
    const BlobOptions built_in = {0};
    Bytes             bytes;
    if (!options) options = &built_in;
    assert_true(output_finish(out, target, options, &bytes.at, &bytes.size));
    return bytes;
}

void bytes_free(Bytes* bytes) {
    memory_free(bytes->at);
    *bytes = (Bytes){0};
}

static void part_add(Output* out, const LevelPart* part) {
    const u32 bytes = part->type->record.bytes;
    if (part->count == 0) return;
    output_component(out, part->type, part->count);
    memcpy(output_owners(out, part->type), part->owner, sizeof(u32) * part->count);
    for (u32 c = 0; c < ent_component_column_count(part->type); c++) {
        const u32 element = ent_component_column_bytes(part->type, c);
        const u32 offset = ent_component_column_offset(part->type, c);
        u8*       to = output_column(out, part->type, c);
        for (u32 i = 0; i < part->count; i++) {
            memcpy(to + (size_t)i * element, (const u8*)part->records + (size_t)i * bytes + offset,
                   element);
        }
    }
}

static void names_add(Output* out, u32 count, const char* const* names) {
    u32*  offset = malloc(sizeof(u32) * (count + 1));
    char* text = malloc((size_t)count * 32 + 1);
    u32   bytes = 0;
    for (u32 i = 0; i < count; i++) {
        char number[16];
        snprintf(number, sizeof number, "e%u", i);
        offset[i] = bytes;
        bytes += (u32)snprintf(text + bytes, 32, "%s", names ? names[i] : number) + 1;
    }
    output_section(out, SECTION_NAME_OFFSET, offset, count);
    output_section(out, SECTION_NAME, text, bytes);
    free(offset);
    free(text);
}

#define GROUPS_MAX 64

static int group_order(const void* a, const void* b) {
    const GroupRecord *x = a, *y = b;
    return x->id < y->id ? -1 : x->id > y->id;
}

/* Before sorting, `name` is the number in it. */
static void groups_add(Output* out, const u32* first, u32 count, bool names) {
    GroupRecord row[GROUPS_MAX];
    char        text[GROUPS_MAX * 12], name[12];
    u32         bytes = 0;
    assert_true(count <= GROUPS_MAX);
    for (u32 i = 0; i < count; i++) {
        snprintf(name, sizeof name, "g%u", i);
        row[i] = (GroupRecord){hash_name(text_of(name)), 0, i};
    }
    qsort(row, count, sizeof *row, group_order);
    for (u32 i = 0; i < count; i++) {
        const u32 number = row[i].name;
        row[i].first = first[i];
        row[i].name = names ? bytes : 0;
        bytes += (u32)sprintf(text + bytes, "g%u", number) + 1;
    }
    output_section(out, SECTION_GROUP, row, count);
    if (names) output_section(out, SECTION_GROUP_NAME, text, bytes);
}

typedef struct Extras {
    const char* const* names;       /* [entities], or NULL */
    const u32*         group_first; /* [group_count] */
    u32                group_count;
} Extras;

static Bytes level_write(const Level* level, Extras extras, Target target,
                         const BlobOptions* options) {
    Output out;
    output_begin(&out, level->resource, text_of("levels/test"), level->entity_count,
                 level->part_count + 7);
    u32* parent = output_section(&out, SECTION_PARENT, level->parent, level->entity_count);
    for (u32 i = 0; i < level->entity_count && !level->parent; i++) parent[i] = NONE;
    for (u32 i = 0; i < level->part_count; i++) part_add(&out, &level->part[i]);
    if (extras.names || level->names) names_add(&out, level->entity_count, extras.names);
    if (level->references) references_add(&out);
    if (extras.group_count) {
        groups_add(&out, extras.group_first, extras.group_count, level->names);
    }
    return output_bytes(&out, target, options);
}

Bytes level_bytes(const Level* level, Target target, const BlobOptions* options) {
    return level_write(level, (Extras){0}, target, options);
}

Bytes level_bytes_named(const Level* level, const char* const* names, Target target,
                        const BlobOptions* options) {
    return level_write(level, (Extras){.names = names}, target, options);
}

Bytes level_bytes_in_groups(const Level* level, const u32* first, u32 count, Target target,
                            const BlobOptions* options) {
    const Extras extras = {.group_first = first, .group_count = count};
    return level_write(level, extras, target, options);
}

void hash_fix(u8* bytes, size_t size) {
    const ResourceRef hash = resource_ref(blob_hash(bytes, size));
    memcpy(bytes + offsetof(BlobHeader, hash), &hash, sizeof hash);
}

Blob blob_valid(Bytes bytes, const BlobOptions* options) {
    Blob             blob;
    BlobFault        fault;
    const ent_status status = ent_blob_open(&blob, bytes.at, bytes.size, options, &fault);
    if (status != ENT_OK) print_error("%s: %s\n", fault.field, fault.reason);
    assert_int_equal(status, ENT_OK);
    return blob;
}

/* --- component types that are not in the list --- */

#define PLUGIN_TABLE(name, Type, NAME, order, several, columns, lookup)                            \
    static const Field name##_fields[] = {NAME##_FIELDS(FIELD_ROW, Type##Record)};
PLUGIN_LIST(PLUGIN_TABLE)

#define PLUGIN_ROW(name, Type, NAME, order, several, columns, lookup)                              \
    {{#name, name##_fields, (u32)COUNT_OF(name##_fields), (u32)sizeof(Type##Record)},              \
     0,                                                                                            \
     0,                                                                                            \
     order,                                                                                        \
     several,                                                                                      \
     columns,                                                                                      \
     lookup,                                                                                       \
     NULL,                                                                                         \
     0},

const ComponentType* plugin_types(void) {
    static ComponentType types[] = {PLUGIN_LIST(PLUGIN_ROW)};
    for (u32 i = 0; i < PLUGIN_COUNT; i++) ent_component_type_finish(&types[i]);
    return types;
}

const ComponentType* const* all_types(void) {
    static const ComponentType* type[ALL_TYPES];
    for (u32 i = 0; i < ALL_TYPES; i++) {
        const ComponentType* add =
            i < COMPONENT_COUNT ? &ent_component_types()[i] : &plugin_types()[i - COMPONENT_COUNT];
        u32 at = i;
        for (; at > 0 && type[at - 1]->order > add->order; at--) type[at] = type[at - 1];
        type[at] = add;
    }
    return type;
}

BlobOptions all_options(void) {
    return (BlobOptions){.types = all_types(), .type_count = ALL_TYPES};
}

/* --- guarded memory --- */

void guard_open(Guard* guard, size_t room) {
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const size_t bytes = (size_t)align_up(room, page);
    const int    fd = open("/dev/zero", O_RDWR);
    assert_true(fd >= 0);
    guard->mapped = bytes + page;
    guard->memory = mmap(NULL, guard->mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
    close(fd);
    assert_true(guard->memory != MAP_FAILED);
    guard->end = guard->memory + bytes;
    assert_int_equal(mprotect(guard->end, page, PROT_NONE), 0);
}

void guard_close(Guard* guard) {
    munmap(guard->memory, guard->mapped);
    *guard = (Guard){0};
}

u8* guard_at(const Guard* guard, size_t size) { return guard->end - align_up(size, 16); }

/* --- allocators --- */

static void* counting_alloc(void* user, size_t bytes) {
    CountingAllocator* a = user;
    void*              at;
    a->allocations++;
    if (a->fail_at &&
        (a->allocations == a->fail_at || (a->fail_after && a->allocations > a->fail_at))) {
        a->refused++;
        return NULL;
    }
    assert_true(a->live_blocks < COUNT_OF(a->block));
    /* Exactly the requested size, so that memory checkers detect access after its end. */
    assert_int_equal(posix_memalign(&at, 64, bytes), 0);
    memset(at, 0xaa, bytes);
    a->block[a->live_blocks].at = at;
    a->block[a->live_blocks++].bytes = bytes;
    a->live_bytes += bytes;
    return at;
}

static void counting_free(void* user, void* at, size_t bytes) {
    CountingAllocator* a = user;
    u32                i = 0;
    while (i < a->live_blocks && a->block[i].at != at) i++;
    assert_true(i < a->live_blocks);
    assert_int_equal(a->block[i].bytes, bytes);
    a->block[i] = a->block[--a->live_blocks];
    a->live_bytes -= bytes;
    a->frees++;
    memset(at, 0x55, bytes);
    free(at);
}

HostAllocator counting_allocator(CountingAllocator* counting) {
    return (HostAllocator){counting_alloc, counting_free, counting};
}
