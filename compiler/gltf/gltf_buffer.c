/* gltf_buffer.c - the buffers of a glTF file: the BIN chunk, data URIs, other files. */
#include "gltf_internal.h"
#include "relative.h"

/* The type may be omitted; a type other than that of a buffer is an error. */
static bool type_fits(Text type) {
    static const char* const types[] = {"application/octet-stream", "application/gltf-buffer"};
    bool                     fits = type.bytes == 0;
    for (u32 i = 0; i < COUNT_OF(types); i++) fits |= gltf_same_letters(type, types[i]);
    return fits;
}

static const u8* read_data_uri(Gltf* g, const cJSON* uri, u64* bytes) {
    GltfDataUri data;
    if (!gltf_data_uri(g, uri, &data)) return NULL;
    if (!type_fits(data.type)) {
        gltf_error(g, E0405, uri,
                   "has data of type \"%.*s\", but the type of a buffer must be "
                   "\"application/octet-stream\"",
                   (int)MIN_OF(data.type.bytes, 64u), data.type.at);
        return NULL;
    }
    *bytes = data.bytes;
    if (!data.is_base64) return (const u8*)data.at;
    const u8* decoded = gltf_base64(g, data.at, data.bytes, bytes);
    if (!decoded) gltf_error(g, E0405, uri, "contains data that is not valid base64");
    return decoded;
}

const u8* gltf_read_file(Gltf* g, const cJSON* uri, u64* bytes) {
    const char* name =
        uri_has_scheme(uri->valuestring) ? NULL : uri_decode(g->arena, uri->valuestring);
    const char* why = "the file cannot be read";
    DiagCode    code = E0405;
    size_t      size = 0;
    if (!name || !*name) {
        gltf_error(g, E0405, uri, "is \"%.128s\", but must be a path relative to this file",
                   uri->valuestring);
        return NULL;
    }
    const u8* data = g->files->read(g->files->user, name, &size, &why, &code);
    if (!data) gltf_error(g, code, uri, "is \"%.128s\": %s", name, why);
    *bytes = size;
    return data;
}

static const u8* read_chunk(Gltf* g, const cJSON* json, u32 number, u64* bytes) {
    if (!g->chunk || number != 0)
        gltf_error(g, E0405, json, "has no \"uri\", and %s",
                   g->chunk ? "only buffers[0] may be the BIN chunk" : "the file has no BIN chunk");
    *bytes = g->chunk_bytes;
    return number == 0 ? g->chunk : NULL;
}

static void read_buffer(Gltf* g, const cJSON* json, u32 number, GltfBuffer* buffer) {
    gltf_need(g, json, "byteLength", JSON_NUMBER);
    const u64    length = gltf_uint(g, json, "byteLength", 0, 1, GLTF_NO_LIMIT);
    const bool   has_uri = json_tree_get(json, "uri") != NULL;
    const cJSON* uri = gltf_member(g, json, "uri", JSON_STRING);
    u64          bytes = 0;
    const u8*    data = NULL;
    if (length == 0) return;
    if (!has_uri)
        data = read_chunk(g, json, number, &bytes);
    else if (uri && gltf_is_data_uri(uri->valuestring))
        data = read_data_uri(g, uri, &bytes);
    else if (uri)
        data = gltf_read_file(g, uri, &bytes);
    if (!data) return;
    if (bytes < length)
        gltf_error(g, E0405, json_tree_get(json, "byteLength"),
                   "is %llu, but the data has only %llu bytes", (unsigned long long)length,
                   (unsigned long long)bytes);
    else
        *buffer = (GltfBuffer){data, length};
}

static void read_view(Gltf* g, const cJSON* json, GltfView* view) {
    *view = (GltfView){.json = json, .vertices_of = NONE};
    gltf_need(g, json, "buffer", JSON_NUMBER);
    gltf_need(g, json, "byteLength", JSON_NUMBER);
    const u32 buffer = gltf_index(g, json, "buffer", &g->buffer_list);
    const u32 target = (u32)gltf_uint(g, json, "target", 0, 34962, 34963);
    view->offset = gltf_uint(g, json, "byteOffset", 0, 0, GLTF_NO_LIMIT);
    view->bytes = gltf_uint(g, json, "byteLength", 0, 1, GLTF_NO_LIMIT);
    view->stride = (u32)gltf_uint(g, json, "byteStride", 0, 4, 252);
    if (view->stride % 4)
        gltf_error(g, E0403, json_tree_get(json, "byteStride"),
                   "is %u, but must be a multiple of 4", view->stride);
    if (view->stride > view->bytes)
        gltf_error(g, E0403, json_tree_get(json, "byteStride"),
                   "is %u, which is greater than the byteLength", view->stride);
    if (view->stride && target == 34963)
        gltf_error(g, E0403, json_tree_get(json, "byteStride"),
                   "is not allowed for a view of indices");
    view->use = target == 34962 ? USE_VERTICES : target == 34963 ? USE_INDICES : USE_NOTHING;
    if (buffer == NONE || view->bytes == 0 || !g->buffers[buffer].at) return;

    const u64 room = g->buffers[buffer].bytes;
    if (view->offset > room || view->bytes > room - view->offset)
        gltf_error(g, E0404, json, "ends at byte %llu, but buffers[%u] has %llu bytes",
                   (unsigned long long)(view->offset + view->bytes), buffer,
                   (unsigned long long)room);
    else
        view->at = g->buffers[buffer].at + view->offset;
}

void gltf_read_buffers(Gltf* g) {
    g->buffers = ARENA_NEW(g->arena, GltfBuffer, g->buffer_list.count);
    for (u32 i = 0; i < g->buffer_list.count; i++)
        read_buffer(g, g->buffer_list.at[i], i, &g->buffers[i]);
    g->views = ARENA_NEW(g->arena, GltfView, g->view_list.count);
    for (u32 i = 0; i < g->view_list.count; i++) read_view(g, g->view_list.at[i], &g->views[i]);
}

bool gltf_claim_view(Gltf* g, const cJSON* at, u32 index, GltfUse use) {
    static const char* const names[] = {
        "nothing", "vertices", "indices", "inverse bind matrices", "an image", "other data",
    };
    GltfView* view = &g->views[index];
    if (view->use != USE_NOTHING && view->use != use) {
        gltf_error(g, E0403, at, "is %u, which uses %s of bufferViews[%u], a view for %s",
                   (u32)at->valuedouble, names[use], index, names[view->use]);
        return false;
    }
    if (use != USE_VERTICES && view->stride)
        gltf_error(
            g, E0403, at,
            "is %u, but bufferViews[%u] has a \"byteStride\", which is allowed only for vertices",
            (u32)at->valuedouble, index);
    view->use = use;
    return true;
}
