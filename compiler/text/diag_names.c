/* diag_names.c - names in messages: those of a file, lists of them, and the most similar one. */
#include <stdio.h>

#include "diag.h"
#include "utf8.h"

/* --- names that exist --- */

/* Control characters, and those that reverse or hide text. */
static bool is_hostile(const char* at, u32 bytes) {
    const u8 *p = (const u8*)at, c = *p;
    if (bytes == 1) return c < 0x20 || c == 0x7f || c == '"' || c == '\\';
    if (bytes == 2) return c == 0xc2 && p[1] < 0xa0;
    if (bytes != 3 || c != 0xe2) return false;
    return (p[1] == 0x80 && (p[2] >= 0xa8 || (p[2] >= 0x8b && p[2] <= 0x8f))) ||
           (p[1] == 0x81 && p[2] >= 0xa0 && p[2] <= 0xaf);
}

const char* diag_name(char out[DIAG_NAME_BYTES], const char* name) {
    const char *at = name, *end = name + strlen(name);
    u32         used = 0;
    out[used++] = '"';
    while (at < end) {
        const u32  bytes = utf8_length(at, end);
        const bool hostile = bytes == 0 || is_hostile(at, bytes);
        if (used + MAX_OF(bytes, 1u) + sizeof "...\"" > DIAG_NAME_BYTES) break;
        if (hostile)
            out[used++] = '?';
        else
            memcpy(out + used, at, bytes), used += bytes;
        at += MAX_OF(bytes, 1u);
    }
    snprintf(out + used, DIAG_NAME_BYTES - used, "%s\"", at < end ? "..." : "");
    return out;
}

const char* diag_names(char* out, size_t room, const char* const* names, u32 count, u32 total) {
    const size_t max = room - sizeof " and 4294967295 more";
    size_t       used = 0;
    u32          shown = 0;
    for (out[0] = 0; shown < MIN_OF(count, (u32)DIAG_NAMES_MAX); shown++) {
        const bool   last = shown + 1 == total;
        const char*  apart = shown == 0 ? "" : last ? " and " : ", ";
        const size_t bytes = strlen(apart) + strlen(names[shown]) + 2;
        if (used + bytes > max) break;
        used += (size_t)snprintf(out + used, room - used, "%s\"%s\"", apart, names[shown]);
    }
    if (shown < total) snprintf(out + used, room - used, " and %u more", total - shown);
    return out;
}

/* --- did you mean --- */

#define WORD_BYTES_MAX 64

/* Edits (insert, delete, replace, swap of neighbours) from a to b; when they are more than
 * `allowed`, any higher number. */
static u32 edit_distance(Text a, Text b, u32 allowed) {
    u32 row[3][WORD_BYTES_MAX + 1];
    for (u32 j = 0; j <= b.bytes; j++) row[0][j] = j;
    for (u32 i = 1; i <= a.bytes; i++) {
        u32 *now = row[i % 3], *up = row[(i - 1) % 3], *up2 = row[(i + 1) % 3];
        u32  min = now[0] = i;
        for (u32 j = 1; j <= b.bytes; j++) {
            const bool same = a.at[i - 1] == b.at[j - 1];
            now[j] = MIN_OF(up[j - 1] + !same, MIN_OF(up[j], now[j - 1]) + 1);
            if (i > 1 && j > 1 && a.at[i - 1] == b.at[j - 2] && a.at[i - 2] == b.at[j - 1]) {
                now[j] = MIN_OF(now[j], up2[j - 2] + 1);
            }
            min = MIN_OF(min, now[j]);
        }
        if (min > allowed + 1) return min; /* a swap may reduce it by one */
    }
    return row[a.bytes % 3][b.bytes];
}

const char* diag_nearest(Text word, const char* const* candidates, u32 count) {
    const char* best = NULL;
    u32         best_distance = UINT32_MAX;
    if (word.bytes > WORD_BYTES_MAX) return NULL;
    for (u32 i = 0; i < count; i++) {
        const Text candidate = text_of(candidates[i]);
        if (candidate.bytes > WORD_BYTES_MAX) continue;
        const u32 longer = MAX_OF(word.bytes, candidate.bytes);
        const u32 allowed = MIN_OF(MAX_OF(1u, longer / 3), best_distance - 1);
        if (longer - MIN_OF(word.bytes, candidate.bytes) > allowed) continue;
        const u32 distance = edit_distance(word, candidate, allowed);
        if (distance <= allowed) {
            best = candidates[i], best_distance = distance;
        }
    }
    return best;
}
