/* gltf.c - reads a glTF file that was opened: the version, the extensions, then part after part. */
#include "gltf_internal.h"

#include "diag.h"
#include "relative.h"

/* Extensions that a file may require. Textures without an image that is supported, and channels whose pointers
 * are not compiled, are reported. */
static const char* const known_extensions[] = {
    "KHR_animation_pointer",   "KHR_lights_punctual",
    "KHR_mesh_quantization",   "KHR_materials_emissive_strength",
    "KHR_texture_transform",   "KHR_texture_basisu",
    "EXT_texture_webp",        "KHR_materials_ior",
    "KHR_materials_volume",    "KHR_materials_transmission",
    "KHR_materials_clearcoat",
};

/* Extensions of materials that a file may require too. The material without the extension is
 * compiled, and a warning is reported for each material that loses data. */
static const char* const left_out_extensions[] = {
    "KHR_materials_anisotropy", "KHR_materials_dispersion", "KHR_materials_iridescence",
    "KHR_materials_sheen",      "KHR_materials_specular",   "KHR_materials_unlit",
    "KHR_technique_webgl",      "KHR_techniques_webgl",
};

/* "2.0" to 2 and 0. */
static bool version_parse(const char* text, u32* major, u32* minor) {
    u32* part = major;
    u32  digits = 0;
    *major = *minor = 0;
    for (; *text; text++) {
        if (*text == '.' && part == major && digits) {
            part = minor;
            digits = 0;
        } else if (*text >= '0' && *text <= '9' && digits < 6) {
            *part = *part * 10 + (u32)(*text - '0');
            digits++;
        } else {
            return false;
        }
    }
    return part == minor && digits;
}

/* Reads one of the versions of the asset; returns false after reporting an invalid version. */
static bool version_read(Gltf* g, const JsonToken* value, u32* major, u32* minor) {
    if (version_parse(gltf_text(g, value), major, minor)) return true;
    gltf_error(g, E0401, value, "is \"%.32s\", but must have the form \"2.0\"",
               gltf_text(g, value));
    return false;
}

static bool asset_check(Gltf* g) {
    u32              major = 0, minor = 0, min_major = 0, min_minor = 0;
    const JsonToken* asset = gltf_need(g, g->root, "asset", JSON_OBJECT);
    const JsonToken* generator = json_get(asset, "generator");
    const JsonToken* version = gltf_need(g, asset, "version", JSON_STRING);
    const JsonToken* min = gltf_member(g, asset, "minVersion", JSON_STRING);
    g->out->generator = json_token_is(generator, JSON_STRING) ? gltf_text(g, generator) : "";
    if (!version || !version_read(g, version, &major, &minor)) return false;
    if (major != 2) {
        gltf_error(g, E0401, version,
                   "is \"%.32s\", but entc supports glTF 2.0; export the file as glTF 2.0",
                   gltf_text(g, version));
        return false;
    }
    if (!min || !version_read(g, min, &min_major, &min_minor)) return true;
    if (min_major < 2 || (min_major == 2 && min_minor == 0)) return true;
    gltf_error(g, E0401, min, "is \"%.32s\", but entc supports glTF 2.0", gltf_text(g, min));
    return true;
}

static bool is_among(const char* name, const char* const* names, u32 count) {
    for (u32 i = 0; i < count; i++)
        if (strcmp(name, names[i]) == 0) return true;
    return false;
}

bool gltf_ignores_extension(const char* extension) {
    return is_among(extension, left_out_extensions, COUNT_OF(left_out_extensions));
}

static void required_check(Gltf* g, const JsonToken* item) {
    const char* name = gltf_text(g, item);
    if (!is_among(name, known_extensions, COUNT_OF(known_extensions)) &&
        !gltf_ignores_extension(name))
        gltf_error(g, E0402, item,
                   "is \"%.64s\", which entc does not %s; export the file without this extension",
                   name, gltf_supports_extension(name) ? "compile" : "support");
    else if (!gltf_names_have(&g->used, name))
        gltf_remark(g, REMARK_DECLARED, name, item,
                    "is \"%.64s\", which \"extensionsUsed\" does not list", name);
}

static void extensions_check(Gltf* g) {
    const JsonToken* used = gltf_member(g, g->root, "extensionsUsed", JSON_ARRAY);
    const JsonToken* required = gltf_member(g, g->root, "extensionsRequired", JSON_ARRAY);
    g->used = gltf_names(g, used);
    g->required = gltf_names(g, required);
    for (const JsonToken* item = json_first(used); item; item = json_next(item))
        if (!json_token_is(item, JSON_STRING))
            gltf_remark(g, REMARK_DECLARED, "", item, "must be the name of an extension");
    for (const JsonToken* item = json_first(required); item; item = json_next(item)) {
        if (json_token_is(item, JSON_STRING))
            required_check(g, item);
        else
            gltf_error(g, E0403, item, "must be the name of an extension");
    }
    g->quantized = gltf_names_have(&g->required, "KHR_mesh_quantization");
    if (gltf_names_have(&g->used, "KHR_mesh_quantization") && !g->quantized)
        gltf_remark(g, REMARK_DECLARED, "KHR_mesh_quantization", used,
                    "has \"KHR_mesh_quantization\", which \"extensionsRequired\" must list too");
}

static void read_lists(Gltf* g) {
    const JsonToken* root = g->root;
    g->lists.buffers = gltf_list(g, root, "buffers");
    g->lists.views = gltf_list(g, root, "bufferViews");
    g->lists.accessors = gltf_list(g, root, "accessors");
    g->lists.nodes = gltf_list(g, root, "nodes");
    g->stamps = ARENA_NEW(g->arena, u32, g->lists.nodes.count * 4ull);
    g->lists.skins = gltf_list(g, root, "skins");
    g->lists.cameras = gltf_list(g, root, "cameras");
    g->lists.images = gltf_list(g, root, "images");
    g->lists.textures = gltf_list(g, root, "textures");
    g->lists.samplers = gltf_list(g, root, "samplers");
    g->lists.meshes = gltf_list(g, root, "meshes");
    g->lists.lights = gltf_list(g, gltf_extension(g, root, "KHR_lights_punctual"), "lights");
}

static bool has_relative_uri(const Gltf* g, const char* list) {
    const JsonToken* objects = json_get(g->root, list);
    bool             found = false;
    for (const JsonToken* o = json_first(objects); o && !found; o = json_next(o)) {
        const JsonToken* uri = json_get(o, "uri");
        found = json_token_is(uri, JSON_STRING) && !uri_has_scheme(gltf_text(g, uri));
    }
    return found;
}

/* Meshes of which nothing is compiled are no resources. */
static void remove_empty_meshes(Gltf* g) {
    GltfModel* out = g->out;
    u32*       place = ARENA_NEW(g->arena, u32, out->mesh_count);
    u32        kept = 0;
    for (u32 i = 0; i < out->mesh_count; i++) {
        place[i] = kept;
        if (out->meshes[i].primitive_count) out->meshes[kept++] = out->meshes[i];
    }
    out->mesh_count = kept;
    for (u32 i = 0; i < out->node_count; i++) /* of an empty mesh: it was NONE already */
        if (out->nodes[i].mesh != NONE) out->nodes[i].mesh = place[out->nodes[i].mesh];
    for (u32 i = 0; i < out->collider_count; i++)
        if (out->collider_meshes[i] != NONE)
            out->collider_meshes[i] = place[out->collider_meshes[i]];
}

static void read_parts(Gltf* g, const GltfFile* file) {
    for (u32 i = 0; i < file->fault_count; i++)
        gltf_remark(g, REMARK_CONTAINER, file->faults[i], g->root, "%s", file->faults[i]);
    if (!json_token_is(g->root, JSON_OBJECT)) {
        gltf_error(g, E0401, g->root,
                   "must be an object that contains an \"asset\" with version \"2.0\"");
        return;
    }
    if (!asset_check(g)) return;
    extensions_check(g);
    read_lists(g);
    gltf_check_schema(g);
    gltf_read_buffers(g);
    gltf_read_accessors(g);
    gltf_read_materials(g);
    gltf_read_cameras(g);
    gltf_read_lights(g);
    gltf_read_roots(g);
    gltf_read_meshes(g);
    gltf_read_roles(g);
    gltf_read_scene(g);
    gltf_read_clips(g);
    gltf_read_images(g);
    gltf_read_textures(g);
    gltf_need_tangents(g);
    gltf_check_links(g);
    gltf_read_morphs(g);
    gltf_check_unread(g);
    gltf_read_extras(g);
    gltf_find_losses(g);
    gltf_apply_roles(g);
    remove_empty_meshes(g);
    g->out->refers_to_files = has_relative_uri(g, "buffers") || has_relative_uri(g, "images");
}

bool gltf_read(GltfModel* out, const GltfFile* file, const GltfFiles* files,
               const ModelNaming* naming, Arena* arena, Diagnostics* diag) {
    Gltf      g = {.out = out,
                   .files = files,
                   .naming = naming,
                   .arena = arena,
                   .diag = diag,
                   .root = json_tokens_root(&file->tokens),
                   .chunk = file->chunk,
                   .chunk_bytes = file->chunk_bytes};
    const u32 errors = diag_error_count(diag);
    *out = (GltfModel){.json = file->json, .remarks = ARENA_NEW(arena, GltfRemarks, 1)};
    read_parts(&g, file);
    return g.error_count == 0 && diag_error_count(diag) == errors;
}

void gltf_forget(GltfModel* m) {
    *m = (GltfModel){.json = m->json, /* diagnostics refer to it */
                     .scene = m->scene,
                     .node_count = m->node_count,
                     .mesh_count = m->mesh_count,
                     .material_count = m->material_count,
                     .texture_count = m->texture_count,
                     .skin_count = m->skin_count,
                     .clip_count = m->clip_count,
                     .camera_count = m->camera_count,
                     .light_count = m->light_count,
                     .image_count = m->image_count,
                     .file_nodes = m->file_nodes,
                     .refers_to_files = m->refers_to_files};
}
