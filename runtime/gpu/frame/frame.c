/* frame.c - a frame from top to bottom: frame_record lists its phases. What takes part in a phase comes from
 * the tables of systems. */
#include "canvas_draw.h"
#include "gpu_frame_internal.h"
#include "gpu_picture.h"

#include "canvas_io.h"

typedef struct Recording {
    const GpuParts* parts;
    GpuPicture      picture;
    u32             id_first; /* of the first part */
    bool            is_still; /* nothing is simulated */
    bool            has_shadows;
} Recording;

/* --- systems --- */

/* The group of the times that follow. */
static void name_set(const Recording* r, const char* name) {
    ent_gpu_frame_group(r->picture.frame, r->picture.is_captured ? "capture" : name);
}

static ent_status phase(Recording* r, GpuPhase which, const char* name) {
    u32 id_first = r->id_first;
    name_set(r, name);
    for (u32 i = 0; i < r->parts->count; i++) {
        const GpuPart* part = &r->parts->at[i];
        const bool     draws = part->system->ids != NULL;
        r->picture.id_first = id_first;
        if (which == ENT_GPU_SIMULATE) name_set(r, part->system->simulates);
        if (part->system->phase[which] && (draws || !r->picture.is_captured))
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
        any |= system->phase[ENT_GPU_CULL] && system->ids(parts->at[i].state) > 0;
    }
    return any;
}

/* --- steps --- */

static ent_status surfaces(Recording* r) {
    TRY(phase(r, ENT_GPU_CULL, "cull"));
    if (!r->picture.is_second) canvas_elements_prepare(&r->picture);
    name_set(r, "surfaces");
    canvas_surfaces_begin(&r->picture);
    return phase(r, ENT_GPU_SURFACES, "surfaces");
}

/* What the depth of the last picture hides is tested again with that of the first surfaces. */
static ent_status hidden_surfaces(Recording* r) {
    name_set(r, "pyramid");
    canvas_pyramid_record(&r->picture);
    r->picture.is_second = true;
    TRY(surfaces(r));
    name_set(r, "pyramid");
    canvas_pyramid_record(&r->picture); /* for the next picture */
    return ENT_OK;
}

/* Once for a picture and all that are captured for it, which receive the same shadows. */
static ent_status shadows(Recording* r) {
    if (r->has_shadows) return ENT_OK;
    r->has_shadows = true;
    return phase(r, ENT_GPU_SHADOWS, "shadows");
}

static ent_status shade(Recording* r) {
    name_set(r, "shade");
    canvas_elements_shade(&r->picture);
    TRY(phase(r, ENT_GPU_SHADE, "shade"));
    canvas_rest_record(&r->picture);
    return ENT_OK;
}

static ent_status blend(Recording* r) {
    if (!r->picture.blends) return ENT_OK;
    name_set(r, "blend");
    TRY(canvas_blend_begin(&r->picture));
    TRY(phase(r, ENT_GPU_BLEND, "blend"));
    canvas_blend_end(&r->picture);
    return ENT_OK;
}

static ent_status picture_record(Recording* r);

/* The pictures that systems request before this one, such as the surroundings of probes. */
static ent_status capture(Recording* r) {
    GpuPicture* const picture = &r->picture;
    for (u32 i = 0; i < r->parts->count; i++) {
        const GpuPart* part = &r->parts->at[i];
        for (u32 number = 0; part->system->capture; number++) {
            GpuCapture next = {0};
            name_set(r, "capture");
            TRY(part->system->capture(part->state, picture, number, &next));
            if (!next.canvas) break;
            TRY(shadows(r));
            Recording captured = {.parts = r->parts,
                                  .picture = {.canvas = next.canvas,
                                              .frame = picture->frame,
                                              .desc = &next.view,
                                              .is_captured = true},
                                  .has_shadows = true};
            TRY(picture_record(&captured));
        }
    }
    return ENT_OK;
}

/* --- a picture and a frame --- */

static ent_status phases_record(Recording* r) {
    name_set(r, "place");
    TRY(canvas_begin(&r->picture, &r->id_first));
    if (!r->picture.is_captured) TRY(capture(r));
    TRY(surfaces(r));
    if (culls_by_depth(r->parts)) TRY(hidden_surfaces(r));
    TRY(phase(r, ENT_GPU_OCCLUSION, "occlusion"));
    TRY(phase(r, ENT_GPU_LIGHTS, "lights"));
    TRY(shadows(r));
    TRY(shade(r));
    TRY(blend(r));
    name_set(r, "resolve");
    canvas_resolve_record(&r->picture);
    return r->picture.frame->list.status;
}

static ent_status picture_record(Recording* r) {
    const ent_status status = phases_record(r);
    canvas_end(&r->picture, status == ENT_OK && culls_by_depth(r->parts));
    return status;
}

static ent_status frame_record(Recording* r) {
    if (!r->is_still) TRY(phase(r, ENT_GPU_SIMULATE, "simulate"));
    TRY(phase(r, ENT_GPU_POSE, "pose"));
    TRY(phase(r, ENT_GPU_PLACE, "place"));
    return r->picture.canvas ? picture_record(r) : ENT_OK;
}

static ent_status record(GpuFrame* frame, const GpuParts* parts, Canvas* canvas,
                         const CanvasView* view, bool is_still) {
    static const GpuParts none = {0};
    Recording             r = {.parts = parts ? parts : &none,
                               .picture = {.canvas = canvas, .frame = frame, .desc = view},
                               .is_still = is_still};
    const ent_status      status = frame_record(&r);
    if (frame->list.status == ENT_OK) frame->list.status = status;
    if (canvas && status != ENT_OK) canvas_forget(canvas);
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
