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

#define COMPONENT_ENUM(name, Type, NAME, order, several, columns, lookup) COMPONENT_##NAME,
typedef enum EntComponentIndex { COMPONENT_LIST(COMPONENT_ENUM) COMPONENT_COUNT } EntComponentIndex;
typedef EntComponentIndex ComponentIndex;
#undef COMPONENT_ENUM

#endif
