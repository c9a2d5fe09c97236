/* diag.c - stores diagnostics. */
#include "diag_internal.h"

#include "exit_codes.h"
#include "hash.h"
#include "file.h"
#include "search.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>

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

u32  diag_error_count(const Diagnostics* diag) { return diag->errors; }
u32  diag_report_count(const Diagnostics* diag) { return diag->reports; }
u32  diag_shown_count(const Diagnostics* diag) { return diag->findings.count - diag->warnings; }
void diag_mute_warnings(Diagnostics* diag) { diag->mute = true; }
void diag_hide_warnings(Diagnostics* diag) { diag->hide = true; }

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
        if (e->report.offset == offset && e->code == code && same_file(e->report.source, source))
            break;
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
        *finding_slot(diag, e->code, e->report.source, e->report.offset) = i + 1;
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
static Finding* finding_add(Diagnostics* diag, DiagCode code, bool warning, Report report) {
    assert(code < DIAG_CODE_COUNT);
    diag->repeated = finding_is_off(diag, code, &warning);
    if (diag->repeated) return NULL;
    diag->reports++;
    diag->errors += !warning;
    if (slots_are_full(&diag->slots, diag->findings.count)) findings_grow(diag);
    u32* slot = finding_slot(diag, code, report.source, report.offset);
    diag->repeated = *slot && report.source;
    if (diag->repeated) return NULL;
    diag->warnings += warning;
    Finding* f = array_push(&diag->findings);
    *f = (Finding){
        .report = report, .code = code, .warning = warning, .number = diag->findings.count - 1};
    if (!*slot) *slot = diag->findings.count;
    return f;
}

/* `report` has no message yet. */
static void finding_report(Diagnostics* diag, DiagCode code, Report report, const char* format,
                           va_list arguments) {
    if (report.source && source_is_generated(report.source, report.offset)) report.bytes = 1;
    if (report.source) report.offset = source_position(report.source, report.offset);
    Finding* f = finding_add(diag, code, diag_code_is_warning(code), report);
    if (f) f->report.message = message_print(diag, format, arguments);
}

void diag_error(Diagnostics* diag, DiagCode code, const Source* source, u32 offset, u32 bytes,
                const char* format, ...) {
    va_list arguments;
    assert(!diag_code_is_warning(code));
    va_start(arguments, format);
    finding_report(diag, code, (Report){source, offset, bytes, NULL}, format, arguments);
    va_end(arguments);
}

void diag_warning(Diagnostics* diag, DiagCode code, const Source* source, u32 offset, u32 bytes,
                  const char* format, ...) {
    va_list arguments;
    assert(diag_code_is_warning(code));
    va_start(arguments, format);
    finding_report(diag, code, (Report){source, offset, bytes, NULL}, format, arguments);
    va_end(arguments);
}

static Note* note_copy(Diagnostics* diag, const Note* note) {
    Note* copy = ARENA_NEW(&diag->arena, Note, 1);
    *copy = *note;
    copy->next = NULL;
    copy->report.message = arena_text(&diag->arena, text_of(note->report.message));
    return copy;
}

bool diag_absorb_noted(Diagnostics* diag, const Diagnostics* from, const char* note) {
    const u32 before = diag->findings.count;
    for (u32 i = 0; i < from->findings.count; i++) {
        const Finding* e = &from->findings.at[i];
        const bool     is_once = e->code == W0414 || e->code == E0414; /* for a project */
        if (is_once && diag_has(diag, e->code)) continue;
        Finding* finding = finding_add(diag, e->code, e->warning, e->report);
        if (!finding) continue;

        finding->report.message = arena_text(&diag->arena, text_of(e->report.message));
        Note** last = &finding->notes;
        for (const Note* n = e->notes; n; n = n->next, last = &(*last)->next) {
            *last = note_copy(diag, n);
        }
        if (note) *last = note_copy(diag, &(Note){.report.message = note});
    }
    return diag->findings.count > before;
}

void diag_sources_each(const Diagnostics* diag, void (*call)(void* user, const Source* source),
                       void*              user) {
    for (u32 i = 0; i < diag->findings.count; i++) {
        const Finding* e = &diag->findings.at[i];
        if (e->report.source) call(user, e->report.source);
        for (const Note* n = e->notes; n; n = n->next)
            if (n->report.source) call(user, n->report.source);
    }
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
    *note = (Note){NULL, {source, offset, bytes, message_print(diag, format, arguments)}};
    va_end(arguments);
    Note** last = &diag->findings.at[diag->findings.count - 1].notes;
    while (*last) last = &(*last)->next;
    *last = note;
}

bool source_ends_with(const Source* source, const char* suffix) {
    const size_t bytes = strlen(source->path), end = strlen(suffix);
    if (bytes <= end) return false;
    const char* at = source->path + bytes - end;
    size_t      same = 0;
    while (same < end &&
           (at[same] >= 'A' && at[same] <= 'Z' ? at[same] - 'A' + 'a' : at[same]) == suffix[same])
        same++;
    return same == end;
}

bool source_is_binary(const Source* source) { return source_ends_with(source, ".glb"); }

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
