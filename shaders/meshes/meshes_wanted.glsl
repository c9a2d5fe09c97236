// meshes_wanted.glsl - the vertices of an instance that moves are computed when it is seen.
layout(binding = MESHES_WANTED) restrict buffer Wanted { uint wanted[]; };

void seen_note(MeshInstance i) {
    if (i.shown < MESHES_MOVED) return;
    const uint range = i.shown - MESHES_MOVED;
    if (wanted[range] == SKINNING_UNWANTED) wanted[range] = SKINNING_IS_WANTED;
}
