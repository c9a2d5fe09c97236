/* component_rules.c - what must hold between the fields of one component. Most types have no rule;
 * they say so here, so that a new row in the list is not forgotten: the link fails. */
#include "component_rules.h"

#include <math.h>

#define NO_RULE(name)                                                                              \
    void component_check_##name(Instance* instance) { UNUSED(instance); }

NO_RULE(transform)
NO_RULE(name)
NO_RULE(persistent_id)
NO_RULE(mesh)
NO_RULE(skin)
NO_RULE(decal)
NO_RULE(environment_probe)
NO_RULE(point_mass)

static void contradiction(Instance* instance, const char* text) {
    diag_error(instance->diag, E0206, instance->source, instance->offset, 1, "%s: %s",
               instance->type->record.name, text);
}

void component_check_light(Instance* instance) {
    const LightRecord* light = instance->record;
    if (light->inner_angle_rad > light->outer_angle_rad) {
        contradiction(instance, "inner_angle_rad must not be greater than outer_angle_rad");
    }
}

void component_check_camera(Instance* instance) {
    const CameraRecord* camera = instance->record;
    if (camera->far_m != 0 && camera->far_m <= camera->near_m) {
        contradiction(instance, "far_m must be greater than near_m, or 0 for no limit");
    }
}

void component_check_fluid(Instance* instance) {
    const FluidRecord* fluid = instance->record;
    if (fluid->spacing_m > fluid->smoothing_radius_m) {
        contradiction(instance, "spacing_m must not be greater than smoothing_radius_m, "
                                "or no particle has a neighbour");
    }
}

void component_check_collider_plane(Instance* instance) {
    ColliderPlaneRecord* plane = instance->record;
    const f64            x = plane->normal.x, y = plane->normal.y, z = plane->normal.z;
    const f64            length = sqrt(x * x + y * y + z * z);
    if (fabs(length - 1) > 0.01) {
        contradiction(instance, "normal must have length 1");
        return;
    }
    plane->normal = (Vec3){(f32)(x / length), (f32)(y / length), (f32)(z / length)};
}

void component_check_particle_system(Instance* instance) {
    const ParticleSystemRecord* particles = instance->record;
    if (particles->radius_min_m > particles->radius_max_m) {
        contradiction(instance, "radius_min_m must not be greater than radius_max_m");
    }
}
