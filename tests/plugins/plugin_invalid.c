/* plugin_invalid.c - a plugin with many errors, of which the environment variable FAULT selects one:
 * in its exports, in the component that it describes, or in the behaviour of its functions. Some
 * values of FAULT select what is allowed. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ent/plugin.h>

static const EntApiCompiler1* entc;
static const EntApiInstance2* ent;
static const EntApiJson1*     json;
static EntPluginHost*         kept;

static int is(const char* fault) {
    const char* given = getenv("FAULT");
    return given && strcmp(given, fault) == 0;
}

/* --- a compile function --- */

typedef struct ThingRecord {
    float          size;
    uint32_t       count;
    EntEntityRef   other;
    EntResourceRef cloth;
    EntQuat        turn;
    uint32_t       truth;
} ThingRecord;

static void thing_compile(EntPluginInstance* in, void* record, void* user) {
    static const char* const others[] = {"a"};
    ThingRecord*             thing = record;
    double                   number;
    uint32_t                 bytes;
    (void)user;
    ent->fields(in, others, 1);
    if (is("range")) thing->size = 11;
    if (is("nan")) thing->size = NAN;
    if (is("whole")) thing->count = 100;
    if (is("entity")) thing->other = 1;
    if (is("resource")) thing->cloth = (EntResourceRef){1, 2};
    if (is("turn")) thing->turn.x = 0.5f;
    if (is("truth")) thing->truth = 2;
    if (is("far")) json->number(in, 0x7fffffff, &number);
    if (is("far walk")) json->next(in, json->root(in), &(EntPluginMember1){.next = 1u << 30});
    if (is("far source")) json->source(in, 1u << 30, &bytes);
    if (is("no field")) ent->give(in, 6);
    if (is("read no field")) ent->field(in, 64, json->root(in));
    if (is("no type")) thing->cloth = ent->resource(in, json->root(in), ENT_RESOURCE_COUNT, "x");
    if (is("kind")) json->number(in, json->root(in), &number);
    if (is("middle")) json->number(in, json->root(in) + 1, &number);
    if (is("far error")) ent->error(in, 1u << 30, "at no place");
    if (is("lone note")) ent->note(in, json->root(in), "there is no error");
    if (is("late")) {
        const EntPluginComponent1 nothing = {.name = "late"};
        if (entc->add_component(kept, &nothing)) ent->error(in, 0, "it was added");
    }
}

static void thing_check(EntPluginInstance* in, void* record, void* user) {
    (void)in, (void)user;
    if (is("check")) ((ThingRecord*)record)->size = -1;
}

/* --- a description --- */

static EntPluginField1     fields[65];
static EntPluginComponent1 thing;

static EntPluginField1 field(const char* name, const char* type, uint32_t offset, uint32_t bytes) {
    return (EntPluginField1){
        .name = name, .type = type, .offset = offset, .bytes = bytes, .hi = 10};
}

static void thing_describe(void) {
    fields[0] = field("size", "f32", 0, 4);
    fields[1] = field("count", "u32", 4, 4);
    fields[2] = field("other", "EntityRef", 8, 4);
    fields[3] = field("cloth", "ResourceRef", 12, 8);
    fields[3].refers_to = ENT_RESOURCE_MATERIAL;
    fields[4] = field("turn", "Quat", 20, 16);
    fields[4].lo = -1, fields[4].hi = 1, fields[4].value[3] = 1;
    fields[5] = field("truth", "Bool32", 36, 4);
    thing = (EntPluginComponent1){.name = "thing",
                                  .fields = fields,
                                  .field_count = 6,
                                  .bytes = sizeof(ThingRecord),
                                  .order = 5000,
                                  .compile = thing_compile,
                                  .check = thing_check};
}

static const char long_text[] = "0123456789012345678901234567890123456789012345678901234567890123"
                                "0123456789012345678901234567890123456789012345678901234567890123"
                                "0123456789012345678901234567890123456789012345678901234567890123"
                                "0123456789012345678901234567890123456789012345678901234567890123";
static const char* const twice[] = {"red", "red"};
static const char* const spaced[] = {"light red"};
static const char* const nothing[] = {NULL};

static void component_break(void) {
    if (is("name")) thing.name = "Thing";
    if (is("no name")) thing.name = NULL;
    if (is("long name")) thing.name = long_text + 1;
    if (is("light")) thing.name = "light";
    if (is("no fields")) thing.fields = NULL;
    if (is("0 fields")) thing.field_count = 0;
    if (is("65 fields")) thing.field_count = 65;
    if (is("17 columns")) thing.field_count = 17, thing.by_field = 1;
    if (is("record")) thing.bytes += 4;
    if (is("large record")) thing.bytes = 1028;
    if (is("order")) thing.order = 1000001;
    if (is("several")) thing.several = 2;
    if (is("by field")) thing.by_field = 2;
    if (is("direct")) thing.direct = 2;
}

static void field_break(void) {
    if (is("field name")) fields[1].name = "Count";
    if (is("no field name")) fields[1].name = NULL;
    if (is("twice")) fields[1].name = "size";
    if (is("type")) fields[1].type = "i64";
    if (is("no type name")) fields[1].type = NULL;
    if (is("bytes")) fields[1].bytes = 6;
    if (is("0 bytes")) fields[1].bytes = 0;
    if (is("17 elements")) fields[1].bytes = 17 * 4;
    if (is("2 flags")) fields[1].type = "Flags32", fields[1].bytes = 8;
    if (is("offset")) fields[1].offset = 8;
    if (is("required")) fields[0].required = 1, fields[0].lo = 1; /* allowed: 0 is no default */
    if (is("bounds")) fields[0].lo = 11;
    if (is("bounds nan")) fields[0].lo = NAN;
    if (is("bounds infinite")) fields[0].hi = INFINITY;
    if (is("bounds negative")) fields[1].lo = -1;
    if (is("bounds broken")) fields[1].hi = 2.5;
    if (is("default")) fields[0].value[0] = 11;
    if (is("default nan")) fields[0].value[0] = NAN;
    if (is("default broken")) fields[1].value[0] = 0.5;
    if (is("default turn")) fields[4].value[0] = 1;
    if (is("default truth")) fields[5].value[0] = 2;
    if (is("unit")) fields[0].unit = "two\nlines";
    if (is("text")) fields[0].text = long_text;
    if (is("utf-8")) fields[0].text = "\xff";
    if (is("refers to")) fields[3].refers_to = 0;
    if (is("refers far")) fields[3].refers_to = 1000;
    if (is("no texts")) fields[1].type = "Enum32";
    if (is("NULL texts")) fields[1].type = "Enum32", fields[1].text_count = 2;
    if (is("0 texts")) fields[1].type = "Enum32", fields[1].texts = twice;
    if (is("33 flags")) {
        fields[1].type = "Flags32", fields[1].texts = twice, fields[1].text_count = 33;
    }
    if (is("257 texts")) {
        fields[1].type = "Enum32", fields[1].texts = twice, fields[1].text_count = 257;
    }
    if (is("NULL text")) {
        fields[1].type = "Enum32", fields[1].texts = nothing, fields[1].text_count = 1;
    }
    if (is("same texts")) {
        fields[1].type = "Enum32", fields[1].texts = twice, fields[1].text_count = 2;
    }
    if (is("invalid text")) {
        fields[1].type = "Enum32", fields[1].texts = spaced, fields[1].text_count = 1;
    }
    if (is("default text")) {
        fields[1].type = "Enum32", fields[1].texts = twice + 1, fields[1].text_count = 1;
        fields[1].value[0] = 1;
    }
}

/* --- the interface --- */

static const char* setup(EntPluginHost* host, EntApiGet* get_ent_api) {
    entc = get_ent_api(ENT_API_COMPILER, 1);
    ent = get_ent_api(ENT_API_INSTANCE, 2);
    json = get_ent_api(ENT_API_JSON, 1);
    if (is("setup")) return "the moon is not full";
    if (is("missing")) entc->add_component(host, NULL);
    kept = host;
    thing_describe();
    component_break();
    field_break();
    entc->add_component(host, &thing);
    for (int i = 0; is("many") && i < 100; i++) {
        char name[32];
        snprintf(name, sizeof name, "thing_%d", i);
        thing.name = name;
        if (!entc->add_component(host, &thing)) return NULL;
    }
    return NULL;
}

static void thing_close(EntPluginHost* host) {
    if (is("close")) entc->log(host, "closed");
}

/* As if another program wrote or removed the file while it is being loaded. */
__attribute__((constructor)) static void library_loaded(void) {
    FILE* file = is("modified") ? fopen("invalid.so", "ab") : NULL;
    if (file) fputc('\n', file), fclose(file);
    if (is("removed")) remove("invalid.so");
}

__attribute__((destructor)) static void library_unloaded(void) {
    if (is("close")) fputs("unloaded\n", stderr);
}

static const EntPluginCompiler2 table = {setup, thing_close}, empty = {NULL, NULL};

const void* ent_get_plugin_api(uint32_t id, uint32_t version) {
    if (id != ENT_PLUGIN_COMPILER || is("version")) return NULL;
    if (is("empty")) return &empty;
    return version == (is("old") ? 1 : 2) ? &table : NULL;
}
