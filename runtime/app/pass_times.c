/* pass_times.c - samples by pass and frame. */
#include "pass_times.h"

#include <stdlib.h>

#include "csv_file.h"

/* A new row follows the others of its group; a new group follows those that come before it in the frame, which
 * end at `*at`. */
static PassRow* row_of(PassTimes* times, const GpuTime* time, u32* at) {
    PassRow* found = NULL;
    u32      end = *at; /* of the group */
    for (u32 i = 0; i < times->count; i++) {
        PassRow* row = &times->row[i];
        if (strcmp(row->group, time->group) != 0) continue;
        if (strcmp(row->name, time->name) == 0) found = row;
        end = i + 1;
    }
    if (!found && times->count < PASS_TIMES_MAX) {
        found = &times->row[end];
        memmove(found + 1, found, (times->count - end) * sizeof *found);
        *found = (PassRow){.group = time->group, .name = time->name};
        times->count++;
        *at += end <= *at;
        end++;
    }
    *at = MAX_OF(*at, end);
    return found;
}

/* Times of one name in one frame are added up. */
static ent_status sample_add(PassRow* row, u32 frame, f64 ms) {
    if (row->count > 0 && row->sample[row->count - 1].frame == frame) {
        row->sample[row->count - 1].ms += ms;
        return ENT_OK;
    }
    if (row->count == row->capacity) {
        const u32   room = MAX_OF(row->capacity * 2, 64u);
        PassSample* grown = realloc(row->sample, room * sizeof *grown);
        if (!grown) return ENT_NO_MEMORY;
        row->sample = grown;
        row->capacity = room;
    }
    row->sample[row->count++] = (PassSample){frame, ms};
    return ENT_OK;
}

ent_status pass_times_add(PassTimes* times, u32 frame, const GpuTime* time, u32 count, u32 at) {
    for (u32 i = 0; i < count; i++) {
        PassRow* row = row_of(times, &time[i], &at);
        if (!row) return ENT_LIMIT;
        TRY(sample_add(row, frame, time[i].ms));
    }
    return ENT_OK;
}

void pass_times_free(PassTimes* times) {
    for (u32 i = 0; i < times->count; i++) free(times->row[i].sample);
    *times = (PassTimes){0};
}

static int sample_compare(const void* a, const void* b) {
    const f64 x = ((const PassSample*)a)->ms, y = ((const PassSample*)b)->ms;
    return (x > y) - (x < y);
}

/* Sorts the samples: they are no longer in the order of frames afterwards. */
static f64 row_median(PassSample* sample, u32 count) {
    qsort(sample, count, sizeof *sample, sample_compare);
    return (sample[(count - 1) / 2].ms + sample[count / 2].ms) / 2;
}

void pass_times_print(PassTimes* times, FILE* out) {
    fprintf(out, "\n%-30s %12s %14s %8s\n", "pass", "median ms", "maximum ms", "frames");
    for (u32 i = 0; i < times->count; i++) {
        PassRow*  row = &times->row[i];
        char      name[128];
        const f64 median = row_median(row->sample, row->count);
        snprintf(name, sizeof name, "%s %s", row->group, row->name);
        fprintf(out, "%-30s %12.3f %14.3f %8u\n", name, median, row->sample[row->count - 1].ms,
                row->count);
    }
}

ent_status pass_times_write(const PassTimes* times, const char* path) {
    CsvFile file;
    TRY(csv_begin(&file));
    fputs("frame,pass,ms\n", file.out);
    for (u32 i = 0; i < times->count; i++) {
        const PassRow* row = &times->row[i];
        for (u32 k = 0; k < row->count; k++)
            fprintf(file.out, "%u,%s %s,%.6f\n", row->sample[k].frame, row->group, row->name,
                    row->sample[k].ms);
    }
    return csv_end(&file, path);
}
