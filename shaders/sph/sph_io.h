/* sph_io.h - the inputs and outputs of the kernels of fluids.
 *
 * Particles are two vectors: position and number, velocity and density. They are stored in the
 * order in which the last step wrote them (input), and within a step in the order of their cells
 * (sorted); paths that do not move particles use one buffer for both. */
#ifndef ENT_SPH_IO_H
#define ENT_SPH_IO_H

#include "colliders_io.h"
#include "emission_io.h"

#define SPH_GROUP      128u
#define SPH_TILE       256u /* for all pairs: particles per tile in shared memory */
#define SPH_TILE_LANES 4u   /* threads that share a particle of a group */

#define SPH_NO_CELL 0xffffffffu

/* Constant: how cells are numbered: by their coordinates modulo numbers of cells, which keeps cells along x together; so along x, and
 * by a hash along y and z; by a hash along all axes, for measurements. */
#define SPH_ROWS_WRAPPED 0
#define SPH_CELLS_HASHED 1
#define SPH_ROWS_HASHED  2

/* Bindings. */
#define SPH_POSITION       0  /* vec4: xyz, bits of its number */
#define SPH_VELOCITY       1  /* vec4: xyz, inverse of the density in m3/kg */
#define SPH_POSITION_INPUT 2  /* of the last step, and for the next */
#define SPH_VELOCITY_INPUT 3  /* with the density in kg/m3 instead of its inverse */
#define SPH_START          4  /* [cells + 1] first particle of each cell */
#define SPH_COUNT          5  /* [cells] particles */
#define SPH_RANK           6  /* of each particle in its cell */
#define SPH_MASK           7  /* [9][count] bit k of row r: k-th candidate from its end is near */
#define SPH_ACCELERATION   8  /* vec3; of paths whose forces do not move particles themselves */
#define SPH_PAIR           9  /* uvec2: cell and index, to be sorted by both */
#define SPH_PLANES         10 /* ColliderPlane */
#define SPH_MASK_MORE      11 /* the same for candidates before those of SPH_MASK, if there are any */
#define SPH_SLOWED                                                                                 \
    12 /* two words of a number: how often a particle was slowed to the largest speed */
#define SPH_MEETING 13 /* SphMeeting, and numbers of particles that can meet colliders */

#define SPH_WALLS_INPUT                                                                            \
    14 /* vec4 of each particle that colliders are near: Walls of sph_walls.glsl, as push and share */
#define SPH_WALLS 15

/* Added to the number of a sorted particle: colliders are near. Between steps, a negative density says the same. */
#define SPH_NEAR 0x80000000u

#define SPH_KINDS 21 /* SphKind of each fluid */
#define SPH_FRESH                                                                                  \
    SPH_ACCELERATION /* of the kernel that begins particles: a float by number, which becomes 0: of what is drawn */

#define SPH_BODIES SPH_PAIR /* of the kernel in which particles meet colliders: BodyState */

/* Constant: bits. */
#define SPH_EMITS 1 /* particles begin and end: the count that is pushed is the capacity */
#define SPH_MIXED 2 /* there are several fluids: words of particles have a kind */

#define SPH_MEET_GROUP  256u
#define SPH_MEET_GROUPS 65535u /* more particles are in several rounds */

KERNEL_STRUCT(SphMeeting) {
    u32 groups[3]; /* of a dispatch; no group: none is listed */
    u32 count;
    u32 done; /* groups that have finished */
};

/* What particles of a fluid have, of those that meet. */
KERNEL_STRUCT(SphKind) {
    f32 pair_rest;      /* as a neighbour: half of stiffness times rest density, */
    f32 pair_mass;      /* its mass, in those of the first fluid, */
    f32 pair_stiffness; /* and half of the stiffness times that mass */
    f32 viscosity;
    f32 density_scale, rest_density, stiffness, wall_scale; /* as in SphPush */
    f32 speed_max_m_s;
    f32 mass_kg;
    u32 unused[2];
};

KERNEL_STRUCT(SphPush) {
    u32  count;
    u32  cell_mask;              /* cells - 1 */
    u32  mask_x, mask_y, mask_z; /* wrapped: cells of each axis - 1 */
    u32  shift_y, shift_z;       /* where their bits begin */
    u32  direct_count;           /* planes, or colliders, that all particles meet */
    f32  h, inverse_h, h2;
    f32  density_scale; /* kg/m3 per ((h2 - r2) / h2)^3 */
    f32  inverse_h6;
    f32  rest_density, stiffness, viscosity;
    f32  force_scale; /* 45 / (pi h^6), times the mass if the model needs it */
    f32  wall_scale;  /* 1 / h, divided by the mass if the model needs it */
    f32  step_s;
    Vec3 gravity;
    f32  cell_x, inverse_cell_x; /* length of a cell along x: h divided by a power of two, */
    u32  reach_x;                /* which is this one; along y and z cells have a length of h */
    f32  speed_max_m_s;
    f32  collider_cell_m; /* 0: there are no cells of colliders */
    u32  collider_first;  /* of the step */
    u32  collider_count;
};

#endif
