/* records.h - every record and enum of the format, as C structs; lists.h has the numbered lists.
 *
 * Here they expand from the field tables. What is installed under this name is written from the same
 * tables by header_write.c: plain structs, field by field, with bounds and units. */
#ifndef ENT_RECORDS_H
#define ENT_RECORDS_H

#include "lists.h"

/* The component types, in the order of components.h. */
#include "transform.h"
#include "name.h"
#include "persistent_id.h"
#include "mesh.h"
#include "mesh_material.h"
#include "morph_weight.h"
#include "skin.h"
#include "attach_to_joint.h"
#include "animator.h"
#include "animated_node.h"
#include "animated_property.h"
#include "light.h"
#include "decal.h"
#include "environment_probe.h"
#include "camera.h"
#include "fluid.h"
#include "collider.h"
#include "particle_system.h"
#include "point_mass.h"
#include "emitter.h"
#include "sink.h"

/* The sections of resources. */
#include "clip.h"
#include "material.h"
#include "mesh_data.h"
#include "skeleton.h"
#include "texture.h"

#endif
