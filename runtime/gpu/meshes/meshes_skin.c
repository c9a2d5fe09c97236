/* meshes_skin.c - instances that skeletons and morph targets move: when they are seen, their vertices are
 * computed once for each pose, and all passes that draw them read these. */
#include "meshes_internal.h"

#include <stdlib.h>

#include "rows.h"

static Manager* skins_of(const Meshes* m) { return ent_world_built_in(m->world, COMPONENT_SKIN); }

/* --- which vertices there are --- */

static ent_status instances_add(Meshes* m) {
    const u32 rows = skins_of(m)->count;
    for (u32 row = 0; row < rows; row++) {
        PosePlay play;
        u32      instance;
        TRY(ent_skins_playing(m->skin.skins, row, &play));
        TRY(skinning_instance(&m->skin.skinning, play.skeleton, &instance));
    }
    return ENT_OK;
}

/* The skin of an entity, or NONE: its palette has all bones of the mesh. */
static u32 instance_of(Meshes* m, Entity entity, u32 mesh) {
    MeshesSkin*    s = &m->skin;
    const Manager* manager = skins_of(m);
    const u32      row = ent_manager_row(manager, ent_world_entities(m->world), entity);
    const u32      bones = m->shape.mesh[mesh].bone_count;
    if (row == MANAGER_NO_ROW || bones == 0) return NONE;
    const SkinInstance* posed = &s->skinning.instance[row];
    if (posed->bind_count >= bones) return row;
    if (posed->bind_count && s->wrong != (u64)mesh + 1) {
        s->wrong = (u64)mesh + 1;
        gpu_log(m->gpu, LOG_WARNING,
                "the mesh of the entity 0x%08x refers to %u bones, but its skeleton has %u: it is "
                "drawn without its skeleton",
                entity, bones, posed->bind_count);
    }
    return NONE;
}

static ent_status slots_note(MeshesSkin* s, u32 range, u32 slot) {
    if (range >= s->range_room) {
        const u32  room = MAX_OF(range + range / 2, 64u);
        u32* const grown = realloc(s->range_slot, room * sizeof *grown);
        if (!grown) return ENT_NO_MEMORY;
        s->range_slot = grown;
        s->range_room = room;
    }
    s->range_slot[range] = slot;
    return ENT_OK;
}

Entity meshes_skin_root(const Meshes* m, u32 row, Entity owner) {
    const Entity root = ent_skin_rows(m->world).record[row].root;
    return ent_entity_alive(ent_world_entities(m->world), root) ? root : owner;
}

static ent_status slot_assign(Meshes* m, u32 slot) {
    MeshInstance*      at = &m->slots.slot[slot];
    const MeshInstance before = *at;
    const u32          no_decals = at->shown & MESHES_NO_DECALS;
    if (at->mesh == MESHES_NONE) return ENT_OK;
    SkinningMesh moved_mesh = m->shape.mesh[at->mesh].moved;
    const Entity owner = m->slots.owner[slot];
    const u32    instance = instance_of(m, owner, at->mesh);
    u32          range;
    at->entity = instance == NONE ? owner : meshes_skin_root(m, instance, owner);
    at->shown = MIN_OF(at->shown & ~MESHES_NO_DECALS, MESHES_RIGID) | no_decals;
    if (at->shown != MESHES_UNSEEN && (instance != NONE || moved_mesh.target_count)) {
        if (instance == NONE)
            moved_mesh.range.box_count = 1;
        else
            moved_mesh.range.first_box++; /* behind the box of the mesh are those of bones */
        TRY(skinning_range(&m->skin.skinning, instance, &moved_mesh, &range));
        TRY(slots_note(&m->skin, range, slot));
        at->shown = (MESHES_MOVED + range) | no_decals;
    }
    if (memcmp(&before, at, sizeof before) != 0) meshes_slot_mark(&m->slots, slot);
    return ENT_OK;
}

static ent_status ranges_add(Meshes* m) {
    for (u32 i = 0; i < MESHES_ROWS(m); i++) {
        const u32 first = m->geometry.mesh[i].first_instance,
                  end = first + m->geometry.mesh[i].instance_count;
        if (!meshes_can_move(m, i)) continue;
        for (u32 slot = first; slot < end; slot++) TRY(slot_assign(m, slot));
    }
    return ENT_OK;
}

/* Are there other skins than before, or is one of them of another skeleton or root? */
static ent_status skins_compare(Meshes* m, bool* differ) {
    MeshesSkin* s = &m->skin;
    const u32   rows = skins_of(m)->count;
    *differ = m->slots.moved || rows != s->skinning.count.instances || s->watch.moves != s->moves;
    for (u32 row = 0; row < rows && !*differ; row++) {
        PosePlay play;
        TRY(ent_skins_playing(s->skins, row, &play));
        *differ = play.skeleton != skinning_skeleton(&s->skinning, row);
    }
    *differ |= s->version != ent_skins_tables(s->skins)->version;
    for (u32 i = 0; i < s->skinning.count.ranges && !*differ; i++) {
        const u32 row = s->skinning.range[i].instance, slot = s->range_slot[i];
        if (row != SKINNING_NONE)
            *differ = m->slots.slot[slot].entity != meshes_skin_root(m, row, m->slots.owner[slot]);
    }
    return ENT_OK;
}

ent_status meshes_skin_assign(Meshes* m, GpuFrame* frame) {
    bool differ;
    TRY(skins_compare(m, &differ));
    if (!differ) return ENT_OK;
    m->slots.moved = false;
    m->skin.moves = m->skin.watch.moves;
    skinning_clear(&m->skin.skinning);
    TRY(instances_add(m));
    /* Other bones or clips: shadow maps and probes show the former poses. */
    if (m->skin.version != ent_skins_tables(m->skin.skins)->version)
        lighting_surfaces_changed(m->lighting);
    m->skin.version = ent_skins_tables(m->skin.skins)->version;
    TRY(ranges_add(m));
    return skinning_place(&m->skin.skinning, frame);
}

/* --- a frame --- */

/* Skins of one model have the same record: one palette is sufficient for them. */
static ent_status poses_set(Meshes* m) {
    const SkinRows rows = ent_skin_rows(m->world);
    for (u32 row = 0; row < rows.count; row++) {
        const u32 before = row - 1;
        PosePlay  play;
        TRY(ent_skins_playing(m->skin.skins, row, &play));
        if (play.skeleton == POSE_NONE) continue;
        skinning_play(&m->skin.skinning, row, &play);
        if (row && memcmp(&rows.record[row], &rows.record[before], sizeof rows.record[row]) == 0)
            skinning_share(&m->skin.skinning, row, before);
    }
    return ENT_OK;
}

/* The weights of a mesh are those of its targets, then those of the entity, then those that a clip
 * animates, as in glTF. */
static ent_status weights_set(Meshes* m, u32 range) {
    const MorphWeightRows rows = ent_morph_weight_rows(m->world);
    const Manager*        manager = ent_world_built_in(m->world, COMPONENT_MORPH_WEIGHT);
    const EntityPool*     pool = ent_world_entities(m->world);
    const u32             slot = m->skin.range_slot[range];
    const Entity          owner = m->slots.owner[slot];
    const MeshesMoved*    mesh = &m->shape.mesh[m->slots.slot[slot].mesh];
    const u32             count = mesh->moved.target_count;
    f32* const            weight = skinning_weights(&m->skin.skinning, range);
    for (u32 i = 0; i < count; i++) weight[i] = mesh->target[i].weight;
    for (u32 row = ent_manager_row(manager, pool, owner); row != MANAGER_NO_ROW;
         row = ent_manager_next(manager, row))
        if (rows.record[row].target < count)
            weight[rows.record[row].target] = rows.record[row].weight;
    const u32 skin = ent_manager_row(skins_of(m), pool, owner);
    if (skin != MANAGER_NO_ROW) TRY(ent_skins_weights(m->skin.skins, skin, count, weight));
    /* Kernels read the masks of a target with a weight for each vertex, also if it moves none. */
    for (u32 i = 0; i < count; i++) weight[i] = mesh->target[i].row_count ? weight[i] : 0;
    return ENT_OK;
}

static SkinningInput input_of(const Meshes* m) {
    const MeshesShapes* s = &m->shape;
    return (SkinningInput){&m->geometry.vertices, &s->boxes, &s->targets, &s->masks};
}

void meshes_skin_seen(const Meshes* m, GpuList* list) {
    const SkinningInput input = input_of(m);
    skinning_skin(&m->skin.skinning, list, &input);
}

ent_status ent_meshes_move_all(void* state, GpuFrame* frame) {
    const Meshes* m = state;
    skinning_want_all(&m->skin.skinning, &frame->list);
    meshes_skin_seen(m, &frame->list);
    return frame->list.status;
}

ent_status meshes_skin_record(Meshes* m, GpuFrame* frame) {
    MeshesSkin*         s = &m->skin;
    const SkinningInput input = input_of(m);
    const u32           followers = ent_attach_to_joint_rows(m->world).count;
    if (s->skinning.count.ranges == 0 && followers == 0) return ENT_OK; /* nothing is posed */
    TRY(poses_set(m));
    for (u32 i = 0; i < s->skinning.count.ranges; i++) {
        if (m->shape.mesh[m->slots.slot[s->range_slot[i]].mesh].moved.target_count)
            TRY(weights_set(m, i));
    }
    return skinning_record(&s->skinning, frame, &input);
}

/* --- bounds --- */

static Bounds bounds_grown(const Bounds* b, f32 by_m) {
    const Vec3 side = {by_m, by_m, by_m};
    return (Bounds){vec3_sub(b->low, side), vec3_add(b->high, side)};
}

ent_status meshes_moved_bounds(Meshes* m, u32 slot, f32 reach_m, Bounds* bounds) {
    const SkinRange*  range = &m->skin.skinning.range[MESHES_RANGE_OF(m->slots.slot[slot].shown)];
    const PoseTables* t = ent_skins_tables(m->skin.skins);
    const Mat34*      joints;
    u32               count;
    if (range->instance == SKINNING_NONE) {
        *bounds = bounds_grown(bounds, reach_m);
        return ENT_OK;
    }
    const BindRecord* bind = t->bind + m->skin.skinning.instance[range->instance].first_bind;
    TRY(ent_skins_joints(m->skin.skins, m->slots.owner[slot], &joints, &count));
    *bounds = bounds_empty();
    for (u32 i = 0; i < range->box_count; i++) {
        const SkinBox*    box = &m->shape.box[range->first_box + i];
        const BindRecord* joint_bind = &bind[box->bone];
        const Bounds      bone = {box->low, box->high}, at = bounds_grown(&bone, reach_m);
        Mat34             inverse;
        memcpy(&inverse, &joint_bind->row_0, sizeof inverse);
        for (u32 k = 0; k < 8; k++)
            bounds_add(bounds, mat34_point(&joints[joint_bind->joint],
                                           mat34_point(&inverse, bounds_corner(&at, k))));
    }
    return ENT_OK;
}

/* --- create and destroy --- */

ent_status meshes_skin_create(Meshes* m) {
    TRY(ent_skins_create(&m->skin.skins, m->world, m->source.library));
    TRY(skinning_create(&m->skin.skinning, m->gpu, ent_skins_tables(m->skin.skins)));
    ent_manager_watch(skins_of(m), &m->skin.watch);
    m->skin.watched = true;
    m->slots.moved = true; /* also a world without skins gets buffers */
    return ENT_OK;
}

void meshes_skin_destroy(Meshes* m) {
    if (m->skin.watched) ent_manager_unwatch(skins_of(m), &m->skin.watch);
    skinning_destroy(&m->skin.skinning);
    ent_skins_destroy(m->skin.skins);
    free(m->skin.range_slot);
}
