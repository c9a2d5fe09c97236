/* groups.c - the parts of an entity or level that can be spawned separately. */
#include "sections.h"

#include "hash.h"
#include "search.h"

Groups groups_of(const Blob* blob) {
    const BlobSection* s = ent_blob_section(blob, SECTION_GROUP);
    if (!s) return (Groups){NULL, 0, blob->header->element_count};
    return (Groups){ent_blob_data(blob, s), s->count, blob->header->element_count};
}

/* The entities before any group. */
static u32 base_end(const Groups* g) { return g->count ? g->row[0].first : g->entity_count; }

static u32 group_end(const Groups* g, u32 group) {
    return group + 1 < g->count ? g->row[group + 1].first : g->entity_count;
}

/* The last group that does not begin after the entity. */
u32 groups_find(const Groups* g, u32 entity) {
    Search s = search_between(0, g->count);
    while (search_continues(&s)) {
        search_narrow(&s, g->row[s.middle].first <= entity);
    }
    return s.first - 1; /* 0 - 1 is NONE */
}

/* --- validation --- */

static bool row_fault(RowFault* fault, const void* at, u32 row, const char* field,
                      const char* reason) {
    *fault = (RowFault){at, "group", row, field, reason};
    return false;
}

bool groups_are_valid(const Groups* g, const char* text, RowFault* fault) {
    for (u32 i = 0; i < g->count; i++) {
        const GroupRecord* r = &g->row[i];
        if (r->id == 0 || (i && r->id <= r[-1].id)) {
            return row_fault(fault, &r->id, i, "id",
                             "ids must be in strictly ascending order, and not 0");
        }
        if (r->first >= g->entity_count || (i && r->first <= r[-1].first)) {
            return row_fault(
                fault, &r->first, i, "first",
                "must be an entity of this blob, after the first one of the previous group");
        }
        if (!text && r->name != 0) {
            return row_fault(fault, &r->name, i, "name",
                             "must be 0 in a blob without names of groups");
        }
        if (text && text[r->name] == 0) {
            return row_fault(fault, &r->name, i, "name", "the name of a group must not be empty");
        }
        if (text && hash_name(text_of(text + r->name)) != r->id) {
            return row_fault(fault, &r->id, i, "id", "is not the hash of its name");
        }
    }
    return true;
}

/* Owners are ascending: the current group changes a few times, and a run of one group is
 * one loop. */
u32 groups_first_crossing(const Groups* g, const u32* owner, const u8* first, u32 count,
                          u32 stride) {
    const u32 base = base_end(g);
    for (u32 i = 0; i < count;) {
        const u32 group = groups_find(g, owner ? owner[i] : i);
        const u32 begin = group == NONE ? 0 : g->row[group].first;
        const u32 end = group == NONE ? base : group_end(g, group);
        for (; i < count && (owner ? owner[i] : i) < end; i++) {
            u32 to;
            memcpy(&to, first + (u64)i * stride, 4);
            if (to != NONE && to >= base && (to < begin || to >= end)) return i;
        }
    }
    return count;
}

/* --- public functions --- */

u32 ent_blob_group_count(const Blob* blob) { return groups_of(blob).count; }

u32 ent_blob_group_find(const Blob* blob, const char* name) {
    const Groups  g = groups_of(blob);
    const NameRef id = hash_name(text_of(name));
    Search        s = search_between(0, g.count);
    while (search_continues(&s)) {
        search_narrow(&s, g.row[s.middle].id < id);
    }
    return s.first < g.count && g.row[s.first].id == id ? s.first : NONE;
}

NameRef ent_blob_group_id(const Blob* blob, u32 group) {
    const Groups g = groups_of(blob);
    assert(group < g.count);
    return g.row[group].id;
}

const char* ent_blob_group_name(const Blob* blob, u32 group) {
    const Groups       g = groups_of(blob);
    const BlobSection* names = ent_blob_section(blob, SECTION_GROUP_NAME);
    assert(group < g.count);
    return names ? (const char*)ent_blob_data(blob, names) + g.row[group].name : "";
}

void ent_blob_group_range(const Blob* blob, u32 group, u32* first, u32* end) {
    const Groups g = groups_of(blob);
    assert(group == NONE || group < g.count);
    *first = group == NONE ? 0 : g.row[group].first;
    *end = group == NONE ? base_end(&g) : group_end(&g, group);
}

u32 ent_blob_entity_group(const Blob* blob, u32 entity) {
    const Groups g = groups_of(blob);
    assert(entity < g.entity_count);
    return groups_find(&g, entity);
}
