/* lights_lists.c - lists of the elements of tiles, by stream compaction, and the kernels of meshes that read them. */
#include "lights_lists.h"

#include "meshes_io.h"

#include "lights_compact.comp.h"
#include "meshes_blend_lists.comp.h"
#include "meshes_shade_lists.comp.h"

const LightsMethod lights_lists = {.words = LIGHTS_LIST_WORDS,
                                   .store = GPU_KERNEL_OF(lights_compact, 1),
                                   .shade = GPU_KERNEL_OF(meshes_shade_lists, LIGHTING_GROUP),
                                   .blend = GPU_KERNEL_OF(meshes_blend_lists, CANVAS_LAYERS_GROUP)};
