/* doc_node.c - reads the objects of entities into nodes. */
#include "doc_internal.h"

#include "component_members.h"
#include "diag.h"
#include "hash.h"
#include "sections.h"
#include "text_scan.h"

#define NODE_DEPTH_MAX 128
#define TWINS_MAX      64 /* keys compared one by one; those of a larger number are hashed */

enum {
    KEY_NAME = 1,
    KEY_PREFAB = 2,
    KEY_COMPONENTS = 4,
    KEY_CHILDREN = 8,
    KEY_OVERRIDES = 16,
    KEY_PARENT = 32,
    KEY_GROUP = 64,
    KEY_WAS = 128 /* of an override */
};

/* X(key, member bit) of an entity's object */
#define NODE_KEYS(X)                                                                               \
    X("name", KEY_NAME)                                                                            \
    X("components", KEY_COMPONENTS)                                                                \
    X("prefab", KEY_PREFAB)                                                                        \
    X("children", KEY_CHILDREN)                                                                    \
    X("overrides", KEY_OVERRIDES)                                                                  \
    X("parent", KEY_PARENT)                                                                        \
    X("group", KEY_GROUP)

static const KeyText duplicate_key = DUPLICATE_KEY;
static const KeyText unknown_type = {"unknown component type", ""};
static const KeyText unknown_key = {"unknown key", " of an entity"};
static const KeyText component_key = {"unknown key",
                                      " of an entity; write the component into \"components\""};
static const KeyText override_key = {
    "unknown key",
    " of an override, which may contain only \"components\", \"children\", \"prefab\" and \"was\""};
static const KeyText group_key = {"the key",
                                  " is allowed only for entities below the root of an entity file"};
static const KeyText parent_key = {"the key",
                                   " is allowed only for entities in the list of a level"};

static u32 at_offset(const Doc* doc, const char* at) { return (u32)(at - doc->source->text); }

void doc_key_error(Reader* r, DiagCode code, JsonString key, KeyText text, const char* near) {
    diag_error(r->diag, code, r->doc->source, at_offset(r->doc, key.raw.at) - 1, key.raw.bytes + 2,
               "%s \"%.*s\"%s%s%s%s", text.before, (int)key.raw.bytes, key.raw.at, text.after,
               DIAG_NEAREST(near));
}

/* A plugin is suggested only when no known type has a similar name. */
static void type_error(Reader* r, JsonString key) {
    const char* near = diag_nearest(key.raw, r->registry->names, r->registry->count);
    const char* inputs = r->registry->inputs;
    if (inputs)
        diag_error(r->diag, E0207, r->doc->source, at_offset(r->doc, key.raw.at) - 1,
                   key.raw.bytes + 2,
                   "unknown component type \"%.*s\"; the list of inputs \"%s\" contains no "
                   "declaration of it%s%s%s",
                   (int)key.raw.bytes, key.raw.at, inputs, DIAG_NEAREST(near));
    else if (near)
        doc_key_error(r, E0207, key, unknown_type, near);
    else
        diag_error(r->diag, E0207, r->doc->source, at_offset(r->doc, key.raw.at) - 1,
                   key.raw.bytes + 2,
                   "unknown component type \"%.*s\"; if a plugin provides it, pass --plugin LIB",
                   (int)key.raw.bytes, key.raw.at);
}

/* Finds a type also by an older name, with a warning. */
static u32 type_named(Reader* r, JsonString key) {
    const u32 type = registry_find(r->registry, key);
    if (type != NONE && !json_equals(key, r->registry->names[type]))
        diag_warning(r->diag, W0706, r->doc->source, at_offset(r->doc, key.raw.at) - 1,
                     key.raw.bytes + 2, "\"%.*s\" is an older name of \"%s\"; use the new one",
                     (int)key.raw.bytes, key.raw.at, r->registry->names[type]);
    return type;
}

/* Is a value of this kind, a string, an array or an object, next? Reports and skips it when not. */
static __attribute__((noinline)) bool expect_general(Reader* r, JsonKind kind, const char* what) {
    JsonKind  found = JSON_NULL;
    const u32 offset = json_offset(&r->json);
    if (!json_kind(&r->json, &found)) return false;
    if (found == kind) return true;
    diag_error(r->diag, E0202, r->doc->source, offset, 1, "%s must be %s, not %s", what,
               json_kind_name(kind), json_kind_name(found));
    json_skip(&r->json);
    return false;
}

static inline bool expect(Reader* r, JsonKind kind, const char* what) {
    static const char first[] = {[JSON_STRING] = '"', [JSON_ARRAY] = '[', [JSON_OBJECT] = '{'};
    if ((u8)*r->json.at <= ' ') json_offset(&r->json);
    if (*r->json.at == first[kind] && !r->json.failed) return true;
    return expect_general(r, kind, what);
}

static void name_read(Reader* r, DocNode* node) {
    JsonString text;
    const u32  offset = json_offset(&r->json);
    if (!expect(r, JSON_STRING, "name") || !json_string(&r->json, &text)) return;
    Text name = text.raw;
    if (text.escaped) name = text_of(json_decode(text, r->arena));
    const char* fault = entity_name_fault(name);
    if (fault) {
        diag_error(r->diag, E0304, r->doc->source, offset, text.raw.bytes + 2, "the name %s",
                   fault);
        return;
    }
    doc_name_set(node, name);
    if (!r->level || node->parent != NONE) return;
    r->recent[node->name_hash % RECENT_NAMES] = (u32)(node - r->doc->nodes.at) + 1;
}

#define EARLY_WINDOW 16384u /* words */

/* Blocks are long in long texts, because the first access to a page is slow, and short in others. */
static u8* early_alloc(Reader* r, u32 bytes) {
    EarlyRoom* room = &r->room;
    if (room->words - room->used < bytes / 4) {
        if (r->doc->early.count == EARLY_BLOCKS_MAX) return NULL;
        const u32 grown =
            MAX_OF(MIN_OF(room->words * 2, 4096u), bytes / 4); /* many texts are short */
        const u32 words = r->doc->source->bytes / 16;
        room->words = MIN_OF(MAX_OF(words, grown), EARLY_WORDS_MAX);
        room->block = arena_alloc(r->arena, (size_t)room->words * 4);
        room->used = room->prepared = 0;
        *array_push(&r->doc->early) = room->block;
    }
    if (room->used >= room->prepared && room->words - room->used >= EARLY_WINDOW) {
        memory_prepare(room->block + (size_t)room->used * 4, EARLY_WINDOW * 4);
        room->prepared = room->used + EARLY_WINDOW;
    }
    return room->block + (size_t)room->used * 4;
}

/* Reads a component at the cursor early; returns false without any effect if that is not possible. */
static bool component_early(Reader* r, u32 type) {
    const EarlyType* early = &r->registry->compiler[type].early;
    Json*            json = &r->json;
    u32              given;
    if (!early->fields || !r->texts || json->depth + 2 > JSON_DEPTH_MAX) return false;
    const u32 bytes = early->bytes; /* a multiple of a word */
    u8* const record = early_alloc(r, bytes);
    if (!record) return false;
    const char* const text = r->doc->source->text;
    const char* const end = record_read_early(early, json->at, json->end, r->texts, record, &given);
    if (!end) return false;
    const u32 block = r->doc->early.count - 1;
    array_prepare(&r->doc->components);
    *array_push(&r->doc->components) =
        (DocComponent){.type = (u8)type,
                       .form = DOC_OBJECT,
                       .given = (u16)given,
                       .offset = (u32)(json->at - text),
                       .content = (block << EARLY_WORD_BITS | r->room.used) + 1};
    r->room.used += bytes / 4;
    json->at = end;
    return true;
}

/* The form of the value of a component: an object, an array of objects, or null. Reports another one. */
static bool component_form(Reader* r, u32 type, JsonString key, JsonKind kind, u32 offset,
                           u8* form) {
    const ComponentType* t = r->registry->types[type];
    *form = kind == JSON_NULL ? DOC_NULL : kind == JSON_ARRAY ? DOC_ARRAY : DOC_OBJECT;
    if (*form == DOC_OBJECT && kind != JSON_OBJECT) {
        diag_error(r->diag, E0202, r->doc->source, offset, 1,
                   "%.*s must be an object%s, or null, not %s", (int)key.raw.bytes, key.raw.at,
                   t->several == SEVERAL ? ", an array of objects" : "", json_kind_name(kind));
        return false;
    }
    if (*form != DOC_ARRAY || t->several != SINGLE) return true;
    diag_error(r->diag, E0208, r->doc->source, offset, 1,
               "an entity may have only one %s; write a single object instead of an array",
               t->record.name);
    return false;
}

/* Adds the list of instances of another type that an object contains; `number` of the objects before it are in the same array. */
static void list_take(Reader* r, const ComponentMember* member, const JsonToken* object, u32 number,
                      bool* is_next) {
    const JsonToken* list = json_get(object, member->key);
    const u32        type = registry_member_type(r->registry, member);
    if (!list || type == NONE) return;
    if (!json_token_is(list, JSON_OBJECT)) {
        diag_error(r->diag, E0202, r->doc->source, json_token_offset(r->doc->source, list), 1,
                   "%s must be an object with names, not %s", member->key,
                   json_kind_name(json_token_kind(list)));
        return;
    }
    if (number >= DOC_MEMBERS_ADD) {
        diag_error(r->diag, E0309, r->doc->source, json_token_offset(r->doc->source, list), 1,
                   "only the first %u objects of an array may have \"%s\"", DOC_MEMBERS_ADD,
                   member->key);
        return;
    }
    r->has_lists = true;
    *array_push(&r->doc->components) =
        (DocComponent){.type = (u8)type,
                       .form = DOC_MEMBERS,
                       .given = (u16)(number | (*is_next ? DOC_MEMBERS_ADD : 0)),
                       .offset = json_token_offset(r->doc->source, list),
                       .content = DOC_TOKENS | (u32)(list - r->doc->tokens.at)};
    *is_next = true;
}

/* The lists in a component, or in each object of an array. */
static void members_take(Reader* r, const DocComponent* component) {
    const ComponentMember* member = r->registry->compiler[component->type].member;
    bool                   is_next = false;
    u32                    number = 0;
    if (!member) return;
    const JsonToken* value = doc_value(r->doc, component);
    if (component->form == DOC_OBJECT) list_take(r, member, value, 0, &is_next);
    if (component->form != DOC_ARRAY) return;
    for (const JsonToken* item = json_first(value); item; item = json_next(item))
        if (json_token_is(item, JSON_OBJECT)) list_take(r, member, item, number++, &is_next);
}

/* The same for one that is not read early; its value is at `offset`. */
static void component_read(Reader* r, u32 type, JsonString key, u32 offset) {
    JsonKind     kind = JSON_NULL;
    DocComponent component = {.type = (u8)type, .offset = offset};
    if (!json_kind(&r->json, &kind)) return;
    if (!component_form(r, type, key, kind, component.offset, &component.form) ||
        component.form == DOC_NULL) {
        json_skip(&r->json);
    } else {
        const u32 token = json_tokens_read(&r->doc->tokens, &r->json);
        component.content = token == NONE ? 0 : DOC_TOKENS | token;
    }
    if (component.form == DOC_NULL || component.content)
        *array_push(&r->doc->components) = component;
    if (component.content) members_take(r, &component);
}

static void list_report(Reader* r, const DocComponent* component) {
    const char*            name = r->registry->names[component->type];
    const ComponentMember* member = component_member_listing(name);
    assert(member); /* its list has been read */
    diag_error(r->diag, E0208, r->doc->source, component->offset, 1,
               "\"%s\" of %s lists %s already in this entity; write only one of the two",
               member->key, member->owner, name);
}

/* Instances of a type are either written as a component or as a list in another one. */
static void lists_check(Reader* r, u32 first) {
    const DocComponent* at = r->doc->components.at;
    const u32           end = r->doc->components.count;
    for (u32 i = first; i < end; i++) {
        if (at[i].form != DOC_MEMBERS || at[i].given & DOC_MEMBERS_ADD) continue;
        for (u32 k = first; k < end; k++) {
            if (at[k].type != at[i].type || at[k].form == DOC_MEMBERS) continue;
            list_report(r, &at[k]);
        }
    }
}

/* Reads the next key of components, and finds its type; NONE: there is none of this name. `type` was
 * that of the key before, or REGISTRY_TYPES_MAX. */
static inline bool type_next(Reader* r, JsonString* key, u32* type) {
    const Registry* registry = r->registry;
    u8* const       guess = &r->guesses.type[*type == NONE ? REGISTRY_TYPES_MAX : *type];
    *type = json_key_among(&r->json, key, registry->keys, registry->count, *guess);
    if (*type == NONE) {
        if (!json_key(&r->json, key)) return false;
        *type = type_named(r, *key);
    }
    if (*type != NONE) *guess = (u8)*type;
    return true;
}

static void components_read(Reader* r, u32* first, u32* count) {
    JsonString key;
    Doc*       doc = r->doc;
    u64        seen[(REGISTRY_TYPES_MAX + 63) / 64] = {0}; /* also when its value is invalid */
    const u32  offset_of_all = json_offset(&r->json);
    *first = doc->components.count;
    if (!expect(r, JSON_OBJECT, "components") || !json_enter(&r->json, JSON_OBJECT)) return;
    for (u32 type = REGISTRY_TYPES_MAX; type_next(r, &key, &type);) {
        const bool is_duplicate = type != NONE && seen[type / 64] >> type % 64 & 1;
        if (type != NONE && !is_duplicate) {
            assert(type < REGISTRY_TYPES_MAX); /* it is a row of the registry */
            seen[type / 64] |= 1ull << type % 64;
            const u32 offset = json_offset(&r->json); /* the cursor is at the value then */
            if (*r->json.at != '{' || !component_early(r, type))
                component_read(r, type, key, offset);
            continue;
        }
        if (is_duplicate)
            doc_key_error(r, E0103, key, duplicate_key, NULL);
        else if (!json_key_is_note(key))
            type_error(r, key);
        json_skip(&r->json);
    }
    *count = doc->components.count - *first;
    if (r->has_lists) lists_check(r, *first);
    if (*count <= UINT8_MAX) return;
    diag_error(r->diag, E0309, doc->source, offset_of_all, 1,
               "an entity has %u components, counted with the lists in them; the limit is %u",
               *count, UINT8_MAX);
    doc->components.count = *first + UINT8_MAX;
    *count = UINT8_MAX;
}

void doc_components_take(Doc* doc, u32 token, const Registry* registry, Diagnostics* diag) {
    Reader           r = {.doc = doc, .registry = registry, .diag = diag};
    const JsonToken* components = &doc->tokens.at[token];
    const u32        first = doc->components.count;
    u64              seen[(REGISTRY_TYPES_MAX + 63) / 64] = {0};
    if (!json_object_check(doc->source, diag, components, "components")) return;
    for (const JsonToken* m = json_first(components); m; m = json_next(m)) {
        const JsonString key = json_token_key(m);
        const u32        type = type_named(&r, key);
        DocComponent     component = {.type = (u8)type,
                                      .offset = json_token_offset(doc->source, m),
                                      .content = DOC_TOKENS | (u32)(m - doc->tokens.at)};
        if (type == NONE && !json_key_is_note(key)) type_error(&r, key);
        if (type == NONE || seen[type / 64] >> type % 64 & 1) continue;
        assert(type < REGISTRY_TYPES_MAX); /* it is a row of the registry */
        seen[type / 64] |= 1ull << type % 64;
        if (!component_form(&r, type, key, json_token_kind(m), component.offset, &component.form))
            continue;
        *array_push(&doc->components) = component;
        if (component.form != DOC_NULL) members_take(&r, &component);
    }
    if (r.has_lists) lists_check(&r, first);
}

static u32 node_key_bit(JsonString key) {
#define KEY_COMPARE(text, bit)                                                                     \
    if (json_equals(key, text)) return bit;
    NODE_KEYS(KEY_COMPARE)
    return 0;
}

#define KEY_TEXT(text, bit) text,
static void node_key_unknown(Reader* r, JsonString key) {
    static const char* const names[] = {NODE_KEYS(KEY_TEXT)};
    if (json_key_is_note(key)) return;
    const char* near = diag_nearest(key.raw, names, COUNT_OF(names));
    if (!near && registry_find(r->registry, key) != NONE) {
        doc_key_error(r, E0201, key, component_key, NULL);
    } else {
        doc_key_error(r, E0201, key, unknown_key, near);
    }
}

/* Records the position of a value and skips it. */
static u32 span_read(Reader* r, JsonKind kind, const char* what) {
    const u32 offset = json_offset(&r->json);
    if (!expect(r, kind, what)) return 0;
    json_skip(&r->json);
    return offset;
}

static DocInstance* instance_of(Doc* doc, u32 index) {
    if (!doc->nodes.at[index].instance) {
        *array_push(&doc->instances) = (DocInstance){0};
        doc->nodes.at[index].instance = doc->instances.count;
    }
    return &doc->instances.at[doc->nodes.at[index].instance - 1];
}

static u32 override_key_bit(JsonString key) {
    if (json_equals(key, "was")) return KEY_WAS;
    return node_key_bit(key) & (KEY_COMPONENTS | KEY_CHILDREN | KEY_PREFAB);
}

static void override_member_read(Reader* r, DocOverride* override, u32 index, u32 bit) {
    if (bit == KEY_COMPONENTS) {
        components_read(r, &override->first_component, &override->component_count);
        return;
    }
    if (bit == KEY_WAS) {
        EarlyTexts* const texts = r->texts;
        r->texts = NULL; /* they are compared as they are written */
        override->was = json_offset(&r->json);
        components_read(r, &override->first_was, &override->was_count);
        r->texts = texts;
        return;
    }
    if (override->host == NONE) override->host = doc_host_add(r->doc, index);
    if (bit == KEY_CHILDREN) {
        doc_nodes_read(r, override->host);
        return;
    }
    const u32 offset = span_read(r, JSON_STRING, "prefab");
    instance_of(r->doc, override->host)->prefab = offset;
}

/* The value of one path in the overrides of node `index`: null, or an object. */
static void override_read(Reader* r, DocOverride* override, u32 index) {
    JsonString key;
    JsonKind   kind = JSON_NULL;
    u32        seen = 0;
    if (!json_kind(&r->json, &kind)) return;
    if (kind == JSON_NULL) {
        override->removes = true;
        json_skip(&r->json);
        return;
    }
    if (!expect(r, JSON_OBJECT, "an override") || !json_enter(&r->json, JSON_OBJECT)) return;
    while (json_key(&r->json, &key)) {
        const u32 bit = override_key_bit(key);
        if (bit && !(seen & bit)) {
            seen |= bit;
            override_member_read(r, override, index, bit);
            continue;
        }
        if (bit)
            doc_key_error(r, E0103, key, duplicate_key, NULL);
        else if (!json_key_is_note(key)) {
            doc_key_error(r, E0201, key, override_key, NULL);
        }
        json_skip(&r->json);
    }
}

/* Reports the duplicate paths among many overrides, of which the first ones were compared one by one. */
static void overrides_check(Reader* r, const DocInstance* instance) {
    const Doc* doc = r->doc;
    Slots      slots = {0};
    slots_alloc(&slots, slots_needed(instance->override_count, 16));
    for (u32 i = 0; i < instance->override_count; i++) {
        const DocOverride* o = &doc->overrides.at[instance->first_override + i];
        u32*               slot = doc_override_slot(doc, &slots, instance->first_override, o->path);
        if (!*slot) {
            *slot = i + 1;
        } else if (i >= TWINS_MAX) {
            const DocOverride* twin = &doc->overrides.at[instance->first_override + *slot - 1];
            doc_key_error(r, E0103, json_string_at(doc->source, o->offset), duplicate_key, NULL);
            diag_note(r->diag, doc->source, twin->offset,
                      json_string_at(doc->source, twin->offset).raw.bytes + 2,
                      "the first one is here");
        }
    }
    slots_drop(&slots);
}

/* Children in overrides may have overrides themselves, so that all of one instance are appended together. */
static void overrides_read(Reader* r, u32 index) {
    JsonString key;
    Doc*       doc = r->doc;
    const u32  first = r->overrides.count;
    if (!expect(r, JSON_OBJECT, "overrides") || !json_enter(&r->json, JSON_OBJECT)) return;
    while (json_key(&r->json, &key)) {
        if (json_key_is_note(key)) {
            json_skip(&r->json);
            continue;
        }
        DocOverride override = {
            .offset = at_offset(doc, key.raw.at) - 1, .path = key.raw, .host = NONE};
        if (key.escaped) override.path = text_of(json_decode(key, r->arena));
        for (u32 i = first; i < r->overrides.count && i < first + TWINS_MAX; i++) {
            if (text_equal(r->overrides.at[i].path, override.path)) {
                doc_key_error(r, E0103, key, duplicate_key, NULL);
            }
        }
        override_read(r, &override, index);
        *array_push(&r->overrides) = override;
    }
    const u32    count = r->overrides.count - first;
    DocInstance* instance = instance_of(doc, index);
    instance->first_override = doc->overrides.count;
    instance->override_count = count;
    for (u32 i = 0; i < count; i++) *array_push(&doc->overrides) = r->overrides.at[first + i];
    r->overrides.count = first;
    if (count > TWINS_MAX && !r->json.failed) overrides_check(r, instance);
}

/* The parent is usually one of the last entries: it is guessed here, while their names are in the cache. */
static void parent_read(Reader* r, u32 index) {
    JsonString text;
    const u32  offset = json_offset(&r->json);
    if (!expect(r, JSON_STRING, "parent") || !json_string(&r->json, &text)) return;
    const Text name = text.escaped ? text_of(json_decode(text, r->arena)) : text.raw;
    const u32  hash = (u32)hash_bytes(name.at, name.bytes, 0);
    u32        guess = text.escaped ? 0 : r->recent[hash % RECENT_NAMES];
    if (guess && !text_equal(doc_name(&r->doc->nodes.at[guess - 1]), name)) guess = 0;
    *array_push(&r->parents) = (ParentName){index, offset, hash, guess};
}

/* Every entity of an entity file has the root as an ancestor. */
static void group_read(Reader* r, u32 index, JsonString key) {
    JsonString text;
    const u32  offset = json_offset(&r->json);
    if (!r->level && r->doc->nodes.at[index].parent == NONE) {
        doc_key_error(r, E0201, key, group_key, NULL);
        json_skip(&r->json);
        return;
    }
    if (!expect(r, JSON_STRING, "group") || !json_string(&r->json, &text)) return;
    const char* fault =
        entity_name_fault(text.escaped ? text_of(json_decode(text, r->arena)) : text.raw);
    if (!fault) {
        instance_of(r->doc, index)->group = offset;
        return;
    }
    diag_error(r->diag, E0304, r->doc->source, offset, text.raw.bytes + 2, "the group's name %s",
               fault);
}

static void components_place(Doc* doc, u32 index, u32 first, u32 count) {
    DocNode* node = &doc->nodes.at[index];
    node->first_component = first;
    node->component_count = (u8)count;
    for (u32 i = 0; i < count; i++)
        node->layered |= doc->components.at[first + i].form != DOC_OBJECT;
}

/* An entry of a level may name its parent. */
static void node_parent_read(Reader* r, u32 index, JsonString key) {
    if (r->level && r->doc->nodes.at[index].parent == NONE) {
        parent_read(r, index);
        return;
    }
    doc_key_error(r, E0201, key, parent_key, NULL);
    json_skip(&r->json);
}

/* Reads the next key of an entity, and its bit; 0: none has this name. `last` is the index of the key before,
 * or NODE_KEYS_MAX - 1. */
static inline bool node_next(Reader* r, JsonString* key, u32* last, u32* bit) {
#define KEY_NAME_OF(text, bit) JSON_NAME(text),
#define KEY_BIT(text, bit)     bit,
    static const JsonName names[] = {NODE_KEYS(KEY_NAME_OF)};
    static const u8       bits[] = {NODE_KEYS(KEY_BIT)};
    static_assert(COUNT_OF(names) < NODE_KEYS_MAX, "guesses have the last index for the beginning");
    u8* const guess = &r->guesses.node[*last];
    const u32 found = json_key_among(&r->json, key, names, COUNT_OF(names), *guess);
    if (found == NONE) {
        if (!json_key(&r->json, key)) return false;
        *bit = node_key_bit(*key);
        return true;
    }
    *bit = bits[found];
    *last = *guess = (u8)found;
    return true;
}

#define TEXT_LOOK_AHEAD 1024 /* bytes */

/* Hardware prefetches sequential reads only up to the end of a page. */
static inline void text_prefetch(const Json* json) {
    PREFETCH(json->at + TEXT_LOOK_AHEAD);
    PREFETCH(json->at + TEXT_LOOK_AHEAD + 64);
    PREFETCH(json->at + TEXT_LOOK_AHEAD + 128);
    PREFETCH(json->at + TEXT_LOOK_AHEAD + 192);
}

/* Reads the object at the cursor into node `index`. */
void doc_node_read(Reader* r, u32 index) {
    JsonString key;
    u32        seen = 0, first = 0, count = 0;
    r->doc->nodes.at[index].offset = json_offset(&r->json);
    text_prefetch(&r->json);
    if (!json_enter(&r->json, JSON_OBJECT)) return;
    for (u32 last = NODE_KEYS_MAX - 1, bit; node_next(r, &key, &last, &bit);) {
        if (bit == 0 || seen & bit) {
            if (bit)
                doc_key_error(r, E0103, key, duplicate_key, NULL);
            else
                node_key_unknown(r, key);
            json_skip(&r->json);
            continue;
        }
        seen |= bit;
        switch (bit) {
        case KEY_NAME: name_read(r, &r->doc->nodes.at[index]); break;
        case KEY_COMPONENTS:
            components_read(r, &first, &count);
            components_place(r->doc, index, first, count);
            break;
        case KEY_PREFAB:
            first = span_read(r, JSON_STRING, "prefab");
            instance_of(r->doc, index)->prefab = first;
            break;
        case KEY_OVERRIDES: overrides_read(r, index); break;
        case KEY_CHILDREN: doc_nodes_read(r, index); break;
        case KEY_GROUP: group_read(r, index, key); break;
        default: node_parent_read(r, index, key); break;
        }
    }
    const DocInstance instance = doc_instance(r->doc, &r->doc->nodes.at[index]);
    if (instance.override_count && !instance.prefab && !r->json.failed) {
        diag_error(r->diag, E0307, r->doc->source,
                   r->doc->overrides.at[instance.first_override].offset, 1,
                   "\"overrides\" needs a \"prefab\" that contains the overridden entities");
    }
}

void doc_item_read(Reader* r) {
    if (expect(r, JSON_OBJECT, "an entity")) doc_node_read(r, doc_node_add(r->doc, NONE));
}

void doc_nodes_read(Reader* r, u32 parent) {
    if (!expect(r, JSON_ARRAY, parent == NONE ? "entities" : "children")) return;
    if (!json_enter(&r->json, JSON_ARRAY)) return;
    while (json_item(&r->json)) {
        if (!expect(r, JSON_OBJECT, "an entity")) continue;
        doc_node_read(r, doc_node_add(r->doc, parent));
    }
}

bool doc_expect(Reader* r, JsonKind kind, const char* what) { return expect(r, kind, what); }
