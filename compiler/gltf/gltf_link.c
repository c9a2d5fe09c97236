/* gltf_link.c - validates relations between parts of a glTF file that are not compiled: materials
 * and the attributes that their textures need, variants, and morph targets. */
#include "diag_codes.h"
#include "gltf_internal.h"

#include <stdio.h>

typedef struct Linker {
    Gltf*            g;
    GltfList         materials, meshes, variants;
    const JsonToken* mesh; /* that is being validated */
} Linker;

/* Returns the object to which a member refers; NULL when there is none, which was reported. */
static const JsonToken* named(const JsonToken* object, const char* key, const GltfList* list) {
    const JsonToken* at = json_get(object, key);
    if (!json_token_is(at, JSON_NUMBER) || json_token_number(at) != floor(json_token_number(at)))
        return NULL;
    if (!(json_token_number(at) >= 0 && json_token_number(at) < list->count)) return NULL;
    const JsonToken* value = list->at[(u32)json_token_number(at)];
    return json_token_is(value, JSON_OBJECT) ? value : NULL;
}

/* --- the needs of a material --- */

static bool has_set(const JsonToken* attributes, f64 set) {
    char key[64];
    if (!(set >= 0 && set < 1e6)) return false;
    snprintf(key, sizeof key, "TEXCOORD_%u", (u32)set);
    return json_get(attributes, key) != NULL;
}

static void need_set(Linker* l, const JsonToken* at, const JsonToken* attributes,
                     const JsonToken* set, const char* texture) {
    const f64 number = json_token_is(set, JSON_NUMBER) ? json_token_number(set) : 0;
    if (has_set(attributes, number)) return;
    const char* mesh = gltf_name(l->g, l->mesh);
    const char* material = gltf_name(l->g, l->materials.at[(u32)json_token_number(at)]);
    gltf_remark(
        l->g, REMARK_INVENTED, "TEXCOORD", at,
        "is %u (\"%.64s\"), whose \"%.64s\" needs TEXCOORD_%g; the mesh \"%.64s\" has none, "
        "so that the texture is read at 0, 0 everywhere",
        (u32)json_token_number(at), material, texture, number, mesh);
}

/* All textures of the object of a material: of itself and of its surface. Those of extensions are not compiled. */
static void need_sets(Linker* l, const JsonToken* at, const JsonToken* attributes,
                      const JsonToken* object) {
    for (const JsonToken* item = json_first(object); item; item = json_next(item)) {
        if (!json_token_is(item, JSON_OBJECT)) continue;
        if (json_key_is(item, "pbrMetallicRoughness")) need_sets(l, at, attributes, item);
        const char*  key = gltf_key(l->g, item);
        const size_t bytes = strlen(key);
        if (bytes < 7 || strcmp(key + bytes - 7, "Texture") != 0) continue;
        const JsonToken* list = json_get(item, "extensions");
        const JsonToken* set = json_get(json_get(list, "KHR_texture_transform"), "texCoord");
        need_set(l, at, attributes, set ? set : json_get(item, "texCoord"), key);
    }
}

static void check_material(Linker* l, const JsonToken* primitive) {
    const JsonToken* material = named(primitive, "material", &l->materials);
    if (material)
        need_sets(l, json_get(primitive, "material"), json_get(primitive, "attributes"), material);
}

/* --- variants of materials --- */

static void check_variants(Linker* l, const JsonToken* mapping, const JsonToken* all) {
    const JsonToken* array = gltf_member(l->g, mapping, "variants", JSON_ARRAY);
    for (const JsonToken* item = json_first(array); item; item = json_next(item)) {
        if (gltf_index_of(l->g, item, &l->variants) == NONE) continue;
        for (const JsonToken* other = json_first(all); other; other = json_next(other)) {
            const JsonToken* list = json_get(other, "variants");
            const JsonToken* used = json_first(list);
            while (used && used != item && json_token_number(used) != json_token_number(item))
                used = json_next(used);
            if (used == item) break;
            if (!used) continue;
            gltf_error(l->g, E0403, item, "is %u, a variant that already has a material",
                       (u32)json_token_number(item));
            break;
        }
    }
}

static void check_mappings(Linker* l, const JsonToken* primitive) {
    const GltfMode   mode = gltf_mode(l->g, GLTF_UNCOMPILED);
    const JsonToken* extension = gltf_extension(l->g, primitive, "KHR_materials_variants");
    const JsonToken* mappings = gltf_member(l->g, extension, "mappings", JSON_ARRAY);
    for (const JsonToken* item = json_first(mappings); item; item = json_next(item)) {
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

static void check_displacement(Linker* l, const JsonToken* item, const JsonToken* attributes) {
    Gltf*      g = l->g;
    const u32  s = semantic_of(gltf_key(g, item));
    const bool known = s < COUNT_OF(semantics), compiled = s < 3; /* positions, normals, tangents */
    if (s == NONE) return;                                        /* a remark of gltf_morph.c */
    const GltfMode      mode = gltf_mode(g, compiled ? g->mode : GLTF_UNCOMPILED);
    GltfAccessor* const a =
        gltf_accessor_of(g, item, gltf_key(g, item), USE_VERTICES, known ? semantics[s].types : ~0u,
                         known ? semantics[s].formats | semantics[s].quantized : ~0u);
    if (a && s == 0) gltf_need_bounds(g, a, "positions");
    const JsonToken* base = json_get(attributes, gltf_key(g, item));
    const u32        index = base ? gltf_index_of(g, base, &g->lists.accessors) : NONE;
    if (!base)
        gltf_remark(g, REMARK_MORPHS, "without a base", item,
                    "displaces an attribute that the primitive does not have; it is not compiled");
    else if (a && index != NONE && g->accessors[index].valid &&
             g->accessors[index].count != a->count)
        gltf_error(g, E0403, item, "has %u vertices, but the attribute that it displaces has %u",
                   a->count, g->accessors[index].count);
    gltf_mode(g, mode);
}

static u32 check_targets(Linker* l, const JsonToken* primitive) {
    const JsonToken* attributes = json_get(primitive, "attributes");
    const JsonToken* targets = gltf_member(l->g, primitive, "targets", JSON_ARRAY);
    for (const JsonToken* target = json_first(targets); target; target = json_next(target)) {
        if (!gltf_is(l->g, target, JSON_OBJECT)) continue;
        if (!json_first(target))
            gltf_remark(l->g, REMARK_LISTS, "empty", target, "is empty, which glTF does not allow");
        for (const JsonToken* item = json_first(target); item; item = json_next(item))
            check_displacement(l, item, attributes);
    }
    return json_token_count(targets);
}

static void check_weights(Linker* l, const JsonToken* owner, u32 target_count) {
    const JsonToken* weights = json_get(owner, "weights");
    if (!json_token_is(weights, JSON_ARRAY) || json_token_count(weights) == target_count) return;
    gltf_remark(l->g, REMARK_LISTS, "weights", weights,
                "has %u numbers, but the mesh has %u morph targets; what is missing is 0",
                json_token_count(weights), target_count);
}

/* --- all of them --- */

static void check_mesh(Linker* l, const JsonToken* mesh) {
    const JsonToken* primitives = json_get(mesh, "primitives");
    const JsonToken* first = json_first(primitives);
    u32              targets = 0;
    l->mesh = mesh;
    for (const JsonToken* item = first; item; item = json_next(item)) {
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

static void check_node(Linker* l, const JsonToken* node) {
    const JsonToken* weights = json_get(node, "weights");
    if (!weights) return;
    const JsonToken* mesh = named(node, "mesh", &l->meshes);
    const JsonToken* primitives = json_get(mesh, "primitives");
    if (!json_get(node, "mesh"))
        gltf_remark(l->g, REMARK_LISTS, "weights", weights,
                    "is not allowed in a node without a \"mesh\"; it is not compiled");
    else if (primitives)
        check_weights(l, node, json_token_count(json_get(json_first(primitives), "targets")));
}

void gltf_check_links(Gltf* g) {
    Linker l = {.g = g, .materials = gltf_list(g, g->root, "materials"), .meshes = g->lists.meshes};
    l.variants = gltf_list(g, gltf_extension(g, g->root, "KHR_materials_variants"), "variants");
    for (u32 i = 0; i < l.meshes.count; i++) check_mesh(&l, l.meshes.at[i]);
    for (u32 i = 0; i < g->lists.nodes.count; i++) check_node(&l, g->lists.nodes.at[i]);
}
