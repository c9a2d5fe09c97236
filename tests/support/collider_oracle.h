/* collider_oracle.h - how a ball meets a collider, in double precision, as colliders.h and its shaders state: the way of the ball, as
 * the collider sees it, is searched in small pieces for the first contact. */
#ifndef COLLIDER_ORACLE_H
#define COLLIDER_ORACLE_H

#include "colliders.h"
#include "lit_oracle.h"

typedef struct Turn {
    f64 x, y, z, w;
} Turn;

static inline Vec turned_by(Turn q, Vec v) {
    const Vec axis = vec(q.x, q.y, q.z), t = times(cross(axis, v), 2);
    return add(add(v, times(t, q.w)), cross(axis, t));
}

static inline Vec turned_back(Turn q, Vec v) { return turned_by((Turn){-q.x, -q.y, -q.z, q.w}, v); }

/* Between two turns, at a share of the frame. */
static inline Turn turn_at(const ColliderMotion* c, f64 share) {
    const Quat a = c->turn_was, b = c->turn;
    const f64  cosine = (f64)a.x * b.x + (f64)a.y * b.y + (f64)a.z * b.z + (f64)a.w * b.w;
    const f64  k = cosine < 0 ? -share : share, l = 1 - share;
    const Turn q = {a.x * l + b.x * k, a.y * l + b.y * k, a.z * l + b.z * k, a.w * l + b.w * k};
    const f64  length = sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
    return (Turn){q.x / length, q.y / length, q.z / length, q.w / length};
}

static inline Vec place_at(const ColliderMotion* c, f64 share) {
    return add(times(of(c->at_was), 1 - share), times(of(c->at), share));
}

/* The distance of a point from a shape, in its space. */
static inline f64 shape_distance(const ColliderMotion* c, Vec p) {
    const Vec half = of(c->half_m);
    if (c->is_plane) return p.y;
    const f64 x = fabs(p.x) - half.x, y = fabs(p.y) - half.y, z = fabs(p.z) - half.z;
    const f64 outside = sqrt(pow(fmax(x, 0), 2) + pow(fmax(y, 0), 2) + pow(fmax(z, 0), 2));
    return outside + fmin(fmax(x, fmax(y, z)), 0) - c->radius_m;
}

/* By differences. */
static inline Vec shape_normal(const ColliderMotion* c, Vec p) {
    const f64 d = 1e-7;
    return unit(
        vec(shape_distance(c, vec(p.x + d, p.y, p.z)) - shape_distance(c, vec(p.x - d, p.y, p.z)),
            shape_distance(c, vec(p.x, p.y + d, p.z)) - shape_distance(c, vec(p.x, p.y - d, p.z)),
            shape_distance(c, vec(p.x, p.y, p.z + d)) - shape_distance(c, vec(p.x, p.y, p.z - d))));
}

/* The first point of a way whose distance is `radius`; false: there is none. */
static inline bool first_contact(const ColliderMotion* c, Vec a, Vec b, f64 radius, Vec* at) {
    enum { PIECES = 400 };
    const Vec way = add(b, times(a, -1));
    f64       low = 0, high = -1;
    *at = a;
    if (shape_distance(c, a) <= radius) return true;
    if (shape_distance(c, a) > radius + sqrt(dot(way, way))) return false; /* too far away */
    for (u32 i = 1; i <= PIECES && high < 0; i++) {
        const f64 share = (f64)i / PIECES;
        if (shape_distance(c, add(a, times(way, share))) < radius)
            high = share;
        else
            low = share;
    }
    if (high < 0) return false;
    for (u32 i = 0; i < 50; i++) {
        const f64 middle = (low + high) / 2;
        if (shape_distance(c, add(a, times(way, middle))) < radius)
            high = middle;
        else
            low = middle;
    }
    *at = add(a, times(way, low));
    return true;
}

/* Moves a ball out of a collider, from `begin` to `end` of a frame; returns whether they met. */
static inline bool ball_meets(const ColliderMotion* c, f64 begin, f64 end, f64 step_s, f64 radius,
                              Vec from, Vec* to, Vec* velocity) {
    const Turn turn_was = turn_at(c, begin), turn = turn_at(c, end);
    const Vec  at_was = place_at(c, begin), at = place_at(c, end);
    const Vec  a = turned_back(turn_was, add(from, times(at_was, -1))),
              b = turned_back(turn, add(*to, times(at, -1)));
    Vec touched;
    if (!first_contact(c, a, b, radius, &touched)) return false;
    const Vec normal = shape_normal(c, touched);
    touched = add(touched, times(normal, fmax(radius - shape_distance(c, touched), 0)));
    const f64 depth = dot(add(touched, times(b, -1)), normal);
    if (depth <= 1e-12) return false; /* it was put onto it */
    const Vec point = add(touched, times(normal, -radius)), n = turned_by(turn, normal);
    const Vec surface = times(
        add(add(at, turned_by(turn, point)), times(add(at_was, turned_by(turn_was, point)), -1)),
        1 / step_s);
    Vec       along = add(*velocity, times(surface, -1));
    const f64 speed = dot(along, n);
    *to = add(*to, times(n, depth));
    if (speed >= 0) return true;
    const Vec slide = add(along, times(n, -speed));
    const f64 change = -speed * (1 + (f64)c->restitution), slip = sqrt(dot(slide, slide));
    along = add(along, times(n, change));
    if (slip > 0) along = add(along, times(slide, -fmin((f64)c->friction * change / slip, 1)));
    *velocity = add(surface, along);
    return true;
}

#endif
