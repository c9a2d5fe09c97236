/* ent.h - all of libent: #include <ent/ent.h>.
 *
 *   blob.h               what a compiled resource is, and its validation
 *   resource.h           files
 *   library.h            resources by name, from a folder or a bundle
 *   world.h              a world and its managers
 *   entity.h             entity handles and liveness
 *   manager.h            instances of one component type: rows, columns, lookup
 *   join.h               entities that have several types
 *   manager_watch.h      which rows changed
 *   spawn.h              from a blob to living entities
 *   transform_manager.h  poses, matrices, hierarchy
 *   patch.h              reload: a world follows a blob that was built anew
 *   redeclare.h          reload: another declaration of a component type
 *   world_follow.h       reload: all levels and entities of a library that were built anew
 *   entity_names.h       names and paths of entities
 *   persistent_manager.h entities by persistent id
 *   snapshot.h           saves
 *   animation.h          clips and skeletons
 *   animators.h          entities that clips move
 *   clip_events.h        named moments of clips
 *   skins.h              characters: the clips that they play, and their poses
 *   pose_tables.h        their skeletons and clips, for a GPU
 *   collider_shape.h     a collider as a shape
 *   colliders.h          shapes that what is simulated meets, and how they move
 *   points.h             point masses that move among them
 *   light_masks.h        lights, decals and probes that touch a draw call
 *   component_type.h     what a component type is
 *   lists.h              the numbered lists of the format: types of resources, sections, fields, components
 *   records.h            the records of the built-in types and of other resources
 *   rows.h               the rows of the built-in types
 *   declaration.h        component types that a project declares as data
 *   world_plugin.h       component types that a shared library brings
 *   source_map.h         where in the sources an entity or a component was defined
 *   jobs.h               work spread over threads
 *   version.h            of the headers, and of the library that is linked */
#ifndef ENT_ENT_H
#define ENT_ENT_H

#include "animation.h"
#include "animators.h"
#include "blob.h"
#include "collider_shape.h"
#include "colliders.h"
#include "points.h"
#include "component_type.h"
#include "declaration.h"
#include "jobs.h"
#include "join.h"
#include "library.h"
#include "lists.h"
#include "light_masks.h"
#include "entity_names.h"
#include "manager_watch.h"
#include "fluid_step.h"
#include "patch.h"
#include "persistent_manager.h"
#include "records.h"
#include "redeclare.h"
#include "resource.h"
#include "rows.h"
#include "skins.h"
#include "snapshot.h"
#include "source_map.h"
#include "spawn.h"
#include "transform_manager.h"
#include "version.h"
#include "world.h"
#include "world_follow.h"
#include "world_plugin.h"

#endif
