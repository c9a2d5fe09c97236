/* light_masks.h - which lights, decals and probes touch a draw call: for hosts that draw each object with a
 * plain shader that loops over the bits of a mask.
 *
 *     EntLightPicks picks;
 *     ent_light_picks(&picks, world, eye); // for each view, after transforms are updated
 *     for (uint32_t i = 0; i < count; i++) {
 *         // Bit b of mask.lights is the light in row picks.light[b]:
 *         const EntLightMask mask = ent_light_mask(&picks, boxes[i].low, boxes[i].high);
 *         draw_call(i, &mask);
 *     }
 *
 * The systems of libent_gpu do not use masks: they find lights for tiles of a picture on the device.
 *
 * There are at most 64 lights, 32 decals and 32 probes in a view: the nearest. A light is a sphere, that of a
 * spot light contains its cone; decals and probes are boxes. */
#ifndef ENT_LIGHT_MASKS_H
#define ENT_LIGHT_MASKS_H

#include "transform_manager.h"
#include "world.h"

enum { ENT_LIGHT_PICKS_LIGHTS = 64, ENT_LIGHT_PICKS_DECALS = 32, ENT_LIGHT_PICKS_PROBES = 32 };

/* Where a light reaches. */
typedef struct EntLightSphere {
    EntVec3 center;
    float   radius_m; /* infinite: directional */
} EntLightSphere;

/* A decal or probe. */
typedef struct EntLightBox {
    EntVec3 center;
    EntVec3 half_axis[3]; /* from the center to the middle of three sides, in the world */
} EntLightBox;

typedef struct EntLightPicks {
    uint32_t light_count, decal_count, probe_count;
    uint32_t light
        [ENT_LIGHT_PICKS_LIGHTS]; /* [light_count] rows: directional ones, then the nearest first */
    uint32_t decal
        [ENT_LIGHT_PICKS_DECALS]; /* [decal_count] rows: the topmost first, by order, then by row */
    uint32_t       probe[ENT_LIGHT_PICKS_PROBES]; /* [probe_count] rows: the nearest first */
    EntLightSphere light_sphere[ENT_LIGHT_PICKS_LIGHTS];
    EntLightBox    decal_box[ENT_LIGHT_PICKS_DECALS];
    EntLightBox    probe_box[ENT_LIGHT_PICKS_PROBES];
} EntLightPicks;

/* Bit i: element i of the picks. */
typedef struct EntLightMask {
    uint64_t lights;
    uint32_t decals, probes;
} EntLightMask;

#ifdef __cplusplus
extern "C" {
#endif

/* Selects what is nearest to a position, by the distance from it to each sphere or box. Directional lights
 * have the distance 0. Of elements with the same distance, the first rows are selected. An entity without a
 * transform is at the origin.
 *
 * Cost     a distance for each light, decal and probe of the world; an insertion for each one that is nearer
 *          than those before it. */
ENT_API void ent_light_picks(EntLightPicks* picks, EntWorld* world, EntVec3 eye);

/* What touches a box in the world. A box that touches the sphere around a cone has its bit too.
 *
 *   low, high  with low <= high in each direction
 *
 * Cost     a distance for each light, at most 15 comparisons for each decal and probe. */
ENT_API EntLightMask ent_light_mask(const EntLightPicks* picks, EntVec3 low, EntVec3 high);

#ifdef __cplusplus
}
#endif

#endif
