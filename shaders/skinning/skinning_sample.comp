// skinning_sample.comp - one thread per joint of each instance: its pose at the time of the clip, and of the clip that
// is blended over it, as a matrix to the space of its parent.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernel.glsl"
#include "skinning_io.h"
#include "skinning_matrix.glsl"

layout(push_constant, scalar) uniform Push { SkinningPush push; };
layout(binding = SKINNING_INSTANCE, scalar) readonly restrict buffer Instances { SkinInstance instances[]; };
layout(binding = SKINNING_JOINT, scalar) readonly restrict buffer Joints { SkinJoint joints[]; };
layout(binding = SKINNING_CHANNEL, scalar) readonly restrict buffer Channels { SkinChannel channels[]; };
layout(binding = SKINNING_KEY) readonly buffer Keys { float keys[]; };
layout(binding = SKINNING_KEY) readonly buffer Words { uint words_of_keys[]; };
layout(binding = SKINNING_LOCAL) writeonly restrict buffer Locals { vec4 locals[]; };

struct Joint { vec3 position; vec4 rotation; vec3 scale; };

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
vec4 key_at(SkinChannel c, uint words, uint key) {
    if (c.packing == 0) return value_at(c.first_value + key * words, words);
    if (words == 4) return rotation_unpacked(c.first_value + key * 2);
    return vec4(vector_unpacked(c.first_value, c.first_value + 6 + key * 2), 0);
}

// Along the shorter arc; a straight line where the arc is too short for its sine.
vec4 between(vec4 a, vec4 b, float t) {
    const float side = dot(a, b) < 0 ? -1.0 : 1.0, cosine = dot(a, b) * side;
    float from = 1 - t, to = t;
    if (cosine < 0.9995) {
        const float angle = acos(cosine), sine = sin(angle);
        from = sin(from * angle) / sine;
        to = sin(to * angle) / sine;
    }
    return normalize(from * a + to * side * b);
}

// The key at or before the time: times before the first key and behind the last one have those.
uint key_before(SkinChannel c, float time_s) {
    uint low = 0, high = c.key_count;
    while (low + 1 < high) {
        const uint middle = (low + high) / 2;
        if (keys[c.first_time + middle] <= time_s) low = middle;
        else high = middle;
    }
    return low;
}

vec4 channel_at(SkinChannel c, uint words, float time_s) {
    const uint  key = key_before(c, time_s), next = min(key + 1, c.key_count - 1);
    const float start = keys[c.first_time + key], step_s = keys[c.first_time + next] - start;
    const float t = step_s > 0 ? clamp((time_s - start) / step_s, 0, 1) : 0;
    if (c.interpolation != SKINNING_CUBIC) {
        const vec4 a = key_at(c, words, key);
        if (c.interpolation == SKINNING_STEP || t == 0) return a;
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

Joint sampled(SkinJoint rest, uint first, float time_s) {
    Joint j = Joint(rest.position, rest.rotation, rest.scale);
    if (first == SKINNING_NONE) return j;
    const SkinChannel translation = channels[first], rotation = channels[first + 1], scale = channels[first + 2];
    if (translation.key_count > 0) j.position = channel_at(translation, 3, time_s).xyz;
    if (rotation.key_count > 0) j.rotation = normalize(channel_at(rotation, 4, time_s));
    if (scale.key_count > 0) j.scale = channel_at(scale, 3, time_s).xyz;
    return j;
}

void main() {
    const uint which = group_index() / push.groups, t = gl_LocalInvocationID.x;
    const uint joint = group_index() % push.groups * SKINNING_GROUP + t;
    if (which >= push.instance_count) return;
    const SkinInstance instance = instances[which];
    if (joint >= instance.joint_count) return;
    const SkinJoint rest = joints[instance.first_joint + joint];
    const uint      none = SKINNING_NONE, first = instance.channels, second = instance.channels_2;
    Joint           j = sampled(rest, first == none ? none : first + joint * 3, instance.time_s);
    if (instance.blend > 0) {
        const Joint other = sampled(rest, second == none ? none : second + joint * 3, instance.time_2_s);
        j.position = mix(j.position, other.position, instance.blend);
        j.rotation = between(j.rotation, other.rotation, instance.blend);
        j.scale = mix(j.scale, other.scale, instance.blend);
    }
    const Rows m = rows_of(j.position, j.rotation, j.scale);
    const uint at = (instance.first_local + joint) * 3;
    locals[at] = m.x;
    locals[at + 1] = m.y;
    locals[at + 2] = m.z;
}
