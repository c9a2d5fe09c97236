/* project.h - a source folder for all commands except `build`: its files by name, and the component
 * types that it declares. */
#ifndef ENTC_PROJECT_H
#define ENTC_PROJECT_H

#include "assets.h"
#include "command_line.h"
#include "diag_print.h"
#include "move_journal.h"

typedef struct Project {
    Diagnostics* diag;
    Registry     registry;
    Tree         tree;
    Settings     settings;
    Assets       assets;
} Project;

/* `use`: the action for an interrupted rename. Without a source, there are only the types of
 * plugins and the built-in ones. `other`: NULL, or another project with the same plugins, which is
 * closed after all calls of them.
 *
 * Returns an exit code: EXIT_OK also when there are errors in the diagnostics, EXIT_IO after
 * reporting that the folder cannot be read, or the result of plugins_open. Always close it. */
int  project_open(Project* project, const char* source, Variant variant, const Words* plugins,
                  const Project* other, JournalUse use);
void project_close(Project* project);

/* The same for a folder that was listed already, without plugins; the project owns `tree` then. */
int project_open_listed(Project* project, Tree* tree, Variant variant);

/* Among the diagnostics so far: of the folder, and of each source that was read or could not be. */
bool project_has_errors(const Project* project);

/* Prints the diagnostics. Returns `code`, or EXIT_INVALID or EXIT_IO when there are errors. */
int project_report(Project* project, int code, DiagFormat format, bool color);

#endif
