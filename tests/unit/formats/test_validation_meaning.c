/* test_validation_meaning.c - the last part of the validator, rule by rule: meshes, trees, clips
 * and declarations whose rows are each valid alone; and what is validated later. */
#include "test_raw.h"

#include <stdio.h>

#include "clip.h"
#include "declaration.h"
#include "hash.h"
#include "material.h"
#include "mesh_data.h"
#include "sections.h"

#define VERTICES 3u

typedef struct MeshParts {
    MeshBoundsRecord    bounds;
    MeshPartRecord      part[2];
    PositionRecord      position[VERTICES];
    VertexJointsRecord  joints[VERTICES];
    VertexWeightsRecord weights[VERTICES];
    IndexRecord         index[6];
} MeshParts;

static MeshParts mesh_parts(void) {
    MeshParts m = {.bounds = {{0, 0, 0}, {1, 1, 1}},
                   .part = {{.index_count = 3, .vertex_count = VERTICES},
                            {.first_index = 3, .index_count = 3, .vertex_count = VERTICES}}};
    for (u32 i = 0; i < VERTICES; i++) {
        m.weights[i] = (VertexWeightsRecord){65535, 0};
        m.index[i].vertex = m.index[3 + i].vertex = i;
    }
    return m;
}

enum { WITH_BOUNDS = 1, WITH_JOINTS = 2, WITH_WEIGHTS = 4, WITH_ALL = 7 };

static Raw mesh_begin(const MeshParts* m, u32 with, u32 parts) {
    Raw raw = raw_begin(RESOURCE_MESH, VERTICES);
    if (with & WITH_BOUNDS) raw_rows(&raw, SECTION_MESH_BOUNDS, &m->bounds, 1);
    if (parts) raw_rows(&raw, SECTION_MESH_PART, m->part, parts);
    raw_rows(&raw, SECTION_POSITION, m->position, VERTICES);
    if (with & WITH_JOINTS) raw_rows(&raw, SECTION_VERTEX_JOINTS, m->joints, VERTICES);
    if (with & WITH_WEIGHTS) raw_rows(&raw, SECTION_VERTEX_WEIGHTS, m->weights, VERTICES);
    raw_rows(&raw, SECTION_INDEX, m->index, COUNT_OF(m->index));
    return raw;
}

static void mesh_with_inconsistent_sections_is_refused(void** state) {
    MeshParts m = mesh_parts();
    Raw       raw = mesh_begin(&m, WITH_ALL, 2);
    UNUSED(state);
    expect_valid(&raw);
    raw = mesh_begin(&m, WITH_BOUNDS | WITH_JOINTS, 2);
    expect_fault(&raw, "header.section_count",
                 "vertex_joints and vertex_weights must both be present or both be absent");
    raw = mesh_begin(&m, WITH_BOUNDS | WITH_WEIGHTS, 2);
    expect_fault(&raw, "header.section_count",
                 "vertex_joints and vertex_weights must both be present or both be absent");
    raw = mesh_begin(&m, WITH_JOINTS | WITH_WEIGHTS, 2);
    expect_fault(&raw, "header.section_count", "section mesh_bounds is missing");
    raw = mesh_begin(&m, WITH_ALL, 1);
    expect_fault(&raw, "index", "there are indices that belong to no part");
    raw = mesh_begin(&m, WITH_ALL, 0);
    expect_fault(&raw, "index", "there are indices that belong to no part");

    m.part[1].index_count = 6; /* a multiple of 3, three more than exist */
    raw = mesh_begin(&m, WITH_ALL, 2);
    expect_fault(&raw, "mesh_part[1].first_index", "parts must be contiguous");
    m = mesh_parts();
    m.part[1].first_vertex = VERTICES + 1, m.part[1].vertex_count = UINT32_MAX;
    raw = mesh_begin(&m, WITH_ALL, 2);
    expect_fault(&raw, "mesh_part[1].first_vertex", "the vertices of the part exceed");
    m.part[1].first_vertex = 1, m.part[1].vertex_count = VERTICES;
    expect_fault(&raw, "mesh_part[1].first_vertex", "the vertices of the part exceed");
    m = mesh_parts();
    m.weights[1] = (VertexWeightsRecord){65535, 1u << 16};
    raw = mesh_begin(&m, WITH_ALL, 2);
    expect_fault(&raw, "vertex_weights[1]", "must be 65535");
}

static void tree_whose_parents_are_not_before_children_is_refused(void** state) {
    static const u32 parent[][4] = {
        {NONE, 0, 1, 2}, {NONE, 1, 1, 2}, {NONE, 0, 3, 2}, {NONE, 0, 1, 3}, {0, 0, 1, 2}};
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(parent); i++) {
        static const u32 invalid_row[] = {0, 1, 2, 3, 0};
        char             field[32];
        Raw              raw = raw_begin(RESOURCE_LEVEL, 4);
        raw_rows(&raw, SECTION_PARENT, parent[i], 4);
        snprintf(field, sizeof field, "parent[%u].parent", invalid_row[i]);
        if (i == 0)
            expect_valid(&raw);
        else
            expect_fault(&raw, field, "a parent must precede its children");
    }
    Raw             raw = raw_begin(RESOURCE_LEVEL, BLOB_ENTITIES_MAX + 1);
    const RawOpened many = raw_open(&raw, NULL);
    assert_int_equal(many.status, ENT_LIMIT);
    assert_string_equal(many.fault.field, "header.element_count");
    raw = raw_begin(RESOURCE_SKELETON, 1);
    expect_fault(&raw, "header.section_count", "section joint is missing");
    raw = raw_begin(RESOURCE_MATERIAL, 1);
    expect_fault(&raw, "header.section_count", "section material is missing");
    MaterialRecord material[2];
    Random         random = {3};
    for (u32 i = 0; i < 2; i++) {
        random_record(&random, section_record(SECTION_MATERIAL), 0, &material[i]);
    }
    raw = raw_begin(RESOURCE_MATERIAL, 2);
    raw_rows(&raw, SECTION_MATERIAL, material, 1);
    expect_fault(&raw, "header.element_count", "is 2, but must be 1 for a material");
    raw = raw_begin(RESOURCE_MATERIAL, 1);
    raw_rows(&raw, SECTION_MATERIAL, material, 2);
    expect_fault(&raw, "section[0].count", "is 2, but must be 1");
}

/* Eight weights have a common sum. */
static void mesh_with_wrong_second_influences_is_refused(void** state) {
    const MeshParts      m = mesh_parts();
    VertexJoints1Record  joints[VERTICES] = {{0, 0}};
    VertexWeights1Record weights[VERTICES] = {{0, 0}};
    Raw                  raw = mesh_begin(&m, WITH_ALL, 2);
    UNUSED(state);
    raw_rows(&raw, SECTION_VERTEX_JOINTS_1, joints, VERTICES);
    expect_fault(&raw, "header.section_count", "must both be present or both be absent");
    raw_rows(&raw, SECTION_VERTEX_WEIGHTS_1, weights, VERTICES);
    expect_valid(&raw);
    weights[1].weights_67 = 0x10000;
    expect_fault(&raw, "vertex_weights[1]", "the sum of the weights of a vertex must be 65535");
    raw = mesh_begin(&m, WITH_BOUNDS, 2);
    expect_valid(&raw);
    raw_rows(&raw, SECTION_VERTEX_JOINTS_1, joints, VERTICES);
    raw_rows(&raw, SECTION_VERTEX_WEIGHTS_1, weights, VERTICES);
    expect_fault(&raw, "header.section_count", "vertex_joints_1 needs vertex_joints");
    raw = mesh_begin(&m, WITH_ALL, 2);
    raw_rows(&raw, SECTION_VERTEX_JOINTS_1, joints, VERTICES - 1);
    raw_rows(&raw, SECTION_VERTEX_WEIGHTS_1, weights, VERTICES - 1);
    expect_fault(&raw, "section[6].count", "is 2, but must be 3");
}

static void mesh_with_wrong_morph_targets_is_refused(void** state) {
    static const char names[] = "smile\0frown";
    static const struct {
        u32         first[2], count[2], vertex[3], rows;
        const char *field, *reason; /* NULL: it is valid */
    } rows[] = {
        {{0, 2}, {2, 1}, {0, 2, 1}, 3, NULL, NULL},
        {{0, 0}, {0, 0}, {0, 0, 0}, 0, NULL, NULL},
        {{0, 3}, {3, 0}, {0, 1, 2}, 3, NULL, NULL},
        {{1, 2}, {1, 1}, {0, 1, 2}, 3, "morph_target[0].first_row", "must be contiguous"},
        {{0, 1}, {2, 1}, {0, 1, 2}, 3, "morph_target[1].first_row", "must be contiguous"},
        {{0, 2}, {2, 2}, {0, 1, 2}, 3, "morph_target[1].first_row", "must be contiguous"},
        {{0, 2}, {2, 0}, {0, 1, 2}, 3, "morph_vertex", "rows that belong to no morph target"},
        {{0, 2}, {2, 1}, {1, 1, 2}, 3, "morph_vertex[1]", "in strictly ascending order"},
        {{0, 2}, {2, 1}, {0, 1, 3}, 3, "morph_vertex[2]", "must be a vertex of the mesh"},
    };
    const MeshParts           m = mesh_parts();
    const MorphPositionRecord moved[3] = {{{1, 0, 0}}};
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(rows); i++) {
        MorphTargetRecord target[2] = {{.name = 0}, {.name = 6}};
        MorphVertexRecord vertex[3];
        Raw               raw = mesh_begin(&m, WITH_ALL, 2);
        for (u32 k = 0; k < 2; k++) target[k].first_row = rows[i].first[k];
        for (u32 k = 0; k < 2; k++) target[k].row_count = rows[i].count[k];
        for (u32 k = 0; k < 3; k++) vertex[k].vertex = rows[i].vertex[k];
        raw_rows(&raw, SECTION_MORPH_TARGET, target, 2);
        raw_rows(&raw, SECTION_MORPH_NAME, names, sizeof names);
        if (rows[i].rows) raw_rows(&raw, SECTION_MORPH_VERTEX, vertex, rows[i].rows);
        if (rows[i].rows) raw_rows(&raw, SECTION_MORPH_POSITION, moved, rows[i].rows);
        if (rows[i].field)
            expect_fault(&raw, rows[i].field, rows[i].reason);
        else
            expect_valid(&raw);
        if (i) continue;
        target[1].name = 5;
        expect_fault(&raw, "morph_target[1]", "does not begin at the end of the previous name");
        target[1].name = 6;
        raw_rows(&raw, SECTION_MORPH_NORMAL, moved, 2);
        expect_fault(&raw, "section[10].count", "is 2, but must be 3");
    }
}

static const struct {
    f32         error[2];
    u32         first[4], count[4], vertex[12], ranges, indices;
    const char *field, *reason; /* NULL: it is valid */
} lod_rows[] = {
    {{0, 1}, {0, 3, 6, 9}, {3, 3, 3, 3}, {0, 1, 2}, 4, 12, NULL, NULL},
    {{1, 1}, {0, 3, 6, 9}, {3, 3, 3, 3}, {0, 1, 2}, 4, 12, NULL, NULL},
    {{1, 1}, {0, 0, 6, 9}, {0, 6, 3, 3}, {0, 1, 2}, 4, 12, NULL, NULL},
    {{-1, 1}, {0, 3, 6, 9}, {3, 3, 3, 3}, {0, 1, 2}, 4, 12, "mesh_lod[0].error_m", "at least 0"},
    {{2, 1},
     {0, 3, 6, 9},
     {3, 3, 3, 3},
     {0, 1, 2},
     4,
     12,
     "mesh_lod[1].error_m",
     "not below the error of the level before"},
    {{0, 1},
     {0, 3, 6, 9},
     {3, 3, 3, 3},
     {0, 1, 2},
     3,
     12,
     "header.section_count",
     "there are 3 rows of lod_range; 2 levels of 2 parts need 4"},
    {{0, 1},
     {1, 3, 6, 9},
     {2, 3, 3, 3},
     {0, 1, 2},
     4,
     12,
     "lod_range[0].first_index",
     "must be contiguous"},
    {{0, 1},
     {0, 3, 6, 9},
     {3, 3, 3, 6},
     {0, 1, 2},
     4,
     12,
     "lod_range[3].first_index",
     "must be contiguous"},
    {{0, 1}, {0, 3, 6, 12}, {3, 3, 6, 0}, {0, 1, 2}, 4, 12, NULL, NULL}, /* a range may be empty */
    {{0, 1},
     {0, 2, 6, 9},
     {2, 4, 3, 3},
     {0, 1, 2},
     4,
     12,
     "lod_range[0].index_count",
     "must be a multiple of 3"},
    {{0, 1},
     {0, 3, 6, 9},
     {3, 3, 3, 3},
     {0, 1, 3},
     4,
     12,
     "lod_range[0].index_count",
     "outside the vertices of its part"},
    {{0, 1},
     {0, 3, 6, 9},
     {3, 3, 3, 3},
     {0, 1, 2, 0, 0, 0, 0, 0, 0, 0, 0, 9},
     4,
     12,
     "lod_range[3].index_count",
     "outside the vertices of its part"},
    {{0, 1},
     {0, 3, 6, 9},
     {3, 3, 3, 3},
     {0, 1, 2},
     4,
     13,
     "lod_index",
     "indices that belong to no level"},
};

static void mesh_with_wrong_levels_of_detail_is_refused(void** state) {
    const MeshParts m = mesh_parts();
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(lod_rows); i++) {
        const MeshLodRecord lod[2] = {{lod_rows[i].error[0]}, {lod_rows[i].error[1]}};
        LodRangeRecord      range[4];
        LodIndexRecord      index[13] = {{0}};
        Raw                 raw = mesh_begin(&m, WITH_ALL, 2);
        for (u32 k = 0; k < 4; k++)
            range[k] = (LodRangeRecord){lod_rows[i].first[k], lod_rows[i].count[k]};
        for (u32 k = 0; k < 12; k++) index[k].vertex = lod_rows[i].vertex[k];
        raw_rows(&raw, SECTION_MESH_LOD, lod, 2);
        raw_rows(&raw, SECTION_LOD_RANGE, range, lod_rows[i].ranges);
        raw_rows(&raw, SECTION_LOD_INDEX, index, lod_rows[i].indices);
        if (lod_rows[i].field)
            expect_fault(&raw, lod_rows[i].field, lod_rows[i].reason);
        else
            expect_valid(&raw);
    }
}

/* Another level may have a part that the full mesh does not have. */
static void part_is_empty_only_in_mesh_with_levels_of_detail(void** state) {
    static const MeshLodRecord  lod = {1};
    static const LodRangeRecord range[2] = {{0, 3}, {3, 3}};
    static const LodIndexRecord index[6] = {{0}};
    MeshParts                   m = mesh_parts();
    UNUSED(state);
    m.part[1].index_count = 6;
    m.part[1].first_index = 0;
    m.part[0].index_count = 0;
    Raw raw = mesh_begin(&m, WITH_ALL, 2);
    expect_fault(&raw, "mesh_part[0].first_index", "not empty without levels of detail");
    raw_rows(&raw, SECTION_MESH_LOD, &lod, 1);
    raw_rows(&raw, SECTION_LOD_RANGE, range, 2);
    raw_rows(&raw, SECTION_LOD_INDEX, index, 6);
    expect_valid(&raw);
}

static void clip_with_wrong_morph_tracks_is_refused(void** state) {
    static const f32     time[2] = {0, 1}, value[12] = {0};
    const ClipInfoRecord info = {1};
    MorphTrackRecord     track = {100, 2, CLIP_LINEAR, 0, 2, 0};
    struct {
        Enum32      interpolation;
        u32         targets, values;
        const char *field, *reason;
    } rows[] = {
        {CLIP_LINEAR, 2, 4, NULL, NULL},
        {CLIP_CUBIC, 2, 12, NULL, NULL},
        {CLIP_LINEAR, 3, 5, "morph_track[0].first_value", "inside their section"},
        {CLIP_CUBIC, 2, 11, "morph_track[0].first_value", "inside their section"},
        {CLIP_LINEAR, 1, 3, "morph_weights", "there are keys that belong to no track"},
    };
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(rows); i++) {
        Raw raw = raw_begin(RESOURCE_CLIP, 0);
        track.interpolation = rows[i].interpolation;
        track.target_count = rows[i].targets;
        raw_rows(&raw, SECTION_CLIP_INFO, &info, 1);
        raw_rows(&raw, SECTION_MORPH_TRACK, &track, 1);
        raw_rows(&raw, SECTION_MORPH_TIME, time, 2);
        raw_rows(&raw, SECTION_MORPH_WEIGHTS, value, rows[i].values);
        if (rows[i].field)
            expect_fault(&raw, rows[i].field, rows[i].reason);
        else
            expect_valid(&raw);
    }
}

/* Two tracks, whose order and values may be wrong. */
static void clip_with_wrong_property_tracks_is_refused(void** state) {
    enum { INTENSITY = CLIP_LIGHT_INTENSITY, COLOR = CLIP_LIGHT_COLOR, FOV = CLIP_VERTICAL_FOV };
    static const char* const order = "in the order of properties and targets";
    static const f32         time[4] = {0, 1, 0, 1}, value[24] = {0};
    const ClipInfoRecord     info = {1};
    const struct {
        Enum32      property[2];
        NameRef     target[2];
        Enum32      interpolation;
        u32         values;
        const char *field, *reason;
    } rows[] = {
        {{INTENSITY, COLOR}, {100, 100}, CLIP_LINEAR, 8, NULL, NULL},
        {{COLOR, COLOR}, {100, 101}, CLIP_STEP, 12, NULL, NULL},
        {{INTENSITY, FOV}, {101, 100}, CLIP_LINEAR, 4, NULL, NULL},
        {{INTENSITY, COLOR}, {100, 100}, CLIP_CUBIC, 24, NULL, NULL},
        {{COLOR, INTENSITY}, {100, 100}, CLIP_LINEAR, 8, "property_track[1].target", order},
        {{FOV, FOV}, {100, 100}, CLIP_LINEAR, 4, "property_track[1].target", order},
        {{FOV, FOV}, {100, 99}, CLIP_LINEAR, 4, "property_track[1].target", order},
        {{COLOR, COLOR},
         {100, 101},
         CLIP_LINEAR,
         11,
         "property_track[1].first_value",
         "inside their section"},
        {{FOV, FOV},
         {100, 101},
         CLIP_LINEAR,
         5,
         "property_value",
         "there are keys that belong to no track"},
    };
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(rows); i++) {
        Raw                       raw = raw_begin(RESOURCE_CLIP, 0);
        const u32                 words = CLIP_PROPERTY_WORDS(rows[i].property[0]);
        const PropertyTrackRecord track[2] = {
            {rows[i].target[0], rows[i].property[0], rows[i].interpolation, 0, 2, 0},
            {rows[i].target[1], rows[i].property[1], rows[i].interpolation, 2, 2,
             2 * words * (rows[i].interpolation == CLIP_CUBIC ? 3 : 1)}};
        raw_rows(&raw, SECTION_CLIP_INFO, &info, 1);
        raw_rows(&raw, SECTION_PROPERTY_TRACK, track, 2);
        raw_rows(&raw, SECTION_PROPERTY_TIME, time, 4);
        raw_rows(&raw, SECTION_PROPERTY_VALUE, value, rows[i].values);
        if (rows[i].field)
            expect_fault(&raw, rows[i].field, rows[i].reason);
        else
            expect_valid(&raw);
    }
}

static void material_with_wrong_textures_is_refused(void** state) {
    static const struct {
        u32         slots[2];
        f32         strength; /* of the first */
        const char* field;    /* NULL: it is valid */
    } rows[] = {
        {{MATERIAL_BASE_COLOR, MATERIAL_EMISSIVE}, 1, NULL},
        {{MATERIAL_NORMAL, MATERIAL_EMISSIVE}, -3, NULL},
        {{MATERIAL_OCCLUSION, MATERIAL_EMISSIVE}, 0, NULL},
        {{MATERIAL_OCCLUSION, MATERIAL_EMISSIVE}, 1, NULL},
        {{MATERIAL_OCCLUSION, MATERIAL_EMISSIVE}, 1.001f, "material_texture[0].strength"},
        {{MATERIAL_OCCLUSION, MATERIAL_EMISSIVE}, -0.001f, "material_texture[0].strength"},
        {{MATERIAL_BASE_COLOR, MATERIAL_EMISSIVE}, 0.5f, "material_texture[0].strength"},
        {{MATERIAL_METALLIC_ROUGHNESS, MATERIAL_EMISSIVE}, 2, "material_texture[0].strength"},
        {{MATERIAL_NORMAL, MATERIAL_NORMAL}, 1, "material_texture[1].slot"},
        {{MATERIAL_EMISSIVE, MATERIAL_NORMAL}, 1, "material_texture[1].slot"},
    };
    const u64             id = hash_resource(text_of("wood"), "texture");
    const ReferenceRecord reference = {resource_ref(id), RESOURCE_TEXTURE, 0};
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(rows); i++) {
        MaterialRecord        material;
        MaterialTextureRecord texture[2];
        Raw                   raw = raw_begin(RESOURCE_MATERIAL, 1);
        record_defaults(section_record(SECTION_MATERIAL), &material);
        for (u32 k = 0; k < 2; k++) {
            record_defaults(section_record(SECTION_MATERIAL_TEXTURE), &texture[k]);
            texture[k].slot = rows[i].slots[k];
            texture[k].texture = resource_ref(id);
        }
        texture[0].strength = rows[i].strength;
        raw_rows(&raw, SECTION_MATERIAL, &material, 1);
        raw_rows(&raw, SECTION_REFERENCE, &reference, 1);
        raw_rows(&raw, SECTION_REFERENCE_NAME, "wood", 5);
        raw_rows(&raw, SECTION_MATERIAL_TEXTURE, texture, 2);
        if (rows[i].field)
            expect_fault(&raw, rows[i].field,
                         rows[i].slots[0] < rows[i].slots[1] ? "strength" : "");
        else
            expect_valid(&raw);
    }
}

static void clip_with_track_out_of_range_is_refused(void** state) {
    static const f32     time[3] = {0, 1, 2}, value[10] = {0};
    const ClipInfoRecord info = {2};
    TrackRecord          track = {100, CLIP_TRANSLATION, CLIP_LINEAR, CLIP_FLOATS, 0, 2, 0};
    struct {
        u32         keys, times, values;
        const char *field, *reason;
    } rows[] = {
        {2, 2, 6, NULL, NULL},
        {3, 2, 9, "track[0].first_time", "inside their section"},
        {2, 2, 5, "track[0].first_value", "inside their section"},
        {2, 3, 6, "key_time", "there are keys that belong to no track"},
        {2, 2, 7, "key_value", "there are keys that belong to no track"},
        {2, 3, 7, "key_time", "there are keys that belong to no track"},
    };
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(rows); i++) {
        Raw raw = raw_begin(RESOURCE_CLIP, 1);
        raw_rows(&raw, SECTION_CLIP_INFO, &info, 1);
        raw_rows(&raw, SECTION_TRACK, &track, 1);
        raw_rows(&raw, SECTION_KEY_TIME, time, rows[i].times);
        raw_rows(&raw, SECTION_KEY_VALUE, value, rows[i].values);
        track.key_count = rows[i].keys;
        if (!rows[i].field) {
            expect_valid(&raw);
            continue;
        }
        expect_fault(&raw, rows[i].field, rows[i].reason);
        if (strncmp(rows[i].field, "key", 3) != 0) continue;
        const u32 kind = strcmp(rows[i].field, "key_time") == 0 ? 2 : 3;
        assert_int_equal(raw_open(&raw, NULL).fault.offset, raw.section[kind].offset);
    }
    Raw raw = raw_begin(RESOURCE_CLIP, 1);
    track.key_count = 2;
    raw_rows(&raw, SECTION_TRACK, &track, 1);
    raw_rows(&raw, SECTION_KEY_TIME, time, 2);
    raw_rows(&raw, SECTION_KEY_VALUE, value, 6);
    expect_fault(&raw, "header.section_count", "section clip_info is missing");
}

static void declaration_with_missing_section_is_refused(void** state) {
    static EnumTextRecord     texts[DECLARATION_TEXTS_MAX + 1];
    const DeclaredFieldRecord field = {.kind = FIELD_f32, .lowest = -1, .highest = 1};
    const DeclarationRecord   declaration = {
          .id = 5, .layout = LAYOUT_BY_FIELD | 5, .field_count = 1};
    UNUSED(state);
    Raw raw = raw_begin(RESOURCE_COMPONENT, 1);
    expect_fault(&raw, "header.section_count", "section declaration is missing");
    raw_rows(&raw, SECTION_DECLARATION, &declaration, 1);
    expect_fault(&raw, "header.section_count", "section declared_field is missing");
    raw_rows(&raw, SECTION_DECLARED_FIELD, &field, 1);
    expect_fault(&raw, "header.section_count", "section declaration_text is missing");
    raw_rows(&raw, SECTION_ENUM_TEXT, texts, COUNT_OF(texts));
    char reason[32];
    snprintf(reason, sizeof reason, "at most %u", DECLARATION_TEXTS_MAX);
    expect_fault(&raw, "section[2].count", reason);
    const DeclarationRecord two[2] = {declaration, declaration};
    raw = raw_begin(RESOURCE_COMPONENT, 1);
    raw_rows(&raw, SECTION_DECLARATION, two, 2);
    expect_fault(&raw, "section[0].count", "is 2, but must be 1");
}

/* --- options --- */

#define MANY 70 /* more sections than there are bits for the validated ones */

/* Some types are validated when the blob is opened, the others later. */
static void section_after_the_64th_can_be_validated_later(void** state) {
    static Field         field[MANY];
    static ComponentType type[MANY];
    static char          name[MANY][8];
    const ComponentType* known[MANY];
    const u32            entities = 1;
    _Alignas(16) u8      bytes[RAW_BYTES_MAX] = {0};
    u32                  end = sizeof(BlobHeader) + (MANY + 1) * sizeof(BlobSection);
    Raw                  raw = raw_begin(RESOURCE_LEVEL, entities);
    BlobSection*         table = (BlobSection*)(bytes + sizeof(BlobHeader));
    UNUSED(state);
    table[0] = *raw_rows(&raw, SECTION_PARENT, raw_no_parent, entities);
    table[0].offset = end;
    memcpy(bytes + end, raw_no_parent, 4);
    end += 16;
    for (u32 i = 0; i < MANY; i++, end += 32) {
        snprintf(name[i], sizeof name[i], "t%u", i);
        field[i] = (Field){.name = "v", .kind = FIELD_u32, .bytes = 4, .lo = 0, .hi = 9};
        type[i] = (ComponentType){.record = {name[i], &field[i], 1, 4}, .columns = BY_FIELD};
        ent_component_type_finish(&type[i]);
        known[i] = &type[i];
        table[i + 1] = (BlobSection){.kind = SECTION_COMPONENT,
                                     .identifier = type[i].id,
                                     .layout = type[i].layout,
                                     .count = 1,
                                     .stride = 4,
                                     .offset = end,
                                     .bytes = (u32)component_section_bytes(&type[i], 1),
                                     .column_count = 1};
        assert_true(table[i + 1].bytes > 16 && table[i + 1].bytes <= 32);
    }
    raw.header.section_count = MANY + 1;
    raw.header.blob_bytes = end;
    memcpy(bytes, &raw.header, sizeof raw.header);
    hash_fix(bytes, end);
    Blob              blob;
    BlobFault         fault;
    const BlobOptions options = {.types = known, .type_count = MANY};
    assert_int_equal(ent_blob_open(&blob, bytes, end, &options, &fault), ENT_OK);
    assert_true(blob.validated == UINT64_MAX);
    assert_int_equal(ent_blob_open(&blob, bytes, end, NULL, &fault), ENT_OK);
    assert_true(blob.validated == 1);
    const ComponentType* behind[] = {&type[64]}; /* its section is number 65 */
    const BlobOptions    one = {.types = behind, .type_count = 1};
    assert_int_equal(ent_blob_open(&blob, bytes, end, &one, &fault), ENT_OK);
    assert_true(blob.validated == 1);
    /* A value out of range in each: it is found once the type is available. */
    for (u32 i = 0; i < MANY; i++) {
        const u32 column = (u32)component_column_start(&type[i], 1, 0), ten = 10;
        memcpy(bytes + table[i + 1].offset + column, &ten, 4);
    }
    hash_fix(bytes, end);
    assert_int_equal(ent_blob_open(&blob, bytes, end, &options, &fault), ENT_BAD_FIELD);
    assert_string_equal(fault.field, "t0[0].v");
    assert_int_equal(ent_blob_open(&blob, bytes, end, NULL, &fault), ENT_OK);
    for (u32 i = 0; i < MANY; i++) {
        char wanted[16];
        snprintf(wanted, sizeof wanted, "t%u[0].v", i);
        assert_int_equal(ent_blob_validate(&blob, &type[i], &fault), ENT_BAD_FIELD);
        assert_string_equal(fault.field, wanted);
    }
    /* What was validated is not checked again, and a missing section is valid. */
    const ComponentType other = {.record = {"other", field, 1, 4}, .id = 5, .columns = BY_FIELD};
    assert_int_equal(ent_blob_validate(&blob, &other, &fault), ENT_OK);
    blob.validated = ~1ull;
    assert_int_equal(ent_blob_validate(&blob, &type[10], &fault), ENT_OK);
    assert_int_equal(ent_blob_validate(&blob, &type[63], &fault), ENT_BAD_FIELD);
}

/* Options without types select the built-in ones. */
static void validation_without_types_uses_the_built_in_ones(void** state) {
    const BlobOptions none = {0};
    static const u32  words[4] = {0, 1, 5, 6};
    Raw               raw = raw_level(2);
    UNUSED(state);
    raw_unknown(&raw, ent_component_types()[COMPONENT_LIGHT].id, words, 2);
    expect_fault_with(&raw, &none, "section[1].layout", "the layout of light in this build is");

    /* And the checksum is verified. */
    _Alignas(16) u8 bytes[sizeof(BlobHeader)];
    Blob            blob;
    BlobFault       fault;
    raw = raw_begin(RESOURCE_LEVEL, 0);
    raw.header.blob_bytes = sizeof bytes;
    memcpy(bytes, &raw.header, sizeof bytes);
    assert_int_equal(ent_blob_open(&blob, bytes, sizeof bytes, &none, &fault), ENT_BAD_HASH);
    hash_fix(bytes, sizeof bytes);
    assert_int_equal(ent_blob_open(&blob, bytes, sizeof bytes, &none, &fault), ENT_OK);
}

/* --- spawns of a save --- */

static Raw spawned_begin(const SpawnedRecord* rows, u32 count, u32 entities) {
    static const ParentRecord parent[3] = {{NONE}, {0}, {NONE}};
    static const u32          rows_of_spawns[5] = {0, 1, NONE, 2, 2};
    Raw                       raw = raw_begin(RESOURCE_LEVEL, 3);
    raw_rows(&raw, SECTION_PARENT, parent, 3);
    if (count) raw_rows(&raw, SECTION_SPAWNED, rows, count);
    if (entities) raw_rows(&raw, SECTION_SPAWNED_ENTITY, rows_of_spawns, entities);
    return raw;
}

static void spawns_have_as_many_rows_as_there_are(void** state) {
    const SpawnedRecord first = {.blob_entities = 4,
                                 .parent = NONE,
                                 .root_rotation = {0, 0, 0, 1},
                                 .root_scale = {1, 1, 1},
                                 .first = 1,
                                 .count = 3};
    SpawnedRecord       rows[2] = {first, first};
    Raw                 raw;
    UNUSED(state);
    rows[1].count = 2;
    raw = spawned_begin(rows, 2, 5);
    expect_valid(&raw);
    raw = spawned_begin(rows, 2, 4);
    expect_fault(&raw, "spawned[1].count", "are not as many");
    raw = spawned_begin(rows, 1, 5);
    expect_fault(&raw, "spawned[0].count", "are not as many");
    raw = spawned_begin(rows, 1, 0);
    expect_fault(&raw, "spawned[0].count", "are not as many");
    raw = spawned_begin(rows, 0, 3);
    expect_fault(&raw, "header.section_count", "the section spawned is missing");
    rows[1].count = UINT32_MAX;
    raw = spawned_begin(rows, 2, 5);
    expect_fault(&raw, "spawned[1].count", "are not as many");
    rows[0].first = 2;
    raw = spawned_begin(rows, 1, 3);
    expect_fault(&raw, "spawned[0].first", "are not all entities of its blob");
    rows[0].first = 5;
    rows[0].count = 0;
    raw = spawned_begin(rows, 1, 0);
    expect_fault(&raw, "spawned[0].first", "are not all entities of its blob");
    rows[0].blob_entities = BLOB_ENTITIES_MAX + 1;
    raw = spawned_begin(rows, 1, 0);
    expect_fault(&raw, "spawned[0].blob_entities", "no blob has as many");
    rows[0] = first;
    rows[0].parent = 3;
    raw = spawned_begin(rows, 1, 3);
    expect_fault(&raw, "spawned[0].parent", "");
    rows[0] = first;
    rows[0].part = 4;
    raw = spawned_begin(rows, 1, 3);
    expect_fault(&raw, "spawned[0].part", "");
    rows[0] = first;
    rows[0].root_rotation.w = 0.5f;
    raw = spawned_begin(rows, 1, 3);
    expect_fault(&raw, "spawned[0].root_rotation", "");
}

static void parts_of_a_set_refer_to_its_first_row(void** state) {
    const SpawnedRecord part = {.resource_lo = 1,
                                .hash_lo = 2,
                                .blob_entities = 4,
                                .parent = NONE,
                                .root_rotation = {0, 0, 0, 1},
                                .root_scale = {1, 1, 1}};
    const char* const   other = "the first row of the set is of another blob";
    SpawnedRecord       rows[3] = {part, part, part};
    Raw                 raw;
    UNUSED(state);
    rows[1].set = 1;
    for (u32 set = 0; set < 3; set++) {
        rows[2].set = set;
        raw = spawned_begin(rows, 3, 0);
        expect_valid(&raw);
    }
    rows[1].set = 0;
    rows[2].set = 1;
    raw = spawned_begin(rows, 3, 0);
    expect_fault(&raw, "spawned[2].set", "is not the first row of a set");
    rows[2].set = 3;
    raw = spawned_begin(rows, 3, 0);
    expect_fault(&raw, "spawned[2].set", "is not the first row of a set");
    for (u32 field = 0; field < 5; field++) {
        u32* const at[] = {&rows[2].resource_lo, &rows[2].resource_hi, &rows[2].hash_lo,
                           &rows[2].hash_hi, &rows[2].blob_entities};
        rows[2] = part;
        *at[field] += 1;
        raw = spawned_begin(rows, 3, 0);
        expect_fault(&raw, "spawned[2].set", other);
    }
}

TEST_SUITE(validation_meaning) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mesh_with_inconsistent_sections_is_refused),
        cmocka_unit_test(tree_whose_parents_are_not_before_children_is_refused),
        cmocka_unit_test(mesh_with_wrong_second_influences_is_refused),
        cmocka_unit_test(mesh_with_wrong_morph_targets_is_refused),
        cmocka_unit_test(mesh_with_wrong_levels_of_detail_is_refused),
        cmocka_unit_test(part_is_empty_only_in_mesh_with_levels_of_detail),
        cmocka_unit_test(clip_with_wrong_morph_tracks_is_refused),
        cmocka_unit_test(clip_with_wrong_property_tracks_is_refused),
        cmocka_unit_test(material_with_wrong_textures_is_refused),
        cmocka_unit_test(clip_with_track_out_of_range_is_refused),
        cmocka_unit_test(declaration_with_missing_section_is_refused),
        cmocka_unit_test(section_after_the_64th_can_be_validated_later),
        cmocka_unit_test(validation_without_types_uses_the_built_in_ones),
        cmocka_unit_test(spawns_have_as_many_rows_as_there_are),
        cmocka_unit_test(parts_of_a_set_refer_to_its_first_row),
    };
    return TEST_RUN("validation_meaning", tests);
}
