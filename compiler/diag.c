/* diag.c - keeps diagnostics and tells them in order. */
#include "diag.h"

#include "exit_codes.h"
#include "utf8.h"
#include "version.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>

#define MESSAGE_BYTES_MAX 1024
#define LINE_BYTES_MAX    160 /* of source shown under a diagnostic */
#define ANNOTATIONS_MAX   10  /* that GitHub shows of a step */

typedef struct Note {
    struct Note*  next;
    const Source* source;
    u32           offset, bytes;
    const char*   message;
} Note;

typedef struct Error {
    const Source* source;
    u32           offset, bytes;
    DiagCode      code;
    u32           number; /* in the order of reporting: keeps the sort stable */
    const char*   message;
    Note*         notes;
} Error;

struct Diagnostics {
    Arena arena;
    ARRAY(Error) errors;
    u32* slot; /* hash table over source, offset and code; index + 1 */
    u32  slots;
    u32  reported; /* repetitions too */
    bool repeated; /* the newest error was told before: its notes too */
};

#define DIAG_TEXT_ROW(code, text) [code] = text,
#define DIAG_NAME_ROW(code, text) [code] = #code,
static const char* const code_texts[] = {DIAG_LIST(DIAG_TEXT_ROW)};
static const char* const code_names[] = {DIAG_LIST(DIAG_NAME_ROW)};

Diagnostics* diag_create(void) { return memory_alloc(sizeof(Diagnostics)); }

void diag_destroy(Diagnostics* diag) {
    if (!diag) return;
    arena_drop(&diag->arena);
    array_drop(&diag->errors);
    memory_free(diag->slot);
    memory_free(diag);
}

u32 diag_error_count(const Diagnostics* diag) { return diag->reported; }
u32 diag_told_count(const Diagnostics* diag) { return diag->errors.count; }

bool diag_has(const Diagnostics* diag, DiagCode code) {
    bool has = false;
    for (u32 i = 0; i < diag->errors.count && !has; i++) has = diag->errors.at[i].code == code;
    return has;
}

bool diag_is_flooded(const Diagnostics* diag) { return diag->errors.count >= DIAG_ERRORS_MAX; }

static const char* message_print(Diagnostics* diag, const char* format, va_list arguments) {
    char      text[MESSAGE_BYTES_MAX];
    const int bytes = vsnprintf(text, sizeof text, format, arguments);
    assert(bytes >= 0);
    return arena_text(&diag->arena, (Text){text, (u32)MIN_OF((size_t)bytes, sizeof text - 1)});
}

static u32* error_slot(const Diagnostics* diag, DiagCode code, const Source* source, u32 offset) {
    const u64 hash = ((u64)(uintptr_t)source >> 4) * 0x9e3779b97f4a7c15u ^
                     ((u64)offset << 8 | (u64)code) * 0xc2b2ae3d27d4eb4fu;
    for (u64 at = hash ^ hash >> 32;; at++) {
        u32* slot = &diag->slot[at & (diag->slots - 1)];
        if (!*slot) return slot;
        const Error* e = &diag->errors.at[*slot - 1];
        if (e->source == source && e->offset == offset && e->code == code) return slot;
    }
}

static void errors_grow(Diagnostics* diag) {
    diag->slots = diag->slots ? diag->slots * 2 : 64;
    memory_free(diag->slot);
    diag->slot = memory_alloc(sizeof(u32) * diag->slots);
    for (u32 i = 0; i < diag->errors.count; i++) {
        const Error* e = &diag->errors.at[i];
        *error_slot(diag, e->code, e->source, e->offset) = i + 1;
    }
}

/* Room for an error, or NULL: one fault seen along two ways is one fault. */
static Error* error_add(Diagnostics* diag, DiagCode code, const Source* source, u32 offset) {
    assert(code < DIAG_CODE_COUNT);
    diag->reported++;
    if (diag->errors.count * 2 >= diag->slots) errors_grow(diag);
    u32* slot = error_slot(diag, code, source, offset);
    diag->repeated = *slot && source;
    if (diag->repeated) return NULL;
    Error* error = array_push(&diag->errors);
    *error =
        (Error){.source = source, .offset = offset, .code = code, .number = diag->errors.count - 1};
    if (!*slot) *slot = diag->errors.count;
    return error;
}

void diag_error(Diagnostics* diag, DiagCode code, const Source* source, u32 offset, u32 bytes,
                const char* format, ...) {
    Error* error = error_add(diag, code, source, offset);
    if (!error) return;
    va_list arguments;
    va_start(arguments, format);
    error->bytes = bytes;
    error->message = message_print(diag, format, arguments);
    va_end(arguments);
}

void diag_absorb(Diagnostics* diag, const Diagnostics* from) {
    for (u32 i = 0; i < from->errors.count; i++) {
        const Error* e = &from->errors.at[i];
        Error*       error = error_add(diag, e->code, e->source, e->offset);
        if (!error) continue;
        error->bytes = e->bytes;
        error->message = arena_text(&diag->arena, text_of(e->message));
        Note** last = &error->notes;
        for (const Note* n = e->notes; n; n = n->next, last = &(*last)->next) {
            *last = ARENA_NEW(&diag->arena, Note, 1);
            **last = *n;
            (*last)->message = arena_text(&diag->arena, text_of(n->message));
        }
    }
}

void diag_note(Diagnostics* diag, const Source* source, u32 offset, u32 bytes, const char* format,
               ...) {
    assert(diag->errors.count > 0);
    if (diag->repeated) return;
    va_list arguments;
    va_start(arguments, format);
    Note* note = ARENA_NEW(&diag->arena, Note, 1);
    *note = (Note){NULL, source, offset, bytes, message_print(diag, format, arguments)};
    va_end(arguments);
    Note** last = &diag->errors.at[diag->errors.count - 1].notes;
    while (*last) last = &(*last)->next;
    *last = note;
}

/* --- telling --- */

typedef struct Place {
    u32  line, column;
    Text text; /* the whole line */
} Place;

static Place place_of(const Source* source, u32 offset) {
    Place       place = {.line = 1};
    const u32   stop = MIN_OF(offset, source->bytes);
    const char* line = source->text;
    for (const char* at = line; at < source->text + stop; at++) {
        if (*at == '\n') place.line++, line = at + 1;
    }
    place.column = (u32)(source->text + stop - line) + 1;
    const char* end = line;
    while (end < source->text + source->bytes && *end != '\n' && *end != '\r') end++;
    place.text = (Text){line, (u32)(end - line)};
    return place;
}

/* One character for a terminal or a reader of UTF-8: what would steer a terminal, or is not UTF-8,
 * becomes '?', tabs become spaces. Returns the bytes it had. */
static u32 character_print(FILE* out, const char* at, const char* end) {
    const u8   c = (u8)*at;
    const u32  bytes = utf8_length(at, end);
    const bool steers = c < 0x20 || c == 0x7f || (c == 0xc2 && (u8)at[1] < 0xa0);
    if (bytes == 0 || steers)
        fputc(c == '\t' ? ' ' : '?', out);
    else
        fwrite(at, 1, bytes, out);
    return MAX_OF(bytes, 1u);
}

static void line_print(FILE* out, const char* text) {
    for (const char *at = text, *end = text + strlen(text); at < end;) {
        at += character_print(out, at, end);
    }
}

/* A long line is cut around the caret; an empty one is not shown. */
static void excerpt_print(FILE* out, const Place* place, u32 bytes) {
    const Text line = place->text;
    const u32  caret = MIN_OF(place->column - 1, line.bytes);
    u32        first = caret > LINE_BYTES_MAX / 2 ? caret - LINE_BYTES_MAX / 2 : 0;
    const u32  last = MIN_OF(line.bytes, first + LINE_BYTES_MAX);
    while (first < caret && ((u8)line.at[first] & 0xc0) == 0x80) first++;
    if (line.bytes == 0) return;
    fputs("    ", out);
    u32 columns = 0, under = 0;
    for (u32 i = first; i < last;) {
        columns += i < caret;
        under += i > caret && i - caret < bytes;
        i += character_print(out, line.at + i, line.at + last);
    }
    fprintf(out, "\n    %*s^", (int)columns, "");
    while (under--) fputc('~', out);
    fputc('\n', out);
}

static void text_print_one(FILE* out, const Source* source, u32 offset, u32 bytes,
                           const char* severity, const char* paint, const char* message,
                           const char* code, bool color) {
    const Place place = source ? place_of(source, offset) : (Place){0};
    if (source) {
        line_print(out, source->path);
        fprintf(out, ":%u:%u: ", place.line, place.column);
    } else {
        fputs("entc: ", out);
    }
    if (color)
        fprintf(out, "\033[%sm%s:\033[0m ", paint, severity);
    else
        fprintf(out, "%s: ", severity);
    line_print(out, message);
    if (code) fprintf(out, " [%s]", code);
    fputc('\n', out);
    if (source) excerpt_print(out, &place, bytes);
}

static void text_print(FILE* out, const Error* e, bool color) {
    text_print_one(out, e->source, e->offset, e->bytes, "error", "1;31", e->message,
                   code_names[e->code], color);
    for (const Note* n = e->notes; n; n = n->next) {
        text_print_one(out, n->source, n->offset, n->bytes, "note", "1;36", n->message, NULL,
                       color);
    }
}

static void json_text(FILE* out, const char* text) {
    const char* end = text + strlen(text);
    fputc('"', out);
    while (text < end) {
        const u8 c = (u8)*text;
        if (c == '"' || c == '\\')
            fprintf(out, "\\%c", c), text++;
        else if (c < 0x20 || c == 0x7f)
            fprintf(out, "\\u%04x", c), text++;
        else
            text += character_print(out, text, end);
    }
    fputc('"', out);
}

static void json_place(FILE* out, const Source* source, u32 offset) {
    const Place place = source ? place_of(source, offset) : (Place){0};
    fputs("\"file\":", out);
    json_text(out, source ? source->path : "");
    fprintf(out, ",\"line\":%u,\"column\":%u,\"message\":", place.line, place.column);
}

/* One object a line, so that a reader may start before the end. */
static void json_print(FILE* out, const Error* e) {
    fprintf(out, "{\"severity\":\"error\",\"code\":\"%s\",", code_names[e->code]);
    json_place(out, e->source, e->offset);
    json_text(out, e->message);
    fputs(",\"notes\":[", out);
    for (const Note* n = e->notes; n; n = n->next) {
        fputc('{', out);
        json_place(out, n->source, n->offset);
        json_text(out, n->message);
        fputs(n->next ? "}," : "}", out);
    }
    fputs("]}\n", out);
}

/* Workflow commands end at a line's end: these three bytes are escaped. */
static void github_text(FILE* out, const char* text, bool property) {
    for (const char* end = text + strlen(text); text < end;) {
        if (strchr(property ? "%\n\r:," : "%\n\r", *text))
            fprintf(out, "%%%02X", (u8)*text++);
        else
            text += character_print(out, text, end);
    }
}

static void github_print(FILE* out, const Error* e) {
    const Place place = e->source ? place_of(e->source, e->offset) : (Place){0};
    fputs("::error ", out);
    if (e->source) {
        fputs("file=", out);
        github_text(out, e->source->path, true);
        fprintf(out, ",line=%u,col=%u,", place.line, place.column);
    }
    fprintf(out, "title=%s::", code_names[e->code]);
    github_text(out, e->message, false);
    for (const Note* n = e->notes; n; n = n->next) {
        fputs("%0A", out);
        github_text(out, n->message, false);
    }
    fputc('\n', out);
}

/* What GitHub would drop is told to whoever reads the log. */
static void github_print_all(FILE* out, const Error* errors, u32 count) {
    const u32 shown = MIN_OF(count, (u32)ANNOTATIONS_MAX);
    const u32 told = MIN_OF(count, (u32)DIAG_ERRORS_MAX);
    for (u32 i = 0; i < shown; i++) github_print(out, &errors[i]);
    for (u32 i = shown; i < told; i++) text_print(out, &errors[i], false);
    if (shown == count) return;
    fprintf(out, "::notice title=entc::%u errors; %u are annotations, %u more are in the log\n",
            count, shown, told - shown);
}

static void sarif_rules(FILE* out) {
    for (u32 i = 0; i < DIAG_CODE_COUNT; i++) {
        fprintf(out, "%s{\"id\":\"%s\",\"shortDescription\":{\"text\":", i ? "," : "",
                code_names[i]);
        json_text(out, code_texts[i]);
        fputs("}}", out);
    }
}

/* A path as a relative URI reference, RFC 3986. */
static void sarif_uri(FILE* out, const char* path) {
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/";
    fputc('"', out);
    for (; *path; path++) fprintf(out, strchr(plain, *path) ? "%c" : "%%%02X", (u8)*path);
    fputc('"', out);
}

/* SARIF counts characters, from 1. */
static u32 sarif_column(const Place* place) {
    u32 column = 1;
    for (u32 i = 0; i + 1 < place->column && i < place->text.bytes; i++) {
        column += ((u8)place->text.at[i] & 0xc0) != 0x80;
    }
    return column;
}

static void sarif_location(FILE* out, const Source* source, u32 offset, u32 bytes) {
    const Place place = place_of(source, offset);
    fputs("{\"physicalLocation\":{\"artifactLocation\":{\"uri\":", out);
    sarif_uri(out, source->path);
    fprintf(
        out,
        "},\"region\":{\"startLine\":%u,\"startColumn\":%u,\"byteOffset\":%u,\"byteLength\":%u}}",
        place.line, sarif_column(&place), offset, bytes);
}

/* Notes that stand nowhere belong to the message: there is no place to relate them to. */
static void sarif_message(FILE* out, const Error* e) {
    char   text[2 * MESSAGE_BYTES_MAX];
    size_t used = (size_t)snprintf(text, sizeof text, "%s", e->message);
    for (const Note* n = e->notes; n && used < sizeof text; n = n->next) {
        if (n->source) continue;
        used += (size_t)snprintf(text + used, sizeof text - used, " (%s)", n->message);
    }
    json_text(out, text);
}

static void sarif_print(FILE* out, const Error* errors, u32 count) {
    fputs("{\"version\":\"2.1.0\",\"$schema\":\"https://json.schemastore.org/sarif-2.1.0.json\","
          "\"runs\":[{\"tool\":{\"driver\":{\"name\":\"entc\",\"version\":\"" ENT_VERSION
          "\",\"rules\":[",
          out);
    sarif_rules(out);
    fputs("]}},\"columnKind\":\"unicodeCodePoints\",\"results\":[", out);
    for (u32 i = 0; i < count; i++) {
        const Error* e = &errors[i];
        fprintf(out,
                "%s{\"ruleId\":\"%s\",\"level\":\"error\",\"message\":{\"text\":", i ? "," : "",
                code_names[e->code]);
        sarif_message(out, e);
        fputs("},\"locations\":[", out);
        if (e->source) sarif_location(out, e->source, e->offset, e->bytes), fputc('}', out);
        fputs("],\"relatedLocations\":[", out);
        bool first = true;
        for (const Note* n = e->notes; n; n = n->next) {
            if (!n->source) continue;
            if (!first) fputc(',', out);
            first = false;
            sarif_location(out, n->source, n->offset, n->bytes);
            fputs(",\"message\":{\"text\":", out);
            json_text(out, n->message);
            fputs("}}", out);
        }
        fputs("]}", out);
    }
    fputs("]}]}\n", out);
}

static int error_order(const void* a, const void* b) {
    const Error *x = a, *y = b;
    const int    path = strcmp(x->source ? x->source->path : "", y->source ? y->source->path : "");
    if (path) return path;
    if (x->offset != y->offset) return x->offset < y->offset ? -1 : 1;
    if (x->code != y->code) return x->code < y->code ? -1 : 1;
    return x->number < y->number ? -1 : 1;
}

void diag_print(const Diagnostics* diag, FILE* out, DiagFormat format, bool color) {
    const u32 count = diag->errors.count;
    if (count) qsort(diag->errors.at, count, sizeof(Error), error_order);
    if (format == DIAG_SARIF) sarif_print(out, diag->errors.at, count);
    if (format == DIAG_GITHUB) github_print_all(out, diag->errors.at, count);
    for (u32 i = 0; i < count && format == DIAG_JSON; i++) json_print(out, &diag->errors.at[i]);
    if (format != DIAG_TEXT || count == 0) return;
    const u32 told = MIN_OF(count, (u32)DIAG_ERRORS_MAX);
    for (u32 i = 0; i < told; i++) text_print(out, &diag->errors.at[i], color);
    if (told < count) fprintf(out, "entc: %u more errors are not shown\n", count - told);
    fprintf(out, "entc: %u error%s\n", count, count == 1 ? "" : "s");
}

int io_failure(const char* what, const char* path) {
    fprintf(stderr, "entc: error: %s \"%s\": %s\n", what, path, strerror(errno));
    return EXIT_IO;
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
        u32  least = now[0] = i;
        for (u32 j = 1; j <= b.bytes; j++) {
            const bool same = a.at[i - 1] == b.at[j - 1];
            now[j] = MIN_OF(up[j - 1] + !same, MIN_OF(up[j], now[j - 1]) + 1);
            if (i > 1 && j > 1 && a.at[i - 1] == b.at[j - 2] && a.at[i - 2] == b.at[j - 1]) {
                now[j] = MIN_OF(now[j], up2[j - 2] + 1);
            }
            least = MIN_OF(least, now[j]);
        }
        if (least > allowed + 1) return least; /* a swap may save one */
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
