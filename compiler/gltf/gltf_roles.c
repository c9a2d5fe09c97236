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

/* Without the ".001" that Blender adds to a second one. */
static Name name_of(const JsonToken* node) {
    const JsonToken* token = json_get(node, "name");
    Name             name = {"", 0};
    if (!json_token_is(token, JSON_STRING) || token->bytes < 2) return name;
    name = (Name){token->at + 1, token->bytes - 2u};
    size_t at = name.bytes;
    while (at > 0 && is_digit(name.at[at - 1])) at--;
    if (at > 0 && name.bytes - at >= 3 && name.at[at - 1] == '.') name.bytes = at - 1;
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

/* Is the rule set, and is the node what it applies to? */
static bool role_applies(const Gltf* g, const JsonToken* node, GltfRole role) {
    const ModelNames* rules = &g->naming->rules;
    if (role == ROLE_LEFT_OUT) return rules->left_out;
    if (role == ROLE_SOCKET) return rules->sockets;
    if (role == ROLE_NONE || !json_get(node, "mesh")) return false;
    return role == ROLE_LEVEL ? rules->lods : rules->colliders;
}

/* --- levels of detail --- */

/* A node that may be a level. */
typedef struct Level {
    u32  parent, level, node;
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
    return a->node < b->node ? -1 : a->node > b->node;
}

static u32 skin_of(const Gltf* g, u32 node) {
    const JsonToken* skin = json_get(g->lists.nodes.at[node], "skin");
    return json_token_is(skin, JSON_NUMBER) ? (u32)json_token_number(skin) : NONE;
}

/* Of nodes with one base, the first of the lowest level has the first one of each other level, the second one the second,
 * and so on: copies of an object have copies of its levels. */
static void levels_join(Gltf* g, const Level* at, u32 count) {
    u32 bases = 0;
    while (bases < count && at[bases].level == at[0].level) bases++;
    for (u32 i = bases, of_level = 0; i < count; i++) {
        of_level = at[i].level == at[i - 1].level ? of_level + 1 : 0;
        if (of_level >= bases) continue; /* it stays what it is */
        const u32 base = at[of_level].node;
        if (skin_of(g, base) != skin_of(g, at[i].node)) continue;
        g->nodes.naming[at[i].node] = (GltfNaming){base, ROLE_LEVEL, (u8)at[i].level};
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
            is_level(name_of(g->lists.nodes.at[i]), &level.level, &level.base))
            at[count++] = level;
    }
    if (count) qsort(at, count, sizeof *at, level_order);
    for (u32 first = 0, end; first < count; first = end) {
        for (end = first + 1; end < count && bases_compare(&at[first], &at[end]) == 0;) end++;
        levels_join(g, at + first, end - first);
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
        const GltfRole   role = role_of(name_of(json));
        if (!g->nodes.is_reached[i] || !role_applies(g, json, role)) continue;
        naming[i] = (GltfNaming){NONE, (u8)role, 0};
        any = true;
    }
    if (!any) return;
    g->nodes.naming = naming;
    levels_find(g);
    left_out_find(g);
}
