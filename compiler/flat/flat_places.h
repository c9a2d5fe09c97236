/* flat_places.h - where the entities of a resource are: in space, and in its source. */
#ifndef ENTC_FLAT_PLACES_H
#define ENTC_FLAT_PLACES_H

#include "compile_hooks.h"
#include "flat.h"
#include "vec.h"

/* Keeps where a component of an entity is in the source: the hook `layer` of types whose `finish` has warnings. */
void flat_place_keep(Compile* compile, const Instance* in, u32 entity);
/* The last one that was kept. NULL: it is in another source. */
const CompilePlace* flat_place(const Compile* compile, ComponentIndex type, u32 entity);

/* Can values of the output be compared? Where there were errors, invalid ones have become defaults. */
bool flat_is_complete(const Compile* compile, const Output* out);

/* The path of an entity for messages. */
const char* flat_shown_name(Compile* compile, u32 entity);

/* The first row of an entity in the output; NONE: it has no such component. */
u32 flat_row(Output* out, ComponentIndex type, u32 entity);

/* The pose of an entity in the resource. Returns false when it, or what it is below, follows a joint. */
bool flat_pose(const Compile* compile, Output* out, u32 entity, Mat34* pose);

#endif
