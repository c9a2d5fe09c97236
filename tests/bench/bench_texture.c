/* bench_texture.c - textures: the plain loops beside which entc is timed, and loading.
 *
 *     bench_texture image FILE SIDE SEED   writes a PNG file
 *     bench_texture plain FILE OUT         decodes it with libspng, filters each level by averages of
 *                                          2x2 texels in linear light, and calls stb_dxt: bc1
 *     bench_texture load BLOB              rows of bench.csv: opening the blob and copying its data
 *                                          beside a plain copy
 *
 * The plain program does what the compiler must do at least; it validates and reports nothing. */
#include <math.h>
#include <spng.h>

#define STB_DXT_IMPLEMENTATION
#define STB_DXT_STATIC
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wall"
#pragma GCC diagnostic ignored "-Wextra"
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wunused-function"
#include <stb/stb_dxt.h>
#pragma GCC diagnostic pop

#include "bench_rows.h"
#include "blob.h"
#include "file.h"
#include "sections.h"

static void fail(const char* what) {
    fprintf(stderr, "bench_texture: %s\n", what);
    exit(1);
}

/* --- the image --- */

/* Smooth shapes and a little noise, as in a photograph. */
static void image_fill(u8* rgb, u32 side, u32 seed) {
    u32 noise = seed * 2654435761u + 1;
    for (u32 y = 0; y < side; y++) {
        for (u32 x = 0; x < side; x++) {
            u8* p = rgb + ((size_t)y * side + x) * 3;
            for (u32 k = 0; k < 3; k++) {
                noise = noise * 1664525u + 1013904223u;
                const u32 wave = (x * (k + 1) / 16 ^ y / 16) & 63;
                p[k] = (u8)((x * 255 / side * (3 - k) + y * 255 / side * k) / 3 / 2 + wave +
                            (noise >> 28));
            }
        }
    }
}

static void image_write(const char* path, u32 side, u32 seed) {
    u8*              rgb = malloc((size_t)side * side * 3);
    spng_ctx*        png = spng_ctx_new(SPNG_CTX_ENCODER);
    struct spng_ihdr header = {
        .width = side, .height = side, .bit_depth = 8, .color_type = SPNG_COLOR_TYPE_TRUECOLOR};
    FILE* file = fopen(path, "wb");
    if (!file) fail("cannot write the image");
    image_fill(rgb, side, seed);
    spng_set_png_file(png, file);
    spng_set_option(png, SPNG_IMG_COMPRESSION_LEVEL, 6);
    spng_set_ihdr(png, &header);
    if (spng_encode_image(png, rgb, (size_t)side * side * 3, SPNG_FMT_PNG, SPNG_ENCODE_FINALIZE))
        fail("cannot encode the image");
    spng_ctx_free(png);
    fclose(file);
    free(rgb);
}

/* --- the plain loops --- */

static f32 linear_of[256];
static u8  srgb_of[4096]; /* of linear light in steps of 1 / 4095 */

static void tables_fill(void) {
    for (u32 i = 0; i < 256; i++) {
        const f64 c = i / 255.0;
        linear_of[i] = (f32)(c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4));
    }
    for (u32 i = 0; i < 4096; i++) {
        const f64 c = i / 4095.0;
        const f64 s = c <= 0.0031308 ? c * 12.92 : 1.055 * pow(c, 1 / 2.4) - 0.055;
        srgb_of[i] = (u8)(s * 255 + 0.5);
    }
}

static u8* image_decode_plain(const char* path, u32* side) {
    FileView view;
    size_t   bytes = 0;
    if (file_map(&view, path) != ENT_OK) fail("cannot read the image");
    spng_ctx*        png = spng_ctx_new(0);
    struct spng_ihdr header;
    spng_set_png_buffer(png, view.bytes, view.size);
    if (spng_get_ihdr(png, &header) || spng_decoded_image_size(png, SPNG_FMT_RGBA8, &bytes))
        fail("not a PNG file");
    u8* rgba = malloc(bytes);
    if (spng_decode_image(png, rgba, bytes, SPNG_FMT_RGBA8, 0)) fail("cannot decode the image");
    spng_ctx_free(png);
    *side = header.width;
    return rgba;
}

/* One level of half the size, as floats of linear light. */
static void level_halve(const f32* from, f32* to, u32 side) {
    for (u32 y = 0; y < side / 2; y++) {
        const f32* a = from + (size_t)y * 2 * side * 4;
        const f32* b = a + (size_t)side * 4;
        for (u32 i = 0; i < side / 2 * 4; i++) {
            const u32 at = i / 4 * 8 + i % 4;
            to[(size_t)y * (side / 2) * 4 + i] = (a[at] + a[at + 4] + b[at] + b[at + 4]) * 0.25f;
        }
    }
}

static void level_quantise(const f32* from, u8* rgba, u32 side) {
    for (size_t i = 0; i < (size_t)side * side; i++) {
        for (u32 k = 0; k < 3; k++) rgba[i * 4 + k] = srgb_of[(u32)(from[i * 4 + k] * 4095 + 0.5f)];
        rgba[i * 4 + 3] = (u8)(from[i * 4 + 3] * 255 + 0.5f);
    }
}

static u8* level_encode(const u8* rgba, u32 side, u8* out) {
    u8 block[64];
    for (u32 y = 0; y < side; y += 4) {
        for (u32 x = 0; x < side; x += 4, out += 8) {
            for (u32 i = 0; i < 16; i++) {
                const u32 at = MIN_OF(y + i / 4, side - 1) * side + MIN_OF(x + i % 4, side - 1);
                memcpy(block + i * 4, rgba + at * 4ul, 4);
            }
            stb_compress_dxt_block(out, block, 0, STB_DXT_HIGHQUAL);
        }
    }
    return out;
}

static void plain(const char* path, const char* out_path) {
    u32   side;
    u8*   rgba = image_decode_plain(path, &side);
    f32*  texels = malloc((size_t)side * side * 16);
    f32*  half = malloc((size_t)side * side * 4);
    u8*   out = malloc((size_t)side * side);
    u8*   end = out;
    FILE* file = fopen(out_path, "wb");
    tables_fill();
    end = level_encode(rgba, side, end);
    for (size_t i = 0; i < (size_t)side * side * 4; i++)
        texels[i] = i % 4 == 3 ? (f32)rgba[i] / 255.0f : linear_of[rgba[i]];
    for (; side > 1; side /= 2) {
        level_halve(texels, half, side);
        memcpy(texels, half, (size_t)side * side * 4);
        level_quantise(half, rgba, side / 2);
        end = level_encode(rgba, side / 2, end);
    }
    if (!file || fwrite(out, 1, (size_t)(end - out), file) != (size_t)(end - out) || fclose(file))
        fail("cannot write the result");
}

/* --- loading --- */

static void blob_copy(const u8* bytes, size_t size, u8* staging) {
    const BlobOptions options = {.skip_hash = 1};
    Blob              blob;
    if (ent_blob_open(&blob, bytes, size, &options, NULL) != ENT_OK) fail("the blob is not valid");
    const BlobSection* data = ent_blob_section(&blob, SECTION_TEXTURE_DATA);
    memcpy(staging, ent_blob_data(&blob, data), data->count);
}

static void load(const char* path) {
    FileView   view;
    BenchTimes copy = {.count = 0}, opened = {.count = 0};
    if (file_map(&view, path) != ENT_OK) fail("cannot read the blob");
    u8* bytes = malloc(view.size + 16);
    u8* aligned = bytes + 16 - ((uintptr_t)bytes & 15);
    u8* staging = malloc(view.size);
    memcpy(aligned, view.bytes, view.size);
    memset(staging, 1, view.size);
    for (u32 i = 0; i < BENCH_RUNS; i++) {
        BENCH_TIMED(opened, blob_copy(aligned, view.size, staging));
        BENCH_TIMED(copy, memcpy(staging, aligned, view.size));
    }
    const f64 ns = bench_median(&opened), plain_ns = bench_median(&copy);
    bench_row("texture; a copy / opened and copied to a staging buffer", (u32)view.size, ns / 1e6,
              "ms", plain_ns / ns, -0.9);
}

int main(int argc, char** argv) {
    if (argc == 5 && strcmp(argv[1], "image") == 0)
        image_write(argv[2], (u32)atoi(argv[3]), (u32)atoi(argv[4]));
    else if (argc == 4 && strcmp(argv[1], "plain") == 0)
        plain(argv[2], argv[3]);
    else if (argc == 3 && strcmp(argv[1], "load") == 0)
        load(argv[2]);
    else
        fail("image FILE SIDE SEED | plain FILE OUT | load BLOB");
    return 0;
}
