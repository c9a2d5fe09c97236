// host_device.comp - the compute pass of host_device.c: one thread per particle finds the lowest one, and the first
// thread copies the number of visible instances.
#version 450

layout(local_size_x = 64) in;

layout(binding = 0) readonly buffer Positions { vec4 position[]; };
layout(binding = 1) readonly buffer Visible { uint visible_count; };
layout(binding = 2) buffer Result { uint lowest_mm, visible; }; // above -100 m, in mm

void main() {
    const uint i = gl_GlobalInvocationID.x;
    if (i == 0) visible = visible_count;
    if (i < position.length()) atomicMin(lowest_mm, uint(max(position[i].y + 100.0, 0.0) * 1000.0));
}
