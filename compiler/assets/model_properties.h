/* model_properties.h - which clip animates a light or camera of a model. */
#ifndef ENTC_MODEL_PROPERTIES_H
#define ENTC_MODEL_PROPERTIES_H

#include "model.h"

#define MODEL_PROPERTIES 3u /* of CLIP_PROPERTY */

typedef struct ModelProperties {
    u32* clip
        [MODEL_PROPERTIES]; /* [the lights or cameras] the first clip that changes it, or NONE */
} ModelProperties;

/* Fills model->light_ids and camera_ids too. Reports names with the same id. */
ModelProperties model_properties_find(Model* model, const Source* source, Arena* arena,
                                      Diagnostics* diag);

/* The light or camera of a node that has a property, or NONE. */
u32 model_property_object(const GltfNode* node, u32 property);

/* Its value at rest: one number, or three. */
const f32* model_property_rest(const GltfModel* model, u32 property, u32 object);

/* The id of the light or camera in blobs. */
u32 model_property_id(const Model* model, u32 property, u32 object);

#endif
