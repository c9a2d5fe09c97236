// normals_four.glsl - four samples of a row per thread: words and their store.
layout(binding = NORMALS_WORD) writeonly buffer Fours { uvec4 fours[]; };

uvec4 words_of(vec4 values, vec4 across, vec4 down, float x, float y) {
    return uvec4(word_at(values.x, across.x, down.x, x, y), word_at(values.y, across.y, down.y, x + 1, y),
                 word_at(values.z, across.z, down.z, x + 2, y), word_at(values.w, across.w, down.w, x + 3, y));
}

void words_store(uint x, uint y, uvec4 four) {
    const uint first = y * push.width + x;
    if (push.width % NORMALS_EACH == 0) {
        fours[first / NORMALS_EACH] = four;
        return;
    }
    for (uint k = 0; k < NORMALS_EACH && x + k < push.width; k++) words[first + k] = four[k];
}
