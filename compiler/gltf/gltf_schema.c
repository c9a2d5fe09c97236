/* gltf_schema.c - the valid content of the objects of a glTF file as one table: kinds, ranges, the
 * list to which an index refers, the objects in which extensions are allowed. It contains the
 * members that no reader reads; readers validate the others.
 *
 * Source: Khronos Group, JSON schemas of glTF 2.0 and of the KHR and EXT extensions below. */
#include "diag_codes.h"
#include "gltf_internal.h"

typedef enum Shape {
    ROOT,
    ASSET,
    ACCESSOR,
    SPARSE,
    SPARSE_PART,
    ANIMATION,
    CHANNEL,
    TARGET,
    KEYS,
    BUFFER,
    VIEW,
    CAMERA,
    LENS,
    IMAGE,
    MATERIAL,
    SURFACE,
    TEXTURE_INFO,
    MESH,
    PRIMITIVE,
    NODE,
    SAMPLER,
    SCENE,
    SKIN,
    TEXTURE,
    ANISOTROPY, /* from here on: objects of extensions */
    CLEARCOAT,
    DISPERSION,
    EMISSIVE,
    IOR,
    IRIDESCENCE,
    GLOSSINESS,
    SHEEN,
    SPECULAR,
    TRANSMISSION,
    UNLIT,
    VOLUME,
    VARIANTS,
    VARIANT,
    MAPPINGS,
    MAPPING,
    TRANSFORM,
    WEBP,
    LIGHTS,
    LIGHT,
    SPOT,
    NODE_LIGHT,
    POINTER
} Shape;

typedef enum Kind {
    STRING,
    NUMBER,   /* low to high */
    POSITIVE, /* greater than 0 */
    ZERO_OR_ONE_UP,
    INTEGER, /* low to high */
    INDEX,   /* into the list of the file */
    NUMBERS, /* `count` numbers, or any number of them when that is 0; low to high */
    STRINGS, /* different ones */
    FILLED,  /* an array or object that is not empty; its reader validates it further */
    OBJECT,  /* of `shape` */
    OBJECTS  /* an array of them */
} Kind;

typedef struct Property {
    Shape       owner;
    const char* key;
    Kind        kind;
    f64         low, high;
    u32         count;
    const char* list;
    Shape       shape;
    bool        needed;
} Property;

#define ANY_VALUE   .low = -HUGE_VAL, .high = HUGE_VAL
#define NOT_BELOW_0 .low = 0, .high = HUGE_VAL
#define UNIT        .low = 0, .high = 1
#define OF(name)    .shape = name

static const Property properties[] = {
    {ROOT, "asset", OBJECT, OF(ASSET)},
    {ROOT, "extensionsUsed", .kind = STRINGS},
    {ROOT, "extensionsRequired", .kind = STRINGS},
    {ROOT, "accessors", OBJECTS, OF(ACCESSOR)},
    {ROOT, "animations", OBJECTS, OF(ANIMATION)},
    {ROOT, "buffers", OBJECTS, OF(BUFFER)},
    {ROOT, "bufferViews", OBJECTS, OF(VIEW)},
    {ROOT, "cameras", OBJECTS, OF(CAMERA)},
    {ROOT, "images", OBJECTS, OF(IMAGE)}, /* read where they are used */
    {ROOT, "materials", OBJECTS, OF(MATERIAL)},
    {ROOT, "meshes", OBJECTS, OF(MESH)},
    {ROOT, "nodes", OBJECTS, OF(NODE)},
    {ROOT, "samplers", OBJECTS, OF(SAMPLER)},
    {ROOT, "scenes", OBJECTS, OF(SCENE)},
    {ROOT, "skins", OBJECTS, OF(SKIN)},
    {ROOT, "textures", OBJECTS, OF(TEXTURE)},
    {ASSET, "copyright", .kind = STRING},
    {ASSET, "generator", .kind = STRING},
    {ACCESSOR, "min", .kind = FILLED},
    {ACCESSOR, "max", .kind = FILLED},
    {ACCESSOR, "sparse", OBJECT, OF(SPARSE)},
    {SPARSE, "indices", OBJECT, OF(SPARSE_PART)},
    {SPARSE, "values", OBJECT, OF(SPARSE_PART)},
    {ANIMATION, "channels", OBJECTS, OF(CHANNEL)},
    {ANIMATION, "samplers", OBJECTS, OF(KEYS)},
    {CHANNEL, "target", OBJECT, OF(TARGET)},
    {CAMERA, "perspective", OBJECT, OF(LENS)},
    {CAMERA, "orthographic", OBJECT, OF(LENS)},
    {MATERIAL, "pbrMetallicRoughness", OBJECT, OF(SURFACE)},
    {MATERIAL, "normalTexture", OBJECT, OF(TEXTURE_INFO)},
    {MATERIAL, "occlusionTexture", OBJECT, OF(TEXTURE_INFO)},
    {MATERIAL, "emissiveTexture", OBJECT, OF(TEXTURE_INFO)},
    {MATERIAL, "emissiveFactor", .kind = FILLED},
    {SURFACE, "baseColorFactor", .kind = FILLED},
    {SURFACE, "baseColorTexture", OBJECT, OF(TEXTURE_INFO)},
    {SURFACE, "metallicRoughnessTexture", OBJECT, OF(TEXTURE_INFO)},
    {TEXTURE_INFO, "index", INDEX, .list = "textures", .needed = true},
    {TEXTURE_INFO, "texCoord", INTEGER, NOT_BELOW_0},
    {MESH, "primitives", OBJECTS, OF(PRIMITIVE)},
    {MESH, "weights", NUMBERS, ANY_VALUE},
    {PRIMITIVE, "attributes", .kind = FILLED},
    {PRIMITIVE, "targets", .kind = FILLED},
    {NODE, "children", .kind = FILLED},
    {NODE, "weights", NUMBERS, ANY_VALUE},
    {SCENE, "nodes", .kind = FILLED},
    {SKIN, "joints", .kind = FILLED},

    {ANISOTROPY, "anisotropyStrength", NUMBER, UNIT},
    {ANISOTROPY, "anisotropyRotation", NUMBER, ANY_VALUE},
    {ANISOTROPY, "anisotropyTexture", OBJECT, OF(TEXTURE_INFO)},
    {CLEARCOAT, "clearcoatFactor", NUMBER, UNIT},
    {CLEARCOAT, "clearcoatTexture", OBJECT, OF(TEXTURE_INFO)},
    {CLEARCOAT, "clearcoatRoughnessFactor", NUMBER, UNIT},
    {CLEARCOAT, "clearcoatRoughnessTexture", OBJECT, OF(TEXTURE_INFO)},
    {CLEARCOAT, "clearcoatNormalTexture", OBJECT, OF(TEXTURE_INFO)},
    {DISPERSION, "dispersion", NUMBER, NOT_BELOW_0},
    {IOR, "ior", .kind = ZERO_OR_ONE_UP},
    {IRIDESCENCE, "iridescenceFactor", NUMBER, UNIT},
    {IRIDESCENCE, "iridescenceTexture", OBJECT, OF(TEXTURE_INFO)},
    {IRIDESCENCE, "iridescenceIor", NUMBER, .low = 1, .high = HUGE_VAL},
    {IRIDESCENCE, "iridescenceThicknessMinimum", NUMBER, NOT_BELOW_0},
    {IRIDESCENCE, "iridescenceThicknessMaximum", NUMBER, NOT_BELOW_0},
    {IRIDESCENCE, "iridescenceThicknessTexture", OBJECT, OF(TEXTURE_INFO)},
    {GLOSSINESS, "diffuseFactor", NUMBERS, UNIT, .count = 4},
    {GLOSSINESS, "diffuseTexture", OBJECT, OF(TEXTURE_INFO)},
    {GLOSSINESS, "specularFactor", NUMBERS, UNIT, .count = 3},
    {GLOSSINESS, "glossinessFactor", NUMBER, UNIT},
    {GLOSSINESS, "specularGlossinessTexture", OBJECT, OF(TEXTURE_INFO)},
    {SHEEN, "sheenColorFactor", NUMBERS, UNIT, .count = 3},
    {SHEEN, "sheenColorTexture", OBJECT, OF(TEXTURE_INFO)},
    {SHEEN, "sheenRoughnessFactor", NUMBER, UNIT},
    {SHEEN, "sheenRoughnessTexture", OBJECT, OF(TEXTURE_INFO)},
    {SPECULAR, "specularFactor", NUMBER, UNIT},
    {SPECULAR, "specularTexture", OBJECT, OF(TEXTURE_INFO)},
    {SPECULAR, "specularColorFactor", NUMBERS, NOT_BELOW_0, .count = 3},
    {SPECULAR, "specularColorTexture", OBJECT, OF(TEXTURE_INFO)},
    {TRANSMISSION, "transmissionFactor", NUMBER, UNIT},
    {TRANSMISSION, "transmissionTexture", OBJECT, OF(TEXTURE_INFO)},
    {VOLUME, "thicknessFactor", NUMBER, NOT_BELOW_0},
    {VOLUME, "thicknessTexture", OBJECT, OF(TEXTURE_INFO)},
    {VOLUME, "attenuationDistance", .kind = POSITIVE},
    {VOLUME, "attenuationColor", NUMBERS, UNIT, .count = 3},
    {VARIANTS, "variants", OBJECTS, OF(VARIANT), .needed = true},
    {VARIANT, "name", STRING, .needed = true},
    {MAPPINGS, "mappings", OBJECTS, OF(MAPPING), .needed = true},
    {MAPPING, "material", INDEX, .list = "materials", .needed = true},
    {MAPPING, "variants", FILLED, .needed = true},
    {TRANSFORM, "offset", NUMBERS, ANY_VALUE, .count = 2},
    {TRANSFORM, "rotation", NUMBER, ANY_VALUE},
    {TRANSFORM, "scale", NUMBERS, ANY_VALUE, .count = 2},
    {TRANSFORM, "texCoord", INTEGER, NOT_BELOW_0},
    {WEBP, "source", INDEX, .list = "images"},
    {LIGHTS, "lights", OBJECTS, OF(LIGHT), .needed = true},
    {LIGHT, "color", .kind = FILLED},
    {LIGHT, "spot", OBJECT, OF(SPOT)},
    {POINTER, "pointer", STRING, .needed = true},
};

/* The objects in which an extension is allowed, its shape there, and whether it is compiled. */
static const struct {
    const char* name;
    Shape       owner, shape;
    bool        compiled;
} extensions[] = {
    {"EXT_texture_webp", TEXTURE, WEBP, false},
    {"KHR_animation_pointer", TARGET, POINTER, true},
    {"KHR_lights_punctual", ROOT, LIGHTS, true},
    {"KHR_lights_punctual", NODE, NODE_LIGHT, true},
    {"KHR_materials_anisotropy", MATERIAL, ANISOTROPY, false},
    {"KHR_materials_clearcoat", MATERIAL, CLEARCOAT, true},
    {"KHR_materials_dispersion", MATERIAL, DISPERSION, false},
    {"KHR_materials_emissive_strength", MATERIAL, EMISSIVE, true},
    {"KHR_materials_ior", MATERIAL, IOR, true},
    {"KHR_materials_iridescence", MATERIAL, IRIDESCENCE, false},
    {"KHR_materials_pbrSpecularGlossiness", MATERIAL, GLOSSINESS, false},
    {"KHR_materials_sheen", MATERIAL, SHEEN, false},
    {"KHR_materials_specular", MATERIAL, SPECULAR, false},
    {"KHR_materials_transmission", MATERIAL, TRANSMISSION, true},
    {"KHR_materials_unlit", MATERIAL, UNLIT, false},
    {"KHR_materials_variants", ROOT, VARIANTS, false},
    {"KHR_materials_variants", PRIMITIVE, MAPPINGS, false},
    {"KHR_materials_volume", MATERIAL, VOLUME, true},
    {"KHR_texture_transform", TEXTURE_INFO, TRANSFORM, true},
};

bool gltf_supports_extension(const char* name) {
    for (u32 i = 0; i < COUNT_OF(extensions); i++)
        if (strcmp(extensions[i].name, name) == 0) return true;
    return false;
}

bool gltf_compiles_extension(const char* name) {
    for (u32 i = 0; i < COUNT_OF(extensions); i++)
        if (extensions[i].compiled && strcmp(extensions[i].name, name) == 0) return true;
    return false;
}

/* The lists of the table, counted once. */
static const char* const list_keys[] = {"images", "textures", "materials"};

typedef struct Checker {
    Gltf*    g;
    GltfList lists[COUNT_OF(list_keys)];
} Checker;

static void check_object(Checker* c, const JsonToken* object, Shape shape);

/* --- values --- */

static bool check_range(Checker* c, const Property* p, const JsonToken* value) {
    const f64 number = json_token_number(value);
    if (number >= p->low && number <= p->high) return true;
    if (p->high == HUGE_VAL)
        gltf_error(c->g, E0403, value, "is %.15g, but must be at least %g", number, p->low);
    else
        gltf_error(c->g, E0403, value, "is %.15g, but must be from %g to %g", number, p->low,
                   p->high);
    return false;
}

static void check_number(Checker* c, const Property* p, const JsonToken* value) {
    const f64 number = json_token_number(value);
    if (p->kind == INTEGER && number != floor(number))
        gltf_error(c->g, E0403, value, "is %.15g, but must be an integer", number);
    else if (p->kind == POSITIVE && !(number > 0))
        gltf_error(c->g, E0403, value, "is %.15g, but must be greater than 0", number);
    else if (p->kind == ZERO_OR_ONE_UP && number != 0 && !(number >= 1))
        gltf_error(c->g, E0403, value, "is %.15g, but must be 0, or at least 1", number);
    else if (p->kind == INTEGER || p->kind == NUMBER)
        check_range(c, p, value);
}

static void check_numbers(Checker* c, const Property* p, const JsonToken* array) {
    u32 n = 0;
    for (const JsonToken* item = json_first(array); item; item = json_next(item), n++) {
        if (!gltf_is(c->g, item, JSON_NUMBER) || !check_range(c, p, item)) return;
    }
    if (p->count && n != p->count)
        gltf_error(c->g, E0403, array, "has %u numbers, but must have %u", n, p->count);
}

static void check_strings(Checker* c, const JsonToken* array) {
    for (const JsonToken* item = json_first(array); item; item = json_next(item))
        gltf_is(c->g, item, JSON_STRING);
    const GltfNames names = gltf_names(c->g, array);
    for (u32 i = 1; i < names.count; i++) {
        if (strcmp(names.at[i].text, names.at[i - 1].text) != 0) continue;
        gltf_remark(c->g, REMARK_LISTS, "duplicates", names.at[i].at,
                    "is \"%.64s\", which is a duplicate in this list", names.at[i].text);
    }
}

static void check_index(Checker* c, const Property* p, const JsonToken* value) {
    u32 i = 0;
    while (strcmp(list_keys[i], p->list) != 0) i++;
    gltf_index_of(c->g, value, &c->lists[i]);
}

static JsonKind json_kind_of(Kind kind) {
    switch (kind) {
    case STRING: return JSON_STRING;
    case NUMBERS:
    case STRINGS:
    case OBJECTS: return JSON_ARRAY;
    case OBJECT: return JSON_OBJECT;
    default: return JSON_NUMBER;
    }
}

/* The value is present and has the correct kind. */
static void check_content(Checker* c, const Property* p, const JsonToken* value) {
    if (json_token_is_open(value) && !json_first(value) && p->kind != OBJECT) {
        gltf_remark(c->g, REMARK_LISTS, "empty", value, "is empty, which glTF does not allow");
        return;
    }
    switch (p->kind) {
    case NUMBERS: check_numbers(c, p, value); break;
    case STRINGS: check_strings(c, value); break;
    case INDEX: check_index(c, p, value); break;
    case OBJECT: check_object(c, value, p->shape); break;
    case OBJECTS:
        for (const JsonToken* item = json_first(value); item; item = json_next(item))
            if (gltf_is(c->g, item, JSON_OBJECT)) check_object(c, item, p->shape);
        break;
    case FILLED: break;
    default:
        if (p->kind != STRING) check_number(c, p, value);
    }
}

/* A member that no reader compiles: also the textures of glass and of clear lacquer. */
static bool is_uncompiled(const Property* p) {
    const bool is_layer = p->owner == TRANSMISSION || p->owner == VOLUME || p->owner == CLEARCOAT;
    return p->owner == ASSET || (is_layer && p->kind == OBJECT);
}

static void property_check(Checker* c, const Property* p, const JsonToken* object,
                           const JsonToken* value) {
    if (p->kind == FILLED) {
        if (value)
            check_content(c, p, value);
        else if (p->needed)
            gltf_error(c->g, E0403, object, "has no \"%s\"", p->key);
        return;
    }
    const JsonKind kind = json_kind_of(p->kind);
    value =
        p->needed ? gltf_need(c->g, object, p->key, kind) : gltf_member(c->g, object, p->key, kind);
    if (value) check_content(c, p, value);
}

static void check_property(Checker* c, const Property* p, const JsonToken* object) {
    const JsonToken* value = json_get(object, p->key);
    const GltfMode   mode = gltf_mode(c->g, is_uncompiled(p) ? GLTF_UNCOMPILED : c->g->mode);
    property_check(c, p, object, value);
    gltf_mode(c->g, mode);
}

/* --- extensions --- */

/* An extension that is not in the table is ignored. */
static void check_extension(Checker* c, const JsonToken* item, Shape owner) {
    const GltfMode before = gltf_mode(
        c->g, gltf_compiles_extension(gltf_key(c->g, item)) ? c->g->mode : GLTF_UNCOMPILED);
    const bool is_object = gltf_is(c->g, item, JSON_OBJECT);
    gltf_mode(c->g, before);
    if (!is_object) return;
    if (!gltf_names_have(&c->g->used, gltf_key(c->g, item)))
        gltf_remark(c->g, REMARK_DECLARED, gltf_key(c->g, item), item,
                    "is an extension that \"extensionsUsed\" does not list");
    for (u32 i = 0; i < COUNT_OF(extensions); i++) {
        if (strcmp(extensions[i].name, gltf_key(c->g, item)) != 0 || extensions[i].owner != owner)
            continue;
        const GltfMode mode =
            gltf_mode(c->g, extensions[i].compiled ? c->g->mode : GLTF_UNCOMPILED);
        check_object(c, item, extensions[i].shape);
        gltf_mode(c->g, mode);
        return;
    }
    if (gltf_supports_extension(gltf_key(c->g, item)) || json_key_is(item, "KHR_mesh_quantization"))
        gltf_remark(c->g, REMARK_FAULTS, "", item,
                    "is an extension that is not allowed in this object; it is not compiled");
}

/* Recursion is bounded by JSON_DEPTH_MAX. */
static void check_object(Checker* c, const JsonToken* object, Shape shape) {
    const GltfMode mode = gltf_mode(c->g, GLTF_UNCOMPILED); /* another one is created for it */
    gltf_member(c->g, object, "name", JSON_STRING);
    gltf_mode(c->g, mode);
    for (u32 i = 0; i < COUNT_OF(properties); i++)
        if (properties[i].owner == shape) check_property(c, &properties[i], object);
    const JsonToken* list = gltf_member(c->g, object, "extensions", JSON_OBJECT);
    for (const JsonToken* item = json_first(list); item; item = json_next(item))
        check_extension(c, item, shape);
}

void gltf_check_schema(Gltf* g) {
    Checker c = {.g = g};
    for (u32 i = 0; i < COUNT_OF(list_keys); i++) c.lists[i] = gltf_list(g, g->root, list_keys[i]);
    check_object(&c, g->root, ROOT);
}
