/* model_extras.h - components from the custom properties of a glTF file.
 *
 * The extras of a node, of its mesh, of the materials of that mesh, and of the default scene become
 * components of the node, or of the root of the model:
 *
 *   "components": { "health": { "points": 50 } }   components as in an entity
 *   "health.points": 50                            one field of a component
 *   "health": { "points": 50 }                     a complete component, also as JSON text:
 *   "health": "{ \"points\": 50 }"
 *   "casts_shadow": true                           of the data of a light: a field of the component "light"
 *
 * Vectors in single fields are converted if the properties of the model have the axis z up: model_axes.h. The properties of
 * model_tops.h are no components.
 *
 * Of one component type, properties of a node override those of its mesh, and these override those
 * of its materials, field by field. Whatever else extras contain is reported, with a suggestion. */
#ifndef ENTC_MODEL_EXTRAS_H
#define ENTC_MODEL_EXTRAS_H

#include "doc.h"
#include "model.h"

/* A range of ModelExtras.at. */
typedef struct ExtrasRange {
    u32 first, count;
} ExtrasRange;

typedef struct ModelExtras {
    ARRAY(DocComponent) at;
    JsonTokens   tokens; /* of their values */
    ExtrasRange  scene;
    ExtrasRange* nodes;  /* [node_count] of the node alone */
    ExtrasRange* meshes; /* [mesh_count] of a mesh after its materials */
    ExtrasRange* lights; /* [light_count] */
} ModelExtras;

/* Reads all extras of a model. Text that is generated from properties is appended to `source`, which
 * is the text of the model. Errors of "components" are reported. */
void model_extras_read(ModelExtras* extras, Source* source, const Model* model,
                       const Registry* registry, Arena* arena, Diagnostics* diag);
void model_extras_drop(ModelExtras* extras);

#endif
