/* test_normals.c - normals in comparison with the visible triangles, and ambient occlusion in comparison with the
 * same formula in double precision. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "canvas_internal.h"
#include "meshes_internal.h"
#include "normals_methods.h"
#include "rows.h"
#include "spawn.h"
#include "test_gpu_support.h"
#include "test_worlds_support.h"
#include "vec.h"

#define PI       3.14159265358979323846
#define RADIUS_M 0.5f

/* --- a level, drawn in pictures of any size --- */

typedef struct Stage {
    Library    library;
    World*     world;
    Meshes*    meshes;
    Canvas*    canvas;
    CanvasView view;
    Normals    normals;
    u32        width, height;
} Stage;

/* Stairs, turned boxes, a ball, hills and a wall on a floor; the floor alone; and a floor before a wall. */
static const char level_script[] =
    "import json,random,math\n"
    "def box(at,size,turn=(0,0,0,1)):\n"
    "    n=math.sqrt(sum(v*v for v in turn))\n"
    "    return {'components':{'transform':{'position':at,'rotation':[v/n for v in turn],\n"
    "            'scale':size},'mesh':{'resource':'box/grid'}}}\n"
    "def of(model,at):\n"
    "    return {'components':{'transform':{'position':at},'mesh':{'resource':model+'/grid'}}}\n"
    "def save(name,rows):\n"
    "    for i,row in enumerate(rows): row['name']='e%d'%i\n"
    "    json.dump({'entities':rows},open('src/%s.level.json'%name,'w'))\n"
    "floor=box([0,-1,0],[20,0.1,20]); r=random.Random(5)\n"
    "save('floor',[floor])\n"
    "save('corner',[floor,box([0,0,-3],[20,6,0.1])])\n"
    "save('yard',[floor,box([-1,0,-9],[4,3,0.2],(0,0.2,0,1)),of('ball',[2,0.2,-2]),\n"
    "    of('hills',[3,-1,-12])]+\n"
    "    [box([-4+0.5*i,-0.8+0.2*i,-4],[0.25,0.2+0.2*i,1]) for i in range(5)]+\n"
    "    [box([r.uniform(-4,4),r.uniform(-0.6,1),r.uniform(-7,-1)],\n"
    "    [r.uniform(0.1,0.6) for _ in range(3)],[r.gauss(0,1) for _ in range(4)])\n"
    "    for _ in range(12)])\n";

static const char* levels_folder(void) {
    static char* folder;
    if (folder) return folder;
    folder = strdup(test_folder("normals_levels"));
    TEST_DONE(".", "python3 tests/support/make_lods.py '%s/src'", folder);
    test_write_text(folder, "levels.py", level_script);
    TEST_DONE(folder, "python3 levels.py && entc build src -o out -q");
    return folder;
}

typedef enum View { VIEW_INFINITE, VIEW_FAR, VIEW_FLAT, VIEWS } View;

/* From above, turned to the side. */
static CanvasView view_of(View view) {
    const f32 side = 0.3f, down = 0.35f, cs = cosf(side), ss = sinf(side), cd = cosf(down),
              sd = sinf(down);
    return (CanvasView){
        .camera = {.kind = view == VIEW_FLAT ? CAMERA_ORTHOGRAPHIC : CAMERA_PERSPECTIVE,
                   .vertical_fov_rad = 0.9f,
                   .height_m = 6,
                   .near_m = 0.1f,
                   .far_m = view == VIEW_INFINITE ? 0 : 40},
        .pose = {{{cs, -ss * sd, ss * cd, 1.2f}, {0, cd, sd, 1.6f}, {-ss, -cs * sd, cs * cd, 3}}},
        .light = {0.48f, 0.64f, 0.6f},
        .light_color = {1, 1, 1},
        .reach_m = 10,
        .grid_m = 1};
}

static void stage_open(Stage* s, const char* level) {
    const Blob* blob;
    GpuProblem  problem = {0};
    void*       state;
    char        path[1100];
    *s = (Stage){0};
    snprintf(path, sizeof path, "%s/out", levels_folder());
    assert_int_equal(ent_library_open(&s->library, path, NULL), ENT_OK);
    assert_int_equal(ent_library_load(&s->library, level, RESOURCE_LEVEL, &blob), ENT_OK);
    assert_int_equal(ent_world_create(&s->world, NULL), ENT_OK);
    assert_int_equal(ent_world_spawn(s->world, blob, NULL, NULL), ENT_OK);
    const GpuScene scene = {.world = s->world, .library = &s->library};
    if (test_system_create(ent_meshes_system(), &state, gpu_for_test(), &scene, &problem) != ENT_OK)
        fail_msg("%s", problem.text);
    s->meshes = state;
    normals_create(&s->normals, gpu_for_test());
}

/* Draws the level, whose depth the calls below read. */
static void stage_draw(Stage* s, View view, u32 width, u32 height) {
    const CanvasDesc desc = {.width = width, .height = height, .samples = 1};
    if (s->width != width || s->height != height) {
        ent_canvas_destroy(s->canvas);
        assert_int_equal(ent_canvas_create(&s->canvas, gpu_for_test(), &desc), ENT_OK);
    }
    s->width = width;
    s->height = height;
    s->view = view_of(view);
    assert_int_equal(test_system_draw(ent_meshes_system(), s->meshes, s->canvas, &s->view), ENT_OK);
    normals_resize(&s->normals, width, height);
}

static void stage_close(Stage* s) {
    normals_destroy(&s->normals);
    ent_canvas_destroy(s->canvas);
    test_system_destroy(ent_meshes_system(), s->meshes);
    ent_world_destroy(s->world);
    ent_library_close(&s->library);
    test_gpu_silent();
}

/* One for the tests of this level, because systems are created slowly where kernels are compiled again. */
static Stage yard;

static Stage* yard_open(void) {
    if (!yard.world) stage_open(&yard, "yard");
    return &yard;
}

static int yard_close(void** state) {
    UNUSED(state);
    if (yard.world) stage_close(&yard);
    yard = (Stage){0};
    return 0;
}

/* In runs with other subgroup sizes, tests that compare samples with each other are sufficient. */
static bool is_short(void) { return getenv("TEST_WIDTH") != NULL; }

static void* read_back(const GpuBuffer* buffer, u64 bytes) {
    void* to = malloc(bytes);
    assert_int_equal(gpu_download(gpu_for_test(), buffer, 0, to, bytes), ENT_OK);
    return to;
}

static GpuPicture target_of(const Stage* s) {
    return (GpuPicture){.view = &s->canvas->view,
                        .images = s->canvas->raster.images,
                        .width = s->width,
                        .height = s->height};
}

/* Those that find the nearer neighbours: all give the same words. */
static const NormalsMethod* const equal_methods[] = {&normals_direct, &normals_strips,
                                                     &normals_pairs, &normals_shared};

static u32* words_from(Normals* n, const GpuPicture* picture, const NormalsMethod* method) {
    GpuList list;
    assert_int_equal(gpu_list_begin(&list, gpu_for_test(), GPU_TIMES_NONE), ENT_OK);
    assert_int_equal(normals_record(n, &list, picture, method), ENT_OK);
    assert_int_equal(gpu_list_end(&list), ENT_OK);
    assert_int_equal(gpu_list_run(&list), ENT_OK);
    gpu_list_destroy(&list);
    return read_back(&n->words, (u64)picture->width * picture->height * 4);
}

static u32* words_of(Stage* s, const NormalsMethod* method) {
    const GpuPicture picture = target_of(s);
    return words_from(&s->normals, &picture, method);
}

static u8* visible_of(Stage* s, bool half) {
    const GpuPicture picture = target_of(s);
    GpuList          list;
    assert_int_equal(gpu_list_begin(&list, gpu_for_test(), GPU_TIMES_NONE), ENT_OK);
    assert_int_equal(normals_occlusion_record(&s->normals, &list, &picture, RADIUS_M, half),
                     ENT_OK);
    assert_int_equal(gpu_list_end(&list), ENT_OK);
    assert_int_equal(gpu_list_run(&list), ENT_OK);
    gpu_list_destroy(&list);
    return read_back(&s->normals.visible, ((u64)s->width * s->height + 3) / 4 * 4);
}

/* --- a picture in double precision --- */

typedef struct Point {
    f64 x, y, z;
} Point;

static Point minus(Point a, Point b) { return (Point){a.x - b.x, a.y - b.y, a.z - b.z}; }
static f64   dot(Point a, Point b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static Point scaled(Point a, f64 by) { return (Point){a.x * by, a.y * by, a.z * by}; }
static Point plus(Point a, Point b) { return (Point){a.x + b.x, a.y + b.y, a.z + b.z}; }
static Point unit(Point a) { return scaled(a, 1 / sqrt(dot(a, a))); }
static Point cross(Point a, Point b) {
    return (Point){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static Point point_of(Vec3 v) { return (Point){(f64)v.x, (f64)v.y, (f64)v.z}; }

static f64 degrees_between(Point a, Point b) {
    const Point c = cross(a, b);
    return atan2(sqrt(dot(c, c)), dot(a, b)) * 180 / PI;
}

typedef struct Picture {
    const CanvasEye* eye;
    f32*             depth;
    i32              width, height;
} Picture;

static Picture picture_of(const Stage* s) {
    return (Picture){&s->canvas->view,
                     test_image_read(gpu_for_test(), &s->canvas->raster.depth,
                                     VK_IMAGE_ASPECT_DEPTH_BIT, s->width, s->height, 4),
                     (i32)s->width, (i32)s->height};
}

/* Along the view; infinite in the sky and outside. */
static f64 distance_at(const Picture* p, i32 x, i32 y) {
    if (x < 0 || y < 0 || x >= p->width || y >= p->height) return HUGE_VAL;
    const f64 depth = (f64)p->depth[y * p->width + x];
    const f64 d = (f64)p->eye->depth_scale * depth + (f64)p->eye->depth_bias;
    return depth == 0 ? HUGE_VAL : p->eye->orthographic ? d : 1 / d;
}

/* Right, up, towards the eye. */
static Point position_at(const Picture* p, i32 x, i32 y, f64 distance_m) {
    const f64 wide = (f64)vec3_length(p->eye->right), high = (f64)vec3_length(p->eye->up);
    const f64 scale = p->eye->orthographic ? 1 : distance_m;
    return (Point){((x + 0.5) / (f64)p->width * 2 - 1) * wide * scale,
                   (1 - (y + 0.5) / (f64)p->height * 2) * high * scale, -distance_m};
}

/* Which neighbour is nearer by distance: -1 before, 1 after, 0 there is none. */
static int nearer(f64 before, f64 center, f64 after) {
    if (isinf(before) && isinf(after)) return 0;
    if (isinf(before)) return 1;
    return fabs(after - center) < fabs(before - center) ? 1 : -1;
}

static Point facing_at(const Picture* p, i32 x, i32 y) {
    if (p->eye->orthographic) return (Point){0, 0, 1};
    return unit(scaled(position_at(p, x, y, 1), -1));
}

/* In the space of the camera. */
static Point normal_at(const Picture* p, i32 x, i32 y) {
    const f64   center = distance_at(p, x, y);
    const int   dx = nearer(distance_at(p, x - 1, y), center, distance_at(p, x + 1, y));
    const int   dy = nearer(distance_at(p, x, y - 1), center, distance_at(p, x, y + 1));
    const Point at = position_at(p, x, y, center);
    if (dx == 0 || dy == 0) return facing_at(p, x, y);
    const Point across = minus(position_at(p, x + dx, y, distance_at(p, x + dx, y)), at);
    const Point down = minus(position_at(p, x, y + dy, distance_at(p, x, y + dy)), at);
    const Point n = unit(cross(scaled(down, dy), scaled(across, dx)));
    return n;
}

/* --- occlusion in double precision --- */

typedef struct Result {
    i32 x, y; /* of its sample */
    f64 visible;
} Result;

/* Where a point is in the picture, whether it counts, and how much it is occluded. */
static bool looked_up(const Picture* p, Point at, Point normal, Point point, f64* occluded) {
    const f64 wide = (f64)vec3_length(p->eye->right), high = (f64)vec3_length(p->eye->up);
    const f64 far = -point.z, scale = p->eye->orthographic ? 1 : far, radius = (f64)RADIUS_M;
    if (far <= 0) return false;
    const f64 x = floor((point.x / scale / wide + 1) / 2 * (f64)p->width),
              y = floor((1 - point.y / scale / high) / 2 * (f64)p->height);
    if (x < 0 || y < 0 || x >= (f64)p->width || y >= (f64)p->height) return false;
    const f64 distance = distance_at(p, (i32)x, (i32)y);
    *occluded = 0;
    if (isinf(distance)) return true;
    const f64 before = (far - distance) / radius;
    const f64 above = dot(normal, minus(position_at(p, (i32)x, (i32)y, distance), at)) / radius;
    *occluded = fmin(fmax(before * 40, 0), 1) * fmin(fmax(2 - before, 0), 1) *
                fmin(fmax(above * 20 - 0.4, 0), 1);
    return true;
}

static f64 visible_at(const Picture* p, i32 x, i32 y, u32 turn) {
    static const u32 order[16] = {0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5};
    const Point      n = normal_at(p, x, y), at = position_at(p, x, y, distance_at(p, x, y));
    const f64        a = 1 / (1 + n.z), b = -n.x * n.y * a, angle = order[turn] * PI / 8;
    const Point      right = {1 - n.x * n.x * a, b, -n.x}, up = {b, 1 - n.y * n.y * a, -n.y};
    f64              sum = 0, count = 0;
    for (u32 i = 0; i < NORMALS_TAPS; i++) {
        const f64   u = (i + 0.5) / 16, t = ((i * 7) % 16 + 0.5) / 16, golden = PI * (3 - sqrt(5));
        const f64   far = (0.1 + 0.9 * t * t) * (f64)RADIUS_M, round = i * golden + angle;
        const f64   side = far * sqrt(u);
        f64         occluded = 0;
        const Point offset =
            plus(plus(scaled(right, side * cos(round)), scaled(up, side * sin(round))),
                 scaled(n, far * sqrt(1 - u)));
        if (!looked_up(p, at, n, plus(at, offset), &occluded)) continue;
        sum += occluded;
        count++;
    }
    return count > 0 ? 1 - sum / count : 1;
}

/* A result per sample, or for the nearest of 2 x 2. */
static Result* results_of(const Picture* p, i32 side) {
    const i32 wide = (p->width + side - 1) / side, high = (p->height + side - 1) / side;
    Result*   results = malloc((size_t)(wide * high) * sizeof *results);
    for (i32 i = 0; i < wide * high; i++) {
        const i32 x = i % wide, y = i / wide;
        Result    r = {x * side, y * side, 1};
        for (i32 k = 1; k < side * side; k++) {
            const i32 at_x = x * side + k % 2, at_y = y * side + k / 2;
            if (distance_at(p, at_x, at_y) < distance_at(p, r.x, r.y)) r = (Result){at_x, at_y, 1};
        }
        if (!isinf(distance_at(p, r.x, r.y)))
            r.visible = visible_at(p, r.x, r.y, (u32)(x % 4 + y % 4 * 4));
        results[i] = r;
    }
    return results;
}

/* A number that is linear along planes. */
static f64 value_of(const Picture* p, f64 distance_m) {
    return p->eye->orthographic ? distance_m : isinf(distance_m) ? 0 : 1 / distance_m;
}

/* The mean of 4 x 4 results, by how far along the view they are from the plane of the sample. */
static f64 smoothed_at(const Picture* p, const Result* results, i32 side, i32 x, i32 y) {
    const i32 wide = (p->width + side - 1) / side, high = (p->height + side - 1) / side;
    const i32 first_x = x / side - 2 + (side == 2 ? x % 2 : 0),
              first_y = y / side - 2 + (side == 2 ? y % 2 : 0);
    const f64  center = distance_at(p, x, y), value = value_of(p, center);
    const int  dx = nearer(distance_at(p, x - 1, y), center, distance_at(p, x + 1, y));
    const int  dy = nearer(distance_at(p, x, y - 1), center, distance_at(p, x, y + 1));
    const bool alone = dx == 0 || dy == 0;
    const f64  step_x = alone ? 0 : (value_of(p, distance_at(p, x + dx, y)) - value) * dx;
    const f64  step_y = alone ? 0 : (value_of(p, distance_at(p, x, y + dy)) - value) * dy;
    const f64  max = (f64)RADIUS_M / 4 * (p->eye->orthographic ? 1 : value * value);
    f64        sum = 0, weights = 0, nearest = HUGE_VAL, nearest_visible = 1;
    for (i32 k = 0; k < 16; k++) {
        const i32 at_x = first_x + k % 4, at_y = first_y + k / 4;
        if (at_x < 0 || at_y < 0 || at_x >= wide || at_y >= high) continue;
        const Result* r = &results[at_y * wide + at_x];
        const f64     far = distance_at(p, r->x, r->y);
        const f64     plane = value + step_x * (f64)(r->x - x) + step_y * (f64)(r->y - y);
        const f64     apart = isinf(far) ? 1e29 : fabs(value_of(p, far) - plane) / max;
        sum += fmax(1 - apart, 0) * r->visible;
        weights += fmax(1 - apart, 0);
        if (apart < nearest) nearest_visible = r->visible;
        nearest = fmin(nearest, apart);
    }
    return (sum + nearest_visible * 1e-3) / (weights + 1e-3);
}

/* --- comparisons --- */

static Point normal_of_word(u32 word) {
    const f64 x = (int16_t)(word & 0xffff) / 32767.0, y = (int16_t)(word >> 16) / 32767.0;
    Point     n = {x, y, 1 - fabs(x) - fabs(y)};
    if (n.z < 0) {
        n.x = copysign(1 - fabs(y), x);
        n.y = copysign(1 - fabs(x), y);
    }
    return unit(n);
}

/* The planes of the visible triangles. */
typedef struct Planes {
    const Stage*  stage;
    MeshInstance* instances;
    f32*          vertices;
    u32 *         indices, *ids, *visible;
    Mat34*        worlds;
} Planes;

static Planes planes_of(const Stage* s) {
    const Meshes* m = s->meshes;
    return (Planes){s,
                    read_back(&m->scene.instances, m->scene.instances.bytes),
                    read_back(&m->geometry.vertices, m->geometry.vertices.bytes),
                    read_back(&m->geometry.indices, m->geometry.indices.bytes),
                    test_image_read(gpu_for_test(), &s->canvas->raster.id,
                                    VK_IMAGE_ASPECT_COLOR_BIT, s->width, s->height, 8),
                    read_back(&m->scene.visible, m->scene.visible.bytes),
                    read_back(&m->lighting->places.transforms.column[COLUMN_WORLD],
                              m->lighting->places.transforms.column[COLUMN_WORLD].bytes)};
}

static void planes_free(Planes* t) {
    void* const all[] = {t->instances, t->vertices, t->indices, t->ids, t->visible, t->worlds};
    for (u32 i = 0; i < COUNT_OF(all); i++) free(all[i]);
}

/* The unit normal of the visible triangle on the side of the eye, and its distance from the origin. */
static bool plane_at(const Planes* t, i32 x, i32 y, Point* normal, f64* along) {
    const Stage* s = t->stage;
    if (x < 0 || y < 0 || x >= (i32)s->width || y >= (i32)s->height) return false;
    const u32* id = &t->ids[(y * (i32)s->width + x) * 2];
    if (id[0] == 0) return false;
    const MeshInstance* instance = &t->instances[t->visible[id[0] - 1]];
    const MeshRow*      mesh = &s->meshes->geometry.mesh[instance->mesh];
    const Mat34*        m = &t->worlds[instance->transform];
    const CanvasEye*    eye = &s->canvas->view;
    Point               corner[3];
    for (u32 k = 0; k < 3; k++) {
        const f32* v = t->vertices + mesh->position + t->indices[id[1] + k] * 3;
        f64        at[3];
        for (u32 i = 0; i < 3; i++)
            at[i] = (f64)m->m[i][0] * (f64)v[0] + (f64)m->m[i][1] * (f64)v[1] +
                    (f64)m->m[i][2] * (f64)v[2] + (f64)m->m[i][3];
        corner[k] = (Point){at[0], at[1], at[2]};
    }
    *normal = unit(cross(minus(corner[1], corner[0]), minus(corner[2], corner[0])));
    const Point to_eye = eye->orthographic ? scaled(point_of(eye->forward), -1)
                                           : minus(point_of(eye->origin), corner[0]);
    if (dot(*normal, to_eye) < 0) *normal = scaled(*normal, -1);
    *along = dot(*normal, corner[0]);
    return true;
}

static bool is_same_plane(const Planes* t, i32 x, i32 y, Point normal, f64 along) {
    Point other;
    f64   far;
    return plane_at(t, x, y, &other, &far) && dot(normal, other) > 0.9999999 &&
           fabs(along - far) < 1e-4;
}

/* Is the neighbour that has to be selected on the plane? When both are as near, both have to be. */
static bool neighbour_is_on(const Planes* t, const Picture* p, i32 x, i32 y, i32 dx, i32 dy) {
    Point normal;
    f64   along;
    if (!plane_at(t, x, y, &normal, &along)) return false;
    const f64 center = distance_at(p, x, y), before = distance_at(p, x - dx, y - dy),
              after = distance_at(p, x + dx, y + dy);
    const int  which = nearer(before, center, after);
    const f64  back = fabs(before - center), on = fabs(after - center);
    const bool is_on = which && is_same_plane(t, x + dx * which, y + dy * which, normal, along);
    if (isinf(before) || isinf(after) || fabs(back - on) > 1e-3 * (back + on)) return is_on;
    return is_on && is_same_plane(t, x - dx * which, y - dy * which, normal, along);
}

/* Is one of the two neighbours in a direction on the plane, selected or not? */
static bool any_is_on(const Planes* t, i32 x, i32 y, i32 dx, i32 dy) {
    Point normal;
    f64   along;
    return plane_at(t, x, y, &normal, &along) && (is_same_plane(t, x - dx, y - dy, normal, along) ||
                                                  is_same_plane(t, x + dx, y + dy, normal, along));
}

typedef struct Found {
    u32 exact, edge, sky;
    u32 possible
        [2]; /* with neighbours on the plane, one of which was not selected; more than a degree off */
    u32 wrong[2]; /* at edges: of words, and of those of the plain method */
    f64 worst;
} Found;

static void sample_compare(const Planes* t, const Picture* p, const u32* words, const u32* plain,
                           i32 i, Found* found) {
    const i32 x = i % p->width, y = i / p->width;
    Point     normal;
    f64       along;
    if (p->depth[i] == 0) {
        assert_int_equal(words[i], NORMALS_NONE);
        assert_int_equal(plain[i], NORMALS_NONE);
        found->sky++;
        return;
    }
    assert_true(words[i] != NORMALS_NONE);
    assert_true(plane_at(t, x, y, &normal, &along));
    const f64 off = degrees_between(normal_of_word(words[i]), normal);
    if (neighbour_is_on(t, p, x, y, 1, 0) && neighbour_is_on(t, p, x, y, 0, 1)) {
        if (off > 1) fail_msg("sample %d, %d: %.3f degrees", (int)x, (int)y, off);
        found->worst = fmax(found->worst, off);
        found->exact++;
        if (is_same_plane(t, x + 1, y, normal, along) && is_same_plane(t, x, y + 1, normal, along))
            return;
    } else if (any_is_on(t, x, y, 1, 0) && any_is_on(t, x, y, 0, 1)) {
        found->possible[0]++;
        found->possible[1] += off > 1;
    }
    found->edge++;
    found->wrong[0] += off > 10;
    found->wrong[1] += degrees_between(normal_of_word(plain[i]), normal) > 10;
}

static void normals_of_visible_triangles_are_found_within_a_degree(void** state) {
    Found found = {0};
    UNUSED(state);
    TEST_NEEDS_RASTER;
    TEST_NEEDS("python3");
    Stage* const s = yard_open();
    for (View view = 0; view < VIEWS; view++) {
        stage_draw(s, view, 120, 90);
        Planes  t = planes_of(s);
        Picture p = picture_of(s);
        u32 *   words = words_of(s, &normals_direct), *plain = words_of(s, &normals_plain);
        for (i32 i = 0; i < p.width * p.height; i++)
            sample_compare(&t, &p, words, plain, i, &found);
        planes_free(&t);
        free(p.depth);
        free(words);
        free(plain);
    }
    print_message(
        "%u samples within %.3f degrees; of %u at edges, %u are wrong, %u without a choice\n",
        found.exact, found.worst, found.edge, found.wrong[0], found.wrong[1]);
    print_message("%u other samples have neighbours on their plane, %u of them are wrong\n",
                  found.possible[0], found.possible[1]);
    assert_true(found.possible[0] * 10 < found.exact);
    assert_true(found.exact > 20000 && found.edge > 500 && found.sky > 500);
    assert_true(found.wrong[0] * 2 < found.wrong[1]);
    test_gpu_silent();
}

static void words_of_all_methods_with_a_choice_are_equal(void** state) {
    static const u32 sizes[][2] = {{120, 90}, {17, 9}, {1, 1}, {3, 2}, {4, 1}, {64, 33}};
    static const u32 rows[] = {4, 1, 2, 8};
    UNUSED(state);
    TEST_NEEDS_RASTER;
    TEST_NEEDS("python3");
    Stage* const s = yard_open();
    for (u32 i = 0; i < (is_short() ? 2u : COUNT_OF(sizes)) * VIEWS; i++) {
        stage_draw(s, i % VIEWS, sizes[i / VIEWS][0], sizes[i / VIEWS][1]);
        if (i % VIEWS == 0) { /* kernels with another number of rows */
            normals_destroy(&s->normals);
            normals_create(&s->normals, gpu_for_test());
            s->normals.rows[0] = rows[i / VIEWS % COUNT_OF(rows)];
            s->normals.rows[1] = rows[(i / VIEWS + 3) % COUNT_OF(rows)];
            normals_resize(&s->normals, s->width, s->height);
        }
        u32 *direct = words_of(s, &normals_direct), *shared = words_of(s, &normals_shared);
        u32 *strips = words_of(s, &normals_strips), *pairs = words_of(s, &normals_pairs);
        assert_memory_equal(direct, shared, (size_t)s->width * s->height * 4);
        assert_memory_equal(direct, strips, (size_t)s->width * s->height * 4);
        assert_memory_equal(direct, pairs, (size_t)s->width * s->height * 4);
        free(pairs);
        free(strips);
        free(direct);
        free(shared);
    }
    test_gpu_silent();
}

/* Depths of steps and slopes, with holes. They are uploaded, because one device cannot draw with subgroups of 16. */
static void depths_fill(f32* depth, u32 width, u32 height) {
    Random r = {9};
    for (u32 i = 0; i < width * height; i++) {
        const f32 x = (f32)(i % width), y = (f32)(i / width);
        const f32 step = (f32)(i % width / 7 * 5 % 3) * 0.1f + (f32)(i / width / 5 % 4) * 0.03f;
        depth[i] = 0.2f + step + x * 0.001f + y * 0.0007f;
        if (random_float(&r, 0, 1) < 0.1f) depth[i] = random_float(&r, 0, 1) < 0.5f ? 0 : 0.9f;
    }
}

static void words_from_uploaded_depths_are_equal_with_all_methods(void** state) {
    static const u32 sizes[][2] = {{120, 90}, {17, 9}, {1, 1}, {4, 1}, {64, 33}};
    Gpu* const       gpu = gpu_for_test();
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(sizes) * VIEWS; i++) {
        const u32        width = sizes[i / VIEWS][0], height = sizes[i / VIEWS][1];
        const CanvasView view = view_of((View)(i % VIEWS));
        const CanvasEye  eye = canvas_eye(&view, width, height, 1);
        f32*             depth = malloc((size_t)width * height * sizeof *depth);
        TestDepth        image;
        Normals          n;
        depths_fill(depth, width, height);
        test_depth_create(&image, gpu, width, height, depth);
        normals_create(&n, gpu);
        normals_resize(&n, width, height);
        const GpuPicture picture = {
            .view = &eye, .images = image.images, .width = width, .height = height};
        u32* direct = words_from(&n, &picture, &normals_direct);
        for (u32 k = 1; k < COUNT_OF(equal_methods); k++) {
            u32* words = words_from(&n, &picture, equal_methods[k]);
            assert_memory_equal(direct, words, (size_t)width * height * 4);
            free(words);
        }
        for (u32 k = 0; k < width * height; k++)
            assert_int_equal(direct[k] == NORMALS_NONE, depth[k] == 0);
        normals_destroy(&n);
        test_depth_destroy(&image, gpu);
        free(direct);
        free(depth);
    }
    test_gpu_silent();
}

/* A picture of one sample: no neighbours. */
static void surface_without_neighbours_faces_the_eye(void** state) {
    Stage s;
    UNUSED(state);
    TEST_NEEDS_RASTER;
    if (is_short()) return;
    TEST_NEEDS("python3");
    stage_open(&s, "floor");
    for (View view = 0; view < VIEWS; view++) {
        for (u32 k = 0; k <= COUNT_OF(equal_methods); k++) {
            stage_draw(&s, view, 1, 1);
            const CanvasEye* eye = &s.canvas->view;
            u32*             words =
                words_of(&s, k < COUNT_OF(equal_methods) ? equal_methods[k] : &normals_plain);
            const Point to_eye = scaled(point_of(eye->forward), -1);
            assert_true(degrees_between(normal_of_word(words[0]), to_eye) < 0.01);
            free(words);
        }
    }
    stage_close(&s);
}

/* Samples of which another point of the pattern was looked up, because a coordinate is next to a limit between
 * samples, may differ by a little more. */
static void occlusion_compare(Stage* s, bool half, u32* compared, u32* apart) {
    const i32 side = half ? 2 : 1;
    Picture   p = picture_of(s);
    Result*   results = results_of(&p, side);
    u8*       visible = visible_of(s, half);
    for (i32 i = 0; i < p.width * p.height; i++) {
        const i32 x = i % p.width, y = i / p.width;
        const f64 expected =
            isinf(distance_at(&p, x, y)) ? 1 : smoothed_at(&p, results, side, x, y);
        const f64 off = fabs(visible[i] - expected * 255);
        if (off > 8)
            fail_msg("view %d, sample %d, %d: %d, not %.2f", (int)p.eye->orthographic, (int)x,
                     (int)y, visible[i], expected * 255);
        *apart += off > 2;
        *compared += 1;
    }
    free(p.depth);
    free(results);
    free(visible);
}

static void occlusion_equals_that_in_double_precision(void** state) {
    static const u32 sizes[][2] = {{17, 9}, {120, 90}, {1, 1}, {3, 2}};
    u32              compared = 0, apart = 0;
    UNUSED(state);
    TEST_NEEDS_RASTER;
    TEST_NEEDS("python3");
    Stage* const s = yard_open();
    for (u32 i = 0; i < (is_short() ? 2u : COUNT_OF(sizes)) * VIEWS * 2; i++) {
        if (is_short() && i / 2 % VIEWS != VIEW_INFINITE) continue;
        stage_draw(s, i / 2 % VIEWS, sizes[i / 2 / VIEWS][0], sizes[i / 2 / VIEWS][1]);
        occlusion_compare(s, i % 2, &compared, &apart);
    }
    print_message("%u of %u samples differ by more than 2 / 255\n", apart, compared);
    assert_true(apart * 1000 <= compared);
    test_gpu_silent();
}

static void flat_plane_has_no_occlusion_at_all(void** state) {
    Stage s;
    UNUSED(state);
    TEST_NEEDS_RASTER;
    if (is_short()) return;
    TEST_NEEDS("python3");
    stage_open(&s, "floor");
    for (u32 i = 0; i < VIEWS * 2; i++) {
        stage_draw(&s, i / 2, 120, 90);
        u8* visible = visible_of(&s, i % 2);
        for (u32 k = 0; k < 120 * 90; k++) assert_int_equal(visible[k], 255);
        free(visible);
    }
    stage_close(&s);
}

/* A floor before a wall: dark where both meet, and free elsewhere, also at the borders of the picture. */
static void corner_is_dark_and_its_surroundings_are_not(void** state) {
    Stage s;
    UNUSED(state);
    TEST_NEEDS_RASTER;
    if (is_short()) return;
    TEST_NEEDS("python3");
    stage_open(&s, "corner");
    for (u32 i = 0; i < VIEWS * 2; i++) {
        u32 edge = 0, sum = 0;
        stage_draw(&s, i / 2, 120, 90);
        const CanvasEye* eye = &s.canvas->view;
        Picture          p = picture_of(&s);
        u8*              visible = visible_of(&s, i % 2);
        for (i32 k = 0; k < p.width * p.height; k++) {
            const f64 far = distance_at(&p, k % p.width, k / p.width);
            if (isinf(far)) continue;
            const Point at = position_at(&p, k % p.width, k / p.width, far);
            const Point x = unit(point_of(eye->right)), y = unit(point_of(eye->up));
            const Point aside = plus(scaled(x, at.x), scaled(y, at.y));
            const Point world =
                plus(point_of(eye->origin), plus(aside, scaled(point_of(eye->forward), far)));
            const f64 from_floor = world.y + 0.9, from_wall = world.z + 2.9;
            const f64 from_edge = fmax(fabs(from_floor), fabs(from_wall));
            if (from_edge < 0.1) {
                sum += visible[k];
                edge++;
            } else if (from_edge > 1) {
                assert_int_equal(visible[k], 255);
            }
        }
        assert_true(edge > 50);

        /* the mean of some samples of up to 0.3 m */
        assert_in_range(sum / edge, 100, i % 2 ? 240 : 220);
        free(p.depth);
        free(visible);
    }
    stage_close(&s);
}

/* --- failures, other devices --- */

typedef struct Recorded {
    Normals normals;
    Canvas* canvas;
} Recorded;

static ent_status all_record(void* state, GpuFrame* frame) {
    Recorded*  r = state;
    GpuPicture picture = {.frame = frame,
                          .view = &r->canvas->view,
                          .images = r->canvas->raster.images,
                          .width = 16,
                          .height = 12};
    for (u32 k = 0; k < COUNT_OF(equal_methods); k++)
        TRY(normals_record(&r->normals, &frame->list, &picture, equal_methods[k]));
    TRY(normals_record(&r->normals, &frame->list, &picture, &normals_plain));
    TRY(normals_occlusion_record(&r->normals, &frame->list, &picture, RADIUS_M, true));
    return normals_occlusion_record(&r->normals, &frame->list, &picture, RADIUS_M, false);
}

static ent_status recorded_with_fault(u32 fault_call, VkResult fault, bool* reached) {
    const CanvasDesc desc = {.width = 16, .height = 12, .samples = 1};
    const CanvasView view = view_of(VIEW_FAR);
    Recorded         r = {0};
    Gpu*             gpu = NULL;
    ent_status       status = test_gpu_open(&gpu, fault_call, fault);
    *reached = true;
    if (status != ENT_OK) return status;
    const u64 before = ent_gpu_bytes(gpu);
    normals_create(&r.normals, gpu);
    normals_resize(&r.normals, 16, 12);
    status = ent_canvas_create(&r.canvas, gpu, &desc);
    if (status == ENT_OK) status = ent_picture_draw(r.canvas, NULL, &view);
    if (status == ENT_OK) status = test_gpu_frame(gpu, all_record, &r);
    *reached = gpu->calls >= fault_call;
    normals_destroy(&r.normals);
    ent_canvas_destroy(r.canvas);
    assert_int_equal(ent_gpu_bytes(gpu), before);
    assert_int_equal(ent_gpu_validation_count(gpu), 0);
    ent_gpu_destroy(gpu);
    return status;
}

static void normals_with_any_failing_vulkan_call_return_status(void** state) {
    u32  call = 25;
    bool reached = true;
    UNUSED(state);
    TEST_NEEDS_RASTER;
    if (is_short()) return;
    for (; call < 300; call += 11) {
        const VkResult   fault = call % 2 ? VK_ERROR_OUT_OF_DEVICE_MEMORY : VK_ERROR_DEVICE_LOST;
        const ent_status status = recorded_with_fault(call, fault, &reached);
        if (!reached) break;
        assert_int_equal(status, call % 2 ? ENT_NO_MEMORY : ENT_DEVICE_LOST);
    }
    assert_in_range(call, 50, 299);
}

static void normals_with_other_subgroup_sizes_pass_the_same_tests(void** state) {
    UNUSED(state);
    test_gpu_widths("normals", 512);
}

TEST_SUITE(normals) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_of_all_methods_with_a_choice_are_equal),
        cmocka_unit_test(words_from_uploaded_depths_are_equal_with_all_methods),
        cmocka_unit_test(normals_of_visible_triangles_are_found_within_a_degree),
        cmocka_unit_test(surface_without_neighbours_faces_the_eye),
        cmocka_unit_test(occlusion_equals_that_in_double_precision),
        cmocka_unit_test(flat_plane_has_no_occlusion_at_all),
        cmocka_unit_test(corner_is_dark_and_its_surroundings_are_not),
        cmocka_unit_test(normals_with_any_failing_vulkan_call_return_status),
        cmocka_unit_test(normals_with_other_subgroup_sizes_pass_the_same_tests)};
    return gpu_suite_end(test_run_fixtures("normals", tests, COUNT_OF(tests), NULL, yard_close));
}
