// lights_cursor.glsl - walks over the elements of a tile in their order: its decals, its probes or its lights. Before it, a
// shader defines WORDS_ARE_UNIFORM where all threads of a subgroup are in one tile.
layout(binding = LIGHTS_STATE, scalar) readonly restrict buffer State { LightsState state; };
layout(binding = LIGHTS_ITEM, scalar) readonly restrict buffer Items { LightsItem items[]; };
layout(binding = LIGHTS_WORD) readonly restrict buffer LightWords { uint light_words[]; };

#ifdef WORDS_ARE_UNIFORM
uint uniform_word(uint word) { return subgroupBroadcastFirst(word); }
#else
uint uniform_word(uint word) { return word; }
#endif

const uint DECALS = 0, PROBES = 1, LIGHTS = 2;

struct Cursor {
    uint first;      // word of the tile
    uint skip;       // word of its second level
    uint at, to;     // the word, and the first element that is not of the class
    uint bits, full; // that are left of the word, and of the word of the second level
};

// The bits of a word from `from` on.
uint word_at(Cursor c, uint from) { return uniform_word(light_words[c.first + from / 32]) & (0xffffffffu << from % 32); }

// The first element of the class that the tile has comes with the first call of cursor_next.
//   tile   number of the tile, twice, plus LIGHTS_SURFACES or LIGHTS_BEFORE
Cursor cursor_begin(uint tile, uint which) {
    Cursor c;
    const uint from = which == DECALS ? 0 : which == PROBES ? state.first_probe : state.first_light;
    c.to = which == DECALS ? state.first_probe : which == PROBES ? state.first_light : state.count;
    c.first = tile * state.stride;
    c.skip = state.skips + tile * state.skip_stride;
    c.at = from / 32;
    c.bits = from < c.to ? word_at(c, from) : 0;
    c.full = 0;
    if (state.skips != 0 && from < c.to)
        c.full = uniform_word(light_words[c.skip + c.at / 32]) & (0xfffffffeu << c.at % 32);
    return c;
}

bool cursor_next(inout Cursor c, out uint element) {
    while (c.bits == 0) {
        if (state.skips != 0) {
            while (c.full == 0) {
                c.at = (c.at / 32 + 1) * 32;
                if (c.at * 32 >= c.to) return false;
                c.full = uniform_word(light_words[c.skip + c.at / 32]);
            }
            c.at = c.at / 32 * 32 + findLSB(c.full);
            c.full &= c.full - 1;
        } else {
            c.at++;
        }
        if (c.at * 32 >= c.to) return false;
        c.bits = uniform_word(light_words[c.first + c.at]);
    }
    element = c.at * 32 + findLSB(c.bits);
    c.bits &= c.bits - 1;
    return element < c.to;
}
