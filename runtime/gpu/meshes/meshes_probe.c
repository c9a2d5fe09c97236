/* meshes_probe.c - the surroundings of probes: six pictures from its centre, a map of what rough mirrors reflect, and
 * nine coefficients of the light from all sides. */
#include "meshes_internal.h"

#include <stdlib.h>

#include "rows.h"
#include "vec.h"

#include "meshes_probe_light.comp.h"
#include "meshes_probe_map.comp.h"

_Static_assert(offsetof(MeshesProbe, light) == MESHES_PROBE_HEAD, "what the host writes");
_Static_assert(sizeof(((MeshesProbe*)0)->map) == MESHES_PROBE_TEXELS * 8, "two words a texel");

#define FACE_BYTES ((u64)MESHES_FACE * MESHES_FACE * 8)
#define NEAR_M     0.05f

static EnvironmentProbeRows probes_of(const Meshes* m) {
    return ent_environment_probe_rows(m->world);
}

/* --- following the world --- */

static ent_status probes_reserve(Meshes* m, GpuFrame* frame, u32 count) {
    MeshesProbes*          p = &m->probes;
    const u32              room = MAX_OF(count, 1u);
    const GpuBufferRequest requests[] = {{&p->table, room, sizeof(MeshesProbe), "probes"},
                                         {&p->faces, 6, FACE_BYTES, "the surroundings of a probe"}};
    if (p->room && count <= p->room) return ENT_OK;
    gpu_frame_retire_pool(frame, &p->pool);
    p->room = 0;
    TRY(gpu_pool_create(&p->pool, m->gpu, requests, COUNT_OF(requests)));
    p->room = room;
    return ENT_OK;
}

/* The probes whose surroundings are captured: the first rows. */
static u32 captured_count(const Meshes* m) { return MIN_OF(probes_of(m).count, MESHES_PROBES_MAX); }

static ent_status heads_upload(const Meshes* m, GpuFrame* frame, bool are_captured) {
    const EnvironmentProbeRows rows = probes_of(m);
    for (u32 i = 0; i < rows.count; i++) {
        const EnvironmentProbeRecord* record = &rows.record[i];
        const Mat34                   pose = entity_pose(m->world, rows.entity[i]);
        MeshesProbe                   head;
        head.center = mat34_column(&pose, 3);
        head.is_captured = are_captured && i < captured_count(m) ? 1 : 0;
        head.tint = vec3_scale(record->color, record->intensity);
        head.blend_m = record->blend_m;
        TRY(gpu_frame_upload(frame, &m->probes.table, i * sizeof head, &head, MESHES_PROBE_HEAD));
    }
    return ENT_OK;
}

ent_status meshes_probes_update(Meshes* m, GpuFrame* frame) {
    const GpuColumns* source = &m->lights.sources[LIGHTS_PROBES];
    const bool        changed = source->changed_count || source->moved || !m->probes.room;
    TRY(probes_reserve(m, frame, probes_of(m).count));
    if (changed) m->probes.is_old = true;
    return ENT_OK;
}

void ent_meshes_capture(void* state) {
    Meshes* m = state;
    m->probes.is_old = true;
}

/* --- capturing --- */

static ent_status objects_need(Meshes* m) {
    MeshesProbes*    p = &m->probes;
    const CanvasDesc desc = {.width = MESHES_FACE, .height = MESHES_FACE, .samples = 1};
    if (p->canvas) return ENT_OK;
    if (!p->map.pipeline)
        TRY(gpu_kernel_create(&p->map, m->gpu, &GPU_KERNEL(meshes_probe_map, MESHES_PROBE_GROUP)));
    if (!p->light.pipeline)
        TRY(gpu_kernel_create(&p->light, m->gpu,
                              &GPU_KERNEL(meshes_probe_light, MESHES_PROBE_GROUP)));
    return ent_canvas_create(&p->canvas, m->gpu, &desc);
}

/* A picture of 90 degrees: as in meshes_sphere.glsl. */
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

static void face_keep(const Meshes* m, GpuList* list, u32 face) {
    gpu_copy(list, &(GpuCopy){.name = "probes",
                              .from = canvas_colors(m->probes.canvas),
                              .to = &m->probes.faces,
                              .to_offset = face * FACE_BYTES,
                              .bytes = FACE_BYTES});
}

static void probe_filter(const Meshes* m, GpuList* list, u32 probe) {
    const MeshesProbePush push = {probe};
    GpuPass               pass = {.name = "probes",
                                  .kernel = &m->probes.map,
                                  .use = {[MESHES_FACES] = {&m->probes.faces, GPU_READ},
                                          [MESHES_PROBE] = {&m->probes.table, GPU_READ_WRITE}},
                                  .push = &push,
                                  .push_bytes = sizeof push,
                                  .threads = MESHES_PROBE_TEXELS};
    gpu_pass(list, &pass);
    pass.kernel = &m->probes.light;
    pass.threads = 9 * MESHES_PROBE_GROUP; /* a group for each coefficient */
    gpu_pass(list, &pass);
}

static bool is_current(const Meshes* m, const CanvasEye* eye, f32* with) {
    const f32 now[] = {eye->exposure, eye->sky,           eye->light.x,       eye->light.y,
                       eye->light.z,  eye->light_color.x, eye->light_color.y, eye->light_color.z};
    _Static_assert(sizeof now == sizeof m->probes.with, "what probes are captured with");
    memcpy(with, now, sizeof now);
    return !m->probes.is_old && memcmp(now, m->probes.with, sizeof now) == 0;
}

/* Notes the number of probes that are captured before this picture. */
static ent_status capture_begin(Meshes* m, const GpuPicture* picture) {
    MeshesProbes* p = &m->probes;
    const u32     count = probes_of(m).count;
    f32           with[COUNT_OF(p->with)];
    p->capturing = 0;
    if (count == 0 || count > p->room || m->slots.capacity == 0) return ENT_OK;
    if (is_current(m, picture->view, with)) return ENT_OK;
    TRY(objects_need(m));
    TRY(heads_upload(m, picture->frame, false));
    if (count > MESHES_PROBES_MAX)
        gpu_log(m->gpu, LOG_WARNING,
                "the world has %u environment probes: the first %u are captured, the others show "
                "the sky",
                count, MESHES_PROBES_MAX);
    p->capturing = captured_count(m);
    p->is_old = true; /* until all are complete */
    memcpy(p->with, with, sizeof with);
    return ENT_OK;
}

static ent_status capture_end(Meshes* m, GpuFrame* frame) {
    m->probes.capturing = 0;
    TRY(heads_upload(m, frame, true));
    TRY(frame->list.status);
    m->probes.is_old = false;
    return ENT_OK;
}

/* Picture `number` is side number % 6 of probe number / 6. */
ent_status meshes_probes_capture(void* state, GpuPicture* picture, u32 number,
                                 GpuCapture* capture) {
    Meshes*        m = state;
    MeshesProbes*  p = &m->probes;
    GpuList* const list = &picture->frame->list;
    const u32      probe = number / 6;
    if (number == 0) TRY(capture_begin(m, picture));
    if (p->capturing == 0) return ENT_OK;
    if (number > 0) face_keep(m, list, (number - 1) % 6);
    if (number > 0 && number % 6 == 0) probe_filter(m, list, probe - 1);
    if (probe == p->capturing) return capture_end(m, picture->frame);
    const Mat34 pose = entity_pose(m->world, probes_of(m).entity[probe]);
    capture->canvas = p->canvas;
    capture->view = face_view(picture->view, mat34_column(&pose, 3), number % 6);
    return list->status;
}

void meshes_probes_destroy(Meshes* m) {
    MeshesProbes* p = &m->probes;
    ent_canvas_destroy(p->canvas);
    gpu_kernel_destroy(&p->map);
    gpu_kernel_destroy(&p->light);
    gpu_pool_destroy(&p->pool);
}
