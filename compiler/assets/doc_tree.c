/* doc_tree.c - the nodes of a doc, and their names. */
#include "doc_internal.h"

#include "hash.h"
#include "sections.h"
#include "text_scan.h"

/* The top bit of a byte that is '/', a control character, or not in ASCII; of others sometimes too. */
static inline u64 unusual_bits(u64 v) {
    const u64 ones = 0x0101010101010101u, tops = 0x8080808080808080u;
    const u64 slash = v ^ ones * '/', erase = v ^ ones * 0x7f;
    return ((v - ones * 0x20) | (slash - ones) | (erase - ones) | v) & tops;
}

static inline bool name_may_be_unusual(Text name) {
    u64 bits = 0, last = 0x6161616161616161u; /* 'a' in place of missing bytes */
    u32 i = 0;
    for (; i + 8 <= name.bytes; i += 8) bits |= unusual_bits(text_load8(name.at + i));
    if (name.bytes >= 8)
        memcpy(&last, name.at + name.bytes - 8, 8);
    else
        memcpy(&last, name.at, name.bytes);
    return (bits | unusual_bits(last)) != 0;
}

const char* entity_name_fault(Text name) {
    if (name.bytes == 0) return "must not be empty";
    if (name.bytes > NAME_BYTES_MAX) return "must not be longer than 255 bytes";
    if (name.at[0] == '#' || name.at[0] == '$') return "must not begin with '#' or '$'";
    if (name.bytes == 1 && name.at[0] == '.')
        return "must not be '.', which refers to the entity itself";
    if (name.bytes == 2 && name.at[0] == '.' && name.at[1] == '.') return "must not be '..'";
    if (!name_may_be_unusual(name)) return NULL;
    for (u32 i = 0; i < name.bytes; i++) {
        if (name.at[i] == '/') return "must not contain '/', which separates names in a path";
        if ((u8)name.at[i] < 0x20 || name.at[i] == 0x7f)
            return "must not contain a control character";
    }
    return NULL;
}

void doc_child_append(Doc* doc, u32 parent, u32 index) {
    u32* first = parent == NONE ? &doc->first_root : &doc->nodes.at[parent].first_child;
    u32* last = parent == NONE ? &doc->last_root : &doc->last_child.at[parent];
    if (*first == NONE)
        *first = index;
    else
        doc->nodes.at[*last].next = index;
    *last = index;
}

u32 doc_node_add(Doc* doc, u32 parent) {
    const u32 index = doc->nodes.count;
    array_prepare(&doc->nodes);
    *array_push(&doc->nodes) = (DocNode){.parent = parent, .first_child = NONE, .next = NONE};
    *array_push(&doc->last_child) = NONE;
    doc_child_append(doc, parent, index);
    return index;
}

u32 doc_host_add(Doc* doc, u32 parent) {
    const u32 index = doc->nodes.count;
    *array_push(&doc->nodes) = (DocNode){.parent = parent, .first_child = NONE, .next = NONE};
    *array_push(&doc->last_child) = NONE;
    return index;
}

void doc_name_set(DocNode* node, Text name) {
    node->name_at = name.at;
    node->name_bytes = (u16)name.bytes;
    node->name_hash = (u32)hash_bytes(name.at, name.bytes, 0);
}

u32* doc_override_slot(const Doc* doc, const Slots* slots, u32 first, Text path) {
    u32* slot = slots_first(slots, hash_bytes(path.at, path.bytes, 0));
    while (*slot && !text_equal(doc->overrides.at[first + *slot - 1].path, path))
        slot = slots_next(slots, slot);
    return slot;
}

/* Capacities for typical sources. Memory that is not used is never touched, but memory that is
 * reallocated is copied. */
void doc_begin(Doc* doc, const Source* source, u32 bytes) {
    *doc = (Doc){.source = source, .first_root = NONE, .last_root = NONE};
    array_reserve(&doc->nodes, bytes / 160 + 2);
    array_reserve(&doc->last_child, bytes / 160 + 2);
    array_reserve(&doc->components, bytes / 80 + 2);
}

u64 doc_bytes(const Doc* doc) {
    return ARRAY_BYTES(doc->nodes) + ARRAY_BYTES(doc->components) + ARRAY_BYTES(doc->overrides) +
           ARRAY_BYTES(doc->instances) + ARRAY_BYTES(doc->last_child) + ARRAY_BYTES(doc->records) +
           ARRAY_BYTES(doc->early) + doc->tokens.capacity * sizeof *doc->tokens.at +
           (u64)doc->instances.count * sizeof *doc->prefab;
}

void doc_drop(Doc* doc) {
    array_drop(&doc->nodes);
    array_drop(&doc->components);
    array_drop(&doc->overrides);
    array_drop(&doc->instances);
    array_drop(&doc->last_child);
    array_drop(&doc->records);
    array_drop(&doc->early);
    json_tokens_close(&doc->tokens);
    memory_free(doc->prefab);
}
