/* gltf_morph.c - the morph targets of meshes, their names and weights. gltf_link.c has validated
 * them. */
#include "gltf_internal.h"

/* Returns the displacements of one stream; NULL when the target has none. They are copied for each
 * mesh, so each use counts. */
static const Vec3* read_stream(Gltf* g, const JsonToken* target, const char* key,
                               const GltfPrimitive* out, const void* base) {
    const u32 vertices = out->vertex_count;
    if (!base) return NULL; /* what it displaces is missing: a remark of gltf_link.c */
    GltfAccessor* a = gltf_accessor(g, target, key, USE_VERTICES, ~0u, ~0u);
    if (!a || a->count != vertices) return NULL;
    if (!gltf_charge(g, target, (u64)vertices * sizeof(Vec3))) return NULL;
    return (const Vec3*)gltf_floats(g, a);
}

static bool is_compiled(const char* key) {
    return strcmp(key, "POSITION") == 0 || strcmp(key, "NORMAL") == 0 ||
           strcmp(key, "TANGENT") == 0;
}

static void read_targets(Gltf* g, const JsonToken* list, GltfPrimitive* out, u32 count) {
    u32 i = 0;
    out->targets = ARENA_NEW(g->arena, GltfTarget, count);
    for (const JsonToken* item = json_first(list); item && i < count; item = json_next(item), i++) {
        GltfTarget* target = &out->targets[i];
        target->positions = read_stream(g, item, "POSITION", out, out->positions);
        target->normals = read_stream(g, item, "NORMAL", out, out->normals);
        target->tangents = read_stream(g, item, "TANGENT", out, out->tangents);
        for (const JsonToken* stream = json_first(item); stream; stream = json_next(stream)) {
            if (is_compiled(gltf_key(g, stream))) continue;
            gltf_remark(g, REMARK_MORPHS, gltf_key(g, stream), stream,
                        "is not compiled: only displacements of positions, normals and tangents "
                        "are");
        }
    }
}

/* The names that exporters write: extras.targetNames. */
static void read_names(Gltf* g, const JsonToken* json, GltfMesh* out) {
    const JsonToken* names = json_get(json_get(json, "extras"), "targetNames");
    const JsonToken* name = json_token_is(names, JSON_ARRAY) ? json_first(names) : NULL;
    out->target_names = ARENA_NEW(g->arena, const char*, out->target_count);
    for (u32 i = 0; i < out->target_count; i++) {
        const bool has_text = json_token_is(name, JSON_STRING);
        char*      text = arena_text(g->arena, text_of(has_text ? gltf_text(g, name) : ""));
        for (char* at = text; *at; at++)
            if ((u8)*at < 0x20 || *at == 0x7f) *at = ' ';
        out->target_names[i] = text;
        name = name ? json_next(name) : NULL;
    }
}

/* Returns [count] numbers; NULL when there are none. */
static f32* read_weights(Gltf* g, const JsonToken* owner, u32 count) {
    const JsonToken* list = json_get(owner, "weights");
    u32              i = 0;
    if (!list || count == 0) return NULL;
    f32* weights = ARENA_NEW(g->arena, f32, count);
    for (const JsonToken* item = json_first(list); item && i < count; item = json_next(item), i++)
        weights[i] = (f32)gltf_limited(g, item, LOW, HIGH);
    return weights;
}

static void read_mesh(Gltf* g, const JsonToken* json, GltfMesh* out) {
    const GltfList primitives = gltf_list(g, json, "primitives");
    for (u32 i = 0; i < out->primitive_count;
         i++) { /* a primitive with fewer is not displaced by the others */
        const u32 source = out->primitives[i].source;
        out->target_count =
            MAX_OF(out->target_count, json_token_count(json_get(primitives.at[source], "targets")));
    }
    if (out->target_count == 0) return;
    for (u32 i = 0; i < out->primitive_count; i++) {
        GltfPrimitive*   p = &out->primitives[i];
        const JsonToken* targets = json_get(primitives.at[p->source], "targets");
        read_targets(g, targets, p, out->target_count);
    }
    read_names(g, json, out);
    out->target_weights = read_weights(g, json, out->target_count);
}

void gltf_read_morphs(Gltf* g) {
    if (g->error_count) return; /* the following needs a valid file */
    for (u32 i = 0; i < g->lists.meshes.count; i++)
        read_mesh(g, g->lists.meshes.at[i], &g->out->meshes[i]);
    for (u32 i = 0; i < g->out->node_count; i++) {
        GltfNode* node = &g->out->nodes[i];
        if (node->mesh == NONE) continue;
        node->weights = read_weights(g, g->lists.nodes.at[node->source],
                                     g->out->meshes[node->mesh].target_count);
    }
}
