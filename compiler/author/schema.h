/* schema.h - writes a JSON Schema (draft-07) for every type of JSON source, from the tables with
 * which the compiler reads it; editors use the schemas to complete and validate sources.
 *
 * Everything that a schema rejects, entc rejects as well. Checks that need other files or two
 * positions in one file (whether a prefab exists, whether a name is unique) are done only by
 * entc. */
#ifndef ENTC_SCHEMA_H
#define ENTC_SCHEMA_H

#include "build.h"
#include "pretty.h"

/* Writes OUT/TYPE.schema.json for every type; `source`, when not NULL, is the asset folder with
 * declared component types, which are included. Returns an exit code. */
int schema_run(const BuildOptions* options);

/* Writes the items of "json.schemas" of VS Code, which map the names of sources to the schemas in
 * `folder`. */
void schema_associations(Pretty* w, const char* folder);

#endif
