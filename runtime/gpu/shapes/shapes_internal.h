/* shapes_internal.h - elements of a shape, from buffers on the device: what systems need to draw theirs. A shape is a
 * ShapeKind: two shaders that rasterise an element, in pictures and shadow maps, and a kernel that states its surface.
 *
 *     typedef struct Bubbles {
 *         Shapes shapes; first, because the phases of SHAPES_PHASES are called with it
 *         ...
 *     } Bubbles;
 *     create:       TRY(shapes_create(&bubbles->shapes, gpu, scene->lighting));
 *     phase place:  shapes_clear(&bubbles->shapes); TRY(shapes_add(&bubbles->shapes, &draw));
 *     destroy:      shapes_destroy(&bubbles->shapes);
 *
 * shapes.c          the phases of a picture
 * shapes_draws.c    draws
 * shapes_splat.c    many spheres
 * shapes_spheres.c  the shape
 * shapes_discs.c    the shape
 * shapes_planes.c   the shape, and its system
 * shapes_host.c     elements of arrays */
#ifndef ENT_SHAPES_INTERNAL_H
#define ENT_SHAPES_INTERNAL_H

#include "canvas_draw.h"
#include "gpu_pipeline.h"
#include "gpu_system_internal.h"
#include "library.h"
#include "lighting_internal.h"
#include "shapes.h"

#include "shapes_io.h"

/* How the elements of a shape are drawn. */
typedef struct ShapeKind {
    const char*   name;               /* for messages */
    const u32 *   vert, *frag, *cast; /* `cast`: frag without its output; NULL: it does not cast */
    size_t        vert_bytes, frag_bytes, cast_bytes;
    GpuKernelDesc surface;      /* with surface_fetch */
    u32           vertex_count; /* of the strip of an element */
    bool          is_sphere;    /* many are drawn by kernels */
    bool          is_backdrop;  /* one element covers the picture: it is not culled */
} ShapeKind;

#define SHAPE_STAGES(stem)                                                                         \
    .name = #stem, .vert = stem##_vert, .vert_bytes = sizeof stem##_vert, .frag = stem##_frag,     \
    .frag_bytes = sizeof stem##_frag, .surface = GPU_KERNEL_OF(stem, LIGHTING_GROUP)
#define SHAPE_CASTS(stem) .cast = stem##_cast_frag, .cast_bytes = sizeof stem##_cast_frag

extern const ShapeKind shape_spheres, shape_discs;

/* Elements of one kind. An element of each buffer is a vec4. */
typedef struct ShapeDraw {
    const ShapeKind* kind;
    const void*      user; /* of `prepare` */
    /* Records passes that write the buffers; NULL: none. */
    void (*prepare)(const void* user, GpuList* list);
    u32       count;         /* elements */
    u32       id_count;      /* 0: count */
    GpuBuffer element;       /* [count] of a sphere x, y, z; of a disc x, y, radius in the plane */
    GpuBuffer extra;         /* [count] velocity; of a disc also the word with its heat */
    GpuBuffer planes;        /* of planes */
    u32       word;          /* of discs: which word of `extra` is the heat */
    bool      is_flat;       /* elements are in the XY plane of `pose` */
    Mat34     pose;          /* of the space of elements */
    f32       radius_m;      /* around the centre of an element, in the world */
    f32       speed_max_m_s; /* 0: they have no speed */
    u32       of_kind; /* of elements that are drawn, plus 1: ELEMENT_KIND of their word; 0: all */
    bool      has_lives; /* of discs: the word of an element has how much of its life it has had */
    Vec3      color_end; /* factor of the colour, at its end */
    EntShapesLook look;
} ShapeDraw;

/* The pipelines and the kernel of a kind; created when they are needed. */
typedef struct ShapeObjects {
    const ShapeKind* kind;
    VkPipeline       surface, caster;
    GpuKernel        shade;
} ShapeObjects;

/* From this number of spheres in a draw on, kernels find the samples; measured on an H200. */
#define SHAPES_SPLAT_MIN 65536u
#define SHAPES_KINDS_MAX 4u

/* The constant of the kernels. */
typedef enum ShapesSplatPass {
    SHAPES_SPLAT_DEPTHS,
    SHAPES_SPLAT_NUMBERS,
    SHAPES_SPLAT_CASTS,
    SHAPES_SPLAT_PASSES
} ShapesSplatPass;

typedef struct ShapesSplat {
    GpuKernel  small[SHAPES_SPLAT_PASSES], large[SHAPES_SPLAT_PASSES];
    GpuPool    pool;
    GpuBuffer  nearest, number, list;
    u64        samples; /* for which there is memory */
    VkPipeline pipeline;
} ShapesSplat;

typedef struct Shapes {
    Gpu*            gpu;
    Lighting*       lighting; /* NULL: nothing is drawn */
    ShapeDraw       draw[SHAPES_DRAWS_MAX];
    u32             draw_count;
    ShapeObjects    objects[SHAPES_KINDS_MAX];
    GpuKernel       bounds, find, casters;
    GpuPool         pool;
    GpuBuffer       boxes, commands, casts;
    u32             splat_min; /* spheres of a draw */
    ShapesSplat     splat;     /* empty until a picture has such a draw */
    ShadowsFollowed followed;
    bool            moved;      /* elements have moved since shadow maps were drawn */
    bool            has_bounds; /* of the draws, in this frame */
} Shapes;

/* After a failure it can still be destroyed. Without a lighting, draws are ignored. */
MUST_CHECK ent_status shapes_create(Shapes* shapes, Gpu* gpu, void* lighting);
void                  shapes_destroy(Shapes* shapes);

/* Adds a draw to the next pictures; its buffers exist until it is cleared. Returns as ent_shapes_spheres. */
MUST_CHECK ent_status shapes_add(Shapes* shapes, const ShapeDraw* draw);
void                  shapes_clear(Shapes* shapes);

/* Has the library others than in this state, which becomes the present one? False without a library. */
bool shapes_looks_differ(GpuSeen* seen, const Library* library);
/* The factors of a material; without one, a dielectric of roughness 0.4. A missing one is reported. */
EntShapesLook shapes_look(const Shapes* shapes, const Library* library, ResourceRef material,
                          Vec3 color);

/* In the phase `place`, when draws are added: what moves is drawn into shadow maps again.
 *
 *   moved  the device has moved elements since the last call */
void shapes_follow(Shapes* shapes, bool moved);

/* The phases of a system whose state begins with a Shapes. */
u32                   shapes_ids(const void* shapes);
MUST_CHECK ent_status shapes_cull(void* shapes, GpuPicture* picture);
MUST_CHECK ent_status shapes_surfaces(void* shapes, GpuPicture* picture);
MUST_CHECK ent_status shapes_casters(void* shapes, GpuPicture* picture);
MUST_CHECK ent_status shapes_shadows(void* shapes, GpuPicture* picture);
MUST_CHECK ent_status shapes_shade(void* shapes, GpuPicture* picture);

#define SHAPES_PHASES                                                                              \
    [ENT_GPU_CULL] = shapes_cull, [ENT_GPU_SURFACES] = shapes_surfaces,                            \
    [ENT_GPU_CASTERS] = shapes_casters, [ENT_GPU_SHADOWS] = shapes_shadows,                        \
    [ENT_GPU_SHADE] = shapes_shade

/* --- for the files of this module --- */

ShapesPush shapes_push(const Shapes* shapes, const GpuPicture* picture, u32 which);
u64        shapes_command(u32 which, u32 member); /* its offset in `commands` */

bool                  shapes_is_splatted(const Shapes* shapes, u32 which);
MUST_CHECK ent_status shapes_splat_need(Shapes* shapes, const GpuPicture* picture);
void                  shapes_splat_destroy(Shapes* shapes);
/* Records the passes "splat". */
void shapes_splat_record(const Shapes* shapes, const GpuPicture* picture);
/* Draws what they have found of a draw. */
void shapes_splat_draw(const Shapes* shapes, const GpuPicture* picture, u32 which);
/* Records the passes that find what a draw casts, after that which finds into which maps. */
MUST_CHECK ent_status shapes_splat_cast(Shapes* shapes, const GpuPicture* picture, u32 which);

#endif
