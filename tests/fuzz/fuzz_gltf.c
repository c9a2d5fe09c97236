/* make fuzz target=gltf seconds=60
 *
 * A valid model with a skin, a clip, morph targets and a sparse accessor, and changes to it. The
 * input is an array of changes, 4 bytes each: of a number or a word of its JSON, in the order of the
 * text, or of a word of its buffer. So each input is a model that is valid but for some indices,
 * counts, offsets, strides, types or values. A build of it ends without a fault. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "build.h"
#include "exit_codes.h"
#include "fuzz.h"

#define CHANGES_MAX 32u
#define JSON_MAX    (16u << 10)
#define BUFFER_MAX  1024u
#define OF_BUFFER   0x8000u /* of Change.at: a word of the buffer */

typedef struct Change {
    u16 at, value;
} Change;

/* --- the model --- */

/* The views of the buffer are in this order; each begins at a multiple of 4. */
static const char model[] =
    "{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"byteLength\":536}],\"bufferViews\":["
    "{\"buffer\":0,\"byteOffset\":0,\"byteLength\":48,\"byteStride\":12},"
    "{\"buffer\":0,\"byteOffset\":48,\"byteLength\":12},"
    "{\"buffer\":0,\"byteOffset\":60,\"byteLength\":16,\"byteStride\":4},"
    "{\"buffer\":0,\"byteOffset\":76,\"byteLength\":64,\"byteStride\":16},"
    "{\"buffer\":0,\"byteOffset\":140,\"byteLength\":48},"
    "{\"buffer\":0,\"byteOffset\":188,\"byteLength\":4},"
    "{\"buffer\":0,\"byteOffset\":192,\"byteLength\":24},"
    "{\"buffer\":0,\"byteOffset\":216,\"byteLength\":128},"
    "{\"buffer\":0,\"byteOffset\":344,\"byteLength\":12},"
    "{\"buffer\":0,\"byteOffset\":356,\"byteLength\":144},"
    "{\"buffer\":0,\"byteOffset\":500,\"byteLength\":24},"
    "{\"buffer\":0,\"byteOffset\":524,\"byteLength\":12}],\"accessors\":["
    "{\"bufferView\":0,\"byteOffset\":0,\"componentType\":5126,\"count\":4,\"type\":\"VEC3\","
    "\"min\":[0,0,0],\"max\":[1,1,0]},"
    "{\"bufferView\":1,\"byteOffset\":0,\"componentType\":5123,\"count\":6,\"type\":\"SCALAR\"},"
    "{\"bufferView\":2,\"componentType\":5121,\"count\":4,\"type\":\"VEC4\"},"
    "{\"bufferView\":3,\"componentType\":5126,\"count\":4,\"type\":\"VEC4\","
    "\"normalized\":false},"
    "{\"bufferView\":4,\"componentType\":5126,\"count\":4,\"type\":\"VEC3\","
    "\"min\":[0,0,0],\"max\":[0.5,0.5,0.5]},"
    "{\"componentType\":5126,\"count\":4,\"type\":\"VEC3\",\"min\":[0,0,0],\"max\":[1,1,1],"
    "\"sparse\":{\"count\":2,\"indices\":{\"bufferView\":5,\"byteOffset\":0,"
    "\"componentType\":5123},\"values\":{\"bufferView\":6,\"byteOffset\":0}}},"
    "{\"bufferView\":7,\"componentType\":5126,\"count\":2,\"type\":\"MAT4\"},"
    "{\"bufferView\":8,\"componentType\":5126,\"count\":3,\"type\":\"SCALAR\",\"min\":[0],"
    "\"max\":[2]},"
    "{\"bufferView\":9,\"componentType\":5126,\"count\":9,\"type\":\"VEC4\"},"
    "{\"bufferView\":10,\"componentType\":5126,\"count\":6,\"type\":\"SCALAR\"},"
    "{\"bufferView\":11,\"componentType\":5126,\"count\":1,\"type\":\"VEC3\"},"
    "{\"bufferView\":11,\"componentType\":5126,\"count\":3,\"type\":\"SCALAR\"}],"
    "\"meshes\":[{\"name\":\"m\",\"primitives\":[{\"attributes\":{\"POSITION\":0,"
    "\"JOINTS_0\":2,\"WEIGHTS_0\":3},\"indices\":1,\"mode\":4,\"targets\":[{\"POSITION\":4},"
    "{\"POSITION\":5}]}],\"weights\":[0,0.5]},"
    "{\"name\":\"s\",\"primitives\":[{\"attributes\":{\"POSITION\":0},\"indices\":1,"
    "\"material\":0}]}],\"materials\":[{\"name\":\"w\",\"alphaMode\":\"MASK\",\"extras\":"
    "{\"thickness_m\":1,\"refraction\":1},\"extensions\":"
    "{\"KHR_materials_transmission\":{\"transmissionFactor\":1},\"KHR_materials_ior\":{\"ior\":2},"
    "\"KHR_materials_volume\":{\"thicknessFactor\":1,\"attenuationDistance\":1,"
    "\"attenuationColor\":[1,0.5,0]}}}],"
    "\"nodes\":[{\"name\":\"n\",\"mesh\":0,\"skin\":0},{\"name\":\"j\",\"children\":[2]},"
    "{\"name\":\"socket_k\",\"translation\":[0,1,0],\"rotation\":[0,0,0,1]},"
    "{\"name\":\"b_LOD0\",\"mesh\":1},{\"name\":\"b_LOD1\",\"mesh\":1,\"translation\":[0,0,1]},"
    "{\"name\":\"UCX_b\",\"mesh\":1},{\"name\":\"b_col\",\"mesh\":1},"
    "{\"name\":\"UBX_b\",\"mesh\":1},{\"name\":\"c_hidden\",\"mesh\":1},"
    "{\"name\":\"l\",\"camera\":0,\"extensions\":{\"KHR_lights_punctual\":{\"light\":0}}},"
    "{\"name\":\"q\",\"translation\":[1,0,0],\"rotation\":[0,0,0,1],\"scale\":[1,2,3],\"extras\":"
    "{\"prefab\":\"m/p\",\"collection\":\"c\",\"collection.offset\":[0,0,1],"
    "\"point_mass.velocity\":[1,2,3]}},"
    "{\"name\":\"r\",\"rotation\":[0,0,0,1],\"scale\":[1,1,2],\"extras\":{\"collection\":\"p\"}}],"
    "\"scenes\":[{\"nodes\":[0,1,3,4,5,6,7,8,9,10,11]}],\"scene\":0,"
    "\"cameras\":[{\"type\":\"perspective\",\"perspective\":{\"yfov\":1,\"znear\":1}}],"
    "\"extensionsUsed\":[\"KHR_lights_punctual\",\"KHR_animation_pointer\",\"KHR_materials_ior\","
    "\"KHR_materials_transmission\",\"KHR_materials_volume\"],"
    "\"extensions\":{\"KHR_lights_punctual\":{\"lights\":[{\"type\":\"point\"}]}},"
    "\"skins\":[{\"inverseBindMatrices\":6,\"skeleton\":1,\"joints\":[1,2]}],"
    "\"animations\":[{\"name\":\"c\",\"samplers\":["
    "{\"input\":7,\"output\":8,\"interpolation\":\"CUBICSPLINE\"},"
    "{\"input\":7,\"output\":9,\"interpolation\":\"LINEAR\"}],\"channels\":["
    "{\"sampler\":0,\"target\":{\"node\":2,\"path\":\"rotation\"}},"
    "{\"sampler\":1,\"target\":{\"node\":0,\"path\":\"weights\"}}]},"
    "{\"name\":\"p\",\"samplers\":[{\"input\":7,\"output\":11}],\"channels\":["
    "{\"sampler\":0,\"target\":{\"path\":\"pointer\",\"extensions\":"
    "{\"KHR_animation_pointer\":{\"pointer\":\"/cameras/0/perspective/yfov\"}}}},"
    "{\"sampler\":0,\"target\":{\"path\":\"pointer\",\"extensions\":{\"KHR_animation_pointer\":"
    "{\"pointer\":\"/extensions/KHR_lights_punctual/lights/0/intensity\"}}}}]}]}";

#define BUFFER_BYTES 536u

static void floats_put(u8* buffer, u32 at, const f32* values, u32 count) {
    memcpy(buffer + at, values, count * sizeof *values);
}

static void buffer_fill(u8* buffer) {
    static const f32 positions[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0};
    static const u16 indices[6] = {0, 1, 2, 1, 3, 2}, sparse[2] = {1, 3};
    static const f32 one[4] = {1}, moved[3] = {0.5f, 0.5f, 0.5f}, more[3] = {1, 1, 1};
    static const f32 times[3] = {0, 1, 2}, turn[4] = {0, 0, 0, 1}, weights[6] = {0, 1, 1, 0, 0, 1};
    memset(buffer, 0, BUFFER_MAX);
    floats_put(buffer, 0, positions, 12);
    memcpy(buffer + 48, indices, sizeof indices);
    for (u32 i = 0; i < 4; i++) {
        buffer[60 + i * 4] = i % 2;
        floats_put(buffer, 76 + i * 16, one, 4);
        if (i) floats_put(buffer, 140 + i * 12, moved, 3);
    }
    memcpy(buffer + 188, sparse, sizeof sparse);
    for (u32 i = 0; i < 2; i++) floats_put(buffer, 192 + i * 12, more, 3);
    for (u32 i = 0; i < 32; i++) floats_put(buffer, 216 + i * 4, &more[0], i % 16 % 5 == 0);
    floats_put(buffer, 344, times, 3);
    for (u32 i = 0; i < 3; i++) floats_put(buffer, 356 + i * 48 + 16, turn, 4);
    floats_put(buffer, 500, weights, 6);
}

/* --- the changes --- */

static const char* const numbers[] = {
    "-1",         "0.5",        "65535", "65536", "1073741824", "2147483647", "2147483648",
    "4294967295", "4294967296", "1e300", "null",  "[]",         "{}",         "\"a\"",
    "5120",       "5121",       "5122",  "5123",  "5125",       "5126"};
static const char* const words[] = {
    "SCALAR",     "VEC2",       "VEC3",        "VEC4",        "MAT2",     "MAT3",     "MAT4",
    "LINEAR",     "STEP",       "CUBICSPLINE", "translation", "rotation", "scale",    "weights",
    "POSITION",   "NORMAL",     "TANGENT",     "TEXCOORD_0",  "COLOR_0",  "JOINTS_0", "WEIGHTS_0",
    "JOINTS_1",   "WEIGHTS_1",  "sparse",      "targets",     "skin",     "mesh",     "bufferView",
    "byteStride", "normalized", "count",       "children",    "indices",  "skeleton", "min",
    "max",        "extras",     "name",        "byteOffset",  "mode",     "joints",   "values",
    "b_LOD1",     "b_LOD2",     "UCX_b",       "USP_b",       "UCP_b",    "b_hidden", "pointer",
    "prefab",     "group",      "collection",  "m/c",         "m/p",      "m",        "m/q",
};
static const u32 patterns[] = {0,          0x7fc00000, 0x7f800000, 0xff800000, 0x00000001,
                               0x7f7fffff, 0x80000000, 0xffffffff, 0x3f800000, 0xbf800000,
                               0x0000ffff, 0xffff0000, 0x7149f2ca, 0x0da24260};

/* The length of a number or a string in quotes at this position; 0: another character. */
static u32 token_bytes(const char* at) {
    u32 n = 0;
    if (*at == '"') {
        for (n = 1; at[n] != '"';) n++;
        return n + 1;
    }
    while ((at[n] >= '0' && at[n] <= '9') || (n && at[n] == '.')) n++;
    return n;
}

/* Counted once: of each change of each input it is the divisor. */
static u32 tokens_count(void) {
    static u32 count;
    if (count) return count;
    for (u32 at = 0, n; at < sizeof model - 1; at += n ? n : 1) {
        n = token_bytes(model + at);
        count += n > 0;
    }
    return count;
}

static int token_write(char* to, size_t room, const char* from, u32 bytes, const Change* change) {
    if (!change) return snprintf(to, room, "%.*s", (int)bytes, from);
    if (*from == '"') return snprintf(to, room, "\"%s\"", words[change->value % COUNT_OF(words)]);
    if (change->value < 0x8000) return snprintf(to, room, "%u", change->value % 1024u);
    return snprintf(to, room, "%s", numbers[change->value % COUNT_OF(numbers)]);
}

/* The last change of a token has effect. */
static const Change* change_of(const Change* changes, u32 count, u32 token) {
    const Change* found = NULL;
    for (u32 i = 0; i < count; i++) {
        if (!(changes[i].at & OF_BUFFER) && changes[i].at % tokens_count() == token)
            found = &changes[i];
    }
    return found;
}

static u32 json_write(char* to, const Change* changes, u32 count) {
    u32 filled = 0, token = 0;
    for (u32 at = 0, n; at < sizeof model - 1; at += n) {
        const Change* change = NULL;
        n = token_bytes(model + at);
        if (n)
            change = change_of(changes, count, token++);
        else
            n = 1;
        filled += (u32)token_write(to + filled, JSON_MAX - filled, model + at, n, change);
    }
    while (filled % 4) to[filled++] = ' ';
    return filled;
}

static void buffer_change(u8* buffer, const Change* changes, u32 count) {
    for (u32 i = 0; i < count; i++) {
        if (!(changes[i].at & OF_BUFFER)) continue;
        const u16 value = changes[i].value;
        const u32 at = (changes[i].at & ~OF_BUFFER) % (BUFFER_BYTES / 4) * 4;
        const u32 word = value < 0x8000 ? value : patterns[value % COUNT_OF(patterns)];
        memcpy(buffer + at, &word, sizeof word);
    }
}

/* --- the target --- */

static u32 glb_write(u8* to, const Change* changes, u32 count) {
    u8        buffer[BUFFER_MAX];
    const u32 json = json_write((char*)to + 20, changes, count);
    const u32 head[] = {0x46546c67u, 2, 28 + json + BUFFER_BYTES, json, 0x4e4f534au};
    const u32 chunk[] = {BUFFER_BYTES, 0x004e4942u};
    buffer_fill(buffer);
    buffer_change(buffer, changes, count);
    memcpy(to, head, sizeof head);
    memcpy(to + 20 + json, chunk, sizeof chunk);
    memcpy(to + 28 + json, buffer, BUFFER_BYTES);
    return head[2];
}

static int model_build(const Change* changes, u32 count) {
    static u8          glb[JSON_MAX + BUFFER_MAX];
    const BuildOptions o = {.source = fuzz_path("model"),
                            .out = fuzz_path("out_model"),
                            .jobs = 1,
                            .messages = {.quiet = true, .format = DIAG_JSON},
                            .force = true,
                            .mode = BUILD_DRY_RUN};
    /* The settings follow from the changes; those without a change are the first ones. */
    static const char* const settings[] = {"{\"split\":\"collections\"}",
                                           "{\"split\":\"roots\",\"properties\":\"z_up\"}",
                                           "{\"as\":\"level\",\"properties\":\"z_up\"}", "{}"};
    u32                      sum = 0;
    for (u32 i = 0; i < count; i++) sum += changes[i].at + changes[i].value / 7;
    const char* const chosen = settings[sum % COUNT_OF(settings)];
    fuzz_write("model/m.model.json", (const u8*)chosen, (u32)strlen(chosen));
    fuzz_write("model/m.glb", glb, glb_write(glb, changes, count));
    return build_run(&o, NULL);
}

void fuzz_gltf_repair(u8* data, size_t size) {
    UNUSED(data);
    UNUSED(size);
}

/* The unchanged model, and one change of each kind. */
void fuzz_gltf_seeds(void) {
    const Change changes[] = {{9, 3}, {OF_BUFFER | 3, 0x8001}, {60, 0x8003}};
    if (model_build(NULL, 0) != EXIT_OK) abort();
    fuzz_seed("one", &changes[0], sizeof changes[0]);
    fuzz_seed("few", changes, sizeof changes);
}

void fuzz_gltf(const u8* data, size_t size) {
    Change    changes[CHANGES_MAX];
    const u32 count = (u32)MIN_OF(size / sizeof(Change), (size_t)CHANGES_MAX);
    if (count) memcpy(changes, data, count * sizeof(Change));
    const int code = model_build(changes, count);
    if (code != EXIT_OK && code != EXIT_INVALID && code != EXIT_LIMIT) abort();
}

FUZZ_TARGET(gltf)
