/* model_write.c - writes the meshes, skeletons and clips of a glTF file as blobs. */
#include <stdlib.h>
#include <stdio.h>

#include "clip.h"
#include "clip_pack.h"
#include "diag.h"
#include "hash.h"
#include "model_write.h"
#include "mesh_collider.h"
#include "mesh_levels.h"
#include "model.h"
#include "skeleton.h"
#include "transform.h"

/* In strips degenerate triangles are intended because they join pieces: they are reported only if
 * there are no others. */
static void warn_degenerate(Compile* c, u32 mesh, const GltfPrimitive* p, u32 degenerate) {
    const u32 triangles = p->index_count / 3;
    char      path[GLTF_PATH_BYTES], object[GLTF_OBJECT_BYTES];
    if (degenerate == 0 || (p->strip && degenerate < triangles)) return;
    snprintf(path, sizeof path, "meshes[%u].primitives[%u]", mesh, p->source);
    gltf_object_print(object, path, c->asset->content->model->gltf.meshes[mesh].name);
    if (degenerate < triangles)
        diag_warning(c->diag, W0408, &c->asset->source, p->offset, 1,
                     "%s has degenerate triangles (%u of %u) with two identical vertices; they are "
                     "omitted. Remove them before the export",
                     object, degenerate, triangles);
    else
        diag_warning(
            c->diag, W0408, &c->asset->source, p->offset, 1,
            "%s is not visible: all of its %u triangles are degenerate, with two identical "
            "vertices. One is kept so that the part is not empty; remove this primitive "
            "before the export",
            object, triangles);
}

/* The mesh of a collider: positions and triangles. */
static bool write_collider(Compile* c, u32 index, u8** bytes, size_t* size) {
    MeshBuild       mesh;
    Output          out;
    const GltfMesh* from = &c->asset->content->model->gltf.meshes[index];
    if (!mesh_collider_build(&mesh, from, &c->arena)) {
        diag_error(
            c->diag, E0407, &c->asset->source, from->offset, 1,
            "mesh \"%s\" is a collider because of the name of its object, but it has no %s; repair "
            "it, rename the object, or turn off the rule \"colliders\" for names",
            from->name,
            from->form == GLTF_HULL ? "hull: its positions are nearly on one line"
                                    : "triangle with an area");
        return false;
    }
    output_begin(&out, RESOURCE_MESH, text_of(c->name), mesh.vertex_count, 4);
    output_section(&out, SECTION_MESH_BOUNDS, &mesh.bounds, 1);
    output_section(&out, SECTION_MESH_PART, mesh.parts, mesh.part_count);
    output_section(&out, SECTION_POSITION, mesh.positions, mesh.vertex_count);
    output_section(&out, SECTION_INDEX, mesh.indices, mesh.index_count);
    return compile_finish(c, &out, bytes, size);
}

static bool write_mesh(Compile* c, u32 index, u8** bytes, size_t* size) {
    MeshBuild       mesh;
    MeshLods        lods;
    Output          out;
    const Model*    model = c->asset->content->model;
    const GltfMesh* from = &model->gltf.meshes[index];
    if (from->form != GLTF_DRAWN) return write_collider(c, index, bytes, size);
    if (from->level_count)
        mesh_levels_build(&mesh, &lods, from, &c->arena);
    else
        mesh_build(&mesh, from, &c->arena);
    for (u32 i = 0; i < mesh.part_count; i++) {
        const GltfPrimitive* source = mesh.sources ? mesh.sources[i] : &from->primitives[i];
        warn_degenerate(c, index, source, mesh.degenerate[i]);
        if (mesh.materials[i] == NONE) continue;
        const ModelResource* material = model_resource(model, RESOURCE_MATERIAL, mesh.materials[i]);
        mesh.parts[i].material =
            compile_reference(c, material->name, RESOURCE_MATERIAL, &c->asset->source,
                              model->gltf.meshes[index].offset);
    }
    if (!from->level_count) mesh_lods_build(&lods, &mesh, &model->settings, &c->arena);
    const u32         vertices = mesh.vertex_count;
    const MeshMorphs* m = &mesh.morphs;
    output_begin(&out, RESOURCE_MESH, text_of(c->name), vertices, 25);
    output_section(&out, SECTION_MESH_BOUNDS, &mesh.bounds, 1);
    output_section(&out, SECTION_MESH_PART, mesh.parts, mesh.part_count);
    output_section(&out, SECTION_POSITION, mesh.positions, vertices);
    output_section(&out, SECTION_NORMAL, mesh.normals, mesh.normals ? vertices : 0);
    output_section(&out, SECTION_TANGENT, mesh.tangents, mesh.tangents ? vertices : 0);
    output_section(&out, SECTION_UV, mesh.uvs, mesh.uvs ? vertices : 0);
    output_section(&out, SECTION_VERTEX_JOINTS, mesh.joints, mesh.joints ? vertices : 0);
    output_section(&out, SECTION_VERTEX_WEIGHTS, mesh.weights, mesh.weights ? vertices : 0);
    output_section(&out, SECTION_INDEX, mesh.indices, mesh.index_count);
    compile_write_references(c, &out);
    output_section(&out, SECTION_UV_1, mesh.uvs_1, mesh.uvs_1 ? vertices : 0);
    output_section(&out, SECTION_COLOR, mesh.colors, mesh.colors ? vertices : 0);
    output_section(&out, SECTION_VERTEX_JOINTS_1, mesh.joints_1, mesh.joints_1 ? vertices : 0);
    output_section(&out, SECTION_VERTEX_WEIGHTS_1, mesh.weights_1, mesh.weights_1 ? vertices : 0);
    output_section(&out, SECTION_MORPH_TARGET, m->targets, m->target_count);
    output_section(&out, SECTION_MORPH_NAME, m->names, m->name_bytes);
    output_section(&out, SECTION_MORPH_VERTEX, m->vertices, m->row_count);
    output_section(&out, SECTION_MORPH_POSITION, m->positions, m->positions ? m->row_count : 0);
    output_section(&out, SECTION_MORPH_NORMAL, m->normals, m->normals ? m->row_count : 0);
    output_section(&out, SECTION_MORPH_TANGENT, m->tangents, m->tangents ? m->row_count : 0);
    output_section(&out, SECTION_MESH_LOD, lods.lods, lods.lod_count);
    output_section(&out, SECTION_LOD_RANGE, lods.ranges, lods.lod_count * mesh.part_count);
    output_section(&out, SECTION_LOD_INDEX, lods.indices, lods.index_count);
    return compile_finish(c, &out, bytes, size);
}

/* Marks every joint of the skin and all their ancestors; returns the number. */
static u32 joints_mark(const GltfModel* g, const GltfSkin* skin, bool* is_joint) {
    u32 count = 0;
    for (u32 i = 0; i < skin->joint_count; i++) {
        for (u32 at = skin->joints[i]; at != NONE && !is_joint[at]; at = g->nodes[at].parent) {
            is_joint[at] = true;
            count++;
        }
    }
    return count;
}

static void write_joint_names(Compile* c, Output* out, const bool* is_joint, u32 count) {
    const Doc* doc = c->asset->content->doc;
    const u32  node_count = c->asset->content->model->gltf.node_count;
    u32        bytes = 0, row = 0;
    if (c->options.strip) return;
    u32* offset = output_section(out, SECTION_NAME_OFFSET, NULL, count);
    for (u32 i = 0; i < node_count; i++) {
        if (!is_joint[i]) continue;
        offset[row++] = bytes;
        bytes += doc->nodes.at[i + 1].name_bytes + 1u;
    }
    char* text = output_section(out, SECTION_NAME, NULL, bytes);
    for (u32 i = 0; i < node_count; i++) {
        const Text name = doc_name(&doc->nodes.at[i + 1]); /* doc node 0 is the additional root */
        if (!is_joint[i]) continue;
        memcpy(text, name.at, name.bytes);
        text += name.bytes + 1;
    }
}

/* Joints keep the order of the nodes, which has parents first; binds keep the order of the skin, to
 * which vertices refer. */
static bool write_skeleton(Compile* c, u32 index, u8** bytes, size_t* size) {
    const Model*     model = c->asset->content->model;
    const GltfModel* g = &model->gltf;
    const GltfSkin*  skin = &g->skins[index];
    bool*            is_joint = ARENA_NEW(&c->arena, bool, g->node_count);
    u32*             row = ARENA_NEW(&c->arena, u32, g->node_count);
    const u32        count = joints_mark(g, skin, is_joint);
    JointRecord*     joints = ARENA_NEW(&c->arena, JointRecord, count);
    BindRecord*      binds = ARENA_NEW(&c->arena, BindRecord, skin->joint_count);
    Output           out;
    for (u32 i = 0, next = 0; i < g->node_count; i++) {
        const GltfNode*        node = &g->nodes[i];
        const TransformRecord* local = &g->locals[i];
        if (!is_joint[i]) continue;
        row[i] = next;
        joints[next++] =
            (JointRecord){.parent = node->parent == NONE ? NONE : row[node->parent],
                          .node = model->node_path[i],
                          .name = hash_name(doc_name(&c->asset->content->doc->nodes.at[i + 1])),
                          .position = local->position,
                          .rotation = local->rotation,
                          .scale = local->scale};
    }
    for (u32 i = 0; i < skin->joint_count; i++) {
        binds[i].joint = row[skin->joints[i]];
        memcpy(&binds[i].row_0, skin->inverse_binds[i], sizeof skin->inverse_binds[i]);
    }
    output_begin(&out, RESOURCE_SKELETON, text_of(c->name), count, 4);
    output_section(&out, SECTION_JOINT, joints, count);
    output_section(&out, SECTION_BIND, binds, skin->joint_count);
    write_joint_names(c, &out, is_joint, count);
    return compile_finish(c, &out, bytes, size);
}

/* The keys of a track. */
typedef struct Keys {
    const f32 *times, *values;
    u32        count;
    u64        words; /* of the value of a key */
} Keys;

static void write_keys(Output* out, SectionKind time_kind, SectionKind value_kind, const Keys* keys,
                       u32 track_count) {
    u64 times = 0, values = 0;
    for (u32 i = 0; i < track_count; i++) {
        times += keys[i].count;
        values += keys[i].count * keys[i].words;
    }
    f32* time = output_section(out, time_kind, NULL, times);
    for (u32 i = 0; time && i < track_count; i++) {
        memcpy(time, keys[i].times, sizeof(f32) * keys[i].count);
        time += keys[i].count;
    }
    f32* value = output_section(out, value_kind, NULL, values);
    for (u32 i = 0; value && i < track_count; i++) {
        memcpy(value, keys[i].values, sizeof(f32) * keys[i].count * keys[i].words);
        value += keys[i].count * keys[i].words;
    }
}

/* The values of the tracks with one packing. */
static void write_values(Output* out, SectionKind kind, const ClipTrack* tracks, u32 count,
                         u32 packing, u64 words) {
    u32* value = output_section(out, kind, NULL, words);
    for (u32 i = 0; value && i < count; i++) {
        if (tracks[i].packing != packing) continue;
        memcpy(value, tracks[i].values, tracks[i].words * sizeof *value);
        value += tracks[i].words;
    }
}

static u32 write_tracks(Compile* c, Output* out, const ClipTrack* from, u32 count) {
    const u32*   node_path = c->asset->content->model->node_path;
    TrackRecord* tracks = ARENA_NEW(&c->arena, TrackRecord, count);
    u64          times = 0, words[] = {0, 0};
    for (u32 i = 0; i < count; i++) {
        const ClipTrack* t = &from[i];
        tracks[i] = (TrackRecord){.node = node_path[t->from->node],
                                  .channel = t->from->channel,
                                  .interpolation = t->interpolation,
                                  .packing = t->packing,
                                  .first_time = (u32)times,
                                  .key_count = t->key_count,
                                  .first_value = (u32)words[t->packing]};
        times += t->key_count;
        words[t->packing] += t->words;
    }
    output_section(out, SECTION_TRACK, tracks, count);
    f32* time = output_section(out, SECTION_KEY_TIME, NULL, times);
    for (u32 i = 0; time && i < count; i++) {
        memcpy(time, from[i].from->times, from[i].key_count * sizeof *time);
        time += from[i].key_count;
    }
    write_values(out, SECTION_KEY_VALUE, from, count, CLIP_FLOATS, words[CLIP_FLOATS]);
    return (u32)words[CLIP_PACKED];
}

static u64 morph_words(const GltfMorphTrack* t) {
    return (u64)t->target_count * (t->interpolation == CLIP_CUBIC ? 3 : 1);
}

static void write_morph_tracks(Compile* c, Output* out, const GltfClip* clip) {
    const u32*        node_path = c->asset->content->model->node_path;
    MorphTrackRecord* tracks = ARENA_NEW(&c->arena, MorphTrackRecord, clip->morph_count);
    Keys*             keys = ARENA_NEW(&c->arena, Keys, clip->morph_count);
    u64               times = 0, values = 0;
    for (u32 i = 0; i < clip->morph_count; i++) {
        const GltfMorphTrack* t = &clip->morphs[i];
        keys[i] = (Keys){t->times, t->values, t->key_count, morph_words(t)};
        tracks[i] = (MorphTrackRecord){node_path[t->node], t->target_count, t->interpolation,
                                       (u32)times,         t->key_count,    (u32)values};
        times += t->key_count;
        values += t->key_count * keys[i].words;
    }
    output_section(out, SECTION_MORPH_TRACK, tracks, clip->morph_count);
    write_keys(out, SECTION_MORPH_TIME, SECTION_MORPH_WEIGHTS, keys, clip->morph_count);
}

typedef struct PropertyTrack {
    u32                      property, target;
    const GltfPropertyTrack* from;
} PropertyTrack;

static int property_order(const void* a, const void* b) {
    const PropertyTrack *x = a, *y = b;
    if (x->property != y->property) return x->property < y->property ? -1 : 1;
    return x->target < y->target ? -1 : x->target > y->target;
}

/* In the order that the validator requires. Of targets with the same id, which was reported, one is kept. */
static PropertyTrack* properties_sort(Compile* c, const GltfClip* clip, u32* count) {
    const Model*   model = c->asset->content->model;
    PropertyTrack* out = ARENA_NEW(&c->arena, PropertyTrack, clip->property_count);
    for (u32 i = 0; i < clip->property_count; i++) {
        const GltfPropertyTrack* t = &clip->properties[i];
        const u32* ids = t->property == CLIP_VERTICAL_FOV ? model->camera_ids : model->light_ids;
        out[i] = (PropertyTrack){t->property, ids[t->object], t};
    }
    if (clip->property_count) qsort(out, clip->property_count, sizeof *out, property_order);
    *count = 0;
    for (u32 i = 0; i < clip->property_count; i++)
        if (i == 0 || property_order(&out[i], &out[*count - 1])) out[(*count)++] = out[i];
    return out;
}

static void write_property_tracks(Compile* c, Output* out, const GltfClip* clip) {
    u32                  count;
    const PropertyTrack* sorted = properties_sort(c, clip, &count);
    PropertyTrackRecord* tracks = ARENA_NEW(&c->arena, PropertyTrackRecord, count);
    Keys*                keys = ARENA_NEW(&c->arena, Keys, count);
    u64                  times = 0, values = 0;
    for (u32 i = 0; i < count; i++) {
        const GltfPropertyTrack* t = sorted[i].from;
        const u32                parts = t->interpolation == CLIP_CUBIC ? 3 : 1;
        keys[i] = (Keys){t->times, t->values, t->key_count,
                         (u64)CLIP_PROPERTY_WORDS(t->property) * parts};
        tracks[i] = (PropertyTrackRecord){sorted[i].target, t->property,  t->interpolation,
                                          (u32)times,       t->key_count, (u32)values};
        times += t->key_count;
        values += t->key_count * keys[i].words;
    }
    output_section(out, SECTION_PROPERTY_TRACK, tracks, count);
    write_keys(out, SECTION_PROPERTY_TIME, SECTION_PROPERTY_VALUE, keys, count);
}

static void write_events(Compile* c, Output* out, const GltfClip* clip) {
    ClipEventRecord* events = ARENA_NEW(&c->arena, ClipEventRecord, clip->event_count);
    u64              bytes = 0;
    for (u32 i = 0; i < clip->event_count; i++) {
        events[i] = (ClipEventRecord){clip->events[i].time_s, (u32)bytes};
        bytes += strlen(clip->events[i].name) + 1;
    }
    output_section(out, SECTION_CLIP_EVENT, events, clip->event_count);
    char* text = output_section(out, SECTION_EVENT_NAME, NULL, bytes);
    for (u32 i = 0; text && i < clip->event_count; i++) {
        const size_t name_bytes = strlen(clip->events[i].name) + 1;
        memcpy(text, clip->events[i].name, name_bytes);
        text += name_bytes;
    }
}

static bool write_clip(Compile* c, u32 index, u8** bytes, size_t* size) {
    const GltfClip* clip = &c->asset->content->model->gltf.clips[index];
    ClipInfoRecord  info = {clip->duration_s};
    Output          out;
    ClipTrack*      tracks = ARENA_NEW(&c->arena, ClipTrack, clip->track_count);
    const u32 count = clip_pack(&c->asset->content->model->gltf, clip, (f64)c->options.clip_error,
                                &c->arena, tracks);
    output_begin(&out, RESOURCE_CLIP, text_of(c->name), count, 13);
    output_section(&out, SECTION_CLIP_INFO, &info, 1);
    const u32 packed = write_tracks(c, &out, tracks, count);
    write_morph_tracks(c, &out, clip);
    write_values(&out, SECTION_KEY_PACKED, tracks, count, CLIP_PACKED, packed);
    write_events(c, &out, clip);
    write_property_tracks(c, &out, clip);
    return compile_finish(c, &out, bytes, size);
}

bool compile_model_resource(Compile* c, u8** bytes, size_t* size) {
    switch (c->type) {
    case RESOURCE_MESH: return write_mesh(c, c->index, bytes, size);
    case RESOURCE_SKELETON: return write_skeleton(c, c->index, bytes, size);
    case RESOURCE_CLIP: return write_clip(c, c->index, bytes, size);
    default:
        assert(c->type == RESOURCE_MATERIAL);
        return compile_model_material(c, c->index, bytes, size);
    }
}
