/* patch.c - the differences between two blobs of one level.
 *
 * The same pass counts and, once the memory is allocated, writes: items of an array that is NULL
 * are only counted. */
#include "patch_internal.h"

#include "fields.h"
#include "host_internal.h"
#include "spawn_convert_internal.h"

/* The state while a patch is created: the matched entities, and temporary arrays. */
typedef struct Making {
    const Blob *old_blob, *new_blob;
    PatchSide   old_side, new_side;
    PatchPart*  part;      /* [types] */
    u32*        first_row; /* [old entities] of the current type; NONE between types */
    u32 *       old_parent, *new_parent; /* nearest ancestor with a transform, or NONE */
    u8 *        old_has, *new_has;       /* a transform */
    ConvertedRows**
           converted; /* [parts] instances of the old blob, from another declaration; or NULL */
    bool   is_same;   /* both blobs have the same entities, in the same places; */
    bool   has_same_texts;
    void*  memory;
    size_t bytes;
} Making;

/* --- equal blobs --- */

/* Do both blobs have a section of this kind with the same bytes, or none? */
static bool sections_equal(const Blob* a, const Blob* b, u32 kind) {
    const BlobSection *x = ent_blob_section(a, kind), *y = ent_blob_section(b, kind);
    if (!x || !y) return x == y;
    return x->bytes == y->bytes && memcmp(ent_blob_data(a, x), ent_blob_data(b, y), x->bytes) == 0;
}

/* Usually a value was edited: then nothing has to be searched for. */
static bool structure_equal(const Blob* a, const Blob* b) {
    return a->header->element_count == b->header->element_count &&
           sections_equal(a, b, SECTION_PARENT) && sections_equal(a, b, SECTION_NAME_OFFSET) &&
           sections_equal(a, b, SECTION_NAME);
}

static void match_same(const Making* m) {
    for (u32 i = 0; i < m->old_side.count; i++) m->old_side.match[i] = m->new_side.match[i] = i;
}

static PatchSide side_of(const Blob* blob, bool named) {
    const BlobSection* offset = ent_blob_section(blob, SECTION_NAME_OFFSET);
    PatchSide          side = {
                 .blob = blob, .count = blob->header->element_count, .parent = patch_parents(blob)};
    if (!named || !offset) return side;
    side.offset = ent_blob_data(blob, offset);
    side.names = ent_blob_data(blob, ent_blob_section(blob, SECTION_NAME));
    return side;
}

/* --- instances --- */

/* One type's instances in one blob. */
typedef struct Rows {
    u32                  count;
    const u32*           owner; /* [count] */
    const ComponentType* type;
    const u8*            column[COMPONENT_COLUMNS_MAX];
} Rows;

static Rows rows_of(const Blob* blob, const ComponentType* type) {
    const BlobSection* s = ent_blob_component(blob, type->id);
    Rows               rows = {.type = type};
    if (!s) return rows;
    rows.count = s->count;
    rows.owner = ent_blob_data(blob, s);
    for (u32 c = 0; c < ent_component_column_count(type); c++) {
        rows.column[c] = ent_blob_column(blob, s, type, c);
    }
    return rows;
}

static const u8* words_of(const Rows* rows, u32 row, u32 field) {
    const RecordType* record = &rows->type->record;
    const Field*      f = &record->fields[field];
    if (rows->type->columns == BY_FIELD) return rows->column[field] + (size_t)row * f->bytes;
    return rows->column[0] + (size_t)row * record->bytes + f->offset;
}

static u32 group_end(const Rows* rows, u32 first) {
    u32 end = first + 1;
    while (end < rows->count && rows->owner[end] == rows->owner[first]) end++;
    return end;
}

static void instance_put(PatchInstance* at, u32* count, PatchInstance instance) {
    if (at) at[*count] = instance;
    (*count)++;
}

const void* ent_patch_words(const Blob* blob, const ComponentType* type, u32 row, u32 field) {
    const Rows rows = rows_of(blob, type);
    assert(row < rows.count && field < type->record.field_count);
    return words_of(&rows, row, field);
}

/* References to entities are compared by the matched entities, not by their index; texts by their
 * content. */
static bool words_equal(const Making* m, const Field* f, const u8* a, const u8* b) {
    bool       equal = true;
    const bool text = field_form(f) == FORM_TEXT;
    if (field_form(f) != FORM_ENTITY && !text) return memcmp(a, b, f->bytes) == 0;
    for (u32 e = 0; e < f->bytes; e += 4) {
        u32 x, y;
        memcpy(&x, a + e, 4);
        memcpy(&y, b + e, 4);
        if (text)
            equal &= strcmp(ent_blob_text(m->old_blob, x), ent_blob_text(m->new_blob, y)) == 0;
        else
            equal &= x == NONE || y == NONE ? x == y : m->old_side.match[x] == y;
    }
    return equal;
}

/* Both blobs' instances of the current type, and the differences found. */
typedef struct Pair {
    const Making* m;
    PatchPart*    part;
    Rows          a, b;
    bool          is_linked; /* fields of the type refer to entities or texts, */
    bool          has_texts; /* to texts */
} Pair;

static bool has_form(const RecordType* record, FieldForm form) {
    bool found = false;
    for (u32 f = 0; f < record->field_count; f++) found |= field_form(&record->fields[f]) == form;
    return found;
}

/* Are `count` rows of both from these on equal, word by word? */
static bool rows_equal(const Pair* pair, u32 old_row, u32 new_row, u32 count) {
    const ComponentType* type = pair->part->type;
    bool                 equal = true;
    for (u32 c = 0; c < ent_component_column_count(type) && equal; c++) {
        const size_t bytes = ent_component_column_bytes(type, c);
        equal = memcmp(pair->a.column[c] + old_row * bytes, pair->b.column[c] + new_row * bytes,
                       count * bytes) == 0;
    }
    return equal;
}

/* Nearly all instances are equal. Of those with links it is not known by their words. */
static void fields_compare(const Pair* pair, PatchChange change) {
    const RecordType* record = &pair->part->type->record;
    PatchPart*        part = pair->part;
    if (!pair->is_linked && rows_equal(pair, change.old_row, change.new_row, 1)) return;
    for (u32 f = 0; f < record->field_count; f++) {
        const u8* a = words_of(&pair->a, change.old_row, f);
        const u8* b = words_of(&pair->b, change.new_row, f);
        if (words_equal(pair->m, &record->fields[f], a, b)) continue;
        change.field = f;
        if (part->changed) part->changed[part->changed_count] = change;
        part->changed_count++;
    }
}

/* An entity's instances are adjacent: the n-th of one blob is matched with the n-th of the
 * other. */
static void group_compare(const Pair* pair, u32 entity, u32 a, u32 a_count, u32 b, u32 b_count) {
    const u32  old_entity = pair->m->new_side.match[entity];
    PatchPart* part = pair->part;
    for (u32 i = 0; i < MAX_OF(a_count, b_count); i++) {
        if (i >= a_count)
            instance_put(part->added, &part->added_count, (PatchInstance){entity, i, b + i});
        else if (i >= b_count)
            instance_put(part->removed, &part->removed_count,
                         (PatchInstance){old_entity, i, a + i});
        else
            fields_compare(pair, (PatchChange){entity, i, 0, a + i, b + i});
    }
}

#define COMPARE_ROWS 64u /* that are compared at once */

/* Do the same rows of both blobs belong to the same entities? Then equal words have the same meaning, but for texts. */
static bool is_aligned(const Pair* pair) {
    const Rows *a = &pair->a, *b = &pair->b;
    return pair->m->is_same && (!pair->has_texts || pair->m->has_same_texts) &&
           a->count == b->count &&
           (a->count == 0 || memcmp(a->owner, b->owner, sizeof(u32) * a->count) == 0);
}

/* The n-th row of one with the n-th of the other. */
static void rows_compare(const Pair* pair) {
    const u32* owner = pair->a.owner;
    for (u32 first = 0; first < pair->a.count; first += COMPARE_ROWS) {
        const u32 end = MIN_OF(pair->a.count, first + COMPARE_ROWS);
        if (rows_equal(pair, first, first, end - first)) continue;
        for (u32 row = first; row < end; row++) {
            u32 position = 0;
            while (position < row && owner[row - position - 1] == owner[row]) position++;
            fields_compare(pair, (PatchChange){owner[row], position, 0, row, row});
        }
    }
}

static Rows rows_converted(const ConvertedRows* converted, const ComponentType* type) {
    Rows rows = {.type = type, .count = converted->count, .owner = converted->owner};
    for (u32 c = 0; c < ent_component_column_count(type); c++)
        rows.column[c] = converted->column[c];
    return rows;
}

static void part_compare(Making* m, PatchPart* part, const ConvertedRows* converted) {
    const ComponentType* type = part->type;
    const Pair           pair = {
                  .m = m,
                  .part = part,
                  .a = converted ? rows_converted(converted, type) : rows_of(m->old_blob, type),
                  .b = rows_of(m->new_blob, type),
                  .is_linked = has_form(&type->record, FORM_ENTITY) || has_form(&type->record, FORM_TEXT),
                  .has_texts = has_form(&type->record, FORM_TEXT)};
    if (is_aligned(&pair) && !converted) {
        rows_compare(&pair);
        return;
    }
    const Rows *a = &pair.a, *b = &pair.b;
    for (u32 i = 0; i < a->count; i = group_end(a, i)) m->first_row[a->owner[i]] = i;
    for (u32 i = 0, end; i < b->count; i = end) {
        const u32 entity = b->owner[i], other = m->new_side.match[entity];
        end = group_end(b, i);
        if (other == NONE) {
            part->spawned_count += end - i;
            continue;
        }
        const u32 first = m->first_row[other];
        const u32 count = first == NONE ? 0 : group_end(a, first) - first;
        group_compare(&pair, entity, first, count, i, end - i);
        m->first_row[other] = NONE;
    }
    for (u32 i = 0, end; i < a->count; i = end) {
        const u32 owner = a->owner[i], other = m->old_side.match[owner];
        end = group_end(a, i);
        if (m->first_row[owner] != NONE && other != NONE) {
            group_compare(&pair, other, i, end - i, 0, 0);
        }
        m->first_row[owner] = NONE;
    }
}

/* --- parents of transforms --- */

static void parents_fill(const PatchSide* side, u32* hang, u8* has) {
    const Rows rows = rows_of(side->blob, &ent_component_types()[COMPONENT_TRANSFORM]);
    memset(has, 0, side->count);
    for (u32 i = 0; i < rows.count; i++) has[rows.owner[i]] = 1;
    for (u32 i = 0; i < side->count; i++) {
        const u32 parent = side->parent[i];
        hang[i] = parent == NONE || has[parent] ? parent : hang[parent];
    }
}

/* Transforms whose nearest ancestor with a transform has changed. Added ones are all listed:
 * their spawner finds only parents that are added with them. */
static void links_find(const Making* m, Patch* p) {
    for (u32 i = 0; i < p->new_count; i++) {
        const u32  other = m->new_side.match[i], above = m->new_parent[i];
        const bool stayed = other != NONE && m->old_has[other];
        if (!m->new_has[i] || (!stayed && above == NONE)) continue;
        const u32 before = stayed ? m->old_parent[other] : NONE;
        const u32 old_above = before == NONE ? NONE : m->old_side.match[before];
        if (stayed && old_above == above && (before == NONE || old_above != NONE)) continue;
        if (p->link) p->link[p->link_count] = (PatchLink){i, above, stayed && before == NONE};
        p->link_count++;
    }
}

/* --- entities --- */

static void index_put(u32* at, u32* count, u32 index) {
    if (at) at[*count] = index;
    (*count)++;
}

static void entities_find(const Making* m, Patch* p) {
    for (u32 i = 0; i < p->old_count; i++) {
        if (m->old_side.match[i] == NONE) index_put(p->removed, &p->removed_count, i);
    }
    for (u32 i = 0; i < p->new_count; i++) {
        const u32 other = m->new_side.match[i], parent = m->new_side.parent[i];
        if (other == NONE) {
            index_put(p->added, &p->added_count, i);
            continue;
        }
        const u32 before = m->old_side.parent[other];
        if (before == NONE ? parent == NONE
                           : parent != NONE && m->old_side.match[before] == parent) {
            continue;
        }
        if (p->moved) p->moved[p->moved_count] = (PatchMove){other, i, parent};
        p->moved_count++;
    }
}

/* --- creation --- */

/* Counts, or writes to the arrays that were allocated for the counts. */
static void walk(Making* m, Patch* p, bool again) {
    p->removed_count = p->added_count = p->moved_count = p->link_count = 0;
    entities_find(m, p);
    for (u32 i = 0; i < p->part_count; i++) {
        PatchPart* part = &p->part[i];
        const u32  found = part->added_count + part->removed_count + part->changed_count;
        if (again && found == 0) continue; /* the slowest part is not repeated */
        part->added_count = part->removed_count = part->changed_count = part->spawned_count = 0;
        part_compare(m, part, m->converted[i]);
    }
    links_find(m, p);
}

/* The position of the next array, or the size of all of them. */
static void* carve(u8* block, size_t* used, size_t element, size_t count) {
    void* at = block ? block + *used : NULL;
    *used += (size_t)align_up(element * count, 8);
    return at;
}

static size_t arrays_carve(Patch* p, u8* block) {
    size_t used = 0;
    carve(block, &used, sizeof(Patch), 1);
    PatchPart* part = carve(block, &used, sizeof(PatchPart), p->part_count);
    if (part) p->part = memcpy(part, p->part, sizeof(PatchPart) * p->part_count);
    p->new_of_old = carve(block, &used, sizeof(u32), p->old_count);
    p->old_of_new = carve(block, &used, sizeof(u32), p->new_count);
    p->ancestor = carve(block, &used, sizeof(u32), p->new_count);
    p->removed = carve(block, &used, sizeof(u32), p->removed_count);
    p->added = carve(block, &used, sizeof(u32), p->added_count);
    p->moved = carve(block, &used, sizeof(PatchMove), p->moved_count);
    p->link = carve(block, &used, sizeof(PatchLink), p->link_count);
    for (u32 i = 0; i < p->part_count; i++) {
        PatchPart* at = &p->part[i];
        at->added = carve(block, &used, sizeof(PatchInstance), at->added_count);
        at->removed = carve(block, &used, sizeof(PatchInstance), at->removed_count);
        at->changed = carve(block, &used, sizeof(PatchChange), at->changed_count);
    }
    return used;
}

/* Whose instances are compared. */
typedef struct PatchTypes {
    World*                      world; /* or NULL */
    const ComponentType* const* given; /* [count] NULL: those of the world, or the built-in ones */
    u32                         count;
} PatchTypes;

static PatchTypes types_of(World* world, const ComponentType* const* given, u32 count) {
    if (!given) count = world ? world->manager_count : COMPONENT_COUNT;
    return (PatchTypes){world, given, count};
}

/* NULL: no blob has instances of it. */
static const ComponentType* type_at(const PatchTypes* types, u32 i) {
    if (types->given) return types->given[i];
    if (!types->world) return &ent_component_types()[i];
    const Manager* m = &types->world->manager[i];
    return m->is_private ? NULL : &m->desc.type;
}

static bool type_has_id(const ComponentType* type, u32 id) { return type && type->id == id; }

static ent_status part_validate(const World* world, const Blob* blob, const ComponentType* type) {
    BlobFault        fault;
    const ent_status status = ent_blob_validate(blob, type, &fault);
    if (status != ENT_OK && world)
        world_log(world, LOG_ERROR, "the level cannot be reloaded: %s at offset %u: %s",
                  fault.field, fault.offset, fault.reason);
    return status;
}

/* The log states each type that is not compared. Returns their number. */
static u32 unknown_report(const PatchTypes* types, const Blob* blob) {
    u32 unknown = 0;
    for (u32 i = 0; i < blob->header->section_count; i++) {
        const BlobSection* s = &blob->section[i];
        u32                at = 0;
        if (s->kind != SECTION_COMPONENT) continue;
        while (at < types->count && !type_has_id(type_at(types, at), s->identifier)) at++;
        if (at < types->count) continue;
        unknown++;
        if (types->world) world_unknown_log(types->world, blob, s);
    }
    return unknown;
}

/* Instances of the old blob may have the declaration that a type had when it was compiled. */
static ent_status old_part_find(const Making* m, const PatchTypes* types, PatchPart* part,
                                const BlobSection* section) {
    const ComponentType* type = part->type;
    ConvertedRows**      converted = &m->converted[part - m->part];
    *converted = NULL;
    if (!section || !types->world) return part_validate(types->world, m->old_blob, type);
    TRY(convert_find(types->world, m->old_blob, section, type, CONVERT_QUIET, converted));
    part->converted = *converted != NULL;
    return ENT_OK;
}

/* Types that one of the blobs has instances of, validated. */
static ent_status parts_find(Patch* p, const Making* m, const PatchTypes* types) {
    for (u32 i = 0; i < types->count; i++) {
        const ComponentType* type = type_at(types, i);
        if (!type) continue;
        PatchPart*         part = &m->part[p->part_count];
        const BlobSection* old = types->world ? convert_section_find(p->old_blob, type)
                                              : ent_blob_component(p->old_blob, type->id);
        if (!ent_blob_component(p->new_blob, type->id) && !old) continue;
        *part = (PatchPart){.type = type};
        p->part_count++;
        TRY(old_part_find(m, types, part, old));
        TRY(part_validate(types->world, p->new_blob, type));
    }
    p->part = m->part;
    p->unknown_count = unknown_report(types, p->new_blob);
    return ENT_OK;
}

static size_t making_carve(Making* m, u8* block, u32 type_count) {
    const u32 a = m->old_side.count, b = m->new_side.count;
    size_t    used = 0;
    m->part = carve(block, &used, sizeof(PatchPart), type_count);
    m->converted = carve(block, &used, sizeof(ConvertedRows*), type_count);
    m->old_side.match = carve(block, &used, sizeof(u32), a);
    m->new_side.match = carve(block, &used, sizeof(u32), b);
    m->first_row = carve(block, &used, sizeof(u32), a);
    m->old_parent = carve(block, &used, sizeof(u32), a);
    m->new_parent = carve(block, &used, sizeof(u32), b);
    m->old_has = carve(block, &used, 1, a);
    m->new_has = carve(block, &used, 1, b);
    u32* match = carve(block, &used, sizeof(u32), patch_match_words(a, b));
    if (block && m->is_same) match_same(m);
    if (block && !m->is_same) patch_match(&m->old_side, &m->new_side, match);
    return used;
}

static ent_status patch_fill(Making* m, Patch* counted, Patch** out) {
    const HostAllocator* host = &counted->allocator;
    memset(m->first_row, 0xff, sizeof(u32) * m->old_side.count);
    parents_fill(&m->old_side, m->old_parent, m->old_has);
    parents_fill(&m->new_side, m->new_parent, m->new_has);
    walk(m, counted, false);
    counted->bytes = arrays_carve(counted, NULL);
    u8* block = host->alloc(host->user, counted->bytes);
    if (!block) return ENT_NO_MEMORY;
    arrays_carve(counted, block);
    walk(m, counted, true);
    memcpy(counted->new_of_old, m->old_side.match, sizeof(u32) * counted->old_count);
    memcpy(counted->ancestor, m->new_parent, sizeof(u32) * counted->new_count);
    memcpy(counted->old_of_new, m->new_side.match, sizeof(u32) * counted->new_count);
    *out = memcpy(block, counted, sizeof *counted);
    return ENT_OK;
}

static bool patchable(const Blob* old_blob, const Blob* new_blob) {
    const u32 type = new_blob->header->resource_type;
    return type == old_blob->header->resource_type &&
           (type == RESOURCE_ENTITY || type == RESOURCE_LEVEL);
}

ent_status ent_patch_create(Patch** out, World* world, const Blob* old_blob, const Blob* new_blob,
                            const PatchOptions* options) {
    const PatchOptions   given = options ? *options : (PatchOptions){0};
    const PatchTypes     types = types_of(world, given.types, given.type_count);
    const HostAllocator* allocator = given.allocator;
    const bool           named = ent_blob_section(old_blob, SECTION_NAME_OFFSET) &&
                       ent_blob_section(new_blob, SECTION_NAME_OFFSET);
    if (!patchable(old_blob, new_blob)) return ENT_WRONG_TYPE;
    if (!allocator && world) allocator = &world->allocator;
    Making m = {.old_blob = old_blob,
                .new_blob = new_blob,
                .old_side = side_of(old_blob, named),
                .new_side = side_of(new_blob, named),
                .is_same = structure_equal(old_blob, new_blob),
                .has_same_texts = sections_equal(old_blob, new_blob, SECTION_STRING_OFFSET) &&
                                  sections_equal(old_blob, new_blob, SECTION_STRING)};

    Patch p = {.old_blob = old_blob,
               .new_blob = new_blob,
               .old_count = m.old_side.count,
               .new_count = m.new_side.count,
               .allocator = host_allocator(allocator ? *allocator : (HostAllocator){0})};
    m.bytes = making_carve(&m, NULL, types.count);
    m.memory = p.allocator.alloc(p.allocator.user, m.bytes);
    if (!m.memory) return ENT_NO_MEMORY;
    making_carve(&m, m.memory, types.count);
    ent_status status = parts_find(&p, &m, &types);
    if (status == ENT_OK) status = patch_fill(&m, &p, out);
    for (u32 i = 0; i < p.part_count && world; i++) convert_drop(world, m.converted[i]);
    p.allocator.free(p.allocator.user, m.memory, m.bytes);
    return status;
}

void ent_patch_destroy(Patch* p) {
    if (!p) return;
    const HostAllocator host = p->allocator;
    host.free(host.user, p, p->bytes);
}
