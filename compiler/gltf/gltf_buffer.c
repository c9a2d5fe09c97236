/* gltf_buffer.c - the buffers of a glTF file: the BIN chunk, data URIs, other files. */
#include "diag_codes.h"
#include "gltf_internal.h"
#include "relative.h"

/* The type may be omitted. */
static bool type_fits(Text type) {
    static const char* const types[] = {"application/octet-stream", "application/gltf-buffer"};
    bool                     fits = type.bytes == 0;
    for (u32 i = 0; i < COUNT_OF(types); i++) fits |= gltf_same_letters(type, types[i]);
    return fits;
}

static const u8* read_data_uri(Gltf* g, const JsonToken* uri, u64* bytes) {
    GltfDataUri data;
    if (!gltf_data_uri(g, uri, &data)) return NULL;
    if (!type_fits(data.type))
        gltf_remark(g, REMARK_DATA_URIS, "types", uri,
                    "has data of type \"%.*s\", but the type of a buffer must be "
                    "\"application/octet-stream\"",
                    (int)MIN_OF(data.type.bytes, 64u), data.type.at);
    *bytes = data.bytes;
    if (!data.is_base64) return (const u8*)data.at;
    const u8* decoded = gltf_base64(g, data.at, data.bytes, bytes);
    if (!decoded) gltf_error(g, E0405, uri, "contains data that is not valid base64");
    return decoded;
}

const u8* gltf_read_file(Gltf* g, const JsonToken* uri, u64* bytes) {
    const char* name =
        uri_has_scheme(gltf_text(g, uri)) ? NULL : uri_decode(g->arena, gltf_text(g, uri));
    const char* reason = "the file cannot be read";
    DiagCode    code = E0405;
    size_t      size = 0;
    if (!name || !*name) {
        gltf_error(g, E0405, uri, "is \"%.128s\", but must be a path relative to this file",
                   gltf_text(g, uri));
        return NULL;
    }
    const u8* data = g->files->read(g->files->user, name, &size, &reason, &code);
    if (!data) gltf_error(g, code, uri, "is \"%.128s\": %s", name, reason);
    *bytes = size;
    return data;
}

static const u8* read_chunk(Gltf* g, const JsonToken* json, u32 number, u64* bytes) {
    if (!g->chunk || number != 0)
        gltf_error(g, E0405, json, "has no \"uri\", and %s",
                   g->chunk ? "only buffers[0] may be the BIN chunk" : "the file has no BIN chunk");
    *bytes = g->chunk_bytes;
    return number == 0 ? g->chunk : NULL;
}

static void read_buffer(Gltf* g, const JsonToken* json, u32 number, GltfBuffer* buffer) {
    gltf_need(g, json, "byteLength", JSON_NUMBER);
    const u64        length = gltf_uint(g, json, "byteLength", 0, 1, GLTF_NO_LIMIT);
    const bool       has_uri = json_get(json, "uri") != NULL;
    const JsonToken* uri = gltf_member(g, json, "uri", JSON_STRING);
    u64              bytes = 0;
    const u8*        data = NULL;
    if (length == 0) return;
    if (!has_uri)
        data = read_chunk(g, json, number, &bytes);
    else if (uri && gltf_is_data_uri(uri))
        data = read_data_uri(g, uri, &bytes);
    else if (uri)
        data = gltf_read_file(g, uri, &bytes);
    if (!data) return;
    if (bytes < length)
        gltf_remark(g, REMARK_CONTAINER, "short buffers", json_get(json, "byteLength"),
                    "is %llu, but the data has only %llu bytes", (unsigned long long)length,
                    (unsigned long long)bytes);
    *buffer = (GltfBuffer){data, MIN_OF(length, bytes)};
}

/* Accessors are read with any stride; this says which ones glTF does not allow. */
static void stride_check(Gltf* g, const JsonToken* json, const GltfView* view, bool of_indices) {
    const JsonToken* at = json_get(json, "byteStride");
    if (view->stride == 0) return;
    if (view->stride < 4 || view->stride > 252 || view->stride % 4)
        gltf_remark(g, REMARK_LAYOUT, "strides", at,
                    "is %u, but must be a multiple of 4 from 4 to 252", view->stride);
    else if (view->stride > view->bytes)
        gltf_remark(g, REMARK_LAYOUT, "strides", at, "is %u, which is greater than the byteLength",
                    view->stride);
    else if (of_indices)
        gltf_remark(g, REMARK_LAYOUT, "strides", at, "is not allowed for a view of indices");
}

static GltfUse read_target(Gltf* g, const JsonToken* json) {
    const JsonToken* target = json_get(json, "target");
    const f64        number = json_token_is(target, JSON_NUMBER) ? json_token_number(target) : 0;
    if (number == 34962) return USE_VERTICES;
    if (number == 34963) return USE_INDICES;
    if (target)
        gltf_remark(g, REMARK_UNKNOWN, "target", target,
                    "must be 34962 (vertices) or 34963 (indices); it is ignored");
    return USE_NOTHING;
}

/* May be called again, in order to report what was read quietly. */
static void read_view(Gltf* g, const JsonToken* json, GltfView* view) {
    gltf_need(g, json, "buffer", JSON_NUMBER);
    gltf_need(g, json, "byteLength", JSON_NUMBER);
    const u32 buffer = gltf_index(g, json, "buffer", &g->lists.buffers);
    view->offset = gltf_uint(g, json, "byteOffset", 0, 0, GLTF_NO_LIMIT);
    view->bytes = gltf_uint(g, json, "byteLength", 0, 1, GLTF_NO_LIMIT);
    view->stride = (u32)gltf_uint(g, json, "byteStride", 0, 0, 65535);
    if (buffer == NONE || view->bytes == 0 || !g->buffers[buffer].at) return;

    const u64 room = g->buffers[buffer].bytes;
    if (view->offset > room || view->bytes > room - view->offset)
        gltf_error(g, E0404, json, "ends at byte %llu, but buffers[%u] has %llu bytes",
                   (unsigned long long)(view->offset + view->bytes), buffer,
                   (unsigned long long)room);
    else
        view->at = g->buffers[buffer].at + view->offset;
}

const GltfView* gltf_view(Gltf* g, u32 index) {
    GltfView* view = &g->views[index];
    bool*     is_known = g->mode == GLTF_LOUD ? &view->reported : &view->remarked;
    if (!view->at && !view->reported && !*is_known && g->mode != GLTF_QUIET) {
        *is_known = true;
        read_view(g, view->json, view);
    }
    return view->at ? view : NULL;
}

void gltf_read_buffers(Gltf* g) {
    g->buffers = ARENA_NEW(g->arena, GltfBuffer, g->lists.buffers.count);
    for (u32 i = 0; i < g->lists.buffers.count; i++)
        read_buffer(g, g->lists.buffers.at[i], i, &g->buffers[i]);
    g->views = ARENA_NEW(g->arena, GltfView, g->lists.views.count);
    for (u32 i = 0; i < g->lists.views.count; i++) {
        GltfView* view = &g->views[i];
        *view = (GltfView){.json = g->lists.views.at[i], .vertices_of = NONE};
        view->use = read_target(g, view->json);
        const GltfMode mode = gltf_mode(g, GLTF_QUIET); /* reported when it is used */
        read_view(g, view->json, view);
        gltf_mode(g, mode);
        stride_check(g, view->json, view, view->use == USE_INDICES);
    }
}

void gltf_claim_view(Gltf* g, const JsonToken* at, u32 index, GltfUse use) {
    static const char* const names[] = {
        "nothing", "vertices", "indices", "inverse bind matrices", "an image", "other data",
    };
    GltfView* view = &g->views[index];
    if (view->use != USE_NOTHING && view->use != use)
        gltf_remark(g, REMARK_LAYOUT, "uses", at,
                    "is %u, which uses %s of bufferViews[%u], a view for %s",
                    (u32)json_token_number(at), names[use], index, names[view->use]);
    else if (use != USE_VERTICES && view->stride)
        gltf_remark(
            g, REMARK_LAYOUT, "strides", at,
            "is %u, but bufferViews[%u] has a \"byteStride\", which is allowed only for vertices",
            (u32)json_token_number(at), index);
    view->use = view->use == USE_NOTHING ? use : view->use;
}
