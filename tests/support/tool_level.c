/* tool_level.c - writes the level of level_mix.h as sources: FOLDER/levels/generated.level.json,
 * one entity per line, and FOLDER/kit.gltf with the 400 meshes that it refers to.
 *
 *     tool_level COUNT FOLDER [shuffled]
 *
 * `shuffled` lists the same entities in a random order. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "level_mix.h"

static const char* const kinds[8] = {"lamp",  "house", "rock", "tree",
                                     "crate", "guard", "door", "barrel"};

/* As an author writes it: up to four decimals. */
static void put_number(FILE* out, double value) {
    char text[32];
    int  bytes = snprintf(text, sizeof text, "%.4f", value);
    while (bytes > 3 && text[bytes - 1] == '0' && text[bytes - 2] != '.') bytes--;
    fwrite(text, 1, (size_t)bytes, out);
}

static void put_numbers(FILE* out, const char* key, const double* value, int count) {
    fprintf(out, "\"%s\":[", key);
    for (int i = 0; i < count; i++) {
        if (i) fputc(',', out);
        put_number(out, value[i]);
    }
    fputc(']', out);
}

static void put_transform(FILE* out, uint64_t* state) {
    double position[3], scale[3], rotation[4] = {0, 0, 0, 1};
    double square = 1;
    for (int i = 0; i < 3; i++) {
        position[i] = mix_unit(state) * 4 - 2;
        scale[i] = 0.9 + 0.2 * mix_unit(state);
        rotation[i] = mix_unit(state) - 0.5;
        square += rotation[i] * rotation[i];
    }
    for (int i = 0; i < 4; i++) rotation[i] /= sqrt(square);
    fputs("\"transform\":{", out);
    put_numbers(out, "position", position, 3);
    fputc(',', out);
    put_numbers(out, "rotation", rotation, 4);
    fputc(',', out);
    put_numbers(out, "scale", scale, 3);
    fputc('}', out);
}

/* Everything about entity i depends only on i, so that the order of writing changes nothing. */
static void put_entity(FILE* out, const LevelMix* mix, uint32_t i) {
    static const double white[3] = {1, 1, 0.5}, still[3] = {0, 0, 0};
    uint64_t            state = 0x1000003 * (uint64_t)i + 7;
    const uint32_t      kind = (uint32_t)(mix_next(&state) & 7),
                   shape = (uint32_t)(mix_next(&state) % 50);
    fprintf(out, "{\"name\":\"%s_%u\",", kinds[i & 7], i);
    if (mix->parent[i] >= 0) {
        fprintf(out, "\"parent\":\"%s_%d\",", kinds[mix->parent[i] & 7], mix->parent[i]);
    }
    fputs("\"components\":{", out);
    put_transform(out, &state);
    if (mix->mask[i] & MIX_MESH) {
        fprintf(out, ",\"mesh\":{\"resource\":\"kit/%s_%02u\",\"visible\":true}", kinds[kind],
                shape);
    }
    if (mix->mask[i] & MIX_LIGHT) {
        fputs(",\"light\":{\"kind\":\"point\",", out);
        put_numbers(out, "color", white, 3);
        fputs(",\"intensity\":", out);
        put_number(out, mix_unit(&state));
        fputs(",\"range_m\":10.0}", out);
    }
    if (mix->mask[i] & MIX_MASS) {
        fputs(",\"point_mass\":{\"mass\":", out);
        put_number(out, 1 + mix_unit(&state));
        fputc(',', out);
        put_numbers(out, "velocity", still, 3);
        fputc('}', out);
    }
    fputs("}}", out);
}

static int write_level(const char* path, const LevelMix* mix, bool shuffled) {
    FILE*     out = fopen(path, "wb");
    uint32_t* order = malloc(sizeof(uint32_t) * mix->count);
    uint64_t  state = 99;
    if (!out || !order) return perror(path), 2;
    for (uint32_t i = 0; i < mix->count; i++) order[i] = i;
    for (uint32_t i = mix->count; shuffled && i > 1; i--) {
        const uint32_t k = (uint32_t)(mix_next(&state) % i), kept = order[i - 1];
        order[i - 1] = order[k];
        order[k] = kept;
    }
    fputs("{\"entities\":[\n", out);
    for (uint32_t i = 0; i < mix->count; i++) {
        put_entity(out, mix, order[i]);
        fputs(i + 1 < mix->count ? ",\n" : "\n", out);
    }
    fputs("]}\n", out);
    free(order);
    return fclose(out) == 0 ? 0 : (perror(path), 2);
}

/* 400 names for one triangle. */
static int write_kit(const char* path) {
    FILE* out = fopen(path, "wb");
    if (!out) return perror(path), 2;
    fputs("{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"byteLength\":36,\"uri\":\"data:"
          "application/"
          "octet-stream;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA\"}],\n"
          "\"bufferViews\":[{\"buffer\":0,\"byteLength\":36}],\n"
          "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\","
          "\"min\":[0,0,0],\"max\":[1,1,0]}],\n\"meshes\":[\n",
          out);
    for (int kind = 0; kind < 8; kind++) {
        for (int shape = 0; shape < 50; shape++) {
            fprintf(out,
                    "{\"name\":\"%s_%02d\",\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}%s\n",
                    kinds[kind], shape, kind == 7 && shape == 49 ? "" : ",");
        }
    }
    fputs("]}\n", out);
    return fclose(out) == 0 ? 0 : (perror(path), 2);
}

int main(int argc, char** argv) {
    char path[4096];
    if (argc < 3) return fputs("usage: tool_level COUNT FOLDER [shuffled]\n", stderr), 1;
    const LevelMix mix = level_mix_make((uint32_t)strtoul(argv[1], NULL, 10));
    mkdir(argv[2], 0777);
    snprintf(path, sizeof path, "%s/levels", argv[2]);
    mkdir(path, 0777);
    snprintf(path, sizeof path, "%s/kit.gltf", argv[2]);
    const int kit = write_kit(path);
    snprintf(path, sizeof path, "%s/levels/generated.level.json", argv[2]);
    const int level = write_level(path, &mix, argc > 3 && strcmp(argv[3], "shuffled") == 0);
    free(mix.parent);
    free(mix.mask);
    return kit ? kit : level;
}
