/* test_picture.c - pictures that tests compute. */
#include "test_picture.h"

#include <math.h>
#include <stdlib.h>

#include "test_worlds_support.h"

static u8 clamped(i32 value) { return (u8)(value < 0 ? 0 : value > 255 ? 255 : value); }

u8* picture_photo(u32 width, u32 height) {
    u8*    rgba = malloc((size_t)width * height * 4);
    Random random = {7};
    if (!rgba) abort();
    for (u32 y = 0; y < height; y++) {
        for (u32 x = 0; x < width; x++) {
            u8*       out = rgba + ((size_t)y * width + x) * 4;
            const i32 noise = (i32)random_below(&random, 8) - 4;
            const i32 across = (i32)(x * 255 / width), down = (i32)(y * 255 / height);
            const i32 edge = (x / 13 + y / 9) % 2 ? 40 : 0;
            const i32 dx = (i32)(x % 32) - 16, dy = (i32)(y % 32) - 16;
            out[0] = clamped(across * 3 / 4 + edge + noise);
            out[1] = clamped((across + down) / 3 + edge / 2 + noise);
            out[2] = clamped(220 - down * 2 / 3 + noise);
            out[3] = clamped(360 - dx * dx - dy * dy);
        }
    }
    return rgba;
}

u8* picture_opaque(u32 width, u32 height) {
    u8* rgba = picture_photo(width, height);
    for (size_t i = 0; i < (size_t)width * height; i++) rgba[i * 4 + 3] = 255;
    return rgba;
}

f64 picture_psnr(const u8* a, const u8* b, u64 pixels, u32 channels) {
    f64 sum = 0, count = 0;
    for (u64 i = 0; i < pixels * 4; i++) {
        const f64 difference = (f64)a[i] - b[i];
        if ((channels >> i % 4 & 1) == 0) continue;
        sum += difference * difference;
        count++;
    }
    return sum > 0 ? 10 * log10(255.0 * 255.0 * count / sum) : INFINITY;
}
