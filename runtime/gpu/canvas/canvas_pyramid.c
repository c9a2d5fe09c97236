/* canvas_pyramid.c - the farthest and the nearest depth of square blocks of a picture, level by level:
 * what shapes are culled by.
 *
 * Source   N. Greene, M. Kass, G. Miller, Hierarchical Z-Buffer Visibility, 1993. */
#include "canvas_internal.h"

static u32 blocks_of(u32 pixels, u32 level) {
    const u32 side = CANVAS_BLOCK << level;
    return (pixels + side - 1) / side;
}

static u64 level_blocks(u32 width, u32 height, u32 level) {
    return (u64)blocks_of(width, level) * blocks_of(height, level);
}

static u32 levels_of(u32 width, u32 height) {
    u32 levels = 1;
    while (level_blocks(width, height, levels - 1) > 1) levels++;
    return levels;
}

u64 canvas_pyramid_blocks(u32 width, u32 height) {
    u64 blocks = 0;
    for (u32 level = 0; level < levels_of(width, height); level++)
        blocks += level_blocks(width, height, level);
    return blocks;
}

void canvas_pyramid_describe(CanvasEye* eye, u32 width, u32 height) {
    u64 blocks = 0;
    assert(levels_of(width, height) <= CANVAS_LEVELS_MAX);
    eye->blocks_wide = blocks_of(width, 0);
    eye->blocks_high = blocks_of(height, 0);
    for (u32 level = 0; level < levels_of(width, height); level++) {
        eye->blocks_before[level] = (u32)blocks;
        blocks += level_blocks(width, height, level);
    }
}

/* Each group computes the blocks above 8 x 8 blocks. */
static void levels_record(const Canvas* c, GpuList* list, u32 level, u32 count) {
    const u32         side = 8; /* of the square that a group reads */
    const CanvasLevel push = {level, count};
    const u64         across = (blocks_of(c->desc.width, level) + side - 1) / side;
    const u64         down = (blocks_of(c->desc.height, level) + side - 1) / side;
    gpu_pass(list, &(GpuPass){.name = "pyramid",
                              .kernel = &c->level,
                              .use = {[CANVAS_VIEW] = {&c->eyes[c->which], GPU_READ},
                                      [CANVAS_PYRAMID] = {&c->pyramid, GPU_READ_WRITE}},
                              GPU_PUSH(push),
                              .threads = across * down * CANVAS_LEVELS_GROUP});
}

void canvas_pyramid_record(const GpuPicture* picture) {
    const Canvas* c = picture->canvas;
    GpuList*      list = &picture->frame->list;
    const u32     width = c->desc.width, height = c->desc.height, levels = levels_of(width, height);
    const u32     at_once = CANVAS_GROUP / (CANVAS_BLOCK * c->desc.samples); /* blocks of a group */
    gpu_pass(list, &(GpuPass){.name = "pyramid",
                              .kernel = &c->depth,
                              .images = c->raster.images,
                              .use = {[CANVAS_VIEW] = {&c->eyes[c->which], GPU_READ},
                                      [CANVAS_PYRAMID] = {&c->pyramid, GPU_WRITE}},
                              .threads = (level_blocks(width, height, 0) + at_once - 1) / at_once *
                                         CANVAS_GROUP});
    for (u32 level = 0; level + 1 < levels; level += CANVAS_LEVELS_AT_ONCE)
        levels_record(c, list, level, MIN_OF(levels - 1 - level, CANVAS_LEVELS_AT_ONCE));
}
