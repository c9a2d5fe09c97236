/* test_evolution.c - random chains of changes of a component type, which the project declares, or which
 * a host or a plugin registers: saves of every age are loaded under every later description, beside a
 * plain model.
 *
 *     make evolution [seed=N] [chains=N]
 *
 * The model knows a field and a text of an enum by a number that it keeps when it is renamed, and
 * every value as a number; it knows neither names nor layouts. A chain that failed is repeated
 * alone by its seed. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "declare_write.h"
#include "fields.h"
#include "redeclare.h"
#include "snapshot.h"
#include "spawn.h"
#include "test_worlds_support.h"
#include "world_plugin.h"

#define AGES          11 /* declarations of a chain: the first one and ten changes */
#define FIELDS_MAX    8
#define TEXTS_MAX     6
#define FORMER_MAX    48
#define ENTITIES      3
#define INSTANCES_MAX 6
#define STRINGS       5

static const char* const strings[STRINGS] = {"", "one", "two words", "three\nlines", "\xc3\xa4"};

/* --- the model --- */

typedef struct MText {
    u32  identity;
    char name[16];
} MText;

typedef struct MField {
    u32       identity;
    char      name[16];
    FieldKind kind;
    u32       elements;
    f64       lo, hi, fallback[4];
    u32       fallback_text; /* index of the default of an enum; mask of flags */
    u32       text_count;
    MText     text[TEXTS_MAX];
} MField;

typedef struct MFormer {
    u32  field, text; /* identities; 0: the component, or the field itself */
    char name[16];
} MFormer;

typedef struct MType {
    char    name[16];
    bool    several;
    u32     field_count, former_count;
    MField  field[FIELDS_MAX];
    MFormer former[FORMER_MAX];
} MType;

/* One element: numbers, an identity of a text, a set of identities, an entity, a string. */
typedef struct MValue {
    f64 number[4];
    u64 set; /* bit i: the text with identity base + i */
} MValue;

typedef struct MInstance {
    u32    entity;
    u32    turns; /* state: an extra column of the managers of hosts and plugins */
    MValue value[FIELDS_MAX][RECORD_ARRAY_MAX];
} MInstance;

typedef struct MRows {
    u32       count;
    MInstance at[INSTANCES_MAX];
} MRows;

/* Who registers the type. */
typedef enum Registered { BY_PROJECT, BY_HOST, BY_PLUGIN } Registered;

/* The description of a type, which exists as long as the world. */
typedef struct Declared {
    Field        field[FIELDS_MAX];
    const char*  text[FIELDS_MAX][TEXTS_MAX];
    FormerName   was[FORMER_MAX];
    u32          was_count;
    PluginField1 plugin[FIELDS_MAX];
} Declared;

typedef struct Chain {
    Random     r;
    Registered by;
    Declared   declared[AGES];
    u32        identities;
    u32        names;
    MType      type[AGES];
    MRows      rows[AGES];
    void*      save[AGES];
    size_t     save_bytes[AGES];
    World*     world[AGES];
    u32        lines; /* that a world logged */
} Chain;

/* --- random declarations --- */

static u32 below(Chain* c, u32 limit) { return random_below(&c->r, limit); }

static void name_new(Chain* c, char name[16], const char* first) {
    snprintf(name, 16, "%s%u", first, c->names++);
}

static bool is_complete(FieldKind kind) {
    return kind == FIELD_u32 || kind == FIELD_i32 || kind == FIELD_Bool32;
}
static bool is_float(FieldKind kind) {
    return kind == FIELD_f32 || kind == FIELD_Vec2 || kind == FIELD_Vec3 || kind == FIELD_Vec4 ||
           kind == FIELD_Quat;
}
static bool has_texts(FieldKind kind) { return kind == FIELD_Enum32 || kind == FIELD_Flags32; }

static f64 number_in(Chain* c, const MField* f) {
    const f64 lo = MAX_OF(f->lo, -5000.0), hi = MIN_OF(f->hi, 5000.0);
    if (is_float(f->kind)) return (f64)random_float(&c->r, (f32)lo, (f32)hi);
    return floor(lo + (f64)below(c, (u32)(hi - lo) + 1));
}

static void bounds_choose(Chain* c, MField* f) {
    f->lo = field_kinds[f->kind].lo, f->hi = field_kinds[f->kind].hi;
    if (!field_kinds[f->kind].is_bounded) return;
    if (below(c, 3)) f->hi = below(c, 200);
    if (below(c, 3)) f->lo = f->kind == FIELD_u32 ? below(c, 5) : 0 - (f64)below(c, 100);
    if (f->lo > f->hi) f->hi = f->lo + 1;
}

static void fallback_choose(Chain* c, MField* f) {
    for (u32 w = 0; w < 4; w++) f->fallback[w] = 0;
    if (f->kind == FIELD_Quat)
        f->fallback[3] = 1;
    else if (is_float(f->kind) || is_complete(f->kind))
        for (u32 w = 0; w < field_kinds[f->kind].words; w++) f->fallback[w] = number_in(c, f);
    if (f->kind == FIELD_Enum32) f->fallback_text = below(c, f->text_count);
    if (f->kind == FIELD_Flags32) f->fallback_text = below(c, 1u << f->text_count);
}

static MText text_new(Chain* c) {
    MText text = {.identity = ++c->identities};
    name_new(c, text.name, "t");
    return text;
}

static void kind_choose(Chain* c, MField* f) {
    static const FieldKind kinds[] = {
        FIELD_f32,     FIELD_Vec2,    FIELD_Vec3,      FIELD_Vec4,    FIELD_Quat,
        FIELD_u32,     FIELD_i32,     FIELD_Bool32,    FIELD_Enum32,  FIELD_Enum32,
        FIELD_Flags32, FIELD_TextRef, FIELD_EntityRef, FIELD_NameRef, FIELD_PersistentRef};
    f->kind = kinds[below(c, COUNT_OF(kinds))];
    f->elements = below(c, 3) || f->kind == FIELD_Flags32 ? 1 : 2 + below(c, 4);
    if (!has_texts(f->kind)) f->text_count = 0;
    while (has_texts(f->kind) && f->text_count < 2) f->text[f->text_count++] = text_new(c);
    bounds_choose(c, f);
    fallback_choose(c, f);
}

static void field_add(Chain* c, MType* t) {
    MField* f = &t->field[t->field_count++];
    *f = (MField){.identity = ++c->identities};
    name_new(c, f->name, "f");
    kind_choose(c, f);
}

static void former_add(MType* t, u32 field, u32 text, const char* name) {
    if (t->former_count == FORMER_MAX) return;
    MFormer* was = &t->former[t->former_count++];
    *was = (MFormer){.field = field, .text = text};
    memcpy(was->name, name, sizeof was->name);
}

/* Older names of what does not exist any more. */
static void formers_clean(MType* t) {
    u32 kept = 0;
    for (u32 i = 0; i < t->former_count; i++) {
        const MFormer* was = &t->former[i];
        bool           exists = was->field == 0;
        for (u32 f = 0; f < t->field_count; f++) {
            if (t->field[f].identity != was->field) continue;
            exists |= was->text == 0;
            for (u32 k = 0; k < t->field[f].text_count; k++)
                exists |= t->field[f].text[k].identity == was->text;
        }
        if (exists) t->former[kept++] = *was;
    }
    t->former_count = kept;
}

static void texts_change(Chain* c, MType* t, MField* f) {
    const u32 at = below(c, f->text_count);
    switch (below(c, 4)) {
    case 0:
        if (f->text_count == TEXTS_MAX) return;
        memmove(&f->text[at + 1], &f->text[at], sizeof(MText) * (f->text_count++ - at));
        f->text[at] = text_new(c);
        break;
    case 1:
        if (f->text_count == 1) return;
        memmove(&f->text[at], &f->text[at + 1], sizeof(MText) * (--f->text_count - at));
        break;
    case 2:
        former_add(t, f->identity, f->text[at].identity, f->text[at].name);
        name_new(c, f->text[at].name, "t");
        return;
    default: {
        const MText first = f->text[0];
        f->text[0] = f->text[at];
        f->text[at] = first;
    }
    }
    fallback_choose(c, f);
}

static void field_change(Chain* c, MType* t, MField* f) {
    switch (below(c, 6)) {
    case 0:
        former_add(t, f->identity, 0, f->name);
        name_new(c, f->name, "f");
        break;
    case 1: kind_choose(c, f); break;
    case 2: f->elements = f->kind == FIELD_Flags32 ? 1 : 1 + below(c, 6); break;
    case 3:
        bounds_choose(c, f);
        fallback_choose(c, f);
        break;
    case 4: fallback_choose(c, f); break;
    default:
        if (has_texts(f->kind)) texts_change(c, t, f);
    }
}

static void type_change(Chain* c, MType* t) {
    const u32 what = below(c, 12), at = below(c, t->field_count);
    if (what == 0 && t->field_count < FIELDS_MAX) {
        field_add(c, t);
    } else if (what == 1 && t->field_count > 1) {
        memmove(&t->field[at], &t->field[at + 1], sizeof(MField) * (--t->field_count - at));
    } else if (what == 2) {
        const MField first = t->field[0];
        t->field[0] = t->field[at];
        t->field[at] = first;
    } else if (what == 3) {
        former_add(t, 0, 0, t->name);
        name_new(c, t->name, "c");
    } else if (what == 4) {
        t->several = !t->several;
    } else {
        field_change(c, t, &t->field[at]);
    }
    formers_clean(t);
}

/* --- the declaration as a blob --- */

static Field field_of(const MField* m, const char** texts, u32 offset) {
    Field f = {.name = m->name,
               .kind = m->kind,
               .offset = offset,
               .bytes = 4 * field_kinds[m->kind].words * m->elements,
               .lo = m->lo,
               .hi = m->hi,
               .unit = "",
               .text = "",
               .texts = texts,
               .text_count = m->text_count};
    for (u32 k = 0; k < m->text_count; k++) texts[k] = m->text[k].name;
    for (u32 w = 0; w < 4; w++) f.value[w] = m->fallback[w];
    if (has_texts(m->kind)) f.value[0] = m->fallback_text;
    if (!field_kinds[m->kind].is_bounded) field_fix(&f);
    return f;
}

/* Older names in the order of the declaration. */
static void formers_of(const MType* t, Declared* d, u32 field, u32 text, u32 field_identity,
                       u32 text_identity) {
    for (u32 i = 0; i < t->former_count; i++) {
        const MFormer* was = &t->former[i];
        if (was->field != field_identity || was->text != text_identity) continue;
        d->was[d->was_count++] = (FormerName){was->name, field, text};
    }
}

static ComponentType type_of(const MType* t, Declared* d) {
    ComponentType type = {.record = {.name = t->name, .fields = d->field},
                          .order = DECLARATION_ORDER,
                          .several = t->several ? SEVERAL : SINGLE,
                          .columns = BY_FIELD,
                          .lookup = HASHED,
                          .was = d->was};
    *d = (Declared){.was_count = 0};
    formers_of(t, d, NONE, NONE, 0, 0);
    for (u32 i = 0; i < t->field_count; i++) {
        d->field[i] = field_of(&t->field[i], d->text[i], type.record.bytes);
        formers_of(t, d, i, NONE, t->field[i].identity, 0);
        for (u32 k = 0; k < t->field[i].text_count; k++)
            formers_of(t, d, i, k, t->field[i].identity, t->field[i].text[k].identity);
        type.record.bytes += d->field[i].bytes;
    }
    type.record.field_count = t->field_count;
    type.was_count = d->was_count;
    ent_component_type_finish(&type);
    return type;
}

static void line_count(void* user, LogLevel level, const char* text) {
    Chain* c = user;
    if (level != LOG_INFO) c->lines++;
    if (getenv("EVOLUTION_LOG")) print_message("%s\n", text);
}

static void declare(World* world, const MType* t, Declared* declared,
                    ent_status (*how)(World* world, const Blob* blob)) {
    const ComponentType type = type_of(t, declared), *types = &type;
    Output              out;
    u8*                 bytes;
    size_t              size;
    Blob                blob;
    output_begin(&out, RESOURCE_COMPONENT, text_of(t->name), t->field_count, 5);
    declarations_write(&out, &types, 1, "");
    assert_true(output_finish(&out, HOST_IS_LITTLE ? TARGET_LITTLE : TARGET_BIG,
                              &(BlobOptions){.type_count = 0}, &bytes, &size));
    assert_int_equal(ent_blob_open(&blob, bytes, size, NULL, NULL), ENT_OK);
    assert_int_equal(how(world, &blob), ENT_OK);
    memory_free(bytes);
}

/* --- the type as that of a manager of the host, and of a plugin --- */

/* The state of a manager changes as well: from STATE_CHANGES on, "turns" is a float, and has another
 * field before it. */
#define STATE_CHANGES 5

#define NUMBER_FIELD(field_name, field_kind, at)                                                   \
    { .name = field_name, .kind = field_kind, .offset = at, .bytes = 4, .lo = 0, .hi = 16777216, }
static const Field      turns_fields[] = {NUMBER_FIELD("turns", FIELD_u32, 0)};
static const Field      heat_fields[] = {NUMBER_FIELD("heat", FIELD_u32, 0),
                                         NUMBER_FIELD("turns", FIELD_f32, 4)};
static const RecordType turns_state = {"memory", turns_fields, 1, 4};
static const RecordType heat_state = {"memory", heat_fields, 2, 8};

static const PluginField1 plugin_turns[] = {
    {.name = "turns", .type = "u32", .bytes = 4, .hi = 16777216}};
static const PluginField1 plugin_heat[] = {
    {.name = "heat", .type = "u32", .bytes = 4, .hi = 16777216},
    {.name = "turns", .type = "f32", .offset = 4, .bytes = 4, .hi = 16777216}};
static const PluginComponent1 plugin_states[] = {
    {.name = "memory", .fields = plugin_turns, .field_count = 1, .bytes = 4},
    {.name = "memory", .fields = plugin_heat, .field_count = 2, .bytes = 8}};

static u32* turns_of(const Chain* c, u32 age, Manager* m, u32 row) {
    UNUSED(c);
    return ent_manager_get(m, row,
                           ent_component_column_count(&m->desc.type) + (age >= STATE_CHANGES));
}

static void turns_put(const Chain* c, u32 age, Manager* m, u32 row, u32 turns) {
    const f32 number = (f32)turns;
    memcpy(turns_of(c, age, m, row), age >= STATE_CHANGES ? (const void*)&number : &turns, 4);
}

static u32 turns_get(const Chain* c, u32 age, Manager* m, u32 row) {
    f32       number;
    const u32 word = *turns_of(c, age, m, row);
    memcpy(&number, &word, 4);
    return age >= STATE_CHANGES ? (u32)number : word;
}

static void host_spawn(World* world, Manager* m, const SpawnBatch* batch) {
    const u32 first = ent_manager_append(m, batch);
    UNUSED(world);
    for (u32 c = ent_component_column_count(&m->desc.type); c < m->column_count; c++)
        memset((u8*)m->column[c] + 4 * (size_t)first, 0, 4 * (size_t)batch->count);
}

static void host_register(Chain* c, World* world, u32 age) {
    ManagerDesc desc = {.type = type_of(&c->type[age], &c->declared[age]),
                        .extra_bytes = {4, age >= STATE_CHANGES ? 4 : 0},
                        .state = age >= STATE_CHANGES ? &heat_state : &turns_state,
                        .spawn = host_spawn};
    desc.type.columns = below(c, 2) ? BY_FIELD : BY_RECORD;
    desc.type.lookup = below(c, 2) ? DIRECT : HASHED;
    desc.lazy = (int)below(c, 2);
    assert_int_equal(ent_world_register(world, &desc), ENT_OK);
}

/* What the plugin adds in its setup: its interface has no parameter for it. */
static Chain* plugin_chain;
static u32    plugin_age;

static PluginField1 plugin_field(const Field* f) {
    PluginField1 field = {.name = f->name,
                          .type = FIELD_KIND_TEXTS[f->kind],
                          .offset = f->offset,
                          .bytes = f->bytes,
                          .lo = f->lo,
                          .hi = f->hi,
                          .texts = f->texts,
                          .text_count = f->text_count};
    memcpy(field.value, f->value, sizeof field.value);
    return field;
}

static const char* plugin_setup(World* world, ApiGet* get_ent_api) {
    Chain*                 c = plugin_chain;
    Declared*              d = &c->declared[plugin_age];
    const ApiWorld3*       api = get_ent_api(API_WORLD, 3);
    const ComponentType    type = type_of(&c->type[plugin_age], d);
    const PluginComponent1 component = {.name = type.record.name,
                                        .fields = d->plugin,
                                        .field_count = type.record.field_count,
                                        .bytes = type.record.bytes,
                                        .order = type.order,
                                        .several = type.several == SEVERAL,
                                        .by_field = below(c, 2),
                                        .direct = below(c, 2)};
    const PluginManager3   m = {.component = &component,
                                .extra_bytes = {4, plugin_age >= STATE_CHANGES ? 4 : 0},
                                .state = &plugin_states[plugin_age >= STATE_CHANGES],
                                .lazy = below(c, 2),
                                .was = d->was,
                                .was_count = d->was_count};
    for (u32 i = 0; i < type.record.field_count; i++) d->plugin[i] = plugin_field(&d->field[i]);
    return api->add_manager(world, &m) ? NULL : "the manager is refused";
}

static const PluginRuntime2 plugin_runtime = {plugin_setup, NULL, NULL};

static const void* plugin_get(u32 id, u32 version) {
    return id == PLUGIN_RUNTIME && version == 2 ? &plugin_runtime : NULL;
}

static World* world_registering(Chain* c, u32 age) {
    const WorldDesc desc = {.log = {line_count, c}};
    World*          world;
    assert_int_equal(ent_world_create(&world, &desc), ENT_OK);
    plugin_chain = c;
    plugin_age = age;
    switch (c->by) {
    case BY_PROJECT: declare(world, &c->type[age], &c->declared[age], ent_world_declare); break;
    case BY_HOST: host_register(c, world, age); break;
    case BY_PLUGIN: assert_int_equal(ent_world_plugin(world, plugin_get), ENT_OK); break;
    }
    return world;
}

static u8* field_at(Manager* m, u32 row, u32 field) {
    const ComponentType* type = &m->desc.type;
    if (type->columns == BY_FIELD) return ent_manager_get(m, row, field);
    return (u8*)ent_manager_get(m, row, 0) + type->record.fields[field].offset;
}

/* --- values --- */

static MValue value_default(const MField* f) {
    MValue v = {.set = 0};
    memcpy(v.number, f->fallback, sizeof v.number);
    if (f->kind == FIELD_Enum32) v.number[0] = f->text[f->fallback_text].identity;
    if (f->kind == FIELD_EntityRef) v.number[0] = -1;
    for (u32 k = 0; f->kind == FIELD_Flags32 && k < f->text_count; k++) {
        if (f->fallback_text >> k & 1) v.set |= 1ull << f->text[k].identity % 64;
    }
    return v;
}

static MValue value_random(Chain* c, const MField* f) {
    static const f64 turns[][4] = {
        {0, 0, 0, 1}, {1, 0, 0, 0}, {0, -1, 0, 0}, {0.5, 0.5, 0.5, -0.5}};
    MValue v = {.set = 0};
    if (is_float(f->kind) || is_complete(f->kind))
        for (u32 w = 0; w < field_kinds[f->kind].words; w++) v.number[w] = number_in(c, f);
    if (f->kind == FIELD_Quat) memcpy(v.number, turns[below(c, 4)], sizeof v.number);
    if (f->kind == FIELD_Enum32) v.number[0] = f->text[below(c, f->text_count)].identity;
    if (f->kind == FIELD_EntityRef) v.number[0] = (f64)below(c, ENTITIES + 1) - 1;
    if (f->kind == FIELD_TextRef) v.number[0] = below(c, STRINGS);
    if (f->kind == FIELD_NameRef || f->kind == FIELD_PersistentRef) v.number[0] = below(c, 1000);
    for (u32 k = 0; f->kind == FIELD_Flags32 && k < f->text_count; k++) {
        if (below(c, 2)) v.set |= 1ull << f->text[k].identity % 64;
    }
    return v;
}

static u32 text_index(const MField* f, u32 identity) {
    u32 k = 0;
    while (k < f->text_count && f->text[k].identity != identity) k++;
    return k;
}

/* The words of a value in a world. */
static void value_store(World* world, const MField* f, const MValue* v, const Entity* entities,
                        u8* to) {
    u32 word = (u32)(int64_t)v->number[0];
    for (u32 w = 0; w < field_kinds[f->kind].words; w++) {
        const f32 number = (f32)v->number[w];
        if (is_float(f->kind)) memcpy(to + 4 * w, &number, 4);
    }
    if (is_float(f->kind)) return;
    if (f->kind == FIELD_Enum32) word = text_index(f, (u32)v->number[0]);
    if (f->kind == FIELD_EntityRef)
        word = v->number[0] < 0 ? ENTITY_NULL : entities[(u32)v->number[0]];
    if (f->kind == FIELD_TextRef)
        assert_int_equal(ent_world_text_add(world, strings[(u32)v->number[0]], &word), ENT_OK);
    if (f->kind == FIELD_Flags32) {
        word = 0;
        for (u32 k = 0; k < f->text_count; k++)
            if (v->set >> f->text[k].identity % 64 & 1) word |= 1u << k;
    }
    memcpy(to, &word, 4);
}

/* --- saves --- */

static void save_make(Chain* c, u32 age) {
    const MType*      t = &c->type[age];
    World*            world = c->world[age];
    MRows*            rows = &c->rows[age];
    const SaveOptions options = {.name = "save"};
    Entity            entities[ENTITIES];
    assert_int_equal(ent_entity_create(world, entities, ENTITIES), ENT_OK);
    rows->count = 0;
    for (u32 e = 0; e < ENTITIES; e++) {
        for (u32 n = t->several ? 1 + below(c, 2) : 1; n > 0; n--) {
            MInstance* m = &rows->at[rows->count++];
            Manager*   manager = ent_world_manager_by_name(world, t->name);
            u32        row;
            m->entity = e;
            assert_int_equal(ent_manager_create(world, manager, entities[e], &row), ENT_OK);
            for (u32 f = 0; f < t->field_count; f++) {
                const MField* field = &t->field[f];
                const u32     bytes = 4 * field_kinds[field->kind].words;
                for (u32 i = 0; i < field->elements; i++) {
                    m->value[f][i] = value_random(c, field);
                    value_store(world, field, &m->value[f][i], entities,
                                field_at(manager, row, f) + i * bytes);
                }
            }
            m->turns = below(c, 1000);
            if (c->by != BY_PROJECT) turns_put(c, age, manager, row, m->turns);
        }
    }
    assert_int_equal(ent_world_save(world, &options, &c->save[age], &c->save_bytes[age]), ENT_OK);
    ent_world_clear(world);
}

/* --- what is expected: the conversion of the model --- */

static bool is_number(FieldKind kind) { return is_float(kind) || is_complete(kind); }

static bool kinds_agree(FieldKind from, FieldKind to) {
    if (is_number(from) || is_number(to)) return is_number(from) && is_number(to);
    return from == to || (from == FIELD_Enum32 && to == FIELD_Flags32);
}

/* Returns false when the value was changed. */
static bool value_convert(const MField* from, const MField* to, const MValue* in, MValue* out) {
    const u32 words = MIN_OF(field_kinds[from->kind].words, field_kinds[to->kind].words);
    bool      same = true;
    *out = value_default(to);
    if (is_number(to->kind)) {
        for (u32 w = 0; w < words; w++) {
            const f64 was = is_float(to->kind) ? (f64)(f32)in->number[w] : in->number[w];
            const f64 complete = is_float(to->kind) ? was : floor(was + 0.5);
            out->number[w] = fmin(fmax(complete, (f64)(f32)to->lo), to->hi);
            if (!is_float(to->kind)) out->number[w] = fmin(fmax(complete, to->lo), to->hi);
            same &= out->number[w] == was;
        }
        f32 square = 0; /* in the precision and with the bounds of the format */
        for (u32 w = 0; w < 4; w++) square += (f32)out->number[w] * (f32)out->number[w];
        if (to->kind == FIELD_Quat && !(square >= 0.998f && square <= 1.002f)) {
            *out = value_default(to);
            return false;
        }
    } else if (from->kind == FIELD_Enum32) {
        const u32 identity = (u32)in->number[0];
        same = text_index(to, identity) < to->text_count;
        if (same) out->number[0] = identity;
        if (same && to->kind == FIELD_Flags32) out->set = 1ull << identity % 64;
    } else if (from->kind == FIELD_Flags32) {
        out->set = 0;
        for (u32 k = 0; k < to->text_count; k++)
            out->set |= in->set & 1ull << to->text[k].identity % 64;
        same = out->set == in->set;
    } else {
        *out = *in;
    }
    return same;
}

static const MField* former_of(const MType* from, const MField* to, u32* index) {
    for (u32 i = 0; i < from->field_count; i++) {
        const MField* f = &from->field[i];
        *index = i;
        if (f->identity == to->identity) return kinds_agree(f->kind, to->kind) ? f : NULL;
    }
    return NULL;
}

/* What the world must contain of a save; returns whether something was lost. */
static bool rows_convert(const MType* from, const MType* to, const MRows* in, MRows* out) {
    bool lost = false;
    u32  used = 0, index = 0;
    out->count = 0;
    for (u32 f = 0; f < to->field_count; f++) {
        const MField* source = former_of(from, &to->field[f], &index);
        used += source != NULL;
        lost |= source && (source->elements > to->field[f].elements ||
                           field_kinds[source->kind].words > field_kinds[to->field[f].kind].words);
    }
    lost |= used < from->field_count;
    for (u32 i = 0; i < in->count; i++) {
        if (!to->several && i && in->at[i].entity == in->at[i - 1].entity) {
            lost = true;
            continue;
        }
        MInstance* m = &out->at[out->count++];
        m->entity = in->at[i].entity;
        m->turns = in->at[i].turns;
        for (u32 f = 0; f < to->field_count; f++) {
            const MField* field = &to->field[f];
            const MField* source = former_of(from, field, &index);
            for (u32 e = 0; e < field->elements; e++) {
                m->value[f][e] = value_default(field);
                if (!source || e >= source->elements) continue;
                lost |= !value_convert(source, field, &in->at[i].value[index][e], &m->value[f][e]);
            }
        }
    }
    return lost;
}

/* --- comparing --- */

/* Numbers are compared as numbers: zero may have either sign after it was limited. */
static bool words_equal(FieldKind kind, const u8* a, const u8* b) {
    bool equal = true;
    for (u32 w = 0; w < field_kinds[kind].words; w++) {
        f32 x, y;
        memcpy(&x, a + 4 * w, 4);
        memcpy(&y, b + 4 * w, 4);
        equal &= is_float(kind) ? x == y : memcmp(a + 4 * w, b + 4 * w, 4) == 0;
    }
    return equal;
}

static void rows_expect(Chain* c, u32 seed_age, u32 age, const MRows* wanted,
                        const Entity* entities) {
    const MType* t = &c->type[age];
    World*       world = c->world[age];
    Manager*     m = ent_world_manager_by_name(world, t->name);
    assert_int_equal(m->count, wanted->count);
    for (u32 i = 0; i < wanted->count; i++) {
        assert_int_equal(m->entity[i], entities[wanted->at[i].entity]);
        if (c->by != BY_PROJECT) assert_int_equal(turns_get(c, age, m, i), wanted->at[i].turns);
        for (u32 f = 0; f < t->field_count; f++) {
            const MField* field = &t->field[f];
            const u32     bytes = 4 * field_kinds[field->kind].words;
            for (u32 e = 0; e < field->elements; e++) {
                u8        words[16];
                const u8* is = field_at(m, i, f) + e * bytes;
                value_store(world, field, &wanted->at[i].value[f][e], entities, words);
                if (words_equal(field->kind, is, words)) continue;
                fail_msg("save of age %u under %u: %s[%u].%s[%u]: 0x%08x, not 0x%08x", seed_age,
                         age, t->name, i, field->name, e, *(const u32*)(const void*)is,
                         *(const u32*)(const void*)words);
            }
        }
    }
}

/* A save is loaded, and what was loaded is saved again: that save is of the newer declaration. */
static void save_load(Chain* c, u32 from, u32 age) {
    const SaveOptions options = {.name = "save"};
    World*            world = c->world[age];
    Entity            entities[ENTITIES];
    Blob              blob;
    MRows             wanted;
    void*             again;
    size_t            bytes;
    const bool        lost = rows_convert(&c->type[from], &c->type[age], &c->rows[from], &wanted);
    assert_int_equal(ent_blob_open(&blob, c->save[from], c->save_bytes[from], NULL, NULL), ENT_OK);
    c->lines = 0;
    assert_int_equal(ent_world_spawn(world, &blob, NULL, entities), ENT_OK);
    if ((c->lines > 0) != lost)
        fail_msg("%u to %u: %u lines in the log, but %d", from, age, c->lines, lost);
    rows_expect(c, from, age, &wanted, entities);
    assert_int_equal(ent_world_save(world, &options, &again, &bytes), ENT_OK);
    ent_world_clear(world);
    assert_int_equal(ent_blob_open(&blob, again, bytes, NULL, NULL), ENT_OK);
    c->lines = 0;
    assert_int_equal(ent_world_spawn(world, &blob, NULL, entities), ENT_OK);
    assert_int_equal(c->lines, 0);
    rows_expect(c, from, age, &wanted, entities);
    ent_world_clear(world);
    ent_world_save_free(world, again, bytes);
}

/* A save is loaded under its declaration, which changes then: the same as loading it under the newer one. */
static void redeclared_expect(Chain* c, u32 from, u32 age) {
    World*     kept = c->world[age];
    World*     world = world_registering(c, from);
    Entity     entities[ENTITIES];
    Blob       blob;
    MRows      wanted;
    const bool lost = rows_convert(&c->type[from], &c->type[age], &c->rows[from], &wanted);
    assert_int_equal(ent_blob_open(&blob, c->save[from], c->save_bytes[from], NULL, NULL), ENT_OK);
    assert_int_equal(ent_world_spawn(world, &blob, NULL, entities), ENT_OK);
    c->lines = 0;
    declare(world, &c->type[age], &c->declared[age], ent_world_redeclare);
    if ((c->lines > 0) != lost)
        fail_msg("%u to %u: %u lines in the log, but %d", from, age, c->lines, lost);
    c->world[age] = world;
    rows_expect(c, from, age, &wanted, entities);
    assert_int_equal(ent_entity_destroy(world, entities, ENTITIES), ENTITIES);
    assert_int_equal(ent_world_manager_by_name(world, c->type[age].name)->count, 0);
    ent_world_destroy(world);
    c->world[age] = kept;
}

static void chain_run(u64 seed, Registered by) {
    Chain* c = calloc(1, sizeof *c);
    c->by = by;
    c->r.state = seed * 0x9e3779b97f4a7c15u;
    name_new(c, c->type[0].name, "c");
    c->type[0].several = below(c, 2);
    for (u32 i = 1 + below(c, 4); i > 0; i--) field_add(c, &c->type[0]);
    for (u32 age = 0; age < AGES; age++) {
        if (age) {
            c->type[age] = c->type[age - 1];
            type_change(c, &c->type[age]);
        }
        c->world[age] = world_registering(c, age);
        save_make(c, age);
        for (u32 from = 0; from <= age; from++) save_load(c, from, age);
        for (u32 from = 0; from <= age && by == BY_PROJECT; from++) redeclared_expect(c, from, age);
    }
    for (u32 age = 0; age < AGES; age++) {
        ent_world_save_free(c->world[age], c->save[age], c->save_bytes[age]);
        ent_world_destroy(c->world[age]);
    }
    free(c);
}

static u64 running;

static void chains_run(Registered by) {
    const char* given = getenv("EVOLUTION_CHAINS");
    const u64   chains = given ? strtoull(given, NULL, 0) : 1000;
    running = test_seed("evolution", 1);
    print_message("counted: %llu chains\n", (unsigned long long)chains);
    for (u64 i = 0; i < chains; i++, running++) chain_run(running, by);
    running = 0;
}

static void saves_of_each_age_load_under_each_later_declaration(void** state) {
    UNUSED(state);
    chains_run(BY_PROJECT);
}

static void saves_of_a_host_load_under_each_later_description_of_its_type(void** state) {
    UNUSED(state);
    chains_run(BY_HOST);
}

static void saves_with_a_plugin_load_under_each_later_description_of_its_type(void** state) {
    UNUSED(state);
    chains_run(BY_PLUGIN);
}

static int seed_print(void** state) {
    UNUSED(state);
    if (running) print_message("the chain has TEST_SEED=%llu\n", (unsigned long long)running);
    return 0;
}

TEST_SUITE(evolution) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(saves_of_each_age_load_under_each_later_declaration, seed_print),
        cmocka_unit_test_teardown(saves_of_a_host_load_under_each_later_description_of_its_type,
                                  seed_print),
        cmocka_unit_test_teardown(saves_with_a_plugin_load_under_each_later_description_of_its_type,
                                  seed_print),
    };
    return TEST_RUN("evolution", tests);
}
