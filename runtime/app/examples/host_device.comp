// host_device.comp - the compute pass of host_device.c: one thread per particle finds the lowest one, the first ones find
// the highest banner, and the first one copies the number of visible instances.
#version 450

layout(local_size_x = 64) in;

layout(binding = 0) buffer Result { uint lowest_mm, visible, highest_mm; }; // lowest_mm: above -100 m
layout(binding = 1) readonly buffer Positions { vec4 position[]; };
layout(binding = 2) readonly buffer Visible { uint visible_count; };
layout(binding = 3) readonly buffer Boxes { float box[]; }; // low x, y, z, high x, y, z

const uint CROWD = 100;

void main() {
    const uint i = gl_GlobalInvocationID.x;
    if (i == 0) visible = visible_count;
    if (i < CROWD) atomicMax(highest_mm, uint(max(box[i * 6 + 4], 0.0) * 1000.0));
    if (i < position.length()) atomicMin(lowest_mm, uint(max(position[i].y + 100.0, 0.0) * 1000.0));
}
