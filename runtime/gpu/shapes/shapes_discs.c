/* shapes_discs.c - flat discs: elements are centres and radii in a plane. */
#include "shapes_internal.h"

#include "shapes_discs.comp.h"
#include "shapes_discs.frag.h"
#include "shapes_discs_cast.frag.h"
#include "shapes_discs.vert.h"

const ShapeKind shape_discs = {SHAPE_STAGES(shapes_discs), SHAPE_CASTS(shapes_discs),
                               .vertex_count = 4};
