/* diag.c - stores diagnostics and prints them in order. */
#include "diag.h"

#include "exit_codes.h"
#include "hash.h"
#include "file.h"
#include "utf8.h"
#include "version.h"
#include "search.h"

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

/* An error or a warning. */
typedef struct Finding {
    const Source* source;
    u32           offset, bytes;
    DiagCode      code;
    bool          warning;
    u32           number; /* in the order of reporting; makes the sort stable */
    const char*   message;
    Note*         notes;
} Finding;

struct Diagnostics {
    Arena arena;
    ARRAY(Finding) findings;
    DiagSeverities severities;
    Slots          slots;    /* of the findings, by source, offset and code */
    u32            reports;  /* including duplicates */
    u32            errors;   /* of them */
    u32            warnings; /* among the findings */
    bool           mute;     /* warnings are ignored */
    bool           hide;     /* warnings are not printed */
    bool repeated; /* the newest finding is a duplicate or ignored: its notes are ignored too */
};

#define DIAG_TEXT_ROW(code, text) [code] = text,
#define DIAG_NAME_ROW(code, text) [code] = #code,
static const char* const code_texts[] = {DIAG_LIST(DIAG_TEXT_ROW)};
static const char* const code_names[] = {DIAG_LIST(DIAG_NAME_ROW)};

const char* diag_code_name(DiagCode code) { return code_names[code]; }
const char* diag_code_text(DiagCode code) { return code_texts[code]; }

DiagCode diag_code_named(Text name) {
    u32 code = 0;
    while (code < DIAG_CODE_COUNT && !text_equal(text_of(code_names[code]), name)) code++;
    return (DiagCode)code;
}

/* The letter shows it. */
bool diag_code_is_warning(DiagCode code) { return code_names[code][0] == 'W'; }

Diagnostics* diag_create(void) { return memory_alloc(sizeof(Diagnostics)); }

Diagnostics* diag_create_like(const Diagnostics* other) {
    Diagnostics* diag = diag_create();
    diag->severities = other->severities;
    return diag;
}

void diag_destroy(Diagnostics* diag) {
    if (!diag) return;
    arena_drop(&diag->arena);
    array_drop(&diag->findings);
    slots_drop(&diag->slots);
    memory_free(diag);
}

void diag_set_severities(Diagnostics* diag, const DiagSeverities* severities) {
    diag->severities = *severities;
}

static const char* severity_of(const Finding* f) { return f->warning ? "warning" : "error"; }

u32  diag_error_count(const Diagnostics* diag) { return diag->errors; }
u32  diag_report_count(const Diagnostics* diag) { return diag->reports; }
u32  diag_shown_count(const Diagnostics* diag) { return diag->findings.count - diag->warnings; }
void diag_mute_warnings(Diagnostics* diag) { diag->mute = true; }
void diag_hide_warnings(Diagnostics* diag) { diag->hide = true; }

/* Of the sorted findings, in which errors precede warnings. */
static u32 warnings_printed(const Diagnostics* diag) { return diag->hide ? 0 : diag->warnings; }

bool diag_has(const Diagnostics* diag, DiagCode code) {
    bool has = false;
    for (u32 i = 0; i < diag->findings.count && !has; i++) has = diag->findings.at[i].code == code;
    return has;
}

static bool is_limit(DiagCode code) { return code == E0104 || code == E0106 || code == E0309; }

bool diag_is_flooded(const Diagnostics* diag) { return diag_shown_count(diag) >= DIAG_ERRORS_MAX; }

static const char* message_print(Diagnostics* diag, const char* format, va_list arguments) {
    char      text[MESSAGE_BYTES_MAX];
    const int bytes = vsnprintf(text, sizeof text, format, arguments);
    assert(bytes >= 0);
    return arena_text(&diag->arena, (Text){text, (u32)MIN_OF((size_t)bytes, sizeof text - 1)});
}

/* Variants of a folder are read one by one: one file has a different Source in each of them. */
static bool same_file(const Source* a, const Source* b) {
    return a == b || (a && b && strcmp(a->path, b->path) == 0);
}

static u32* finding_slot(const Diagnostics* diag, DiagCode code, const Source* source, u32 offset) {
    const char* path = source ? source->path : "";
    const u64   hash = hash_bytes(path, strlen(path), (u64)offset << 8 | (u64)code);
    u32*        slot = slots_first(&diag->slots, hash);
    for (; *slot; slot = slots_next(&diag->slots, slot)) {
        const Finding* e = &diag->findings.at[*slot - 1];
        if (e->offset == offset && e->code == code && same_file(e->source, source)) break;
    }
    return slot;
}

u32 source_position(const Source* source, u32 offset) {
    Search s = search_between(1, source->origin_count);
    if (!source_is_generated(source, offset)) return offset;
    while (search_continues(&s)) {
        search_narrow(&s, source->origins[s.middle].at <= offset);
    }
    return source->origins[s.first - 1].origin;
}

static void findings_grow(Diagnostics* diag) {
    slots_grow(&diag->slots, 64);
    for (u32 i = 0; i < diag->findings.count; i++) {
        const Finding* e = &diag->findings.at[i];
        *finding_slot(diag, e->code, e->source, e->offset) = i + 1;
    }
}

/* Is it ignored? Else: is it a warning, or one that is an error in this project? */
static bool finding_is_off(const Diagnostics* diag, DiagCode code, bool* warning) {
    const u8 severity = diag->severities.of[code];
    if (diag_code_is_warning(code) && diag->mute) return true;
    if (severity != DIAG_USUAL) *warning = severity == DIAG_WARNING;
    return severity == DIAG_OFF;
}

/* Returns a new finding, or NULL for a duplicate or one that is ignored. */
static Finding* finding_add(Diagnostics* diag, DiagCode code, bool warning, const Source* source,
                            u32 offset) {
    assert(code < DIAG_CODE_COUNT);
    diag->repeated = finding_is_off(diag, code, &warning);
    if (diag->repeated) return NULL;
    diag->reports++;
    diag->errors += !warning;
    if (slots_are_full(&diag->slots, diag->findings.count)) findings_grow(diag);
    u32* slot = finding_slot(diag, code, source, offset);
    diag->repeated = *slot && source;
    if (diag->repeated) return NULL;
    diag->warnings += warning;
    Finding* f = array_push(&diag->findings);
    *f = (Finding){.source = source,
                   .offset = offset,
                   .code = code,
                   .warning = warning,
                   .number = diag->findings.count - 1};
    if (!*slot) *slot = diag->findings.count;
    return f;
}

static void finding_report(Diagnostics* diag, DiagCode code, const Source* source, u32 offset,
                           u32 bytes, const char* format, va_list arguments) {
    const bool generated = source && source_is_generated(source, offset);
    Finding*   f = finding_add(diag, code, diag_code_is_warning(code), source,
                             source ? source_position(source, offset) : offset);
    if (!f) return;
    f->bytes = generated ? 1 : bytes;
    f->message = message_print(diag, format, arguments);
}

void diag_error(Diagnostics* diag, DiagCode code, const Source* source, u32 offset, u32 bytes,
                const char* format, ...) {
    va_list arguments;
    assert(!diag_code_is_warning(code));
    va_start(arguments, format);
    finding_report(diag, code, source, offset, bytes, format, arguments);
    va_end(arguments);
}

void diag_warning(Diagnostics* diag, DiagCode code, const Source* source, u32 offset, u32 bytes,
                  const char* format, ...) {
    va_list arguments;
    assert(diag_code_is_warning(code));
    va_start(arguments, format);
    finding_report(diag, code, source, offset, bytes, format, arguments);
    va_end(arguments);
}

static Note* note_copy(Diagnostics* diag, const Note* note) {
    Note* copy = ARENA_NEW(&diag->arena, Note, 1);
    *copy = *note;
    copy->next = NULL;
    copy->message = arena_text(&diag->arena, text_of(note->message));
    return copy;
}

bool diag_absorb_noted(Diagnostics* diag, const Diagnostics* from, const char* note) {
    const u32 before = diag->findings.count;
    for (u32 i = 0; i < from->findings.count; i++) {
        const Finding* e = &from->findings.at[i];
        const bool     is_once = e->code == W0414 || e->code == E0414; /* for a project */
        if (is_once && diag_has(diag, e->code)) continue;
        Finding* finding = finding_add(diag, e->code, e->warning, e->source, e->offset);
        if (!finding) continue;
        finding->bytes = e->bytes;
        finding->message = arena_text(&diag->arena, text_of(e->message));
        Note** last = &finding->notes;
        for (const Note* n = e->notes; n; n = n->next, last = &(*last)->next) {
            *last = note_copy(diag, n);
        }
        if (note) *last = note_copy(diag, &(Note){.message = note});
    }
    return diag->findings.count > before;
}

void diag_absorb(Diagnostics* diag, const Diagnostics* from) {
    diag_absorb_noted(diag, from, NULL);
}

void diag_note(Diagnostics* diag, const Source* source, u32 offset, u32 bytes, const char* format,
               ...) {
    if (diag->repeated) return;
    assert(diag->findings.count > 0);
    va_list arguments;
    va_start(arguments, format);
    Note* note = ARENA_NEW(&diag->arena, Note, 1);
    *note = (Note){NULL, source, offset, bytes, message_print(diag, format, arguments)};
    va_end(arguments);
    Note** last = &diag->findings.at[diag->findings.count - 1].notes;
    while (*last) last = &(*last)->next;
    *last = note;
}

/* --- output --- */

bool source_is_binary(const Source* source) {
    static const char suffix[] = ".glb";
    const size_t      bytes = strlen(source->path), end = sizeof suffix - 1;
    return bytes > end && strcmp(source->path + bytes - end, suffix) == 0;
}

/* Is a position in the source printed? */
static bool place_is_shown(const Source* source, DiagCode code) {
    if (!source) return false;
    const bool is_grammar = code <= E0105 || code == E0109;
    return is_grammar || !source_is_binary(source);
}

typedef struct Place {
    u32  line, column;
    Text text; /* the complete line */
} Place;

/* A place that was found, from which a later one of the same source is counted on: findings are in the
 * order of their offsets, and each of them counted from the beginning of a file would take the square
 * of the size. */
typedef struct Walk {
    const Source* source;
    u32           offset, characters; /* `characters`: in the line before the offset */
    Place         place;
} Walk;

/* Those of findings and those of their notes, which have another order. */
typedef struct Walks {
    Walk finding, note;
} Walks;

static Text line_at(const Source* source, u32 start) {
    const char *line = source->text + start, *end = line;
    while (end < source->text + source_own_bytes(source) && *end != '\n' && *end != '\r') end++;
    return (Text){line, (u32)(end - line)};
}

static Place place_of(Walk* w, const Source* source, u32 offset) {
    const u32 stop = MIN_OF(offset, source_own_bytes(source));
    if (w->source != source || stop < w->offset)
        *w = (Walk){.source = source, .place = {1, 1, line_at(source, 0)}};
    const char* line = w->place.text.at;
    for (; w->offset < stop; w->offset++) {
        const u8 c = (u8)source->text[w->offset];
        w->characters += (c & 0xc0) != 0x80;
        if (c == '\n') w->place.line++, line = source->text + w->offset + 1, w->characters = 0;
    }
    if (line != w->place.text.at) w->place.text = line_at(source, (u32)(line - source->text));
    w->place.column = (u32)(source->text + stop - line) + 1;
    return w->place;
}

/* Prints one character for a terminal or a reader of UTF-8: control characters and invalid UTF-8
 * become '?', tabs become spaces. Returns the number of bytes that were read. */
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

/* A long line is shortened around the caret; an empty one is not shown. */
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

/* `code` is that of the finding, also of a note. */
static void text_print_one(FILE* out, Walk* walk, const Source* source, u32 offset, u32 bytes,
                           const char* severity, const char* paint, const char* message,
                           DiagCode code, bool is_note, bool color) {
    const bool  shown = place_is_shown(source, code);
    const Place place = shown ? place_of(walk, source, offset) : (Place){0};
    line_print(out, source ? source->path : "entc");
    if (shown) fprintf(out, ":%u:%u", place.line, place.column);
    fputs(": ", out);
    if (color)
        fprintf(out, "\033[%sm%s:\033[0m ", paint, severity);
    else
        fprintf(out, "%s: ", severity);
    line_print(out, message);
    if (!is_note) fprintf(out, " [%s]", code_names[code]);
    fputc('\n', out);
    if (shown) excerpt_print(out, &place, bytes);
}

static void text_print(FILE* out, Walks* walks, const Finding* e, bool color) {
    text_print_one(out, &walks->finding, e->source, e->offset, e->bytes, severity_of(e),
                   e->warning ? "1;35" : "1;31", e->message, e->code, false, color);
    for (const Note* n = e->notes; n; n = n->next) {
        text_print_one(out, &walks->note, n->source, n->offset, n->bytes, "note", "1;36",
                       n->message, e->code, true, color);
    }
}

/* "file(line,column): error E0201: message", which build tools of Visual Studio recognise; without a
 * file, the program is the origin. */
static void msvc_print_one(FILE* out, Walk* walk, const Source* source, u32 offset,
                           const char* severity, DiagCode code, bool is_note, const char* message) {
    const bool  shown = place_is_shown(source, code);
    const Place place = shown ? place_of(walk, source, offset) : (Place){0};
    line_print(out, source ? source->path : "entc");
    if (shown) fprintf(out, "(%u,%u)", place.line, place.column);
    fprintf(out, ": %s%s%s: ", severity, is_note ? "" : " ", is_note ? "" : code_names[code]);
    line_print(out, message);
    fputc('\n', out);
}

static void msvc_print(FILE* out, Walks* walks, const Finding* e) {
    msvc_print_one(out, &walks->finding, e->source, e->offset, severity_of(e), e->code, false,
                   e->message);
    for (const Note* n = e->notes; n; n = n->next) {
        msvc_print_one(out, &walks->note, n->source, n->offset, "note", e->code, true, n->message);
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

/* Line and column are 0 where there are none. */
static void json_place(FILE* out, Walk* walk, const Source* source, u32 offset, DiagCode code) {
    const Place place = place_is_shown(source, code) ? place_of(walk, source, offset) : (Place){0};
    fputs("\"file\":", out);
    json_text(out, source ? source->path : "");
    fprintf(out, ",\"line\":%u,\"column\":%u,\"message\":", place.line, place.column);
}

/* One object per line, so that a reader may start before the end. */
static void json_print(FILE* out, Walks* walks, const Finding* e) {
    fprintf(out, "{\"severity\":\"%s\",\"code\":\"%s\",", severity_of(e), code_names[e->code]);
    json_place(out, &walks->finding, e->source, e->offset, e->code);
    json_text(out, e->message);
    fputs(",\"notes\":[", out);
    for (const Note* n = e->notes; n; n = n->next) {
        fputc('{', out);
        json_place(out, &walks->note, n->source, n->offset, e->code);
        json_text(out, n->message);
        fputs(n->next ? "}," : "}", out);
    }
    fputs("]}\n", out);
}

/* Workflow commands end with the line: these bytes are escaped. */
static void github_text(FILE* out, const char* text, bool property) {
    for (const char* end = text + strlen(text); text < end;) {
        if (strchr(property ? "%\n\r:," : "%\n\r", *text))
            fprintf(out, "%%%02X", (u8)*text++);
        else
            text += character_print(out, text, end);
    }
}

static void github_print(FILE* out, Walks* walks, const Finding* e) {
    const bool  shown = place_is_shown(e->source, e->code);
    const Place place = shown ? place_of(&walks->finding, e->source, e->offset) : (Place){0};
    fprintf(out, "::%s ", severity_of(e));
    if (e->source) {
        fputs("file=", out);
        github_text(out, e->source->path, true);
        if (shown) fprintf(out, ",line=%u,col=%u", place.line, place.column);
        fputc(',', out);
    }
    fprintf(out, "title=%s::", code_names[e->code]);
    github_text(out, e->message, false);
    for (const Note* n = e->notes; n; n = n->next) {
        fputs("%0A", out);
        github_text(out, n->message, false);
    }
    fputc('\n', out);
}

/* "1 error", "2 errors and 1 warning", "3 warnings"; `more` is inserted after the first number. */
static void counts_print(FILE* out, u32 errors, u32 warnings, const char* more) {
    if (errors) fprintf(out, "%u%s error%s", errors, more, errors == 1 ? "" : "s");
    if (errors && warnings) fputs(" and ", out);
    if (warnings)
        fprintf(out, "%u%s warning%s", warnings, errors ? "" : more, warnings == 1 ? "" : "s");
}

/* Diagnostics that GitHub would drop are printed to the log. */
static void github_print_all(FILE* out, Walks* walks, const Diagnostics* diag, u32 count) {
    const Finding* at = diag->findings.at;
    const u32      shown = MIN_OF(count, (u32)ANNOTATIONS_MAX);
    const u32      printed = MIN_OF(count, (u32)DIAG_ERRORS_MAX);
    for (u32 i = 0; i < shown; i++) github_print(out, walks, &at[i]);
    for (u32 i = shown; i < printed; i++) text_print(out, walks, &at[i], false);
    if (shown == count) return;
    fputs("::notice title=entc::", out);
    counts_print(out, diag_shown_count(diag), warnings_printed(diag), "");
    fprintf(out, "; %u are shown as annotations, the other %u are in the log\n", shown,
            printed - shown);
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
static void sarif_location(FILE* out, Walk* walk, const Source* source, u32 offset, u32 bytes,
                           DiagCode code) {
    fputs("{\"physicalLocation\":{\"artifactLocation\":{\"uri\":", out);
    sarif_uri(out, source->path);
    fputc('}', out);
    if (place_is_shown(source, code)) {
        const Place place = place_of(walk, source, offset);
        fprintf(out,
                ",\"region\":{\"startLine\":%u,\"startColumn\":%u,\"byteOffset\":%u,"
                "\"byteLength\":%u}",
                place.line, walk->characters + 1, offset, bytes);
    }
    fputc('}', out);
}

/* Notes without a position are appended to the message. */
static void sarif_message(FILE* out, const Finding* e) {
    char   text[2 * MESSAGE_BYTES_MAX];
    size_t used = (size_t)snprintf(text, sizeof text, "%s", e->message);
    for (const Note* n = e->notes; n && used < sizeof text; n = n->next) {
        if (n->source) continue;
        used += (size_t)snprintf(text + used, sizeof text - used, " (%s)", n->message);
    }
    json_text(out, text);
}

static void sarif_print(FILE* out, Walks* walks, const Finding* findings, u32 count) {
    fputs("{\"version\":\"2.1.0\",\"$schema\":\"https://json.schemastore.org/sarif-2.1.0.json\","
          "\"runs\":[{\"tool\":{\"driver\":{\"name\":\"entc\",\"version\":\"" ENT_VERSION
          "\",\"rules\":[",
          out);
    sarif_rules(out);
    fputs("]}},\"columnKind\":\"unicodeCodePoints\",\"results\":[", out);
    for (u32 i = 0; i < count; i++) {
        const Finding* e = &findings[i];
        fprintf(out, "%s{\"ruleId\":\"%s\",\"level\":\"%s\",\"message\":{\"text\":", i ? "," : "",
                code_names[e->code], severity_of(e));
        sarif_message(out, e);
        fputs("},\"locations\":[", out);
        if (e->source)
            sarif_location(out, &walks->finding, e->source, e->offset, e->bytes, e->code),
                fputc('}', out);
        fputs("],\"relatedLocations\":[", out);
        bool first = true;
        for (const Note* n = e->notes; n; n = n->next) {
            if (!n->source) continue;
            if (!first) fputc(',', out);
            first = false;
            sarif_location(out, &walks->note, n->source, n->offset, n->bytes, e->code);
            fputs(",\"message\":{\"text\":", out);
            json_text(out, n->message);
            fputs("}}", out);
        }
        fputs("]}", out);
    }
    fputs("]}]}\n", out);
}

/* Errors come first, so that many warnings cannot displace them. */
static int finding_order(const void* a, const void* b) {
    const Finding *x = a, *y = b;
    if (x->warning != y->warning) return x->warning ? 1 : -1;
    const int path = strcmp(x->source ? x->source->path : "", y->source ? y->source->path : "");
    if (path) return path;
    if (x->offset != y->offset) return x->offset < y->offset ? -1 : 1;
    if (x->code != y->code) return x->code < y->code ? -1 : 1;
    return x->number < y->number ? -1 : 1;
}

void diag_print(const Diagnostics* diag, FILE* out, DiagFormat format, bool color) {
    const u32 all = diag->findings.count, warnings = warnings_printed(diag);
    const u32 count = all - diag->warnings + warnings;
    Walks     walks = {0};
    if (all) qsort(diag->findings.at, all, sizeof(Finding), finding_order);
    if (format == DIAG_SARIF) sarif_print(out, &walks, diag->findings.at, count);
    if (format == DIAG_GITHUB) github_print_all(out, &walks, diag, count);
    for (u32 i = 0; i < count && format == DIAG_JSON; i++)
        json_print(out, &walks, &diag->findings.at[i]);
    for (u32 i = 0; i < count && format == DIAG_MSVC; i++)
        msvc_print(out, &walks, &diag->findings.at[i]);
    if (format != DIAG_TEXT || count == 0) return;
    const u32 shown = MIN_OF(count, (u32)DIAG_ERRORS_MAX);
    for (u32 i = 0; i < shown; i++) text_print(out, &walks, &diag->findings.at[i], color);
    const u32 errors = count - warnings;
    const u32 hidden = errors - MIN_OF(errors, shown);
    if (shown < count) {
        fputs("entc: ", out);
        counts_print(out, hidden, count - shown - hidden, " more");
        fprintf(out, " %s not shown\n", count - shown == 1 ? "is" : "are");
    }
    fputs("entc: ", out);
    counts_print(out, errors, warnings, "");
    fputc('\n', out);
}

DiagCode diag_unread_code(int error) { return errno_status(error) == ENT_IO ? E0107 : E0108; }

int diag_exit_code(const Diagnostics* diag) {
    if (diag_error_count(diag) == 0) return EXIT_OK;
    if (diag_has(diag, E0108)) return EXIT_LIMIT;
    if (diag_has(diag, E0107)) return EXIT_IO;
    bool limits = true;
    for (u32 i = 0; i < diag->findings.count && limits; i++) {
        const Finding* f = &diag->findings.at[i];
        limits = f->warning || is_limit(f->code);
    }
    return limits ? EXIT_LIMIT : EXIT_INVALID;
}

int io_failure(const char* what, const char* path) {
    const int error = errno;
    fprintf(stderr, "entc: error: %s \"%s\": %s\n", what, path, strerror(error));
    return exit_code_of(errno_status(error));
}
