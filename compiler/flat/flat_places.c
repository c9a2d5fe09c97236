/* flat_places.c - see flat_places.h. */
#include "flat_places.h"

#include "diag.h"
#include "search.h"

void flat_place_keep(Compile* c, const Instance* in, u32 entity) {
    *array_push(&c->checked) = (CompilePlace){entity, in->type->id, in->source, in->offset, 1};
}

const CompilePlace* flat_place(const Compile* c, ComponentIndex type, u32 entity) {
    const CompilePlace* place = NULL;
    const u64           id = ent_component_types()[type].id;
    for (u32 i = 0; i < c->checked.count; i++)
        if (c->checked.at[i].entity == entity && c->checked.at[i].type == id)
            place = &c->checked.at[i];
    return place && place->source == &c->asset->source ? place : NULL;
}

bool flat_is_complete(const Compile* c, const Output* out) {
    return !out->writer.too_large && !c->incomplete && !c->has_errors &&
           diag_error_count(c->diag) == 0;
}

const char* flat_shown_name(Compile* c, u32 entity) {
    const char* path = flat_path(c, c->flat, NONE, entity);
    return *path ? path : "(no name)";
}

u32 flat_row(Output* out, ComponentIndex type, u32 entity) {
    const ComponentType* t = &ent_component_types()[type];
    const u32*           owner = output_owners(out, t);
    const u32            count = output_count(out, t);
    const u32            row = count ? search_words(owner, count, entity) : 0;
    return row < count && owner[row] == entity ? row : NONE;
}

static Mat34 local_pose(Output* out, u32 row) {
    const ComponentType* t = &ent_component_types()[COMPONENT_TRANSFORM];
    const Vec3*          position = output_column(out, t, 0);
    const Quat*          rotation = output_column(out, t, 1);
    const Vec3*          scale = output_column(out, t, 2);
    return mat34_of_pose(&position[row], &rotation[row], &scale[row]);
}

bool flat_pose(const Compile* c, Output* out, u32 entity, Mat34* pose) {
    *pose = mat34_identity;
    for (u32 e = entity; e != NONE; e = c->flat->entities.at[e].parent) {
        const u32 row = flat_row(out, COMPONENT_TRANSFORM, e);
        if (flat_row(out, COMPONENT_ATTACH_TO_JOINT, e) != NONE) return false;
        if (row == NONE) return true; /* a child of it is relative to the world */
        const Mat34 m = local_pose(out, row);
        *pose = mat34_product(&m, pose);
    }
    return true;
}
