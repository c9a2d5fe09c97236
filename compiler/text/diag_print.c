/* diag_print.c - prints diagnostics in order: as text, JSON, annotations of GitHub, or for Visual
 * Studio. */
#include "diag_internal.h"

#include <stdlib.h>

#define LINE_BYTES_MAX  160 /* of source shown under a diagnostic */
#define ANNOTATIONS_MAX 10  /* that GitHub shows of a step */

/* Of the sorted findings, in which errors precede warnings. */
static u32 warnings_printed(const Diagnostics* diag) { return diag->hide ? 0 : diag->warnings; }

static void line_print(FILE* out, const char* text) {
    for (const char *at = text, *end = text + strlen(text); at < end;) {
        at += diag_character_print(out, at, end);
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
        i += diag_character_print(out, line.at + i, line.at + last);
    }
    fprintf(out, "\n    %*s^", (int)columns, "");
    while (under--) fputc('~', out);
    fputc('\n', out);
}

/* Prints a finding, or a note of it. */
static void text_print_one(FILE* out, Walk* walk, const Finding* of, const Report* r, bool color) {
    const bool        is_note = r != &of->report;
    const bool        shown = diag_place_is_shown(r->source, of->code);
    const Place       place = shown ? diag_place(walk, r->source, r->offset) : (Place){0};
    const char* const severity = is_note ? "note" : severity_of(of);
    line_print(out, r->source ? r->source->path : "entc");
    if (shown) fprintf(out, ":%u:%u", place.line, place.column);
    fputs(": ", out);
    if (color)
        fprintf(out, "\033[1;%um%s:\033[0m ", is_note ? 36u : of->warning ? 35u : 31u, severity);
    else
        fprintf(out, "%s: ", severity);
    line_print(out, r->message);
    if (!is_note) fprintf(out, " [%s]", diag_code_name(of->code));
    fputc('\n', out);
    if (shown) excerpt_print(out, &place, r->bytes);
}

static void text_print(FILE* out, Walks* walks, const Finding* e, bool color) {
    text_print_one(out, &walks->finding, e, &e->report, color);
    for (const Note* n = e->notes; n; n = n->next)
        text_print_one(out, &walks->note, e, &n->report, color);
}

/* "file(line,column): error E0201: message", which build tools of Visual Studio recognise; without a
 * file, the program is the origin. */
static void msvc_print_one(FILE* out, Walk* walk, const Finding* of, const Report* r) {
    const bool  shown = diag_place_is_shown(r->source, of->code);
    const Place place = shown ? diag_place(walk, r->source, r->offset) : (Place){0};
    line_print(out, r->source ? r->source->path : "entc");
    if (shown) fprintf(out, "(%u,%u)", place.line, place.column);
    if (r == &of->report)
        fprintf(out, ": %s %s: ", severity_of(of), diag_code_name(of->code));
    else
        fputs(": note: ", out);
    line_print(out, r->message);
    fputc('\n', out);
}

static void msvc_print(FILE* out, Walks* walks, const Finding* e) {
    msvc_print_one(out, &walks->finding, e, &e->report);
    for (const Note* n = e->notes; n; n = n->next) msvc_print_one(out, &walks->note, e, &n->report);
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
            text += diag_character_print(out, text, end);
    }
    fputc('"', out);
}

/* Line and column are 0 where there are none. */
static void json_place(FILE* out, Walk* walk, const Source* source, u32 offset, DiagCode code) {
    const Place place =
        diag_place_is_shown(source, code) ? diag_place(walk, source, offset) : (Place){0};
    fputs("\"file\":", out);
    json_text(out, source ? source->path : "");
    fprintf(out, ",\"line\":%u,\"column\":%u,\"message\":", place.line, place.column);
}

/* Of a model, what an editor can select. */
static void json_object(FILE* out, Walks* walks, const Report* r) {
    const DiagObject* object = diag_object(&walks->objects, r->source, r->offset);
    Arena             arena = {0};
    if (!object) return;
    fputs("\"object\":{\"list\":", out);
    json_text(out, json_decode(object->list, &arena));
    fprintf(out, ",\"index\":%u,\"name\":", object->index);
    json_text(out, json_decode(object->name, &arena));
    fputs("},", out);
    arena_drop(&arena);
}

/* One object per line, so that a reader may start before the end. */
static void json_print(FILE* out, Walks* walks, const Finding* e) {
    fprintf(out, "{\"severity\":\"%s\",\"code\":\"%s\",", severity_of(e), diag_code_name(e->code));
    json_place(out, &walks->finding, e->report.source, e->report.offset, e->code);
    json_text(out, e->report.message);
    fputc(',', out);
    json_object(out, walks, &e->report);
    fputs("\"notes\":[", out);
    for (const Note* n = e->notes; n; n = n->next) {
        fputc('{', out);
        json_place(out, &walks->note, n->report.source, n->report.offset, e->code);
        json_text(out, n->report.message);
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
            text += diag_character_print(out, text, end);
    }
}

static void github_print(FILE* out, Walks* walks, const Finding* e) {
    const bool  shown = diag_place_is_shown(e->report.source, e->code);
    const Place place =
        shown ? diag_place(&walks->finding, e->report.source, e->report.offset) : (Place){0};
    fprintf(out, "::%s ", severity_of(e));
    if (e->report.source) {
        fputs("file=", out);
        github_text(out, e->report.source->path, true);
        if (shown) fprintf(out, ",line=%u,col=%u", place.line, place.column);
        fputc(',', out);
    }
    fprintf(out, "title=%s::", diag_code_name(e->code));
    github_text(out, e->report.message, false);
    for (const Note* n = e->notes; n; n = n->next) {
        fputs("%0A", out);
        github_text(out, n->report.message, false);
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

/* Errors come first, so that many warnings cannot displace them. */
static int finding_order(const void* a, const void* b) {
    const Finding *x = a, *y = b;
    if (x->warning != y->warning) return x->warning ? 1 : -1;
    const int path = strcmp(x->report.source ? x->report.source->path : "",
                            y->report.source ? y->report.source->path : "");
    if (path) return path;
    if (x->report.offset != y->report.offset) return x->report.offset < y->report.offset ? -1 : 1;
    if (x->code != y->code) return x->code < y->code ? -1 : 1;
    return x->number < y->number ? -1 : 1;
}

/* The first ones, and how many there are. */
static void text_print_all(FILE* out, Walks* walks, const Diagnostics* diag, u32 count,
                           bool color) {
    const u32 shown = MIN_OF(count, (u32)DIAG_ERRORS_MAX), warnings = warnings_printed(diag);
    const u32 errors = count - warnings, hidden = errors - MIN_OF(errors, shown);
    if (count == 0) return;
    for (u32 i = 0; i < shown; i++) text_print(out, walks, &diag->findings.at[i], color);
    if (shown < count) {
        fputs("entc: ", out);
        counts_print(out, hidden, count - shown - hidden, " more");
        fprintf(out, " %s not shown\n", count - shown == 1 ? "is" : "are");
    }
    fputs("entc: ", out);
    counts_print(out, errors, warnings, "");
    fputc('\n', out);
}

void diag_print(const Diagnostics* diag, FILE* out, DiagFormat format, bool color) {
    const u32 all = diag->findings.count, count = all - diag->warnings + warnings_printed(diag);
    Walks     walks = {0};
    if (all) qsort(diag->findings.at, all, sizeof(Finding), finding_order);
    if (format == DIAG_TEXT) text_print_all(out, &walks, diag, count, color);
    if (format == DIAG_SARIF) diag_sarif_print(out, &walks, diag->findings.at, count);
    if (format == DIAG_GITHUB) github_print_all(out, &walks, diag, count);
    for (u32 i = 0; i < count && format == DIAG_JSON; i++)
        json_print(out, &walks, &diag->findings.at[i]);
    for (u32 i = 0; i < count && format == DIAG_MSVC; i++)
        msvc_print(out, &walks, &diag->findings.at[i]);
    diag_objects_drop(&walks.objects);
}
