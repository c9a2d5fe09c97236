// pose_matrix.glsl - matrices of three rows, whose fourth one is 0 0 0 1.
struct Rows { vec4 x, y, z; };

Rows rows_multiply(Rows a, Rows b) {
    const vec4 w = vec4(0, 0, 0, 1);
    return Rows(a.x.x * b.x + a.x.y * b.y + a.x.z * b.z + a.x.w * w, a.y.x * b.x + a.y.y * b.y + a.y.z * b.z + a.y.w * w,
                a.z.x * b.x + a.z.y * b.y + a.z.z * b.z + a.z.w * w);
}

Rows rows_of(vec3 position, vec4 q, vec3 scale) {
    const vec3 d = q.xyz + q.xyz, x = q.x * d, y = q.y * d, w = q.w * d;
    const float zz = q.z * d.z;
    return Rows(vec4(vec3(1 - y.y - zz, x.y - w.z, x.z + w.y) * scale, position.x),
                vec4(vec3(x.y + w.z, 1 - x.x - zz, y.z - w.x) * scale, position.y),
                vec4(vec3(x.z - w.y, y.z + w.x, 1 - x.x - y.y) * scale, position.z));
}
