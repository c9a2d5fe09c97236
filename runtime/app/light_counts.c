/* light_counts.c - what the shadow maps of lights have cost. */
#include "light_counts.h"

#include <stdlib.h>

#include "csv_file.h"

#define NAME_BYTES 1024

/* --- names --- */

static void name_of(const EntityNames* names, Entity entity, char out[NAME_BYTES]) {
    const u32 count = names->blob ? names->blob->header->element_count : 0;
    for (u32 i = 0; i < count; i++) {
        if (names->entities[i] != entity) continue;
        ent_blob_path(names->blob, i, out, NAME_BYTES);
        return;
    }
    snprintf(out, NAME_BYTES, "light %u", entity);
}

/* --- a table --- */

static int redrawn_order(const void* a, const void* b) {
    const EntShadowCounts *x = *(const EntShadowCounts*const*)a,
                          *y = *(const EntShadowCounts*const*)b;
    if (x->maps_redrawn != y->maps_redrawn) return x->maps_redrawn < y->maps_redrawn ? 1 : -1;
    if (x->maps_copied != y->maps_copied) return x->maps_copied < y->maps_copied ? 1 : -1;
    return (x > y) - (x < y);
}

static void causes_print(const EntShadowCounts* l, FILE* out) {
    const char* before = "  ";
    for (u32 i = 0; i < ENT_SHADOW_CAUSES; i++) {
        if (!l->redrawn_for[i]) continue;
        fprintf(out, "%s%s %llu", before, ent_shadow_cause_text((EntShadowCause)i),
                (unsigned long long)l->redrawn_for[i]);
        before = ", ";
    }
    fputc('\n', out);
}

#define NUMBER(n) (unsigned long long)(n)

static void tables_print(const EntShadowCounts** light, u32 count, const EntityNames* names,
                         FILE* out) {
    char name[NAME_BYTES];
    fprintf(out, "\n%-30s %9s %9s %9s %9s  redrawn because of\n", "shadow maps of", "kept",
            "copied", "redrawn", "dropped");
    for (u32 i = 0; i < count; i++) {
        const EntShadowCounts* l = light[i];
        name_of(names, l->entity, name);
        fprintf(out, "%-30s %9llu %9llu %9llu %9llu", name, NUMBER(l->maps_kept),
                NUMBER(l->maps_copied), NUMBER(l->maps_redrawn), NUMBER(l->maps_dropped));
        causes_print(l, out);
    }
    fprintf(out, "\n%-30s %9s %9s %9s %9s %9s\n", "their casters", "kept", "copied", "redrawn",
            "too small", "unseen");
    for (u32 i = 0; i < count; i++) {
        const EntShadowCounts* l = light[i];
        name_of(names, l->entity, name);
        fprintf(out, "%-30s %9llu %9llu %9llu %9llu %9llu\n", name, NUMBER(l->casters_kept),
                NUMBER(l->casters_copied), NUMBER(l->casters_redrawn), NUMBER(l->casters_small),
                NUMBER(l->casters_unseen));
    }
}

void light_counts_print(LightCounts lights, const EntityNames* names, FILE* out) {
    const u32               shown = MIN_OF(lights.count, LIGHT_COUNTS_SHOWN);
    const EntShadowCounts** light = malloc(lights.count * sizeof *light);
    for (u32 i = 0; light && i < lights.count; i++) light[i] = &lights.at[i];
    if (light && lights.count) {
        qsort(light, lights.count, sizeof *light, redrawn_order);
        tables_print(light, shown, names, out);
    }
    if (light && shown < lights.count)
        fprintf(out, "and %u more lights: --csv writes all\n", lights.count - shown);
    free(light);
}

/* --- a file --- */

ent_status light_counts_write(LightCounts lights, const EntityNames* names, const char* path) {
    CsvFile file;
    char    name[NAME_BYTES];
    TRY(csv_begin(&file));
    fputs("light,maps,kept,copied,redrawn,dropped", file.out);
    for (u32 i = 0; i < ENT_SHADOW_CAUSES; i++)
        fprintf(file.out, ",for_%s", ent_shadow_cause_text((EntShadowCause)i));
    fputs(",casters_kept,casters_copied,casters_redrawn,casters_small,casters_unseen\n", file.out);
    for (u32 i = 0; i < lights.count; i++) {
        const EntShadowCounts* l = &lights.at[i];
        name_of(names, l->entity, name);
        csv_text(&file, name);
        fprintf(file.out, ",%u,%llu,%llu,%llu,%llu", l->map_count, NUMBER(l->maps_kept),
                NUMBER(l->maps_copied), NUMBER(l->maps_redrawn), NUMBER(l->maps_dropped));
        for (u32 k = 0; k < ENT_SHADOW_CAUSES; k++)
            fprintf(file.out, ",%llu", NUMBER(l->redrawn_for[k]));
        fprintf(file.out, ",%llu,%llu,%llu,%llu,%llu\n", NUMBER(l->casters_kept),
                NUMBER(l->casters_copied), NUMBER(l->casters_redrawn), NUMBER(l->casters_small),
                NUMBER(l->casters_unseen));
    }
    return csv_end(&file, path);
}
