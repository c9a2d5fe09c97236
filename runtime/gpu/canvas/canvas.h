/* canvas.h - offscreen pictures of a world, rendered from a camera.
 *
 *     EntCanvas*    canvas;
 *     EntCanvasDesc desc = {0};
 *     desc.width = 1280;
 *     desc.height = 720;
 *     if (ent_canvas_create(&canvas, gpu, &desc) != ENT_OK) return 1;
 *     // In a frame: ent_picture_record and ent_canvas_read_later
 *     if (ent_picture_draw(canvas, &parts, &view) != ENT_OK) return 1; // gpu_picture.h
 *     if (ent_canvas_read(canvas, pixels) != ENT_OK) return 1;
 *     ent_canvas_destroy(canvas);
 *
 * Systems draw depth and the number of the visible element; kernels then compute the colour of each sample. A device
 * draws the same picture every time; pictures of different devices differ at edges by a sample. */
#ifndef ENT_CANVAS_H
#define ENT_CANVAS_H

#include "gpu_frame.h"
#ifdef ENT_BUILD
#include "camera.h"
#else
#include "records.h"
#endif

typedef struct EntCanvas EntCanvas;
/* A picture that is being recorded. */
typedef struct EntGpuPicture EntGpuPicture;

typedef enum EntCanvasImage { ENT_CANVAS_IMAGE_DEPTH, ENT_CANVAS_IMAGE_ID } EntCanvasImage;

typedef struct EntCanvasDesc {
    uint32_t width, height; /* pixels */
    /* Samples of a pixel along each side, 1 to 4; 0: 2 if the device supports it, else 1. */
    uint32_t    samples;
    EntGpuTimes times; /* of ent_picture_draw */
} EntCanvasDesc;

/* What a picture shows of the surfaces of a world. */
typedef enum EntCanvasShows {
    ENT_CANVAS_SHOWS_LIT,
    ENT_CANVAS_SHOWS_ALBEDO,    /* colours without light */
    ENT_CANVAS_SHOWS_NORMALS,   /* directions in the world: red x, green y, blue z; 0.5: 0 */
    ENT_CANVAS_SHOWS_DEPTH,     /* distance along the view: lines of equal distance each metre */
    ENT_CANVAS_SHOWS_OCCLUSION, /* how much of the sky is visible */
    ENT_CANVAS_SHOWS_NORMALS_DEPTH, /* normals that are computed from depth, */
    ENT_CANVAS_SHOWS_NORMALS_PLAIN, /* and without a choice of neighbours: for comparison */
    ENT_CANVAS_SHOWS_HEAT, /* lights of a tile: 0 black, 16 blue, 32 green, 64 red, 128 white */
    ENT_CANVAS_SHOWS_SPEED /* of what is simulated: blue at rest, then cyan, then white */
} EntCanvasShows;

/* What transparent surfaces of meshes receive of the shadows of lights that cast. Opaque surfaces receive
 * opaque shadows and, behind transparent surfaces, the colours of these.
 *
 *   TWO_DEPTHS  transparent surfaces behind others receive coloured shadows as well. The colour is that of all
 *               transparent surfaces in that place of the shadow map, so that it contains the colour of the
 *               receiver, by which it is also multiplied itself, and of those behind it
 *   SIMPLE      they receive opaque shadows only: transparent surfaces do not colour each other
 *   OFF         no light casts a shadow */
typedef enum EntCanvasShadows {
    ENT_CANVAS_SHADOWS_TWO_DEPTHS,
    ENT_CANVAS_SHADOWS_SIMPLE,
    ENT_CANVAS_SHADOWS_OFF
} EntCanvasShadows;

typedef struct EntCanvasView {
    EntCameraRecord camera;      /* its target is ignored; an orthographic camera with a far_m of 0
                                has its far plane at 1000 times its height */
    EntMat34        pose;        /* of the camera; its scale is ignored */
    EntVec3         light;       /* unit vector towards the light of a world without lights */
    EntVec3         light_color; /* linear RGB */
    float           exposure;    /* factor for the lights of the world, whose units are those
                                    of KHR_lights_punctual. The tone curve of each channel c, linear:
                                        c <= 0.8    c
                                        c >  0.8    0.8 + 0.2 (1 - exp((0.8 - c) / 0.2))
                                    0: a factor of 1, and min(c, 1) instead of the curve */
    float white;  /* 0: the tone curve above. Otherwise at least 1: the value that becomes 1, by
                                        c <= 0.5    c
                                        c >  0.5    0.5 + 0.5 ln(1 + k (2 c - 1)) / k
                                    where k is the number with ln(1 + k (2 white - 1)) = k */
    float dimmed; /* 0: the sky has its full brightness, 1: it is black, -1: twice that */
    float occlusion_m; /* radius of the ambient occlusion; 0: none is computed */
    EntCanvasShows   shows;
    EntCanvasShadows shadows;
    int              has_sky;     /* 1: the sky is drawn behind everything, 0: a backdrop */
    const EntVec4*   plane;       /* [plane_count] unit normal to the free side, and its dot product
                                with a point of the plane. A plane is visible only from its free
                                side, and only on the free side of all other planes */
    uint32_t         plane_count; /* at most ENT_GPU_PLANES_MAX */
    EntVec3          center;      /* planes are drawn around it */
    float            reach_m;     /* to this distance, where they fade out */
    float            grid_m;      /* distance between their grid lines */
    float            time_s;      /* of what moves by itself, such as normal maps */
    float            fall_m; /* particles of fluids in free fall from this height reach the speed
                                     that ENT_CANVAS_SHOWS_SPEED shows in white */
} EntCanvasView;

#ifdef __cplusplus
extern "C" {
#endif

/* Returns  ENT_OK; ENT_LIMIT after a message with the largest possible size; ENT_NO_MEMORY or
 *          ENT_DEVICE_FAULT. After a failure there is nothing to destroy.
 * Cost     20 bytes of device memory per sample, and 4 per pixel; when something is blended, 8 more per sample, and up to
 *          168 MB for layers, within half of the memory that is left. */
ENT_API ENT_MUST_CHECK EntStatus ent_canvas_create(EntCanvas** canvas, EntGpu* gpu,
                                                   const EntCanvasDesc* desc);
ENT_API void                     ent_canvas_destroy(EntCanvas* canvas);

/* The light that reaches the surfaces of a picture. */
typedef struct EntCanvasLight {
    uint64_t samples; /* that a light of the world reaches; 0: the others are 0 */
    float    median;  /* of their luminance, linear, before the tone curve */
    float    bright;  /* of their brightest channel: 0.5 % of them are brighter */
} EntCanvasLight;

/* Reads the picture that was drawn last, after waiting for it.
 *
 *   rgba  [height * width * 4] sRGB, the top row first; alpha is 255 */
ENT_API ENT_MUST_CHECK EntStatus ent_canvas_read(EntCanvas* canvas, unsigned char* rgba);

/* Blended surfaces of all pictures that are complete, without the surroundings of probes. A layer is one of them at one
 * sample. */
typedef struct EntCanvasLayers {
    uint64_t pictures; /* with such surfaces in the world */
    uint64_t parts;    /* parts of instances that were drawn */
    uint64_t layers;
    uint64_t samples; /* with layers */
    uint64_t dropped; /* samples of which some are not drawn, which a warning reports */
    uint64_t deepest; /* the highest number of layers at a sample */
} EntCanvasLayers;

ENT_API void ent_canvas_layers(const EntCanvas* canvas, EntCanvasLayers* layers);

/* Reads the picture that was recorded last when the frame is complete: ent_gpu_frame_read, with the
 * bytes of ent_canvas_read. */
ENT_API ENT_MUST_CHECK EntStatus ent_canvas_read_later(EntCanvas* canvas, EntGpuFrame* frame,
                                                       EntGpuReadDone* done, void* user);

/* The images of the last picture, for a host's own passes (gpu_vulkan.h). They stay in their layout, and
 * are written again by the next picture.
 *
 *   ENT_CANVAS_IMAGE_DEPTH  reversed: 1 at near_m, 0 at far_m and where nothing is
 *   ENT_CANVAS_IMAGE_ID     two words: 1 + the number of the element in the picture, and a word of its
 *                           kind, of meshes the first index of the triangle; 0: nothing */
ENT_API void ent_canvas_image(const EntCanvas* canvas, EntCanvasImage which,
                              EntGpuImageView* image);
/* The bytes of ent_canvas_read. */
ENT_API void ent_canvas_range(const EntCanvas* canvas, EntGpuRange* range);

/* Times of the last picture of ent_picture_draw in milliseconds: the total, and the times of its passes,
 * at most `capacity` of them. */
ENT_API double   ent_canvas_ms(const EntCanvas* canvas);
ENT_API uint32_t ent_canvas_times(const EntCanvas* canvas, EntGpuTime* times, uint32_t capacity);

#ifdef __cplusplus
}
#endif

#endif
