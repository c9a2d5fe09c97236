// shadows_tally.glsl - counts the casters of the maps that are drawn.
layout(binding = SHADOWS_TALLY) restrict buffer Tallies { uint tallies[]; };

// `word`: SHADOWS_TALLY_..
void tally_add(uint map, uint word, uint count) {
    if (count != 0) atomicAdd(tallies[map * SHADOWS_TALLY_WORDS + word], count);
}
