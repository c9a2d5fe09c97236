// pose_sample.glsl - poses at times of clips. Included after pose_io.h and pose_matrix.glsl, and after the buffers
//     ClipChannel channels[]; float keys[]; uint words_of_keys[];      the last two are the same words
struct Pose { vec3 position; vec4 rotation; vec3 scale; };

// As clip_packing.h.
vec4 rotation_unpacked(uint at) {
    const float half_root = 0.70710678, step = 2 * half_root / 1048575.0;
    const uint  low = words_of_keys[at], high = words_of_keys[at + 1], left_out = high >> 28 & 3;
    const vec3  p = vec3(low & 0xfffffu, low >> 20 | (high & 0xffu) << 12, high >> 8 & 0xfffffu) * step - half_root;
    const float last = sqrt(max(1 - dot(p, p), 0));
    return left_out == 0   ? vec4(last, p)
           : left_out == 1 ? vec4(p.x, last, p.yz)
           : left_out == 2 ? vec4(p.xy, last, p.z)
                           : vec4(p, last);
}

vec3 floats_at(uint at) { return vec3(keys[at], keys[at + 1], keys[at + 2]); }

vec3 vector_unpacked(uint box, uint at) {
    const uint low = words_of_keys[at], high = words_of_keys[at + 1];
    const vec3 p = vec3(low & 0x1fffffu, low >> 21 | (high & 0x3ffu) << 11, high >> 10 & 0x1fffffu);
    return floats_at(box) + floats_at(box + 3) * (p / 2097151.0);
}

vec4 value_at(uint first, uint words) { return vec4(floats_at(first), words == 4 ? keys[first + 3] : 0); }

// The value of a key that is not cubic.
vec4 key_at(ClipChannel c, uint words, uint key) {
    if (c.packing == 0) return value_at(c.first_value + key * words, words);
    if (words == 4) return rotation_unpacked(c.first_value + key * 2);
    return vec4(vector_unpacked(c.first_value, c.first_value + 6 + key * 2), 0);
}

// Along the shorter arc; a straight line where the arc is too short for its sine.
vec4 between(vec4 a, vec4 b, float t) {
    const float side = dot(a, b) < 0 ? -1.0 : 1.0, cosine = dot(a, b) * side;
    float from = 1 - t, to = t;
    if (cosine < 0.9995) {
        // More precise than the arc cosine, which drivers may approximate.
        const float angle = 2 * atan(length(a - side * b), length(a + side * b)), sine = sin(angle);
        from = sin(from * angle) / sine;
        to = sin(to * angle) / sine;
    }
    return normalize(from * a + to * side * b);
}

// The key at or before the time: times before the first key and behind the last one have those.
uint key_before(ClipChannel c, float time_s) {
    uint low = 0, high = c.key_count;
    while (low + 1 < high) {
        const uint middle = (low + high) / 2;
        if (keys[c.first_time + middle] <= time_s) low = middle;
        else high = middle;
    }
    return low;
}

vec4 channel_at(ClipChannel c, uint words, float time_s) {
    const uint  key = key_before(c, time_s), next = min(key + 1, c.key_count - 1);
    const float start = keys[c.first_time + key], step_s = keys[c.first_time + next] - start;
    const float t = step_s > 0 ? clamp((time_s - start) / step_s, 0, 1) : 0;
    if (c.interpolation != CHANNEL_CUBIC) {
        const vec4 a = key_at(c, words, key);
        if (c.interpolation == CHANNEL_STEP || t == 0) return a;
        const vec4 b = key_at(c, words, next);
        return words == 4 ? between(a, b, t) : a + (b - a) * t;
    }
    const uint at = c.first_value + key * words * 3, then = c.first_value + next * words * 3;
    const vec4 a = value_at(at + words, words), b = value_at(then + words, words);
    if (t == 0) return a;
    const float t2 = t * t, t3 = t2 * t;
    return (2 * t3 - 3 * t2 + 1) * a + step_s * (t3 - 2 * t2 + t) * value_at(at + words * 2, words) +
           (-2 * t3 + 3 * t2) * b + step_s * (t3 - t2) * value_at(then, words);
}

// Properties that the three channels from this one on do not animate are those of the pose `rest`.
Pose pose_at(Pose rest, uint first, float time_s) {
    Pose p = rest;
    if (first == CHANNEL_NONE) return p;
    const ClipChannel translation = channels[first], rotation = channels[first + 1], scale = channels[first + 2];
    if (translation.key_count > 0) p.position = channel_at(translation, 3, time_s).xyz;
    if (rotation.key_count > 0) p.rotation = normalize(channel_at(rotation, 4, time_s));
    if (scale.key_count > 0) p.scale = channel_at(scale, 3, time_s).xyz;
    return p;
}

Pose pose_between(Pose a, Pose b, float t) {
    return Pose(mix(a.position, b.position, t), between(a.rotation, b.rotation, t), mix(a.scale, b.scale, t));
}

Rows rows_of_pose(Pose p) { return rows_of(p.position, p.rotation, p.scale); }
