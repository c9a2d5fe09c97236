// lighting_layers.glsl - one thread per layer of a round: those of a shape get their colour. Before it, a shader defines
// IS_LAYER, includes lighting_sample.glsl, and declares
//   bool surface_fetch(Sample s, out Surface surface)    false: the layer is of another shape
layout(binding = CANVAS_LAYER, scalar) readonly restrict buffer Layers { CanvasLayer layers[]; };
layout(binding = CANVAS_LAYER_COLOR) restrict buffer LayerColors { uvec2 layer_colors[]; };
layout(binding = CANVAS_LAYERS, scalar) readonly restrict buffer All { CanvasLayers all; };

layout(binding = CANVAS_LAYER_BEND, scalar) writeonly restrict buffer Bends { CanvasBend bends[]; };

// How far a ray that is refracted at a layer is aside of itself after a metre, when it leaves the layer behind in its former
// direction.
uint aside_of(Surface s) {
    const vec3  ray = -s.look.to_eye;
    const float facing = dot(s.look.normal, s.look.to_eye);
    if (s.bend <= 0 || facing <= 0) return 0;
    const vec3 into = refract(ray, s.look.normal, 1 / (1 + s.bend));
    const vec3 aside = into * (facing / max(-dot(into, s.look.normal), 0.1)) - ray;
    return packHalf2x16(vec2(dot(aside, eye.right) / dot(eye.right, eye.right), dot(aside, eye.up) / dot(eye.up, eye.up)));
}

// Glass hides nothing by its cover: what it does not reflect passes it, and is coloured.
CanvasBend bend_of(Surface s, float cover) {
    const float facing = max(dot(s.look.normal, s.look.to_eye), 1e-3);
    const vec3  passed = s.passes.x < 0 ? vec3(-1) : mix(vec3(1), s.passes, cover);
    return CanvasBend(aside_of(s), packHalf2x16(passed.rg), packHalf2x16(vec2(passed.b, min(s.thick_m / facing, 60000))));
}

void main() {
    const uint k = thread_index(), begin = push.round.round * push.round.step;
    uint first = 0; // layers before it are those of an earlier round
    for (uint r = 0; r < push.round.round; r++) first = max(first, all.end[r]);
    if (begin + k < first || begin + k >= all.end[push.round.round] || k >= push.round.room) return;
    const CanvasLayer layer = layers[k];
    Sample s;
    s.index = min(layer_colors[k].x, eye.width * eye.height - 1);
    s.at = uvec2(s.index % eye.width, s.index / eye.width);
    s.id = uvec2(layer.id, layer.word);
    s.place = place_of(s.index);
    s.to_eye = -normalize(ray_direction(s.place));
    s.far = distance_of(layer.depth);
    Surface surface;
    if (!surface_fetch(s, surface)) return;
    const uvec2 tile = s.at / state.tile;
    const uint  set = (tile.y * state.wide + tile.x) * 2 + LIGHTS_BEFORE;
    const float cover = clamp(surface.look.opacity, 0, 1);
    if (push.round.bends != 0) bends[k] = bend_of(surface, cover);
    const vec3  color = min(surface_color(surface, vec2(s.at), s.far, set) * cover, vec3(60000));
    layer_colors[k] = uvec2(packHalf2x16(color.rg), packHalf2x16(vec2(color.b, cover)));
}
