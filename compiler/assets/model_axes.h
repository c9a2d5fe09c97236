/* model_axes.h - vectors in single custom properties of a model. Blender shows and stores them with the axis z up, but exports
 * them as they are. */
#ifndef ENTC_MODEL_AXES_H
#define ENTC_MODEL_AXES_H

#include "model.h"

/* Have the vectors in single properties of the model the axis z up? By its settings, or by the program that wrote it. */
bool model_axes_are_z_up(const Model* model);

/* The point or direction with the axis y up. */
Vec3 axes_vec3(Vec3 z_up);

/* The text of the value of a field, or of several elements, with the axis y up; other text is returned as it is, so that its
 * faults are reported where it is read. */
Text axes_text(Arena* arena, const Field* field, Text z_up);

#endif
