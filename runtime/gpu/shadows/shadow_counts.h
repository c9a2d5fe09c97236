/* shadow_counts.h - what the shadow maps of each light have cost, by which the lights are found whose maps are drawn again
 * and again.
 *
 *     uint32_t               count;
 *     const EntShadowCounts* lights = ent_lighting_shadow_counts(lighting, &count);
 *     for (uint32_t i = 0; i < count; i++)
 *         printf("%llu maps redrawn\n", (unsigned long long)lights[i].maps_redrawn); */
#ifndef ENT_SHADOW_COUNTS_H
#define ENT_SHADOW_COUNTS_H

#include "entity.h"

/* Why what stands was drawn again in a map. */
typedef enum EntShadowCause {
    ENT_SHADOW_CAUSE_NEW,    /* there was no such map, or all maps were drawn again */
    ENT_SHADOW_CAUSE_LIGHT,  /* the light has moved or changed */
    ENT_SHADOW_CAUSE_CAMERA, /* the map follows the camera, or the reach of the light its exposure */
    ENT_SHADOW_CAUSE_SIZE,   /* another size, or another place in the atlas */
    ENT_SHADOW_CAUSE_MOVED,  /* casters that stood have moved or changed, or have come to a stand */
    ENT_SHADOW_CAUSES
} EntShadowCause;

/* Sums over all pictures. Each cascade of a directional light and each face of a point light is a map. */
typedef struct EntShadowCounts {
    EntEntity entity;       /* with the light */
    uint32_t  kind;         /* of the light, as in its record */
    uint32_t  map_count;    /* in the last picture in which it has cast */
    uint64_t  maps_kept;    /* nothing was drawn */
    uint64_t  maps_copied;  /* what moves was drawn over a copy of what stands */
    uint64_t  maps_redrawn; /* what stands was drawn again, and what moves over it */
    uint64_t  maps_dropped; /* of a light without a place in the atlas */
    uint64_t  redrawn_for[ENT_SHADOW_CAUSES]; /* of maps_redrawn */
    /* Instances of meshes, elements of shapes and blended parts, once for each map that they may cast into: */
    uint64_t casters_kept; /* that stand, in maps that were kept or copied */
    uint64_t
             casters_copied; /* drawn over copies: that move, or are transparent and have moving ones before them */
    uint64_t casters_redrawn; /* that stand, drawn */
    uint64_t casters_small;   /* dropped: smaller than half a texel */
    uint64_t
        casters_unseen; /* dropped: that move, and whose shadow meets no surface of the picture */
} EntShadowCounts;

#ifdef __cplusplus
extern "C" {
#endif

/* The counts of all lights that have cast since the lighting was created, also of those that do not exist any more.
 * Casters are counted when their frames are complete (ent_gpu_frames_wait, or two frames later), maps when they are
 * recorded.
 *
 *   lighting  state of ent_lighting_system
 *   count     of lights
 *
 * Returns  [count], in the order in which they began to cast; valid until the next picture is recorded. */
ENT_API const EntShadowCounts* ent_lighting_shadow_counts(const void* lighting, uint32_t* count);

/* "new", "light", "camera", "size" or "moved". */
ENT_API const char* ent_shadow_cause_text(EntShadowCause cause);

#ifdef __cplusplus
}
#endif

#endif
