/* blob_meaning.c - the last part of the validation of a blob: rules between the rows of a resource,
 * each of which is valid by itself. Trees, meshes, skeletons, clips, declarations. */
#include "gate_internal.h"

#include <stdio.h>

#include "clip.h"
#include "material_slot.h"
#include "mesh_data.h"
#include "skeleton.h"
#include "texture_shape.h"

static bool count_check(BlobGate* g, u32 kind, u32 count, bool required) {
    const BlobSection* s = gate_section(g, kind);
    if (!s && (!required || count == 0)) return true;
    if (!s) {
        return gate_refuse(g->fault, ENT_BAD_FIELD, HEADER_AT(section_count),
                           "the section %s is missing", section_name(kind));
    }
    if (s->count == count) return true;
    return gate_refuse_entry(g, ENTRY_AT((u32)(s - g->section), count), "is %u, but must be %u",
                             s->count, count);
}

static u32 parent_of(const u8* at, u32 row, u32 stride) {
    u32 parent;
    memcpy(&parent, at + (u64)row * stride, 4);
    return parent;
}

/* Rows of a tree come after their parents. */
static bool parents_check(BlobGate* g, u32 kind, u32 stride) {
    const BlobSection* s = gate_section(g, kind);
    if (!s) return true;
    const u8* at = g->bytes + s->offset;
    u32       bad = 0, row = 0;
    for (u32 i = 0; i < s->count; i++) {
        const u32 parent = parent_of(at, i, stride);
        bad |= (u32)(parent >= i) & (u32)(parent != NONE);
    }
    if (!bad) return true;
    for (; row + 1 < s->count; row++) {
        const u32 parent = parent_of(at, row, stride);
        if (parent >= row && parent != NONE) break;
    }
    return gate_refuse_value(g, gate_offset(g, at + (u64)row * stride), section_name(kind), row,
                             "parent", "a parent must precede its children");
}

/* Parents are in the base, or in the same group as their children. */
static bool parent_groups_check(BlobGate* g) {
    u32       count;
    const u8* at = gate_rows(g, SECTION_PARENT, &count);
    const u32 row = g->groups.count
                        ? groups_first_crossing(&g->groups, NULL, at, count, sizeof(ParentRecord))
                        : count;
    if (row == count) return true;
    return gate_refuse_value(g, gate_offset(g, at + (u64)row * sizeof(ParentRecord)), "parent", row,
                             "parent",
                             "a parent must be in the base or in the same group as its child");
}

static bool tree_check(BlobGate* g) {
    const u32 entities = g->header.element_count;
    if (entities > BLOB_ENTITIES_MAX) {
        return gate_refuse(g->fault, ENT_LIMIT, HEADER_AT(element_count),
                           "is %u; a level or an entity has at most %u entities", entities,
                           BLOB_ENTITIES_MAX);
    }
    return count_check(g, SECTION_PARENT, g->header.element_count, true) &&
           parents_check(g, SECTION_PARENT, sizeof(ParentRecord)) && parent_groups_check(g) &&
           count_check(g, SECTION_NAME_OFFSET, g->header.element_count, false);
}

static bool parts_check(BlobGate* g, u32 vertex_count) {
    u32                   part_count, index_count;
    const MeshPartRecord* part = gate_rows(g, SECTION_MESH_PART, &part_count);
    const u32*            index = gate_rows(g, SECTION_INDEX, &index_count);
    u64                   next = 0;
    for (u32 i = 0; i < part_count; i++) {
        const MeshPartRecord* p = &part[i];
        if (p->first_index != next || p->index_count > index_count - next || p->index_count == 0) {
            return gate_refuse_value(
                g, gate_offset(g, &p->first_index), "mesh_part", i, "first_index",
                "parts must be contiguous, not empty, and inside the index section");
        }
        static const u32 group[] = {3, 2, 1};
        if (p->index_count % group[p->topology]) {
            return gate_refuse_value(g, gate_offset(g, &p->index_count), "mesh_part", i,
                                     "index_count",
                                     "must be a multiple of 3 for triangles, and of 2 for lines");
        }
        if (p->first_vertex > vertex_count || p->vertex_count > vertex_count - p->first_vertex) {
            return gate_refuse_value(g, gate_offset(g, &p->first_vertex), "mesh_part", i,
                                     "first_vertex",
                                     "the vertices of the part exceed those of the mesh");
        }
        u32 bad = 0;
        for (u64 k = next; k < next + p->index_count; k++) {
            bad |= (u32)(index[k] - p->first_vertex >= p->vertex_count);
        }
        if (bad) {
            return gate_refuse_value(g, gate_offset(g, &p->first_index), "mesh_part", i,
                                     "vertex_count",
                                     "an index of the part is outside its range of vertices");
        }
        next += p->index_count;
    }
    if (next == index_count) return true;
    return gate_refuse(g->fault, ENT_BAD_FIELD, gate_offset(g, index), "index",
                       "there are indices that belong to no part");
}

static bool weights_check(BlobGate* g) {
    u32        count;
    const u32* word = gate_rows(g, SECTION_VERTEX_WEIGHTS, &count);
    for (u32 i = 0; i < count; i++) {
        const u32 a = word[2 * i], b = word[2 * i + 1];
        if ((a & 0xffff) + (a >> 16) + (b & 0xffff) + (b >> 16) == 65535) continue;
        return gate_refuse_value(g, gate_offset(g, word + 2 * i), "vertex_weights", i, "",
                                 "the sum of the four weights must be 65535");
    }
    return true;
}

static bool mesh_check(BlobGate* g) {
    static const u32 streams[] = {SECTION_NORMAL, SECTION_TANGENT, SECTION_UV,
                                  SECTION_VERTEX_JOINTS, SECTION_VERTEX_WEIGHTS};
    const u32        vertices = g->header.element_count;
    if (!count_check(g, SECTION_POSITION, vertices, true)) return false;
    for (u32 i = 0; i < COUNT_OF(streams); i++) {
        if (!count_check(g, streams[i], vertices, false)) return false;
    }
    if (!gate_section(g, SECTION_VERTEX_JOINTS) != !gate_section(g, SECTION_VERTEX_WEIGHTS)) {
        return gate_refuse(
            g->fault, ENT_BAD_FIELD, HEADER_AT(section_count),
            "vertex_joints and vertex_weights must both be present or both be absent");
    }
    return count_check(g, SECTION_MESH_BOUNDS, 1, true) && parts_check(g, vertices) &&
           weights_check(g);
}

static bool skeleton_check(BlobGate* g) {
    u32               bind_count;
    const BindRecord* bind = gate_rows(g, SECTION_BIND, &bind_count);
    if (!count_check(g, SECTION_JOINT, g->header.element_count, true)) return false;
    if (!parents_check(g, SECTION_JOINT, sizeof(JointRecord))) return false;
    if (!count_check(g, SECTION_NAME_OFFSET, g->header.element_count, false)) return false;
    for (u32 i = 0; i < bind_count; i++) {
        if (bind[i].joint >= g->header.element_count) {
            return gate_refuse_value(g, gate_offset(g, &bind[i].joint), "bind", i, "joint",
                                     "is not the index of a joint of this skeleton");
        }
    }
    return true;
}

/* Where the times and values of the next track begin: tracks share none, so that validation takes
 * linear time. */
typedef struct TrackEnds {
    u64 time, value;
} TrackEnds;

static bool track_check(BlobGate* g, u32 i, const TrackRecord* t, const f32* time, u32 time_count,
                        u32 value_count, TrackEnds* ends) {
    const u64 words =
        (t->channel == CLIP_ROTATION ? 4u : 3u) * (t->interpolation == CLIP_CUBIC ? 3u : 1u);
    if (t->first_time != ends->time || t->key_count > time_count - ends->time) {
        return gate_refuse_value(
            g, gate_offset(g, &t->first_time), "track", i, "first_time",
            "the times of tracks must be contiguous and inside the section key_time");
    }
    if (t->first_value != ends->value || t->key_count * words > value_count - ends->value) {
        return gate_refuse_value(
            g, gate_offset(g, &t->first_value), "track", i, "first_value",
            "the values of tracks must be contiguous and inside the section key_value");
    }
    for (u32 k = 1; k < t->key_count; k++) {
        const f32* at = time + t->first_time + k;
        if (at[0] <= at[-1]) {
            return gate_refuse_value(g, gate_offset(g, at), "key_time", t->first_time + k, "",
                                     "the times of a track must be in strictly ascending order");
        }
    }
    ends->time += t->key_count;
    ends->value += t->key_count * words;
    return true;
}

static bool clip_check(BlobGate* g) {
    u32                track_count, time_count, value_count;
    TrackEnds          ends = {0, 0};
    const TrackRecord* track = gate_rows(g, SECTION_TRACK, &track_count);
    const f32*         time = gate_rows(g, SECTION_KEY_TIME, &time_count);
    const f32*         value = gate_rows(g, SECTION_KEY_VALUE, &value_count);
    if (!count_check(g, SECTION_TRACK, g->header.element_count, true)) return false;
    if (!count_check(g, SECTION_CLIP_INFO, 1, true)) return false;
    for (u32 i = 0; i < track_count; i++) {
        if (!track_check(g, i, &track[i], time, time_count, value_count, &ends)) return false;
    }
    if (ends.time == time_count && ends.value == value_count) return true;
    return gate_refuse(g->fault, ENT_BAD_FIELD,
                       gate_offset(g, ends.time < time_count ? time : value),
                       ends.time < time_count ? "key_time" : "key_value",
                       "there are keys that belong to no track");
}

static bool declaration_check(BlobGate* g) {
    const u32        fields = g->header.element_count;
    u32              one;
    RowFault         fault;
    DeclarationParts p = {.declaration = gate_rows(g, SECTION_DECLARATION, &one)};
    p.field = gate_rows(g, SECTION_DECLARED_FIELD, &p.field_count);
    p.enum_text = gate_rows(g, SECTION_ENUM_TEXT, &p.enum_text_count);
    p.text = gate_rows(g, SECTION_DECLARATION_TEXT, &p.text_bytes);
    if (fields == 0 || fields > COMPONENT_COLUMNS_MAX) {
        return gate_refuse(g->fault, ENT_BAD_FIELD, HEADER_AT(element_count),
                           "is %u; a component has 1 to %u fields", fields, COMPONENT_COLUMNS_MAX);
    }
    if (!count_check(g, SECTION_DECLARATION, 1, true)) return false;
    if (!count_check(g, SECTION_DECLARED_FIELD, fields, true)) return false;
    if (p.enum_text_count > DECLARATION_TEXTS_MAX) {
        const BlobSection* s = gate_section(g, SECTION_ENUM_TEXT);
        return gate_refuse_entry(g, ENTRY_AT((u32)(s - g->section), count),
                                 "is %u, but must be at most %u", s->count, DECLARATION_TEXTS_MAX);
    }
    if (!p.text) return count_check(g, SECTION_DECLARATION_TEXT, 1, true);
    if (declaration_is_good(&p, &fault)) return true;
    return gate_refuse_value(g, gate_offset(g, fault.at), fault.table, fault.row, fault.field,
                             fault.why);
}

/* Levels follow from the size and the format of the texture, and each other in its data. */
static bool level_check(BlobGate* g, const TextureRecord* t, const TextureLevelRecord* level, u32 i,
                        const u8* data, u64* end) {
    const TextureLevelRecord wanted = texture_level(t, i, align_up(*end, TEXTURE_ALIGN));
    const u32 *              is = (const u32*)level, *must = (const u32*)&wanted;
    const RecordType*        record = section_record(SECTION_TEXTURE_LEVEL);
    for (u32 f = 0; f < record->field_count; f++) {
        char why[64];
        if (is[f] == must[f]) continue;
        snprintf(why, sizeof why, "is %u, but must be %u", is[f], must[f]);
        return gate_refuse_value(g, gate_offset(g, is + f), "texture_level", i,
                                 record->fields[f].name, why);
    }
    if (!gate_zeros(data + *end, wanted.offset - *end)) {
        return gate_refuse(g->fault, ENT_BAD_FIELD, gate_offset(g, data + *end), "texture_data",
                           "bytes between levels must be 0");
    }
    *end = (u64)wanted.offset + wanted.bytes;
    return true;
}

static bool texture_check(BlobGate* g) {
    u32                       one, level_count, data_bytes;
    u64                       end = 0;
    const TextureRecord*      t = gate_rows(g, SECTION_TEXTURE, &one);
    const TextureLevelRecord* level = gate_rows(g, SECTION_TEXTURE_LEVEL, &level_count);
    const u8*                 data = gate_rows(g, SECTION_TEXTURE_DATA, &data_bytes);
    if (!count_check(g, SECTION_TEXTURE, 1, true)) return false;
    if (g->header.element_count != t->level_count) {
        return gate_refuse(g->fault, ENT_BAD_FIELD, HEADER_AT(element_count),
                           "is %u, but the texture has %u levels", g->header.element_count,
                           t->level_count);
    }
    if (t->level_count > texture_level_most(t->width, t->height)) {
        return gate_refuse_value(g, gate_offset(g, &t->level_count), "texture", 0, "level_count",
                                 "there are more levels than the size allows");
    }
    if (t->color_space == TEXTURE_SRGB && !texture_has_color(t->format)) {
        return gate_refuse_value(g, gate_offset(g, &t->color_space), "texture", 0, "color_space",
                                 "a format of one or two channels is linear");
    }
    if (!count_check(g, SECTION_TEXTURE_LEVEL, t->level_count, true)) return false;
    if (!count_check(g, SECTION_TEXTURE_DATA, texture_bytes(t), true)) return false;
    for (u32 i = 0; i < level_count; i++) {
        if (!level_check(g, t, &level[i], i, data, &end)) return false;
    }
    return true;
}

static bool material_check(BlobGate* g) {
    u32                          count;
    const MaterialTextureRecord* rows = gate_rows(g, SECTION_MATERIAL_TEXTURE, &count);
    if (g->header.element_count != 1) {
        return gate_refuse(g->fault, ENT_BAD_FIELD, HEADER_AT(element_count),
                           "is %u, but must be 1 for a material", g->header.element_count);
    }
    if (!count_check(g, SECTION_MATERIAL, 1, true)) return false;
    for (u32 i = 0; i < count; i++) {
        const MaterialTextureRecord* row = &rows[i];
        const char*                  why = material_strength_fault(row->slot, row->strength);
        if (i && row->slot <= rows[i - 1].slot) {
            return gate_refuse_value(g, gate_offset(g, &row->slot), "material_texture", i, "slot",
                                     "the slots must be in strictly ascending order");
        }
        if (why) {
            return gate_refuse_value(g, gate_offset(g, &row->strength), "material_texture", i,
                                     "strength", why);
        }
    }
    return true;
}

bool blob_meaning_check(BlobGate* g) {
    switch (g->header.resource_type) {
    case RESOURCE_ENTITY:
    case RESOURCE_LEVEL: return tree_check(g);
    case RESOURCE_MESH: return mesh_check(g);
    case RESOURCE_SKELETON: return skeleton_check(g);
    case RESOURCE_CLIP: return clip_check(g);
    case RESOURCE_COMPONENT: return declaration_check(g);
    case RESOURCE_TEXTURE: return texture_check(g);
    case RESOURCE_PACKAGE: return count_check(g, SECTION_REFERENCE, g->header.element_count, true);
    default: return material_check(g);
    }
}
