/* gltf_material.c - the materials, cameras and lights of a glTF file. */
#include "diag_codes.h"
#include "gltf_internal.h"
#include "records.h"

#define EMISSIVE_MAX    1e6
#define THICKNESS_MAX_M 1e6
#define INDEX_DEFAULT   1.5
#define INDEX_MAX       3.0
#define LUX_MIN         0.01 /* a light without a range reaches to where it illuminates less */
#define RANGE_MIN_M     0.001
#define RANGE_MAX_M     1e6
#define QUARTER_PI      0.78539816339744830961
#define HALF_PI         1.5707964 /* as a 32-bit float, rounded up */

static Vec3 vec3_of(const f64* v) { return (Vec3){(f32)v[0], (f32)v[1], (f32)v[2]}; }

static void read_surface(Gltf* g, const JsonToken* json, MaterialRecord* record) {
    f64              color[4] = {1, 1, 1, 1};
    const JsonToken* pbr = gltf_member(g, json, "pbrMetallicRoughness", JSON_OBJECT);
    gltf_vector(g, pbr, "baseColorFactor", color, 4, GLTF_UNIT);
    record->base_color = vec3_of(color);
    record->opacity = (f32)color[3];
    record->metallic = (f32)gltf_number(g, pbr, "metallicFactor", 1, 0, 1);
    record->roughness = (f32)gltf_number(g, pbr, "roughnessFactor", 1, 0, 1);
}

static void read_emissive(Gltf* g, const JsonToken* json, MaterialRecord* record) {
    f64              color[3] = {0, 0, 0};
    const JsonToken* extension = gltf_extension(g, json, "KHR_materials_emissive_strength");
    const f64        strength = gltf_number(g, extension, "emissiveStrength", 1, 0, EMISSIVE_MAX);
    gltf_vector(g, json, "emissiveFactor", color, 3, GLTF_UNIT);
    for (u32 i = 0; i < 3; i++) color[i] *= strength;
    record->emissive = vec3_of(color);
}

bool gltf_is_material_key(const char* key) {
    static const char* const keys[] = GLTF_MATERIAL_KEYS;
    for (u32 i = 0; i < COUNT_OF(keys); i++)
        if (strcmp(key, keys[i]) == 0) return true;
    return false;
}

/* What glTF has no member for is a custom property with the name of the field. */
static void read_properties(Gltf* g, const JsonToken* json, MaterialRecord* record) {
    const JsonToken* extras = json_get(json, "extras");
    f64              scroll[4];
    if (!extras || !json_token_is(extras, JSON_OBJECT)) return;
    record->refraction =
        (f32)gltf_number(g, extras, "refraction", (f64)record->refraction, 0, 2 * (INDEX_MAX - 1));
    record->caustic_strength = (f32)gltf_number(g, extras, "caustic_strength", 0, 0, 100);
    if (!gltf_vector(g, extras, "normal_scroll", scroll, 4, (GltfRange){-1e3, 1e3})) return;
    if (!json_get(json, "normalTexture"))
        gltf_error(g, E0403, json_get(extras, "normal_scroll"),
                   "moves a normal map, but the material has no \"normalTexture\"");
    record->normal_scroll = (Vec4){(f32)scroll[0], (f32)scroll[1], (f32)scroll[2], (f32)scroll[3]};
}

/* The index of refraction; 0 stands for one without end. */
static f64 index_read(Gltf* g, const JsonToken* json) {
    const JsonToken* extension = gltf_extension(g, json, "KHR_materials_ior");
    const JsonToken* value = json_get(extension, "ior");
    const bool is_endless = json_token_is(value, JSON_NUMBER) && json_token_number(value) == 0;
    if (is_endless)
        gltf_remark(g, REMARK_LIMITS, "ior", value, "is 0, which has no limit; %g is compiled",
                    INDEX_MAX);
    return is_endless ? INDEX_MAX : gltf_number(g, extension, "ior", INDEX_DEFAULT, 1, INDEX_MAX);
}

/* What a body of this thickness leaves of white light, by the law of Lambert and Beer. */
static Vec3 body_color(Gltf* g, const JsonToken* volume, f64 thickness_m) {
    f64 color[3] = {1, 1, 1};
    if (!json_get(volume, "attenuationDistance")) return vec3_of(color); /* it is endless */
    const f64 reach_m = gltf_number(g, volume, "attenuationDistance", HIGH, 1e-9, HIGH);
    gltf_vector(g, volume, "attenuationColor", color, 3, GLTF_UNIT);
    for (u32 i = 0; i < 3; i++)
        color[i] = thickness_m > 0 ? pow(color[i], thickness_m / reach_m) : 1;
    return vec3_of(color);
}

/* A custom property takes the place of that of the volume, which Blender states only with a group of nodes. */
static f64 thickness_read(Gltf* g, const JsonToken* json, const JsonToken* volume) {
    const JsonToken* extras = json_get(json, "extras");
    const bool is_named = json_token_is(extras, JSON_OBJECT) && json_get(extras, "thickness_m");
    return is_named ? gltf_number(g, extras, "thickness_m", 0, 0, THICKNESS_MAX_M)
                    : gltf_number(g, volume, "thicknessFactor", 0, 0, THICKNESS_MAX_M);
}

bool gltf_is_glass(Gltf* g, const JsonToken* json) {
    const JsonToken* factor =
        json_get(gltf_extension(g, json, "KHR_materials_transmission"), "transmissionFactor");
    return json_token_is(factor, JSON_NUMBER) && json_token_number(factor) > 0;
}

/* Glass is blended: its alpha, if it has one, is how much of it there is. */
static void read_glass(Gltf* g, const JsonToken* json, MaterialRecord* record) {
    const JsonToken* extension = gltf_extension(g, json, "KHR_materials_transmission");
    const JsonToken* volume = gltf_extension(g, json, "KHR_materials_volume");
    if (!gltf_is_glass(g, json)) return;
    const f64 thickness_m = thickness_read(g, json, volume);
    record->transmission = (f32)gltf_number(g, extension, "transmissionFactor", 0, 0, 1);
    record->transmission_color = body_color(g, volume, thickness_m);
    record->thickness_m = (f32)thickness_m;
    record->refraction = (f32)(2 * (index_read(g, json) - 1));
    if (record->alpha_mode == MATERIAL_OPAQUE) record->opacity = 1;
    record->alpha_mode = MATERIAL_BLEND;
}

static void read_clearcoat(Gltf* g, const JsonToken* json, MaterialRecord* record) {
    const JsonToken* extension = gltf_extension(g, json, "KHR_materials_clearcoat");
    record->clearcoat = (f32)gltf_number(g, extension, "clearcoatFactor", 0, 0, 1);
    record->clearcoat_roughness =
        (f32)gltf_number(g, extension, "clearcoatRoughnessFactor", 0, 0, 1);
}

/* Above 1, no opacity reaches the cutoff: the specification renders the material as fully transparent. */
static void read_cutoff(Gltf* g, const JsonToken* json, MaterialRecord* record) {
    const f64 cutoff = gltf_number(g, json, "alphaCutoff", 0.5, 0, HIGH);
    record->alpha_cutoff = (f32)MIN_OF(cutoff, 1.0);
    if (record->alpha_mode == MATERIAL_MASK && cutoff > 1) record->opacity = 0;
}

static void read_material(Gltf* g, const JsonToken* json, GltfMaterial* out) {
    static const char* const modes[] = {"OPAQUE", "MASK", "BLEND"}; /* as MATERIAL_ALPHA */
    out->name = gltf_name(g, json);
    out->offset = gltf_offset(g, json);
    MaterialRecord* record = &out->record;
    record->transmission_color = (Vec3){1, 1, 1};
    read_surface(g, json, record);
    read_emissive(g, json, record);
    record->alpha_mode = gltf_choice(g, json, "alphaMode", MATERIAL_OPAQUE, modes, COUNT_OF(modes));
    read_cutoff(g, json, record);
    record->double_sided = gltf_bool(g, json, "doubleSided", false);
    out->is_opaque = record->alpha_mode == MATERIAL_OPAQUE;
    read_glass(g, json, record);
    read_clearcoat(g, json, record);
    read_properties(g, json, record);
}

void gltf_read_materials(Gltf* g) {
    const GltfList list = gltf_list(g, g->root, "materials");
    g->out->materials = ARENA_NEW(g->arena, GltfMaterial, list.count);
    g->out->material_count = list.count;
    for (u32 i = 0; i < list.count; i++) read_material(g, list.at[i], &g->out->materials[i]);
}

/* A required number. */
static f64 need_number(Gltf* g, const JsonToken* object, const char* key, f64 low, f64 high) {
    if (!gltf_need(g, object, key, JSON_NUMBER)) return low;
    return gltf_number(g, object, key, low, low, high);
}

static void read_perspective(Gltf* g, const JsonToken* json, CameraRecord* out) {
    out->kind = CAMERA_PERSPECTIVE;
    out->vertical_fov_rad = (f32)need_number(g, json, "yfov", GLTF_FOV_MIN, GLTF_FOV_MAX);
    out->aspect = (f32)gltf_number(g, json, "aspectRatio", 0, 1e-6, 1000);
    out->near_m = (f32)need_number(g, json, "znear", 0.00001, 1e6);
    out->far_m = (f32)gltf_number(g, json, "zfar", 0, 0.00001, 1e9);
}

/* A number that has to be in bounds that follow from others. */
static f64 limited_number(Gltf* g, const JsonToken* json, const char* name, f64 number, f64 low,
                          f64 high) {
    const f64 limited = MIN_OF(MAX_OF(number, low), high);
    if (number != limited)
        gltf_remark(g, REMARK_LIMITS, name, json,
                    "has %s of %.9g, but must have one from %.9g to %.9g; %.9g is compiled", name,
                    number, low, high, limited);
    return limited;
}

static void read_orthographic(Gltf* g, const JsonToken* json, CameraRecord* out) {
    const f64 width = fabs(need_number(g, json, "xmag", -5e5, 5e5));
    const f64 height = fabs(need_number(g, json, "ymag", -5e5, 5e5));
    out->kind = CAMERA_ORTHOGRAPHIC;
    if (!(width > 0) || !(height > 0)) {
        gltf_error(g, E0403, json, "has an \"xmag\" of %g and a \"ymag\" of %g; neither may be 0",
                   width, height);
        return;
    }
    out->height_m = (f32)limited_number(g, json, "a height", 2 * height, 0.0001, 1e6);
    out->aspect = (f32)limited_number(g, json, "an aspect ratio", width / height, 1e-6, 1000);
    /* The record cannot represent a nearest depth of 0: objects closer than 10 um are not
     * visible. */
    out->near_m = (f32)MAX_OF(need_number(g, json, "znear", 0, 1e6), 0.00001);
    out->far_m = (f32)need_number(g, json, "zfar", 0.00001, 1e9);
}

/* Depths that differ in the file, and no longer as floats within their bounds, stay different. */
static void check_depths(Gltf* g, const JsonToken* lens, CameraRecord* out) {
    const JsonToken *far = json_get(lens, "zfar"), *near = json_get(lens, "znear");
    if (!(out->far_m > 0) || out->far_m > out->near_m) return;
    const bool is_ordered = json_token_is(far, JSON_NUMBER) && json_token_is(near, JSON_NUMBER) &&
                            json_token_number(far) > json_token_number(near);
    if (is_ordered) {
        const f32 nearest = nextafterf(out->near_m, HUGE_VALF);
        gltf_remark(g, REMARK_LIMITS, "depths", lens,
                    "has a \"znear\" of %.9g and a \"zfar\" of %.9g, which are too near to each "
                    "other; %.9g and %.9g are compiled",
                    json_token_number(near), json_token_number(far), (f64)out->near_m,
                    (f64)nearest);
        out->far_m = nearest;
        return;
    }
    gltf_error(g, E0403, lens, "has a \"zfar\" of %g, which must be greater than its znear, %g",
               (f64)out->far_m, (f64)out->near_m);
}

static u32 kind_of(const JsonToken* type, const char* const* kinds, u32 count) {
    for (u32 i = 0; i < count; i++)
        if (json_token_is(type, JSON_STRING) && json_token_equals(type, kinds[i])) return i;
    return NONE;
}

/* Is a camera or a light of a kind that is compiled? */
bool gltf_kind_is_known(const JsonToken* json) {
    static const char* const kinds[] = {"perspective", "orthographic", "point", "spot",
                                        "directional"};
    return kind_of(json_get(json, "type"), kinds, COUNT_OF(kinds)) != NONE;
}

static void read_camera(Gltf* g, const JsonToken* json, CameraRecord* out) {
    static const char* const kinds[] = {"perspective", "orthographic"}; /* as CAMERA_KIND */
    *out = (CameraRecord){.vertical_fov_rad = 0.9f, .height_m = 10, .near_m = 0.1f, .target = NONE};
    if (!gltf_need(g, json, "type", JSON_STRING)) return;
    const u32 kind = kind_of(json_get(json, "type"), kinds, COUNT_OF(kinds));
    if (kind == NONE) {
        gltf_remark(g, REMARK_UNKNOWN, "cameras", json, "is not compiled: its \"type\" is unknown");
        return;
    }
    if (json_get(json, kinds[1 - kind]))
        gltf_remark(g, REMARK_LISTS, "cameras", json,
                    "is %s, but also has \"%s\", which is ignored", kinds[kind], kinds[1 - kind]);
    const JsonToken* lens = gltf_need(g, json, kinds[kind], JSON_OBJECT);
    if (!lens) return;
    if (kind == CAMERA_PERSPECTIVE)
        read_perspective(g, lens, out);
    else
        read_orthographic(g, lens, out);
    check_depths(g, lens, out);
}

bool* gltf_rows_used(Gltf* g, const GltfList* list, const char* extension, const char* key,
                     bool drawn) {
    bool*          used = ARENA_NEW(g->arena, bool, list->count);
    const GltfMode mode = gltf_mode(g, GLTF_QUIET); /* reported with the node */
    for (u32 i = 0; i < g->lists.nodes.count; i++) {
        const JsonToken* json = g->lists.nodes.at[i];
        if (drawn && g->nodes.of_scene[i] >= g->nodes.drawn_count) continue;
        const u32 row =
            gltf_index(g, extension ? gltf_extension(g, json, extension) : json, key, list);
        if (row != NONE) used[row] = true;
    }
    gltf_mode(g, mode);
    return used;
}

static GltfNamed name_read(Gltf* g, const JsonToken* json) {
    return (GltfNamed){gltf_name(g, json), gltf_offset(g, json)};
}

void gltf_read_cameras(Gltf* g) {
    g->out->camera_count = g->lists.cameras.count;
    g->out->cameras = ARENA_NEW(g->arena, CameraRecord, g->lists.cameras.count);
    g->out->camera_names = ARENA_NEW(g->arena, GltfNamed, g->lists.cameras.count);
    const bool* used = gltf_rows_used(g, &g->lists.cameras, NULL, "camera", false);
    for (u32 i = 0; i < g->lists.cameras.count; i++) {
        const GltfMode mode = gltf_mode(g, used[i] ? g->mode : GLTF_UNCOMPILED);
        read_camera(g, g->lists.cameras.at[i], &g->out->cameras[i]);
        g->out->camera_names[i] = name_read(g, g->lists.cameras.at[i]);
        gltf_mode(g, mode);
    }
}

/* With equal angles, the cone has a hard edge. */
static void read_cone(Gltf* g, const JsonToken* json, LightRecord* out) {
    const JsonToken* spot = gltf_need(g, json, "spot", JSON_OBJECT);
    const f64        inner = gltf_number(g, spot, "innerConeAngle", 0, 0, HALF_PI);
    const f64        outer = gltf_number(g, spot, "outerConeAngle", QUARTER_PI, 0, HALF_PI);
    if (outer <= inner)
        gltf_remark(
            g, REMARK_LIMITS, "cones", spot,
            "has an outerConeAngle of %g, which must be greater than its innerConeAngle, %g; "
            "the edge of its cone is hard",
            outer, inner);
    out->inner_angle_rad = (f32)MIN_OF(inner, outer);
    out->outer_angle_rad = (f32)outer;
}

/* What exceeds 1 in a color is the scale of the light, which its intensity is multiplied by when the clips that animate it
 * are known: gltf_scale_lights. */
static f64 read_light_color(Gltf* g, const JsonToken* json, LightRecord* out) {
    f64 color[3] = {1, 1, 1};
    out->intensity = (f32)gltf_number(g, json, "intensity", 1, 0, GLTF_INTENSITY_MAX);
    gltf_vector(g, json, "color", color, 3, (GltfRange){0, HIGH});
    out->color = vec3_of(color);
    return MAX_OF(MAX_OF(color[0], MAX_OF(color[1], color[2])), 1);
}

/* In glTF, a light without a range has no limit. */
static f64 range_of(Enum32 kind, f64 intensity) {
    const f64 reach_m = sqrt(intensity / LUX_MIN);
    if (kind == LIGHT_DIRECTIONAL) return RANGE_MAX_M;
    return MIN_OF(MAX_OF(reach_m, RANGE_MIN_M), RANGE_MAX_M);
}

static void read_light(Gltf* g, const JsonToken* json, LightRecord* out, GltfLight* light) {
    static const char* const kinds[] = {"point", "spot", "directional"}; /* as LIGHT_KIND */
    *out = (LightRecord){.outer_angle_rad = (f32)QUARTER_PI};
    if (!gltf_need(g, json, "type", JSON_STRING)) return;
    const u32 kind = kind_of(json_get(json, "type"), kinds, COUNT_OF(kinds));
    if (kind == NONE) {
        gltf_remark(g, REMARK_UNKNOWN, "lights", json, "is not compiled: its \"type\" is unknown");
        return;
    }
    out->kind = kind;
    light->scale = read_light_color(g, json, out);
    light->has_range = json_get(json, "range") != NULL;
    out->range_m = (f32)gltf_number(g, json, "range", range_of(kind, (f64)out->intensity),
                                    RANGE_MIN_M, RANGE_MAX_M);
    if (out->kind == LIGHT_SPOT) read_cone(g, json, out);
}

void gltf_read_lights(Gltf* g) {
    g->out->light_count = g->lists.lights.count;
    g->out->lights = ARENA_NEW(g->arena, LightRecord, g->lists.lights.count);
    g->out->light_names = ARENA_NEW(g->arena, GltfNamed, g->lists.lights.count);
    g->properties.lights = ARENA_NEW(g->arena, GltfLight, g->lists.lights.count);
    const bool* used = gltf_rows_used(g, &g->lists.lights, "KHR_lights_punctual", "light", false);
    for (u32 i = 0; i < g->lists.lights.count; i++) {
        const GltfMode mode = gltf_mode(g, used[i] ? g->mode : GLTF_UNCOMPILED);
        g->properties.lights[i] = (GltfLight){.scale = 1, .is_used = used[i]};
        read_light(g, g->lists.lights.at[i], &g->out->lights[i], &g->properties.lights[i]);
        g->out->light_names[i] = name_read(g, g->lists.lights.at[i]);
        gltf_mode(g, mode);
    }
}

/* --- lights that clips animate --- */

/* The largest value between two cubic keys, which may be greater than both: at the zeros of the derivative. */
static f64 segment_max(f64 p, f64 m, f64 q, f64 n) {
    const f64 a = 6 * p + 3 * m - 6 * q + 3 * n, b = -6 * p - 4 * m + 6 * q - 2 * n, c = m;
    const f64 square = b * b - 4 * a * c, root = square > 0 ? sqrt(square) : 0;
    const f64 zeros[] = {a != 0 ? (-b + root) / (2 * a) : -1, a != 0 ? (-b - root) / (2 * a) : -1,
                         b != 0 ? -c / b : -1};
    f64 max = MAX_OF(p, q);
    for (u32 i = 0; i < COUNT_OF(zeros); i++) {
        const f64 t = zeros[i], u = 1 - t;
        if (!(t > 0 && t < 1)) continue;
        max = MAX_OF(max, (1 + 2 * t) * u * u * p + t * u * u * m + t * t * (3 - 2 * t) * q -
                              t * t * u * n);
    }
    return max;
}

/* The largest value, also between cubic keys. */
static f64 track_max(const GltfPropertyTrack* t) {
    const u32  words = CLIP_PROPERTY_WORDS(t->property);
    const bool cubic = t->interpolation == CLIP_CUBIC;
    const f32* value = t->values + (cubic ? words : 0); /* behind the tangent before it */
    f64        max = 0;
    for (u32 i = 0; i < t->key_count; i++, value += (cubic ? 3 : 1) * words)
        for (u32 k = 0; k < words; k++) {
            max = MAX_OF(max, (f64)value[k]);
            if (!cubic || i + 1 == t->key_count) continue;
            const f32* next = value + 3 * words;
            const f64  step_s = (f64)t->times[i + 1] - (f64)t->times[i];
            max = MAX_OF(max, segment_max((f64)value[k], (f64)value[k + words] * step_s,
                                          (f64)next[k], (f64)(next - words)[k] * step_s));
        }
    return max;
}

/* The tangents of cubic keys too. */
static void track_scale(const GltfPropertyTrack* t, f64 by) {
    const size_t words =
        CLIP_PROPERTY_WORDS(t->property) * (t->interpolation == CLIP_CUBIC ? 3u : 1u);
    for (size_t i = 0; i < t->key_count * words; i++)
        t->values[i] = (f32)MIN_OF(MAX_OF((f64)t->values[i] * by, LOW), HIGH);
}

/* Calls for each track of a light. */
static void tracks_visit(Gltf* g, void (*each)(Gltf* g, const GltfPropertyTrack* track)) {
    for (u32 i = 0; i < g->out->clip_count; i++) {
        const GltfClip* clip = &g->out->clips[i];
        for (u32 k = 0; k < clip->property_count; k++)
            if (clip->properties[k].property != CLIP_VERTICAL_FOV) each(g, &clip->properties[k]);
    }
}

static void track_measure(Gltf* g, const GltfPropertyTrack* track) {
    GltfLight* const light = &g->properties.lights[track->object];
    f64* const       max = track->property == CLIP_LIGHT_COLOR ? &light->color : &light->intensity;
    *max = MAX_OF(*max, track_max(track));
}

/* A color above 1, also an animated one, scales all intensities of the light, and divides all its colors. */
static void light_finish(Gltf* g, u32 index) {
    const JsonToken*   json = g->lists.lights.at[index];
    LightRecord* const out = &g->out->lights[index];
    GltfLight* const   light = &g->properties.lights[index];
    const f64          scale = MAX_OF(light->scale, light->color);
    const f64          product = (f64)out->intensity * scale;
    const f64          limited = MIN_OF(product, GLTF_INTENSITY_MAX);
    const f64          peak = MAX_OF((f64)out->intensity, light->intensity) * scale;
    if (scale > 1)
        gltf_remark(g, REMARK_LIMITS, "light colors",
                    light->color > light->scale ? json : json_get(json, "color"),
                    "%s %g, but must be from 0 to 1; the color is divided by it, and the "
                    "intensity is %.9g%s instead of %.9g",
                    light->color > light->scale ? "has an animated color of" : "contains", scale,
                    limited, product > limited ? ", the limit," : "", (f64)out->intensity);
    if (peak > GLTF_INTENSITY_MAX && peak > product)
        gltf_remark(g, REMARK_LIMITS, "animated intensities", json,
                    "has an animated intensity of %.9g, which is limited to %.9g when it is played",
                    peak, GLTF_INTENSITY_MAX);
    light->scale = scale;
    out->intensity = (f32)limited;
    out->color.x = (f32)((f64)out->color.x / scale);
    out->color.y = (f32)((f64)out->color.y / scale);
    out->color.z = (f32)((f64)out->color.z / scale);
    if (!light->has_range)
        out->range_m = (f32)range_of(out->kind, MIN_OF(peak, GLTF_INTENSITY_MAX));
}

static void track_apply(Gltf* g, const GltfPropertyTrack* track) {
    const f64 scale = g->properties.lights[track->object].scale;
    if (scale > 1) track_scale(track, track->property == CLIP_LIGHT_COLOR ? 1 / scale : scale);
}

void gltf_scale_lights(Gltf* g) {
    tracks_visit(g, track_measure);
    for (u32 i = 0; i < g->out->light_count; i++) {
        const GltfMode mode =
            gltf_mode(g, g->properties.lights[i].is_used ? g->mode : GLTF_UNCOMPILED);
        if (gltf_kind_is_known(g->lists.lights.at[i])) light_finish(g, i);
        gltf_mode(g, mode);
    }
    tracks_visit(g, track_apply);
}
