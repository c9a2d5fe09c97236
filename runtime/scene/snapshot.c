/* snapshot.c - writes a running world as a blob.
 *
 * First every entity gets its index in the blob; then one pass over the world, run twice,
 * measures the blob and writes it. Between the two runs is the only allocation that is kept.
 * Indices of entities are looked up by slot, so that the work for an instance does not grow with
 * the world. */
#include "snapshot.h"

#include "blob_write_internal.h"
#include "entity_names_internal.h"
#include "hash.h"
#include "search.h"
#include "sections.h"
#include "snapshot_save_internal.h"
#include "spawned_internal.h"

#define RADIX_BITS 11 /* two passes sort 22 bits of entity index */

/* --- memory --- */

/* The same pass measures and assigns memory. */
static size_t save_carve(Save* s, u8* at) {
    size_t used = 0;
#define CARVE(member, count)                                                                       \
    (s->member = at ? (void*)(at + used) : NULL,                                                   \
     used += (size_t)align_up((u64)sizeof *s->member * (count), 16))
    CARVE(name, s->slot_count);
    CARVE(reference, s->reference_count);
    CARVE(rows, s->row_max);
    CARVE(spare, s->row_max);
    CARVE(from, s->row_max);
    CARVE(index, s->slot_count);
    CARVE(parent, s->slot_count);
    CARVE(first, s->slot_count);
    CARVE(next, s->slot_count);
    CARVE(order, s->entity_count);
    CARVE(named, s->named_slots);
    CARVE(string, s->text_count);
    CARVE(strings, s->text_count);
#undef CARVE
    return used;
}

static void save_count(Save* s) {
    s->slot_count = MAX_OF(s->pool->slot_count, 1u);
    s->entity_count = ent_entity_count(s->world);
    s->text_count = s->world->texts.count;
    for (u32 i = 0; i < s->world->manager_count; i++) {
        s->row_max = MAX_OF(s->row_max, s->world->manager[i].count);
    }
    for (u32 i = 0; i < s->options->source_count; i++) {
        const Blob*        blob = s->options->sources[i].blob;
        const BlobSection* section = ent_blob_section(blob, SECTION_REFERENCE);
        s->reference_count += section ? section->count : 0;
        if (s->options->sources[i].entities) s->named_slots = 2;
    }
    s->names = names_manager(s->world);
    if (s->names) s->named_slots = 2;
    while (s->named_slots && s->named_slots < s->entity_count * 2) s->named_slots *= 2;
}

/* --- references to resources --- */

/* References of sources are sorted: each list is merged from its end into the existing one. */
static u32 references_merge(Save* s, const Blob* blob, u32 base) {
    const BlobSection* section = ent_blob_section(blob, SECTION_REFERENCE);
    if (!section) return base;
    const ReferenceRecord* more = ent_blob_data(blob, section);
    u32                    a = base, b = section->count;
    for (u32 to = a + b; b > 0;) {
        const u64 id = resource_id(more[b - 1].id);
        if (a > 0 && s->reference[a - 1].id > id) {
            s->reference[--to] = s->reference[--a];
            continue;
        }
        b--;
        s->reference[--to] = (SaveReference){id, ent_blob_reference_name(blob, b), more[b].type, 0};
    }
    return base + section->count;
}

static void references_gather(Save* s) {
    u32 count = 0, kept = 0;
    for (u32 i = 0; i < s->options->source_count; i++) {
        count = references_merge(s, s->options->sources[i].blob, count);
    }
    for (u32 i = 0; i < count; i++) {
        if (kept > 0 && s->reference[kept - 1].id == s->reference[i].id) continue;
        s->reference[kept++] = s->reference[i];
    }
    s->reference_count = kept;
}

static SaveReference* reference_find(Save* s, u64 id) {
    Search at = search_between(0, s->reference_count);
    while (search_continues(&at)) search_narrow(&at, s->reference[at.middle].id < id);
    SaveReference* found = &s->reference[at.first];
    return at.first < s->reference_count && found->id == id ? found : NULL;
}

static ent_status reference_use(Save* s, const Field* field, const Manager* m, u64 id) {
    SaveReference* reference = reference_find(s, id);
    if (reference) {
        reference->used = 1;
        return ENT_OK;
    }
    world_log(s->world, LOG_ERROR, "%s.%s refers to the %s 0x%016llx, which no source names",
              m->desc.type.record.name, field->name, ent_resource_suffix(field->refers_to),
              (unsigned long long)id);
    return ENT_UNKNOWN_RESOURCE;
}

/*   column  of manager->column; the field's words are at offset `at` in each element */
static ent_status references_of_element(Save* s, const Manager* m, const Field* field, u32 column,
                                        u32 at) {
    const u8* element = m->column[column];
    u64       last = 0; /* neighbours often refer to one resource */
    for (u32 row = 0; row < m->count; row++, element += m->column_bytes[column]) {
        ResourceRef ref;
        memcpy(&ref, element + at, sizeof ref);
        const u64 id = resource_id(ref);
        if (id == last || id == 0 || save_slot_of(s, m->entity[row]) == NONE) continue;
        TRY(reference_use(s, field, m, id));
        last = id;
    }
    return ENT_OK;
}

static ent_status references_of_field(Save* s, const Manager* m, const Field* field, u32 column,
                                      u32 at) {
    for (u32 e = 0; e < field->bytes; e += (u32)sizeof(ResourceRef)) {
        TRY(references_of_element(s, m, field, column, at + e));
    }
    return ENT_OK;
}

static ent_status references_of_manager(Save* s, const Manager* m) {
    const ComponentType* type = &m->desc.type;
    const RecordType*    state = m->desc.state;
    for (u32 f = 0; f < type->record.field_count; f++) {
        const Field* field = &type->record.fields[f];
        const u32    column = type->columns == BY_FIELD ? f : 0;
        if (field_form(field) != FORM_RESOURCE) continue;
        TRY(references_of_field(s, m, field, column,
                                field->offset - ent_component_column_offset(type, column)));
    }
    for (u32 f = 0; state && f < state->field_count; f++) {
        if (field_form(&state->fields[f]) != FORM_RESOURCE) continue;
        TRY(references_of_field(s, m, &state->fields[f], ent_component_column_count(type) + f, 0));
    }
    return ENT_OK;
}

/* A type that the project declares is found by the reference to its declaration. */
static void reference_to_declaration(Save* s, const Manager* m) {
    for (u32 i = 0; i < s->reference_count; i++) {
        SaveReference* r = &s->reference[i];
        if (r->type != RESOURCE_COMPONENT) continue;
        const char* slash = strrchr(r->name, '/');
        const u32   id = hash_name(text_of(slash ? slash + 1 : r->name));
        if (id == m->desc.type.id) r->used = 1;
    }
}

static ent_status references_read(Save* s) {
    references_gather(s);
    for (u32 i = 0; i < s->world->manager_count; i++) {
        const Manager* m = &s->world->manager[i];
        if (m->count == 0) continue;
        TRY(references_of_manager(s, m));
        reference_to_declaration(s, m);
    }
    return ENT_OK;
}

/* --- texts: the strings of the blob are in the order in which the sections contain them --- */

static void text_use(Save* s, TextRef text) {
    if (text == 0 || text >= s->text_count || s->string[text] != NONE) return;
    s->string[text] = s->string_count;
    s->strings[s->string_count++] = text;
    s->string_bytes += strlen(ent_world_text(s->world, text)) + 1;
}

/* An index that no string has, so that the blob is found to be invalid, for an unknown text. */
static u32 string_of(const Save* s, TextRef text) {
    return text < s->text_count ? s->string[text] : text ? NONE : 0;
}

static void strings_begin(Save* s) {
    if (s->text_count == 0) return;
    memset(s->string, 0xff, sizeof(u32) * s->text_count);
    s->string[0] = s->strings[0] = 0;
    s->string_count = 1;
    s->string_bytes = 1;
}

static void strings_write(Save* s) {
    const u32 count = s->string_count > 1 ? s->string_count : 0;
    u32*      offset = blob_write_section(&s->writer, SECTION_STRING_OFFSET, count);
    char*     text = blob_write_section(&s->writer, SECTION_STRING, count ? s->string_bytes : 0);
    u32       at = 0;
    for (u32 i = 0; i < count && text; i++) {
        const char*  from = ent_world_text(s->world, s->strings[i]);
        const size_t bytes = strlen(from) + 1;
        memcpy(text + at, from, bytes);
        offset[i] = at;
        at += (u32)bytes;
    }
}

/* --- components --- */

static u32 instances_count(const Save* s, const Manager* m) {
    u32 count = 0;
    if (!m->desc.lazy) return m->count;
    for (u32 row = 0; row < m->count; row++) count += save_slot_of(s, m->entity[row]) != NONE;
    return count;
}

static void types_find(const Save* s, SnapshotTypes* types) {
    types->count = types->state_count = 0;
    for (u32 i = 0; i < s->world->manager_count; i++) {
        const Manager* m = &s->world->manager[i];
        if (m != s->names && instances_count(s, m)) snapshot_types_add(types, m);
    }
}

static void rows_sort(Save* s, u32 count, u32 shift) {
    u32 place[1u << RADIX_BITS] = {0}, sum = 0;
    for (u32 i = 0; i < count; i++) {
        place[s->rows[i].index >> shift & ((1u << RADIX_BITS) - 1)]++;
    }
    for (u32 k = 0; k < COUNT_OF(place); k++) {
        const u32 here = place[k];
        place[k] = sum;
        sum += here;
    }
    for (u32 i = 0; i < count; i++) {
        s->spare[place[s->rows[i].index >> shift & ((1u << RADIX_BITS) - 1)]++] = s->rows[i];
    }
    SaveRow* sorted = s->spare;
    s->spare = s->rows;
    s->rows = sorted;
}

/* The rows of a manager in the order of the blob: `from` of each instance, and its owner, unless that
 * is NULL. Returns the number of instances. */
static u32 rows_order(Save* s, const Manager* m, u32* owner) {
    u32  count = 0, to = 0;
    bool sorted = true;
    for (u32 row = 0; row < m->count; row++) {
        const u32 index = save_index_of(s, m->entity[row]);
        if (index == NONE) continue;
        if (m->next && ent_manager_row(m, s->pool, m->entity[row]) != row) continue;
        sorted &= count == 0 || s->rows[count - 1].index < index;
        s->rows[count++] = (SaveRow){index, row};
    }
    if (!sorted) rows_sort(s, count, 0), rows_sort(s, count, RADIX_BITS);
    for (u32 i = 0; i < count; i++) {
        for (u32 row = s->rows[i].row; row != MANAGER_NO_ROW; row = ent_manager_next(m, row)) {
            if (owner) owner[to] = s->rows[i].index;
            s->from[to++] = row;
        }
    }
    return to;
}

/* Adjacent rows are copied together. */
static void column_gather(const Save* s, const Manager* m, u32 column, u32 count, u8* out) {
    const size_t bytes = m->column_bytes[column];
    const u8*    in = m->column[column];
    for (u32 i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && s->from[end] == s->from[end - 1] + 1;) end++;
        memcpy(out + i * bytes, in + s->from[i] * bytes, (end - i) * bytes);
    }
}

static void element_to_index(const Save* s, const Field* field, u8* at) {
    u32 word;
    memcpy(&word, at, sizeof word);
    word = field_form(field) == FORM_TEXT ? string_of(s, word) : save_index_of(s, word);
    memcpy(at, &word, sizeof word);
}

static void references_to_indices(const Save* s, const ComponentType* type, u32 column, u32 count,
                                  u8* out) {
    const u32 stride = ent_component_column_bytes(type, column);
    for (u32 f = 0; f < type->record.field_count; f++) {
        const Field* field = &type->record.fields[f];
        if (field_form(field) != FORM_ENTITY && field_form(field) != FORM_TEXT) continue;
        if (type->columns == BY_FIELD && f != column) continue;
        u8* at = out + (field->offset - ent_component_column_offset(type, column));
        for (u32 i = 0; i < count; i++, at += stride) {
            for (u32 e = 0; e < field->bytes; e += 4) element_to_index(s, field, at + e);
        }
    }
}

/* The texts of one field, in the order of the instances in the blob. */
static void texts_of_field(Save* s, const Manager* m, const Field* field, u32 column, u32 at,
                           u32 count) {
    for (u32 i = 0; i < count; i++) {
        const u8* element =
            (const u8*)m->column[column] + (size_t)s->from[i] * m->column_bytes[column];
        for (u32 e = 0; e < field->bytes; e += 4) {
            TextRef text;
            memcpy(&text, element + at + e, sizeof text);
            text_use(s, text);
        }
    }
}

static bool record_has_texts(const RecordType* record) {
    bool any = false;
    for (u32 f = 0; record && f < record->field_count; f++) {
        any |= field_form(&record->fields[f]) == FORM_TEXT;
    }
    return any;
}

static void texts_of_manager(Save* s, const Manager* m) {
    const ComponentType* type = &m->desc.type;
    const RecordType*    state = m->desc.state;
    const u32            record_columns = ent_component_column_count(type);
    if (s->text_count == 0 || (!record_has_texts(&type->record) && !record_has_texts(state)))
        return;
    const u32 count = rows_order(s, m, NULL);
    for (u32 f = 0; f < type->record.field_count; f++) {
        const Field* field = &type->record.fields[f];
        const u32    column = type->columns == BY_FIELD ? f : 0;
        if (field_form(field) != FORM_TEXT) continue;
        texts_of_field(s, m, field, column,
                       field->offset - ent_component_column_offset(type, column), count);
    }
    for (u32 f = 0; state && f < state->field_count; f++) {
        if (field_form(&state->fields[f]) != FORM_TEXT) continue;
        texts_of_field(s, m, &state->fields[f], record_columns + f, 0, count);
    }
}

static void texts_read(Save* s) {
    strings_begin(s);
    for (u32 i = 0; i < s->world->manager_count; i++) texts_of_manager(s, &s->world->manager[i]);
}

/*   first_column  of the manager, that is column 0 of `type` */
static void columns_write(const Save* s, const Manager* m, const ComponentType* type,
                          u32 first_column, u32 count, u8* room) {
    for (u32 c = 0; c < ent_component_column_count(type); c++) {
        u8* out = room + component_column_start(type, count, c);
        column_gather(s, m, first_column + c, count, out);
        references_to_indices(s, type, c, count, out);
    }
}

static void component_write(Save* s, const Manager* m) {
    const ComponentType* type = &m->desc.type;
    const u32            count = instances_count(s, m);
    u32*                 owner = blob_write_component(&s->writer, type, count);
    if (owner) {
        rows_order(s, m, owner);
        columns_write(s, m, type, 0, count, (u8*)owner);
    }
    if (!m->desc.state) return;
    const ComponentType state = manager_state_type(m);
    u32*                same = blob_write_component(&s->writer, &state, count);
    if (!same) return;
    memcpy(same, owner, sizeof(u32) * count);
    columns_write(s, m, &state, ent_component_column_count(type), count, (u8*)same);
}

/* --- writing --- */

static u32 entity_index(const void* user, Entity entity) { return save_index_of(user, entity); }

static void parents_write(Save* s) {
    u32* parent = blob_write_section(&s->writer, SECTION_PARENT, s->entity_count);
    for (u32 i = 0; i < s->entity_count && parent; i++) {
        const u32 above = s->parent[s->order[i]];
        parent[i] = above == NONE ? NONE : s->index[above];
    }
}

static void names_write(Save* s) {
    const u32 count = s->name_bytes ? s->entity_count : 0;
    u32*      offset = blob_write_section(&s->writer, SECTION_NAME_OFFSET, count);
    char*     text = blob_write_section(&s->writer, SECTION_NAME, s->name_bytes);
    u32       at = 0;
    for (u32 i = 0; i < count && text; i++) {
        const char*  name = s->name[s->order[i]];
        const size_t bytes = name ? strlen(name) + 1 : 1;
        memcpy(text + at, name ? name : "", bytes);
        offset[i] = at;
        at += (u32)bytes;
    }
}

static void references_write(Save* s) {
    u32 count = 0, at = 0;
    u64 bytes = 0;
    for (u32 i = 0; i < s->reference_count; i++) {
        if (!s->reference[i].used) continue;
        count++;
        bytes += strlen(s->reference[i].name) + 1;
    }
    ReferenceRecord* record = blob_write_section(&s->writer, SECTION_REFERENCE, count);
    char*            text = blob_write_section(&s->writer, SECTION_REFERENCE_NAME, bytes);
    for (u32 i = 0; i < s->reference_count && text; i++) {
        const SaveReference* r = &s->reference[i];
        if (!r->used) continue;
        const size_t length = strlen(r->name) + 1;
        memcpy(text + at, r->name, length);
        *record++ = (ReferenceRecord){resource_ref(r->id), r->type, at};
        at += (u32)length;
    }
}

/* Measures when the writer has no bytes. */
static void save_walk(Save* s, void* bytes, u32 section_count) {
    blob_write_begin(&s->writer, bytes, section_count);
    parents_write(s);
    for (u32 i = 0; i < s->world->manager_count; i++) {
        const Manager* m = &s->world->manager[i];
        if (m != s->names) component_write(s, m);
    }
    names_write(s);
    references_write(s);
    snapshot_declarations_write(&s->writer, s->types);
    strings_write(s);
    spawned_write(&s->writer, s->world, entity_index, s);
}

/* Validates the blob, so that nothing is saved that cannot be loaded. */
static ent_status save_validate(const Save* s, const void* bytes, size_t size) {
    const BlobOptions options = {
        .types = s->types->type, .type_count = s->types->count, .skip_hash = 1};
    BlobFault        fault;
    Blob             blob;
    const ent_status status = ent_blob_open(&blob, bytes, size, &options, &fault);
    if (status == ENT_OK) return ENT_OK;
    world_log(s->world, LOG_ERROR, "the world cannot be saved: %s %s", fault.field, fault.reason);
    return status;
}

static ent_status save_write(Save* s, void** out, size_t* out_size) {
    const HostAllocator* allocator = &s->world->allocator;
    const u32            type = s->options->type ? s->options->type : RESOURCE_LEVEL;
    SnapshotTypes        types;
    save_entities_read(s);
    TRY(references_read(s));
    texts_read(s);
    types_find(s, &types);
    s->types = &types;
    save_walk(s, NULL, 0);
    const u64 size = blob_write_size(&s->writer);
    if (s->writer.too_large || size > BLOB_BYTES_MAX) {
        world_log(s->world, LOG_ERROR,
                  "the world cannot be saved: %u entities with their components need more than %u "
                  "bytes, the most that a blob can have",
                  s->entity_count, BLOB_BYTES_MAX);
        return ENT_LIMIT;
    }
    void* bytes = allocator->alloc(allocator->user, size);
    if (!bytes) return ENT_NO_MEMORY;
    save_walk(s, bytes, s->writer.section_count);
    const u64 written = blob_write_finish(
        &s->writer, type, ent_resource_ref(s->options->name, type), s->entity_count);
    assert(written == size);
    UNUSED(written);
    const ent_status status = save_validate(s, bytes, size);
    if (status != ENT_OK) {
        allocator->free(allocator->user, bytes, size);
        return status;
    }
    *out = bytes;
    *out_size = size;
    return ENT_OK;
}

ent_status ent_world_save(World* w, const SaveOptions* options, void** bytes, size_t* size) {
    Save s = {.world = w, .pool = ent_world_entities(w), .options = options};
    assert(options && resource_name_is_canonical(text_of(options->name)));
    assert(options->type == RESOURCE_NONE || options->type == RESOURCE_LEVEL ||
           options->type == RESOURCE_ENTITY);
    save_count(&s);
    const size_t scratch_bytes = save_carve(&s, NULL);
    u8*          scratch = w->allocator.alloc(w->allocator.user, scratch_bytes);
    if (!scratch) return ENT_NO_MEMORY;
    save_carve(&s, scratch);
    const ent_status status = save_write(&s, bytes, size);
    w->allocator.free(w->allocator.user, scratch, scratch_bytes);
    return status;
}

void ent_world_save_free(World* w, void* bytes, size_t size) {
    if (bytes) w->allocator.free(w->allocator.user, bytes, size);
}
