// shapes_box.glsl - the bounds of a draw: those of its elements.
layout(binding = SHAPES_BOX, scalar) restrict buffer Boxes { ShapesBox boxes[]; };

float float_of(uint ordered) { return uintBitsToFloat((ordered >> 31) != 0 ? ordered & 0x7fffffffu : ~ordered); }

bool box_is_empty(uint draw) { return boxes[draw].low[0] == 0xffffffffu; }

Bounds box_of(uint draw, float radius) {
    vec3 low, high;
    for (uint k = 0; k < 3; k++) {
        low[k] = float_of(boxes[draw].low[k]);
        high[k] = float_of(~boxes[draw].high[k]);
    }
    return Bounds((low + high) * 0.5, (high - low) * 0.5 + radius * 1.0001);
}
