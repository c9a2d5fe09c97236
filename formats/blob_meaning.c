/* blob_meaning.c - the last part of the validation of a blob: rules between the rows of a resource,
 * each of which is valid by itself. Trees, meshes, skeletons, clips, declarations. */
#include "validation_internal.h"

#include <stdio.h>

#include "clip.h"
#include "clip_packing.h"
#include "material_slot.h"
#include "mesh_data.h"
#include "skeleton.h"
#include "texture_shape.h"

static bool count_check(BlobValidation* g, u32 kind, u32 count, bool required) {
    const BlobSection* s = validation_section(g, kind);
    if (!s && (!required || count == 0)) return true;
    if (!s) {
        return validation_refuse(g->fault, ENT_BAD_FIELD, HEADER_AT(section_count),
                                 "the section %s is missing", section_name(kind));
    }
    if (s->count == count) return true;
    return validation_refuse_entry(g, ENTRY_AT((u32)(s - g->section), count),
                                   "is %u, but must be %u", s->count, count);
}

static u32 parent_of(const u8* at, u32 row, u32 stride) {
    u32 parent;
    memcpy(&parent, at + (u64)row * stride, 4);
    return parent;
}

/* Rows of a tree come after their parents. */
static bool parents_check(BlobValidation* g, u32 kind, u32 stride) {
    const BlobSection* s = validation_section(g, kind);
    if (!s) return true;
    const u8* at = g->bytes + s->offset;
    u32       invalid = 0, row = 0;
    if (stride == 4 && validation_parents_precede((const u32*)at, s->count)) return true;
    for (u32 i = 0; i < s->count; i++) {
        const u32 parent = parent_of(at, i, stride);
        invalid |= (u32)(parent >= i) & (u32)(parent != NONE);
    }
    if (!invalid) return true;
    for (; row + 1 < s->count; row++) {
        const u32 parent = parent_of(at, row, stride);
        if (parent >= row && parent != NONE) break;
    }
    return validation_refuse_value(g, validation_offset(g, at + (u64)row * stride),
                                   section_name(kind), row, "parent",
                                   "a parent must precede its children");
}

/* Parents are in the base, or in the same group as their children. */
static bool parent_groups_check(BlobValidation* g) {
    u32       count;
    const u8* at = validation_rows(g, SECTION_PARENT, &count);
    const u32 row = g->groups.count
                        ? groups_first_crossing(&g->groups, NULL, at, count, sizeof(ParentRecord))
                        : count;
    if (row == count) return true;
    return validation_refuse_value(
        g, validation_offset(g, at + (u64)row * sizeof(ParentRecord)), "parent", row, "parent",
        "a parent must be in the base or in the same group as its child");
}

static bool tree_check(BlobValidation* g) {
    const u32 entities = g->header.element_count;
    if (entities > BLOB_ENTITIES_MAX) {
        return validation_refuse(g->fault, ENT_LIMIT, HEADER_AT(element_count),
                                 "is %u; a level or an entity has at most %u entities", entities,
                                 BLOB_ENTITIES_MAX);
    }
    return count_check(g, SECTION_PARENT, g->header.element_count, true) &&
           parents_check(g, SECTION_PARENT, sizeof(ParentRecord)) && parent_groups_check(g) &&
           count_check(g, SECTION_NAME_OFFSET, g->header.element_count, false);
}

static bool parts_check(BlobValidation* g, u32 vertex_count) {
    u32                   part_count, index_count;
    const MeshPartRecord* part = validation_rows(g, SECTION_MESH_PART, &part_count);
    const u32*            index = validation_rows(g, SECTION_INDEX, &index_count);
    u32                   lods;
    u64                   next = 0;
    validation_rows(g, SECTION_MESH_LOD, &lods);
    const bool has_levels = lods > 0; /* which may have parts that the full mesh does not have */
    for (u32 i = 0; i < part_count; i++) {
        const MeshPartRecord* p = &part[i];
        if (p->first_index != next || p->index_count > index_count - next ||
            (p->index_count == 0 && !has_levels)) {
            return validation_refuse_value(g, validation_offset(g, &p->first_index), "mesh_part", i,
                                           "first_index",
                                           "parts must be contiguous, not empty without levels of "
                                           "detail, and inside the index "
                                           "section");
        }
        static const u32 group[] = {3, 2, 1};
        if (p->index_count % group[p->topology]) {
            return validation_refuse_value(
                g, validation_offset(g, &p->index_count), "mesh_part", i, "index_count",
                "must be a multiple of 3 for triangles, and of 2 for lines");
        }
        if (p->first_vertex > vertex_count || p->vertex_count > vertex_count - p->first_vertex) {
            return validation_refuse_value(g, validation_offset(g, &p->first_vertex), "mesh_part",
                                           i, "first_vertex",
                                           "the vertices of the part exceed those of the mesh");
        }
        u32 invalid = 0;
        for (u64 k = next; k < next + p->index_count; k++) {
            invalid |= (u32)(index[k] - p->first_vertex >= p->vertex_count);
        }
        if (invalid) {
            return validation_refuse_value(g, validation_offset(g, &p->first_index), "mesh_part", i,
                                           "vertex_count",
                                           "an index of the part is outside its range of vertices");
        }
        next += p->index_count;
    }
    if (next == index_count) return true;
    return validation_refuse(g->fault, ENT_BAD_FIELD, validation_offset(g, index), "index",
                             "there are indices that belong to no part");
}

/* --- levels of detail --- */

/* Of one part in one level; the range before it ends at `next`. */
static bool lod_range_check(BlobValidation* g, u32 row, const MeshPartRecord* part, u64 next) {
    static const u32      group[] = {3, 2, 1};
    u32                   range_count, index_count;
    const LodRangeRecord* range = validation_rows(g, SECTION_LOD_RANGE, &range_count);
    const u32*            index = validation_rows(g, SECTION_LOD_INDEX, &index_count);
    const LodRangeRecord* r = &range[row];
    if (r->first_index != next || r->index_count > index_count - next)
        return validation_refuse_value(
            g, validation_offset(g, &r->first_index), "lod_range", row, "first_index",
            "ranges must be contiguous, and inside the section lod_index");
    if (r->index_count % group[part->topology])
        return validation_refuse_value(g, validation_offset(g, &r->index_count), "lod_range", row,
                                       "index_count",
                                       "must be a multiple of 3 for triangles, and of 2 for lines");
    u32 invalid = 0;
    for (u64 k = next; k < next + r->index_count; k++)
        invalid |= (u32)(index[k] - part->first_vertex >= part->vertex_count);
    if (!invalid) return true;
    return validation_refuse_value(g, validation_offset(g, &r->first_index), "lod_range", row,
                                   "index_count",
                                   "an index of the range is outside the vertices of its part");
}

static bool lods_check(BlobValidation* g) {
    u32                   lods, parts, ranges, indices;
    u64                   next = 0;
    const MeshLodRecord*  lod = validation_rows(g, SECTION_MESH_LOD, &lods);
    const MeshPartRecord* part = validation_rows(g, SECTION_MESH_PART, &parts);
    const LodRangeRecord* range = validation_rows(g, SECTION_LOD_RANGE, &ranges);
    const u32*            index = validation_rows(g, SECTION_LOD_INDEX, &indices);
    if ((u64)lods * parts != ranges)
        return validation_refuse(g->fault, ENT_BAD_FIELD, HEADER_AT(section_count),
                                 "there are %u rows of lod_range; %u levels of %u parts need %llu",
                                 ranges, lods, parts, (unsigned long long)lods * parts);
    for (u32 i = 0; i < lods; i++) {
        if (lod[i].error_m >= (i ? lod[i - 1].error_m : 0)) continue;
        return validation_refuse_value(
            g, validation_offset(g, &lod[i].error_m), "mesh_lod", i, "error_m",
            "must be at least 0, and not below the error of the level before");
    }
    for (u32 i = 0; i < ranges; i++) {
        if (!lod_range_check(g, i, &part[i % parts], next)) return false;
        next += range[i].index_count;
    }
    if (next == indices) return true;
    return validation_refuse(g->fault, ENT_BAD_FIELD, validation_offset(g, index), "lod_index",
                             "there are indices that belong to no level");
}

static u32 weights_sum(const u32* word) {
    return (word[0] & 0xffff) + (word[0] >> 16) + (word[1] & 0xffff) + (word[1] >> 16);
}

static bool weights_check(BlobValidation* g) {
    u32        count, more;
    const u32* word = validation_rows(g, SECTION_VERTEX_WEIGHTS, &count);
    const u32* next = validation_rows(g, SECTION_VERTEX_WEIGHTS_1, &more);
    for (u32 i = 0; i < count; i++) {
        const u32 sum = weights_sum(word + 2 * i) + (more ? weights_sum(next + 2 * i) : 0);
        if (sum == 65535) continue;
        return validation_refuse_value(g, validation_offset(g, word + 2 * i), "vertex_weights", i,
                                       "", "the sum of the weights of a vertex must be 65535");
    }
    return true;
}

/* Both sections, or none. */
static bool pair_check(BlobValidation* g, u32 kind, u32 other) {
    if (!validation_section(g, kind) == !validation_section(g, other)) return true;
    return validation_refuse(g->fault, ENT_BAD_FIELD, HEADER_AT(section_count),
                             "%s and %s must both be present or both be absent", section_name(kind),
                             section_name(other));
}

/* --- morph targets --- */

static bool morph_rows_check(BlobValidation* g, const MorphTargetRecord* target,
                             const u32* vertex) {
    for (u32 k = target->first_row; k < target->first_row + target->row_count; k++) {
        if (vertex[k] < g->header.element_count &&
            (k == target->first_row || vertex[k] > vertex[k - 1]))
            continue;
        return validation_refuse_value(g, validation_offset(g, vertex + k), "morph_vertex", k, "",
                                       "must be a vertex of the mesh, in strictly ascending order");
    }
    return true;
}

static bool morphs_check(BlobValidation* g) {
    static const u32         streams[] = {SECTION_MORPH_POSITION, SECTION_MORPH_NORMAL,
                                          SECTION_MORPH_TANGENT};
    u32                      targets, rows;
    u64                      next = 0;
    const MorphTargetRecord* target = validation_rows(g, SECTION_MORPH_TARGET, &targets);
    const u32*               vertex = validation_rows(g, SECTION_MORPH_VERTEX, &rows);
    for (u32 i = 0; i < COUNT_OF(streams); i++) {
        if (!count_check(g, streams[i], rows, false)) return false;
    }
    for (u32 i = 0; i < targets; i++) {
        if (target[i].first_row != next || target[i].row_count > rows - next) {
            return validation_refuse_value(
                g, validation_offset(g, &target[i].first_row), "morph_target", i, "first_row",
                "the rows of targets must be contiguous and inside the section morph_vertex");
        }
        if (!morph_rows_check(g, &target[i], vertex)) return false;
        next += target[i].row_count;
    }
    if (next == rows) return true;
    return validation_refuse(g->fault, ENT_BAD_FIELD, validation_offset(g, vertex), "morph_vertex",
                             "there are rows that belong to no morph target");
}

static bool mesh_check(BlobValidation* g) {
    static const u32 streams[] = {
        SECTION_NORMAL,        SECTION_TANGENT,         SECTION_UV,
        SECTION_VERTEX_JOINTS, SECTION_VERTEX_WEIGHTS,  SECTION_UV_1,
        SECTION_COLOR,         SECTION_VERTEX_JOINTS_1, SECTION_VERTEX_WEIGHTS_1};
    const u32 vertices = g->header.element_count;
    if (!count_check(g, SECTION_POSITION, vertices, true)) return false;
    for (u32 i = 0; i < COUNT_OF(streams); i++) {
        if (!count_check(g, streams[i], vertices, false)) return false;
    }
    if (!pair_check(g, SECTION_VERTEX_JOINTS, SECTION_VERTEX_WEIGHTS) ||
        !pair_check(g, SECTION_VERTEX_JOINTS_1, SECTION_VERTEX_WEIGHTS_1))
        return false;
    if (validation_section(g, SECTION_VERTEX_JOINTS_1) &&
        !validation_section(g, SECTION_VERTEX_JOINTS)) {
        return validation_refuse(g->fault, ENT_BAD_FIELD, HEADER_AT(section_count),
                                 "vertex_joints_1 needs vertex_joints");
    }
    return count_check(g, SECTION_MESH_BOUNDS, 1, true) && parts_check(g, vertices) &&
           weights_check(g) && morphs_check(g) && lods_check(g);
}

static bool skeleton_check(BlobValidation* g) {
    u32               bind_count;
    const BindRecord* bind = validation_rows(g, SECTION_BIND, &bind_count);
    if (!count_check(g, SECTION_JOINT, g->header.element_count, true)) return false;
    if (!parents_check(g, SECTION_JOINT, sizeof(JointRecord))) return false;
    if (!count_check(g, SECTION_NAME_OFFSET, g->header.element_count, false)) return false;
    for (u32 i = 0; i < bind_count; i++) {
        if (bind[i].joint >= g->header.element_count) {
            return validation_refuse_value(g, validation_offset(g, &bind[i].joint), "bind", i,
                                           "joint", "is not the index of a joint of this skeleton");
        }
    }
    return true;
}

/* The keys of a kind of tracks. Tracks share none, so that validation takes linear time. */
typedef struct Keys {
    const char* track; /* names of the sections */
    const char* time_name;
    const char* value_name;
    const f32*  time;  /* [time_count] */
    const f32*  value; /* [value_count] */
    u32         time_count, value_count;
    u64         time_end, value_end; /* of the tracks before */
} Keys;

static Keys keys_of(BlobValidation* g, u32 track, u32 time, u32 value) {
    Keys keys = {
        section_name(track), section_name(time), section_name(value), NULL, NULL, 0, 0, 0, 0};
    keys.time = validation_rows(g, time, &keys.time_count);
    keys.value = validation_rows(g, value, &keys.value_count);
    return keys;
}

/* `range` is first_time and key_count of track `i`. */
static bool times_check(BlobValidation* g, Keys* keys, u32 i, const u32* range) {
    const u32 first_time = range[0], key_count = range[1];
    if (first_time != keys->time_end || key_count > keys->time_count - keys->time_end) {
        return validation_refuse_value(
            g, validation_offset(g, range), keys->track, i, "first_time",
            "the times of tracks must be contiguous and inside their section");
    }
    for (u32 k = 1; k < key_count; k++) {
        const f32* at = keys->time + first_time + k;
        if (at[0] <= at[-1]) {
            return validation_refuse_value(
                g, validation_offset(g, at), keys->time_name, first_time + k, "",
                "the times of a track must be in strictly ascending order");
        }
    }
    keys->time_end += key_count;
    return true;
}

/* The values of track `i` are `words` long. */
static bool values_check(BlobValidation* g, Keys* keys, u32 i, const u32* first_value, u64 words) {
    if (*first_value != keys->value_end || words > keys->value_count - keys->value_end) {
        return validation_refuse_value(
            g, validation_offset(g, first_value), keys->track, i, "first_value",
            "the values of tracks must be contiguous and inside their section");
    }
    keys->value_end += words;
    return true;
}

static bool keys_end(BlobValidation* g, const Keys* keys) {
    const bool time = keys->time_end < keys->time_count;
    if (!time && keys->value_end == keys->value_count) return true;
    return validation_refuse(
        g->fault, ENT_BAD_FIELD, validation_offset(g, time ? keys->time : keys->value),
        time ? keys->time_name : keys->value_name, "there are keys that belong to no track");
}

static u64 key_parts(u32 interpolation) { return interpolation == CLIP_CUBIC ? 3 : 1; }

/* The box of a packed track is finite and not inside out; unused bits are 0. */
static bool packed_check(BlobValidation* g, const TrackRecord* track, const u32* words) {
    const char* name = section_name(SECTION_KEY_PACKED);
    const bool  rotates = track->channel == CLIP_ROTATION;
    const u32   box = rotates ? 0 : CLIP_BOX_WORDS;
    for (u32 i = 0; i < box; i++) {
        f32 value;
        memcpy(&value, words + i, sizeof value);
        if (!isfinite(value) || (i >= 3 && value < 0))
            return validation_refuse_value(g, validation_offset(g, words + i), name,
                                           track->first_value + i, "word",
                                           "the box of a packed track must be finite, and its size "
                                           "not negative");
    }
    for (u32 k = 0; k < track->key_count; k++) {
        const u32* key = words + box + (size_t)k * CLIP_KEY_WORDS;
        if (!clip_packing_fits(rotates, key))
            return validation_refuse_value(g, validation_offset(g, key + 1), name,
                                           track->first_value + box + k * CLIP_KEY_WORDS + 1,
                                           "word", "unused bits of a packed value must be 0");
    }
    return true;
}

/* A track whose values are in key_packed. */
static bool packed_track_check(BlobValidation* g, Keys* packed, u32 i, const TrackRecord* track) {
    const u64 words = clip_packed_words(track->channel == CLIP_ROTATION, track->key_count);
    if (track->interpolation == CLIP_CUBIC)
        return validation_refuse_value(g, validation_offset(g, &track->packing), packed->track, i,
                                       "packing", "cubic values must not be packed");
    if (!values_check(g, packed, i, &track->first_value, words)) return false;
    return packed_check(g, track, (const u32*)(const void*)packed->value + track->first_value);
}

static bool events_check(BlobValidation* g) {
    u32                    count, infos;
    const ClipEventRecord* event = validation_rows(g, SECTION_CLIP_EVENT, &count);
    const ClipInfoRecord*  info = validation_rows(g, SECTION_CLIP_INFO, &infos);
    for (u32 i = 0; i < count; i++) {
        const f32   before = i ? event[i - 1].time_s : 0;
        const char* reason = event[i].time_s < before ? "must not be before the previous event"
                             : event[i].time_s > info->duration_s
                                 ? "must not be after the end of the clip"
                                 : NULL;
        if (reason)
            return validation_refuse_value(g, validation_offset(g, &event[i].time_s),
                                           section_name(SECTION_CLIP_EVENT), i, "time_s", reason);
    }
    return true;
}

static bool morph_tracks_check(BlobValidation* g) {
    u32  count;
    Keys keys = keys_of(g, SECTION_MORPH_TRACK, SECTION_MORPH_TIME, SECTION_MORPH_WEIGHTS);
    const MorphTrackRecord* track = validation_rows(g, SECTION_MORPH_TRACK, &count);
    for (u32 i = 0; i < count; i++) {
        const u64 words = track[i].target_count * key_parts(track[i].interpolation);
        if (!times_check(g, &keys, i, &track[i].first_time) ||
            !values_check(g, &keys, i, &track[i].first_value, words * track[i].key_count))
            return false;
    }
    return keys_end(g, &keys);
}

/* Each property of a target once, in their order. */
static bool properties_check(BlobValidation* g) {
    u32  count;
    Keys keys = keys_of(g, SECTION_PROPERTY_TRACK, SECTION_PROPERTY_TIME, SECTION_PROPERTY_VALUE);
    const PropertyTrackRecord* track = validation_rows(g, SECTION_PROPERTY_TRACK, &count);
    for (u32 i = 0; i < count; i++) {
        const bool is_behind =
            i == 0 || track[i - 1].property < track[i].property ||
            (track[i - 1].property == track[i].property && track[i - 1].target < track[i].target);
        const u64 words =
            CLIP_PROPERTY_WORDS(track[i].property) * key_parts(track[i].interpolation);
        if (!is_behind)
            return validation_refuse_value(g, validation_offset(g, &track[i].target),
                                           section_name(SECTION_PROPERTY_TRACK), i, "target",
                                           "must be in the order of properties and targets");
        if (!times_check(g, &keys, i, &track[i].first_time) ||
            !values_check(g, &keys, i, &track[i].first_value, words * track[i].key_count))
            return false;
    }
    return keys_end(g, &keys);
}

static bool clip_check(BlobValidation* g) {
    u32                count;
    Keys               keys = keys_of(g, SECTION_TRACK, SECTION_KEY_TIME, SECTION_KEY_VALUE);
    Keys               packed = keys_of(g, SECTION_TRACK, SECTION_KEY_TIME, SECTION_KEY_PACKED);
    const TrackRecord* track = validation_rows(g, SECTION_TRACK, &count);
    if (!count_check(g, SECTION_TRACK, g->header.element_count, true)) return false;
    if (!count_check(g, SECTION_CLIP_INFO, 1, true)) return false;
    for (u32 i = 0; i < count; i++) {
        const u64 words = track[i].channel == CLIP_ROTATION ? 4 : 3;
        if (!times_check(g, &keys, i, &track[i].first_time)) return false;
        if (track[i].packing == CLIP_PACKED) {
            if (!packed_track_check(g, &packed, i, &track[i])) return false;
        } else if (!values_check(g, &keys, i, &track[i].first_value,
                                 words * key_parts(track[i].interpolation) * track[i].key_count)) {
            return false;
        }
    }
    packed.time_end = packed.time_count; /* the times were compared with those of all tracks */
    return keys_end(g, &keys) && keys_end(g, &packed) && morph_tracks_check(g) &&
           properties_check(g) && events_check(g);
}

static DeclarationParts parts_of(const BlobValidation* g) {
    DeclarationParts p = {0};
    p.declaration = validation_rows(g, SECTION_DECLARATION, &p.declaration_count);
    p.field = validation_rows(g, SECTION_DECLARED_FIELD, &p.field_count);
    p.enum_text = validation_rows(g, SECTION_ENUM_TEXT, &p.enum_text_count);
    p.text = validation_rows(g, SECTION_DECLARATION_TEXT, &p.text_bytes);
    p.former = validation_rows(g, SECTION_FORMER_NAME, &p.former_count);
    return p;
}

/* Declarations in an entity or level are those of its component sections, in their order. */
static bool declared_sections_check(BlobValidation* g) {
    const DeclarationParts p = parts_of(g);
    RowFault               fault;
    u32                    next = 0; /* section */
    const bool             any = p.declaration || p.field || p.enum_text || p.text;
    if (!any) return true;
    if (!p.declaration) return count_check(g, SECTION_DECLARATION, 1, true);
    if (!p.field) return count_check(g, SECTION_DECLARED_FIELD, 1, true);
    if (!p.text) return count_check(g, SECTION_DECLARATION_TEXT, 1, true);
    for (u32 i = 0; i < p.declaration_count; i++) {
        const DeclarationRecord* d = &p.declaration[i];
        while (next < g->header.section_count && (g->section[next].kind != SECTION_COMPONENT ||
                                                  g->section[next].identifier != d->id)) {
            next++;
        }
        if (next < g->header.section_count && g->section[next++].layout == d->layout) continue;
        return validation_refuse_value(g, validation_offset(g, &d->id), "declaration", i, "id",
                                       "no component section behind that of the previous "
                                       "declaration has its id and layout");
    }
    if (declarations_are_valid(&p, &fault)) return true;
    return validation_refuse_value(g, validation_offset(g, fault.at), fault.table, fault.row,
                                   fault.field, fault.reason);
}

static bool declaration_check(BlobValidation* g) {
    const u32        fields = g->header.element_count;
    RowFault         fault;
    DeclarationParts p = parts_of(g);
    if (fields == 0 || fields > COMPONENT_COLUMNS_MAX) {
        return validation_refuse(g->fault, ENT_BAD_FIELD, HEADER_AT(element_count),
                                 "is %u; a component has 1 to %u fields", fields,
                                 COMPONENT_COLUMNS_MAX);
    }
    if (!count_check(g, SECTION_DECLARATION, 1, true)) return false;
    if (!count_check(g, SECTION_DECLARED_FIELD, fields, true)) return false;
    if (p.declaration->field_count != fields) {
        return validation_refuse_value(g, validation_offset(g, &p.declaration->field_count),
                                       "declaration", 0, "field_count",
                                       "is not the number of declared fields");
    }
    if (!(p.declaration->layout & LAYOUT_BY_FIELD)) {
        return validation_refuse_value(g, validation_offset(g, &p.declaration->layout),
                                       "declaration", 0, "layout",
                                       "must be that of a structure of arrays");
    }
    if (p.enum_text_count > DECLARATION_TEXTS_MAX) {
        const BlobSection* s = validation_section(g, SECTION_ENUM_TEXT);
        return validation_refuse_entry(g, ENTRY_AT((u32)(s - g->section), count),
                                       "is %u, but must be at most %u", s->count,
                                       DECLARATION_TEXTS_MAX);
    }
    if (!p.text) return count_check(g, SECTION_DECLARATION_TEXT, 1, true);
    if (declarations_are_valid(&p, &fault)) return true;
    return validation_refuse_value(g, validation_offset(g, fault.at), fault.table, fault.row,
                                   fault.field, fault.reason);
}

/* Levels follow from the size and the format of the texture, and each other in its data. */
static bool level_check(BlobValidation* g, const TextureRecord* t, const TextureLevelRecord* level,
                        u32 i, const u8* data, u64* end) {
    const TextureLevelRecord wanted = texture_level(t, i, align_up(*end, TEXTURE_ALIGN));
    const u32 *              is = (const u32*)level, *must = (const u32*)&wanted;
    const RecordType*        record = section_record(SECTION_TEXTURE_LEVEL);
    for (u32 f = 0; f < record->field_count; f++) {
        char reason[64];
        if (is[f] == must[f]) continue;
        snprintf(reason, sizeof reason, "is %u, but must be %u", is[f], must[f]);
        return validation_refuse_value(g, validation_offset(g, is + f), "texture_level", i,
                                       record->fields[f].name, reason);
    }
    if (!validation_zeros(data + *end, wanted.offset - *end)) {
        return validation_refuse(g->fault, ENT_BAD_FIELD, validation_offset(g, data + *end),
                                 "texture_data", "bytes between levels must be 0");
    }
    *end = (u64)wanted.offset + wanted.bytes;
    return true;
}

static bool texture_check(BlobValidation* g) {
    u32                       one, level_count, data_bytes;
    u64                       end = 0;
    const TextureRecord*      t = validation_rows(g, SECTION_TEXTURE, &one);
    const TextureLevelRecord* level = validation_rows(g, SECTION_TEXTURE_LEVEL, &level_count);
    const u8*                 data = validation_rows(g, SECTION_TEXTURE_DATA, &data_bytes);
    if (!count_check(g, SECTION_TEXTURE, 1, true)) return false;
    if (g->header.element_count != t->level_count) {
        return validation_refuse(g->fault, ENT_BAD_FIELD, HEADER_AT(element_count),
                                 "is %u, but the texture has %u levels", g->header.element_count,
                                 t->level_count);
    }
    if (t->level_count > texture_level_max(t->width, t->height)) {
        return validation_refuse_value(g, validation_offset(g, &t->level_count), "texture", 0,
                                       "level_count", "there are more levels than the size allows");
    }
    if (t->color_space == TEXTURE_SRGB && !texture_has_color(t->format)) {
        return validation_refuse_value(g, validation_offset(g, &t->color_space), "texture", 0,
                                       "color_space", "a format of one or two channels is linear");
    }
    if (!count_check(g, SECTION_TEXTURE_LEVEL, t->level_count, true)) return false;
    if (!count_check(g, SECTION_TEXTURE_DATA, texture_bytes(t), true)) return false;
    for (u32 i = 0; i < level_count; i++) {
        if (!level_check(g, t, &level[i], i, data, &end)) return false;
    }
    return true;
}

static bool material_check(BlobValidation* g) {
    u32                          count;
    const MaterialTextureRecord* rows = validation_rows(g, SECTION_MATERIAL_TEXTURE, &count);
    if (g->header.element_count != 1) {
        return validation_refuse(g->fault, ENT_BAD_FIELD, HEADER_AT(element_count),
                                 "is %u, but must be 1 for a material", g->header.element_count);
    }
    if (!count_check(g, SECTION_MATERIAL, 1, true)) return false;
    for (u32 i = 0; i < count; i++) {
        const MaterialTextureRecord* row = &rows[i];
        const char*                  reason = material_strength_fault(row->slot, row->strength);
        if (i && row->slot <= rows[i - 1].slot) {
            return validation_refuse_value(g, validation_offset(g, &row->slot), "material_texture",
                                           i, "slot",
                                           "the slots must be in strictly ascending order");
        }
        if (reason) {
            return validation_refuse_value(g, validation_offset(g, &row->strength),
                                           "material_texture", i, "strength", reason);
        }
    }
    return true;
}

/* Parts that belong together refer to the first of them. */
static bool spawned_set_check(BlobValidation* g, const SpawnedRecord* row, u32 i) {
    const SpawnedRecord *r = &row[i], *first = r->set <= i ? &row[r->set] : NULL;
    const char*          reason = NULL;
    if (!first || first->set != r->set)
        reason = "is not the first row of a set";
    else if (first->resource_lo != r->resource_lo || first->resource_hi != r->resource_hi ||
             first->hash_lo != r->hash_lo || first->hash_hi != r->hash_hi ||
             first->blob_entities != r->blob_entities)
        reason = "the first row of the set is of another blob";
    return !reason ||
           validation_refuse_value(g, validation_offset(g, &r->set), "spawned", i, "set", reason);
}

/* Each spawn has the rows of entities behind those of the one before it. */
static bool spawned_check(BlobValidation* g) {
    u32                  count, entities;
    const SpawnedRecord* row = validation_rows(g, SECTION_SPAWNED, &count);
    u64                  end = 0;
    validation_rows(g, SECTION_SPAWNED_ENTITY, &entities);
    for (u32 i = 0; i < count; i++) {
        const SpawnedRecord* r = &row[i];
        end += r->count;
        if (end > entities || (i + 1 == count && end < entities)) {
            return validation_refuse_value(g, validation_offset(g, &r->count), "spawned", i,
                                           "count", "the rows of spawned_entity are not as many");
        }
        if (r->blob_entities > BLOB_ENTITIES_MAX) {
            return validation_refuse_value(g, validation_offset(g, &r->blob_entities), "spawned", i,
                                           "blob_entities", "no blob has as many entities");
        }
        if (r->first > r->blob_entities || r->count > r->blob_entities - r->first) {
            return validation_refuse_value(g, validation_offset(g, &r->first), "spawned", i,
                                           "first", "its rows are not all entities of its blob");
        }
        if (!spawned_set_check(g, row, i)) return false;
    }
    if (count || !entities) return true;
    return validation_refuse(g->fault, ENT_BAD_FIELD, HEADER_AT(section_count),
                             "the section %s is missing", section_name(SECTION_SPAWNED));
}

bool blob_meaning_check(BlobValidation* g) {
    switch (g->header.resource_type) {
    case RESOURCE_ENTITY:
    case RESOURCE_LEVEL: return tree_check(g) && declared_sections_check(g) && spawned_check(g);
    case RESOURCE_MESH: return mesh_check(g);
    case RESOURCE_SKELETON: return skeleton_check(g);
    case RESOURCE_CLIP: return clip_check(g);
    case RESOURCE_COMPONENT: return declaration_check(g);
    case RESOURCE_TEXTURE: return texture_check(g);
    case RESOURCE_DATA: return count_check(g, SECTION_DATA, g->header.element_count, true);
    case RESOURCE_PACKAGE: return count_check(g, SECTION_REFERENCE, g->header.element_count, true);
    default: return material_check(g);
    }
}
