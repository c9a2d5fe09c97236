/* plugin_dice.c - a compile function whose result does not follow from the sources: the environment
 * variable DICE selects on what it depends. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <ent/plugin.h>

static const EntApiCompiler1* entc;
static const EntApiInstance2* ent;
static const EntApiJson1*     json;

typedef struct DiceRecord {
    uint32_t eyes;
} DiceRecord;

/* "process": the number of the process; "order": how many were compiled before; "fail": an error in
 * the time zone of the second build. */
static void dice_compile(EntPluginInstance* in, void* record, void* user) {
    static uint32_t count;
    const char*     given = getenv("DICE");
    const char*     zone = getenv("TZ");
    DiceRecord*     dice = record;
    (void)user;
    ent->fields(in, NULL, 0);
    if (!given) return;
    if (strcmp(given, "process") == 0) dice->eyes = (uint32_t)getpid();
    if (strcmp(given, "order") == 0) dice->eyes = __atomic_fetch_add(&count, 1, __ATOMIC_RELAXED);
    if (strcmp(given, "fail") == 0 && zone && strcmp(zone, "UTC-14") == 0)
        ent->error(in, json->root(in), "the dice are lost");
}

static const EntPluginField1 fields[] = {
    {.name = "eyes", .type = "u32", .offset = 0, .bytes = 4, .hi = 4294967040.0}};

static const char* setup(EntPluginHost* host, EntApiGet* get_ent_api) {
    const EntPluginComponent1 dice = {.name = "dice",
                                      .fields = fields,
                                      .field_count = 1,
                                      .bytes = sizeof(DiceRecord),
                                      .order = 6000,
                                      .compile = dice_compile};
    entc = get_ent_api(ENT_API_COMPILER, 1);
    ent = get_ent_api(ENT_API_INSTANCE, 2);
    json = get_ent_api(ENT_API_JSON, 1);
    entc->add_component(host, &dice);
    return NULL;
}

static const EntPluginCompiler2 table = {setup, NULL};

const void* ent_get_plugin_api(uint32_t id, uint32_t version) {
    return id == ENT_PLUGIN_COMPILER && version == 2 ? &table : NULL;
}
