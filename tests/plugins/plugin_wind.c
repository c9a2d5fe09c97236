/* plugin_wind.c - an example: one library adds the component `wind` to entc and to a world.
 *
 *     cc -std=c11 -fPIC -shared plugin_wind.c -o wind.so $(pkg-config --cflags libent) -lm
 *     entc build assets -o out --plugin ./wind.so
 *     entrun out --level levels/coast --plugin ./wind.so
 *
 * In a level: "wind": { "from": "south", "speed_m_s": 8 }, or "from": 112.5 in degrees, clockwise
 * from north, or "direction" itself. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <ent/plugin.h>
#include <ent/world_plugin.h>

#define WIND_KIND(X)                                                                               \
    X(WIND_STEADY, "steady")                                                                       \
    X(WIND_GUSTY, "gusty")

#define WIND_FIELDS(F, R)                                                                          \
    F(R, Vec3, direction, V3(1, 0, 0), -1, 1, "", PLAIN, "where it blows to, of length 1")         \
    F(R, f32, speed_m_s, V1(5), 0, 100, "m/s", PLAIN, "how hard")                                  \
    F(R, Enum32, kind, V1(0), 0, 0, "", ENUM(WIND_KIND), "how it changes")                         \
    F(R, EntityRef, shelter, NO_ENTITY, 0, ENT_PLUGIN_ALL, "", PLAIN, "where it does not blow")

ENT_PLUGIN_ENUM(WindKind, WIND_KIND)
ENT_PLUGIN_RECORD(WindRecord, WIND_FIELDS)
ENT_PLUGIN_TEXTS(WIND_KIND)

static const EntPluginField1 wind_fields[] = {WIND_FIELDS(ENT_PLUGIN_FIELD, WindRecord)};

/* --- entc --- */

#ifndef WIND_SCALE
#define WIND_SCALE 1 /* tests compile this again with another number */
#endif

static const EntApiCompiler1* entc;
static const EntApiInstance2* instance_api;
static const EntApiJson1*     json;
static double*                sines; /* of the quarters: allocated by setup and freed by close */

static void blow_from(EntPluginInstance* in, WindRecord* wind, uint32_t from) {
    static const char* const quarters[] = {"north", "east", "south", "west"};
    double                   degrees;
    uint32_t                 quarter;
    if (json->kind(in, from) == ENT_PLUGIN_JSON_STRING) {
        if (!instance_api->choice(in, from, quarters, 4, &quarter)) return;
        wind->direction =
            (EntVec3){(float)(0 - sines[quarter]), 0, (float)sines[(quarter + 1) % 4]};
        return;
    }
    if (!json->number(in, from, &degrees)) return;
    if (degrees < 0 || degrees >= 360) {
        instance_api->error(in, from, "a direction is 0 to 360 degrees, clockwise from north");
        return;
    }
    const double radians = degrees * 0.017453292519943295;
    wind->direction = (EntVec3){(float)(0 - sin(radians)), 0, (float)cos(radians)};
}

static void wind_compile(EntPluginInstance* in, void* record, void* user) {
    static const char* const others[] = {"from"};
    WindRecord*              wind = record;
    const uint32_t           from = json->member(in, json->root(in), "from");
    const uint32_t           direction = json->member(in, json->root(in), "direction");
    (void)user;
    instance_api->fields(in, others, 1);
    if (from == ENT_PLUGIN_NOTHING) return;
    if (direction == ENT_PLUGIN_NOTHING) {
        blow_from(in, wind, from);
        return;
    }
    instance_api->error(in, from, "\"from\" and \"direction\" say the same; leave one of them out");
    instance_api->note(in, direction, "the other key is here");
}

static void wind_check(EntPluginInstance* in, void* record, void* user) {
    WindRecord*   wind = record;
    const EntVec3 d = wind->direction;
    const double  length = sqrt((double)d.x * d.x + (double)d.y * d.y + (double)d.z * d.z);
    (void)user;
    if (fabs(length - 1) > 0.01) {
        instance_api->error(in, json->root(in), "direction must have length 1");
        return;
    }
    wind->speed_m_s *= WIND_SCALE;
}

static const EntPluginComponent1 wind = {
    .name = "wind",
    .fields = wind_fields,
    .field_count = sizeof wind_fields / sizeof wind_fields[0],
    .bytes = sizeof(WindRecord),
    .order = 450, /* between skin and light */
    .by_field = 1,
    .compile = wind_compile,
    .check = wind_check,
};

static const char* compiler_setup(EntPluginHost* host, EntApiGet* get_ent_api) {
    entc = get_ent_api(ENT_API_COMPILER, 1);
    instance_api = get_ent_api(ENT_API_INSTANCE, 2);
    json = get_ent_api(ENT_API_JSON, 1);
    if (!entc || !instance_api || !json) return "it needs a newer entc";
    sines = entc->alloc(host, 4 * sizeof *sines);
    sines[1] = 1;
    sines[3] = -1;
    entc->add_component(host, &wind);
    entc->log(host, "wind is up");
    return NULL;
}

static void compiler_close(EntPluginHost* host) {
    if (entc) entc->free(host, sines);
}

/* --- worlds: the current wind speed is a column that only the runtime has; it increases frame by
 * frame and is stored in saves --- */

static const EntApiWorld3* world_api;

static void wind_spawn(EntWorld* world, EntManager* manager, const EntSpawnBatch* batch) {
    const uint32_t first = world_api->append(manager, batch);
    const float*   speed = world_api->column(manager, 1);
    float*         now = world_api->column(manager, 4);
    (void)world;
    for (uint32_t i = first; i < first + batch->count; i++) now[i] = speed[i] / 2;
}

#define WIND_STATE_FIELDS(F, R)                                                                    \
    F(R, f32, now_m_s, V1(0), ENT_PLUGIN_LOW, ENT_PLUGIN_HIGH, "m/s", PLAIN, "how hard it blows")
ENT_PLUGIN_RECORD(WindState, WIND_STATE_FIELDS)

static const EntPluginField1 wind_state_fields[] = {WIND_STATE_FIELDS(ENT_PLUGIN_FIELD, WindState)};
static const EntPluginComponent1 wind_state = {.name = "wind_state",
                                               .fields = wind_state_fields,
                                               .field_count = 1,
                                               .bytes = sizeof(WindState)};

static const EntPluginManager3 wind_manager = {
    .component = &wind, .extra_bytes = {sizeof(float)}, .spawn = wind_spawn, .state = &wind_state};

typedef struct WindStep {
    const float* speed; /* [count] m/s */
    float*       now;   /* [count] m/s */
    float        share; /* the part of the change that happens in this step */
} WindStep;

static void wind_rise(void* user, uint32_t first, uint32_t end, uint32_t worker) {
    const WindStep* step = user;
    (void)worker;
    for (uint32_t i = first; i < end; i++)
        step->now[i] += (step->speed[i] - step->now[i]) * step->share;
}

static void wind_update(EntWorld* world, float dt_s) {
    EntManager* m = world_api->manager(world, "wind");
    WindStep    step = {world_api->column(m, 1), world_api->column(m, 4), dt_s < 1 ? dt_s : 1};
    world_api->dispatch(world, world_api->count(m), 1000, wind_rise, &step);
}

static void wind_close(EntWorld* world) {
    if (world_api) world_api->log(world, "wind is down");
}

static const char* runtime_setup(EntWorld* world, EntApiGet* get_ent_api) {
    world_api = get_ent_api(ENT_API_WORLD, 3);
    if (!world_api) return "it needs a newer libent";
    world_api->add_manager(world, &wind_manager);
    return NULL;
}

static const EntPluginRuntime2 runtime = {runtime_setup, wind_update, wind_close};

/* --- the interface --- */

static const EntPluginCompiler2 compiler = {compiler_setup, compiler_close};

const void* ent_get_plugin_api(uint32_t id, uint32_t version) {
    if (id == ENT_PLUGIN_COMPILER && version == 2) return &compiler;
    return id == ENT_PLUGIN_RUNTIME && version == 2 ? &runtime : NULL;
}
