/* project.h - a source folder as every command but `build` sees it: its files by name, and the
 * component types that it declares. */
#ifndef ENTC_PROJECT_H
#define ENTC_PROJECT_H

#include "assets.h"
#include "command_line.h"
#include "move_journal.h"

typedef struct Project {
    Diagnostics* diag;
    Registry     registry;
    Tree         tree;
    Settings     settings;
    Assets       assets;
} Project;

/* `use`: what is done about a renaming that was interrupted. Without a source, only the types of
 * plugins and what is built in.
 *
 * Returns an exit code: EXIT_OK also when there are errors in the diagnostics, EXIT_IO, which is
 * told, when the folder cannot be read, or what plugins_open says. Close it in any case. */
int  project_open(Project* project, const char* source, Variant variant, const Words* plugins,
                  JournalUse use);
void project_close(Project* project);

/* Tells what is wrong, to stdout for GitHub, which reads it there. Errors: EXIT_INVALID or EXIT_IO
 * in place of `code`. */
int project_tell(Project* project, int code, DiagFormat format, bool color);

#endif
