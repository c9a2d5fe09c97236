/* declare.h - component types that a project declares as data: `gameplay/health.component.json`
 * declares `health`. They are read before anything else is compiled and join the registry, where
 * they are types like all others; compiler/AUTHORING.md shows examples. */
#ifndef ENTC_DECLARE_H
#define ENTC_DECLARE_H

#include "assets.h"
#include "declaration.h"

typedef struct Declaration {
    ComponentType type;     /* finished; of a faulty one a stand-in, so that levels may use it */
    const char*   resource; /* "gameplay/health": name of the `component` resource */
    const char*   text;     /* what it is */
    const Source* source;
    bool          faulty; /* it has errors, which were told */
} Declaration;

/* Reads one declaration; everything that is wrong with it is reported. Never NULL. What it holds
 * lives as long as the arena. */
Declaration* declaration_read(const Source* source, const char* resource, Arena* arena,
                              Diagnostics* diag);

/* Reads all declarations of the folder and adds them to the registry, in the order of their keys.
 * One key twice, or the key of a type that is there, is reported. */
void declarations_read(Assets* assets, Registry* registry, Diagnostics* diag);

/* For the schema that editors get: the first kind of each type that a declaration can give, and the
 * keys that a field of the type may have. Both return how many. */
#define DECLARATION_KEYS_MAX 16
u32 declaration_types(FieldKind kinds[FIELD_KIND_COUNT]);
u32 declaration_keys(FieldKind kind, const char* keys[DECLARATION_KEYS_MAX]);

#endif
