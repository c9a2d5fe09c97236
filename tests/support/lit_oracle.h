/* lit_oracle.h - the light of a surface in double precision: KHR_lights_punctual, the two colours of the sky, and the
 * reflection that the headers of the shaders state. */
#ifndef LIT_ORACLE_H
#define LIT_ORACLE_H

#include <math.h>

#include "light.h"
#include "vec.h"

typedef struct Vec {
    f64 x, y, z;
} Vec;

static inline Vec vec(f64 x, f64 y, f64 z) { return (Vec){x, y, z}; }
static inline Vec add(Vec a, Vec b) { return vec(a.x + b.x, a.y + b.y, a.z + b.z); }
static inline Vec times(Vec a, f64 k) { return vec(a.x * k, a.y * k, a.z * k); }
static inline Vec mul(Vec a, Vec b) { return vec(a.x * b.x, a.y * b.y, a.z * b.z); }
static inline f64 dot(Vec a, Vec b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline Vec unit(Vec a) { return times(a, 1 / sqrt(dot(a, a))); }
static inline Vec of(Vec3 v) { return vec((f64)v.x, (f64)v.y, (f64)v.z); }
static inline Vec cross(Vec a, Vec b) {
    return vec(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
static inline Vec column(const Mat34* m, u32 k) {
    return vec((f64)m->m[0][k], (f64)m->m[1][k], (f64)m->m[2][k]);
}

/* Walter et al. 2007, Heitz 2014 and Schlick 1994, as the headers of the shaders state. */
static inline Vec reflected(Vec color, f64 metallic, f64 rough, Vec n, Vec v, Vec l) {
    const f64 alpha2 = pow(fmax(rough, 0.04), 4), pi = 3.14159265358979;
    const Vec h = unit(add(l, v)),
              f0 = add(times(vec(1, 1, 1), 0.04 * (1 - metallic)), times(color, metallic));
    const f64 nl = dot(n, l), nv = fmax(dot(n, v), 1e-4), nh = fmax(dot(n, h), 0),
              vh = fmax(dot(v, h), 0);
    if (nl <= 0) return vec(0, 0, 0);
    const f64 d = nh * nh * (alpha2 - 1) + 1, spread = alpha2 / (pi * d * d);
    const f64 mask = 0.5 / (nl * sqrt(nv * nv * (1 - alpha2) + alpha2) +
                            nv * sqrt(nl * nl * (1 - alpha2) + alpha2));
    const Vec f = add(f0, times(add(vec(1, 1, 1), times(f0, -1)), pow(1 - vh, 5)));
    const Vec matt = mul(times(color, (1 - metallic) / pi), add(vec(1, 1, 1), times(f, -1)));
    return times(add(matt, times(f, spread * mask)), nl);
}

static inline Vec sky_at(f64 up) {
    const f64 k = up * 0.5 + 0.5;
    return add(times(vec(0.10, 0.10, 0.11), 1 - k), times(vec(0.38, 0.43, 0.52), k));
}

/* The polynomials of lighting_look.glsl. */
static inline f64 mirror_kept(f64 rough, f64 nv) {
    static const f64 by_facing[4][4] = {{1.1694, -0.4504, 0.2193, -0.0285},
                                        {-2.0670, 7.3899, -6.6531, 2.2757},
                                        {4.0835, -18.6303, 19.3162, -7.0600},
                                        {-2.3709, 10.7437, -12.3536, 4.7049}};
    const f64        r = fmax(rough, 0.1), v = fmax(nv, 0.15);
    f64              sum = 0;
    for (u32 i = 0; i < 4; i++)
        for (u32 k = 0; k < 4; k++) sum += by_facing[i][k] * pow(r, i) * pow(v, k);
    return fmin(sum, 1);
}

static inline Vec around_of(Vec color, f64 metallic, f64 rough, Vec n, Vec v, Vec matt,
                            Vec mirrored) {
    const f64 nv = fmax(dot(n, v), 1e-4), r = fmax(rough, 0.04);
    const f64 x = 1 - r, y = 0.0425 - 0.0275 * r, w = 0.022 * r - 0.04;
    const f64 added = 1.04 * (fmin(x * x, exp2(-9.28 * nv)) * x + y) + w;
    const Vec f0 = add(times(vec(1, 1, 1), 0.04 * (1 - metallic)), times(color, metallic));
    const Vec shine = add(times(f0, mirror_kept(r, nv) - added), times(vec(1, 1, 1), added));
    return add(mul(times(color, 1 - metallic), matt), mul(shine, mirrored));
}

static inline Vec around(Vec color, f64 metallic, f64 rough, Vec n, Vec v) {
    const Vec mirror = add(times(n, 2 * dot(n, v)), times(v, -1));
    return around_of(color, metallic, rough, n, v, sky_at(n.y), sky_at(mirror.y));
}

/* KHR_lights_punctual. */
static inline Vec arriving(const LightRecord* light, const Mat34* m, Vec at, Vec* to_light) {
    const Vec color = times(of(light->color), (f64)light->intensity),
              along = unit(times(column(m, 2), -1));
    *to_light = times(along, -1);
    if (light->kind == LIGHT_DIRECTIONAL) return color;
    const Vec d = add(column(m, 3), times(at, -1));
    const f64 far = sqrt(dot(d, d));
    *to_light = times(d, 1 / far);
    f64 share = fmax(fmin(1 - pow(far / (f64)light->range_m, 4), 1), 0) / (far * far);
    if (light->kind == LIGHT_SPOT) {
        const f64 inner = cos((f64)light->inner_angle_rad),
                  outer = cos((f64)light->outer_angle_rad);
        const f64 scale = 1 / fmax(0.001, inner - outer);
        const f64 cone = fmax(0, fmin(1, (dot(times(*to_light, -1), along) - outer) * scale));
        share *= cone * cone;
    }
    return times(color, share);
}

/* The colours before they are resolved, as halves. */
static inline f64 half_of(u16 h) {
    const int e = h >> 10 & 31, m = h & 1023;
    return e == 0 ? ldexp(m, -24) : ldexp(m + 1024, e - 25);
}

/* A turn after which -z points from a place to the origin. */
static inline Quat turn_to_origin(Vec3 at) {
    const Vec z = unit(of(at)), x = unit(cross(vec(0.1, 1, 0), z)), y = cross(z, x);
    const f64 w = sqrt(fmax(0, 1 + x.x + y.y + z.z)) / 2;
    return (Quat){(f32)((y.z - z.y) / (4 * w)), (f32)((z.x - x.z) / (4 * w)),
                  (f32)((x.y - y.x) / (4 * w)), (f32)w};
}

#endif
