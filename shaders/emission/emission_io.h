/* emission_io.h - the inputs and outputs of kernels whose particles emitters add, and sinks or the end of their lives remove. Particles
 * that exist follow each other at the beginning of the buffers of a step; what is behind them, and what has ended in a
 * step, is marked as absent.
 *
 * Particles of one kernel are of up to EMISSION_POOLS_MAX pools, such as fluids that meet, which have a capacity each. Each particle has a
 * number, those of a pool follow each other. Numbers that none has are in a ring, in the order in which they became free. */
#ifndef ENT_EMISSION_IO_H
#define ENT_EMISSION_IO_H

#include "kernel_io.h"

/* Bindings. */
#define EMISSION_TABLE 19 /* one EmissionState, and an EmissionPool for each */
#define EMISSION_LIVES 20 /* [capacity] EmissionLife by number; the ring by place */

#define EMISSION_POOLS_MAX    16u
#define EMISSION_EMITTERS_MAX 64u /* of a pool */
#define EMISSION_SINKS_MAX    64u

#define EMISSION_ENDLESS 0xffffffffu /* of EmissionLife.ends */
#define EMISSION_NONE    0xffffffffu /* instead of the rank of a particle: it does not exist */

/* What the device changes. */
KERNEL_STRUCT(EmissionState) {
    u32 step;  /* steps that have begun */
    u32 alive; /* particles of all pools at the beginning of the step */
    u32 pools, unused;
};

/* The same of a pool. */
KERNEL_STRUCT(EmissionCounts) {
    u32 alive;       /* at the beginning of the step */
    u32 head, tail;  /* of the ring of free numbers */
    u32 tail_before; /* at the last advance: others have ended since */
    u32 emitted[2];  /* words of a number: of particles so far, */
    u32 refused[2];  /* and for which there was no room */
};

KERNEL_STRUCT(EmissionEmitter) {
    Vec4 was[3], now[3]; /* rows of the matrix from the cube of half size 1, over the frame */
    Vec3 velocity_m_s;
    u32  is_disc;
    Vec3 side_x; /* what a random part of the velocity is across it, at most */
    u32  seed;
    Vec3 side_y;
    u32  life;            /* steps; 0: without end */
    u32  rate, rate_part; /* particles in a step, and 2^-32 of a particle */
    f32  life_inverse;    /* 0: without end */
    u32  unused;
};

KERNEL_STRUCT(EmissionSink) {
    Vec4 to_unit[3]; /* rows of the matrix to the cube of half size 1 */
    u32  is_disc;
    u32  unused[3];
};

/* What the host sets, of a pool. */
KERNEL_STRUCT(EmissionRows) {
    u32             first, capacity; /* its numbers */
    u32             emitters, sinks;
    u32             step_first;   /* of the frame */
    f32             step_inverse; /* of the number of its steps */
    f32             density;      /* of particles that begin, where they have one */
    u32             unused;
    EmissionEmitter emitter[EMISSION_EMITTERS_MAX];
    EmissionSink    sink[EMISSION_SINKS_MAX];
};

KERNEL_STRUCT(EmissionPool) {
    EmissionCounts counts;
    EmissionRows   rows;
};

KERNEL_STRUCT(EmissionLife) {
    u32 ends;    /* the step in which the particle ends */
    f32 inverse; /* of its steps; 0: it is endless */
    f32 size;    /* at the beginning; the kernel states of what */
    u32 is_free; /* of the ring of a pool, by place: a number, as words of particles have it */
};

#endif
