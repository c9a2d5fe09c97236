/* diag_print.h - a list of errors and warnings: it is created, joined with others, and printed. */
#ifndef ENTC_DIAG_PRINT_H
#define ENTC_DIAG_PRINT_H

#include <stdio.h>

#include "diag_codes.h"
#include "source_text.h"

#define DIAG_ERRORS_MAX 100 /* printed one by one, errors first; the others are counted */

Diagnostics* diag_create(void);
/* With the severities of another one. */
Diagnostics* diag_create_like(const Diagnostics* other);
void         diag_destroy(Diagnostics* diag);

/* Applies to all diagnostics from now on, including those that are absorbed: a warning that is off
 * is ignored, one that is an error is counted and printed as such, with its code. */
void diag_set_severities(Diagnostics* diag, const DiagSeverities* severities);

/* Ignores warnings from now on: for commands that do not check sources. */
void diag_mute_warnings(Diagnostics* diag);

/* Does not print warnings; they are counted. */
void diag_hide_warnings(Diagnostics* diag);

/* The number of errors that are printed or counted in the output. */
u32 diag_shown_count(const Diagnostics* diag);

/* Adds all diagnostics of another list, in its order. */
void diag_absorb(Diagnostics* diag, const Diagnostics* from);

/* The same, each with an additional note without a position, or NULL. Returns false when there was
 * nothing new. */
bool diag_absorb_noted(Diagnostics* diag, const Diagnostics* from, const char* note);

/* Calls a function with the source of each error, warning and note, which is needed to print them. */
void diag_sources_each(const Diagnostics* diag, void (*call)(void* user, const Source* source),
                       void*              user);

/* The exit code for all errors: EXIT_LIMIT or EXIT_IO when the system reported an error, EXIT_LIMIT also when only
 * limits were exceeded, EXIT_INVALID when the data is invalid, EXIT_OK when there is no error. */
int diag_exit_code(const Diagnostics* diag);

typedef enum DiagFormat { DIAG_TEXT, DIAG_JSON, DIAG_SARIF, DIAG_GITHUB, DIAG_MSVC } DiagFormat;

/* Prints all diagnostics: errors, then warnings, each ordered by file, position and code. */
void diag_print(const Diagnostics* diag, FILE* out, DiagFormat format, bool color);

#endif
