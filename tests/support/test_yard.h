/* test_yard.h - a world with three instances of a model whose nodes clips move, and where they are in double
 * precision (make_animators.py). */
#ifndef ENT_TEST_YARD_H
#define ENT_TEST_YARD_H

#include "animators.h"
#include "resource.h"
#include "rows.h"
#include "test.h"

#define NODES_MAX  16u
#define YARD_CLIPS 3u

extern const char* const yard_clips[YARD_CLIPS];

/* What the generator has written. */
typedef struct Wanted {
    f64*   numbers;
    size_t bytes;
    u32    nodes, frames, animators;
} Wanted;

/* A world with three instances of the model, each of which has its nodes behind its root. */
typedef struct Yard {
    Library    library;
    World*     world;
    Animators* animators;
    Entity     entity[3 * (NODES_MAX + 1)];
    Wanted     wanted;
} Yard;

/* Compiles the model of a seed with options of `entc build`. */
void yard_open(Yard* yard, u32 seed, const char* options);
/* The same as the last one that was opened. */
void yard_open_again(Yard* yard);
void yard_close(Yard* yard);

/* Three instances more. */
void yard_spawn(Yard* yard);

Entity yard_node(const Yard* yard, u32 instance, u32 node);

/* Time, blend, and 12 numbers of each node. */
const f64* yard_frame(const Yard* yard, u32 frame);

/* The clip behind the one of an animator, in the list of the model. */
ResourceRef yard_clip_after(ResourceRef clip);

/* All animators of an instance play a frame; a time before the first key holds that one. */
void yard_play(Yard* yard, u32 instance, u32 frame);

/* The largest difference of a matrix from that of a node in a frame. */
f64 yard_node_difference(const Yard* yard, u32 frame, u32 node, const Mat34* found);
/* Of all nodes of an instance, on the host. */
f64 yard_difference(const Yard* yard, u32 instance, u32 frame);

/* The size of the model at its first frame: about 10. */
f64 yard_extent(const Yard* yard);

#endif
