/* source_text.h - a text that was read, and the list to which errors in it are added. */
#ifndef ENTC_SOURCE_TEXT_H
#define ENTC_SOURCE_TEXT_H

#include "base.h"

/* diag.h reports errors and warnings, diag_print.h creates and prints the list of them. */
typedef struct Diagnostics Diagnostics;

/* Text that was generated from a value of a source. */
typedef struct SourceOrigin {
    u32 at;     /* offset of the generated text */
    u32 origin; /* offset of the value */
} SourceOrigin;

/* A text that was read. Positions are offsets into it; lines are counted only when a diagnostic is
 * printed. */
typedef struct Source {
    const char* path; /* relative to the working folder */
    const char* text; /* [bytes] followed by a NUL; of a .glb: the JSON chunk, or the file */
    u32         bytes;
    /* Of a source with generated text, which follows its own text and a NUL: */
    const SourceOrigin* origins; /* [origin_count] in ascending order of `at`, or NULL */
    u32                 origin_count, file_bytes;
} Source;

static inline Source source_of(const char* path, const char* text, u32 bytes) {
    return (Source){.path = path, .text = text, .bytes = bytes};
}

/* The bytes of the file itself. */
static inline u32 source_file_bytes(const Source* source) {
    return source->origin_count ? source->file_bytes : source->bytes;
}

/* The source without generated text. */
static inline Source source_file_text(const Source* source) {
    return source_of(source->path, source->text, source_file_bytes(source));
}

static inline bool source_is_generated(const Source* source, u32 offset) {
    return source->origin_count > 0 && offset > source->file_bytes;
}

/* The position in the file to which an offset belongs. */
u32 source_position(const Source* source, u32 offset);

/* Has the path this suffix, in small letters or capitals, and a name before it? */
bool source_ends_with(const Source* source, const char* suffix);

/* Is it a binary file with JSON in it, whose author cannot find positions? Diagnostics about it, except those
 * about the grammar of the JSON, are printed without a position. */
bool source_is_binary(const Source* source);

#endif
