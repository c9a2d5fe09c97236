/* animator_properties.c - what clips change of lights and cameras. */
#include "animators_internal.h"
#include "camera.h"
#include "clip.h"
#include "light.h"

/* Where the properties of CLIP_PROPERTY are in the components of an entity. */
static const struct {
    ComponentIndex type;
    u32            offset; /* in its record */
} places[] = {[CLIP_LIGHT_INTENSITY] = {COMPONENT_LIGHT, offsetof(LightRecord, intensity)},
              [CLIP_LIGHT_COLOR] = {COMPONENT_LIGHT, offsetof(LightRecord, color)},
              [CLIP_VERTICAL_FOV] = {COMPONENT_CAMERA, offsetof(CameraRecord, vertical_fov_rad)}};

/* --- values --- */

static const Field* field_of(const Manager* manager, u32 offset) {
    const Field* field = manager->desc.type.record.fields;
    while (field->offset != offset) field++;
    return field;
}

/* Sets the property of the first component of the entity that has it, within the bounds of its field. */
static void value_set(const Animators* a, Entity entity, u32 property, const f32* value) {
    Manager* const manager = animators_manager(a, places[property].type);
    const u32      row = ent_manager_row(manager, ent_world_entities(a->poses.world), entity);
    if (row == MANAGER_NO_ROW) return;
    const Field* field = field_of(manager, places[property].offset);
    const u32    words = CLIP_PROPERTY_WORDS(property);
    f32          limited[3];
    u8* const at = (u8*)manager->column[0] + (size_t)row * manager->column_bytes[0] + field->offset;
    for (u32 i = 0; i < 3; i++)
        limited[i] = i < words ? MIN_OF(MAX_OF(value[i], (f32)field->lo), (f32)field->hi) : 0;
    if (memcmp(at, limited, words * sizeof *limited) == 0) return;
    memcpy(at, limited, words * sizeof *limited);
    if (manager->watch) watch_row(manager->watch, row);
}

/* --- rows --- */

static ent_status rows_make(Animators* a, u32 rows) {
    const u32 room = MAX_OF(rows + rows / 2, 16u);
    if (rows <= a->property_room) return ENT_OK;
    PropertyRow* grown =
        pose_library_grow(&a->poses, a->property, a->property_room, room, sizeof *grown);
    if (!grown) return ENT_NO_MEMORY;
    for (u32 i = a->property_room; i < room; i++) grown[i] = (PropertyRow){.use = ANIMATOR_UNUSED};
    a->property = grown;
    a->property_room = room;
    return ENT_OK;
}

static u32 track_find(const Animators* a, u32 clip, const AnimatedPropertyRecord* record) {
    if (clip == NONE) return NONE;
    return pose_track_find(&a->poses.tables.clip[clip], record->property, record->target);
}

/* Finds the animator of a row, and the tracks of its clips. */
static ent_status row_resolve(Animators* a, Entity entity, const AnimatedPropertyRecord* record,
                              PropertyRow* out) {
    const bool is_same = out->property == record->property && out->target == record->target;
    bool       is_new;
    TRY(animator_use_find(a, &out->use, entity, record->animator, record->index, is_same, &is_new));
    out->property = record->property;
    out->target = record->target;
    if (!is_new) return ENT_OK;
    out->is_set = false;
    out->track = track_find(a, out->use.clip, record);
    out->track_2 = track_find(a, out->use.clip_2, record);
    return ENT_OK;
}

static void value_of(const Animators* a, const AnimatedPropertyRecord* record, u32 clip, u32 track,
                     f32 time_s, f32* value) {
    if (track == NONE)
        memcpy(value, &record->rest, sizeof record->rest);
    else
        pose_track_sample(&a->poses.tables.clip[clip], track, time_s, value);
}

/* As node_pose of animators.c: what one of two clips animates is blended with the value at rest. */
static void row_set(const Animators* a, const AnimatedPropertyRecord* record, PropertyRow* row) {
    const AnimatorRecord* playing = &ent_animator_rows(a->poses.world).record[row->use.row];
    const PosePlay        play = animator_play(a, playing, &a->row[row->use.row]);
    const bool            is_same = row->is_set && row->time_s == play.time_s &&
                         row->time_2_s == play.time_2_s && row->blend == play.blend;
    f32 value[3] = {0}, other[3] = {0};
    if (is_same || (row->track == NONE && row->track_2 == NONE)) return;
    if (play.clip == NONE && play.blend <= 0) return;
    row->time_s = play.time_s;
    row->time_2_s = play.time_2_s;
    row->blend = play.blend;
    row->is_set = true;
    value_of(a, record, row->use.clip, row->track, play.time_s, value);
    if (play.blend > 0) value_of(a, record, row->use.clip_2, row->track_2, play.time_2_s, other);
    for (u32 i = 0; play.blend > 0 && i < 3; i++)
        value[i] += (other[i] - value[i]) * MIN_OF(play.blend, 1.0f);
    value_set(a, row->use.entity, record->property, value);
}

ent_status animator_properties_set(Animators* a, bool chosen) {
    const AnimatedPropertyRows rows = ent_animated_property_rows(a->poses.world);
    TRY(rows_make(a, rows.count));
    for (u32 i = 0; i < rows.count; i++) {
        PropertyRow* row = &a->property[i];
        TRY(row_resolve(a, rows.entity[i], &rows.record[i], row));
        if (row->use.row != NONE && (!chosen || a->row[row->use.row].is_chosen))
            row_set(a, &rows.record[i], row);
    }
    return ENT_OK;
}

/* --- another clip --- */

static bool is_of(const AnimatedPropertyRecord* record, Entity entity, Entity owner) {
    return (record->animator == ENTITY_NULL ? entity : record->animator) == owner;
}

ent_status animator_properties_mark(Animators* a, Entity entity, u32 clip) {
    const AnimatedPropertyRows rows = ent_animated_property_rows(a->poses.world);
    for (u32 i = 0; i < rows.count; i++) {
        const AnimatedPropertyRecord* r = &rows.record[i];
        u32                           row;
        if (!is_of(r, rows.entity[i], entity) || track_find(a, clip, r) == NONE) continue;
        TRY(animator_row_find(a, rows.entity[i], r->animator, r->index, &row));
        if (row != NONE) a->row[row].is_chosen = true;
    }
    return ENT_OK;
}

ent_status animator_properties_rest(Animators* a, Entity entity, u32 clip) {
    const AnimatedPropertyRows rows = ent_animated_property_rows(a->poses.world);
    for (u32 i = 0; i < rows.count; i++) {
        const AnimatedPropertyRecord* r = &rows.record[i];
        u32                           row;
        if (!is_of(r, rows.entity[i], entity) || track_find(a, clip, r) != NONE) continue;
        TRY(animator_row_find(a, rows.entity[i], r->animator, r->index, &row));
        if (row == NONE || !a->row[row].is_chosen) continue;
        if (track_find(a, a->row[row].clip, r) != NONE)
            value_set(a, rows.entity[i], r->property, &r->rest.x);
    }
    return ENT_OK;
}
