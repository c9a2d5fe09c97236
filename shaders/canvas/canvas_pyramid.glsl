// canvas_pyramid.glsl - the farthest and the nearest depth of square blocks of a picture. Level 0 has blocks of
// 8 x 8 pixels, level 1 blocks of 16 x 16, and so on until one block covers the picture.
layout(binding = CANVAS_PYRAMID, scalar) PYRAMID_ACCESS restrict buffer Pyramid { vec2 pyramid[]; };

// Blocks of a level along both sides.
uvec2 blocks_of(CanvasEye e, uint level) {
    const uint side = CANVAS_BLOCK << level;
    return (uvec2(e.width, e.height) / e.samples + side - 1) / side;
}

// The number of the first block of a level.
uint blocks_before(CanvasEye e, uint level) {
    uint first = 0;
    for (uint n = 0; n < level; n++) {
        const uvec2 blocks = blocks_of(e, n);
        first += blocks.x * blocks.y;
    }
    return first;
}
