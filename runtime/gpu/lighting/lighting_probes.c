/* lighting_probes.c - the surroundings of probes: six pictures from its centre, a map of what rough mirrors reflect, and
 * nine coefficients of the light from all sides. */
#include "gpu_system_internal.h"
#include "lighting_internal.h"

#include <stdlib.h>

#include "rows.h"
#include "vec.h"

#include "lighting_probe_light.comp.h"
#include "lighting_probe_map.comp.h"

_Static_assert(offsetof(LightingProbe, light) == LIGHTING_PROBE_HEAD, "what the host writes");
_Static_assert(sizeof(((LightingProbe*)0)->map) == LIGHTING_PROBE_TEXELS * 8, "two words a texel");

#define FACE_BYTES ((u64)LIGHTING_FACE * LIGHTING_FACE * 8)
#define NEAR_M     0.05f

static EnvironmentProbeRows probes_of(const Lighting* l) {
    return ent_environment_probe_rows(l->world);
}

/* --- following the world --- */

static ent_status probes_reserve(Lighting* l, GpuFrame* frame, u32 count) {
    LightingProbes*        p = &l->probes;
    const u32              room = MAX_OF(count, 1u);
    const GpuBufferRequest requests[] = {{&p->table, room, sizeof(LightingProbe), "probes"},
                                         {&p->faces, 6, FACE_BYTES, "the surroundings of a probe"}};
    if (p->room && count <= p->room) return ENT_OK;
    gpu_frame_retire_pool(frame, &p->pool);
    p->room = 0;
    TRY(gpu_pool_create(&p->pool, l->gpu, requests, COUNT_OF(requests)));
    p->room = room;
    return ENT_OK;
}

/* The probes whose surroundings are captured: the first rows. */
static u32 captured_count(const Lighting* l) {
    return MIN_OF(probes_of(l).count, LIGHTING_PROBES_MAX);
}

static ent_status heads_upload(const Lighting* l, GpuFrame* frame, bool are_captured) {
    const EnvironmentProbeRows rows = probes_of(l);
    for (u32 i = 0; i < rows.count; i++) {
        const EnvironmentProbeRecord* record = &rows.record[i];
        const Mat34                   pose = gpu_places_pose(&l->places, rows.entity[i]);
        LightingProbe                 head;
        head.center = mat34_column(&pose, 3);
        head.is_captured = are_captured && i < captured_count(l) ? 1 : 0;
        head.tint = vec3_scale(record->color, record->intensity);
        head.blend_m = record->blend_m;
        TRY(gpu_frame_upload(frame, &l->probes.table, i * sizeof head, &head, LIGHTING_PROBE_HEAD));
    }
    return ENT_OK;
}

ent_status lighting_probes_update(Lighting* l, GpuFrame* frame) {
    const GpuColumns* source = &l->lights.sources[LIGHTS_PROBES];
    /* A build may have changed anything that they show, levels included. */
    const u64  version = l->library ? l->library->version : 0;
    const bool changed =
        source->changed_count || source->moved || !l->probes.room || version != l->probes.version;
    l->probes.version = version;
    TRY(probes_reserve(l, frame, probes_of(l).count));
    if (changed) l->probes.is_old = true;
    return ENT_OK;
}

/* --- capturing --- */

static ent_status objects_need(Lighting* l) {
    LightingProbes*  p = &l->probes;
    const CanvasDesc desc = {.width = LIGHTING_FACE, .height = LIGHTING_FACE, .samples = 1};
    if (p->canvas) return ENT_OK;
    if (!p->map.pipeline)
        TRY(gpu_kernel_create(&p->map, l->gpu,
                              &GPU_KERNEL(lighting_probe_map, LIGHTING_PROBE_GROUP)));
    if (!p->light.pipeline)
        TRY(gpu_kernel_create(&p->light, l->gpu,
                              &GPU_KERNEL(lighting_probe_light, LIGHTING_PROBE_GROUP)));
    return ent_canvas_create(&p->canvas, l->gpu, &desc);
}

/* A picture of 90 degrees: as in lighting_sphere.glsl. */
static CanvasView face_view(const CanvasEye* like, Vec3 center, u32 face) {
    static const Vec3 forward[] = {{1, 0, 0},  {-1, 0, 0}, {0, 1, 0},
                                   {0, -1, 0}, {0, 0, 1},  {0, 0, -1}};
    static const Vec3 up[] = {{0, 1, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, -1}, {0, 1, 0}, {0, 1, 0}};
    const Vec3        right = vec3_cross(forward[face], up[face]);
    return (CanvasView){
        .camera = {.kind = CAMERA_PERSPECTIVE, .vertical_fov_rad = 1.57079633f, .near_m = NEAR_M},
        .pose = mat34_from_columns(right, up[face], vec3_scale(forward[face], -1), center),
        .light = like->light,
        .light_color = like->light_color,
        .exposure = like->exposure,
        .dimmed = 1 - like->sky,
        .has_sky = 1};
}

static void face_keep(const Lighting* l, GpuList* list, u32 face) {
    gpu_copy(list, &(GpuCopy){.name = "probes",
                              .from = canvas_colors(l->probes.canvas),
                              .to = &l->probes.faces,
                              .to_offset = face * FACE_BYTES,
                              .bytes = FACE_BYTES});
}

static void probe_filter(const Lighting* l, GpuList* list, u32 probe) {
    const LightingProbePush push = {probe};
    GpuPass                 pass = {.name = "probes",
                                    .kernel = &l->probes.map,
                                    .use = {[LIGHTING_FACES] = {&l->probes.faces, GPU_READ},
                                            [LIGHTING_PROBE] = {&l->probes.table, GPU_READ_WRITE}},
                                    GPU_PUSH(push),
                                    .threads = LIGHTING_PROBE_TEXELS};
    gpu_pass(list, &pass);
    pass.kernel = &l->probes.light;
    pass.threads = 9 * LIGHTING_PROBE_GROUP; /* a group for each coefficient */
    gpu_pass(list, &pass);
}

static bool is_current(const Lighting* l, const CanvasEye* eye, f32* with) {
    const f32 now[] = {eye->exposure, eye->sky,           eye->light.x,       eye->light.y,
                       eye->light.z,  eye->light_color.x, eye->light_color.y, eye->light_color.z};
    _Static_assert(sizeof now == sizeof l->probes.with, "what probes are captured with");
    memcpy(with, now, sizeof now);
    return !l->probes.is_old && memcmp(now, l->probes.with, sizeof now) == 0;
}

/* Notes the number of probes that are captured before this picture. */
static ent_status capture_begin(Lighting* l, const GpuPicture* picture) {
    LightingProbes* p = &l->probes;
    const u32       count = probes_of(l).count;
    f32             with[COUNT_OF(p->with)];
    p->capturing = 0;
    if (count == 0 || count > p->room) return ENT_OK;
    if (is_current(l, picture->view, with)) return ENT_OK;
    TRY(objects_need(l));
    TRY(heads_upload(l, picture->frame, false));
    if (count > LIGHTING_PROBES_MAX)
        gpu_log(l->gpu, LOG_WARNING,
                "the world has %u environment probes: the first %u are captured, the others show "
                "the sky",
                count, LIGHTING_PROBES_MAX);
    p->capturing = captured_count(l);
    p->is_old = true; /* until all are complete */
    memcpy(p->with, with, sizeof with);
    return ENT_OK;
}

static ent_status capture_end(Lighting* l, GpuFrame* frame) {
    l->probes.capturing = 0;
    TRY(heads_upload(l, frame, true));
    TRY(frame->list.status);
    l->probes.is_old = false;
    return ENT_OK;
}

/* Picture `number` is side number % 6 of probe number / 6. */
ent_status lighting_capture(void* state, GpuPicture* picture, u32 number, GpuCapture* capture) {
    Lighting* const l = state;
    LightingProbes* p = &l->probes;
    GpuList* const  list = &picture->frame->list;
    const u32       probe = number / 6;
    if (number == 0) TRY(capture_begin(l, picture));
    if (p->capturing == 0) return ENT_OK;
    if (number > 0) face_keep(l, list, (number - 1) % 6);
    if (number > 0 && number % 6 == 0) probe_filter(l, list, probe - 1);
    if (probe == p->capturing) return capture_end(l, picture->frame);
    const Mat34 pose = gpu_places_pose(&l->places, probes_of(l).entity[probe]);
    capture->canvas = p->canvas;
    capture->view = face_view(picture->view, mat34_column(&pose, 3), number % 6);
    return list->status;
}

void lighting_probes_destroy(Lighting* l) {
    LightingProbes* p = &l->probes;
    ent_canvas_destroy(p->canvas);
    gpu_kernel_destroy(&p->map);
    gpu_kernel_destroy(&p->light);
    gpu_pool_destroy(&p->pool);
}
