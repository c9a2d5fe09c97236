/* plugin_sail.c - a plugin for entc alone: it has no part for worlds. It calls every function of
 * the tables but `choice`. */
#include <stdio.h>
#include <string.h>

#include <ent/plugin.h>

#define SAIL_FIELDS(F, R)                                                                          \
    F(R, f32, area_m2, REQUIRED, 0, 1000, "m2", PLAIN, "of all its cloths")                        \
    F(R, u32, reefs, V1(0), 0, 4, "", PLAIN, "how often it is shortened")                          \
    F(R, Bool32, furled, V1(0), 0, 1, "", PLAIN, "it is not set")                                  \
    F(R, ResourceRef, cloth, NO_RESOURCE, 0, 0, "", REFERS_TO(ENT_RESOURCE_MATERIAL), "what of")   \
    F(R, EntityRef, mast, NO_ENTITY, 0, ENT_PLUGIN_ALL, "", PLAIN, "what holds it")                \
    F(R, NameRef, yard, NO_NAME, 0, ENT_PLUGIN_ALL, "", PLAIN, "which of them")

ENT_PLUGIN_RECORD(SailRecord, SAIL_FIELDS)

enum { AREA_M2, REEFS, FURLED, CLOTH, MAST, YARD };

static const EntPluginField1  sail_fields[] = {SAIL_FIELDS(ENT_PLUGIN_FIELD, SailRecord)};
static const EntApiInstance2* ent;
static const EntApiJson1*     json;

/* "cloths": [ [2, 3], [1, 1.5] ], each in metres. */
static void cloths_read(EntPluginInstance* in, SailRecord* sail, uint32_t at) {
    EntPluginMember1 cloth = {0};
    double           area = 0;
    while (json->next(in, at, &cloth)) {
        EntPluginMember1 side = {0};
        double           size = 1, metres;
        while (json->next(in, cloth.value, &side) && json->number(in, side.value, &metres)) {
            size *= metres;
        }
        area += size;
    }
    sail->area_m2 = (float)area;
    ent->give(in, AREA_M2);
}

/* "rig": "MAST:YARD", and "colour": "red" for the material sails/red. */
static void rig_read(EntPluginInstance* in, SailRecord* sail, uint32_t at) {
    uint32_t    bytes;
    const char* text = json->text(in, at, &bytes);
    const char* colon = text ? strchr(text, ':') : NULL;
    if (!text) return;
    if (!colon) {
        ent->error(in, at, "rig is written MAST:YARD");
        return;
    }
    char* mast = ent->alloc(in, bytes + 1);
    memcpy(mast, text, (size_t)(colon - text));
    sail->mast = ent->entity(in, at, mast);
    sail->yard = ent->name(in, at, colon + 1);
}

static void colour_read(EntPluginInstance* in, SailRecord* sail, uint32_t at) {
    char        name[128];
    const char* colour = json->text(in, at, NULL);
    if (!colour) return;
    snprintf(name, sizeof name, "sails/%s", colour);
    sail->cloth = ent->resource(in, at, ENT_RESOURCE_MATERIAL, name);
}

static void sail_compile(EntPluginInstance* in, void* record, void* user) {
    static const char* const others[] = {"cloths", "rig", "colour", "set", "stuff"};
    SailRecord*              sail = record;
    EntPluginMember1         member = {0};
    int                      set;
    uint32_t                 bytes;
    ent->fields(in, others, 5);
    while (json->next(in, json->root(in), &member)) {
        if (strcmp(member.key, "cloths") == 0) cloths_read(in, sail, member.value);
        if (strcmp(member.key, "rig") == 0) rig_read(in, sail, member.value);
        if (strcmp(member.key, "colour") == 0) colour_read(in, sail, member.value);
        if (strcmp(member.key, "stuff") == 0) ent->field(in, CLOTH, member.value);
        if (strcmp(member.key, "set") != 0 || !json->truth(in, member.value, &set)) continue;
        const char* source = json->source(in, member.value, &bytes);
        if (bytes != (set ? 4 : 5) || *source != (set ? 't' : 'f')) ent->error(in, 0, "not it");
        sail->furled = !set;
    }
    sail->reefs += *(const uint32_t*)user;
}

static const uint32_t more_reefs = 1;

static const EntPluginComponent1 sail = {.name = "sail",
                                         .fields = sail_fields,
                                         .field_count = sizeof sail_fields / sizeof sail_fields[0],
                                         .bytes = sizeof(SailRecord),
                                         .order = 2500,
                                         .several = 1,
                                         .direct = 1,
                                         .compile = sail_compile,
                                         .user = (void*)(uintptr_t)&more_reefs};

/* Described by its fields alone: entc treats it like a built-in type. */
#define KEEL_FIELDS(F, R) F(R, f32, draught_m, V1(2), 0.5, 9, "m", PLAIN, "below the water")

ENT_PLUGIN_RECORD(KeelRecord, KEEL_FIELDS)

static const EntPluginField1     keel_fields[] = {KEEL_FIELDS(ENT_PLUGIN_FIELD, KeelRecord)};
static const EntPluginComponent1 keel = {
    .name = "keel", .fields = keel_fields, .field_count = 1, .bytes = 4, .order = 50};

static const char* setup(EntPluginHost* host, EntApiGet* get_ent_api) {
    const EntApiCompiler1* compiler = get_ent_api(ENT_API_COMPILER, 1);
    ent = get_ent_api(ENT_API_INSTANCE, 2);
    json = get_ent_api(ENT_API_JSON, 1);
    if (!compiler || !ent || !json) return "it needs another entc";
    if (get_ent_api(ENT_API_INSTANCE, 1) || get_ent_api(ENT_API_COMPILER, 99) || get_ent_api(77, 1))
        return "entc returns tables that do not exist";
    if (!compiler->add_component(host, &sail)) return NULL;
    compiler->add_component(host, &keel);
    return NULL;
}

static const EntPluginCompiler2 table = {setup, NULL};

const void* ent_get_plugin_api(uint32_t id, uint32_t version) {
    return id == ENT_PLUGIN_COMPILER && version == 2 ? &table : NULL;
}
