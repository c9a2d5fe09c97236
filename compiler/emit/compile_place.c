/* compile_place.c - M = T R S R' S' with the rotation R and scale S of the object and R' and S' of the root of the prefab. If
 * R'^T S R' is a scale D, M = T (R R') (D S'). If S scales evenly, perhaps mirrored by D, S R' = (D R' D) S. Otherwise M has
 * shear. */
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

/* The scale S as it acts along the axes of what R' has rotated: R'^T S R', if that is a scale again. */
static bool scale_turned(Quat inner, Vec3 scale, Vec3* out) {
    const Vec3 axes[3] = {quat_rotate(inner, (Vec3){1, 0, 0}), quat_rotate(inner, (Vec3){0, 1, 0}),
                          quat_rotate(inner, (Vec3){0, 0, 1})};
    f32        product[3][3];
    f32        high = 0, rest = 0;
    *out = scale;
    if (scale.x == scale.y && scale.y == scale.z) return true;
    for (u32 i = 0; i < 3; i++)
        for (u32 k = 0; k < 3; k++) {
            product[i][k] = axes[i].x * scale.x * axes[k].x + axes[i].y * scale.y * axes[k].y +
                            axes[i].z * scale.z * axes[k].z;
            high = MAX_OF(high, fabsf(product[i][k]));
            if (i != k) rest = MAX_OF(rest, fabsf(product[i][k]));
        }
    *out = (Vec3){product[0][0], product[1][1], product[2][2]};
    return rest <= EVEN_TOLERANCE * high;
}

/* Do other components of the object set its rotation too, such as those of animations? */
static bool is_moved_otherwise(const Compile* c, const Instance* in) {
    const DocNode*    node = node_of(c, in);
    const FlatEntity* e = &c->flat->entities.at[c->entity];
    const Doc*        doc = c->assets->asset[e->asset]->content->doc;
    for (u32 i = 1; node && i < node->component_count; i++) { /* the first one is the transform */
        const DocComponent* component = &doc->components.at[node->first_component + i];
        const RecordType*   type = &c->registry->types[component->type]->record;
        if (doc_has_records(component) && field_with(type, ENT_AXES_ROTATION)) return true;
    }
    return false;
}

static void turned_report(Compile* c, const Instance* in) {
    if (is_moved_otherwise(c, in))
        diag_warning(
            c->diag, W0713, in->source, node_of(c, in)->offset, 1,
            "the root of the prefab is rotated or scaled, and an animation or a joint moves "
            "the object that instances it, without that rotation and scale; apply the "
            "rotation and scale of the prefab's object");
    children_report(c, in);
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
    const bool is_turned = is_rotated(inner_rotation);
    Vec3       turned_size;
    if (is_turned || inner_size.x != 1 || inner_size.y != 1 || inner_size.z != 1)
        turned_report(c, in);
    if (is_turned && scale_turned(inner_rotation, outer_size, &turned_size)) {
        outer_rotation = quat_unit(quat_multiply(outer_rotation, inner_rotation));
        outer_size = turned_size;
    } else if (is_turned) {
        if (!is_even(outer_size)) shear_report(c, in);
        outer_rotation =
            quat_unit(quat_multiply(outer_rotation, mirrored(inner_rotation, outer_size)));
    }
    outer_size = (Vec3){outer_size.x * inner_size.x, outer_size.y * inner_size.y,
                        outer_size.z * inner_size.z};
    memcpy(record + rotation->offset, &outer_rotation, sizeof outer_rotation);
    memcpy(record + size->offset, &outer_size, sizeof outer_size);
}
