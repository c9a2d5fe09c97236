/* declare.c - reads declarations of component types, and compares those of a folder. */
#include "declare_internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "diag.h"
#include "diag_print.h"
#include "hash.h"
#include "sections.h"
#include "slots.h"

/* --- what a declaration may contain --- */

static const char* const root_keys[] = {"text", "several", "order", "was", "fields"};

/* Names with another meaning in C, C++ or a system header. */
static const char* const keywords[] = {
    "alignas",  "alignof",  "and",       "asm",       "auto",      "bitand",   "bitor",
    "bool",     "break",    "case",      "catch",     "char",      "class",    "compl",
    "concept",  "const",    "consteval", "constexpr", "constinit", "continue", "decltype",
    "default",  "delete",   "do",        "double",    "else",      "enum",     "errno",
    "explicit", "export",   "extern",    "f32",       "false",     "float",    "for",
    "friend",   "goto",     "i32",       "if",        "inline",    "int",      "linux",
    "long",     "mutable",  "namespace", "new",       "noexcept",  "not",      "nullptr",
    "operator", "or",       "private",   "protected", "public",    "register", "requires",
    "restrict", "return",   "short",     "signed",    "sizeof",    "static",   "struct",
    "switch",   "template", "this",      "throw",     "true",      "try",      "typedef",
    "typeid",   "typename", "typeof",    "u32",       "union",     "unix",     "unsigned",
    "using",    "virtual",  "void",      "volatile",  "while",     "xor"};

static bool is_keyword(const char* name) {
    for (u32 i = 0; i < COUNT_OF(keywords); i++) {
        if (strcmp(keywords[i], name) == 0) return true;
    }
    return false;
}

/* The most similar valid name, or "". */
static const char* identifier_fixed(const char* name, char fixed[DECLARATION_NAME_MAX + 1]) {
    u32 used = 0;
    for (const char* at = name; *at && used < DECLARATION_NAME_MAX; at++) {
        const char lower = *at >= 'A' && *at <= 'Z' ? (char)(*at - 'A' + 'a') : *at;
        const bool letter = lower >= 'a' && lower <= 'z', digit = lower >= '0' && lower <= '9';
        if (letter || (digit && used))
            fixed[used++] = lower;
        else if (used && fixed[used - 1] != '_')
            fixed[used++] = '_';
    }
    while (used && fixed[used - 1] == '_') used--;
    fixed[used] = 0;
    return fixed;
}

/* Returns NULL, or the error of a name that becomes an identifier in C. */
static const char* identifier_fault(Arena* arena, const char* name) {
    char fixed[DECLARATION_NAME_MAX + 1];
    if (is_keyword(name))
        return arena_print(arena, "must not be \"%s\", a reserved word of C or C++", name);
    if (name_is_identifier(text_of(name))) return NULL;
    identifier_fixed(name, fixed);
    return arena_print(
        arena,
        "must begin with a-z and contain only a-z, 0-9 and single '_', at most %u characters%s%s%s",
        DECLARATION_NAME_MAX, *fixed ? "; write \"" : "", fixed, *fixed ? "\"" : "");
}

/* --- values --- */

/* --- older names: "was": "name", or an array of names --- */

/* Names of one kind must differ: those of the component, of its fields, and of the texts of one
 * field. */
static u64 former_kind(const FormerName* name) {
    if (name->text != NONE) return 2 + (u64)name->field;
    return name->field == NONE ? 0 : 1;
}

/* Does the declaration have the name now? Returns NULL, or what it names. */
static const char* former_current(const Reader* r, const FormerName* was) {
    const RecordType* record = &r->out->type.record;
    if (was->field == NONE)
        return strcmp(record->name, was->name) == 0 ? "is the name of the component itself" : NULL;
    if (was->text == NONE) {
        for (u32 i = 0; i < record->field_count; i++) {
            if (strcmp(r->fields[i].name, was->name) == 0)
                return "is the name of a field of this declaration";
        }
        return NULL;
    }
    const Field* f = &r->fields[was->field];
    for (u32 i = 0; i < f->text_count; i++) {
        if (strcmp(f->texts[i], was->name) == 0) return "is a value of this enum";
    }
    return NULL;
}

/* What has this name, among the names with which the older one could be confused? */
static const char* former_conflict(const Reader* r, const Slots* slots, u32 index) {
    const FormerName* was = &r->was.at[index].name;
    const u64         kind = former_kind(was);
    u32*              slot = slots_first(slots, hash_bytes(was->name, strlen(was->name), kind));
    const char*       current = former_current(r, was);
    if (current) return current;
    for (; *slot; slot = slots_next(slots, slot)) {
        const FormerName* existing = &r->was.at[*slot - 1].name;
        if (former_kind(existing) == kind && strcmp(existing->name, was->name) == 0)
            return "is stated more than once";
    }
    *slot = index + 1;
    return NULL;
}

static void formers_finish(Reader* r) {
    FormerName* names = ARENA_NEW(r->arena, FormerName, r->was.count + 1);
    u32*        at = ARENA_NEW(r->arena, u32, r->was.count + 1);
    Slots       slots = {0};
    if (r->was.count) slots_alloc(&slots, slots_needed(r->was.count, 16));
    for (u32 i = 0; i < r->was.count; i++) {
        const Former* was = &r->was.at[i];
        const char*   conflict = former_conflict(r, &slots, i);
        names[i] = was->name;
        at[i] = node_offset(r, was->node);
        if (conflict) {
            diag_error(r->diag, E0206, NODE_AT(r, was->node),
                       "the older name \"%s\" %s; older blobs could not be distinguished",
                       was->name.name, conflict);
        }
    }
    r->out->type.was = r->was.count ? names : NULL;
    r->out->type.was_count = r->was.count;
    r->out->was_at = at;
    array_drop(&r->was);
    slots_drop(&slots);
}

/* --- the complete declaration --- */

static void fields_read(Reader* r, const JsonToken* fields) {
    RecordType* record = &r->out->type.record;
    for (const JsonToken* member = json_first(fields); member; member = json_next(member)) {
        if (member_is_note(member)) continue;
        const char* fault = identifier_fault(r->arena, member_key(r, member));
        if (fault) member_error(r, E0301, member, "the name of a field %s", fault);
        if (record->field_count == COMPONENT_COLUMNS_MAX) {
            member_error(r, E0309, member,
                         "this is field number %u; a component may have at most %u fields",
                         record->field_count + 1, COMPONENT_COLUMNS_MAX);
            return;
        }
        if (!node_expect(r, member, JSON_OBJECT, "a field")) continue;
        Field* f = &r->fields[record->field_count];
        *f = (Field){.name = member_key(r, member), .offset = record->bytes, .bytes = 4};
        declared_field_read(r, member, f);
        record->field_count++;
        record->bytes += f->bytes;
        if (record->bytes > DECLARATION_RECORD_MAX &&
            record->bytes - f->bytes <= DECLARATION_RECORD_MAX)
            member_error(r, E0309, member,
                         "with this field an instance has %u bytes; the limit is %u bytes",
                         record->bytes, DECLARATION_RECORD_MAX);
    }
}

static void root_read(Reader* r, const JsonToken* root) {
    const JsonToken* fields = json_get(root, "fields");
    const u32        errors = diag_error_count(r->diag);
    for (const JsonToken* member = json_first(root); member; member = json_next(member)) {
        bool known = member_is_note(member);
        for (u32 i = 0; i < COUNT_OF(root_keys); i++) {
            known |= json_key_is(member, root_keys[i]);
        }
        if (known) continue;
        member_error(r, E0201, member, "unknown key \"%s\" in a component declaration%s%s%s",
                     member_key(r, member),
                     DIAG_NEAREST(diag_nearest(text_of(member_key(r, member)), root_keys,
                                               COUNT_OF(root_keys))));
    }
    r->out->text = node_line(r, json_get(root, "text"), "text");
    r->out->type.several = node_truth(r, json_get(root, "several"), "several") ? SEVERAL : SINGLE;
    r->out->type.order = node_complete(r, json_get(root, "order"), "order", 0,
                                       DECLARATION_ORDER_MAX, DECLARATION_ORDER);
    formers_read(r, root, NONE, NONE);
    if (fields && node_expect(r, fields, JSON_OBJECT, "fields")) fields_read(r, fields);
    formers_finish(r);
    if (r->out->type.record.field_count == 0 && diag_error_count(r->diag) == errors) {
        diag_error(r->diag, E0204, r->source, node_offset(r, fields ? fields : root), 1,
                   "a component must have at least one field in \"fields\"");
    }
}

static const char* key_of(const char* resource) {
    const char* slash = strrchr(resource, '/');
    return slash ? slash + 1 : resource;
}

/* Levels that use a declaration with errors are compiled with this type, to find their own
 * errors. */
static void stand_in(Declaration* d) {
    static const Field any = {
        .name = "any", .kind = FIELD_u32, .bytes = 4, .hi = ALL, .unit = "", .text = ""};
    d->type.record.fields = &any;
    d->type.record.field_count = 1;
    d->type.record.bytes = 4;
    d->type.was_count = 0;
}

/* `tokens`: of the source; NULL: it cannot be read, which was reported. `errors`: before it was read. */
static Declaration* tokens_read(const Source* source, const JsonTokens* tokens,
                                const char* resource, Arena* arena, Diagnostics* diag, u32 errors) {
    Declaration* d = ARENA_NEW(arena, Declaration, 1);
    Reader       r = {.source = source,
                      .out = d,
                      .arena = arena,
                      .diag = diag,
                      .fields = ARENA_NEW(arena, Field, COMPONENT_COLUMNS_MAX)};
    const char*  key = arena_text(arena, text_of(key_of(resource)));
    const char*  fault = identifier_fault(arena, key);
    *d = (Declaration){.resource = resource, .text = "", .source = source};
    d->type = (ComponentType){.record = {.name = key, .fields = r.fields},
                              .order = DECLARATION_ORDER,
                              .columns = BY_FIELD,
                              .lookup = HASHED};
    if (fault) {
        diag_error(diag, E0301, source, 0, 1,
                   "this file declares the component \"%s\", but the name of a component %s", key,
                   fault);
    }
    const JsonToken* root = tokens ? json_tokens_root(tokens) : NULL;
    if (root && node_expect(&r, root, JSON_OBJECT, "a component declaration")) root_read(&r, root);
    d->has_errors = !tokens || diag_error_count(diag) != errors;
    if (d->has_errors) stand_in(d);
    ent_component_type_finish(&d->type);
    return d;
}

Declaration* declaration_read(const Source* source, const char* resource, Arena* arena,
                              Diagnostics* diag) {
    JsonTokens   tokens;
    const u32    errors = diag_error_count(diag);
    const bool   is_open = json_tokens_open(&tokens, source, diag);
    Declaration* d = tokens_read(source, is_open ? &tokens : NULL, resource, arena, diag, errors);
    json_tokens_close(&tokens);
    return d;
}

/* --- all declarations of a folder --- */

static int declaration_order(const void* a, const void* b) {
    const Declaration *x = *(Declaration*const*)a, *y = *(Declaration*const*)b;
    const int          key = strcmp(x->type.record.name, y->type.record.name);
    return key ? key : strcmp(x->source->path, y->source->path);
}

static void compile_nothing(Instance* instance) { UNUSED(instance); }

/* Is the key free? If not, this is reported together with the existing type. */
static bool key_check(const Registry* registry, const Declaration* d, Diagnostics* diag) {
    for (u32 i = 0; i < registry->count; i++) {
        const ComponentCompiler* existing = &registry->compiler[i];
        if (strcmp(existing->type.record.name, d->type.record.name) != 0) continue;
        if (existing->declared) {
            diag_error(diag, E0303, d->source, 0, 1,
                       "duplicate declaration of the component \"%s\"; rename one of the files",
                       d->type.record.name);
            diag_note(diag, existing->declared->source, 0, 1, "the other declaration is here");
        } else {
            diag_error(diag, E0303, d->source, 0, 1,
                       "%s already defines a component \"%s\"; rename the file", existing->from,
                       d->type.record.name);
        }
        return false;
    }
    return true;
}

typedef struct OlderName {
    const char*        name;
    const Declaration* of;
} OlderName;

/* All declarations of a folder, by name, and the older names of those that have been checked. */
typedef struct Declared {
    ARRAY(Declaration*) all;
    ARRAY(OlderName) older;
    Slots slots; /* of `older` */
} Declared;

static u32 formers_count(const ComponentType* type) {
    u32 count = 0;
    while (count < type->was_count && type->was[count].field == NONE) count++;
    return count;
}

/* The first declaration with this name, or NULL. */
static const Declaration* declared_find(const Declared* declared, const char* name) {
    u32 lo = 0, hi = declared->all.count;
    while (lo < hi) {
        const u32 middle = lo + (hi - lo) / 2;
        if (strcmp(declared->all.at[middle]->type.record.name, name) < 0)
            lo = middle + 1;
        else
            hi = middle;
    }
    if (lo >= declared->all.count) return NULL;
    const Declaration* found = declared->all.at[lo];
    return strcmp(found->type.record.name, name) == 0 ? found : NULL;
}

/* Enters the older name. Returns the declaration that entered it before, or NULL. */
static const Declaration* former_enter(Declared* declared, const char* name,
                                       const Declaration* of) {
    const u64 hash = hash_bytes(name, strlen(name), 0);
    u32*      slot = slots_first(&declared->slots, hash);
    for (; *slot; slot = slots_next(&declared->slots, slot)) {
        const OlderName* existing = &declared->older.at[*slot - 1];
        if (strcmp(existing->name, name) == 0) return existing->of;
    }
    *array_push(&declared->older) = (OlderName){name, of};
    *slot = declared->older.count;
    return NULL;
}

/* Reports an older name of a component that another type has now, or has had. That it has the name itself is an
 * error in the declaration, which has no older names then. */
static void formers_check(const Registry* registry, Declared* declared, u32 index,
                          Diagnostics* diag) {
    const Declaration* d = declared->all.at[index];
    const u32          count = formers_count(&d->type);
    for (u32 w = 0; w < count; w++) {
        const char* name = d->type.was[w].name;
        for (u32 i = 0; i < registry->count; i++) {
            if (strcmp(registry->names[i], name) != 0) continue;
            diag_error(diag, E0303, d->source, d->was_at[w], (u32)strlen(name) + 2,
                       "\"%s\" cannot be an older name of the component \"%s\": %s defines a "
                       "component of that name",
                       name, d->type.record.name, registry->compiler[i].from);
        }
        const Declaration* now = declared_find(declared, name);
        const Declaration* former = former_enter(declared, name, d);
        const Declaration* other = now ? now : former;
        if (!other) continue;
        diag_error(diag, E0303, d->source, d->was_at[w], (u32)strlen(name) + 2,
                   "\"%s\" cannot be an older name of the component \"%s\": it is %s name "
                   "of another one",
                   name, d->type.record.name, now ? "the" : "an older");
        diag_note(diag, other->source, 0, 1, "the other component is declared here");
    }
}

/* Searches in tables: a folder may contain more declarations than the registry accepts. */
static void all_formers_check(const Registry* registry, Declared* declared, Diagnostics* diag) {
    u32 rows = 0;
    for (u32 i = 0; i < declared->all.count; i++) rows += formers_count(&declared->all.at[i]->type);
    slots_alloc(&declared->slots, slots_needed(rows, 16));
    for (u32 i = 0; i < declared->all.count; i++) formers_check(registry, declared, i, diag);
    slots_drop(&declared->slots);
    array_drop(&declared->older);
}

/* Errors of its text are reported here, because every resource needs the declaration; that it cannot be
 * read is reported with the other sources. */
static Declaration* declaration_of(Assets* assets, Asset* asset, Diagnostics* diag) {
    const bool is_valid = asset_read(assets, asset);
    const bool is_read = asset->source.text == (const char*)asset->content->view.bytes;
    const u32  errors = diag_error_count(diag);
    if (is_read && asset->diag) diag_absorb(diag, asset->diag);
    return tokens_read(&asset->source, is_valid ? &asset->content->tokens : NULL, asset->name,
                       &assets->arena, diag, errors);
}

void declarations_read(Assets* assets, Registry* registry, Diagnostics* diag) {
    Declared declared = {0};
    for (u32 i = 0; i < assets->count; i++) {
        Asset* asset = assets->asset[i];
        if (asset->type != RESOURCE_COMPONENT) continue;
        *array_push(&declared.all) = declaration_of(assets, asset, diag);
    }
    const u32 count = declared.all.count;
    if (count) qsort(declared.all.at, count, sizeof *declared.all.at, declaration_order);
    all_formers_check(registry, &declared, diag);
    for (u32 i = 0; i < count; i++) {
        const Declaration*      d = declared.all.at[i];
        const ComponentCompiler add = {.type = d->type,
                                       .compile = d->has_errors ? compile_nothing
                                                                : component_compile_fields,
                                       .from = d->source->path,
                                       .declared = d};
        if (!key_check(registry, d, diag)) continue;
        if (!registry_add(registry, &add, diag))
            diag_note(diag, d->source, 0, 1, "it is declared here");
    }
    array_drop(&declared.all);
}
