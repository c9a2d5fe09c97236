/* test_framing.c - pictures of entrun are seen from where the camera of the level is, also when a clip moves it. */
#include <stdlib.h>

#include "test_gpu_support.h"

/* Times 0, 0.05 and 10 s, for which the camera is at 0 0 5, and then 2 m to the right; the sun turns. */
#define BUFFER                                                                                     \
    "AAAAAM3MTD0AACBBAAAAAAAAAAAAAKBAAAAAQAAAAAAAAKBAAAAAQAAAAAAAAKBA"                             \
    "AAAAAAAAAAAAAAAAAACAP0R39b4AAAAAAAAAAECpYD9Ed/W+AAAAAAAAAABAqWA/"

#define ACCESSOR(view, type, bounds)                                                               \
    "{ \"bufferView\": " view ", \"componentType\": 5126, \"count\": 3, \"type\": \"" type         \
    "\"" bounds "}"
#define CHANNEL(sampler, node, path)                                                               \
    "{ \"sampler\": " sampler ", \"target\": { \"node\": " node ", \"path\": \"" path "\" } }"
#define SAMPLER(output) "{ \"input\": 0, \"output\": " output ", \"interpolation\": \"STEP\" }"
#define LEVEL(components)                                                                          \
    "{ \"entities\": [ { \"name\": \"rail\", \"prefab\": \"rail\"" components " },\n"              \
    "{ \"name\": \"box\", \"components\": { \"mesh\": { \"resource\": \"models/box/box\" } } } ] " \
    "}"

static const TestFile sources[] = {
    {"rail.gltf",
     "{ \"asset\": { \"version\": \"2.0\" }, \"scenes\": [ { \"nodes\": [ 0, 1 ] } ], \"scene\": "
     "0,\n"
     "\"extensionsUsed\": [ \"KHR_lights_punctual\" ], \"extensions\": { \"KHR_lights_punctual\":\n"
     "  { \"lights\": [ { \"type\": \"directional\", \"intensity\": 3 } ] } },\n"
     "\"cameras\": [ { \"type\": \"perspective\", \"perspective\":\n"
     "  { \"yfov\": 0.8, \"znear\": 0.1, \"zfar\": 100 } } ],\n"
     "\"nodes\": [ { \"name\": \"eye\", \"camera\": 0, \"translation\": [0, 0, 5] },\n"
     "  { \"name\": \"sun\", \"extensions\": { \"KHR_lights_punctual\": { \"light\": 0 } } } ],\n"
     "\"buffers\": [ { \"byteLength\": 96, \"uri\": \"data:application/octet-stream;base64," BUFFER
     "\" } ],\n"
     "\"bufferViews\": [ { \"buffer\": 0, \"byteLength\": 12 },\n"
     "  { \"buffer\": 0, \"byteOffset\": 12, \"byteLength\": 36 },\n"
     "  { \"buffer\": 0, \"byteOffset\": 48, \"byteLength\": 48 } ],\n"
     "\"accessors\": [ " ACCESSOR("0", "SCALAR", ", \"min\": [0], \"max\": [10]") ",\n" ACCESSOR(
         "1", "VEC3",
         "") ", " ACCESSOR("2", "VEC4",
                           "") " ],\n"
                               "\"animations\": [ { \"samplers\": [ " SAMPLER("1") ", " SAMPLER(
                                   "2") " ],\n"
                                        "  \"channels\": [ " CHANNEL(
                                            "0", "0",
                                            "translation") ", " CHANNEL("1", "1",
                                                                        "rotation") " ] } ] }"},
    {"moving.level.json", LEVEL("")},
    {"still.level.json",
     LEVEL(", \"components\": { \"animator\": { \"time_s\": 0.5, \"speed\": 0 } }")},
};

static void pictures_are_seen_from_where_a_clip_has_moved_the_camera(void** state) {
    UNUSED(state);
    gpu_for_test();
    if (SANITIZED) setenv("LSAN_OPTIONS", "detect_leaks=0", 1); /* the driver is unloaded */
    const char* folder = test_folder("framing");
    test_write_files(folder, "src", sources, COUNT_OF(sources));
    test_write_box(folder, "src");
    TEST_DONE(folder, "entc build src -o out -q");
    EXPECT(folder, 0, "seen",
           "entrun out --level moving --frames 6 --every 1 --png m.png --size 96x64 && "
           "entrun out --level still --frames 6 --png s.png --size 96x64 && "
           "cmp m_0006.png s.png && ! cmp -s m_0001.png s.png && echo seen");
}

TEST_SUITE(framing) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pictures_are_seen_from_where_a_clip_has_moved_the_camera),
    };
    return TEST_RUN("framing", tests);
}
