/* gltf_link.c - validates relations between parts of a glTF file that are not compiled: materials
 * and the attributes that their textures need, variants, and morph targets. */
#include "gltf_internal.h"

#include <stdio.h>

typedef struct Linker {
    Gltf*        g;
    GltfList     materials, meshes, variants;
    const cJSON* mesh; /* that is being validated */
} Linker;

/* Returns the object to which a member refers; NULL when there is none, which was reported. */
static const cJSON* named(const cJSON* object, const char* key, const GltfList* list) {
    const cJSON* at = json_tree_get(object, key);
    if (!cJSON_IsNumber(at) || at->valuedouble != floor(at->valuedouble)) return NULL;
    if (!(at->valuedouble >= 0 && at->valuedouble < list->count)) return NULL;
    const cJSON* value = list->at[(u32)at->valuedouble];
    return cJSON_IsObject(value) ? value : NULL;
}

/* --- the needs of a material --- */

static bool has_set(const cJSON* attributes, f64 set) {
    char key[64];
    if (!(set >= 0 && set < 1e6)) return false;
    snprintf(key, sizeof key, "TEXCOORD_%u", (u32)set);
    return json_tree_get(attributes, key) != NULL;
}

static void need_set(Linker* l, const cJSON* at, const cJSON* attributes, const cJSON* set,
                     const char* texture) {
    const f64 number = cJSON_IsNumber(set) ? set->valuedouble : 0;
    if (has_set(attributes, number)) return;
    const char* mesh = gltf_name(l->g, l->mesh);
    const char* material = gltf_name(l->g, l->materials.at[(u32)at->valuedouble]);
    gltf_remark(
        l->g, REMARK_INVENTED, "TEXCOORD", at,
        "is %u (\"%.64s\"), whose \"%.64s\" needs TEXCOORD_%g; the mesh \"%.64s\" has none, "
        "so that the texture is read at 0, 0 everywhere",
        (u32)at->valuedouble, material, texture, number, mesh);
}

/* All textures of the object of a material: of itself and of its surface. Those of extensions are not compiled. */
static void need_sets(Linker* l, const cJSON* at, const cJSON* attributes, const cJSON* object) {
    for (const cJSON* item = object ? object->child : NULL; item; item = item->next) {
        if (!cJSON_IsObject(item)) continue;
        if (strcmp(item->string, "pbrMetallicRoughness") == 0) need_sets(l, at, attributes, item);
        const size_t bytes = strlen(item->string);
        if (bytes < 7 || strcmp(item->string + bytes - 7, "Texture") != 0) continue;
        const cJSON* list = json_tree_get(item, "extensions");
        const cJSON* set = json_tree_get(json_tree_get(list, "KHR_texture_transform"), "texCoord");
        need_set(l, at, attributes, set ? set : json_tree_get(item, "texCoord"), item->string);
    }
}

static void check_material(Linker* l, const cJSON* primitive) {
    const cJSON* material = named(primitive, "material", &l->materials);
    if (material)
        need_sets(l, json_tree_get(primitive, "material"), json_tree_get(primitive, "attributes"),
                  material);
}

/* --- variants of materials --- */

static void check_variants(Linker* l, const cJSON* mapping, const cJSON* all) {
    const cJSON* array = gltf_member(l->g, mapping, "variants", JSON_ARRAY);
    for (const cJSON* item = array ? array->child : NULL; item; item = item->next) {
        if (gltf_index_of(l->g, item, &l->variants) == NONE) continue;
        for (const cJSON* other = all->child; other; other = other->next) {
            const cJSON* list = json_tree_get(other, "variants");
            const cJSON* used = list ? list->child : NULL;
            while (used && used != item && used->valuedouble != item->valuedouble)
                used = used->next;
            if (used == item) break;
            if (!used) continue;
            gltf_error(l->g, E0403, item, "is %u, a variant that already has a material",
                       (u32)item->valuedouble);
            break;
        }
    }
}

static void check_mappings(Linker* l, const cJSON* primitive) {
    const GltfMode mode = gltf_mode(l->g, GLTF_UNCOMPILED);
    const cJSON*   extension = gltf_extension(l->g, primitive, "KHR_materials_variants");
    const cJSON*   mappings = gltf_member(l->g, extension, "mappings", JSON_ARRAY);
    for (const cJSON* item = mappings ? mappings->child : NULL; item; item = item->next) {
        check_variants(l, item, mappings);
    }
    gltf_mode(l->g, mode);
}

/* --- morph targets --- */

#define SIGNED_N   (FORMAT_BYTE_N | FORMAT_SHORT_N)
#define UNSIGNED_N (FORMAT_UBYTE_N | FORMAT_USHORT_N)
#define INTEGERS   (FORMAT_BYTE | FORMAT_UBYTE | FORMAT_SHORT | FORMAT_USHORT)

static const struct {
    const char* name; /* a name that ends in _ is followed by a number */
    u32         types, formats, quantized;
} semantics[] = {
    {"POSITION", GLTF_TYPE_BIT(VEC3), FORMAT_FLOAT, SIGNED_N | FORMAT_BYTE | FORMAT_SHORT},
    {"NORMAL", GLTF_TYPE_BIT(VEC3), FORMAT_FLOAT, SIGNED_N},
    {"TANGENT", GLTF_TYPE_BIT(VEC3), FORMAT_FLOAT, SIGNED_N},
    {"TEXCOORD_", GLTF_TYPE_BIT(VEC2), FORMAT_FLOAT | SIGNED_N | UNSIGNED_N, INTEGERS},
    {"COLOR_", GLTF_TYPE_BIT(VEC3) | GLTF_TYPE_BIT(VEC4), FORMAT_FLOAT | SIGNED_N | UNSIGNED_N, 0},
};

/* Index into the table; its size for the name of a custom attribute; NONE for any other. */
static u32 semantic_of(const char* key) {
    for (u32 s = 0; s < COUNT_OF(semantics); s++) {
        const size_t bytes = strlen(semantics[s].name);
        const char*  rest = key + bytes;
        if (strncmp(key, semantics[s].name, bytes) != 0) continue;
        if (rest[-1] != '_') return *rest ? NONE : s;
        if (!*rest || (*rest == '0' && rest[1])) return NONE;
        return rest[strspn(rest, "0123456789")] ? NONE : s;
    }
    return *key == '_' ? (u32)COUNT_OF(semantics) : NONE;
}

static void check_displacement(Linker* l, const cJSON* item, const cJSON* attributes) {
    Gltf*      g = l->g;
    const u32  s = semantic_of(item->string);
    const bool known = s < COUNT_OF(semantics), compiled = s < 3; /* positions, normals, tangents */
    if (s == NONE) return;                                        /* a remark of gltf_morph.c */
    const GltfMode      mode = gltf_mode(g, compiled ? g->mode : GLTF_UNCOMPILED);
    GltfAccessor* const a =
        gltf_accessor_of(g, item, item->string, USE_VERTICES, known ? semantics[s].types : ~0u,
                         known ? semantics[s].formats | semantics[s].quantized : ~0u);
    if (a && s == 0) gltf_need_bounds(g, a, "positions");
    const cJSON* base = json_tree_get(attributes, item->string);
    const u32    index = base ? gltf_index_of(g, base, &g->lists.accessors) : NONE;
    if (!base)
        gltf_remark(g, REMARK_MORPHS, "without a base", item,
                    "displaces an attribute that the primitive does not have; it is not compiled");
    else if (a && index != NONE && g->accessors[index].valid &&
             g->accessors[index].count != a->count)
        gltf_error(g, E0403, item, "has %u vertices, but the attribute that it displaces has %u",
                   a->count, g->accessors[index].count);
    gltf_mode(g, mode);
}

static u32 check_targets(Linker* l, const cJSON* primitive) {
    const cJSON* attributes = json_tree_get(primitive, "attributes");
    const cJSON* targets = gltf_member(l->g, primitive, "targets", JSON_ARRAY);
    for (const cJSON* target = targets ? targets->child : NULL; target; target = target->next) {
        if (!gltf_is(l->g, target, JSON_OBJECT)) continue;
        if (!target->child)
            gltf_remark(l->g, REMARK_LISTS, "empty", target, "is empty, which glTF does not allow");
        for (const cJSON* item = target->child; item; item = item->next)
            check_displacement(l, item, attributes);
    }
    return gltf_member_count(targets);
}

static void check_weights(Linker* l, const cJSON* owner, u32 target_count) {
    const cJSON* weights = json_tree_get(owner, "weights");
    if (!cJSON_IsArray(weights) || gltf_member_count(weights) == target_count) return;
    gltf_remark(l->g, REMARK_LISTS, "weights", weights,
                "has %u numbers, but the mesh has %u morph targets; what is missing is 0",
                gltf_member_count(weights), target_count);
}

/* --- all of them --- */

static void check_mesh(Linker* l, const cJSON* mesh) {
    const cJSON* primitives = json_tree_get(mesh, "primitives");
    const cJSON* first = primitives ? primitives->child : NULL;
    u32          targets = 0;
    l->mesh = mesh;
    for (const cJSON* item = first; item; item = item->next) {
        const u32 count = check_targets(l, item);
        if (item == first) targets = count;
        if (count != targets)
            gltf_remark(l->g, REMARK_LISTS, "targets", item,
                        "has %u morph targets, but the mesh's first primitive has %u", count,
                        targets);
        check_material(l, item);
        check_mappings(l, item);
    }
    check_weights(l, mesh, targets);
}

static void check_node(Linker* l, const cJSON* node) {
    const cJSON* weights = json_tree_get(node, "weights");
    if (!weights) return;
    const cJSON* mesh = named(node, "mesh", &l->meshes);
    const cJSON* primitives = json_tree_get(mesh, "primitives");
    if (!json_tree_get(node, "mesh"))
        gltf_remark(l->g, REMARK_LISTS, "weights", weights,
                    "is not allowed in a node without a \"mesh\"; it is not compiled");
    else if (primitives)
        check_weights(l, node, gltf_member_count(json_tree_get(primitives->child, "targets")));
}

void gltf_check_links(Gltf* g) {
    Linker l = {
        .g = g, .materials = gltf_list(g, g->tree.root, "materials"), .meshes = g->lists.meshes};
    l.variants =
        gltf_list(g, gltf_extension(g, g->tree.root, "KHR_materials_variants"), "variants");
    for (u32 i = 0; i < l.meshes.count; i++) check_mesh(&l, l.meshes.at[i]);
    for (u32 i = 0; i < g->lists.nodes.count; i++) check_node(&l, g->lists.nodes.at[i]);
}
