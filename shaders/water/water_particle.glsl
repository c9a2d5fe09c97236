// water_particle.glsl - particles of a fluid, whose buffer can also have others: those that do not exist, and those of fluids that it meets.
layout(binding = WATER_POSITION) readonly restrict buffer Positions { vec4 positions[]; };

bool is_of_fluid(vec4 particle) {
    return !ELEMENT_IS_ABSENT(particle.x) && (push.kind == 0 || ELEMENT_KIND(floatBitsToUint(particle.w)) + 1 == push.kind);
}

uint number_of(vec4 particle) {
    return push.kind == 0 ? floatBitsToUint(particle.w) : ELEMENT_NUMBER(floatBitsToUint(particle.w));
}
