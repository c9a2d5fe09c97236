/* registry.h - the component types that entc can compile: built-in types and those of plugins are
 * added with the same function, by name, compile function and spawn order.
 *
 * Source   N. Frykholm, Building a Data-Oriented Entity System (Part 4), 2014. */
#ifndef ENTC_REGISTRY_H
#define ENTC_REGISTRY_H

#include "blob.h"
#include "json.h"
#include "resources.h"

#define REGISTRY_TYPES_MAX 96

struct Instance;

/* Resolves a string in a field: the reader of records does not depend on the rest of the compiler.
 * `offset` is that of the string. Each function reports an unresolved reference. */
typedef struct InstanceLinks {
    ResourceRef (*resource)(struct Instance* in, u32 offset, JsonString name, ResourceType type);
    u32 (*entity)(struct Instance* in, u32 offset, JsonString path);
    u32 (*name)(struct Instance* in, u32 offset, JsonString name);
    u32 (*persistent)(struct Instance* in, u32 offset, JsonString path);
} InstanceLinks;

/* The argument of a compile function: one instance of one component of one entity. */
typedef struct Instance {
    struct Compile*          compile; /* the resource that is being compiled; for `links` alone */
    const InstanceLinks*     links;   /* NULL: a record without references */
    const Source*            own;     /* of that resource; NULL: none */
    const ComponentType*     type;
    const Source*            source; /* of the layer that is being read */
    u32                      offset; /* of its JSON value: an object */
    u32                      scope;  /* entity that paths in this layer start from, or NONE */
    Diagnostics*             diag;
    void*                    record;     /* defaults, then whatever earlier layers gave */
    u64                      given;      /* bit f: some layer gave field f */
    u64                      given_here; /* the layer that is being read did */
    const struct PluginType* plugin;     /* of a type that a plugin brought; or NULL */
} Instance;

/* Reads the JSON object at `offset` into the record. Called once per layer, prefab first. */
typedef void (*ComponentCompile)(Instance* instance);

/* Looks at the finished record: rules between fields. May be NULL. */
typedef void (*ComponentCheck)(Instance* instance);

typedef struct ComponentCompiler {
    ComponentType    type; /* name, fields, spawn order; id and layout are filled in here */
    ComponentCompile compile;
    ComponentCheck   check;
    const char*      from; /* who brought it, for messages: "entc", a plugin's path, a source */
    const struct Declaration* declared; /* of a type that the project declares as data; or NULL */
    const struct PluginType*  plugin;   /* of a type that a plugin brought; or NULL */
    u64                       required; /* bit f: field f has no default; filled in here */
} ComponentCompiler;

typedef struct Registry {
    ComponentCompiler    compiler[REGISTRY_TYPES_MAX]; /* [count] in spawn order */
    const ComponentType* types[REGISTRY_TYPES_MAX];    /* the same, for BlobOptions */
    const char*          names[REGISTRY_TYPES_MAX];    /* the same, for "did you mean" */
    u32                  count;
    struct Plugins*      plugins; /* that were loaded for it, see plugin_load.h; or NULL */
} Registry;

/* Everything in COMPONENT_LIST. False, with a diagnostic, when two ids collide. */
MUST_CHECK bool registry_init(Registry* registry, Diagnostics* diag);

/* Adds a type behind all of lower or equal spawn order. False, with a diagnostic that names both,
 * when the name or its id is taken, or there are too many. */
MUST_CHECK bool registry_add(Registry* registry, const ComponentCompiler* compiler,
                             Diagnostics* diag);

/* Index of a type by its JSON key, or NONE. */
u32 registry_find(const Registry* registry, JsonString key);

BlobOptions registry_options(const Registry* registry);

/* The compile function of every type that has nothing special to say: reads the fields of the field
 * table straight from the text, number by number. */
void component_compile_fields(Instance* instance);

/* The same reader for a record that is not a component (a material). */
void record_compile_fields(Instance* instance, const RecordType* type);

/* The same for an object with keys beside the fields, which somebody else reads. */
void record_compile_fields_beside(Instance* instance, const RecordType* type,
                                  const char* const* others, u32 other_count);

/* Reads the one value at `offset` as this field. */
void field_compile_value(Instance* instance, const Field* field);

/* Reports required fields that no layer gave. */
void record_require_fields(const Instance* instance, const RecordType* type);

#endif
