/* gltf_scene.c - nodes of the default scene in depth-first order, and their skins. */
#include <stdlib.h>

#include "diag_codes.h"
#include "gltf_internal.h"
#include "transform.h"

/* --- the tree --- */

static void read_children(Gltf* g, u32 node) {
    const JsonToken* json = g->lists.nodes.at[node];
    const JsonToken* children = gltf_member(g, json, "children", JSON_ARRAY);
    for (const JsonToken* item = json_first(children); item; item = json_next(item)) {
        const u32 child = gltf_index_of(g, item, &g->lists.nodes);
        if (child == NONE) continue;
        if (g->nodes.parent[child] == node)
            gltf_remark(g, REMARK_LISTS, "duplicates", item,
                        "is %u, which is a duplicate in this list", child);
        else if (g->nodes.parent[child] != NONE)
            gltf_error(g, E0403, item, "is %u, which is already a child of %s", child,
                       GLTF_OBJECT(g, &g->lists.nodes, g->nodes.parent[child]));
        else
            g->nodes.parent[child] = node;
    }
}

/* The node to which an item of a list refers; NONE when there is none, which is reported elsewhere. */
static u32 node_listed(const Gltf* g, const JsonToken* item) {
    const f64 number = json_token_is(item, JSON_NUMBER) ? json_token_number(item) : -1;
    return number >= 0 && number < g->lists.nodes.count && number == floor(number) ? (u32)number
                                                                                   : NONE;
}

/* Adds the nodes of a list that were not reached before to the stack. */
static void nodes_reach(Gltf* g, const JsonToken* list, u32* stack, u32* count) {
    for (const JsonToken* item = json_first(list); item; item = json_next(item)) {
        const u32 node = node_listed(g, item);
        if (node == NONE || g->nodes.is_reached[node]) continue;
        g->nodes.is_reached[node] = true;
        stack[(*count)++] = node;
    }
}

/* The nodes of the default scene, and then the others: what is wrong with these is a remark, and a node of the scene is
 * not taken by one outside of it. */
static void read_tree(Gltf* g) {
    const u32  nodes = g->lists.nodes.count;
    const bool all = !json_get(g->root, "scenes");
    u32*       stack = ARENA_NEW(g->arena, u32, nodes);
    u32        count = 0;
    g->nodes.parent = ARENA_NEW(g->arena, u32, nodes);
    g->nodes.is_reached = ARENA_NEW(g->arena, bool, nodes);
    for (u32 i = 0; i < nodes; i++) g->nodes.parent[i] = NONE;
    nodes_reach(g, g->nodes.roots, stack, &count);
    while (count)
        nodes_reach(g, json_get(g->lists.nodes.at[stack[--count]], "children"), stack, &count);
    for (u32 i = 0; i < nodes; i++) {
        g->nodes.is_reached[i] |= all;
        if (g->nodes.is_reached[i]) read_children(g, i);
    }
    const GltfMode mode = gltf_mode(g, GLTF_UNCOMPILED);
    for (u32 i = 0; i < nodes; i++)
        if (!g->nodes.is_reached[i]) read_children(g, i);
    gltf_mode(g, mode);
}

/* Every node has at most one parent, so following parents either ends or is cyclic. Cycles are opened. */
static void cycles_open(Gltf* g) {
    u32* parent = g->nodes.parent;
    u32* seen_by = ARENA_NEW(g->arena, u32, g->lists.nodes.count); /* 1 + the node at which a walk
                                                                    * began */
    for (u32 i = 0; i < g->lists.nodes.count; i++) {
        u32 at = i;
        while (at != NONE && !seen_by[at]) {
            seen_by[at] = i + 1;
            at = parent[at];
        }
        if (at == NONE || seen_by[at] != i + 1) continue;
        const GltfMode mode = gltf_mode(g, g->nodes.is_reached[at] ? g->mode : GLTF_UNCOMPILED);
        gltf_error(g, E0403, g->lists.nodes.at[at],
                   "is its own descendant: the node hierarchy is cyclic");
        gltf_mode(g, mode);
        parent[at] = NONE;
    }
}

/* The default scene's roots as an array, or NULL when all nodes without a parent are the roots. */
static const JsonToken* scene_roots(Gltf* g) {
    const GltfList   scenes = gltf_list(g, g->root, "scenes");
    const JsonToken* roots = NULL;
    u32              chosen = gltf_index(g, g->root, "scene", &scenes);
    if (chosen == NONE) chosen = 0;
    for (u32 i = 0; i < scenes.count; i++) {
        const GltfMode   mode = gltf_mode(g, i == chosen ? g->mode : GLTF_UNCOMPILED);
        const JsonToken* nodes = gltf_member(g, scenes.at[i], "nodes", JSON_ARRAY);
        if (i == chosen) roots = nodes;
        if (nodes) gltf_node_list(g, nodes, false);
        gltf_mode(g, mode);
    }
    return roots;
}

/* Depth first; the stack contains the nodes that have not been visited, the next one on top. */
typedef struct Visit {
    u32*  stack;  /* [lists.nodes.count] */
    bool* pushed; /* [lists.nodes.count] each node is pushed once */
    u32   count;
} Visit;

/* Puts the last child deepest. `parent`: the node whose children they are; NONE: they are roots. */
static void push_reversed(const Gltf* g, Visit* visit, const JsonToken* array, u32 parent) {
    const u32 first = visit->count;
    for (const JsonToken* item = json_first(array); item; item = json_next(item)) {
        const u32 node = node_listed(g, item);
        if (node == NONE || visit->pushed[node] || g->nodes.is_left_out[node]) continue;
        if (parent != NONE && g->nodes.parent[node] != parent) continue;
        visit->pushed[node] = true;
        visit->stack[visit->count++] = node;
    }
    for (u32 low = first, high = visit->count; low + 1 < high; low++) {
        const u32 swap = visit->stack[low];
        visit->stack[low] = visit->stack[--high];
        visit->stack[high] = swap;
    }
}

/* A child of a node that the scene contains stays a child, as viewers show it. */
static void push_roots(Gltf* g, Visit* visit, const JsonToken* roots) {
    u32 kept = 0;
    push_reversed(g, visit, roots, NONE);
    for (u32 i = 0; i < visit->count; i++) {
        const u32  node = visit->stack[i], parent = g->nodes.parent[node];
        const bool stays = parent != NONE && g->nodes.is_reached[parent];
        if (!stays) visit->stack[kept++] = node;
        if (stays) visit->pushed[node] = false; /* it is pushed with its parent */
    }
    visit->count = kept;
    for (const JsonToken* item = json_first(roots); item; item = json_next(item)) {
        const u32 node = (u32)json_token_number(item), parent = g->nodes.parent[node];
        if (parent == NONE) continue;
        gltf_remark(g, REMARK_ROOTS, "", item, "is %u, a child of %s, but must be a root%s", node,
                    GLTF_OBJECT(g, &g->lists.nodes, parent),
                    g->nodes.is_reached[parent] ? "; it stays a child"
                                                : "; it is compiled as a root");
    }
}

/* The node above one with a sheared matrix: both together have that matrix. */
static u32 place_frame(Gltf* g, u32 source, u32 parent, const TransformRecord* local) {
    const JsonToken* json = g->lists.nodes.at[source];
    g->out->locals[g->out->node_count] = *local;
    g->out->nodes[g->out->node_count] =
        (GltfNode){.name = gltf_name(g, json),
                   .parent = parent,
                   .source = source,
                   .mesh = NONE,
                   .skin = NONE,
                   .camera = NONE,
                   .light = NONE,
                   .collider = NONE,
                   .offset = gltf_offset(g, json_get(json, "matrix")),
                   .is_frame = true};
    return g->out->node_count++;
}

/* Assigns indices in the model to the nodes on the stack and those below. */
static void place_nodes(Gltf* g, Visit* visit) {
    while (visit->count) {
        const u32       source = visit->stack[--visit->count], parent = g->nodes.parent[source];
        u32             above = parent == NONE ? NONE : g->nodes.of_scene[parent];
        TransformRecord frame;
        if (gltf_read_frame(g, g->lists.nodes.at[source], &frame))
            above = place_frame(g, source, above, &frame);
        GltfNode* node = &g->out->nodes[g->out->node_count];
        g->nodes.of_scene[source] = g->out->node_count++;
        *node = (GltfNode){.source = source, .parent = above, .collider = NONE};
        push_reversed(g, visit, json_get(g->lists.nodes.at[source], "children"), source);
    }
}

/* Joints outside of the scene of a skin that a node of the scene has: the trees that contain them are added, without what
 * is visible in them. */
static void add_joints(Gltf* g, Visit* visit) {
    const u32 drawn = g->out->node_count;
    for (u32 i = 0; i < drawn; i++) {
        const JsonToken* json = g->lists.nodes.at[g->out->nodes[i].source];
        const u32        skin = gltf_index(g, json, "skin", &g->lists.skins);
        const JsonToken* joints = skin == NONE ? NULL : json_get(g->lists.skins.at[skin], "joints");
        if (skin == NONE || g->nodes.skin_placed[skin] || !json_get(json, "mesh")) continue;
        g->nodes.skin_placed[skin] = true;
        for (const JsonToken* item = json_first(joints); item; item = json_next(item)) {
            const GltfMode mode = gltf_mode(g, GLTF_QUIET); /* reported with the skin */
            const u32      joint = gltf_index_of(g, item, &g->lists.nodes);
            gltf_mode(g, mode);
            if (joint == NONE || g->nodes.of_scene[joint] != NONE) continue;
            gltf_remark(g, REMARK_SKINS, "joints", item,
                        "is %u, a node that is not in the scene; it is compiled as part of the "
                        "skeleton",
                        joint);
            u32 top = joint;
            while (g->nodes.parent[top] != NONE) top = g->nodes.parent[top];
            visit->pushed[top] = true;
            visit->stack[visit->count++] = top;
            place_nodes(g, visit);
        }
    }
    g->nodes.drawn_count = drawn;
}

/* Assigns the indices in the model to the nodes of the scene. Needs a valid tree. */
static void order_nodes(Gltf* g, const JsonToken* roots) {
    const u32 count = g->lists.nodes.count;
    Visit     visit = {ARENA_NEW(g->arena, u32, count), ARENA_NEW(g->arena, bool, count), 0};
    u32 frames = 0; /* at most: whether a matrix has shear is found out when its node is placed */
    for (u32 i = 0; i < count; i++) frames += json_get(g->lists.nodes.at[i], "matrix") != NULL;
    g->out->nodes = ARENA_NEW(g->arena, GltfNode, count + frames);
    g->out->locals = ARENA_NEW(g->arena, TransformRecord, count + frames);
    if (roots) push_roots(g, &visit, roots);
    const bool all = !json_get(g->root, "scenes");
    for (u32 i = count; all && i-- > 0;) {
        if (g->nodes.parent[i] != NONE || g->nodes.is_left_out[i]) continue;
        visit.pushed[i] = true;
        visit.stack[visit.count++] = i;
    }
    place_nodes(g, &visit);
    add_joints(g, &visit);
}

/* --- nodes --- */

static void count_joints(Gltf* g) {
    g->nodes.joint_count = ARENA_NEW(g->arena, u32, g->lists.skins.count);
    for (u32 i = 0; i < g->lists.skins.count; i++) {
        const JsonToken* joints = json_get(g->lists.skins.at[i], "joints");
        for (const JsonToken* item = json_first(joints); item; item = json_next(item))
            g->nodes.joint_count[i]++;
    }
}

static void check_skin_use(Gltf* g, const JsonToken* json, GltfNode* node) {
    if (node->skin != NONE && node->mesh == NONE) {
        gltf_remark(g, REMARK_SKINS, "nodes", json, "has a \"skin\" but no \"mesh\"");
        node->skin = NONE;
    }
    if (node->skin == NONE) return;
    const GltfMeshUse* use = &g->mesh_use[node->mesh];
    const u32          count = g->nodes.joint_count[node->skin];
    if (!use->skinned) {
        gltf_remark(g, REMARK_SKINS, "meshes", json,
                    "has a \"skin\", but %s has no JOINTS_0; it is drawn without the skin",
                    GLTF_OBJECT(g, &g->lists.meshes, node->mesh));
        node->skin = NONE;
    } else if (use->joint_max >= count)
        gltf_error(g, E0403, json, "has %s with %u joints, but %s refers to joint %u",
                   GLTF_OBJECT(g, &g->lists.skins, node->skin), count,
                   GLTF_OBJECT(g, &g->lists.meshes, node->mesh), use->joint_max);
}

static void read_parts(Gltf* g, const JsonToken* json, const GltfList* meshes, GltfNode* node) {
    const JsonToken* light = gltf_extension(g, json, "KHR_lights_punctual");
    node->mesh = gltf_index(g, json, "mesh", meshes);
    node->skin = gltf_index(g, json, "skin", &g->lists.skins);
    node->camera = gltf_index(g, json, "camera", &g->lists.cameras);
    node->light = gltf_index(g, light, "light", &g->lists.lights);
    if (light && !json_get(light, "light"))
        gltf_error(g, E0403, light, "has no \"light\", which must be the index of a light");
    if (node->camera != NONE && !gltf_kind_is_known(g->lists.cameras.at[node->camera]))
        node->camera = NONE;
    if (node->light != NONE && !gltf_kind_is_known(g->lists.lights.at[node->light]))
        node->light = NONE;
    check_skin_use(g, json, node);
    if (node->mesh != NONE && g->out->meshes[node->mesh].primitive_count == 0)
        node->mesh = node->skin = NONE; /* nothing of it is compiled */
}

/* Reads a node; one outside of the scene is validated and then discarded: its faults are remarks. */
static void read_node(Gltf* g, u32 source, const GltfList* meshes) {
    GltfNode         unused;
    TransformRecord  unplaced;
    const JsonToken* json = g->lists.nodes.at[source];
    const u32        place = g->nodes.of_scene[source];
    GltfNode*        node = place == NONE ? &unused : &g->out->nodes[place];
    TransformRecord* local = place == NONE ? &unplaced : &g->out->locals[place];
    const bool       is_known = g->nodes.drawn_count > 0; /* which nodes are in the scene */
    const bool       is_drawn = !is_known || place < g->nodes.drawn_count;
    const GltfMode   mode = gltf_mode(g, is_known && place == NONE ? GLTF_UNCOMPILED : g->mode);
    node->name = gltf_name(g, json);
    node->offset = gltf_offset(g, json);
    *local = (TransformRecord){.rotation = {0, 0, 0, 1}, .scale = {1, 1, 1}};
    gltf_read_transform(g, json, local);
    gltf_mode(g, is_drawn ? g->mode : GLTF_UNCOMPILED);
    read_parts(g, json, meshes, node);
    if (!is_drawn) node->mesh = node->skin = node->camera = node->light = NONE;
    gltf_mode(g, mode);
}

/* --- skins --- */

static void read_binds(Gltf* g, const JsonToken* json, GltfSkin* out) {
    const JsonToken* at = json_get(json, "inverseBindMatrices");
    GltfAccessor*    a =
        gltf_accessor(g, json, "inverseBindMatrices", USE_BINDS, GLTF_TYPE_BIT(MAT4), FORMAT_FLOAT);
    const f32* all = a ? gltf_floats(g, a) : NULL;
    if (a && a->count < out->joint_count) {
        gltf_error(g, E0403, at, "has %u matrices, but there are %u joints", a->count,
                   out->joint_count);
        return;
    }
    out->inverse_binds = arena_alloc(g->arena, sizeof *out->inverse_binds * out->joint_count);
    for (u32 i = 0; i < out->joint_count; i++) {
        const f32* m = all ? all + (size_t)i * 16 : NULL;
        for (u32 row = 0; row < 3; row++)
            for (u32 c = 0; c < 4; c++)
                out->inverse_binds[i][row * 4 + c] = m ? m[c * 4 + row] : (f32)(row == c);
        if (!m || (m[3] == 0 && m[7] == 0 && m[11] == 0 && m[15] == 1)) continue;
        if (gltf_last_row_is_near((const f64[]){(f64)m[3], (f64)m[7], (f64)m[11], (f64)m[15]})) {
            gltf_remark(g, REMARK_SKINS, "matrices", at,
                        "contains a matrix with a last row other than 0 0 0 1, for joint %u; it is "
                        "0 0 0 1",
                        i);
            continue;
        }
        gltf_error(g, E0406, at,
                   "contains a matrix with a last row other than 0 0 0 1, for joint %u", i);
        return;
    }
}

/* Do all joints have one common root, and is `skeleton` an ancestor of all of them? */
static void check_common_root(Gltf* g, const JsonToken* json, const JsonToken* joints) {
    const u32 skeleton = gltf_index(g, json, "skeleton", &g->lists.nodes);
    u32       root = NONE;
    g->stamp++; /* visited nodes: each is visited once */
    for (const JsonToken* item = json_first(joints); item; item = json_next(item)) {
        u32 at = (u32)json_token_number(item), top = at;
        while (at != NONE && at != skeleton && gltf_stamp(g, at, 0))
            top = at, at = g->nodes.parent[at];
        if (at == NONE && skeleton != NONE)
            gltf_remark(g, REMARK_SKINS, "skeleton", json_get(json, "skeleton"),
                        "is %u, but joint %u is not a descendant of it", skeleton,
                        (u32)json_token_number(item));
        if (at != NONE) continue; /* reached a node of a previous walk, or the skeleton */
        if (root !=
            NONE) /* this walk met no node of the ones before, so that it ends at another root */
            gltf_remark(g, REMARK_SKINS, "roots", item,
                        "is %u, which has no common ancestor with the previous joints",
                        (u32)json_token_number(item));
        root = top;
    }
}

/* Returns false when a joint is not in the scene: then no node of the scene has the skin. */
static bool place_joints(Gltf* g, const JsonToken* joints, GltfSkin* out) {
    bool inside = true;
    u32  i = 0;
    out->joints = ARENA_NEW(g->arena, u32, out->joint_count);
    for (const JsonToken* item = json_first(joints); item; item = json_next(item)) {
        const u32 node = g->nodes.of_scene[(u32)json_token_number(item)];
        out->joints[i++] = node;
        inside = inside && node != NONE;
    }
    return inside;
}

static bool read_skin(Gltf* g, const JsonToken* json, u32 joint_count, GltfSkin* out) {
    const JsonToken* joints = gltf_need(g, json, "joints", JSON_ARRAY);
    *out = (GltfSkin){
        .name = gltf_name(g, json), .offset = gltf_offset(g, json), .joint_count = joint_count};
    if (!joints || !gltf_node_list(g, joints, true)) return false;
    check_common_root(g, json, joints);
    const bool inside = place_joints(g, joints, out);
    if (!gltf_charge(g, json, out->joint_count * sizeof *out->inverse_binds)) return false;
    read_binds(g, json, out);
    return inside;
}

/* Skins with joints outside of the scene are removed, and the nodes are renumbered. */
static void read_skins(Gltf* g) {
    const u32 count = g->lists.skins.count;
    bool*     worn = ARENA_NEW(g->arena, bool, count);
    u32*      place = ARENA_NEW(g->arena, u32, count);
    g->out->skins = ARENA_NEW(g->arena, GltfSkin, count);
    for (u32 i = 0; i < g->out->node_count; i++)
        if (g->out->nodes[i].skin != NONE) worn[g->out->nodes[i].skin] = true;
    for (u32 i = 0; i < count; i++) {
        const GltfMode mode = gltf_mode(g, worn[i] ? g->mode : GLTF_UNCOMPILED);
        place[i] = g->out->skin_count;
        if (read_skin(g, g->lists.skins.at[i], g->nodes.joint_count[i],
                      &g->out->skins[g->out->skin_count]))
            g->out->skin_count++;
        gltf_mode(g, mode);
    }
    for (u32 i = 0; i < g->out->node_count; i++) {
        u32* skin = &g->out->nodes[i].skin;
        if (*skin != NONE) *skin = place[*skin];
    }
}

/* Finds the root of every node; each node is visited at most twice. */
static const u32* find_tops(Gltf* g) {
    u32* tops = ARENA_NEW(g->arena, u32, g->lists.nodes.count);
    for (u32 i = 0; i < g->lists.nodes.count; i++) tops[i] = g->nodes.parent[i] == NONE ? i : NONE;
    for (u32 i = 0; i < g->lists.nodes.count; i++) {
        u32 top = i;
        while (tops[top] == NONE) top = g->nodes.parent[top];
        top = tops[top];
        for (u32 at = i; tops[at] == NONE; at = g->nodes.parent[at]) tops[at] = top;
    }
    return tops;
}

/* The root of the first joint of a skin, or NONE. */
static u32 skin_root(const Gltf* g, u32 skin, const u32* tops) {
    const JsonToken* joints = json_get(g->lists.skins.at[skin], "joints");
    const u32        first = joints ? node_listed(g, json_first(joints)) : NONE;
    return first == NONE ? NONE : tops[first];
}

/* A tree that contains a node with a skin needs the tree with the joints of this skin. */
typedef struct SkinNeed {
    u32 top, root, node; /* the roots of both trees, and the first such node */
} SkinNeed;

static int need_order(const void* a, const void* b) {
    const SkinNeed *x = a, *y = b;
    if (x->top != y->top) return x->top < y->top ? -1 : 1;
    if (x->root != y->root) return x->root < y->root ? -1 : 1;
    return x->node < y->node ? -1 : 1;
}

/* [count] by `top`, each pair of trees once. */
static SkinNeed* needs_find(Gltf* g, u32* count) {
    const u32      nodes = g->lists.nodes.count;
    const u32*     tops = find_tops(g);
    SkinNeed*      needs = ARENA_NEW(g->arena, SkinNeed, nodes);
    const GltfMode mode = gltf_mode(g, GLTF_QUIET);
    u32            found = 0;
    for (u32 i = 0; i < nodes; i++) {
        const u32 skin = gltf_index(g, g->lists.nodes.at[i], "skin", &g->lists.skins);
        const u32 root = skin == NONE ? NONE : skin_root(g, skin, tops);
        if (root != NONE) needs[found++] = (SkinNeed){tops[i], root, i};
    }
    gltf_mode(g, mode);
    qsort(needs, found, sizeof *needs, need_order);
    *count = 0;
    for (u32 i = 0; i < found; i++)
        if (i == 0 || needs[i].top != needs[i - 1].top || needs[i].root != needs[i - 1].root)
            needs[(*count)++] = needs[i];
    return needs;
}

/* The first need of a tree that the scene, whose roots are stamped, does not contain; or NULL. Of those that it contains
 * there are at most as many as it has roots, so that nothing else is visited. */
static const SkinNeed* need_missing(const Gltf* g, const SkinNeed* needs, u32 count, u32 top) {
    u32 low = 0, high = count;
    while (low < high) {
        const u32 middle = low + (high - low) / 2;
        if (needs[middle].top < top)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < count && needs[low].top == top; low++)
        if (g->stamps[needs[low].root * 4ull] != g->stamp) return &needs[low];
    return NULL;
}

/* A scene with a node that has a skin must contain its joints. The default scene is checked elsewhere. */
static void check_scene_skins(Gltf* g, const JsonToken* scene, const SkinNeed* needs, u32 count) {
    const JsonToken* nodes = json_get(scene, "nodes");
    g->stamp++;
    for (const JsonToken* item = json_first(nodes); item; item = json_next(item)) {
        const u32 node = node_listed(g, item);
        if (node != NONE) gltf_stamp(g, node, 0);
    }
    for (const JsonToken* item = json_first(nodes); item; item = json_next(item)) {
        const SkinNeed* missing = need_missing(g, needs, count, node_listed(g, item));
        if (!missing) continue;
        gltf_remark(g, REMARK_FAULTS, "scenes", scene,
                    "contains %s, but not %s, the root of its skin; this scene is not compiled",
                    GLTF_OBJECT(g, &g->lists.nodes, missing->node),
                    GLTF_OBJECT(g, &g->lists.nodes, missing->root));
        return;
    }
}

static void check_other_scenes(Gltf* g) {
    const GltfList  scenes = gltf_list(g, g->root, "scenes");
    const u32       chosen = gltf_index(g, g->root, "scene", &scenes);
    u32             count;
    const SkinNeed* needs = needs_find(g, &count);
    for (u32 i = 0; i < scenes.count; i++)
        if (i != (chosen == NONE ? 0 : chosen)) check_scene_skins(g, scenes.at[i], needs, count);
}

/* The number of the first joint that is not a child of another joint. */
static u32 root_joint(Gltf* g, const JsonToken* joints) {
    u32 i = 0;
    g->stamp++;
    for (const JsonToken* item = json_first(joints); item; item = json_next(item)) {
        const u32 joint = gltf_index_of(g, item, &g->lists.nodes);
        if (joint != NONE) gltf_stamp(g, joint, 0);
    }
    for (const JsonToken* item = json_first(joints); item; item = json_next(item), i++) {
        const u32 joint = gltf_index_of(g, item, &g->lists.nodes);
        const u32 parent = joint == NONE ? NONE : g->nodes.parent[joint];
        if (joint != NONE && (parent == NONE || g->stamps[parent * 4ull] != g->stamp)) return i;
    }
    return 0;
}

/* The tree, and what meshes need of the skins. What is wrong with nodes and skins is reported when they are read. */
void gltf_read_roots(Gltf* g) {
    const u32 errors = g->error_count;
    g->nodes.roots = scene_roots(g);
    read_tree(g);
    cycles_open(g);
    g->nodes.is_valid = g->error_count == errors;
    const GltfMode mode = gltf_mode(g, GLTF_QUIET);
    u32*           roots = ARENA_NEW(g->arena, u32, g->lists.skins.count);
    count_joints(g);
    g->nodes.skin_placed = ARENA_NEW(g->arena, bool, g->lists.skins.count);
    g->mesh_use = ARENA_NEW(g->arena, GltfMeshUse, g->lists.meshes.count);
    for (u32 i = 0; i < g->lists.meshes.count; i++) g->mesh_use[i].joint_limit = NONE;
    for (u32 i = 0; i < g->lists.skins.count; i++) {
        const JsonToken* joints = json_get(g->lists.skins.at[i], "joints");
        if (json_token_is(joints, JSON_ARRAY)) roots[i] = root_joint(g, joints);
    }
    for (u32 i = 0; i < g->lists.nodes.count; i++) {
        const u32 mesh = gltf_index(g, g->lists.nodes.at[i], "mesh", &g->lists.meshes);
        const u32 skin = gltf_index(g, g->lists.nodes.at[i], "skin", &g->lists.skins);
        if (mesh == NONE || skin == NONE) continue;
        GltfMeshUse* use = &g->mesh_use[mesh];
        if (use->joint_limit == NONE) use->joint_root = roots[skin];
        use->joint_limit = MIN_OF(use->joint_limit, g->nodes.joint_count[skin]);
    }
    gltf_mode(g, mode);
}

void gltf_read_scene(Gltf* g) {
    const u32      count = g->lists.nodes.count;
    const GltfList meshes = gltf_list(g, g->root, "meshes");
    g->nodes.of_scene = ARENA_NEW(g->arena, u32, count);
    g->out->file_nodes = count;
    for (u32 i = 0; i < count; i++) g->nodes.of_scene[i] = NONE;
    if (g->nodes.is_valid) order_nodes(g, g->nodes.roots);
    for (u32 i = 0; i < count; i++) read_node(g, i, &meshes);
    read_skins(g);
    check_other_scenes(g);
}
