/* skins_attach.c - entities that follow joints: only the joints between a followed one and its root are
 * sampled. */
#include "pose_internal.h"
#include "rows.h"
#include "skins_internal.h"
#include "vec.h"
#include "world_internal.h"

static u32 joint_find(const PoseTables* t, u32 skeleton, NameRef name) {
    const PoseSkeleton* s = &t->skeleton[skeleton];
    for (u32 i = 0; i < s->joint_count; i++)
        if (t->joint[s->first_joint + i].name == name) return i;
    return NONE;
}

static Mat34 pose_matrix(const TransformRecord* pose) {
    Mat34 out;
    mat34_from_pose(&out, &pose->position, &pose->rotation, &pose->scale);
    return out;
}

/* model_from_joint of one joint. */
static Mat34 joint_matrix(const PoseTables* t, const PosePlay* play, u32 joint) {
    const JointRecord* all = t->joint + t->skeleton[play->skeleton].first_joint;
    Mat34              out = mat34_identity;
    for (u32 at = joint; at != NONE; at = all[at].parent) {
        const Mat34     below = out;
        TransformRecord pose;
        pose_sample(t, play, at, 1, &pose);
        const Mat34 local = pose_matrix(&pose);
        mat34_multiply(&out, &local, &below);
    }
    return out;
}

/* Reports the first row of several that cannot follow. */
static void report_missing(Skins* s, const AttachToJointRecord* record, Entity entity,
                           const char* reason) {
    if (s->reported == entity) return;
    s->reported = entity;
    world_log(s->poses.world, LOG_WARNING, "the entity 0x%08x cannot follow the joint 0x%08x: %s",
              entity, record->joint, reason);
}

/* The world matrix that an entity is to have; false: it has none, which is reported. */
static ent_status target_find(Skins* s, u32 row, Mat34* out, bool* found) {
    const AttachToJointRows    rows = ent_attach_to_joint_rows(s->poses.world);
    const AttachToJointRecord* record = &rows.record[row];
    const Entity owner = record->skin == ENTITY_NULL ? rows.entity[row] : record->skin;
    u32          skin;
    PosePlay     play;
    *found = false;
    if (skins_row(s, owner, &skin) != ENT_OK) {
        report_missing(s, record, rows.entity[row], "there is no skin");
        return ENT_OK;
    }
    TRY(ent_skins_playing(s, skin, &play));
    if (play.skeleton == NONE) return ENT_OK;
    const u32 joint = joint_find(&s->poses.tables, play.skeleton, record->joint);
    if (joint == NONE) {
        report_missing(s, record, rows.entity[row], "the skeleton does not have it");
        return ENT_OK;
    }
    const TransformRecord offset = {record->position, record->rotation, record->scale};
    const Mat34           model = joint_matrix(&s->poses.tables, &play, joint);
    const Mat34           local = pose_matrix(&offset);
    const Mat34*          root = ent_transform_world(s->poses.world, skins_root(s, skin));
    Mat34                 placed;
    mat34_multiply(&placed, &model, &local);
    mat34_multiply(out, root ? root : &mat34_identity, &placed);
    *found = true;
    return ENT_OK;
}

ent_status ent_skins_attach(Skins* s) {
    const AttachToJointRows rows = ent_attach_to_joint_rows(s->poses.world);
    for (u32 i = 0; i < rows.count; i++) {
        const u32 row = ent_transform_row(s->poses.world, rows.entity[i]);
        Mat34     target;
        bool      found;
        if (row == MANAGER_NO_ROW) continue;
        TRY(target_find(s, i, &target, &found));
        if (found) ent_transform_set_world(s->poses.world, row, &target);
    }
    return ENT_OK;
}
