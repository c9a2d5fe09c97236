/* particles_io.h - what goes in and out of the kernels of particles in bins.
 *
 * A particle is two words of four: its body, which all its neighbours read, and its motion.
 *
 *   body    x, y, radius, and a word: in what a move wrote, its rank in its bin, or the particle
 *           that follows it in the list of its bin; in what a settling wrote, its collisions
 *   motion  velocity x, y, temperature, and a word: its number, in the order of creation
 *
 * Source   E. Yusov, Diligent Engine, Tutorial 14, Compute Shader. */
#ifndef ENT_PARTICLES_IO_H
#define ENT_PARTICLES_IO_H

#include "kernel_io.h"

#define PARTICLES_GROUP         256u
#define PARTICLES_COLLIDE_GROUP 128u

#define PARTICLES_ORDERED 1 /* constant: in the order of bins, or in lists */

#define PARTICLES_BODY       0 /* bindings */
#define PARTICLES_MOTION     1
#define PARTICLES_BODY_OUT   2
#define PARTICLES_MOTION_OUT 3
#define PARTICLES_CONTACT    4 /* collisions above, and the last one's partner below */
#define PARTICLES_SHIFT      5 /* by what collisions push it; only where there is a contact */
#define PARTICLES_FIRST      6 /* of each bin: how many, then the first, in bin order; or the head */

#define PARTICLES_PARTNER_BITS 24u
#define PARTICLES_PARTNER_MASK 0xffffffu
#define PARTICLES_CONTACTS_MAX 255u

/* Each of two that overlap moves so much of the overlap: slightly more than half, so that they are
 * apart after. */
#define PARTICLES_SHARE 0.51f

KERNEL_STRUCT(ParticlesPush) {
    Vec2 half_extent_m;
    Vec2 attractor;
    f32  attraction_s2; /* acceleration for a metre of distance from the attractor */
    f32  step_s;
    f32  cooling; /* share of its temperature that a particle loses in a step */
    f32  bins_per_m;
    u32  half_columns, half_rows; /* bins on each side of the middle */
    u32  count;
    u32  words; /* of the bins; a multiple of 4 */
};

#endif
