/* exposure.h - how bright a picture is: by the light that reaches its surfaces, or as the user sets it. */
#ifndef ENTRUN_EXPOSURE_H
#define ENTRUN_EXPOSURE_H

#include "canvas.h"
#include "ent.h"

/* EV of ISO 100: a luminance of 1.2 * 2^EV cd/m2 is white. */
#define EXPOSURE_EV_LOW  (-20.0f)
#define EXPOSURE_EV_HIGH 30.0f

typedef struct Exposure {
    bool is_set;    /* by the user: ev */
    bool is_lit;    /* the world has lights */
    f32  sun_lux;   /* illuminance of the first directional light; 0: it is night */
    f32  brightest; /* intensity of the brightest light */
    f32  ev;        /* of the last picture */
} Exposure;

/* "12.5"; false: it is not a number within the bounds. */
bool exposure_read(const char* text, f32* ev);

/* Looks at the lights of the world; `ev`: NULL, or what the user sets. */
Exposure exposure_of(World* world, const f32* ev);

/* Does the light of the next picture have to be measured? */
bool exposure_is_measured(const Exposure* exposure);

/* Makes `view` one for ent_picture_meter. */
void exposure_prepare(const Exposure* exposure, CanvasView* view);

/* Sets exposure, sky and white of the view; `light`: what was measured with a view of exposure_prepare, or
 * NULL when nothing is measured. */
void exposure_apply(Exposure* exposure, const CanvasLight* light, CanvasView* view);

#endif
