// meshes_wanted.glsl - the vertices of an instance that moves are computed when it is seen.
layout(binding = MESHES_WANTED) restrict buffer Wanted { uint wanted[]; };

void seen_note(MeshInstance i) {
    if (!MESHES_IS_MOVED(i.shown)) return;
    const uint range = MESHES_RANGE_OF(i.shown);
    if (wanted[range] == SKINNING_UNWANTED) wanted[range] = SKINNING_IS_WANTED;
}
