/* compile_place.h - the place of an object of a model that instances a prefab. */
#ifndef ENTC_COMPILE_PLACE_H
#define ENTC_COMPILE_PLACE_H

#include "flat.h"

/* The record of a transform is that of an object, and `root` that of the prefab: the rotation and scale of the object apply to
 * those of the root, as of an instance of a collection in Blender. Which fields these are is known from their axes. Reports an
 * uneven scale of a root that is rotated: no transform has its shear. */
void place_compose(Compile* compile, const Instance* instance, const void* root);

#endif
