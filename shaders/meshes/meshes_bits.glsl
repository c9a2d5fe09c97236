// meshes_bits.glsl - bits of threads.
// The bits of the threads of a subgroup, which are set together: an atomic operation for each of them would be slow.
uint bits_of(bool bit, uint first) {
    const uvec4 ballot = subgroupBallot(bit);
    return gl_SubgroupSize <= 32 ? ballot.x << first : gl_SubgroupInvocationID < 32 ? ballot.x : ballot.y;
}
