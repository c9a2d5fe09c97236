/* registry.h - the component types that entc can compile: built-in types and those of plugins are
 * added with the same function, by name, compile function and spawn order.
 *
 * Source   N. Frykholm, Building a Data-Oriented Entity System (Part 4), 2014. */
#ifndef ENTC_REGISTRY_H
#define ENTC_REGISTRY_H

#include "blob.h"
#include "json_tokens.h"
#include "record_early.h"
#include "resources.h"

#define REGISTRY_TYPES_MAX 96
#define REGISTRY_SLOTS     256

struct Instance;

/* Resolves a string in a field: the reader of records does not depend on the rest of the compiler.
 * `offset` is that of the string. Each function reports an unresolved reference. */
typedef struct InstanceLinks {
    ResourceRef (*resource)(struct Instance* in, u32 offset, JsonString name, ResourceType type);
    u32 (*entity)(struct Instance* in, u32 offset, JsonString path);
    u32 (*name)(struct Instance* in, u32 offset, JsonString name);
    u32 (*persistent)(struct Instance* in, u32 offset, JsonString path);
    u32 (*text)(struct Instance* in, u32 offset, JsonString text);
    /* A position in the source of the layer, until all instances are known. */
    ResourceRef (*place)(const struct Instance* in, u32 offset);
} InstanceLinks;

/* The argument of a compile function: one instance of one component of one entity. */
typedef struct Instance {
    struct Compile*          compile; /* the resource that is being compiled; for `links` alone */
    const InstanceLinks*     links;   /* NULL: a record without references */
    const Source*            asset_source; /* of that resource; NULL: none */
    const ComponentType*     type;
    const Source*            source; /* of the layer that is being read */
    const JsonToken*         value;  /* of the layer: an object; NULL: it is a record */
    u32                      offset; /* of its text */
    u32                      item;   /* of a member of a list: the number of its owner; or NONE */
    const char*              member; /* key of a list of instances in the component; or NULL */
    u32                      scope;  /* entity that paths in this layer start from, or NONE */
    Diagnostics*             diag;
    void*                    record;     /* defaults, then whatever earlier layers gave */
    u64                      given;      /* bit f: a layer defined field f */
    u64                      given_here; /* the layer that is being read defined it */
    const struct PluginType* plugin;     /* of a type of a plugin; or NULL */
} Instance;

/* Sets the value that is read, which is in the source of the instance. */
static inline void instance_set(Instance* instance, const JsonToken* value) {
    instance->value = value;
    instance->offset = json_token_offset(instance->source, value);
}

/* Reads the value into the record. Called once per layer, prefab first. */
typedef void (*ComponentCompile)(Instance* instance);

/* Checks the rules between fields of the complete record. May be NULL. */
typedef void (*ComponentCheck)(Instance* instance);

typedef struct ComponentCompiler {
    ComponentType    type; /* name, fields, spawn order; id and layout are filled in here */
    ComponentCompile compile;
    ComponentCheck   check;
    const char*      from; /* its origin, for messages: "entc", the path of a plugin, a source */
    const struct ComponentMember* member; /* a list of instances of another type; or NULL */
    const struct Declaration* declared;   /* of a type that the project declares as data; or NULL */
    const struct PluginType*  plugin;     /* of a type of a plugin; or NULL */
    u64                       required;   /* bit f: field f has no default; filled in here */
    EarlyType                 early;      /* filled in here */
} ComponentCompiler;

typedef struct Registry {
    ComponentCompiler    compiler[REGISTRY_TYPES_MAX]; /* [count] in spawn order */
    const ComponentType* types[REGISTRY_TYPES_MAX];    /* the same, for BlobOptions */
    const char*          names[REGISTRY_TYPES_MAX];    /* the same, for "did you mean" */
    JsonWord             words[REGISTRY_TYPES_MAX];    /* of the names */
    JsonName             keys[REGISTRY_TYPES_MAX];     /* the same */
    u8                   slots[REGISTRY_SLOTS];        /* a type with a name of this hash */
    u32                  count;
    struct Plugins*      plugins; /* that were loaded for it, see plugin_load.h; or NULL */
    const char*          inputs;  /* list of inputs that may lack declarations of types; or NULL */
} Registry;

/* Adds all types of COMPONENT_LIST. Returns false, with a diagnostic, when two ids collide. */
MUST_CHECK bool registry_init(Registry* registry, Diagnostics* diag);

/* Adds a type after all types of lower or equal spawn order. Returns false, with a diagnostic, when
 * the name or its id exists already, or there are too many types. */
MUST_CHECK bool registry_add(Registry* registry, const ComponentCompiler* compiler,
                             Diagnostics* diag);

/* Returns the index of a type by its JSON key, of a built-in type also by an older one, or NONE. */
u32 registry_find(const Registry* registry, JsonString key);

/* Returns the type that a list in a component has instances of. */
u32 registry_member_type(const Registry* registry, const struct ComponentMember* member);

BlobOptions registry_options(const Registry* registry);

/* The default compile function: reads the fields of the field table. */
void component_compile_fields(Instance* instance);

/* The same reader for a record that is not a component (a material). */
void record_compile_fields(Instance* instance, const RecordType* type);

/* The same for an object with additional keys, which the caller reads. */
void record_compile_fields_beside(Instance* instance, const RecordType* type,
                                  const char* const* others, u32 other_count);

/* Calls a function for each field of the object. Reports unknown fields. */
void record_fields_visit(Instance* instance, const RecordType* type,
                         void (*visit)(Instance* instance, const JsonToken* value,
                                       const Field* field));

/* Reads the value as that of this field. */
void field_compile_value(Instance* instance, const Field* field);

/* Reports required fields that no layer defines. */
void record_require_fields(const Instance* instance, const RecordType* type);

#endif
