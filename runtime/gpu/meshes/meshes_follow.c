/* meshes_follow.c - entities that follow joints: their world matrices are computed on the device, so that
 * pictures are right also when the host does not call ent_skins_attach. Children of these entities are not
 * moved here. */
#include "meshes_internal.h"

#include <stdlib.h>

#include "pose_internal.h"
#include "rows.h"

static u32 joint_find(const PoseTables* t, u32 skeleton, NameRef name) {
    const PoseSkeleton* s = &t->skeleton[skeleton];
    for (u32 i = 0; i < s->joint_count; i++)
        if (t->joint[s->first_joint + i].name == name) return i;
    return NONE;
}

MeshesFollowed meshes_followed(const Meshes* m, u32 row) {
    const AttachToJointRows    rows = ent_attach_to_joint_rows(m->world);
    const AttachToJointRecord* record = &rows.record[row];
    const Manager*             skins = ent_world_built_in(m->world, COMPONENT_SKIN);
    MeshesFollowed             f = {.record = record,
                                    .owner = record->skin == ENTITY_NULL ? rows.entity[row] : record->skin};
    f.skin = ent_manager_row(skins, ent_world_entities(m->world), f.owner);
    f.exists = f.skin != MANAGER_NO_ROW && f.skin < m->skin.skinning.count.instances;
    if (f.exists) f.root = meshes_skin_root(m, f.skin, f.owner);
    return f;
}

/* False: there is nothing that the entity can follow. */
static bool follower_fill(const Meshes* m, u32 row, const MeshesFollowed* f, SkinFollower* out) {
    const Entity               entity = ent_attach_to_joint_rows(m->world).entity[row];
    const AttachToJointRecord* record = f->record;
    const PoseTables*          t = ent_skins_tables(m->skin.skins);
    if (!f->exists) return false;
    const u32 skeleton = skinning_skeleton(&m->skin.skinning, f->skin);
    if (skeleton == NONE) return false;
    *out = (SkinFollower){.instance = f->skin,
                          .joint = joint_find(t, skeleton, record->joint),
                          .first_joint = t->skeleton[skeleton].first_joint,
                          .root = ent_transform_row(m->world, f->root),
                          .row = ent_transform_row(m->world, entity)};
    if (out->joint == NONE || out->row == MANAGER_NO_ROW) return false;
    const Mat34 pose = mat34_of_pose(&record->position, &record->rotation, &record->scale);
    memcpy(&out->row_x, &pose, sizeof pose);
    return true;
}

u32 meshes_follower_row(const Meshes* m, Entity entity) {
    const Manager* manager = ent_world_built_in(m->world, COMPONENT_ATTACH_TO_JOINT);
    if (manager->count == 0) return MANAGER_NO_ROW;
    return ent_manager_row(manager, ent_world_entities(m->world), entity);
}

ent_status meshes_follower_pose(Meshes* m, u32 row, Mat34* pose) {
    const MeshesFollowed       f = meshes_followed(m, row);
    const AttachToJointRecord* record = f.record;
    SkinFollower               follower;
    const Mat34*               joints;
    u32                        count;
    if (!follower_fill(m, row, &f, &follower)) return ENT_OK;
    TRY(ent_skins_joints(m->skin.skins, f.owner, &joints, &count));
    const Mat34 root = gpu_places_pose(&m->lighting->places, f.root);
    const Mat34 local = mat34_of_pose(&record->position, &record->rotation, &record->scale);
    Mat34       joint;
    mat34_multiply(&joint, &root, &joints[follower.joint]);
    mat34_multiply(pose, &joint, &local);
    return ENT_OK;
}

ent_status meshes_follow_record(Meshes* m, GpuFrame* frame) {
    const u32     rows = ent_attach_to_joint_rows(m->world).count;
    SkinFollower* followers;
    u32           count = 0;
    if (rows == 0) return ENT_OK;
    followers = malloc(rows * sizeof *followers);
    if (!followers) return ENT_NO_MEMORY;
    for (u32 i = 0; i < rows; i++) {
        const MeshesFollowed f = meshes_followed(m, i);
        count += follower_fill(m, i, &f, &followers[count]);
    }
    const ent_status status =
        skinning_attach(&m->skin.skinning, frame, followers, count, MESHES_MATRICES(m));
    free(followers);
    return status;
}
