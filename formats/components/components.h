/* components.h - THE list of built-in components, in spawn order.
 *
 * For component xxx: formats/xxx.h writes XXX_FIELDS and XxxRecord; nothing else has to be written.
 * A rule between fields goes into compiler/types/component_rules.c, a manager that does more than hold
 * rows into runtime/xxx_manager.c. Enum, JSON keys, prototypes, compile table, managers, spawn
 * table, tests and schema expand from the rows below.
 *
 *   order    spawn order: a type may look up what has a lower number. Plugins take what is free.
 *   several  SINGLE, or SEVERAL instances on one entity
 *   columns  BY_FIELD   one array per field, for what systems walk field by field
 *            BY_RECORD  one array of records, for what a kernel reads whole
 *   lookup   DIRECT     entity to row through an array of 4 bytes per entity slot: near-universal
 * types HASHED     through a hash map: types that few entities have
 */
#ifndef ENT_COMPONENTS_H
#define ENT_COMPONENTS_H

#include "record.h"
#include "status.h"
#include "transform.h"
#include "name.h"
#include "persistent_id.h"
#include "mesh.h"
#include "skin.h"
#include "light.h"
#include "decal.h"
#include "environment_probe.h"
#include "camera.h"
#include "fluid.h"
#include "collider_plane.h"
#include "particle_system.h"
#include "point_mass.h"

/*    name               Type              NAME               order several  columns    lookup */
#define COMPONENT_LIST(X)                                                                          \
    X(transform, Transform, TRANSFORM, 100, SINGLE, BY_FIELD, DIRECT)                              \
    X(name, Name, NAME, 200, SINGLE, BY_RECORD, HASHED)                                            \
    X(persistent_id, PersistentId, PERSISTENT_ID, 250, SINGLE, BY_RECORD, HASHED)                  \
    X(mesh, Mesh, MESH, 300, SEVERAL, BY_RECORD, DIRECT)                                           \
    X(skin, Skin, SKIN, 400, SINGLE, BY_RECORD, HASHED)                                            \
    X(light, Light, LIGHT, 500, SEVERAL, BY_RECORD, DIRECT)                                        \
    X(decal, Decal, DECAL, 600, SINGLE, BY_RECORD, HASHED)                                         \
    X(environment_probe, EnvironmentProbe, ENVIRONMENT_PROBE, 700, SINGLE, BY_RECORD, HASHED)      \
    X(camera, Camera, CAMERA, 800, SINGLE, BY_RECORD, HASHED)                                      \
    X(fluid, Fluid, FLUID, 900, SINGLE, BY_RECORD, HASHED)                                         \
    X(collider_plane, ColliderPlane, COLLIDER_PLANE, 1000, SINGLE, BY_RECORD, HASHED)              \
    X(particle_system, ParticleSystem, PARTICLE_SYSTEM, 1100, SINGLE, BY_RECORD, HASHED)           \
    X(point_mass, PointMass, POINT_MASS, 1200, SINGLE, BY_FIELD, DIRECT)

typedef enum ComponentSeveral { SINGLE, SEVERAL } ComponentSeveral;
typedef enum ComponentColumns { BY_RECORD, BY_FIELD } ComponentColumns;
typedef enum ComponentLookup { HASHED, DIRECT } ComponentLookup;

#define COMPONENT_ENUM(name, Type, NAME, order, several, columns, lookup) COMPONENT_##NAME,
typedef enum ComponentIndex { COMPONENT_LIST(COMPONENT_ENUM) COMPONENT_COUNT } ComponentIndex;
#undef COMPONENT_ENUM

/* What everybody has to know of a component type: the compiler, the verifier, the world, dump and
 * diff. Built-in types come from the list; others are brought by whoever registers them. */
typedef struct ComponentType {
    RecordType       record; /* its name is the JSON key */
    u32              id;     /* hash of the name: the identifier in a blob */
    u32              layout; /* hash of the field table's layout */
    u32              order;  /* spawn order */
    ComponentSeveral several;
    ComponentColumns columns;
    ComponentLookup  lookup;
} ComponentType;

#define COMPONENT_COLUMNS_MAX 16 /* fields of a BY_FIELD type */

#ifdef __cplusplus
extern "C" {
#endif

/* The built-in types, in list order: [COMPONENT_COUNT]. Ids and layouts are filled in; constant
 * after the first call, which is safe from any thread. */
ENT_API const ComponentType* ent_component_types(void);

/* Fills id and layout from record, for a type that is not in the list. */
ENT_API void ent_component_type_finish(ComponentType* type);

/* Number of columns, and the bytes of one element and the offset in the record of each. */
ENT_API u32 ent_component_column_count(const ComponentType* type);
ENT_API u32 ent_component_column_bytes(const ComponentType* type, u32 column);
ENT_API u32 ent_component_column_offset(const ComponentType* type, u32 column);

#ifdef __cplusplus
}
#endif

#endif
