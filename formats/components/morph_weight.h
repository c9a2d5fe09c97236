/* morph_weight.h - the weight of a morph target for the meshes of the entity. Targets without one have
 * the weight that the mesh defines. An entity may have more than one. A clip that the entity's skin plays
 * replaces them. */
#ifndef ENT_MORPH_WEIGHT_H
#define ENT_MORPH_WEIGHT_H

#include "record.h"

#define MORPH_WEIGHT_FIELDS(F, R)                                                                  \
    F(R, u32, target, REQUIRED, 0, 65535, "", PLAIN, "index of the morph target in the mesh")      \
    F(R, f32, weight, V1(1), LOW, HIGH, "", PLAIN, "0: it moves nothing; 1: completely")

RECORD(MorphWeightRecord, MORPH_WEIGHT_FIELDS)

#endif
