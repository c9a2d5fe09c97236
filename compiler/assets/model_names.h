/* model_names.h - unique names of the entities and resources of a model. */
#ifndef ENTC_MODEL_NAMES_H
#define ENTC_MODEL_NAMES_H

#include "model.h"

/* Names that are unique in their group: the second "leg" becomes "leg_2". For each name, the last
 * number that was used is stored, so that a thousand equal names need only a thousand steps. */
typedef struct Name {
    u32  group, next; /* the next number to try */
    Text text;
} Name;

typedef struct NameSet {
    ARRAY(Name) names;
    Slots slots; /* of the names, by group and text */
} NameSet;

/* Returns the name, or the name with the next number that is free, in the arena. */
const char* name_unique(NameSet* set, Arena* arena, u32 group, const char* base);
void        names_drop(NameSet* set);

/* Names the meshes, skeletons, clips, materials, textures and parts of a model that was read: "MODEL/NAME".
 * Reports names that are not ASCII, because their resources have other ones, and parts with one name. */
void model_resources_name(struct Asset* asset, Diagnostics* diag);

#endif
