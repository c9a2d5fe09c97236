/* meshes_moves.c - which instances move. Shadow maps keep what stands, and show what moves over it: an instance that
 * begins to move, is new or changes leaves the kept maps in that frame, and returns to them after some frames in
 * which it has not moved. */
#include "meshes_internal.h"

#include <math.h>
#include <stdlib.h>

#include "rows.h"
#include "vec.h"

#define STANDS     255u       /* in `still` */
#define LISTED_MAX (1u << 16) /* transforms of a frame that are followed one by one */
#define POSES_MAX  128u /* of instances that move, on the host in a frame; the others are anywhere */

static const Vec4 anywhere = {0, 0, 0, INFINITY}, nowhere = {0, 0, 0, -1};

static ShadowsSpheres* changed_of(const Meshes* m) { return &m->lighting->shadows.changed; }
/* What has blended parts only is in filters only. */
static ShadowsSpheres* moving_of(const Meshes* m, u32 slot) {
    Shadows* const s = &m->lighting->shadows;
    const u32      mesh = m->slots.slot[slot].mesh;
    const bool     is_filter = mesh != MESHES_NONE && m->geometry.mesh[mesh].opaque_count == 0;
    return is_filter ? &s->moving_filters : &s->moving;
}

/* --- spheres --- */

static bool is_posed(const Meshes* m, u32 slot) {
    const GpuPlaces* places = &m->lighting->places;
    const Entity     entity = m->slots.slot[slot].entity;
    return MESHES_IS_MOVED(m->slots.slot[slot].shown) ||
           meshes_follower_row(m, entity) != MANAGER_NO_ROW ||
           gpu_animated_has(&places->animated, ent_transform_row(m->world, entity));
}

/* How far morph targets move a vertex at most. */
static f32 reach_of(const Meshes* m, const MeshInstance* at) {
    const MeshesMoved* mesh = &m->shape.mesh[at->mesh];
    const f32*         weight = skinning_weights(&m->skin.skinning, MESHES_RANGE_OF(at->shown));
    f32                reach_m = 0;
    for (u32 i = 0; i < mesh->moved.target_count; i++)
        reach_m += fabsf(weight[i]) * mesh->target[i].reach_m;
    return reach_m;
}

/* Around the vertices of a place: what skeletons move costs a pose on the host. */
static ent_status sphere_find(Meshes* m, u32 slot, Vec4* sphere) {
    const MeshInstance* at = &m->slots.slot[slot];
    Mat34               pose = gpu_places_pose(&m->lighting->places, at->entity);
    *sphere = nowhere;
    if (at->mesh == MESHES_NONE || at->shown == MESHES_UNSEEN) return ENT_OK;
    const MeshRow* mesh = &m->geometry.mesh[at->mesh];
    const u32      follower = meshes_follower_row(m, at->entity);
    Bounds         box = {mesh->low, mesh->high};
    if (follower != MANAGER_NO_ROW) TRY(meshes_follower_pose(m, follower, &pose));
    if (MESHES_IS_MOVED(at->shown)) TRY(meshes_moved_bounds(m, slot, reach_of(m, at), &box));
    const Vec3 center = mat34_point(&pose, vec3_scale(vec3_add(box.low, box.high), 0.5f));
    f32        radius = 0;
    for (u32 k = 0; k < 8; k++)
        radius = MAX_OF(radius,
                        vec3_length(vec3_sub(mat34_point(&pose, bounds_corner(&box, k)), center)));
    /* Poses of the device are rounded otherwise. */
    *sphere = (Vec4){center.x, center.y, center.z, radius * 1.001f + vec3_length(center) * 1e-5f};
    return ENT_OK;
}

/* --- places --- */

static void bit_set(Meshes* m, u32 slot, bool moves) {
    MeshesMoves* const s = &m->moves;
    const u32          bit = 1u << slot % 32;
    s->bit[slot / 32] = moves ? s->bit[slot / 32] | bit : s->bit[slot / 32] & ~bit;
    s->bits_changed = true;
}

static void sphere_leaves(Meshes* m, ShadowsSpheres* spheres, u32 slot) {
    shadows_add(spheres, m->moves.knows ? m->moves.sphere[slot] : anywhere);
}

/* What is at a place has moved, is new, or is another one: what it was may have been opaque. */
static void slot_moved(Meshes* m, u32 slot) {
    MeshesMoves* const s = &m->moves;
    if (s->still[slot] == STANDS) {
        sphere_leaves(m, changed_of(m), slot);
        s->list[s->count++] = slot;
        bit_set(m, slot, true);
    } else {
        sphere_leaves(m, &m->lighting->shadows.moving, slot);
    }
    s->still[slot] = 0;
}

/* Only its filters have changed: after the first frame, depth is as it was. */
static void slot_scrolled(Meshes* m, u32 slot) {
    MeshesMoves* const s = &m->moves;
    if (s->still[slot] == STANDS) {
        slot_moved(m, slot);
        return;
    }
    sphere_leaves(m, &m->lighting->shadows.moving_filters, slot);
    s->still[slot] = MIN_OF(s->still[slot], 1);
}

static void entity_moved(Meshes* m, Entity entity) {
    const Manager* const meshes = ent_world_built_in(m->world, COMPONENT_MESH);
    const EntityPool*    pool = ent_world_entities(m->world);
    for (u32 row = ent_manager_row(meshes, pool, entity); row != MANAGER_NO_ROW;
         row = ent_manager_next(meshes, row))
        slot_moved(m, m->slots.of_row[row]);
}

/* Everything stands, wherever it is. */
static void places_stand(Meshes* m) {
    MeshesMoves* const s = &m->moves;
    for (u32 i = 0; i < s->count; i++) {
        s->still[s->list[i]] = STANDS;
        bit_set(m, s->list[i], false);
    }
    s->count = 0;
    s->knows = false;
    shadows_add(changed_of(m), anywhere);
}

/* --- arrays --- */

static ent_status arrays_create(Meshes* m, GpuFrame* frame) {
    MeshesMoves* const     s = &m->moves;
    const u32              places = m->slots.capacity, words = places / 32 + 1;
    const GpuBufferRequest request = {&s->bits, words, sizeof(u32), "instances that move"};
    meshes_moves_forget(m);
    s->still = malloc((size_t)places + 1);
    s->sphere = malloc(((size_t)places + 1) * sizeof *s->sphere);
    s->list = malloc(((size_t)places + 1) * sizeof *s->list);
    s->bit = calloc(words, sizeof *s->bit);
    if (!s->still || !s->sphere || !s->list || !s->bit) return ENT_NO_MEMORY;
    memset(s->still, STANDS, places);
    gpu_frame_retire_pool(frame, &s->pool);
    TRY(gpu_pool_create(&s->pool, m->gpu, &request, 1));
    s->capacity = places;
    s->renewed = m->slots.renewed;
    s->follows = s->bits_changed = true;
    places_stand(m);
    return ENT_OK;
}

static ent_status hashes_reserve(u64** hash, u32* room, u32 count) {
    if (count <= *room) return ENT_OK;
    const u32  wanted = count + count / 2;
    u64* const grown = realloc(*hash, wanted * sizeof *grown);
    if (!grown) return ENT_NO_MEMORY;
    memset(grown + *room, 0, (wanted - *room) * sizeof *grown);
    *hash = grown;
    *room = wanted;
    return ENT_OK;
}

void meshes_moves_forget(Meshes* m) {
    MeshesMoves* const s = &m->moves;
    free(s->still);
    free(s->sphere);
    free(s->list);
    free(s->bit);
    free(s->posed);
    free(s->followed);
    *s = (MeshesMoves){.pool = s->pool};
}

void meshes_moves_destroy(Meshes* m) {
    meshes_moves_forget(m);
    gpu_pool_destroy(&m->moves.pool);
}

/* --- following the world --- */

void meshes_moves_note(Meshes* m) {
    if (!m->moves.follows || m->moves.renewed != m->slots.renewed) return;
    for (u32 i = 0; i < m->slots.dirty_count; i++) slot_moved(m, m->slots.dirty[i]);
}

/* Also when the rows of transforms are not listed. */
static bool moved_too_many(const Meshes* m) {
    const GpuPlaces* p = &m->lighting->places;
    return p->transforms.listed_count > LISTED_MAX || p->animated.has.moved_count > LISTED_MAX;
}

static void transforms_follow(Meshes* m) {
    const GpuColumns* t = &m->lighting->places.transforms;
    const Manager*    transforms = ent_world_built_in(m->world, COMPONENT_TRANSFORM);
    if (moved_too_many(m)) {
        places_stand(m);
        return;
    }
    for (u32 i = 0; i < t->listed_count; i++) entity_moved(m, transforms->entity[t->rows[i]]);
    const GpuAnimated* animated = &m->lighting->places.animated;
    for (u32 i = 0; i < animated->has.row_count && animated->has.moved_count > 0; i++)
        if (animated->has.moves[i]) entity_moved(m, transforms->entity[animated->has.row[i].row]);
}

/* What a skin plays, and where its root is. */
static u64 pose_hash(const Meshes* m, u32 instance, Entity root) {
    const Mat34 pose = gpu_places_pose(&m->lighting->places, root);
    return hash_bytes(&m->skin.skinning.instance[instance], sizeof(SkinInstance),
                      hash_bytes(&pose, sizeof pose, 1));
}

/* Of ranges: what skeletons and morph targets move. */
static ent_status ranges_follow(Meshes* m) {
    MeshesMoves* const s = &m->moves;
    const Skinning*    k = &m->skin.skinning;
    TRY(hashes_reserve(&s->posed, &s->posed_room, k->count.ranges));
    for (u32 i = 0; i < k->count.ranges; i++) {
        const u32 slot = m->skin.range_slot[i], instance = k->range[i].instance;
        const u32 end = i + 1 < k->count.ranges ? k->range_targets[i + 1] : k->count.weights;
        u64 now = hash_bytes(skinning_weights(k, i), (end - k->range_targets[i]) * sizeof(f32),
                             slot + 1ull);
        const Entity root = m->slots.slot[slot].entity;
        if (instance != SKINNING_NONE) now ^= pose_hash(m, instance, root);
        const u32 follower = meshes_follower_row(m, root);
        if (follower != MANAGER_NO_ROW) now ^= s->followed[follower];
        if (now != s->posed[i]) slot_moved(m, slot);
        s->posed[i] = now;
    }
    return ENT_OK;
}

/* Entities that follow joints of a skin. */
static ent_status followers_follow(Meshes* m) {
    MeshesMoves* const      s = &m->moves;
    const AttachToJointRows rows = ent_attach_to_joint_rows(m->world);
    TRY(hashes_reserve(&s->followed, &s->followed_room, rows.count));
    for (u32 i = 0; i < rows.count; i++) {
        const MeshesFollowed f = meshes_followed(m, i);
        u64                  now = hash_bytes(f.record, sizeof *f.record, 1);
        if (f.exists) now ^= pose_hash(m, f.skin, f.root);
        if (now != s->followed[i]) entity_moved(m, rows.entity[i]);
        s->followed[i] = now;
    }
    return ENT_OK;
}

/* The host does not know yet where bodies are. */
static Vec4 sphere_around(Vec4 sphere, f32 lag_m) {
    return (Vec4){sphere.x, sphere.y, sphere.z, sphere.w < 0 ? sphere.w : sphere.w + lag_m};
}

/* Those that have not moved for long return to the kept maps. */
static ent_status list_clean(Meshes* m) {
    MeshesMoves* const s = &m->moves;
    const u32          still = MIN_OF(shadows_settings(&m->lighting->shadows).still, STANDS - 1);
    const f32          lag_m = lighting_lag(m->lighting);
    u32                kept = 0, poses = 0;
    for (u32 i = 0; i < s->count; i++) {
        const u32 slot = s->list[i];
        if (s->still[slot] < still) {
            s->list[kept++] = slot;
            if (s->still[slot]++ > 0) continue;
            if (is_posed(m, slot) && poses++ >= POSES_MAX)
                s->sphere[slot] = anywhere;
            else
                TRY(sphere_find(m, slot, &s->sphere[slot]));
            shadows_add(moving_of(m, slot), sphere_around(s->sphere[slot], lag_m));
            continue;
        }
        bit_set(m, slot, false);
        s->still[slot] = STANDS;
        if (m->slots.slot[slot].mesh == MESHES_NONE) continue;
        TRY(sphere_find(m, slot, &s->sphere[slot]));
        shadows_add(changed_of(m), s->sphere[slot]);
    }
    s->count = kept;
    return ENT_OK;
}

/* The spheres of what stands, after a frame in which not everything has moved. */
static ent_status spheres_find(Meshes* m) {
    MeshesMoves* const s = &m->moves;
    for (u32 i = 0; i < s->capacity; i++)
        if (s->still[i] == STANDS) TRY(sphere_find(m, i, &s->sphere[i]));
    s->knows = true;
    return ENT_OK;
}

/* The shadows of surfaces whose normal maps move are other ones than in the last picture. */
static void scrolls_follow(Meshes* m, f32 time_s) {
    bool any = false;
    if (time_s == m->moves.time_s) return;
    m->moves.time_s = time_s;
    for (u32 i = 0; i < MESHES_ROWS(m); i++) any |= m->geometry.mesh[i].scrolls != 0;
    for (u32 i = 0; i < m->moves.capacity && any; i++) {
        const u32 mesh = m->slots.slot[i].mesh;
        if (mesh != MESHES_NONE && m->geometry.mesh[mesh].scrolls) slot_scrolled(m, i);
    }
}

ent_status meshes_moves_update(Meshes* m, GpuFrame* frame, f32 time_s) {
    MeshesMoves* const s = &m->moves;
    const bool         moved_all = moved_too_many(m);
    if (!shadows_casts(&m->lighting->shadows)) {
        meshes_moves_forget(m); /* what moves until there is a light is not followed */
        return ENT_OK;
    }
    if (!s->follows || s->renewed != m->slots.renewed) TRY(arrays_create(m, frame));
    transforms_follow(m);
    TRY(followers_follow(m));
    TRY(ranges_follow(m));
    scrolls_follow(m, time_s);
    TRY(list_clean(m));
    m->lighting->shadows.seen.movers = s->count;
    if (!s->knows && !moved_all) TRY(spheres_find(m));
    if (!s->bits_changed) return ENT_OK;
    s->bits_changed = false;
    return gpu_frame_upload(frame, &s->bits, 0, s->bit, (s->capacity / 32 + 1) * sizeof *s->bit);
}
