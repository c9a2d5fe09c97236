// canvas_pyramid.glsl - the farthest and the nearest depth of square blocks of a picture. Level 0 has blocks of
// 8 x 8 pixels, level 1 blocks of 16 x 16, and so on until one block covers the picture.
layout(binding = CANVAS_PYRAMID, scalar) PYRAMID_ACCESS restrict buffer Pyramid { vec2 pyramid[]; };

// Blocks of a level along both sides.
uvec2 blocks_of(uint level) { return (uvec2(eye.blocks_wide, eye.blocks_high) + (1u << level) - 1) >> level; }

// The number of the first block of a level.
uint blocks_before(uint level) { return eye.blocks_before[level]; }
