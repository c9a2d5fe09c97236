// meshes_place.glsl - the instance, the position and the numbers of a vertex that is drawn.
layout(binding = MESHES_VISIBLE) readonly restrict buffer Visible { uint visible[]; };
layout(binding = MESHES_DRAW, scalar) readonly restrict buffer Draws { MeshDraw draws[]; };
layout(binding = MESHES_PART, scalar) readonly restrict buffer Parts { MeshPart parts[]; };

layout(location = 0) flat out uint id;
layout(location = 1) flat out uint first_index;
layout(location = 2) flat out uint corners;

MeshPart place(out MeshRow mesh) {
    const MeshInstance instance = instances[visible[gl_InstanceIndex]];
    const MeshPart     part = parts[draws[push.draw_first + gl_DrawID].part];
    mesh = meshes[instance.mesh];
    const vec3 at = posed(pose_of(instance.transform), position_at(instance, mesh, gl_VertexIndex));
    id = push.id_first + gl_InstanceIndex + 1;
    first_index = part.first_index;
    corners = part.corners;
    gl_Position = clip_of(at);
    gl_PointSize = 1;
    return part;
}
