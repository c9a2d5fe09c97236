/* exposure.c - how bright a picture is.
 *
 * By day, in a world with a directional light, the sky is as bright as its surfaces under a sun that is white at
 * DAY_REFERENCE; both get the factor with which the median luminance of the lit surfaces is DAY_MEDIAN. At night the
 * sky is almost black, and the median is NIGHT_MEDIAN. EV as in ISO 2720, for ISO 100. */
#include "exposure.h"

#include <math.h>
#include <stdlib.h>

#include "rows.h"
#include "vec.h"

#define DAY_MEDIAN   0.21f
#define NIGHT_MEDIAN 0.14f /* two thirds of that */
#define DAY_REFERENCE                                                                              \
    0.9f /* luminance of a white matt surface that faces the sun under a sky of 1 */
#define NIGHT_SKY     0.03f
#define NIGHT_SCALE   16.0f /* measured luminance of a surface at 1 m from the brightest light */
#define SKY_BRIGHTEST 0.52f /* channel of a sky of 1 */
#define UNLIT_EV      15.0f /* at which a world without lights looks as it is */
#define PI            3.14159265f

bool exposure_read(const char* text, f32* ev) {
    char* end;
    *ev = strtof(text, &end);
    return end != text && !*end && *ev >= EXPOSURE_EV_LOW && *ev <= EXPOSURE_EV_HIGH;
}

static f32 factor_of(f32 ev) { return 1 / (1.2f * exp2f(ev)); }
static f32 ev_of(f32 factor) { return log2f(1 / (1.2f * factor)); }

Exposure exposure_of(World* world, const f32* ev) {
    const LightRows rows = ent_light_rows(world);
    Exposure        e = {.is_set = ev != NULL, .ev = ev ? *ev : 0, .is_lit = rows.count > 0};
    for (u32 i = 0; i < rows.count; i++) {
        const LightRecord* light = &rows.record[i];
        e.brightest = MAX_OF(e.brightest, light->intensity);
        if (light->kind == LIGHT_DIRECTIONAL && e.sun_lux == 0) e.sun_lux = light->intensity;
    }
    return e;
}

bool exposure_is_measured(const Exposure* e) { return !e->is_set && e->brightest > 0; }

/* The factor of the picture that is measured. */
static f32 reference(const Exposure* e) {
    return e->sun_lux > 0 ? DAY_REFERENCE * PI / e->sun_lux : NIGHT_SCALE / e->brightest;
}

void exposure_prepare(const Exposure* e, CanvasView* view) {
    view->exposure = reference(e);
    view->dimmed = e->sun_lux > 0 ? 0 : 1;
}

/* A world without lights: the light of the view is that of a day. */
static void unlit_apply(const Exposure* e, CanvasView* view) {
    const f32 factor = exp2f(UNLIT_EV - e->ev);
    if (!e->is_set) return;
    view->exposure = factor;
    view->light_color = vec3_scale(view->light_color, factor);
    view->dimmed = 1 - factor;
}

void exposure_apply(Exposure* e, const CanvasLight* light, CanvasView* view) {
    if (!e->is_lit) {
        unlit_apply(e, view);
        return;
    }
    const bool is_day = e->sun_lux > 0;
    f32        factor = e->is_set ? factor_of(e->ev) : e->brightest > 0 ? reference(e) : 1;
    view->white = 0;
    if (light && light->samples > 0) {
        const f32 more = (is_day ? DAY_MEDIAN : NIGHT_MEDIAN) / light->median;
        factor *= more;
        view->white = MAX_OF(light->bright * more + (is_day ? 0 : NIGHT_SKY * SKY_BRIGHTEST), 1);
    }
    e->ev = ev_of(factor);
    view->exposure = factor;
    view->dimmed = 1 - (is_day ? factor * e->sun_lux / (DAY_REFERENCE * PI) : NIGHT_SKY);
}
