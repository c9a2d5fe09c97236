/* identity.h - describes everything besides the sources that determines the bytes of a build, as
 * text with one line for each item. Two builds can share results only if these texts are equal. */
#ifndef ENTC_IDENTITY_H
#define ENTC_IDENTITY_H

#include "assets.h"
#include "compile.h"
#include "diag_codes.h"

/* Lines "what\tvalue": the program and its libraries by their build ids, every record's layout,
 * every option that affects the bytes; at its end the declarations of the project. Nothing in it
 * depends on a path. Freed with free. */
char* identity_text(const Registry* registry, const CompileOptions* options, Variant variant,
                    const GltfRules* rules, const DiagSeverities* severities);

/* The hash of the lines about the program, its libraries and the variant, without plugins. */
Hash128 identity_program(Variant variant);

/* Calls `each` for the lines of one text that are missing in the other or have another value there;
 * "" means none. */
void identity_compare(const char* before, const char*                                   now,
                      void (*each)(void* user, Text what, Text before, Text now), void* user);

#endif
