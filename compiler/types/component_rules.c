/* component_rules.c - the rules between the fields of one component. Types without a rule are
 * listed too, so that a new row in the list is not forgotten: otherwise linking fails. */
#include "component_rules.h"

#include <math.h>

#include "diag.h"
#include "fields.h"
#include "fluid_step.h"
#include "hash.h"
#include "records.h"

#define NO_RULE(name)                                                                              \
    void component_check_##name(Instance* instance) { UNUSED(instance); }

NO_RULE(name)
NO_RULE(persistent_id)
NO_RULE(mesh)
NO_RULE(mesh_material)
NO_RULE(morph_weight)
NO_RULE(skin)
NO_RULE(attach_to_joint)
NO_RULE(animator)
NO_RULE(animated_node)
NO_RULE(animated_property)
NO_RULE(decal)
NO_RULE(environment_probe)
NO_RULE(point_mass)
NO_RULE(emitter)
NO_RULE(sink)

static void contradiction(Instance* instance, const char* text) {
    diag_error(instance->diag, E0206, instance->source, instance->offset, 1, "%s: %s",
               instance->type->record.name, text);
}

/* --- the position of a field --- */

/* The place of the value of a field, or with `item` of one of its numbers, in the layer that was read last.
 * Returns false when that layer does not define the field, when it belongs to another file, which
 * reports its errors when it is compiled itself, or when it is a record of a model. A layer that was
 * read early is read again for the warning. */
static bool value_place(const Instance* in, const void* record, const void* member, u32 item,
                        u32* offset, u32* bytes) {
    const RecordType* type = &in->type->record;
    const u32         at = (u32)((const u8*)member - (const u8*)record);
    JsonTokens        again = {.source = in->source};
    u32               f = 0;
    while (type->fields[f].offset != at) f++;
    if (in->given_here == ~0ull || !(in->given_here >> f & 1)) return false;
    if (in->source != in->asset_source) return false;
    Json json = json_open(in->source, in->offset, in->diag);
    if (json_tokens_read(&again, &json) == NONE) return false;
    const JsonToken* value = json_get(json_tokens_root(&again), type->fields[f].name);
    if (json_token_is(value, JSON_ARRAY)) value = json_first(value);
    for (u32 i = 0; value && i < item; i++) value = json_next(value);
    if (value) *offset = json_token_offset(in->source, value), *bytes = value->bytes;
    json_tokens_close(&again);
    return value != NULL;
}

static void scale_warn(Instance* instance) {
    const TransformRecord* transform = instance->record;
    const f32              scale[3] = {transform->scale.x, transform->scale.y, transform->scale.z};
    u32                    offset, bytes;
    for (u32 i = 0; i < 3; i++) {
        if (scale[i] != 0) continue;
        if (!value_place(instance, transform, &transform->scale, i, &offset, &bytes)) return;
        diag_warning(instance->diag, W0702, instance->source, offset, bytes,
                     "transform: scale is 0 along %c, so that the entity and its children are "
                     "flat; use a small number for a thin object, or remove the entity",
                     "xyz"[i]);
    }
}

/* Called for every transform. */
void component_check_transform(Instance* instance) {
    const TransformRecord* transform = instance->record;
    if (transform->scale.x == 0 || transform->scale.y == 0 || transform->scale.z == 0)
        scale_warn(instance);
}

void component_check_light(Instance* instance) {
    const LightRecord* light = instance->record;
    if (light->inner_angle_rad > light->outer_angle_rad) {
        contradiction(instance, "inner_angle_rad must not be greater than outer_angle_rad");
    }
    if (light->kind == LIGHT_DIRECTIONAL && (light->cookie.lo | light->cookie.hi) != 0) {
        u32 offset = instance->offset, bytes = 1;
        value_place(instance, light, &light->cookie, 0, &offset, &bytes);
        diag_error(instance->diag, E0206, instance->source, offset, bytes,
                   "light: a directional light has no cookie; remove `cookie`, or set `kind` to "
                   "\"spot\" or \"point\"");
    }
}

static void camera_warn(Instance* instance, f64 min) {
    const CameraRecord* camera = instance->record;
    u32                 offset, bytes;
    if (!value_place(instance, camera, &camera->far_m, 0, &offset, &bytes) &&
        !value_place(instance, camera, &camera->near_m, 0, &offset, &bytes)) {
        return;
    }
    diag_warning(instance->diag, W0704, instance->source, offset, bytes,
                 "camera: far_m, %.6g m, exceeds near_m, %.6g m, by less than 1 %%, so that almost "
                 "nothing is visible; set far_m to %.6g m or greater, or to 0 for no limit",
                 (f64)camera->far_m, (f64)camera->near_m, min);
}

void component_check_camera(Instance* instance) {
    const CameraRecord* camera = instance->record;
    const f64           min = (f64)camera->near_m * 1.01, rounding = 1e-6;
    if (camera->far_m == 0 || (f64)camera->far_m >= min * (1 - rounding)) return;
    if (camera->far_m <= camera->near_m)
        contradiction(instance, "far_m must be greater than near_m, or 0 for no limit");
    else
        camera_warn(instance, min);
}

/* A duration, rounded down to three digits. */
static f64 rounded_down(f32 time_s) {
    const f64 unit = pow(10, floor(log10((f64)time_s)) - 2);
    const f64 nearest = floor((f64)time_s / unit + 0.5) * unit;
    return (f32)nearest <= time_s ? nearest : nearest - unit;
}

static void fluid_check_step(Instance* instance) {
    static const struct {
        const char *fault, *instead;
    } rows[] = {
        [FLUID_BOUND_SOUND] = {"the pressure term exceeds its stability limit",
                               "reduce stiffness or increase smoothing_radius_m"},
        [FLUID_BOUND_VISCOSITY] = {"the viscosity term exceeds its stability limit",
                                   "reduce viscosity or increase smoothing_radius_m"},
        [FLUID_BOUND_GRAVITY] = {"the gravity term exceeds its stability limit",
                                 "reduce gravity_m_s2 or increase smoothing_radius_m"},
    };
    const FluidRecord* fluid = instance->record;
    FluidBound         bound;
    const f32          max = ent_fluid_step_max_s(fluid, &bound);
    if (fluid->step_s <= max) return;
    diag_warning(instance->diag, W0701, instance->source, instance->offset, 1,
                 "fluid: the simulation may be unstable, because step_s is %.4g s: %s; set step_s "
                 "to %.3g s or less and increase substeps accordingly, or %s",
                 (f64)fluid->step_s, rows[bound].fault, rounded_down(max), rows[bound].instead);
}

void component_check_fluid(Instance* instance) {
    const FluidRecord* fluid = instance->record;
    if (fluid->spacing_m > fluid->smoothing_radius_m) {
        contradiction(instance, "spacing_m must not be greater than smoothing_radius_m, because no "
                                "particle would have a neighbour");
        return;
    }
    fluid_check_step(instance);
}

void component_check_collider(Instance* instance) {
    ColliderRecord* plane = instance->record;
    const f64       x = plane->normal.x, y = plane->normal.y, z = plane->normal.z;
    const f64       length = sqrt(x * x + y * y + z * z);
    if (fabs(length - 1) > 0.01) {
        contradiction(instance, "normal must have length 1");
        return;
    }
    plane->normal = (Vec3){(f32)(x / length), (f32)(y / length), (f32)(z / length)};
    const bool needs = plane->kind == COLLIDER_HULL || plane->kind == COLLIDER_TRIANGLES;
    if (needs && resource_id(plane->resource) == 0)
        contradiction(instance, "a hull, and triangles, need a resource: a mesh");
}

void component_check_particle_system(Instance* instance) {
    const ParticleSystemRecord* particles = instance->record;
    if (particles->radius_min_m > particles->radius_max_m) {
        contradiction(instance, "radius_min_m must not be greater than radius_max_m");
    }
    if (particles->capacity == 0 && particles->count == 0)
        contradiction(instance, "count must be 1 or greater, because without a capacity no "
                                "particle can be added");
    else if (particles->capacity > 0 && particles->capacity < particles->count)
        contradiction(instance, "capacity must not be less than count");
}
