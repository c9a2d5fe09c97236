/* frames.c - runs frames, writes pictures and times, and prints the table of times. */
#include "frames.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "exit_codes.h"
#include "exposure.h"
#include "file.h"
#include "framing.h"
#include "gpu_picture.h"
#include "pass_times.h"
#include "picture.h"
#include "progress.h"

#define SIDE_MAX     16384u
#define OCCLUSION_M  0.5f
#define FRAMES_PER_S 60
#define WIDTH        1280u
#define HEIGHT       720u

/* A picture that is written when its frame is complete. */
typedef struct Shot {
    FramesOpen* run;
    u32         frame;
} Shot;

/* The objects that exist while frames run. */
struct FramesOpen {
    const Frames* frames;
    Gpu*          gpu;
    Canvas*       canvas; /* NULL: no pictures are requested */
    GpuFrames*    flight;
    Simulation    simulation;
    CanvasView    view;
    Exposure      exposure;
    PassTimes     times;
    Progress      progress;
    Shot          shot[GPU_FRAMES_IN_FLIGHT]; /* by the frame's number */
    u32           width, height, pictures;
    ent_status    status;        /* the first failure after frames that were complete */
    char          problem[4400]; /* a message of the device, or about a file */
};
typedef FramesOpen Run;

bool frames_size_read(const char* text, u32* width, u32* height) {
    char                end;
    unsigned            w, h;
    const unsigned long digits = strspn(text, "0123456789x");
    if (text[digits] || digits > 11 || sscanf(text, "%ux%u%c", &w, &h, &end) != 2) return false;
    *width = w;
    *height = h;
    return w >= 1 && w <= SIDE_MAX && h >= 1 && h <= SIDE_MAX;
}

bool frames_view_read(const char* text, EntCanvasShows* shows) {
    static const char* const names[] = {[ENT_CANVAS_SHOWS_LIT] = "lit",
                                        [ENT_CANVAS_SHOWS_ALBEDO] = "albedo",
                                        [ENT_CANVAS_SHOWS_NORMALS] = "normals",
                                        [ENT_CANVAS_SHOWS_DEPTH] = "depth",
                                        [ENT_CANVAS_SHOWS_OCCLUSION] = "occlusion",
                                        [ENT_CANVAS_SHOWS_NORMALS_DEPTH] = "normals-depth",
                                        [ENT_CANVAS_SHOWS_NORMALS_PLAIN] = "normals-plain",
                                        [ENT_CANVAS_SHOWS_HEAT] = "heat",
                                        [ENT_CANVAS_SHOWS_SPEED] = "speed"};
    for (u32 i = 0; i < COUNT_OF(names); i++) {
        *shows = (EntCanvasShows)i;
        if (strcmp(text, names[i]) == 0) return true;
    }
    return false;
}

bool frames_time_read(const char* text, f32* time_s) {
    char* end;
    *time_s = strtof(text, &end);
    return end != text && !*end && *time_s >= 0 && *time_s <= 1e6f;
}

bool frames_reach_read(const char* text, f32* reach_m) {
    char* end;
    *reach_m = strtof(text, &end);
    return end != text && !*end && *reach_m > 0 && isfinite(*reach_m);
}

bool frames_shadows_read(const char* text, EntCanvasShadows* shadows) {
    static const char* const names[] = {[ENT_CANVAS_SHADOWS_TWO_DEPTHS] = "two-depths",
                                        [ENT_CANVAS_SHADOWS_SIMPLE] = "simple",
                                        [ENT_CANVAS_SHADOWS_OFF] = "off"};
    for (u32 i = 0; i < COUNT_OF(names); i++) {
        *shadows = (EntCanvasShadows)i;
        if (strcmp(text, names[i]) == 0) return true;
    }
    return false;
}

static void log_keep(void* user, LogLevel level, const char* text) {
    Run* run = user;
    if (level == LOG_ERROR)
        snprintf(run->problem, sizeof run->problem, "%s", text);
    else if (level == LOG_WARNING)
        fprintf(stderr, "entrun: warning: %s\n", text);
}

/* --- files --- */

/* The length of a path without its ending. */
static int stem_of(const char* path, const char* ending) {
    const size_t length = strlen(path), more = strlen(ending);
    const bool   ends = length > more && strcmp(path + length - more, ending) == 0;
    return (int)(length - (ends ? more : 0));
}

/* FILE.png, or FILE_0010.png when there are several pictures. */
static void picture_path(const Frames* f, u32 frame, char* out, size_t bytes) {
    const int stem = stem_of(f->png, ".png");
    if (f->every)
        snprintf(out, bytes, "%.*s_%04u%s", stem, f->png, frame, f->png + stem);
    else
        snprintf(out, bytes, "%s", f->png);
}

static ent_status not_written(Run* run, const char* path, ent_status status) {
    if (status == ENT_IO || status == ENT_LIMIT)
        snprintf(run->problem, sizeof run->problem, "\"%s\" cannot be written: %s", path,
                 strerror(errno));
    return status;
}

static void picture_save(void* user, const void* pixels, u64 bytes) {
    const Shot* shot = user;
    Run*        run = shot->run;
    char        path[4096];
    UNUSED(bytes);
    if (run->status != ENT_OK) return;
    picture_path(run->frames, shot->frame, path, sizeof path);
    run->status = not_written(run, path, picture_write(path, run->width, run->height, pixels));
    if (run->status == ENT_OK) run->pictures++;
}

static ent_status picture_read(Run* run, GpuFrame* frame, u32 number) {
    Shot* shot = &run->shot[number % COUNT_OF(run->shot)];
    *shot = (Shot){run, number};
    return ent_canvas_read_later(run->canvas, frame, picture_save, shot);
}

/* --- frames --- */

static bool is_drawn(const Frames* f, u32 frame) {
    if (!f->png) return false;
    return f->every ? frame % f->every == 0 : frame == f->count;
}

static void times_add(void* user, const GpuFrameCost* cost, const GpuTime* times, u32 count) {
    Run*          run = user;
    const GpuTime costs[] = {{"frame", "record", cost->record_ms},
                             {"frame", "submit", cost->submit_ms},
                             {"frame", "device", cost->device_ms}};
    if (run->status == ENT_OK)
        run->status = pass_times_add(&run->times, (u32)cost->frame, times, count, 0);
    if (run->status == ENT_OK)
        run->status =
            pass_times_add(&run->times, (u32)cost->frame, costs, COUNT_OF(costs), run->times.count);
}

/* Exposes the next picture to the light that reaches its surfaces. */
static ent_status picture_expose(Run* run) {
    CanvasView  metered = run->view;
    CanvasLight light;
    if (!exposure_is_measured(&run->exposure)) return ENT_OK;
    exposure_prepare(&run->exposure, &metered);
    TRY(ent_gpu_frames_wait(run->flight));
    TRY(ent_picture_meter(run->canvas, &run->simulation.parts, &metered, &light));
    exposure_apply(&run->exposure, &light, &run->view);
    return ENT_OK;
}

static ent_status frame_make(Run* run, u32 number) {
    const Frames*   f = run->frames;
    GpuFrame*       frame;
    const GpuParts* parts = &run->simulation.parts;
    Canvas*         canvas = is_drawn(f, number) ? run->canvas : NULL;
    run->view.time_s = f->time_s + (f32)number / FRAMES_PER_S;
    if (canvas) TRY(picture_expose(run));
    TRY(ent_gpu_frame_begin(run->flight, &frame));
    ent_status status = f->count ? simulation_advance(&run->simulation) : ENT_OK;
    if (run->canvas) framing_follow(f->world, &run->view);
    if (status == ENT_OK)
        status = f->count ? ent_picture_record(frame, parts, canvas, &run->view)
                          : ent_picture_record_still(frame, parts, canvas, &run->view);
    if (status == ENT_OK && canvas) status = picture_read(run, frame, number);
    const ent_status ended = ent_gpu_frame_end(frame);
    return status == ENT_OK ? ended : status;
}

static ent_status csv_write(Run* run) {
    const Frames* f = run->frames;
    const int     stem = stem_of(f->csv, ".csv");
    char          path[4096];
    TRY(not_written(run, f->csv, pass_times_write(&run->times, f->csv)));
    snprintf(path, sizeof path, "%.*s_lights%s", stem, f->csv, f->csv + stem);
    return not_written(run, path,
                       light_counts_write(simulation_lights(&run->simulation), &f->names, path));
}

static ent_status frames_make(Run* run) {
    const Frames* f = run->frames;
    for (u32 number = MIN_OF(f->count, 1u); number <= f->count; number++) {
        TRY(frame_make(run, number));
        TRY(run->status);
        progress_add(&run->progress, 1);
    }
    TRY(ent_gpu_frames_wait(run->flight));
    TRY(run->status);
    return f->csv ? csv_write(run) : ENT_OK;
}

static void view_choose(Run* run) {
    const Frames* f = run->frames;
    run->view = framing_view(f->world, &run->simulation, (f32)run->width / (f32)run->height);
    run->view.shows = f->shows;
    run->view.shadows = f->shadows;
    run->view.occlusion_m = OCCLUSION_M;
    run->exposure = exposure_of(f->world, f->exposure_ev);
    exposure_apply(&run->exposure, NULL, &run->view);
}

static ent_status canvas_open(Run* run) {
    const CanvasDesc desc = {.width = run->width, .height = run->height};
    if (!run->frames->png) return ENT_OK;
    TRY(ent_canvas_create(&run->canvas, run->gpu, &desc));
    view_choose(run);
    return ENT_OK;
}

static ent_status run_all(Run* run) {
    const Frames* f = run->frames;
    run->width = f->width ? f->width : WIDTH;
    run->height = f->height ? f->height : HEIGHT;
    TRY(ent_gpu_create(
        &run->gpu,
        &(GpuDesc){.device = f->device, .memory_bytes = f->device_bytes, .log = {log_keep, run}}));
    TRY(simulation_create(&run->simulation, run->gpu, f->world, f->library));
    simulation_shadows(&run->simulation, &f->maps);
    TRY(canvas_open(run));
    TRY(ent_gpu_frames_create(&run->flight, run->gpu,
                              &(GpuFramesDesc){GPU_TIMES_PASSES, times_add, run}));
    return frames_make(run);
}

/* What blended surfaces have cost. */
static void layers_print(const Run* run) {
    EntCanvasLayers l = {0};
    if (run->canvas) ent_canvas_layers(run->canvas, &l);
    if (l.parts == 0) return;
    printf("\n%-30s %9s %12s %12s %12s\n", "blended surfaces", "parts", "layers", "samples",
           "at a sample");
    printf("%-30s %9llu %12llu %12llu %12llu\n", "sums, and the highest number",
           (unsigned long long)l.parts, (unsigned long long)l.layers, (unsigned long long)l.samples,
           (unsigned long long)l.deepest);
}

/* Elements that were too fast. */
static void slowed_print(const Run* run) {
    u64 slowed;
    if (simulation_slowed(&run->simulation, &slowed) != ENT_OK || slowed == 0) return;
    printf("\n%-30s %12llu times\n", "slowed to the largest speed", (unsigned long long)slowed);
}

static void run_report(Run* run) {
    const GpuInfo* info = ent_gpu_info(run->gpu);
    if (run->frames->count)
        printf("%u frames of %llu particles on %s, %u pictures\n", run->frames->count,
               (unsigned long long)simulation_count(&run->simulation), info->name, run->pictures);
    else
        printf("a picture on %s\n", info->name);
    if (run->frames->png && run->simulation.parts.count == 0)
        fprintf(stderr, "entrun: warning: nothing in this level is visible\n");
    pass_times_print(&run->times, stdout);
    light_counts_print(simulation_lights(&run->simulation), &run->frames->names, stdout);
    layers_print(run);
    slowed_print(run);
    if (run->pictures && run->exposure.is_lit)
        printf("\n%-30s %12.2f%s\n", "exposure in EV", (f64)run->exposure.ev,
               exposure_is_measured(&run->exposure) ? ", by the light on the surfaces" : "");
    printf("\n%-30s %12llu of %llu\n", "bytes on the device",
           (unsigned long long)ent_gpu_bytes_peak(run->gpu),
           (unsigned long long)info->memory_bytes);
}

/* Prints the cause of a failure: the message of the simulation, of the device or about the file,
 * else the meaning of the status. */
static const char* reason_of(const Run* run, ent_status status) {
    if (*run->simulation.problem.text) return run->simulation.problem.text;
    return *run->problem ? run->problem : ent_status_text(status);
}

FramesOpen* frames_open(const Frames* frames, int* code) {
    Run* run = calloc(1, sizeof *run);
    *code = EXIT_OK;
    if (!run) {
        fprintf(stderr, "entrun: error: %s\n", ent_status_text(ENT_NO_MEMORY));
        *code = exit_code_of(ENT_NO_MEMORY);
        return NULL;
    }
    run->frames = frames;
    progress_begin(&run->progress, progress_is_seen(), "simulating", frames->count);
    const ent_status status = run_all(run);
    progress_end(&run->progress);
    if (status == ENT_OK) {
        run_report(run);
        return run;
    }
    fprintf(stderr, "entrun: error: %s\n", reason_of(run, status));
    *code = exit_code_of(status);
    frames_close(run);
    return NULL;
}

void frames_close(FramesOpen* run) {
    if (!run) return;
    pass_times_free(&run->times);
    ent_gpu_frames_destroy(run->flight);
    ent_canvas_destroy(run->canvas);
    simulation_destroy(&run->simulation);
    ent_gpu_destroy(run->gpu);
    free(run);
}

int frames_run(const Frames* frames) {
    int code;
    frames_close(frames_open(frames, &code));
    return code;
}

/* --- the same picture again --- */

static ent_status picture_renew(Run* run) {
    const Frames* f = run->frames;
    TRY(ent_gpu_frames_wait(run->flight));
    TRY(simulation_follow(&run->simulation, run->gpu, f->library));
    simulation_shadows(&run->simulation, &f->maps);
    view_choose(run);
    TRY(frame_make(run, 0));
    TRY(ent_gpu_frames_wait(run->flight));
    return run->status;
}

ent_status frames_draw_again(FramesOpen* run, const char** problem) {
    assert(run->canvas && run->frames->count == 0);
    *run->problem = *run->simulation.problem.text = '\0';
    run->status = ENT_OK;
    pass_times_free(&run->times);
    const ent_status status = picture_renew(run);
    *problem = status == ENT_OK ? NULL : reason_of(run, status);
    return status;
}
