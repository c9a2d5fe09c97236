/* registry.c - the table of component compilers. */
#include "registry.h"

#include "component_members.h"
#include "component_rules.h"
#include "diag.h"

#define COMPONENT_CHECK(name, Type, NAME, order, several, columns, lookup) component_check_##name,
static const ComponentCheck checks[] = {COMPONENT_LIST(COMPONENT_CHECK)};

bool registry_init(Registry* registry, Diagnostics* diag) {
    /* Types are written when they are added: to erase all of them would take longer. */
    registry->count = 0;
    registry->plugins = NULL;
    memset(registry->slots, 0, sizeof registry->slots);
    for (u32 i = 0; i < COMPONENT_COUNT; i++) {
        const ComponentCompiler built_in = {
            .type = ent_component_types()[i],
            .compile = component_compile_fields,
            .check = checks[i],
            .member = component_member(ent_component_types()[i].record.name),
            .from = "entc"};
        if (!registry_add(registry, &built_in, diag)) return false;
    }
    return true;
}

static u32 word_slot(const JsonWord* word) {
    return (u32)((word->first ^ word->last * 3) * 0x9e3779b97f4a7c15u >> 56) % REGISTRY_SLOTS;
}

/* Returns NULL, or the reason why the type cannot be added. */
static const char* conflict_text(const ComponentType* theirs, const ComponentType* mine) {
    if (strcmp(theirs->record.name, mine->record.name) == 0) return "has the same name";
    return theirs->id == mine->id ? "has the same id; rename one of the two" : NULL;
}

bool registry_add(Registry* registry, const ComponentCompiler* compiler, Diagnostics* diag) {
    ComponentCompiler add = *compiler;
    ent_component_type_finish(&add.type);
    add.required = 0;
    add.early = (EarlyType){0};
    if (add.compile == component_compile_fields) early_type_open(&add.early, &add.type.record);
    for (u32 i = 0; i < add.type.record.field_count; i++) {
        if (add.type.record.fields[i].required) add.required |= 1ull << i;
    }
    for (u32 i = 0; i < registry->count; i++) {
        const ComponentCompiler* existing = &registry->compiler[i];
        const char*              conflict = conflict_text(&existing->type, &add.type);
        if (!conflict) continue;
        diag_error(diag, E0310, NULL, 0, 0,
                   "the component type \"%s\" of %s cannot be added: \"%s\" of %s %s (0x%08x)",
                   add.type.record.name, add.from, existing->type.record.name, existing->from,
                   conflict, add.type.id);
        return false;
    }
    if (registry->count == REGISTRY_TYPES_MAX) {
        diag_error(diag, E0309, NULL, 0, 0,
                   "the component type \"%s\" of %s cannot be added: it would be number %u; the "
                   "limit is %u component types",
                   add.type.record.name, add.from, registry->count + 1, REGISTRY_TYPES_MAX);
        return false;
    }
    u32 at = registry->count++;
    for (; at > 0 && registry->compiler[at - 1].type.order > add.type.order; at--) {
        registry->compiler[at] = registry->compiler[at - 1];
    }
    registry->compiler[at] = add;
    for (u32 i = 0; i < registry->count; i++) {
        registry->types[i] = &registry->compiler[i].type;
        registry->names[i] = registry->compiler[i].type.record.name;
        registry->words[i] = json_word(text_of(registry->names[i]));
        registry->keys[i] = json_name(registry->names[i]);
        registry->slots[word_slot(&registry->words[i])] = (u8)i;
    }
    return true;
}

static bool is_former(const ComponentType* type, JsonString key) {
    for (u32 i = 0; i < type->was_count; i++)
        if (type->was[i].field == NONE && json_equals(key, type->was[i].name)) return true;
    return false;
}

/* A built-in type by an older name. */
static u32 former_find(const Registry* registry, JsonString key) {
    for (u32 i = 0; i < registry->count; i++) {
        const ComponentCompiler* c = &registry->compiler[i];
        if (!c->declared && !c->plugin && is_former(&c->type, key)) return i;
    }
    return NONE;
}

u32 registry_find(const Registry* registry, JsonString key) {
    const JsonWord word = json_word(key.raw);
    const u32      guess = registry->slots[word_slot(&word)];
    if (json_word_is(&registry->words[guess], &word) && key.raw.bytes <= JSON_WORD_BYTES &&
        !key.escaped)
        return guess;
    for (u32 i = 0; i < registry->count; i++) {
        if (json_equals(key, registry->names[i])) return i;
    }
    return former_find(registry, key);
}

u32 registry_member_type(const Registry* registry, const ComponentMember* member) {
    return registry_find(registry, (JsonString){text_of(member->component), false});
}

BlobOptions registry_options(const Registry* registry) {
    return (BlobOptions){.types = registry->types, .type_count = registry->count};
}
