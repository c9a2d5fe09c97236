/* diag_internal.h - what diagnostics consist of, for the functions that print them. Only diag*.c include
 * it. */
#ifndef ENTC_DIAG_INTERNAL_H
#define ENTC_DIAG_INTERNAL_H

#include <stdio.h>

#include "diag.h"
#include "diag_print.h"
#include "json.h"

#define MESSAGE_BYTES_MAX 1024

/* A message about a position. */
typedef struct Report {
    const Source* source;
    u32           offset, bytes;
    const char*   message;
} Report;

typedef struct Note {
    struct Note* next;
    Report       report;
} Note;

/* An error or a warning. */
typedef struct Finding {
    Report   report;
    DiagCode code;
    bool     warning;
    u32      number; /* in the order of reporting; makes the sort stable */
    Note*    notes;
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

/* --- places --- */

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

/* An object of a model that has a name. */
typedef struct DiagObject {
    JsonString list; /* "nodes", "meshes", "lights" */
    u32        index;
    u32        first, end; /* its place in the text */
    JsonString name;
} DiagObject;

/* The objects of the model to which the diagnostics belong that are being printed. */
typedef struct DiagObjects {
    const Source* source;
    char*         text;   /* of a binary model */
    ARRAY(DiagObject) at; /* by their places */
} DiagObjects;

/* Those of findings and those of their notes, which have another order. */
typedef struct Walks {
    Walk        finding, note;
    DiagObjects objects;
} Walks;

/* Is a position in the source printed? `code` is that of the finding, also of a note. */
bool diag_place_is_shown(const Source* source, DiagCode code);

Place diag_place(Walk* walk, const Source* source, u32 offset);

/* The object of a model around a position, or NULL. It is valid until the next call. */
const DiagObject* diag_object(DiagObjects* objects, const Source* source, u32 offset);
void              diag_objects_drop(DiagObjects* objects);

/* Prints one character for a terminal or a reader of UTF-8: control characters and invalid UTF-8
 * become '?', tabs become spaces. Returns the number of bytes that were read. */
u32 diag_character_print(FILE* out, const char* at, const char* end);

static inline const char* severity_of(const Finding* f) { return f->warning ? "warning" : "error"; }

/* --- diag_sarif.c --- */

/* Prints the first findings as one document. */
void diag_sarif_print(FILE* out, Walks* walks, const Finding* findings, u32 count);

#endif
