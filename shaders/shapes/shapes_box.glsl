// shapes_box.glsl - the bounds of a draw: those of its elements.
layout(binding = SHAPES_BOX, scalar) restrict buffer Boxes { ShapesBox boxes[]; };

#include "canvas_extent.glsl"

bool box_is_empty(uint draw) { return boxes[draw].low[0] == 0xffffffffu; }

Bounds box_of(uint draw, float radius) {
    const vec3 low = point_of(boxes[draw].low, 0), high = point_of(boxes[draw].high, 0xffffffffu);
    return Bounds((low + high) * 0.5, (high - low) * 0.5 + radius * 1.0001);
}
