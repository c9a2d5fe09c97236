/* ent.h - all of libent: #include <ent/ent.h>.
 *
 *   blob.h               what a compiled resource is, and the gate that proves it
 *   resource.h           files
 *   library.h            resources by name, from a folder or a bundle
 *   world.h              a world and its managers
 *   entity.h             who exists
 *   manager.h            instances of one component type: rows, columns, lookup
 *   spawn.h              from a blob to living entities
 *   transform_manager.h  poses, matrices, hierarchy
 *   patch.h              reload: a world follows a blob that was built anew
 *   persistent_manager.h entities by persistent id
 *   snapshot.h           saves
 *   animation.h          clips and skeletons
 *   components.h         the built-in component types and their records
 *   declaration.h        component types that a project declares as data
 *   world_plugin.h       component types that a shared library brings
 *   jobs.h               work spread over threads
 *   version.h            of the headers, and of the library that is linked */
#ifndef ENT_ENT_H
#define ENT_ENT_H

#include "animation.h"
#include "blob.h"
#include "components.h"
#include "declaration.h"
#include "jobs.h"
#include "library.h"
#include "material.h"
#include "mesh_data.h"
#include "patch.h"
#include "persistent_manager.h"
#include "resource.h"
#include "snapshot.h"
#include "spawn.h"
#include "transform_manager.h"
#include "version.h"
#include "world.h"
#include "world_plugin.h"

#endif
