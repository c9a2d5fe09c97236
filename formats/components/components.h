/* components.h - THE list of built-in components, in spawn order.
 *
 * For component xxx: formats/components/xxx.h defines XXX_FIELDS and XxxRecord, and records.h includes
 * it; nothing else is needed. A rule between fields belongs to compiler/types/component_rules.c, a manager with more
 * than storage of rows to xxx_manager.c in a folder of runtime/. Enum, JSON keys, prototypes,
 * compile table, managers, spawn table, tests and schema expand from the rows below.
 *
 *   order    spawn order: a type may look up types with a lower number. Plugins use free numbers.
 *   several  SINGLE, or SEVERAL instances on one entity
 *   columns  BY_FIELD   structure of arrays, for systems that iterate over single fields
 *            BY_RECORD  array of structures, for kernels that read complete records
 *   lookup   DIRECT     entity to row through an array of 4 bytes per entity slot: for types
 *                       that most entities have
 *            HASHED     through a hash map: for types that few entities have */
#ifndef ENT_COMPONENTS_H
#define ENT_COMPONENTS_H

/*    name               Type              NAME               order several  columns    lookup */
#define COMPONENT_LIST(X)                                                                          \
    X(transform, Transform, TRANSFORM, 100, SINGLE, BY_FIELD, DIRECT)                              \
    X(name, Name, NAME, 200, SINGLE, BY_RECORD, HASHED)                                            \
    X(persistent_id, PersistentId, PERSISTENT_ID, 250, SINGLE, BY_RECORD, HASHED)                  \
    X(mesh, Mesh, MESH, 300, SEVERAL, BY_RECORD, DIRECT)                                           \
    X(mesh_material, MeshMaterial, MESH_MATERIAL, 320, SEVERAL, BY_RECORD, HASHED)                 \
    X(morph_weight, MorphWeight, MORPH_WEIGHT, 350, SEVERAL, BY_RECORD, HASHED)                    \
    X(skin, Skin, SKIN, 400, SINGLE, BY_RECORD, HASHED)                                            \
    X(attach_to_joint, AttachToJoint, ATTACH_TO_JOINT, 450, SINGLE, BY_RECORD, HASHED)             \
    X(animator, Animator, ANIMATOR, 460, SEVERAL, BY_RECORD, HASHED)                               \
    X(animated_node, AnimatedNode, ANIMATED_NODE, 470, SINGLE, BY_RECORD, HASHED)                  \
    X(animated_property, AnimatedProperty, ANIMATED_PROPERTY, 480, SEVERAL, BY_RECORD, HASHED)     \
    X(light, Light, LIGHT, 500, SEVERAL, BY_RECORD, DIRECT)                                        \
    X(decal, Decal, DECAL, 600, SINGLE, BY_RECORD, HASHED)                                         \
    X(environment_probe, EnvironmentProbe, ENVIRONMENT_PROBE, 700, SINGLE, BY_RECORD, HASHED)      \
    X(camera, Camera, CAMERA, 800, SINGLE, BY_RECORD, HASHED)                                      \
    X(fluid, Fluid, FLUID, 900, SINGLE, BY_RECORD, HASHED)                                         \
    X(collider, Collider, COLLIDER, 1000, SEVERAL, BY_RECORD, HASHED)                              \
    X(particle_system, ParticleSystem, PARTICLE_SYSTEM, 1100, SINGLE, BY_RECORD, HASHED)           \
    X(point_mass, PointMass, POINT_MASS, 1200, SINGLE, BY_FIELD, DIRECT)                           \
    X(emitter, Emitter, EMITTER, 1300, SEVERAL, BY_RECORD, HASHED)                                 \
    X(sink, Sink, SINK, 1400, SEVERAL, BY_RECORD, HASHED)

/* Component types that were renamed, with the field tables that they had, which stay as they are: blobs and saves are converted by
 * them, and JSON may contain the name, with a warning. Older tables of one type follow each other.
 *
 *   name .. NAME   as above
 *   NOW            the row of COMPONENT_LIST
 *   columns        as they were */
/*    name            Type           NAME            NOW       columns */
#define COMPONENT_FORMER_LIST(X)                                                                   \
    X(collider_plane, ColliderPlane, COLLIDER_PLANE, COLLIDER, BY_RECORD)

#define COMPONENT_ENUM(name, Type, NAME, order, several, columns, lookup) COMPONENT_##NAME,
typedef enum EntComponentIndex { COMPONENT_LIST(COMPONENT_ENUM) COMPONENT_COUNT } EntComponentIndex;
typedef EntComponentIndex ComponentIndex;
#undef COMPONENT_ENUM

#endif
