// lighting_surface.glsl - the colour of a surface under the lights, shadows, decals and probes of its tile: for opaque
// surfaces, and with IS_TRANSPARENT for blended ones. Before it, a shader includes the view of the canvas.
#include "lights_io.h"
#include "lighting_io.h"
#include "shadows_io.h"
#include "lighting_normal.glsl"
#include "lighting_texture.glsl"
#include "lighting_look.glsl"
#ifdef LISTS
#include "lights_list_cursor.glsl"
#else
#include "lights_cursor.glsl"
#endif
#include "lights_lamp.glsl"
#include "lighting_probes.glsl"
#include "shadows_lookup.glsl"
#include "lighting_cookie.glsl"
#include "lighting_lamps.glsl"
#include "lighting_decals.glsl"
#include "lighting_shown.glsl"

// What a shape states of a point that is seen.
struct Surface {
    vec3 at, dx, dy;    // in the world, and how it changes to the next samples
    vec3 plane;         // unit normal of its plane, for shadows
    Look look;
    bool has_decals;
    float cover;        // 1: it hides what is behind it
    float bend;         // of a layer: by how much its index of refraction exceeds 1
    float thick_m;      // of a layer that refracts: where that ends, along its normal
    vec3  passes;       // of glass: what it leaves of the light behind it; negative: it is none
    float speed;        // 1: as fast as can be shown; negative: it is not simulated
};

// The lights of a tile at surfaces, or for blended ones also before them.
//   place  of the sample in the picture
//   far    along the view
vec3 surface_color(Surface s, vec2 place, float far, uint set) {
    const vec3 facing = dot(s.plane, s.look.to_eye) < 0 ? -s.plane : s.plane;
    if (eye.shows == CANVAS_SPEED) return speed_shown(s.look, s.speed);
    plane_normal = s.plane;
    shadow_turn = turn_at(place);
    if (s.has_decals) decals_add(s.look, s.at, s.dx, s.dy, facing, set);
    return shown(s.look, s.at, far, set);
}
