/* particles_io.h - the inputs and outputs of the kernels of particles in bins.
 *
 * A particle is two vectors of four words: its body, which all its neighbours read, and its motion.
 *
 *   body    x, y, radius, and a word: after the move pass, its rank in its bin, or the next
 *           particle in the list of its bin; after the settle pass, the number of its collisions, and in
 *           the higher bits how much of its life it has had
 *   motion  velocity x, y, temperature, and a word: its number, in the order of creation
 *
 * Source   E. Yusov, Diligent Engine, Tutorial 14, Compute Shader. */
#ifndef ENT_PARTICLES_IO_H
#define ENT_PARTICLES_IO_H

#include "colliders_io.h"
#include "emission_io.h"

#define PARTICLES_GROUP         256u
#define PARTICLES_COLLIDE_GROUP 128u

#define PARTICLES_ORDERED 1 /* constant: in the order of bins, or in lists */
#define PARTICLES_EMITS   2 /* constant: particles begin and end */

#define PARTICLES_BODY       0 /* bindings */
#define PARTICLES_MOTION     1
#define PARTICLES_BODY_OUT   2
#define PARTICLES_MOTION_OUT 3
#define PARTICLES_CONTACT    4 /* lists: high bits: collisions; low bits: partner of the last one */
#define PARTICLES_SHIFT      5 /* lists: displacement by collisions; valid only with a contact */
#define PARTICLES_FIRST      6 /* [bins + 1] first particle of each bin; or the head of its list */
#define PARTICLES_COUNT      7 /* per bin: particles that the move pass has put into it */

#define PARTICLES_PARTNER_BITS 24u
#define PARTICLES_PARTNER_MASK 0xffffffu
#define PARTICLES_CONTACTS_MAX 255u

/* Where particles end: some bits of the step in which one does are above its number, so that few look for the others. */
#define PARTICLES_TAG_STEPS 2u /* 2^n in a row have the same bits */

/* Of the word of a settled body: its lowest bits are collisions, the others 2^-24 of a life. */
#define PARTICLES_CONTACT_BITS 8u

/* Each of two overlapping particles moves by this fraction of the overlap: slightly more than half,
 * so that they are separated afterwards. */
#define PARTICLES_SHARE 0.51f

KERNEL_STRUCT(ParticlesPush) {
    Vec2 half_extent_m;
    Vec2 attractor;
    f32  attraction_s2; /* acceleration per metre of distance from the attractor */
    f32  step_s;
    f32  cooling; /* fraction of its temperature that a particle loses in a step */
    f32  bins_per_m;
    u32  half_columns, half_rows; /* bins on each side of the centre */
    u32  count;                   /* or the capacity */
    u32  words;                   /* of the bins; a multiple of 4 */
    Vec3 origin, axis_x, axis_y;  /* of the plane, in the world */
    u32  direct_count;            /* colliders that all particles meet */
    f32  collider_cell_m;         /* 0: there are no cells of colliders */
    f32 collider_near_m; /* with its radius: how far a particle moves that finds colliders in its cell */
    u32 collider_count;
    u32 collider_first;             /* of the step */
    f32 radius_min_m, radius_max_m; /* of particles that begin */
    f32 size_end;
};

#endif
