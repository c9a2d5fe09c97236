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
    X(E0101, "the text is not JSON (RFC 8259)")                                                    \
    X(E0102, "the text is not UTF-8")                                                              \
    X(E0103, "a key stands twice in one object")                                                   \
    X(E0104, "nested too deep")                                                                    \
    X(E0105, "a number is not finite or not exact")                                                \
    X(E0106, "a file is too large")                                                                \
    X(E0107, "a file cannot be read")                                                              \
    X(E0108, "a file cannot be read for want of memory or file descriptors")                       \
    X(E0109, "a text with the character U+0000, which JSON has and entc has not")                  \
    X(E0201, "an unknown key")                                                                     \
    X(E0202, "a value of the wrong kind")                                                          \
    X(E0203, "a number is out of range")                                                           \
    X(E0204, "a required key is missing")                                                          \
    X(E0205, "not one of the texts that an enum knows")                                            \
    X(E0206, "fields of a component contradict each other")                                        \
    X(E0207, "an unknown component type")                                                          \
    X(E0208, "several instances of a component that allows one")                                   \
    X(E0209, "an item stands twice in a list")                                                     \
    X(E0301, "a resource's name is not canonical")                                                 \
    X(E0302, "a resource that does not exist")                                                     \
    X(E0303, "two sources for one resource")                                                       \
    X(E0304, "an entity's name is not allowed")                                                    \
    X(E0305, "two siblings with one name")                                                         \
    X(E0306, "an entity that does not exist")                                                      \
    X(E0307, "an override of something that is not there")                                         \
    X(E0308, "prefabs or parents in a cycle")                                                      \
    X(E0309, "a limit of entities, depth or size")                                                 \
    X(E0310, "two names with one id")                                                              \
    X(E0311, "a group inside of another one")                                                      \
    X(E0312, "a reference out of a group, or into one")                                            \
    X(E0313, "two entities with one persistent id")                                                \
    X(E0314, "a reference to an entity that has no persistent id")                                 \
    X(E0315, "a variant that no build could choose")                                               \
    X(E0401, "not a glTF 2.0 file")                                                                \
    X(E0402, "a glTF extension that is required and unknown")                                      \
    X(E0403, "a glTF property is missing, of the wrong kind or out of range")                      \
    X(E0404, "glTF data outside its buffer")                                                       \
    X(E0405, "a glTF buffer that cannot be read")                                                  \
    X(E0406, "glTF numbers that are not finite or not normalised")                                 \
    X(E0407, "a glTF feature that entc does not compile")                                          \
    X(E0501, "a plugin finds something wrong with its component")                                  \
    X(E0502, "a plugin does something wrong itself")                                               \
    X(E0601, "more bytes than the budget allows")                                                  \
    X(W0408, "degenerate triangles of a glTF mesh")                                                \
    X(W0409, "a required glTF extension that a material resource cannot hold")                     \
    X(W0701, "a fluid's step is too long to be stable")                                            \
    X(W0702, "a scale of zero")                                                                    \
    X(W0703, "a whole number that a 32-bit float does not hold")                                   \
    X(W0704, "a camera that sees nearly nothing: far_m is too near to near_m")                     \
    X(W0705, "settings of a project that are not in its source folder itself")

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

/* The candidate nearest to `word` by edit distance, or NULL when none is near enough to be meant.
 */
const char* diag_nearest(Text word, const char* const* candidates, u32 count);

#endif
