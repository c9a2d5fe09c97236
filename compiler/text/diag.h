/* diag.h - errors and warnings about sources: collected during a build, printed at the end.
 *
 * One diagnostic is `file:line:col: error: message [E0123]` with the source line, a caret and
 * notes. Line and column are 1-based; columns count bytes. If there is any error, nothing is
 * written; a warning, with a code that begins with W, marks something that is valid but suspicious,
 * and does not stop the build. */
#ifndef ENTC_DIAG_H
#define ENTC_DIAG_H

#include <stdio.h>

#include "memory.h"

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
    u32                 origin_count, own_bytes;
} Source;

static inline Source source_of(const char* path, const char* text, u32 bytes) {
    return (Source){.path = path, .text = text, .bytes = bytes};
}

/* The bytes of the file itself. */
static inline u32 source_own_bytes(const Source* source) {
    return source->origin_count ? source->own_bytes : source->bytes;
}

/* The source without generated text. */
static inline Source source_own(const Source* source) {
    return source_of(source->path, source->text, source_own_bytes(source));
}

static inline bool source_is_generated(const Source* source, u32 offset) {
    return source->origin_count > 0 && offset > source->own_bytes;
}

/* The position in the file to which an offset belongs. */
u32 source_position(const Source* source, u32 offset);

/* Codes never change meaning; gaps are retired codes. E: an error, W: a warning, unless the project
 * sets another severity for it. */
#define DIAG_LIST(X)                                                                               \
    X(E0101, "the text is not valid JSON (RFC 8259)")                                              \
    X(E0102, "the text is not valid UTF-8")                                                        \
    X(E0103, "duplicate key in an object")                                                         \
    X(E0104, "the nesting exceeds the limit")                                                      \
    X(E0105, "a number is not finite or not exact")                                                \
    X(E0106, "a file is too large")                                                                \
    X(E0107, "a file cannot be read")                                                              \
    X(E0108, "a file cannot be read because memory or file descriptors are exhausted")             \
    X(E0109, "a string contains the character U+0000, which is not supported")                     \
    X(E0110, "a file is a pointer of git lfs, whose content was not fetched")                      \
    X(E0201, "unknown key")                                                                        \
    X(E0202, "a value has the wrong type")                                                         \
    X(E0203, "a number is out of range")                                                           \
    X(E0204, "a required key or value is missing")                                                 \
    X(E0205, "invalid value for an enum")                                                          \
    X(E0206, "the fields of a component are inconsistent")                                         \
    X(E0207, "unknown component type")                                                             \
    X(E0208, "multiple instances of a component that allows only one")                             \
    X(E0209, "duplicate item in a list")                                                           \
    X(E0210, "an invalid pattern of paths")                                                        \
    X(E0301, "the name of a resource is not canonical")                                            \
    X(E0302, "unresolved reference to a resource")                                                 \
    X(E0303, "multiple sources for one resource")                                                  \
    X(E0304, "invalid entity name")                                                                \
    X(E0305, "duplicate name among siblings")                                                      \
    X(E0306, "unresolved reference to an entity")                                                  \
    X(E0307, "the target of an override does not exist")                                           \
    X(E0308, "cyclic reference of prefabs or parents")                                             \
    X(E0309, "a limit of entities, depth or size is exceeded")                                     \
    X(E0310, "two names have the same id")                                                         \
    X(E0311, "nested groups")                                                                      \
    X(E0312, "a reference crosses the boundary of a group")                                        \
    X(E0313, "duplicate persistent id")                                                            \
    X(E0314, "a persistent reference to an entity without a persistent id")                        \
    X(E0315, "a variant that no build can select")                                                 \
    X(W0316, "a value that an override replaces has changed since it was recorded")                \
    X(E0401, "the file is not glTF 2.0")                                                           \
    X(E0402, "a required glTF extension is not supported")                                         \
    X(E0403, "a glTF property is missing, has the wrong type or is out of range")                  \
    X(E0404, "glTF data is out of range of its buffer")                                            \
    X(E0405, "a glTF buffer cannot be read")                                                       \
    X(E0406, "glTF data is not finite or not normalised")                                          \
    X(E0407, "a glTF feature is not supported")                                                    \
    X(E0410, "--strict-models: a model contains data that is not compiled")                        \
    X(E0411, "--strict-models: a model violates glTF 2.0")                                         \
    X(E0414, "--strict-models: nothing says whether the lights of models cast shadows")            \
    X(E0412, "an image cannot be used as a texture")                                               \
    X(E0501, "a plugin reports an error in its component")                                         \
    X(E0502, "a plugin violates the plugin interface")                                             \
    X(E0601, "a size exceeds its budget")                                                          \
    X(W0408, "a glTF mesh contains degenerate triangles")                                          \
    X(W0410, "a model contains data that is not compiled")                                         \
    X(W0411, "a model violates glTF 2.0 in a way that does not change its meaning")                \
    X(W0412, "an image that cannot be used as a texture, and to which nothing refers")             \
    X(W0413, "an image states colours other than sRGB, which is ignored")                          \
    X(W0414, "nothing says whether the lights of models cast shadows")                             \
    X(W0701, "the time step of a fluid exceeds its stability limit")                               \
    X(W0702, "a scale of zero")                                                                    \
    X(W0703, "an integer cannot be represented exactly as a 32-bit float")                         \
    X(W0704, "the depth range of a camera is nearly empty: far_m is too close to near_m")          \
    X(W0705, "a settings file that is not in the root of the source folder")

#define DIAG_ENUM(code, text) code,
typedef enum DiagCode { DIAG_LIST(DIAG_ENUM) DIAG_CODE_COUNT } DiagCode;
#undef DIAG_ENUM

#define DIAG_ERRORS_MAX 100 /* printed one by one, errors first; the others are counted */

/* "W0316"; what a code means; and the code with a name, or DIAG_CODE_COUNT. */
const char* diag_code_name(DiagCode code);
const char* diag_code_text(DiagCode code);
DiagCode    diag_code_named(Text name);

/* Is it the code of a warning, whose severity a project may change? */
bool diag_code_is_warning(DiagCode code);

/* The severity that a project sets for the code of a warning. An error is always one. */
#define DIAG_SEVERITIES(X)                                                                         \
    X(DIAG_USUAL, "")                                                                              \
    X(DIAG_OFF, "off")                                                                             \
    X(DIAG_WARNING, "warning")                                                                     \
    X(DIAG_ERROR, "error")

#define DIAG_ENUM(severity, text) severity,
typedef enum DiagSeverity { DIAG_SEVERITIES(DIAG_ENUM) DIAG_SEVERITY_COUNT } DiagSeverity;
#undef DIAG_ENUM

typedef struct DiagSeverities {
    u8 of[DIAG_CODE_COUNT]; /* DiagSeverity */
} DiagSeverities;

typedef struct Diagnostics Diagnostics;

Diagnostics* diag_create(void);
/* With the severities of another one. */
Diagnostics* diag_create_like(const Diagnostics* other);
void         diag_destroy(Diagnostics* diag);

/* Applies to all diagnostics from now on, including those that are absorbed: a warning that is off
 * is ignored, one that is an error is counted and printed as such, with its code. */
void diag_set_severities(Diagnostics* diag, const DiagSeverities* severities);

/* Reports an error. `bytes` from `offset` are underlined; a source of NULL belongs to no file. At
 * most one error is stored per code and position. */
void diag_error(Diagnostics* diag, DiagCode code, const Source* source, u32 offset, u32 bytes,
                const char* format, ...) PRINTF_LIKE(6, 7);

/* Reports a warning, which is not counted as an error unless its severity is set to that. */
void diag_warning(Diagnostics* diag, DiagCode code, const Source* source, u32 offset, u32 bytes,
                  const char* format, ...) PRINTF_LIKE(6, 7);

/* Ignores warnings from now on: for commands that do not check sources. */
void diag_mute_warnings(Diagnostics* diag);

/* Does not print warnings; they are counted. */
void diag_hide_warnings(Diagnostics* diag);

/* Is it a binary file with JSON in it, whose author cannot find positions? Diagnostics about it, except those
 * about the grammar of the JSON, are printed without a position. */
bool source_is_binary(const Source* source);

/* Adds a note to the newest error or warning: a related position or an explanation. */
void diag_note(Diagnostics* diag, const Source* source, u32 offset, u32 bytes, const char* format,
               ...) PRINTF_LIKE(5, 6);

/* The number of errors, including duplicates that are dropped: if it is equal before and after an
 * operation, there was no error. */
u32 diag_error_count(const Diagnostics* diag);

/* The same for errors and warnings. */
u32 diag_report_count(const Diagnostics* diag);

/* The number of errors that are printed or counted in the output. */
u32 diag_shown_count(const Diagnostics* diag);

/* Adds all diagnostics of another list, in its order. */
void diag_absorb(Diagnostics* diag, const Diagnostics* from);

/* The same, each with an additional note without a position, or NULL. Returns false when there was
 * nothing new. */
bool diag_absorb_noted(Diagnostics* diag, const Diagnostics* from, const char* note);

/* Was an error of that code reported? */
bool diag_has(const Diagnostics* diag, DiagCode code);

/* The code for a file that cannot be read, from errno; and the exit code for all errors: EXIT_LIMIT
 * or EXIT_IO when the system reported an error, EXIT_LIMIT also when only limits were exceeded,
 * EXIT_INVALID when the data is invalid, EXIT_OK when there is no error. */
DiagCode diag_unread_code(int error);
int      diag_exit_code(const Diagnostics* diag);

/* Are there so many errors that further ones are not printed? Then suggestions are not computed. */
bool diag_is_flooded(const Diagnostics* diag);

typedef enum DiagFormat { DIAG_TEXT, DIAG_JSON, DIAG_SARIF, DIAG_GITHUB, DIAG_MSVC } DiagFormat;

/* Prints all diagnostics: errors, then warnings, each ordered by file, position and code. */
void diag_print(const Diagnostics* diag, FILE* out, DiagFormat format, bool color);

/* Reports a system error immediately: "entc: error: WHAT "PATH": errno". Returns EXIT_IO, or
 * EXIT_LIMIT when memory or file descriptors are exhausted. */
int io_failure(const char* what, const char* path);

/* The three arguments for "%s%s%s" at the end of a message: the suggestion, or nothing. */
#define DIAG_NEAREST(near)                                                                         \
    (near) ? "; did you mean \"" : "", (near) ? (near) : "", (near) ? "\"?" : ""

/* Writes a name from a file in quotes: characters that could be mistaken for a part of the message, or that
 * change how it is displayed, become '?', and a long name is cut after a character. Returns `out`. */
#define DIAG_NAME_BYTES 72
const char* diag_name(char out[DIAG_NAME_BYTES], const char* name);

/* Writes names for a message: "a", "b" and 3 more. As many are shown as fit into `room` bytes, at
 * most DIAG_NAMES_MAX. `total` counts also names that the caller did not collect. Returns `out`. */
#define DIAG_NAMES_MAX 8
const char* diag_names(char* out, size_t room, const char* const* names, u32 count, u32 total);

/* Returns the candidate with the smallest edit distance to `word`, or NULL when none is similar. */
const char* diag_nearest(Text word, const char* const* candidates, u32 count);

#endif
