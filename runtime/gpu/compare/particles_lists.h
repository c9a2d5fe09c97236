/* particles_lists.h - particles that are not moved in memory, in bins that are lists, as in the article that particles.h
 * names: for particles_create, to compare. */
#ifndef ENT_PARTICLES_LISTS_H
#define ENT_PARTICLES_LISTS_H

#include "particles_internal.h"

extern const ParticlesMethod particles_lists;

#endif
