/* test_scene.c - random levels, the rows of a world as records, matrices in double. */
#include "test_scene.h"

#include <math.h>
#include <stdlib.h>

#include "hash.h"
#include "transform_internal.h"
#include "rows.h"

/* --- scenes --- */

TransformRecord tame_pose(Random* r) {
    static const Field quat = {.kind = FIELD_Quat, .bytes = 16};
    TransformRecord    pose;
    pose.position = (Vec3){random_float(r, -3, 3), random_float(r, -3, 3), random_float(r, -3, 3)};
    random_field(r, &quat, 0, &pose.rotation);
    pose.scale = (Vec3){random_float(r, 0.95f, 1.05f), random_float(r, 0.95f, 1.05f),
                        random_float(r, 0.95f, 1.05f)};
    return pose;
}

static void scene_part(Scene* s, Random* r, u32 t, u32 share) {
    const ComponentType* type = s->type[t];
    const u32            max = type->several == SEVERAL ? 3 : 1, bytes = type->record.bytes;
    assert_true(bytes <= RECORD_MAX);
    s->owner[t] = calloc(s->entity_count * max + 1, sizeof(u32));
    s->record[t] = calloc(s->entity_count * max + 1, bytes);
    for (u32 e = 0; e < s->entity_count; e++) {
        if (random_below(r, 100) >= share) continue;
        for (u32 k = 1 + random_below(r, max); k > 0; k--) {
            u8* record = s->record[t] + (size_t)s->count[t] * bytes;
            random_record(r, &type->record, s->entity_count, record);
            if (strcmp(type->record.name, "transform") == 0) {
                const TransformRecord pose = tame_pose(r);
                memcpy(record, &pose, sizeof pose);
            }
            s->owner[t][s->count[t]++] = e;
        }
    }
}

void scene_open(Scene* s, Random* r, const ComponentType* const* type, u32 type_count,
                SceneShape shape) {
    LevelPart         part[ALL_TYPES];
    const BlobOptions options = all_options();
    *s = (Scene){.entity_count = shape.entity_count, .type_count = type_count, .type = type};
    s->parent = calloc(s->entity_count + 1, sizeof(u32));
    for (u32 e = 0; e < s->entity_count; e++) {
        const u32  reach = MIN_OF(shape.reach, e);
        const bool root = reach == 0 || (shape.roots && random_below(r, shape.roots) == 0);
        s->parent[e] = root ? NONE : e - 1 - random_below(r, reach);
    }
    for (u32 t = 0; t < type_count; t++) {
        const bool transform = strcmp(type[t]->record.name, "transform") == 0;
        const bool wanted = shape.only == 0 || shape.only == t + 1;
        const bool all = shape.named && strcmp(type[t]->record.name, "name") == 0;
        scene_part(s, r, t, all ? 100 : transform ? shape.transform : wanted ? shape.share : 0);
        part[t] = (LevelPart){type[t], s->count[t], s->owner[t], s->record[t]};
    }
    const Level level = {RESOURCE_LEVEL, s->entity_count, s->parent, type_count, part, true, false};
    s->bytes = level_bytes(&level, target_native(), &options);
    s->blob = blob_valid(s->bytes, &options);
}

void scene_close(Scene* s) {
    for (u32 t = 0; t < s->type_count; t++) {
        free(s->owner[t]);
        free(s->record[t]);
    }
    free(s->parent);
    bytes_free(&s->bytes);
}

void scene_record(const Scene* s, u32 t, u32 i, const Entity* entities, u8* out) {
    const RecordType* type = &s->type[t]->record;
    memcpy(out, s->record[t] + (size_t)i * type->bytes, type->bytes);
    for (u32 f = 0; f < type->field_count; f++) {
        u32 index;
        if (type->fields[f].kind != FIELD_EntityRef) continue;
        memcpy(&index, out + type->fields[f].offset, 4);
        const Entity entity = index == NONE ? ENTITY_NULL : entities[index];
        memcpy(out + type->fields[f].offset, &entity, 4);
    }
}

const ComponentType* const* listed_types(void) {
    static const ComponentType* type[COMPONENT_COUNT];
    for (u32 i = 0; i < COMPONENT_COUNT; i++) type[i] = &ent_component_types()[i];
    return type;
}

const ComponentType* const* transform_type(void) {
    static const ComponentType* type[1];
    type[0] = &ent_component_types()[COMPONENT_TRANSFORM];
    return type;
}

/* --- reading a world --- */

void row_record(const Manager* m, u32 row, u8* out) {
    const ComponentType* type = &m->desc.type;
    for (u32 c = 0; c < ent_component_column_count(type); c++) {
        const u32 bytes = ent_component_column_bytes(type, c);
        memcpy(out + ent_component_column_offset(type, c),
               (const u8*)m->column[c] + (size_t)row * bytes, bytes);
    }
}

void assert_row_is(const Manager* m, u32 row, Entity entity, const u8* record) {
    u8 got[RECORD_MAX];
    assert_true(row < m->count);
    assert_int_equal(m->entity[row], entity);
    row_record(m, row, got);
    assert_memory_equal(got, record, m->desc.type.record.bytes);
}

World* world_new(const WorldDesc* desc) {
    World* world;
    assert_int_equal(ent_world_create(&world, desc), ENT_OK);
    return world;
}

World* world_wide(const WorldDesc* desc) {
    World* world = world_new(desc);
    for (u32 i = 0; i < PLUGIN_COUNT; i++) {
        const ManagerDesc type = {.type = plugin_types()[i], .extra_bytes = {8, 4}};
        assert_int_equal(ent_world_register(world, &type), ENT_OK);
    }
    return world;
}

Manager* manager_of(World* world, const ComponentType* type) {
    Manager* m = ent_world_manager(world, type->id);
    assert_non_null(m);
    assert_ptr_equal(m, ent_world_manager_by_name(world, type->record.name));
    return m;
}

u64 world_digest(World* w) {
    const EntityPool* p = w->entities;
    u64               hash = hash_bytes(&p->slot_count, sizeof(u32), p->free_count);
    if (p->slot_count) hash = hash_bytes(p->generation, p->slot_count, hash);
    for (u32 i = 0; i < p->slot_count; i++) {
        if (p->generation[i] == ENTITY_WAITING) hash = hash_bytes(&p->next[i], 1, hash);
    }
    for (u32 i = 0; i < p->free_count; i++) {
        const u32 index = p->free_index[(p->free_first + i) % p->slot_capacity];
        hash = hash_bytes(&index, sizeof index, hash);
    }
    for (u32 i = 0; i < w->manager_count; i++) {
        const Manager* m = &w->manager[i];
        hash = hash_bytes(&m->count, sizeof m->count, hash);
        if (m->count == 0) continue;
        hash = hash_bytes(m->entity, sizeof(Entity) * m->count, hash);
        if (m->next) hash = hash_bytes(m->next, sizeof(u32) * m->count, hash);
        for (u32 c = 0; c < ent_component_column_count(&m->desc.type); c++) {
            hash =
                hash_bytes(m->column[c],
                           (size_t)m->count * ent_component_column_bytes(&m->desc.type, c), hash);
        }
        for (u32 r = 0; r < m->count; r++) {
            const u32 row = ent_manager_row(m, p, m->entity[r]);
            hash = hash_bytes(&row, sizeof row, hash);
        }
    }
    const TransformRows t = ent_transform_rows(w);
    if (t.count) {
        hash = hash_bytes(ent_transform_worlds(w), sizeof(Mat34) * t.count, hash);
        hash = hash_bytes(ent_transform_links(w), sizeof(TransformLinks) * t.count, hash);
    }
    return hash;
}

void pose_write(World* w, u32 row, const TransformRecord* pose) {
    const TransformRows t = ent_transform_rows(w);
    t.position[row] = pose->position;
    t.rotation[row] = pose->rotation;
    t.scale[row] = pose->scale;
}

void assert_matrices_fit(World* w) {
    Manager*   m = world_transforms(w);
    const Rows r = rows_of(m);
    for (u32 row = 0; row < m->count; row++) {
        const Mat34 had = r.world[row];
        transform_compose(&r, row);
        assert_memory_equal(&had, &r.world[row], sizeof had);
    }
}

/* --- matrices in double --- */

const Mat64 mat64_identity = {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}};

Mat64 mat64_of(const TransformRecord* t) {
    const f64 x = t->rotation.x, y = t->rotation.y, z = t->rotation.z, w = t->rotation.w;
    const f64 s[3] = {t->scale.x, t->scale.y, t->scale.z};
    Mat64     out = {
            {{1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w), t->position.x},
             {2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w), t->position.y},
             {2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y), t->position.z}}};
    for (u32 r = 0; r < 3; r++) {
        for (u32 c = 0; c < 3; c++) out.m[r][c] *= s[c];
    }
    return out;
}

Mat64 mat64_multiply(const Mat64* a, const Mat64* b) {
    Mat64 out;
    for (u32 r = 0; r < 3; r++) {
        for (u32 c = 0; c < 4; c++) {
            out.m[r][c] = c == 3 ? a->m[r][3] : 0;
            for (u32 k = 0; k < 3; k++) out.m[r][c] += a->m[r][k] * b->m[k][c];
        }
    }
    return out;
}

void assert_matrix_near(const Mat34* got, const Mat64* want) {
    f64 largest = 1, error = 0;
    for (u32 i = 0; i < 12; i++) {
        const f64 w = want->m[i / 4][i % 4];
        largest = MAX_OF(largest, fabs(w));
        error = MAX_OF(error, fabs((f64)got->m[i / 4][i % 4] - w));
    }
    if (!(error <= 1e-4 * largest)) print_error("matrix is off by %g of %g\n", error, largest);
    assert_true(error <= 1e-4 * largest);
}
