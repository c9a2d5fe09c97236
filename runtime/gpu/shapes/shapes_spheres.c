/* shapes_spheres.c - spheres: elements are centres. */
#include "shapes_internal.h"

#include "shapes_spheres.comp.h"
#include "shapes_spheres.frag.h"
#include "shapes_spheres_cast.frag.h"
#include "shapes_spheres.vert.h"

const ShapeKind shape_spheres = {SHAPE_STAGES(shapes_spheres), SHAPE_CASTS(shapes_spheres),
                                 .vertex_count = 4, .is_sphere = true};
