/* declare.h - component types that a project declares as data: `gameplay/health.component.json`
 * declares `health`. They are read before anything else is compiled and join the registry, where
 * they are types like all others; compiler/AUTHORING.md shows examples. */
#ifndef ENTC_DECLARE_H
#define ENTC_DECLARE_H

#include "assets.h"
#include "declaration.h"

typedef struct Declaration {
    ComponentType type;     /* complete; a placeholder when the declaration has errors, so that
                             * levels can use it */
    const char*   resource; /* "gameplay/health": name of the `component` resource */
    const char*   text;     /* the description of the component */
    const Source* source;
    const u32*    was_at;     /* [type.was_count] offset of each older name in the source */
    bool          has_errors; /* it has errors, which were reported */
} Declaration;

/* Reads one declaration and reports all its errors. Never returns NULL. The memory of the result
 * belongs to the arena. */
Declaration* declaration_read(const Source* source, const char* resource, Arena* arena,
                              Diagnostics* diag);

/* Reads all declarations of the folder and adds them to the registry, in the order of their keys.
 * Reports duplicate keys, and keys of types that exist already. */
void declarations_read(Assets* assets, Registry* registry, Diagnostics* diag);

/* For the schema that editors get: the first kind of each type that a declaration can give, and the
 * keys that a field of the type may have. Both return how many. */
#define DECLARATION_KEYS_MAX 16
u32 declaration_types(FieldKind kinds[FIELD_KIND_COUNT]);
u32 declaration_keys(FieldKind kind, const char* keys[DECLARATION_KEYS_MAX]);

/* "point" */
const char* axes_name(EntAxes axes);

/* The values of the key "axes" of a field of this type. */
u32 declaration_axes(FieldKind kind, const char* words[ENT_AXES_ROTATION + 1]);

#endif
