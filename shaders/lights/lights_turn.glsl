// lights_turn.glsl - the axes of a light by the direction in which it shines, and an angle about it.

// An axis that is perpendicular to a direction.
vec3 first_axis(vec3 along) {
    return normalize(abs(along.x) > 0.7 ? vec3(-along.y, along.x, 0) : vec3(0, -along.z, along.y));
}

// The angle of the x axis of an entity that shines along its -z axis.
float turn_of(vec3 along, vec3 x) {
    const vec3 a = first_axis(along), b = cross(a, along);
    return atan(dot(x, b), dot(x, a));
}

// The x, y and z axes of the entity.
mat3 turned_axes(vec3 along, float turn) {
    const vec3 a = first_axis(along), b = cross(a, along), x = a * cos(turn) + b * sin(turn);
    return mat3(x, cross(-along, x), -along);
}
