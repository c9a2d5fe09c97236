// lights_list_cursor.glsl - lights_cursor.glsl for lists of the elements of tiles.
layout(binding = LIGHTS_STATE, scalar) readonly restrict buffer State { LightsState state; };
layout(binding = LIGHTS_ITEM, scalar) readonly restrict buffer Items { LightsItem items[]; };
layout(binding = LIGHTS_WORD) readonly restrict buffer LightWords { uint light_words[]; };

const uint DECALS = 0, PROBES = 1, LIGHTS = 2;

struct Cursor {
    uint first;  // word of the tile
    uint at, to; // entries
};

// The first element of the class that the tile has comes with the first call of cursor_next.
//   tile   number of the tile, twice, plus LIGHTS_SURFACES or LIGHTS_BEFORE
Cursor cursor_begin(uint tile, uint which) {
    Cursor c;
    c.first = tile * LIGHTS_LIST_WORDS;
    const uint decals = light_words[c.first + 1], probes = light_words[c.first + 2];
    c.at = which == DECALS ? 0 : which == PROBES ? decals : decals + probes;
    c.to = which == DECALS ? decals : which == PROBES ? decals + probes : light_words[c.first];
    return c;
}

bool cursor_next(inout Cursor c, out uint element) {
    if (c.at >= c.to) return false;
    element = light_words[c.first + LIGHTS_LIST_HEAD + c.at / 2] >> c.at % 2 * 16 & 0xffffu;
    c.at++;
    return true;
}
