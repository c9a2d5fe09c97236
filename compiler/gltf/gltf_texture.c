/* gltf_texture.c - the textures of materials. The slot, the sampler and the alpha mode decide how an
 * image is compiled; an image that is needed in two ways becomes two textures.
 *
 * Source: Khronos Group, glTF 2.0 specification, 2021; KHR_texture_transform. */
#include "diag_codes.h"
#include "gltf_internal.h"
#include "hash.h"
#include "relative.h"
#include "slots.h"

#define UV_SETS 2u

/* The use of an image: color is sRGB, data is linear, a mask is the red channel. */
static const struct {
    const char* key;
    const char* strength; /* the key of its strength, or NULL */
    f64         lowest, highest;
    Enum32      usage;
    bool        in_surface; /* a member of pbrMetallicRoughness */
} slots[MATERIAL_SLOT_COUNT] = {
    [MATERIAL_BASE_COLOR] = {"baseColorTexture", NULL, 0, 0, TEXTURE_COLOR, true},
    [MATERIAL_METALLIC_ROUGHNESS] = {"metallicRoughnessTexture", NULL, 0, 0, TEXTURE_DATA, true},
    [MATERIAL_NORMAL] = {"normalTexture", "scale", LOW, HIGH, TEXTURE_NORMAL, false},
    [MATERIAL_OCCLUSION] = {"occlusionTexture", "strength", 0, 1, TEXTURE_MASK, false},
    [MATERIAL_EMISSIVE] = {"emissiveTexture", NULL, 0, 0, TEXTURE_COLOR, false},
};

/* --- samplers --- */

/* An OpenGL constant and what it means. */
typedef struct SamplerCode {
    f64    code;
    Enum32 value, between; /* `between`: of levels */
    u32    levels;         /* 1: only the first one; 0: all */
} SamplerCode;

static const SamplerCode wraps[] = {
    {10497, TEXTURE_REPEAT, 0, 0},
    {33071, TEXTURE_CLAMP, 0, 0},
    {33648, TEXTURE_MIRROR, 0, 0},
};

static const SamplerCode filters[] = {
    {9728, TEXTURE_FILTER_NEAREST, TEXTURE_FILTER_NEAREST, 1},
    {9729, TEXTURE_FILTER_LINEAR, TEXTURE_FILTER_NEAREST, 1},
    {9984, TEXTURE_FILTER_NEAREST, TEXTURE_FILTER_NEAREST, 0},
    {9985, TEXTURE_FILTER_LINEAR, TEXTURE_FILTER_NEAREST, 0},
    {9986, TEXTURE_FILTER_NEAREST, TEXTURE_FILTER_LINEAR, 0},
    {9987, TEXTURE_FILTER_LINEAR, TEXTURE_FILTER_LINEAR, 0},
};

/* Returns the row of a code; NULL when it is absent, or invalid, which is reported. */
static const SamplerCode* code_of(Gltf* g, const JsonToken* sampler, const char* key,
                                  const SamplerCode* codes, u32 count, const char* valid) {
    const JsonToken* value = gltf_member(g, sampler, key, JSON_NUMBER);
    if (!value) return NULL;
    for (u32 i = 0; i < count; i++)
        if (codes[i].code == json_token_number(value)) return &codes[i];
    if (g->mode == GLTF_LOUD)
        gltf_remark(g, REMARK_UNKNOWN, key, value,
                    "is %.15g, but must be %s; its default is compiled", json_token_number(value),
                    valid);
    else
        gltf_error(g, E0403, value, "is %.15g, but must be %s", json_token_number(value), valid);
    return NULL;
}

static void read_sampler(Gltf* g, const JsonToken* sampler, TextureSettings* out) {
    static const char* const wrap_text = "10497 (repeat), 33071 (clamp) or 33648 (mirror)";
    const u32                wrap_count = (u32)COUNT_OF(wraps);
    const SamplerCode*       u = code_of(g, sampler, "wrapS", wraps, wrap_count, wrap_text);
    const SamplerCode*       v = code_of(g, sampler, "wrapT", wraps, wrap_count, wrap_text);
    const SamplerCode*       near =
        code_of(g, sampler, "magFilter", filters, 2, "9728 (nearest) or 9729 (linear)");
    const SamplerCode* far =
        code_of(g, sampler, "minFilter", filters, (u32)COUNT_OF(filters),
                "9728, 9729 (without levels) or from 9984 to 9987 (with levels)");
    if (u) out->wrap_u = u->value;
    if (v) out->wrap_v = v->value;
    if (near) out->magnify = near->value;
    if (!far) return;
    out->minify = far->value;
    out->between_levels = far->between;
    out->levels = far->levels;
}

/* --- textures --- */

typedef struct Reader {
    Gltf*            g;
    TextureSettings* samplers;     /* [lists.samplers.count] of those that are used */
    bool*            sampler_used; /* [lists.samplers.count] */
    bool*            texture_used; /* [lists.textures.count] by a slot of a material */
    u32*             image_of;     /* [out->texture_count] */
    Slots            rows;         /* of the textures, by image and settings */
} Reader;

/* "oak" of "textures/oak.png" */
static const char* stem_of(const Gltf* g, const JsonToken* uri) {
    Arena* const arena = g->arena;
    const char*  path = gltf_is_data_uri(uri) ? NULL : uri_decode(arena, gltf_text(g, uri));
    if (!path) return "";
    const char* name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    const char* end = strrchr(name, '.');
    return arena_text(arena, (Text){name, end ? (u32)(end - name) : (u32)strlen(name)});
}

static const char* image_name(Gltf* g, const JsonToken* image) {
    const char*      name = gltf_name(g, image);
    const JsonToken* uri = json_get(image, "uri");
    return *name || !json_token_is(uri, JSON_STRING) ? name : stem_of(g, uri);
}

static void image_remark(Gltf* g, const JsonToken* info) {
    gltf_remark(g, REMARK_TEXTURES, "", info,
                "is not compiled: its texture has no PNG or JPEG image");
}

/* The bytes of an image in another file are read when it is used for the first time. */
static bool open_image(Gltf* g, u32 index, const JsonToken* info) {
    GltfImage*       image = &g->images[index];
    const JsonToken* uri = json_get(g->lists.images.at[index], "uri");
    if (!image->at && !image->used && json_token_is(uri, JSON_STRING) && !gltf_is_data_uri(uri))
        image->at = gltf_read_file(g, uri, &image->bytes);
    image->used = true;
    if (!image->at || gltf_image_is_known(image->at, image->bytes)) return image->at != NULL;
    image_remark(g, info);
    return false;
}

static u32* texture_slot(const Reader* r, u32 image, const TextureSettings* settings) {
    const GltfTexture* at = r->g->out->textures;
    u32*               slot = slots_first(&r->rows, hash_bytes(settings, sizeof *settings, image));
    for (; *slot; slot = slots_next(&r->rows, slot)) {
        if (r->image_of[*slot - 1] == image &&
            memcmp(&at[*slot - 1].settings, settings, sizeof *settings) == 0)
            break;
    }
    return slot;
}

/* Returns the row of the texture with this image and these settings, which may be new. */
static u32 texture_row(Reader* r, u32 image, const TextureSettings* settings) {
    GltfModel* out = r->g->out;
    if (slots_are_full(&r->rows, out->texture_count)) {
        slots_grow(&r->rows, 64);
        for (u32 i = 0; i < out->texture_count; i++)
            *texture_slot(r, r->image_of[i], &out->textures[i].settings) = i + 1;
    }
    u32* slot = texture_slot(r, image, settings);
    if (*slot) return *slot - 1;
    const JsonToken* json = r->g->lists.images.at[image];
    r->image_of[out->texture_count] = image;
    out->textures[out->texture_count] = (GltfTexture){.name = out->image_names[image],
                                                      .settings = *settings,
                                                      .bytes = r->g->images[image].at,
                                                      .size = r->g->images[image].bytes,
                                                      .image = image,
                                                      .offset = gltf_offset(r->g, json)};
    *slot = ++out->texture_count;
    return *slot - 1;
}

/* --- slots of materials --- */

static void read_transform(Gltf* g, const JsonToken* info, MaterialTextureRecord* row) {
    const JsonToken* transform = gltf_extension(g, info, "KHR_texture_transform");
    f64              offset[2] = {0, 0}, scale[2] = {1, 1};
    row->uv_set = (u32)gltf_uint(g, info, "texCoord", 0, 0, UINT32_MAX);
    row->uv_set = (u32)gltf_uint(g, transform, "texCoord", row->uv_set, 0, UINT32_MAX);
    gltf_vector(g, transform, "offset", offset, 2, GLTF_ANY);
    gltf_vector(g, transform, "scale", scale, 2, GLTF_ANY);
    row->offset = (Vec2){(f32)offset[0], (f32)offset[1]};
    row->scale = (Vec2){(f32)scale[0], (f32)scale[1]};
    row->rotation_rad = (f32)gltf_number(g, transform, "rotation", 0, LOW, HIGH);
}

/* A sampler is read when it is used for the first time. */
static const TextureSettings* sampler_settings(Reader* r, u32 index) {
    TextureSettings* out = &r->samplers[index];
    if (!r->sampler_used[index]) {
        record_defaults(texture_settings_type(), out);
        read_sampler(r->g, r->g->lists.samplers.at[index], out);
    }
    r->sampler_used[index] = true;
    return out;
}

/* Alpha has a meaning only in the base colour of materials that are not opaque. */
static TextureSettings settings_of(Reader* r, const JsonToken* texture, u32 slot,
                                   const GltfMaterial* of) {
    const MaterialRecord* const material = &of->record;
    TextureSettings             settings;
    const u32 sampler = gltf_index(r->g, texture, "sampler", &r->g->lists.samplers);
    record_defaults(texture_settings_type(), &settings);
    if (sampler != NONE) settings = *sampler_settings(r, sampler);
    settings.usage = slots[slot].usage;
    settings.opaque = slot != MATERIAL_BASE_COLOR || of->is_opaque;
    if (!settings.opaque && material->alpha_mode == MATERIAL_MASK && material->opacity > 0)
        settings.alpha_cutoff = MIN_OF(material->alpha_cutoff / material->opacity, 1);
    return settings;
}

/* Returns the image of a texture; NONE, after a remark, when there is none that is compiled. */
static u32 image_of(Gltf* g, const JsonToken* info, const JsonToken* texture) {
    const u32 image = gltf_index(g, texture, "source", &g->lists.images);
    if (image != NONE && gltf_image(g, image)->plain) return image;
    image_remark(g, info);
    return NONE;
}

static const JsonToken* slot_info(const JsonToken* material, u32 slot) {
    const JsonToken* owner =
        slots[slot].in_surface ? json_get(material, "pbrMetallicRoughness") : material;
    return json_get(owner, slots[slot].key);
}

static u32 slot_image(Gltf* g, const JsonToken* material, u32 slot) {
    const JsonToken* info = slot_info(material, slot);
    const u32        texture = info ? gltf_index(g, info, "index", &g->lists.textures) : NONE;
    if (texture == NONE) return NONE;
    return gltf_index(g, g->lists.textures.at[texture], "source", &g->lists.images);
}

static void read_slot(Reader* r, const JsonToken* json, u32 slot, GltfMaterial* out) {
    Gltf*                 g = r->g;
    const JsonToken*      info = slot_info(json, slot);
    const u32             index = info ? gltf_index(g, info, "index", &g->lists.textures) : NONE;
    MaterialTextureRecord row = {.slot = slot, .strength = 1};
    if (index == NONE) return;
    r->texture_used[index] = true;
    const JsonToken* texture = g->lists.textures.at[index];
    const u32        image = image_of(g, info, texture);
    read_transform(g, info, &row);
    if (slots[slot].strength)
        row.strength = (f32)gltf_number(g, info, slots[slot].strength, 1, slots[slot].lowest,
                                        slots[slot].highest);
    if (image == NONE) return;
    if (row.uv_set >= UV_SETS) {
        gltf_remark(g, REMARK_TEXTURES, "", info,
                    "is not compiled: it uses TEXCOORD_%u; only TEXCOORD_0 and TEXCOORD_1 are "
                    "compiled",
                    row.uv_set);
        return;
    }
    TextureSettings settings = settings_of(r, texture, slot, out);
    if (slot == MATERIAL_OCCLUSION && image == slot_image(g, json, MATERIAL_METALLIC_ROUGHNESS))
        settings.usage = TEXTURE_DATA; /* one image with occlusion in red: one texture */
    if (!open_image(g, image, info)) return;
    const u32 table_row = texture_row(r, image, &settings);
    out->textures[out->texture_count++] = (GltfMaterialTexture){row, table_row};
}

/* The number of slots that refer to a texture: at most so many textures are needed. */
static u32 slots_used(const JsonToken* material) {
    u32 count = 0;
    for (u32 slot = 0; slot < MATERIAL_SLOT_COUNT; slot++)
        count += slot_info(material, slot) != NULL;
    return count;
}

/* Faults of samplers and textures that nothing uses are remarks. */
static void check_unused(const Reader* r) {
    Gltf*           g = r->g;
    const GltfMode  mode = gltf_mode(g, GLTF_UNCOMPILED);
    TextureSettings unused;
    for (u32 i = 0; i < g->lists.samplers.count; i++)
        if (!r->sampler_used[i]) read_sampler(g, g->lists.samplers.at[i], &unused);
    for (u32 i = 0; i < g->lists.textures.count; i++) {
        if (r->texture_used[i]) continue;
        gltf_index(g, g->lists.textures.at[i], "source", &g->lists.images);
        gltf_index(g, g->lists.textures.at[i], "sampler", &g->lists.samplers);
    }
    gltf_mode(g, mode);
}

static void read_image_names(Gltf* g) {
    g->out->image_count = g->lists.images.count;
    g->out->image_names = ARENA_NEW(g->arena, const char*, g->lists.images.count);
    for (u32 i = 0; i < g->lists.images.count; i++)
        g->out->image_names[i] = image_name(g, g->lists.images.at[i]);
}

/* --- tangents --- */

static const MaterialTextureRecord* normal_map_of(const GltfModel* out, const GltfPrimitive* p) {
    const GltfMaterial* material = p->material == NONE ? NULL : &out->materials[p->material];
    for (u32 i = 0; material && i < material->texture_count; i++)
        if (material->textures[i].record.slot == MATERIAL_NORMAL)
            return &material->textures[i].record;
    return NULL;
}

/* Where a texture is read: offset + rotation (scale uv), as runtime/gpu/meshes does. */
static Vec2* uvs_transform(Gltf* g, const Vec2* uvs, u32 count, const MaterialTextureRecord* map) {
    const f32 c = cosf(map->rotation_rad), s = sinf(map->rotation_rad);
    if (!gltf_charge(g, g->root, count * (u64)sizeof *uvs)) return NULL;
    Vec2* out = ARENA_NEW(g->arena, Vec2, count);
    for (u32 i = 0; i < count; i++) {
        const f32 u = uvs[i].x * map->scale.x, v = uvs[i].y * map->scale.y;
        out[i] = (Vec2){map->offset.x + c * u + s * v, map->offset.y - s * u + c * v};
    }
    return out;
}

static void primitive_need_tangents(Gltf* g, GltfPrimitive* p) {
    const MaterialTextureRecord* map = normal_map_of(g->out, p);
    if (!map || p->tangents || p->topology != MESH_TRIANGLES) return;
    Vec2* const uvs = map->uv_set == 0 ? p->uvs : p->uvs_1;
    const bool  same = map->rotation_rad == 0 && map->scale.x == 1 && map->scale.y == 1;
    p->tangent_uvs = !uvs || same ? uvs : uvs_transform(g, uvs, p->vertex_count, map);
}

void gltf_need_tangents(Gltf* g) {
    for (u32 i = 0; i < g->out->mesh_count; i++)
        for (u32 k = 0; k < g->out->meshes[i].primitive_count; k++)
            primitive_need_tangents(g, &g->out->meshes[i].primitives[k]);
}

/* --- all textures --- */

void gltf_read_textures(Gltf* g) {
    const GltfList materials = gltf_list(g, g->root, "materials");
    Reader         r = {.g = g};
    u32            max = 0;
    for (u32 i = 0; i < materials.count; i++) max += slots_used(materials.at[i]);
    g->out->textures = ARENA_NEW(g->arena, GltfTexture, max);
    r.image_of = ARENA_NEW(g->arena, u32, max);
    r.samplers = ARENA_NEW(g->arena, TextureSettings, g->lists.samplers.count);
    r.sampler_used = ARENA_NEW(g->arena, bool, g->lists.samplers.count);
    r.texture_used = ARENA_NEW(g->arena, bool, g->lists.textures.count);
    read_image_names(g);
    for (u32 i = 0; i < materials.count; i++) {
        GltfMaterial* out = &g->out->materials[i];
        out->textures = ARENA_NEW(g->arena, GltfMaterialTexture, slots_used(materials.at[i]));
        for (u32 slot = 0; slot < MATERIAL_SLOT_COUNT; slot++)
            read_slot(&r, materials.at[i], slot, out);
    }
    check_unused(&r);
    slots_drop(&r.rows);
}
