/* compile_place.c - M = T R S R' S' with the rotation R and scale S of the object and R' and S' of the root of the prefab. If
 * S scales evenly, perhaps mirrored by D, S R' = (D R' D) S, which is a rotation and a scale again. */
#include "compile_place.h"

#include <math.h>

#include "diag.h"
#include "vec.h"

#define EVEN_TOLERANCE 1e-5f /* of scales, relative to the largest; of the sine of half an angle */

static const Field* field_with(const RecordType* type, EntAxes axes) {
    for (u32 i = 0; i < type->field_count; i++)
        if (type->fields[i].axes == axes) return &type->fields[i];
    return NULL;
}

static bool is_even(Vec3 s) {
    const f32 x = fabsf(s.x), y = fabsf(s.y), z = fabsf(s.z);
    const f32 high = MAX_OF(x, MAX_OF(y, z)), low = MIN_OF(x, MIN_OF(y, z));
    return high - low <= EVEN_TOLERANCE * high;
}

static bool is_rotated(Quat q) {
    return q.x * q.x + q.y * q.y + q.z * q.z > EVEN_TOLERANCE * EVEN_TOLERANCE;
}

/* D R D: its axis is a pseudovector. */
static Quat mirrored(Quat q, Vec3 scale) {
    const f32 x = scale.x < 0 ? -1 : 1, y = scale.y < 0 ? -1 : 1, z = scale.z < 0 ? -1 : 1;
    const f32 sign = x * y * z;
    return (Quat){sign * x * q.x, sign * y * q.y, sign * z * q.z, q.w};
}

/* The node that instances the prefab, if it is in the file whose layer is read. */
static const DocNode* node_of(const Compile* c, const Instance* in) {
    const FlatEntity* e = &c->flat->entities.at[c->entity];
    const Asset*      asset = c->assets->asset[e->asset];
    return &asset->source == in->source ? doc_node(asset, e->node) : NULL;
}

static void shear_report(Compile* c, const Instance* in) {
    const DocNode* node = node_of(c, in);
    diag_warning(
        c->diag, W0713, in->source, node ? node->offset : 0, 1,
        "the root of the prefab is rotated, and the object that instances it scales it "
        "unevenly, which would shear it: the scale acts along the axes of the prefab; apply "
        "the rotation of the prefab's object, or scale evenly");
}

/* What is below the object in its own file is relative to the object alone, but its entity has the rotation and scale of both. */
static void children_report(Compile* c, const Instance* in) {
    const DocNode* node = node_of(c, in);
    if (!node || node->first_child == NONE) return;
    diag_warning(
        c->diag, W0713, in->source, node->offset, 1,
        "the root of the prefab is rotated or scaled, which also acts on the objects below "
        "the one that instances it; apply the rotation and scale of the prefab's object");
}

void place_compose(Compile* c, const Instance* in, const void* root) {
    const Field* rotation = field_with(&in->type->record, ENT_AXES_ROTATION);
    const Field* size = field_with(&in->type->record, ENT_AXES_SIZE);
    Quat         outer_rotation, inner_rotation;
    Vec3         outer_size, inner_size;
    assert(rotation && size && "only transforms place instances");
    u8* const record = in->record;
    memcpy(&outer_rotation, record + rotation->offset, sizeof outer_rotation);
    memcpy(&outer_size, record + size->offset, sizeof outer_size);
    memcpy(&inner_rotation, (const u8*)root + rotation->offset, sizeof inner_rotation);
    memcpy(&inner_size, (const u8*)root + size->offset, sizeof inner_size);
    if (is_rotated(inner_rotation)) {
        if (!is_even(outer_size)) shear_report(c, in);
        outer_rotation =
            quat_unit(quat_multiply(outer_rotation, mirrored(inner_rotation, outer_size)));
    }
    if (is_rotated(inner_rotation) || inner_size.x != 1 || inner_size.y != 1 || inner_size.z != 1)
        children_report(c, in);
    outer_size = (Vec3){outer_size.x * inner_size.x, outer_size.y * inner_size.y,
                        outer_size.z * inner_size.z};
    memcpy(record + rotation->offset, &outer_rotation, sizeof outer_rotation);
    memcpy(record + size->offset, &outer_size, sizeof outer_size);
}
