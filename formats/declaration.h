/* declaration.h - a component type that a project declares as data, and how a program that was
 * built without it reads the type from the blob of its declaration.
 *
 *     // The blob of OUT/gameplay/health.component:
 *     void*                  memory = malloc(ent_component_type_bytes(blob));
 *     const EntComponentType type = ent_component_type_open(blob, memory);
 *
 * Such a type is stored as a structure of arrays and looked up by hash. A level that contains
 * instances of it has its declaration in the table of references. A host that spawns calls
 * ent_world_declare(). */
#ifndef ENT_DECLARATION_H
#define ENT_DECLARATION_H

#include "blob.h"

#define ENT_DECLARATION_ORDER       2000 /* default spawn order: after the built-in types */
#define ENT_DECLARATION_TEXTS_MAX   256  /* of all enums of a declaration */
#define ENT_DECLARATION_FORMER_MAX  1024 /* older names of a declaration */
#define ENT_DECLARATION_NAME_MAX    63   /* bytes of the name of a component, field or enum text */
#define ENT_DECLARATION_ORDER_MAX   1000000
#define ENT_DECLARATION_RECORD_MAX  1024 /* of a record */
#define ENT_DECLARATION_CONTENT_MAX 255  /* bytes of a unit or a description */

#ifdef __cplusplus
extern "C" {
#endif

/* The size of the memory for ent_component_type_open; 0 when the blob is not a declaration. */
ENT_API size_t ent_component_type_bytes(const EntBlob* blob);

/* The type that a `component` blob declares.
 *
 *   memory  [ent_component_type_bytes(blob)] aligned to 8: field table, names and texts. The type
 *           points into it; the blob is not needed afterwards
 *
 * Needs    a blob that ent_blob_open accepted and that is a declaration (asserted).
 * Cost     no allocation. */
ENT_API EntComponentType ent_component_type_open(const EntBlob* blob, void* memory);

#ifdef __cplusplus
}
#endif

#endif
