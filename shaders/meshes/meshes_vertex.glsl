// meshes_vertex.glsl - the streams of vertices.
layout(binding = MESHES_VERTEX, scalar) readonly restrict buffer Vertices { float words[]; };

vec2 vec2_at(uint first, uint vertex) {
    const uint at = first + vertex * 2;
    return vec2(words[at], words[at + 1]);
}
vec3 vec3_at(uint first, uint vertex) {
    const uint at = first + vertex * 3;
    return vec3(words[at], words[at + 1], words[at + 2]);
}
vec4 vec4_at(uint first, uint vertex) {
    const uint at = first + vertex * 4;
    return vec4(words[at], words[at + 1], words[at + 2], words[at + 3]);
}
// Four numbers of 16 bits in two words.
vec4 color_at(uint first, uint vertex) {
    const uint at = first + vertex * 2;
    return vec4(unpackUnorm2x16(floatBitsToUint(words[at])), unpackUnorm2x16(floatBitsToUint(words[at + 1])));
}
