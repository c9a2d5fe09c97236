/* schema.h - JSON Schema (draft-07) of every source that is written as JSON, from the tables that
 * the compiler reads them with: for editors that complete and flag while somebody types.
 *
 * What a schema refuses, entc refuses too. What needs other files or two places of one file (does a
 * prefab exist, is a name free) only entc sees. */
#ifndef ENTC_SCHEMA_H
#define ENTC_SCHEMA_H

#include "build.h"
#include "pretty.h"

/* Writes OUT/TYPE.schema.json for every type; `source`, when not NULL, is the asset folder whose
 * own component types are in them. Returns an exit code. */
int schema_run(const BuildOptions* options);

/* Writes the rows of VS Code's "json.schemas" that lead from the names of sources to the schemas in
 * `folder`. */
void schema_associations(Pretty* w, const char* folder);

#endif
