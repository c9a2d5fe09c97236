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

/* False: there is nothing that the entity can follow. */
static bool follower_fill(Meshes* m, u32 row, SkinFollower* out) {
    const AttachToJointRows    rows = ent_attach_to_joint_rows(m->world);
    const AttachToJointRecord* record = &rows.record[row];
    const Manager*             skins = ent_world_built_in(m->world, COMPONENT_SKIN);
    const Entity      owner = record->skin == ENTITY_NULL ? rows.entity[row] : record->skin;
    const u32         skin = ent_manager_row(skins, ent_world_entities(m->world), owner);
    const PoseTables* t = ent_skins_tables(m->skin.skins);
    if (skin == MANAGER_NO_ROW || skin >= m->skin.skinning.count.instances) return false;
    const u32 skeleton = skinning_skeleton(&m->skin.skinning, skin);
    if (skeleton == NONE) return false;
    *out = (SkinFollower){.instance = skin,
                          .joint = joint_find(t, skeleton, record->joint),
                          .first_joint = t->skeleton[skeleton].first_joint,
                          .root = ent_transform_row(m->world, meshes_skin_root(m, skin, owner)),
                          .row = ent_transform_row(m->world, rows.entity[row])};
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
    const Manager*             skins = ent_world_built_in(m->world, COMPONENT_SKIN);
    const AttachToJointRows    rows = ent_attach_to_joint_rows(m->world);
    const AttachToJointRecord* record = &rows.record[row];
    const Entity owner = record->skin == ENTITY_NULL ? rows.entity[row] : record->skin;
    SkinFollower follower;
    const Mat34* joints;
    u32          count;
    if (!follower_fill(m, row, &follower)) return ENT_OK;
    TRY(ent_skins_joints(m->skin.skins, owner, &joints, &count));
    const u32   skin = ent_manager_row(skins, ent_world_entities(m->world), owner);
    const Mat34 root = entity_pose(m->world, meshes_skin_root(m, skin, owner));
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
    for (u32 i = 0; i < rows; i++) count += follower_fill(m, i, &followers[count]);
    const ent_status status =
        skinning_attach(&m->skin.skinning, frame, followers, count, MESHES_MATRICES(m));
    free(followers);
    return status;
}
