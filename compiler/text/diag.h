/* diag.h - reports errors and warnings about sources: they are collected during a build, and printed at the end
 * (diag_print.h).
 *
 * One diagnostic is `file:line:col: error: message [E0123]` with the source line, a caret and
 * notes. Line and column are 1-based; columns count bytes. If there is any error, nothing is
 * written; a warning, with a code that begins with W, marks something that is valid but suspicious,
 * and does not stop the build. */
#ifndef ENTC_DIAG_H
#define ENTC_DIAG_H

#include "diag_codes.h"
#include "memory.h"
#include "source_text.h"

/* Reports an error. `bytes` from `offset` are underlined; a source of NULL belongs to no file. At
 * most one error is stored per code and position. */
void diag_error(Diagnostics* diag, DiagCode code, const Source* source, u32 offset, u32 bytes,
                const char* format, ...) PRINTF_LIKE(6, 7);

/* Reports a warning, which is not counted as an error unless its severity is set to that. */
void diag_warning(Diagnostics* diag, DiagCode code, const Source* source, u32 offset, u32 bytes,
                  const char* format, ...) PRINTF_LIKE(6, 7);

/* Adds a note to the newest error or warning: a related position or an explanation. */
void diag_note(Diagnostics* diag, const Source* source, u32 offset, u32 bytes, const char* format,
               ...) PRINTF_LIKE(5, 6);

/* The number of errors, including duplicates that are dropped: if it is equal before and after an
 * operation, there was no error. */
u32 diag_error_count(const Diagnostics* diag);

/* The same for errors and warnings. */
u32 diag_report_count(const Diagnostics* diag);

/* Was an error of that code reported? */
bool diag_has(const Diagnostics* diag, DiagCode code);

/* Are there so many errors that further ones are not printed? Then suggestions are not computed. */
bool diag_is_flooded(const Diagnostics* diag);

/* The code for a file that cannot be read, from errno. */
DiagCode diag_unread_code(int error);

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
