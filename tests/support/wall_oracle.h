/* wall_oracle.h - colliders as walls of a fluid, in double precision, as sph_reference.h states them: at the beginning of a step, and the friction at
 * its end. */
#ifndef WALL_ORACLE_H
#define WALL_ORACLE_H

#include "collider_oracle.h"
#include "fluid.h"

/* Where a collider is at the beginning of a step. */
static inline f64 wall_begin(const void* user, u32 wall, const f64 at[3], f64 normal[3],
                             f64* volume) {
    const ColliderMotion* c = (const ColliderMotion*)user + wall;
    const Turn            turn = turn_at(c, 0);
    const Vec p = turned_back(turn, add(vec(at[0], at[1], at[2]), times(of(c->at_was), -1)));
    const Vec n = turned_by(turn, shape_normal(c, p)), a = of(c->half_m);
    const f64 r = c->radius_m, pi = 3.14159265358979323846;
    normal[0] = n.x, normal[1] = n.y, normal[2] = n.z;
    *volume = c->is_plane ? INFINITY
                          : 8 * a.x * a.y * a.z + 8 * r * (a.x * a.y + a.y * a.z + a.z * a.x) +
                                2 * pi * r * r * (a.x + a.y + a.z) + 4 * pi / 3 * r * r * r;
    return shape_distance(c, p);
}

/* Friction with a wall that presses, at the end of a step. */
static inline Vec wall_rubs(const FluidRecord* fluid, const ColliderMotion* c, Vec p, Vec v,
                            f64 density) {
    const f64  h = (f64)fluid->smoothing_radius_m, dt = (f64)fluid->step_s;
    const Turn was = turn_at(c, 0), is = turn_at(c, 1);
    const Vec  local = turned_back(is, add(p, times(of(c->at), -1)));
    const f64  far = shape_distance(c, local), q = fmax(far, 0) / h;
    if (c->friction == 0 || far >= h) return v;
    const Vec n = shape_normal(c, local), touched = add(local, times(n, -far));
    const Vec out = turned_by(is, n);
    const Vec surface = times(add(add(of(c->at), turned_by(is, touched)),
                                  times(add(of(c->at_was), turned_by(was, touched)), -1)),
                              1 / dt);
    f64       volume, normal[3];
    const f64 at[3] = {0, 0, 0};
    wall_begin(c, 0, at, normal, &volume);
    const f64 u = 1 - q, pi = 3.14159265358979323846;
    const f64 press =
        fmin(1.5 * pow(u, 4) * (1 + 4 * q), 45 / pi * volume / (h * h * h) * u * u) / h;
    const f64 added =
        (f64)fluid->stiffness * (density - (f64)fluid->rest_density_kg_m3) / density * press * dt;
    const Vec along = add(v, times(surface, -1)), slide = add(along, times(out, -dot(along, out)));
    const f64 slip = sqrt(dot(slide, slide));
    return slip > 0 ? add(v, times(slide, -fmin((f64)c->friction * added / slip, 1))) : v;
}

#endif
