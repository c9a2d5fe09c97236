/* model_settings.h - how a glTF file becomes resources: the fields of NAME.model.json. */
#ifndef ENTC_MODEL_SETTINGS_H
#define ENTC_MODEL_SETTINGS_H

#include "fields.h"
#include "model_rules.h"

#define MODEL_LODS_MAX 8

#define MODEL_AS(X) X(AS_ENTITY, "entity") X(AS_LEVEL, "level")
#define MODEL_SPLIT(X)                                                                             \
    X(SPLIT_NONE, "none") X(SPLIT_ROOTS, "roots") X(SPLIT_COLLECTIONS, "collections")
#define MODEL_AXES(X) X(AXES_AUTO, "auto") X(AXES_Y_UP, "y_up") X(AXES_Z_UP, "z_up")

#define MODEL_SETTINGS_FIELDS(F, R)                                                                \
    F(R, u32, lods, V1(0), 0, MODEL_LODS_MAX, "", PLAIN,                                           \
      "the largest number of levels of detail of a mesh, besides the full one")                    \
    F(R, f32, lod_triangles, V1(0.5f), 0.05, 0.9, "", PLAIN,                                       \
      "share of the triangles of a level that the next one keeps")                                 \
    F(R, f32, lod_error, V1(0.05f), 0, 1, "", PLAIN,                                               \
      "largest error of a level, as a share of the largest side of the mesh's bounds")             \
    F(R, Enum32, as, V1(0), 0, 0, "", ENUM(MODEL_AS),                                              \
      "level: its root objects are the entities of a level")                                       \
    F(R, Enum32, split, V1(0), 0, 0, "", ENUM(MODEL_SPLIT),                                        \
      "roots: each root object is a prefab of its own; collections: each collection is one")       \
    F(R, Enum32, properties, V1(0), 0, 0, "", ENUM(MODEL_AXES),                                    \
      "the axes of vectors in single properties; auto: z_up if Blender wrote the file")

#define MODEL_LIGHTS_FIELDS(F, R)                                                                  \
    F(R, Bool32, cast_shadows, V1(0), 0, 1, "", PLAIN,                                             \
      "whether the lights of the model cast shadows")

/* What the names of objects mean. */
#define MODEL_NAMES_FIELD(F, R, name, text) F(R, Bool32, name, V1(1), 0, 1, "", PLAIN, text)
#define MODEL_NAMES_FIELDS(F, R)            MODEL_NAME_RULES(MODEL_NAMES_FIELD, F, R)

#define MODEL_SETTINGS_MEMBER(R, Type, name, fallback, lo, hi, unit, argument, text) Type name;
typedef struct ModelSettings {
    MODEL_SETTINGS_FIELDS(MODEL_SETTINGS_MEMBER, ModelSettings)
} ModelSettings;
/* "lights": { .. } */
typedef struct ModelLights {
    MODEL_LIGHTS_FIELDS(MODEL_SETTINGS_MEMBER, ModelLights)
} ModelLights;
/* "names": { .. } */
typedef struct ModelNames {
    MODEL_NAMES_FIELDS(MODEL_SETTINGS_MEMBER, ModelNames)
} ModelNames;
#undef MODEL_SETTINGS_MEMBER

#define MODEL_CHOICE_NAME(name, text) name,
typedef enum ModelAs { MODEL_AS(MODEL_CHOICE_NAME) AS_COUNT } ModelAs;
typedef enum ModelSplit { MODEL_SPLIT(MODEL_CHOICE_NAME) SPLIT_COUNT } ModelSplit;
typedef enum ModelAxes { MODEL_AXES(MODEL_CHOICE_NAME) AXES_COUNT } ModelAxes;
#undef MODEL_CHOICE_NAME

typedef struct ModelNaming {
    ModelNames rules;
    ModelNames stated; /* which of them the settings of the model or the project contain */
} ModelNaming;

/* The field table; "model" is its name in messages. */
const RecordType* model_settings_type(void);
const RecordType* model_lights_type(void);
const RecordType* model_names_type(void);

#endif
