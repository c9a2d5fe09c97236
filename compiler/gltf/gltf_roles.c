/* gltf_roles.c - what nodes are by their names: levels of detail, colliders, sockets, and what is left out. */
#include <stdio.h>
#include <stdlib.h>

#include "gltf_internal.h"
#include "model_settings.h"

#define LEVEL_DIGITS_MAX 2u
#define REVEAL_MAX       8u /* then nothing is left out */

/* --- names --- */

/* A name as the JSON text has it. */
typedef struct Name {
    const char* at; /* [bytes] */
    size_t      bytes;
} Name;

static char fold(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* Without the ".001" that Blender adds to a second one, which is the number of the copy. */
static Name name_of(const JsonToken* node, u32* copy) {
    const JsonToken* token = json_get(node, "name");
    Name             name = {"", 0};
    *copy = 0;
    if (!json_token_is(token, JSON_STRING) || token->bytes < 2) return name;
    name = (Name){token->at + 1, token->bytes - 2u};
    size_t at = name.bytes;
    while (at > 0 && is_digit(name.at[at - 1])) at--;
    if (at == 0 || name.bytes - at < 3 || name.at[at - 1] != '.') return name;
    for (size_t i = at; i < name.bytes; i++) *copy = *copy * 10 + (u32)(name.at[i] - '0');
    name.bytes = at - 1;
    return name;
}

static bool text_is(const char* at, const char* wanted) {
    while (*wanted && fold(*at) == *wanted) at++, wanted++;
    return !*wanted;
}

static bool name_begins(Name name, const char* with) {
    return name.bytes >= strlen(with) && text_is(name.at, with);
}

static bool name_ends(Name name, const char* with) {
    const size_t tail = strlen(with);
    return name.bytes >= tail && text_is(name.at + name.bytes - tail, with);
}

/* "barrel_lod2": level 2 of "barrel". */
static bool is_level(Name name, u32* level, Name* base) {
    Name front = name;
    while (front.bytes > 0 && is_digit(front.at[front.bytes - 1])) front.bytes--;
    const size_t digits = name.bytes - front.bytes;
    if (digits == 0 || digits > LEVEL_DIGITS_MAX || !name_ends(front, "_lod")) return false;
    *level = 0;
    for (size_t i = front.bytes; i < name.bytes; i++)
        *level = *level * 10 + (u32)(name.at[i] - '0');
    *base = (Name){front.at, front.bytes - strlen("_lod")};
    return true;
}

static GltfRole role_of(Name name) {
    static const struct {
        const char* text;
        bool        begins;
        GltfRole    role;
    } rows[] = {{"-noimp", false, ROLE_LEFT_OUT}, {"_hidden", false, ROLE_LEFT_OUT},
                {"ucx_", true, ROLE_HULL},        {"ubx_", true, ROLE_BOX},
                {"usp_", true, ROLE_SPHERE},      {"ucp_", true, ROLE_CAPSULE},
                {"_col", false, ROLE_TRIANGLES},  {"socket_", true, ROLE_SOCKET}};
    u32  level;
    Name base;
    for (u32 i = 0; i < COUNT_OF(rows); i++)
        if (rows[i].begins ? name_begins(name, rows[i].text) : name_ends(name, rows[i].text))
            return rows[i].role;
    return is_level(name, &level, &base) ? ROLE_LEVEL : ROLE_NONE;
}

/* Has the node a mesh of which something is compiled? */
static bool has_mesh(const Gltf* g, const JsonToken* node) {
    const JsonToken* mesh = json_get(node, "mesh");
    const f64        index = json_token_is(mesh, JSON_NUMBER) ? json_token_number(mesh) : -1;
    return index >= 0 && index < g->out->mesh_count &&
           g->out->meshes[(u32)index].primitive_count > 0;
}

/* What the rules that are set make of a name. */
static GltfRole role_find(const Gltf* g, const JsonToken* node) {
    const ModelNames* rules = &g->naming->rules;
    u32               copy;
    const GltfRole    role = role_of(name_of(node, &copy));
    const bool        is_set = role == ROLE_LEFT_OUT ? rules->left_out
                               : role == ROLE_SOCKET ? rules->sockets
                               : role == ROLE_LEVEL  ? rules->lods
                                                     : rules->colliders;
    if (role == ROLE_NONE || !is_set) return ROLE_NONE;
    if (role == ROLE_LEFT_OUT || role == ROLE_SOCKET || has_mesh(g, node)) return role;
    return role == ROLE_LEVEL && json_get(node, "children") ? ROLE_LEVEL_EMPTY : ROLE_NONE;
}

/* --- levels of detail --- */

/* A node that may be a level. */
typedef struct Level {
    u32  parent, level, copy, node;
    Name base;
} Level;

static int bases_compare(const Level* a, const Level* b) {
    if (a->parent != b->parent) return a->parent < b->parent ? -1 : 1;
    for (size_t i = 0; i < MIN_OF(a->base.bytes, b->base.bytes); i++) {
        const char x = fold(a->base.at[i]), y = fold(b->base.at[i]);
        if (x != y) return x < y ? -1 : 1;
    }
    return a->base.bytes < b->base.bytes ? -1 : a->base.bytes > b->base.bytes;
}

static int level_order(const void* x, const void* y) {
    const Level *a = x, *b = y;
    const int    bases = bases_compare(a, b);
    if (bases) return bases;
    if (a->level != b->level) return a->level < b->level ? -1 : 1;
    if (a->copy != b->copy) return a->copy < b->copy ? -1 : 1;
    return a->node < b->node ? -1 : a->node > b->node;
}

/* [lists.skins.count] A hash of the joints: exporters may write a skin for each mesh, with the same ones. */
static u64* joints_hash(const Gltf* g) {
    u64* out = ARENA_NEW(g->arena, u64, g->lists.skins.count);
    for (u32 i = 0; i < g->lists.skins.count; i++) {
        const JsonToken* joints = json_get(g->lists.skins.at[i], "joints");
        u64              hash = 1;
        for (const JsonToken* item = json_first(joints); item; item = json_next(item)) {
            const f64 joint = json_token_is(item, JSON_NUMBER) ? json_token_number(item) : -1;
            u64       bits;
            memcpy(&bits, &joint, sizeof bits);
            hash = (hash ^ bits) * 0x9e3779b97f4a7c15ull;
            hash ^= hash >> 29;
        }
        out[i] = hash;
    }
    return out;
}

/* That of the skin of a node; 0: it has none. */
static u64 skin_hash(const Gltf* g, u32 node, const u64* hashes) {
    const JsonToken* skin = json_get(g->lists.nodes.at[node], "skin");
    const f64        index = json_token_is(skin, JSON_NUMBER) ? json_token_number(skin) : -1;
    return index >= 0 && index < g->lists.skins.count ? hashes[(u32)index] : 0;
}

/* Nodes of one level with one base, in the order of their copies. */
typedef struct Copies {
    const Level* at; /* [count] */
    u32          count;
} Copies;

static void level_join(Gltf* g, const u64* hashes, const Level* level, u32 base) {
    const bool joins =
        base != NONE && skin_hash(g, base, hashes) == skin_hash(g, level->node, hashes);
    g->nodes.naming[level->node] = joins ? (GltfNaming){base, ROLE_LEVEL, (u8)level->level}
                                         : (GltfNaming){NONE, ROLE_LEVEL_ALONE, (u8)level->level};
}

/* Copies of an object have copies of its levels: those with one number belong together, and the others in their order. */
static void copies_join(Gltf* g, const u64* hashes, Copies bases, Copies level, bool* is_taken,
                        bool* is_joined) {
    for (u32 i = 0, b = 0; i < level.count; i++) {
        while (b < bases.count && bases.at[b].copy < level.at[i].copy) b++;
        if (b == bases.count || bases.at[b].copy != level.at[i].copy || is_taken[b]) continue;
        is_taken[b] = is_joined[i] = true;
        level_join(g, hashes, &level.at[i], bases.at[b].node);
    }
    for (u32 i = 0, b = 0; i < level.count; i++) {
        if (is_joined[i]) continue;
        while (b < bases.count && is_taken[b]) b++;
        level_join(g, hashes, &level.at[i], b < bases.count ? bases.at[b].node : NONE);
        if (b < bases.count) is_taken[b] = true;
    }
}

/* Of nodes with one base: those of the lowest level have the others. */
static void levels_join(Gltf* g, const u64* hashes, const Level* at, u32 count) {
    bool*  flags = ARENA_NEW(g->arena, bool, count * 2ull);
    Copies bases = {at, 0};
    while (bases.count < count && at[bases.count].level == at[0].level) bases.count++;
    for (u32 first = bases.count, end; first < count; first = end) {
        for (end = first + 1; end < count && at[end].level == at[first].level;) end++;
        memset(flags, 0, count * 2ull);
        copies_join(g, hashes, bases, (Copies){at + first, end - first}, flags, flags + count);
    }
}

static void levels_find(Gltf* g) {
    const u32 nodes = g->lists.nodes.count;
    Level*    at = ARENA_NEW(g->arena, Level, nodes);
    u32       count = 0;
    for (u32 i = 0; i < nodes; i++) {
        Level level = {.parent = g->nodes.parent[i], .node = i};
        if (g->nodes.naming[i].role != ROLE_LEVEL) continue;
        g->nodes.naming[i].role = ROLE_NONE;
        if (g->nodes.is_reached[i] &&
            is_level(name_of(g->lists.nodes.at[i], &level.copy), &level.level, &level.base))
            at[count++] = level;
    }
    const u64* hashes = joints_hash(g);
    if (count) qsort(at, count, sizeof *at, level_order);
    for (u32 first = 0, end; first < count; first = end) {
        for (end = first + 1; end < count && bases_compare(&at[first], &at[end]) == 0;) end++;
        levels_join(g, hashes, at + first, end - first);
    }
}

/* --- what is left out --- */

/* A level that has nothing but its mesh needs no entity. */
static bool is_only_mesh(const Gltf* g, u32 node) {
    const JsonToken* json = g->lists.nodes.at[node];
    return !json_get(json, "children") && !json_get(json, "camera") && !json_get(json, "extras") &&
           !json_get(json, "extensions");
}

/* Leaves out what is below nodes that are left out. */
static void left_out_spread(Gltf* g, bool* is_known) {
    const u32 nodes = g->lists.nodes.count;
    bool*     left_out = g->nodes.is_left_out;
    memset(is_known, 0, nodes * sizeof *is_known);
    for (u32 i = 0; i < nodes; i++) {
        u32 top = i;
        while (!left_out[top] && !is_known[top] && g->nodes.parent[top] != NONE)
            top = g->nodes.parent[top];
        const bool value = left_out[top];
        for (u32 at = i; at != top; at = g->nodes.parent[at])
            left_out[at] = value, is_known[at] = true;
        is_known[top] = true;
    }
}

/* Joints of a skin that a node wears, and what is above them, stay. Returns whether one was left out. */
static bool joints_stay(Gltf* g, bool* is_seen) {
    const u32      nodes = g->lists.nodes.count;
    const GltfMode mode = gltf_mode(g, GLTF_QUIET);
    bool*          is_worn = ARENA_NEW(g->arena, bool, g->lists.skins.count);
    bool           any = false;
    memset(is_seen, 0, nodes * sizeof *is_seen);
    for (u32 i = 0; i < nodes; i++) {
        const JsonToken* json = g->lists.nodes.at[i];
        if (!g->nodes.is_reached[i] || g->nodes.is_left_out[i] || !json_get(json, "mesh")) continue;
        const u32 skin = gltf_index(g, json, "skin", &g->lists.skins);
        if (skin == NONE || is_worn[skin]) continue;
        is_worn[skin] = true;
        const JsonToken* joints = json_get(g->lists.skins.at[skin], "joints");
        for (const JsonToken* item = json_first(joints); item; item = json_next(item)) {
            u32 at = gltf_index_of(g, item, &g->lists.nodes);
            for (; at != NONE && !is_seen[at]; at = g->nodes.parent[at]) {
                is_seen[at] = true;
                any |= g->nodes.is_left_out[at];
            }
        }
    }
    gltf_mode(g, mode);
    return any;
}

/* Nodes below a joint that stays, and that are not left out themselves, stay too. */
static void left_out_find(Gltf* g) {
    const u32 nodes = g->lists.nodes.count;
    bool*     scratch = ARENA_NEW(g->arena, bool, nodes);
    bool*     stays = ARENA_NEW(g->arena, bool, nodes);
    for (u32 round = 0; round <= REVEAL_MAX; round++) {
        for (u32 i = 0; i < nodes; i++) {
            const GltfRole role = gltf_role(g, i);
            const bool leaves = role == ROLE_LEFT_OUT || (role == ROLE_LEVEL && is_only_mesh(g, i));
            g->nodes.is_left_out[i] = leaves && !stays[i] && round < REVEAL_MAX;
        }
        left_out_spread(g, scratch);
        if (!joints_stay(g, scratch)) break;
        for (u32 i = 0; i < nodes; i++) stays[i] |= scratch[i];
    }
    for (u32 i = 0; i < nodes; i++) g->nodes.is_reached[i] &= !g->nodes.is_left_out[i];
}

GltfRole gltf_role(const Gltf* g, u32 node) {
    return g->nodes.naming ? (GltfRole)g->nodes.naming[node].role : ROLE_NONE;
}

void gltf_read_roles(Gltf* g) {
    const u32   nodes = g->lists.nodes.count;
    GltfNaming* naming = ARENA_NEW(g->arena, GltfNaming, nodes);
    bool        any = false;
    g->nodes.is_left_out = ARENA_NEW(g->arena, bool, nodes);
    for (u32 i = 0; i < nodes && g->nodes.is_valid; i++) {
        const JsonToken* json = g->lists.nodes.at[i];
        const GltfRole   role = role_find(g, json);
        if (!g->nodes.is_reached[i] || role == ROLE_NONE) continue;
        naming[i] = (GltfNaming){NONE, (u8)role, 0};
        any = true;
    }
    if (!any) return;
    g->nodes.naming = naming;
    levels_find(g);
    left_out_find(g);
}
