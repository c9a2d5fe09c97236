/* gltf_apply.c - what nodes become because of their names: gltf_roles.c. */
#include <stdio.h>
#include <stdlib.h>

#include "collider.h"
#include "diag_codes.h"
#include "gltf_internal.h"
#include "transform.h"
#include "vec.h"

static void mesh_remove(GltfNode* node) {
    node->mesh = node->skin = NONE;
    node->weights = NULL;
    node->has_lost_mesh = true;
}

/* --- levels of detail --- */

/* A level that is added to the mesh of another node of the file. */
typedef struct Added {
    u32 mesh, base, level, node; /* `base` has the mesh */
} Added;

static int added_order(const void* x, const void* y) {
    const Added *a = x, *b = y;
    if (a->mesh != b->mesh) return a->mesh < b->mesh ? -1 : 1;
    if (a->base != b->base) return a->base < b->base ? -1 : 1;
    if (a->level != b->level) return a->level < b->level ? -1 : 1;
    return a->node < b->node ? -1 : a->node > b->node;
}

static u32 mesh_of(Gltf* g, u32 node) {
    const GltfMode mode = gltf_mode(g, GLTF_QUIET);
    const u32      mesh = gltf_index(g, g->lists.nodes.at[node], "mesh", &g->lists.meshes);
    gltf_mode(g, mode);
    return mesh;
}

static Mat34 matrix_of(const TransformRecord* pose) {
    return mat34_of_pose(&pose->position, &pose->rotation, &pose->scale);
}

/* In the space of the parent; a matrix with shear is that of a frame and what is in it. */
static Mat34 local_of(Gltf* g, u32 node) {
    const JsonToken* json = g->lists.nodes.at[node];
    TransformRecord  local = {.rotation = {0, 0, 0, 1}, .scale = {1, 1, 1}}, frame;
    const GltfMode   mode = gltf_mode(g, GLTF_QUIET);
    gltf_read_transform(g, json, &local);
    const bool has_frame = gltf_read_frame(g, json, &frame);
    gltf_mode(g, mode);
    const Mat34 inner = matrix_of(&local), outer = has_frame ? matrix_of(&frame) : mat34_identity;
    return mat34_product(&outer, &inner);
}

/* The skin of the node that has the full mesh, as it is drawn: an index of the model, or NONE. */
static u32 skin_of(const Gltf* g, u32 base) {
    const u32 node = g->nodes.of_scene[base];
    return node == NONE ? NONE : g->out->nodes[node].skin;
}

/* The place of a level in the space of the full mesh; skins place what they deform. */
static void level_place(Gltf* g, const Added* added, GltfMeshLevel* out) {
    const Mat34 base = local_of(g, added->base), level = local_of(g, added->node);
    Mat34       inverse;
    out->place = mat34_identity;
    if (skin_of(g, added->base) != NONE || memcmp(&base, &level, sizeof base) == 0) return;
    if (!mat34_invert(&inverse, &base)) {
        gltf_remark(g, REMARK_LIMITS, "scales", g->lists.nodes.at[added->base],
                    "has a scale of 0, so that its levels of detail have no other place than it");
        return;
    }
    out->place = mat34_product(&inverse, &level);
    out->is_moved = true;
}

/* Memory for a level: it may be that of many meshes. */
static u64 bytes_of(const GltfMesh* mesh) {
    const u64 stream_bytes = 96, target_bytes = 40;
    u64       bytes = 0;
    for (u32 i = 0; i < mesh->primitive_count; i++) {
        const GltfPrimitive* p = &mesh->primitives[i];
        bytes += p->index_count * 4ull +
                 p->vertex_count * (stream_bytes + target_bytes * mesh->target_count);
    }
    return bytes;
}

/* Does the mesh of a level fit the skin of the full one? Reports when not. */
static bool skin_fits(Gltf* g, const Added* added, u32 mesh) {
    const u32          skin = skin_of(g, added->base);
    const GltfMeshUse* use = &g->mesh_use[mesh];
    const u32          joints = skin == NONE ? 0 : g->out->skins[skin].joint_count;
    if (skin == NONE || (use->skinned && use->joint_max < joints)) return true;
    gltf_remark(g, REMARK_SKINS, "levels of detail", g->lists.nodes.at[added->node],
                "is not compiled: it is a level of detail of %s, but its mesh %s",
                GLTF_OBJECT(g, &g->lists.nodes, added->base),
                use->skinned ? "refers to a joint that the skin of that does not have"
                             : "has no JOINTS_0, which the skin of that needs");
    return false;
}

/* Joints that no skin uses are not compiled. */
static void joints_drop(Gltf* g, GltfMesh* mesh) {
    GltfPrimitive* at = ARENA_NEW(g->arena, GltfPrimitive, mesh->primitive_count);
    memcpy(at, mesh->primitives, mesh->primitive_count * sizeof *at);
    for (u32 i = 0; i < mesh->primitive_count; i++) {
        at[i].influences = 0;
        at[i].joints = NULL;
        at[i].weights = NULL;
    }
    mesh->primitives = at;
}

static void level_add(Gltf* g, const Added* added) {
    const JsonToken* json = g->lists.nodes.at[added->node];
    GltfMesh* const  mesh = &g->out->meshes[added->mesh];
    const u32        source = mesh_of(g, added->node);
    const GltfMesh*  from = &g->out->meshes[source];
    if (mesh->level_count == MODEL_LODS_MAX) {
        gltf_remark(g, REMARK_LIMITS, "levels of detail", json,
                    "is not compiled: a mesh has at most %u levels of detail besides the full one",
                    MODEL_LODS_MAX);
        return;
    }
    if (!skin_fits(g, added, source) || !gltf_charge(g, json, bytes_of(from))) return;
    if (!mesh->levels) mesh->levels = ARENA_NEW(g->arena, GltfMeshLevel, MODEL_LODS_MAX);
    GltfMeshLevel* level = &mesh->levels[mesh->level_count++];
    *level = (GltfMeshLevel){.mesh = *from, .source = source};
    level->mesh.levels = NULL;
    level->mesh.level_count = 0;
    if (!g->mesh_use[added->mesh].skinned) joints_drop(g, &level->mesh);
    level_place(g, added, level);
}

/* Copies of an object have its mesh, and so its levels: those of the first one. */
static void copy_check(Gltf* g, const Added* copy, u32 first) {
    const GltfMesh* mesh = &g->out->meshes[copy->mesh];
    const u32       source = mesh_of(g, copy->node);
    bool            is_known = g->out->meshes[source].primitive_count == 0;
    for (u32 i = 0; i < mesh->level_count; i++) is_known |= mesh->levels[i].source == source;
    if (is_known) return;
    gltf_remark(g, REMARK_LIMITS, "copies", g->lists.nodes.at[copy->node],
                "is not compiled: its object has the same mesh as %s, and so the same levels of "
                "detail",
                GLTF_OBJECT(g, &g->lists.nodes, first));
}

static void levels_add(Gltf* g) {
    Added* at = ARENA_NEW(g->arena, Added, g->lists.nodes.count);
    u32    count = 0;
    for (u32 i = 0; i < g->lists.nodes.count; i++) {
        if (gltf_role(g, i) != ROLE_LEVEL) continue;
        const GltfNaming* naming = &g->nodes.naming[i];
        const u32         mesh = mesh_of(g, naming->base);
        if (mesh == NONE || mesh_of(g, i) == NONE || g->out->meshes[mesh].primitive_count == 0)
            continue;
        at[count++] = (Added){mesh, naming->base, naming->level, i};
    }
    if (count) qsort(at, count, sizeof *at, added_order);
    for (u32 i = 0, first = 0; i < count; i++) {
        if (at[i].mesh != at[first].mesh) first = i;
        if (at[i].base == at[first].base)
            level_add(g, &at[i]);
        else
            copy_check(g, &at[i], at[first].base);
    }
}

/* --- colliders --- */

#define SIZE_MIN_M 0.0001 /* as in the field table of colliders */
#define SIZE_MAX_M 1e4

/* Of the vertices that elements have: others may share the array. */
static Bounds positions_bounds(const GltfMesh* mesh) {
    Bounds out = bounds_empty();
    for (u32 i = 0; i < mesh->primitive_count; i++)
        for (u32 k = 0; k < mesh->primitives[i].index_count; k++)
            bounds_add(&out, mesh->primitives[i].positions[mesh->primitives[i].indices[k]]);
    return out;
}

/* The largest distance of a position from a point, or from the vertical line through it. */
static f64 reach_of(const GltfMesh* mesh, const f64 center[3], bool of_line) {
    f64 max = 0;
    for (u32 i = 0; i < mesh->primitive_count; i++)
        for (u32 k = 0; k < mesh->primitives[i].index_count; k++) {
            const Vec3 at = mesh->primitives[i].positions[mesh->primitives[i].indices[k]];
            const f64  x = (f64)at.x - center[0], z = (f64)at.z - center[2];
            const f64  y = of_line ? 0 : (f64)at.y - center[1];
            max = MAX_OF(max, x * x + y * y + z * z);
        }
    return sqrt(max);
}

/* A mesh of which a shape is made. */
typedef struct Shape {
    const GltfMesh* mesh;
    f64             center[3], half[3];
    bool            is_limited; /* a size or a place is out of bounds */
} Shape;

static Shape shape_measure(const GltfMesh* mesh) {
    const Bounds b = positions_bounds(mesh);
    const f64    low[3] = {(f64)b.low.x, (f64)b.low.y, (f64)b.low.z};
    const f64    high[3] = {(f64)b.high.x, (f64)b.high.y, (f64)b.high.z};
    Shape        out = {.mesh = mesh};
    for (u32 k = 0; k < 3; k++) {
        out.center[k] = (low[k] + high[k]) / 2;
        out.half[k] = (high[k] - low[k]) / 2;
    }
    return out;
}

static f32 limited(Shape* s, f64 value, f64 low, f64 high) {
    const f64 inside = MIN_OF(MAX_OF(value, low), high);
    s->is_limited |= value > high || (value < low && low < 0);
    return (f32)inside;
}

/* What flat meshes have no size in is thin. */
static f32 size_of(Shape* s, f64 size_m) { return limited(s, size_m, SIZE_MIN_M, SIZE_MAX_M); }

static f32 place_of(Shape* s, f64 place_m) { return limited(s, place_m, -SIZE_MAX_M, SIZE_MAX_M); }

/* The shape around a mesh. A capsule is as long as it is high; one that is wider than high is a hull. */
static Enum32 shape_set(Shape* s, GltfRole role, ColliderRecord* out) {
    const bool is_high = s->half[1] >= MAX_OF(s->half[0], s->half[2]) * 0.999;
    if (role == ROLE_TRIANGLES) return COLLIDER_TRIANGLES;
    if (role == ROLE_HULL || (role == ROLE_CAPSULE && !is_high)) return COLLIDER_HULL;
    out->center_m =
        (Vec3){place_of(s, s->center[0]), place_of(s, s->center[1]), place_of(s, s->center[2])};
    if (role == ROLE_BOX) {
        out->half_extent_m =
            (Vec3){size_of(s, s->half[0]), size_of(s, s->half[1]), size_of(s, s->half[2])};
        return COLLIDER_BOX;
    }
    out->radius_m = size_of(s, reach_of(s->mesh, s->center, role == ROLE_CAPSULE));
    if (role == ROLE_SPHERE) return COLLIDER_SPHERE;
    out->length_m = limited(s, MAX_OF(2 * (s->half[1] - (f64)out->radius_m), 0), 0, SIZE_MAX_M);
    return COLLIDER_CAPSULE;
}

/* Meshes that are colliders in some form. */
typedef struct Forms {
    u32 *hull, *triangles; /* [meshes of the file] the mesh that is this form of each, or NONE */
} Forms;

/* The mesh of which only a form is compiled: a copy behind those of the file. */
static u32 form_of(Gltf* g, const Forms* forms, u32 mesh, GltfMeshForm form) {
    u32* const known = form == GLTF_HULL ? &forms->hull[mesh] : &forms->triangles[mesh];
    if (*known != NONE) return *known;
    *known = g->out->mesh_count++;
    GltfMesh* out = &g->out->meshes[*known];
    *out = g->out->meshes[mesh];
    out->form = form;
    out->extras = (GltfExtras){0};
    out->levels = NULL;
    out->level_count = 0;
    return *known;
}

static void collider_add(Gltf* g, const Forms* forms, GltfNode* node, GltfRole role) {
    ColliderRecord* out = &g->out->colliders[g->out->collider_count];
    u32* const      shape = &g->out->collider_meshes[g->out->collider_count];
    Shape           measured = shape_measure(&g->out->meshes[node->mesh]);
    record_defaults(&ent_component_types()[COMPONENT_COLLIDER].record, out);
    out->kind = shape_set(&measured, role, out);
    if (measured.is_limited)
        gltf_remark(g, REMARK_LIMITS, "colliders", g->lists.nodes.at[node->source],
                    "is a collider larger or farther from its origin than %g m; it is limited to "
                    "that",
                    SIZE_MAX_M);
    *shape = out->kind == COLLIDER_HULL        ? form_of(g, forms, node->mesh, GLTF_HULL)
             : out->kind == COLLIDER_TRIANGLES ? form_of(g, forms, node->mesh, GLTF_TRIANGLES)
                                               : NONE;
    node->collider = g->out->collider_count++;
    if (node->skin != NONE)
        gltf_remark(g, REMARK_SKINS, "colliders", g->lists.nodes.at[node->source],
                    "is a collider because of its name, which no skin deforms: its mesh is that "
                    "of the bind pose");
    mesh_remove(node);
}

/* Room for a hull and for the triangles of each mesh. */
static Forms forms_make(Gltf* g) {
    const u32 count = g->out->mesh_count;
    GltfMesh* meshes = ARENA_NEW(g->arena, GltfMesh, count * 3ull);
    Forms     out = {ARENA_NEW(g->arena, u32, count), ARENA_NEW(g->arena, u32, count)};
    if (count) memcpy(meshes, g->out->meshes, count * sizeof *meshes);
    for (u32 i = 0; i < count; i++) out.hull[i] = out.triangles[i] = NONE;
    g->out->meshes = meshes;
    return out;
}

static void colliders_add(Gltf* g) {
    u32 count = 0;
    for (u32 i = 0; i < g->out->node_count; i++)
        count += gltf_role(g, g->out->nodes[i].source) >= ROLE_BOX;
    if (count == 0) return;
    const Forms forms = forms_make(g);
    g->out->colliders = ARENA_NEW(g->arena, ColliderRecord, count);
    g->out->collider_meshes = ARENA_NEW(g->arena, u32, count);
    for (u32 i = 0; i < g->out->node_count; i++) {
        GltfNode*      node = &g->out->nodes[i];
        const GltfRole role = gltf_role(g, node->source);
        if (role >= ROLE_BOX && !node->is_frame && node->mesh != NONE)
            collider_add(g, &forms, node, role);
    }
}

/* --- meshes that nothing draws --- */

/* Of nodes that are left out or have become something else. */
static void meshes_drop(Gltf* g) {
    bool* is_drawn = ARENA_NEW(g->arena, bool, g->out->mesh_count);
    for (u32 i = 0; i < g->out->node_count; i++)
        if (g->out->nodes[i].mesh != NONE) is_drawn[g->out->nodes[i].mesh] = true;
    for (u32 i = 0; i < g->lists.nodes.count; i++) {
        const bool has_changed = gltf_role(g, i) != ROLE_NONE || g->nodes.is_left_out[i];
        const u32  mesh = has_changed ? mesh_of(g, i) : NONE;
        if (mesh != NONE && !is_drawn[mesh]) g->out->meshes[mesh].primitive_count = 0;
    }
}

/* --- remarks --- */

/* `rule`: of the settings, which may state it. */
static void role_remark(Gltf* g, u32 node, const char* rule, bool is_stated, const char* text) {
    if (is_stated) return;
    gltf_remark(
        g, REMARK_ROLES, rule, g->lists.nodes.at[node],
        "is %s because of its name; \"names\": { \"%s\": true } in NAME.model.json beside the "
        "model confirms this rule, and false turns it off",
        text, rule);
}

static void level_remark(Gltf* g, u32 node, bool is_stated) {
    char text[GLTF_OBJECT_BYTES + 32];
    snprintf(text, sizeof text, "a level of detail of %s",
             GLTF_OBJECT(g, &g->lists.nodes, g->nodes.naming[node].base));
    role_remark(g, node, "lods", is_stated, text);
}

/* What the systems of the runtime do not meet is counted apart. */
static void collider_remark(Gltf* g, u32 source, bool is_stated) {
    const u32 node = g->nodes.of_scene[source];
    const u32 collider = node == NONE ? NONE : g->out->nodes[node].collider;
    if (collider == NONE || is_stated) return;
    if (g->out->collider_meshes[collider] == NONE)
        role_remark(g, source, "colliders", false, "a collider");
    else
        gltf_remark(g, REMARK_ROLES, "hulls", g->lists.nodes.at[source],
                    "is a collider because of its name, %s for the physics of the game: fluids, "
                    "particles and bodies of the runtime do not meet it; \"names\": { "
                    "\"colliders\": true } in NAME.model.json beside the model confirms this rule, "
                    "and false turns it off",
                    g->out->colliders[collider].kind == COLLIDER_HULL ? "a hull" : "triangles");
}

static const bool* joints_find(Gltf* g) {
    bool* out = ARENA_NEW(g->arena, bool, g->lists.nodes.count);
    for (u32 i = 0; i < g->out->skin_count; i++)
        for (u32 k = 0; k < g->out->skins[i].joint_count; k++)
            out[g->out->nodes[g->out->skins[i].joints[k]].source] = true;
    return out;
}

static void roles_remark(Gltf* g) {
    const bool*       is_joint = joints_find(g);
    const ModelNames* stated = &g->naming->stated;
    for (u32 i = 0; i < g->lists.nodes.count; i++) {
        const GltfRole role = gltf_role(g, i);
        if (role == ROLE_LEVEL) level_remark(g, i, stated->lods);
        if (role == ROLE_LEFT_OUT && g->nodes.is_left_out[i])
            role_remark(g, i, "left_out", stated->left_out, "left out");
        if (role == ROLE_LEFT_OUT && !g->nodes.is_left_out[i])
            gltf_remark(g, REMARK_ROLES, "joints", g->lists.nodes.at[i],
                        "is not left out in spite of its name: it is a part of the skeleton of a "
                        "skin, or above one");
        if (role == ROLE_SOCKET && is_joint[i])
            role_remark(g, i, "sockets", stated->sockets, "a socket");
        if (role == ROLE_LEVEL_ALONE)
            gltf_remark(g, REMARK_ROLES, "alone", g->lists.nodes.at[i],
                        "has the name of a level of detail, but there is no object of a lower "
                        "level with this name, under the same parent and with the same skin, that "
                        "has none of this level yet: it is always drawn");
        if (role == ROLE_LEVEL_EMPTY)
            gltf_remark(g, REMARK_ROLES, "empty", g->lists.nodes.at[i],
                        "has the name of a level of detail, but no mesh: what is below it is "
                        "always drawn; give the name to the objects that have the meshes");
        if (role >= ROLE_BOX) collider_remark(g, i, stated->colliders);
    }
}

static void node_apply(Gltf* g, u32 source, GltfNode* node) {
    const GltfRole role = gltf_role(g, source);
    if (role == ROLE_SOCKET) node->is_socket = true;
    if (role == ROLE_LEVEL) mesh_remove(node);
}

void gltf_apply_roles(Gltf* g) {
    if (g->error_count || !g->nodes.naming) return;
    levels_add(g);
    for (u32 i = 0; i < g->out->node_count; i++)
        if (!g->out->nodes[i].is_frame) node_apply(g, g->out->nodes[i].source, &g->out->nodes[i]);
    colliders_add(g);
    meshes_drop(g);
    roles_remark(g);
}
