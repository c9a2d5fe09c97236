/* test_frame.c - the order of the phases of a frame, for systems that only note that they were called. */
#include <stdio.h>

#include "canvas_draw.h"
#include "test_gpu_support.h"

#define SIDE 16u

static char noted[1024]; /* one word for each call */

static void note(const char* word) {
    assert_true(strlen(noted) + strlen(word) + 2 < sizeof noted);
    strcat(strcat(noted, *noted ? " " : ""), word);
}

/* A system of the test: `fails_in` returns ENT_LIMIT, and `captures` pictures are requested. */
typedef struct Noting {
    GpuPhase fails_in;
    u32      captures, ids;
    Canvas*  canvas; /* of captures */
} Noting;

static ent_status called(const Noting* n, GpuPhase phase, const char* word, GpuPicture* picture) {
    char text[32];
    snprintf(text, sizeof text, "%s%s", picture->is_captured ? "captured-" : "", word);
    note(text);
    return phase == n->fails_in ? ENT_LIMIT : ENT_OK;
}

#define PHASE(function, phase, word)                                                               \
    static ent_status function(void* state, GpuPicture* picture) {                                 \
        return called(state, phase, word, picture);                                                \
    }
PHASE(simulate, ENT_GPU_SIMULATE, "simulate")
PHASE(pose, ENT_GPU_POSE, "pose")
PHASE(place, ENT_GPU_PLACE, "place")
PHASE(cull, ENT_GPU_CULL, "cull")
PHASE(surfaces, ENT_GPU_SURFACES, "surfaces")
PHASE(occlusion, ENT_GPU_OCCLUSION, "occlusion")
PHASE(lights, ENT_GPU_LIGHTS, "lights")
PHASE(casters, ENT_GPU_CASTERS, "casters")
PHASE(shadows, ENT_GPU_SHADOWS, "shadows")
PHASE(filters, ENT_GPU_FILTERS, "filters")

/* Of the rounds of layers only the first one is noted; the others have the same steps. */
static ent_status blend(void* state, GpuPicture* picture) {
    static const char* const steps[] = {"find", "count", "round", "store", "blend"};
    static u32               last;
    const u32                step = picture->stage, first = CANVAS_BLENDS_ROUND;
    assert_in_range(step, 0, COUNT_OF(steps) - 1);
    if (step > first) assert_int_equal(step, last + 1);
    last = step;
    if (picture->round.round > 0) return ENT_OK;
    return called(state, ENT_GPU_BLEND, steps[step], picture);
}

/* Where water is, before layers are blended, and what it looks like. */
static ent_status water(void* state, GpuPicture* picture) {
    const bool is_first = picture->stage == CANVAS_WATER_FIND;
    return called(state, ENT_GPU_WATER, is_first ? "water-find" : "water", picture);
}

static ent_status shade(void* state, GpuPicture* picture) {
    picture->blends = picture->has_water = true;
    return called(state, ENT_GPU_SHADE, "shade", picture);
}

static u32 ids(const void* state) { return ((const Noting*)state)->ids; }

static ent_status capture(void* state, GpuPicture* picture, u32 number, GpuCapture* next) {
    const Noting* n = state;
    note("capture");
    assert_false(picture->is_captured);
    if (number == n->captures) return ENT_OK;
    next->canvas = n->canvas;
    next->view = *picture->desc;
    return ENT_OK;
}

#define ALL_PHASES                                                                                 \
    {                                                                                              \
        [ENT_GPU_SIMULATE] = simulate, [ENT_GPU_POSE] = pose, [ENT_GPU_PLACE] = place,             \
        [ENT_GPU_CULL] = cull, [ENT_GPU_SURFACES] = surfaces, [ENT_GPU_OCCLUSION] = occlusion,     \
        [ENT_GPU_LIGHTS] = lights, [ENT_GPU_CASTERS] = casters, [ENT_GPU_SHADOWS] = shadows,       \
        [ENT_GPU_FILTERS] = filters, [ENT_GPU_SHADE] = shade, [ENT_GPU_WATER] = water,             \
        [ENT_GPU_BLEND] = blend                                                                    \
    }

static const GpuSystem drawing = {.name = "drawing",
                                  .simulates = "simulate drawing",
                                  .is_captured = 1,
                                  .ids = ids,
                                  .capture = capture,
                                  .phase = ALL_PHASES};
/* It draws nothing by itself, like fluids. */
static const GpuSystem moving = {
    .name = "moving",
    .simulates = "simulate moving",
    .phase = {[ENT_GPU_SIMULATE] = simulate, [ENT_GPU_PLACE] = place, [ENT_GPU_SHADE] = shade}};

static const CanvasView view = {.camera = {.kind = CAMERA_ORTHOGRAPHIC, .height_m = 8, .near_m = 1},
                                .pose = {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 50}}},
                                .light = {0, 0, 1},
                                .reach_m = 1,
                                .grid_m = 1};

static Canvas* canvas_new(void) {
    const CanvasDesc desc = {.width = SIDE, .height = SIDE, .samples = 1};
    Canvas*          canvas;
    assert_int_equal(ent_canvas_create(&canvas, gpu_for_test(), &desc), ENT_OK);
    return canvas;
}

/* What is noted in a frame of the systems, and the status of recording and of ending it. */
static void frame_expect(const GpuParts* parts, Canvas* canvas, bool is_still, ent_status status,
                         const char* expected) {
    GpuFrames* frames;
    GpuFrame*  frame;
    *noted = 0;
    assert_int_equal(ent_gpu_frames_create(&frames, gpu_for_test(), NULL), ENT_OK);
    assert_int_equal(ent_gpu_frame_begin(frames, &frame), ENT_OK);
    assert_int_equal(is_still ? ent_picture_record_still(frame, parts, canvas, &view)
                              : ent_picture_record(frame, parts, canvas, &view),
                     status);
    assert_int_equal(ent_gpu_frame_end(frame), status);
    assert_int_equal(ent_gpu_frames_wait(frames), ENT_OK);
    ent_gpu_frames_destroy(frames);
    assert_string_equal(noted, expected);
    test_gpu_silent();
}

#define FIRST  "simulate pose place "
#define LATER  "cull surfaces cull surfaces occlusion lights "
#define CAST   "casters shadows casters shadows casters filters casters filters "
#define SHADED "shade water-find find count round store blend water"

static void phases_of_a_frame_are_called_in_their_order(void** state) {
    Noting         n = {.fails_in = ENT_GPU_PHASES, .ids = 3};
    const GpuPart  part[] = {{&drawing, &n}, {&moving, &n}};
    const GpuParts one = {part, 1}, two = {part, 2};
    Canvas*        canvas = canvas_new();
    UNUSED(state);
    frame_expect(&one, canvas, false, ENT_OK, FIRST "capture " LATER "" CAST SHADED);
    frame_expect(&one, canvas, true, ENT_OK, "pose place capture " LATER "" CAST SHADED);
    frame_expect(&one, NULL, false, ENT_OK, "simulate pose place");
    frame_expect(&two, NULL, false, ENT_OK, "simulate simulate pose place place");
    frame_expect(&two, canvas, true, ENT_OK,
                 "pose place place capture " LATER CAST "shade " SHADED);
    frame_expect(NULL, canvas, false, ENT_OK, "");
    n.ids = 0; /* nothing is culled by depth */
    frame_expect(&one, canvas, true, ENT_OK,
                 "pose place capture cull surfaces occlusion lights " CAST SHADED);
    ent_canvas_destroy(canvas);
}

/* Shadow maps are drawn once, before the first picture that is captured; what draws no ids is not in it. */
static void captured_pictures_precede_the_picture_and_share_its_shadows(void** state) {
    Noting        n = {.fails_in = ENT_GPU_PHASES, .ids = 1, .captures = 2, .canvas = canvas_new()};
    const GpuPart part[] = {{&drawing, &n}, {&moving, &n}};
    const GpuParts parts = {part, 2};
    Canvas*        canvas = canvas_new();
    UNUSED(state);
#define CAPTURED                                                                                   \
    "captured-cull captured-surfaces captured-cull captured-surfaces captured-occlusion "          \
    "captured-lights captured-shade captured-water-find captured-find captured-count "             \
    "captured-round captured-store captured-blend captured-water "
    frame_expect(&parts, canvas, true, ENT_OK,
                 "pose place place capture " CAST CAPTURED "capture " CAPTURED "capture " LATER
                 "shade " SHADED);
    ent_canvas_destroy(canvas);
    ent_canvas_destroy(n.canvas);
}

static void failure_in_any_phase_ends_the_frame_and_the_next_one_is_complete(void** state) {
    UNUSED(state);
    for (GpuPhase phase = ENT_GPU_SIMULATE; phase < ENT_GPU_PHASES; phase++) {
        Noting         n = {.fails_in = phase, .ids = 1, .captures = 1, .canvas = canvas_new()};
        const GpuPart  part = {&drawing, &n};
        const GpuParts parts = {&part, 1};
        Canvas*        canvas = canvas_new();
        GpuFrames*     frames;
        GpuFrame*      frame;
        *noted = 0;
        assert_int_equal(ent_gpu_frames_create(&frames, gpu_for_test(), NULL), ENT_OK);
        assert_int_equal(ent_gpu_frame_begin(frames, &frame), ENT_OK);
        assert_int_equal(ent_picture_record(frame, &parts, canvas, &view), ENT_LIMIT);
        assert_int_equal(ent_gpu_frame_end(frame), ENT_LIMIT);
        ent_gpu_frames_destroy(frames);
        n.fails_in = ENT_GPU_PHASES;
        n.captures = 0;
        frame_expect(&parts, canvas, true, ENT_OK, "pose place capture " LATER "" CAST SHADED);
        ent_canvas_destroy(canvas);
        ent_canvas_destroy(n.canvas);
    }
}

TEST_SUITE(frame) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(phases_of_a_frame_are_called_in_their_order),
        cmocka_unit_test(captured_pictures_precede_the_picture_and_share_its_shadows),
        cmocka_unit_test(failure_in_any_phase_ends_the_frame_and_the_next_one_is_complete)};
    return gpu_suite_end(TEST_RUN("frame", tests));
}
