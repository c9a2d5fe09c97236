/* diag.h - what is wrong with the author's data: collected while compiling goes on, told at the
 * end.
 *
 * One diagnostic is `file:line:col: error: message [E0123]` with the source line, a caret and
 * notes. Line and column are 1-based; columns count bytes. An error keeps everything from being
 * written; a warning, whose code begins with W, is of what is right by the format and hardly meant:
 * the build goes on. */
#ifndef ENTC_DIAG_H
#define ENTC_DIAG_H

#include <stdio.h>

#include "memory.h"

/* A text that was read. Positions are offsets into it; lines are counted only when one is told. */
typedef struct Source {
    const char* path; /* as the user would type it */
    const char* text; /* [bytes] and a NUL behind them; of a .glb: the JSON chunk, or the file */
    u32         bytes;
} Source;

/* Codes never change meaning; gaps are retired codes. E: an error, W: a warning. */
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
    X(E0201, "unknown key")                                                                        \
    X(E0202, "a value has the wrong type")                                                         \
    X(E0203, "a number is out of range")                                                           \
    X(E0204, "a required key or value is missing")                                                 \
    X(E0205, "invalid value for an enum")                                                          \
    X(E0206, "the fields of a component are inconsistent")                                         \
    X(E0207, "unknown component type")                                                             \
    X(E0208, "multiple instances of a component that allows only one")                             \
    X(E0209, "duplicate item in a list")                                                           \
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
    X(E0401, "the file is not glTF 2.0")                                                           \
    X(E0402, "a required glTF extension is not supported")                                         \
    X(E0403, "a glTF property is missing, has the wrong type or is out of range")                  \
    X(E0404, "glTF data is out of range of its buffer")                                            \
    X(E0405, "a glTF buffer cannot be read")                                                       \
    X(E0406, "glTF data is not finite or not normalised")                                          \
    X(E0407, "a glTF feature is not supported")                                                    \
    X(E0501, "a plugin reports an error in its component")                                         \
    X(E0502, "a plugin is faulty: it violates the plugin interface")                               \
    X(E0601, "a size exceeds its budget")                                                          \
    X(W0408, "a glTF mesh contains degenerate triangles")                                          \
    X(W0409, "a required glTF extension cannot be represented in a material resource")             \
    X(W0701, "the time step of a fluid exceeds its stability limit")                               \
    X(W0702, "a scale of zero")                                                                    \
    X(W0703, "an integer cannot be represented exactly as a 32-bit float")                         \
    X(W0704, "the depth range of a camera is nearly empty: far_m is too close to near_m")          \
    X(W0705, "a settings file that is not in the root of the source folder")

#define DIAG_ENUM(code, text) code,
typedef enum DiagCode { DIAG_LIST(DIAG_ENUM) DIAG_CODE_COUNT } DiagCode;
#undef DIAG_ENUM

#define DIAG_ERRORS_MAX 100 /* told one by one, errors first; the rest is counted */

typedef struct Diagnostics Diagnostics;

Diagnostics* diag_create(void);
void         diag_destroy(Diagnostics* diag);

/* `bytes` from `offset` are underlined; a source of NULL belongs to no file. Not more than one
 * error is kept per code and position. */
void diag_error(Diagnostics* diag, DiagCode code, const Source* source, u32 offset, u32 bytes,
                const char* format, ...) PRINTF_LIKE(6, 7);

/* The same for what may be meant: nothing is counted as an error. */
void diag_warning(Diagnostics* diag, DiagCode code, const Source* source, u32 offset, u32 bytes,
                  const char* format, ...) PRINTF_LIKE(6, 7);

/* Keeps no warnings from here on: for commands that read sources for something else. */
void diag_mute_warnings(Diagnostics* diag);

/* Adds a note to the newest error or warning: where else to look, who referred. */
void diag_note(Diagnostics* diag, const Source* source, u32 offset, u32 bytes, const char* format,
               ...) PRINTF_LIKE(5, 6);

/* Grows with every error, one that is dropped as a repetition too: equal before and after means
 * that nothing was wrong between. */
u32 diag_error_count(const Diagnostics* diag);

/* The same of errors and warnings. */
u32 diag_report_count(const Diagnostics* diag);

/* Errors that are told, in full or as a number. */
u32 diag_told_count(const Diagnostics* diag);

/* Adds what another one holds, in its order, as if it had been reported here. */
void diag_absorb(Diagnostics* diag, const Diagnostics* from);

/* The same, each with one more note, which is about no file; or NULL. False: nothing was new. */
bool diag_absorb_noted(Diagnostics* diag, const Diagnostics* from, const char* note);

/* Was an error of that code reported? */
bool diag_has(const Diagnostics* diag, DiagCode code);

/* The code of a file that cannot be read, from errno, and the exit code that all errors together
 * ask for: EXIT_LIMIT or EXIT_IO where the world refused something, EXIT_LIMIT too where nothing
 * but limits were exceeded, EXIT_INVALID where the data is wrong, EXIT_OK where nothing is. */
DiagCode diag_unread_code(int error);
int      diag_exit_code(const Diagnostics* diag);

/* Are there so many errors that nobody reads on? Then looking for what was meant is not worth it.
 */
bool diag_is_flooded(const Diagnostics* diag);

typedef enum DiagFormat { DIAG_TEXT, DIAG_JSON, DIAG_SARIF, DIAG_GITHUB } DiagFormat;

/* Tells everything: errors, then warnings, each ordered by file, position and code. */
void diag_print(const Diagnostics* diag, FILE* out, DiagFormat format, bool color);

/* What is wrong with the world, at once: "entc: error: WHAT "PATH": errno". Returns EXIT_IO, or
 * EXIT_LIMIT where memory or file descriptors are missing. */
int io_failure(const char* what, const char* path);

/* The three arguments behind "%s%s%s" at the end of a message: the suggestion, or nothing. */
#define DIAG_MEANT(near)                                                                           \
    (near) ? "; did you mean \"" : "", (near) ? (near) : "", (near) ? "\"?" : ""

/* Writes names for a message: "a", "b" and 3 more. As many are shown as fit into `room` bytes, at
 * most DIAG_NAMES_MAX. `total` counts also names that the caller did not collect. Returns `out`. */
#define DIAG_NAMES_MAX 8
const char* diag_names(char* out, size_t room, const char* const* names, u32 count, u32 total);

/* The candidate nearest to `word` by edit distance, or NULL when none is near enough to be meant.
 */
const char* diag_nearest(Text word, const char* const* candidates, u32 count);

#endif
