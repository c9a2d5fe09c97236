/* point_place.c - see point_place.h. */
#include "point_place.h"

#include "collider.h"
#include "diag.h"
#include "flat_places.h"
#include "memory.h"

#define POSITION 0     /* the first field */
#define APART_M  1e-3f /* less is rounding */

/* Only layers that state a position are kept. */
static void point_layer(Compile* c, const Instance* in, u32 entity) {
    if (in->given_here >> POSITION & 1) flat_place_keep(c, in, entity);
}

static void stated_find(const Compile* c, u8* stated) {
    const u64 id = ent_component_types()[COMPONENT_POINT_MASS].id;
    for (u32 i = 0; i < c->checked.count; i++)
        if (c->checked.at[i].type == id) stated[c->checked.at[i].entity] = 1;
}

/* Does a fluid move it? */
static bool is_body(Output* out, u32 entity) {
    const ComponentType*  t = &ent_component_types()[COMPONENT_COLLIDER];
    const ColliderRecord* record = output_column(out, t, 0);
    const u32*            owner = output_owners(out, t);
    const u32             count = output_count(out, t);
    u32                   row = flat_row(out, COMPONENT_COLLIDER, entity);
    while (row > 0 && row != NONE && owner[row - 1] == entity) row--;
    for (; row < count && owner[row] == entity; row++)
        if (COLLIDER_IS_SOLID(record[row].kind)) return true;
    return false;
}

/* What was stated has to be where the transform is. */
static void body_check(Compile* c, Output* out, u32 entity, Vec3 position, Vec3 place) {
    const f32 bound = APART_M * (1 + vec3_length(place));
    if (vec3_length(vec3_sub(position, place)) <= bound || !is_body(out, entity)) return;
    const CompilePlace* at = flat_place(c, COMPONENT_POINT_MASS, entity);
    if (!at) return;
    diag_warning(c->diag, W0712, at->source, at->offset, at->bytes,
                 "point_mass: the entity \"%s\" begins at its position [%g, %g, %g], not at [%g, "
                 "%g, %g], where its transform is; leave out `position`, or move the transform",
                 flat_shown_name(c, entity), position.x, position.y, position.z, place.x, place.y,
                 place.z);
}

static void points_finish(Compile* c, Output* out) {
    const ComponentType* t = &ent_component_types()[COMPONENT_POINT_MASS];
    const u32            count = output_count(out, t);
    const u32*           owner = output_owners(out, t);
    Vec3*                position = output_column(out, t, POSITION);
    if (count == 0 || !flat_is_complete(c, out)) return;
    Arena     arena = {0};
    u8* const stated = arena_alloc(&arena, c->flat->entities.count + (size_t)1);
    stated_find(c, stated);
    for (u32 i = 0; i < count; i++) {
        Mat34 pose;
        if (flat_row(out, COMPONENT_TRANSFORM, owner[i]) == NONE) continue;
        if (!flat_pose(c, out, owner[i], &pose)) continue;
        if (stated[owner[i]])
            body_check(c, out, owner[i], position[i], mat34_column(&pose, 3));
        else
            position[i] = mat34_column(&pose, 3);
    }
    arena_drop(&arena);
}

const CompileHooks point_mass_compile_hooks = {.layer = point_layer, .finish = points_finish};
