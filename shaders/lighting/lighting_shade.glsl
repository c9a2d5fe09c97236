// lighting_shade.glsl - one thread per sample of the tiles with surfaces: those of a shape get their colour. Before it, a shader
// includes lighting_sample.glsl, and declares
//   bool surface_fetch(Sample s, out Surface surface)    false: the sample is of another shape
layout(binding = CANVAS_COLOR) writeonly restrict buffer Colors { uvec2 colors[]; };
layout(binding = LIGHTING_OPEN) readonly restrict buffer Open { uint open_words[]; }; // or normals
layout(binding = LIGHTS_TILE, scalar) readonly restrict buffer Occupied { LightsOccupied occupied; uint occupied_tiles[]; };

bool shows_depth() { return eye.shows == CANVAS_NORMALS_DEPTH || eye.shows == CANVAS_NORMALS_PLAIN; }

// How much of the sky a sample sees.
float open_at(uint i) { return eye.occlusion_m > 0 && !shows_depth() ? float(open_words[i / 4] >> i % 4 * 8 & 0xffu) / 255 : 1; }

// Where a thread's sample is in its tile. Groups have blocks of 16 x 8 samples, in which 32 threads have 8 x 4.
uvec2 place_in_tile(uint block) {
    const uint t = gl_LocalInvocationID.x, across = state.tile / 16;
    const uvec2 corner = uvec2(block % across * 16, block / across * 8);
    return corner + uvec2(t / 32 % 2 * 8 + t % 8, t / 64 * 4 + t / 8 % 4);
}

void main() {
    const uint blocks = state.tile * state.tile / LIGHTING_GROUP, slot = group_index() / blocks;
    if (slot >= occupied.count) return;
    const uint tile = occupied_tiles[slot];
    Sample s;
    s.at = uvec2(tile % state.wide, tile / state.wide) * state.tile + place_in_tile(group_index() % blocks);
    if (s.at.x >= eye.width || s.at.y >= eye.height) return;
    const uint i = s.at.y * eye.width + s.at.x;
    s.index = i;
    s.id = id_at(i);
    if (s.id.x == 0) return;
    s.place = place_of(i);
    s.to_eye = -normalize(ray_direction(s.place));
    s.far = distance_of(depth_at(i));
    Surface surface;
    if (!surface_fetch(s, surface)) return;
    surface.look.occlusion *= open_at(i);
    vec3 color = surface_color(surface, vec2(s.at), s.far, tile * 2 + LIGHTS_SURFACES);
    if (shows_depth()) color = pow(normal_of_word(open_words[i]) * 0.5 + 0.5, vec3(2.2));
    if (surface.cover < 1) color = mix(unreached(background(s.place, ray_direction(s.place))), color, surface.cover);
    colors[i] = uvec2(packHalf2x16(min(color.rg, vec2(60000))), packHalf2x16(vec2(min(color.b, 60000), 1)));
}
