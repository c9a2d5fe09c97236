/* sph_reference.c - SPH in double precision, with neighbours from a hashed grid.
 *
 * The grid has no bounds: a hash table contains the occupied cells, found by their full
 * coordinates, so that two cells with one hash are distinct. It only increases speed; a list of all
 * particles in its place gives the same sums in another order. */
#include "sph_reference.h"

#include <math.h>
#include <stdlib.h>

#define PI 3.14159265358979323846

/* --- neighbours --- */

typedef struct Cell {
    int64_t x, y, z;
} Cell;

typedef struct Grid {
    const SphCase* c;
    f64            size_m; /* of a cell */
    u32*           slot;   /* [slots] hash table: the first particle of a cell + 1 */
    u32            slots;  /* a power of two */
    u32*           next;   /* [count] of the same cell + 1, or 0 */
    Cell*          cell;   /* [count] of each particle */
    u32*           near;   /* [count] memory for candidates */
} Grid;

/* Clamped, neighbours stay neighbours. */
static int64_t cell_of(f64 at, f64 size_m) {
    const f64 max = 4e18, cell = floor(at / size_m);
    return (int64_t)(cell < -max ? -max : cell > max ? max : cell);
}

static Cell cell_at(const Grid* g, Vec3 p) {
    return (Cell){cell_of(p.x, g->size_m), cell_of(p.y, g->size_m), cell_of(p.z, g->size_m)};
}

/* The slot of the first particle of a cell, or the one where it would be. */
static u32* cell_slot(const Grid* g, Cell cell) {
    u64 hash = (u64)cell.x * 0x9e3779b97f4a7c15u;
    hash = (hash ^ hash >> 32 ^ (u64)cell.y) * 0xc2b2ae3d27d4eb4fu;
    hash = (hash ^ hash >> 32 ^ (u64)cell.z) * 0x165667b19e3779f9u;
    for (u64 at = hash ^ hash >> 32;; at++) {
        u32* slot = &g->slot[at & (g->slots - 1)];
        if (!*slot) return slot;
        const Cell* existing = &g->cell[*slot - 1];
        if (existing->x == cell.x && existing->y == cell.y && existing->z == cell.z) return slot;
    }
}

/* Cells are slightly larger than the smoothing radius: then a rounded quotient does not move a
 * neighbour out of the 27 adjacent cells. */
static void grid_open(Grid* g, const SphCase* c) {
    *g = (Grid){.c = c, .size_m = c->fluid->smoothing_radius_m * 1.001, .slots = 64};
    while (g->slots < c->count * 2) g->slots *= 2;
    g->slot = calloc(g->slots, sizeof *g->slot);
    g->next = calloc((size_t)c->count + 1, sizeof *g->next);
    g->cell = calloc((size_t)c->count + 1, sizeof *g->cell);
    g->near = calloc((size_t)c->count + 1, sizeof *g->near);
    if (!g->slot || !g->next || !g->cell || !g->near) abort();
    for (u32 i = c->count; i-- > 0;) {
        g->cell[i] = cell_at(g, c->position[i]);
        u32* slot = cell_slot(g, g->cell[i]);
        g->next[i] = *slot;
        *slot = i + 1;
    }
}

static void grid_close(Grid* g) {
    free(g->slot);
    free(g->next);
    free(g->cell);
    free(g->near);
}

/* Every particle that may be near enough to one, itself included, once; into g->near. Without
 * `sorted` (into cells) these are all particles. */
static u32 grid_near(const Grid* g, u32 particle, bool sorted) {
    const Cell at = g->cell[particle];
    u32        count = 0;
    for (u32 i = 0; i < g->c->count && !sorted; i++) g->near[count++] = i;
    for (u32 k = 0; k < 27 && sorted; k++) {
        const Cell cell = {at.x - 1 + k % 3, at.y - 1 + k / 3 % 3, at.z - 1 + k / 9};
        for (u32 i = *cell_slot(g, cell); i; i = g->next[i - 1]) g->near[count++] = i - 1;
    }
    return count;
}

/* d and r of a pair. */
static f64 distance(const SphCase* c, u32 a, u32 b, f64 d[3]) {
    const Vec3 *x = &c->position[a], *y = &c->position[b];
    d[0] = (f64)x->x - y->x, d[1] = (f64)x->y - y->y, d[2] = (f64)x->z - y->z;
    return sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
}

/* --- walls --- */

typedef struct Around {
    f64 free, push[3];
} Around;

static f64 wall_of(const SphCase* c, u32 k, const f64 at[3], f64 normal[3], f64* volume) {
    if (c->wall) return c->wall(c->wall_user, k, at, normal, volume);
    const Vec4 plane = c->plane[k];
    normal[0] = plane.x, normal[1] = plane.y, normal[2] = plane.z;
    *volume = INFINITY;
    return normal[0] * at[0] + normal[1] * at[1] + normal[2] * at[2] - plane.w;
}

static Around walls_of(const SphCase* c, u32 particle) {
    const u32  count = c->wall ? c->wall_count : c->plane_count;
    const f64  h = c->fluid->smoothing_radius_m;
    const Vec3 p = c->position[particle];
    Around     all = {.free = 1};
    f64*       free_of = calloc(count + 1, sizeof *free_of);
    f64(*push)[3] = calloc(count + 1, sizeof *push);
    if (!free_of || !push) abort();
    for (u32 k = 0; k < count; k++) {
        const f64 at[3] = {p.x, p.y, p.z};
        f64       n[3], volume;
        const f64 q = fmax(wall_of(c, k, at, n, &volume), 0) / h, v = volume / (h * h * h);
        free_of[k] = 1;
        if (q >= 1) continue;
        const f64 flat = 0.5 - 315.0 / 256 *
                                   (q - 4 * pow(q, 3) / 3 + 6 * pow(q, 5) / 5 - 4 * pow(q, 7) / 7 +
                                    pow(q, 9) / 9);
        free_of[k] = 1 - fmin(flat, 315 / (64 * PI) * v * pow(1 - q * q, 3));
        const f64 pressing =
            fmin(1.5 * pow(1 - q, 4) * (1 + 4 * q), 45 / PI * v * (1 - q) * (1 - q)) / h;
        for (u32 x = 0; x < 3; x++) push[k][x] = n[x] * pressing;
        all.free *= free_of[k];
    }
    for (u32 k = 0; k < count; k++)
        for (u32 x = 0; x < 3; x++) all.push[x] += push[k][x] * all.free / free_of[k];
    all.free = fmax(all.free, 1e-3);
    free(free_of);
    free(push);
    return all;
}

static void walls_press(const SphCase* c, u32 particle, f64 density, f64 acceleration[3]) {
    const Around all = walls_of(c, particle);
    const f64    pressure = (f64)c->fluid->stiffness * (density - c->fluid->rest_density_kg_m3);
    const f64    by = c->fluid->model == FLUID_ARTICLE
                          ? pressure / (c->fluid->particle_mass_kg * density * density)
                          : pressure / density;
    for (u32 x = 0; x < 3; x++) acceleration[x] += all.push[x] * by;
}

/* --- density --- */

static void density_sum(const SphCase* c, bool sorted, f64* density) {
    const f64 h = c->fluid->smoothing_radius_m, p0 = c->fluid->rest_density_kg_m3;
    const f64 scale = c->fluid->particle_mass_kg * 315 / (64 * PI * pow(h, 9));
    Grid      g;
    grid_open(&g, c);
    for (u32 a = 0; a < c->count; a++) {
        const u32 near = grid_near(&g, a, sorted);
        f64       sum = 0, d[3];
        for (u32 i = 0; i < near; i++) {
            const f64 r = distance(c, a, g.near[i], d), w = h * h - r * r;
            if (r < h) sum += w * w * w;
        }
        density[a] = fmax(p0, sum * scale / walls_of(c, a).free);
    }
    grid_close(&g);
}

/* --- forces --- */

/* Adds the effect of b on a, in Mueller's terms: pressure along d, friction along the difference of
 * velocities. */
static void pull_mueller(const FluidRecord* f, const f64 rho[2], const f64 unit[3], const f64 dv[3],
                         f64 spiky, f64 laplacian, f64 force[3]) {
    const f64 p0 = f->rest_density_kg_m3, m = f->particle_mass_kg;
    const f64 pressures = (f64)f->stiffness * (rho[0] - p0 + rho[1] - p0);
    for (u32 k = 0; k < 3; k++) {
        force[k] += m * pressures / (2 * rho[1]) * spiky * unit[k];
        force[k] += (f64)f->viscosity * m * dv[k] / rho[1] * laplacian;
    }
}

/* The same in the terms of the article. */
static void pull_article(const FluidRecord* f, const f64 rho[2], const f64 unit[3], const f64 dv[3],
                         f64 spiky, f64 laplacian, f64 force[3]) {
    const f64 p0 = f->rest_density_kg_m3;
    const f64 pressures = (f64)f->stiffness * (rho[0] - p0 + rho[1] - p0);
    for (u32 k = 0; k < 3; k++) {
        force[k] += pressures / (2 * rho[0] * rho[1]) * spiky * unit[k];
        force[k] += (f64)f->viscosity / rho[1] * dv[k] * unit[k] * laplacian;
    }
}

static void force_sum(const Grid* g, u32 a, u32 near, const f64* density, f64 force[3]) {
    const SphCase*     c = g->c;
    const FluidRecord* f = c->fluid;
    const f64          h = f->smoothing_radius_m, scale = 45 / (PI * pow(h, 6));
    const Vec3*        v = c->velocity;
    force[0] = force[1] = force[2] = 0;
    for (u32 i = 0; i < near; i++) {
        f64       d[3];
        const u32 b = g->near[i];
        const f64 r = distance(c, a, b, d);
        if (r == 0 || r >= h) continue;
        const f64 unit[3] = {d[0] / r, d[1] / r, d[2] / r}, rho[2] = {density[a], density[b]};
        const f64 dv[3] = {(f64)v[b].x - v[a].x, (f64)v[b].y - v[a].y, (f64)v[b].z - v[a].z};
        const f64 laplacian = scale * (h - r), spiky = laplacian * (h - r);
        if (f->model == FLUID_ARTICLE)
            pull_article(f, rho, unit, dv, spiky, laplacian, force);
        else
            pull_mueller(f, rho, unit, dv, spiky, laplacian, force);
    }
}

static void acceleration_sum(const SphCase* c, bool sorted, const f64* density,
                             f64 (*acceleration)[3]) {
    const Vec3 g = c->fluid->gravity_m_s2;
    Grid       grid;
    grid_open(&grid, c);
    for (u32 a = 0; a < c->count; a++) {
        f64 force[3];
        force_sum(&grid, a, grid_near(&grid, a, sorted), density, force);
        acceleration[a][0] = g.x + force[0] / density[a];
        acceleration[a][1] = g.y + force[1] / density[a];
        acceleration[a][2] = g.z + force[2] / density[a];
        walls_press(c, a, density[a], acceleration[a]);
    }
    grid_close(&grid);
}

/* --- a step --- */

static void plane_hold(Vec4 plane, f64 restitution, f64 x[3], f64 v[3]) {
    const f64 n[3] = {plane.x, plane.y, plane.z};
    const f64 behind = n[0] * x[0] + n[1] * x[1] + n[2] * x[2] - plane.w;
    const f64 speed = n[0] * v[0] + n[1] * v[1] + n[2] * v[2];
    if (behind >= 0) return;
    for (u32 k = 0; k < 3; k++) {
        x[k] -= behind * n[k];
        if (speed < 0) v[k] -= (1 + restitution) * speed * n[k];
    }
}

void sph_reference_step(const SphCase* c, f64 (*position)[3], f64 (*velocity)[3]) {
    const f64 dt = c->fluid->step_s;
    f64*      density = calloc((size_t)c->count + 1, sizeof *density);
    f64(*acceleration)[3] = calloc((size_t)c->count + 1, sizeof *acceleration);
    if (!density || !acceleration) abort();
    sph_reference_density(c, density);
    sph_reference_acceleration(c, density, acceleration);
    for (u32 i = 0; i < c->count; i++) {
        const Vec3 *x = &c->position[i], *v = &c->velocity[i];
        const f64   at[3] = {x->x, x->y, x->z}, speed[3] = {v->x, v->y, v->z};
        for (u32 k = 0; k < 3; k++) {
            velocity[i][k] = speed[k] + acceleration[i][k] * dt;
            position[i][k] = at[k] + velocity[i][k] * dt;
        }
        for (u32 p = 0; p < c->plane_count; p++) {
            plane_hold(c->plane[p], c->plane_restitution[p], position[i], velocity[i]);
        }
    }
    free(density);
    free(acceleration);
}

/* --- public functions --- */

void sph_reference_density(const SphCase* c, f64* density) { density_sum(c, true, density); }

void sph_reference_acceleration(const SphCase* c, const f64* density, f64 (*acceleration)[3]) {
    acceleration_sum(c, true, density, acceleration);
}

void sph_reference_density_all_pairs(const SphCase* c, f64* density) {
    density_sum(c, false, density);
}

void sph_reference_acceleration_all_pairs(const SphCase* c, const f64* density,
                                          f64 (*acceleration)[3]) {
    acceleration_sum(c, false, density, acceleration);
}
