/* frame.c - a frame from top to bottom: frame_record lists its phases. What takes part in a phase comes from
 * the tables of systems. */
#include "canvas_draw.h"
#include "gpu_frame_internal.h"
#include "gpu_picture.h"

#include "canvas_io.h"

typedef struct Recording {
    const GpuParts* parts;
    GpuPicture      picture;
    bool            is_still; /* nothing is simulated */
    bool            has_shadows;
} Recording;

/* --- systems --- */

static const char* const phase_names[ENT_GPU_PHASES] = {
    [ENT_GPU_SIMULATE] = "simulate", [ENT_GPU_POSE] = "pose",
    [ENT_GPU_PLACE] = "place",       [ENT_GPU_CULL] = "cull",
    [ENT_GPU_SURFACES] = "surfaces", [ENT_GPU_OCCLUSION] = "occlusion",
    [ENT_GPU_LIGHTS] = "lights",     [ENT_GPU_CASTERS] = "shadows",
    [ENT_GPU_SHADOWS] = "shadows",   [ENT_GPU_FILTERS] = "shadows",
    [ENT_GPU_SHADE] = "shade",       [ENT_GPU_WATER] = "water",
    [ENT_GPU_BLEND] = "blend"};

/* The group of the times that follow. */
static void name_set(const Recording* r, const char* name) {
    ent_gpu_frame_group(r->picture.frame, r->picture.is_captured ? "capture" : name);
}

/* In a captured picture, only some systems take part. */
static ent_status phase(Recording* r, GpuPhase which) {
    u32 id_first = 0;
    name_set(r, phase_names[which]);
    for (u32 i = 0; i < r->parts->count; i++) {
        const GpuPart* part = &r->parts->at[i];
        const bool     draws = part->system->ids != NULL;
        r->picture.id_first = id_first;
        if (which == ENT_GPU_SIMULATE && part->system->simulates)
            name_set(r, part->system->simulates);
        if (part->system->phase[which] && (part->system->is_captured || !r->picture.is_captured))
            TRY(part->system->phase[which](part->state, &r->picture));
        if (draws) id_first += part->system->ids(part->state);
    }
    return r->picture.frame->list.status;
}

/* Is something culled by the depth of what was drawn? */
static bool culls_by_depth(const GpuParts* parts) {
    bool any = false;
    for (u32 i = 0; i < parts->count; i++) {
        const GpuSystem* system = parts->at[i].system;
        any |= system->phase[ENT_GPU_CULL] && system->ids && system->ids(parts->at[i].state) > 0;
    }
    return any;
}

static ent_status ids_check(const Recording* r) {
    u64 count = 0;
    for (u32 i = 0; i < r->parts->count; i++)
        if (r->parts->at[i].system->ids)
            count += r->parts->at[i].system->ids(r->parts->at[i].state);
    if (count < UINT32_MAX) return ENT_OK;
    gpu_log(r->picture.frame->gpu, LOG_ERROR, "a picture of %llu elements; the limit is %u",
            (unsigned long long)count, UINT32_MAX - 1);
    return ENT_LIMIT;
}

/* --- what is between the phases of systems --- */

static ent_status simulate(Recording* r) {
    return r->is_still || r->picture.is_captured ? ENT_OK : phase(r, ENT_GPU_SIMULATE);
}

static ent_status pose(Recording* r) {
    return r->picture.is_captured ? ENT_OK : phase(r, ENT_GPU_POSE);
}

static ent_status place(Recording* r) {
    name_set(r, phase_names[ENT_GPU_PLACE]);
    if (!r->picture.is_captured) TRY(phase(r, ENT_GPU_PLACE));
    if (!r->picture.canvas) return ENT_OK;
    TRY(ids_check(r));
    return canvas_begin(&r->picture);
}

/* What may cast. */
static void bounds_find(Recording* r) {
    r->picture.bounds = bounds_empty();
    for (u32 i = 0; i < r->parts->count; i++) {
        const GpuPart* part = &r->parts->at[i];
        if (!part->system->extent) continue;
        const GpuExtent* extent = part->system->extent(part->state);
        if (extent->count == 0) continue;
        bounds_add(&r->picture.bounds, extent->low);
        bounds_add(&r->picture.bounds, extent->high);
    }
}

/* Once for a picture and all that are captured for it, which receive the same shadows. */
static ent_status shadows(Recording* r) {
    if (r->has_shadows) return ENT_OK;
    r->has_shadows = true;
    bounds_find(r);
    /* Opaque, then transparent surfaces: what stands, and over it what moves. */
    for (r->picture.stage = 0; r->picture.stage < 4; r->picture.stage++) {
        TRY(phase(r, ENT_GPU_CASTERS));
        TRY(phase(r, r->picture.stage < 2 ? ENT_GPU_SHADOWS : ENT_GPU_FILTERS));
    }
    return ENT_OK;
}

static ent_status picture_capture(Recording* r, const GpuCapture* requested);

/* The pictures that systems request before this one, such as the surroundings of probes. */
static ent_status capture(Recording* r) {
    for (u32 i = 0; i < r->parts->count && !r->picture.is_captured; i++) {
        const GpuPart* part = &r->parts->at[i];
        for (u32 number = 0; part->system->capture; number++) {
            GpuCapture next = {0};
            name_set(r, "capture");
            TRY(part->system->capture(part->state, &r->picture, number, &next));
            if (!next.canvas) break;
            TRY(shadows(r));
            TRY(picture_capture(r, &next));
        }
    }
    return ENT_OK;
}

static ent_status surfaces(Recording* r) {
    name_set(r, phase_names[ENT_GPU_SURFACES]);
    canvas_surfaces_begin(&r->picture);
    return phase(r, ENT_GPU_SURFACES);
}

static void pyramid(Recording* r) {
    name_set(r, "pyramid");
    canvas_pyramid_record(&r->picture);
}

/* What the depth of the last picture hides is tested again with that of this one, which is then kept for
 * the next one. */
static ent_status hidden_surfaces(Recording* r) {
    if (!culls_by_depth(r->parts)) return ENT_OK;
    pyramid(r);
    r->picture.is_second = true;
    TRY(phase(r, ENT_GPU_CULL));
    TRY(surfaces(r));
    pyramid(r);
    return ENT_OK;
}

/* Also the background. */
static ent_status shade(Recording* r) {
    TRY(phase(r, ENT_GPU_SHADE));
    canvas_rest_record(&r->picture);
    return ENT_OK;
}

static ent_status water(Recording* r, CanvasWater step) {
    if (!r->picture.has_water) return ENT_OK;
    r->picture.stage = step;
    return phase(r, ENT_GPU_WATER);
}

static ent_status blends(Recording* r, CanvasBlends step) {
    r->picture.stage = step;
    return phase(r, ENT_GPU_BLEND);
}

static ent_status blend(Recording* r) {
    if (!r->picture.blends) return ENT_OK;
    name_set(r, phase_names[ENT_GPU_BLEND]);
    TRY(canvas_layers_begin(&r->picture));
    TRY(blends(r, CANVAS_BLENDS_FIND));
    canvas_layers_count(&r->picture);
    TRY(blends(r, CANVAS_BLENDS_COUNT));
    canvas_layers_place(&r->picture);
    for (u32 round = 0; round < r->picture.round.rounds; round++) {
        r->picture.round.round = round;
        TRY(blends(r, CANVAS_BLENDS_ROUND));
        canvas_layers_store(&r->picture, round);
        TRY(blends(r, CANVAS_BLENDS_STORE));
        TRY(blends(r, CANVAS_BLENDS_SHADE));
        canvas_layers_blend(&r->picture);
    }
    return canvas_layers_end(&r->picture);
}

static ent_status resolve(Recording* r) {
    name_set(r, "resolve");
    canvas_resolve_record(&r->picture);
    return r->picture.frame->list.status;
}

/* --- a frame --- */

static ent_status frame_record(Recording* r) {
    TRY(simulate(r));
    TRY(pose(r));
    TRY(place(r));
    if (!r->picture.canvas) return ENT_OK;
    TRY(capture(r));
    TRY(phase(r, ENT_GPU_CULL));
    TRY(surfaces(r));
    TRY(hidden_surfaces(r)); /* pyramid, cull and surfaces again */
    TRY(phase(r, ENT_GPU_OCCLUSION));
    TRY(phase(r, ENT_GPU_LIGHTS));
    r->picture.has_tiles = true;
    TRY(shadows(r));
    TRY(shade(r));
    TRY(water(r, CANVAS_WATER_FIND));
    TRY(blend(r)); /* layers before water are kept */
    TRY(water(r, CANVAS_WATER_SHADE));
    return resolve(r);
}

/* The next picture of the canvas starts empty, also after a failure. */
static ent_status all_record(Recording* r) {
    const ent_status status = frame_record(r);
    if (r->picture.canvas && status == ENT_OK)
        canvas_end(&r->picture, culls_by_depth(r->parts));
    else if (r->picture.canvas)
        canvas_forget(r->picture.canvas);
    return status;
}

static ent_status picture_capture(Recording* r, const GpuCapture* requested) {
    Recording captured = {.parts = r->parts,
                          .picture = {.canvas = requested->canvas,
                                      .frame = r->picture.frame,
                                      .desc = &requested->view,
                                      .is_captured = true},
                          .has_shadows = true};
    return all_record(&captured);
}

static ent_status record(GpuFrame* frame, const GpuParts* parts, Canvas* canvas,
                         const CanvasView* view, bool is_still) {
    static const GpuParts none = {0};
    Recording             r = {.parts = parts ? parts : &none,
                               .picture = {.canvas = canvas, .frame = frame, .desc = view},
                               .is_still = is_still};
    const ent_status      status = all_record(&r);
    if (frame->list.status == ENT_OK) frame->list.status = status;
    return status;
}

ent_status ent_picture_record(GpuFrame* frame, const GpuParts* parts, Canvas* canvas,
                              const CanvasView* view) {
    return record(frame, parts, canvas, view, false);
}

ent_status ent_picture_record_still(GpuFrame* frame, const GpuParts* parts, Canvas* canvas,
                                    const CanvasView* view) {
    return record(frame, parts, canvas, view, true);
}

static ent_status draw(Canvas* canvas, const GpuParts* parts, const CanvasView* view) {
    GpuFrames* frames;
    GpuFrame*  frame;
    TRY(canvas_frames(canvas, &frames));
    TRY(ent_gpu_frame_begin(frames, &frame));
    ent_status       status = record(frame, parts, canvas, view, true);
    const ent_status ended = ent_gpu_frame_end(frame);
    if (status == ENT_OK) status = ended;
    return status == ENT_OK ? ent_gpu_frames_wait(frames) : status;
}

ent_status ent_picture_draw(Canvas* canvas, const GpuParts* parts, const CanvasView* view) {
    const ent_status status = draw(canvas, parts, view);
    if (status != ENT_OK) canvas_forget(canvas);
    return status;
}

ent_status ent_picture_meter(Canvas* canvas, const GpuParts* parts, const CanvasView* view,
                             CanvasLight* light) {
    CanvasView metered = *view;
    *light = (CanvasLight){0};
    metered.shows = (EntCanvasShows)CANVAS_REACHED;
    ent_status status = canvas_meter_begin(canvas);
    if (status == ENT_OK) status = ent_picture_draw(canvas, parts, &metered);
    canvas_meter_end(canvas);
    if (status != ENT_OK) canvas_forget(canvas);
    return status == ENT_OK ? canvas_meter_read(canvas, light) : status;
}
