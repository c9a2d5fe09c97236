/* level_mix.h - the level that all figures refer to, as numbers: every entity has a transform, 60 %
 * a mesh, 20 % a point mass, 5 % a light; half of them have a parent at most 64 entities before
 * them, at most five levels deep. Deterministic; the same on every machine. */
#ifndef LEVEL_MIX_H
#define LEVEL_MIX_H

#include <stdint.h>
#include <stdlib.h>

enum { MIX_MESH = 1, MIX_LIGHT = 2, MIX_MASS = 4, MIX_LEVELS = 5, MIX_WINDOW = 64 };

/* splitmix64: S. Vigna, 2015. */
static inline uint64_t mix_next(uint64_t* state) {
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}
static inline double mix_unit(uint64_t* state) {
    return (double)(mix_next(state) >> 11) / 9007199254740992.0;
}

typedef struct LevelMix {
    uint32_t count;
    int32_t* parent; /* [count] an earlier entity, or -1 */
    uint8_t* mask;   /* [count] MIX_ bits */
} LevelMix;

static inline LevelMix level_mix_make(uint32_t count) {
    LevelMix mix = {count, malloc(sizeof(int32_t) * count), malloc(count)};
    uint8_t* level = malloc(count);
    uint64_t state = 42;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t window = i < MIX_WINDOW ? i : MIX_WINDOW;
        const int      child = i > 0 && mix_unit(&state) < 0.52;
        const uint32_t near = child ? i - 1 - (uint32_t)(mix_next(&state) % window) : 0;
        mix.parent[i] = child && level[near] + 1 < MIX_LEVELS ? (int32_t)near : -1;
        level[i] = mix.parent[i] < 0 ? 0 : (uint8_t)(level[near] + 1);
        mix.mask[i] = (uint8_t)((mix_unit(&state) < 0.60 ? MIX_MESH : 0) |
                                (mix_unit(&state) < 0.05 ? MIX_LIGHT : 0) |
                                (mix_unit(&state) < 0.20 ? MIX_MASS : 0));
    }
    free(level);
    return mix;
}

#endif
