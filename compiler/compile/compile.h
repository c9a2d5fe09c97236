/* compile.h - what compiling any resource needs: links to others, names, and the end of a blob. */
#ifndef ENTC_COMPILE_H
#define ENTC_COMPILE_H

#include "assets.h"
#include "output.h"

/* A resource that is needed at runtime, and where it is first named. */
typedef struct CompileReference {
    u64           id;
    ResourceType  type;
    const char*   name;
    const Source* source;
    u32           offset;
} CompileReference;

/* A source that was read, and where it is first named; the resource's own has no such place. */
typedef struct CompileRead {
    Asset*        asset;
    const Source* source;
    u32           offset;
    u64           bytes; /* that it brought into the blob's entities and components */
} CompileRead;

/* When a source was read last, by a thread's count of resources, and its row in their reads. */
typedef struct CompileStamp {
    u32 stamp, row;
} CompileStamp;

/* How a place names a resource. */
typedef enum LinkKind {
    LINK_PREFAB,    /* "prefab": "props/lamp" */
    LINK_RESOURCE,  /* a field of a component or a material */
    LINK_ROOT,      /* of a package: with its type */
    LINK_COMPONENT, /* the key of a component that the project declares */
    LINK_COMPOSED,  /* a plugin made the name out of what stands there */
    LINK_MODEL,     /* a model's own mesh, skeleton, clip or material: no text of ours */
    LINK_KINDS
} LinkKind;

/* A place in the resource's own source that names a resource, when somebody wants to know. What
 * stands in its prefabs is theirs to tell: they are resources too. */
typedef struct CompileLink {
    LinkKind     kind;
    u32          offset, bytes; /* of the text with its quotes */
    const char*  name;
    ResourceType type;
} CompileLink;

/* A name that was hashed, and where it stood: two names with one hash are an error. */
typedef struct CompileName {
    u32           id;
    const char*   text;
    const Source* source;
    u32           offset;
} CompileName;

/* An entity whose persistent id matters, and the place in a source that says so. */
typedef struct CompilePersistent {
    u32           entity;
    const Source* source;
    u32           offset, bytes;
} CompilePersistent;

typedef struct Compile {
    Assets*         assets;
    const Registry* registry;
    Diagnostics*    diag;
    Target          target;
    bool            strip; /* leave entity names out */
    bool         faulty; /* a source has errors, which were told: links may lead nowhere for that */
    bool         unlinked;   /* a link leads into a model with errors, which are told there */
    bool         incomplete; /* a prefab is missing, which was told: so may be what is in it */
    Asset*       asset;      /* of the resource that is compiled */
    const char*  name;       /* of the resource */
    Arena        arena;
    struct Flat* flat;   /* while an entity or level is compiled */
    u32          entity; /* whose components are read */
    ARRAY(CompileRead) reads;
    CompileStamp* read_stamp;  /* [assets.count] of this thread: `stamp` where it was read */
    u64*          asset_bytes; /* [assets.count] of this thread: what each source brought */
    u32           stamp;
    ARRAY(CompileLink) links;
    bool             wants_links, wants_map;
    struct MapDraft* map;      /* while an entity or level is compiled whose source map is wanted */
    char*            map_text; /* [map_bytes] the source map; taken over, or freed by compile_end */
    u32              map_bytes;
    ARRAY(CompileReference) references;
    Slots reference_slots; /* of the references, by id */
    ARRAY(CompileName) names;
    Slots name_slots;                          /* of the names, by id */
    ARRAY(CompilePersistent) persistent_ids;   /* components that give one, entity by entity */
    ARRAY(CompilePersistent) persistent_paths; /* paths that stand where an id is wanted */
} Compile;

/* One Compile for each resource: what it gathers is that resource's. Zeroed before its first use;
 * begun again, it keeps its room. */
void compile_begin(Compile* compile, Assets* assets, Diagnostics* diag, Target target, bool strip);
void compile_end(Compile* compile);

/* Gives every read the bytes that its source brought. */
void compile_weigh(Compile* compile);

/* asset_read, and a note that this resource is made of that source. */
bool compile_read(Compile* compile, Asset* asset, const Source* source, u32 offset);

/* Takes over the references and names of another one, which is of the same resource; what they
 * contradict each other in is reported. */
void compile_join(Compile* compile, Compile* other);

/* Forgets references and names. */
void compile_forget(Compile* compile);

/* An instance of a component of this resource, or with type NULL another record of it, whose fields
 * are in the resource's own source until the caller says otherwise. */
Instance compile_instance(Compile* compile, const ComponentType* type, void* record);

/* The three kinds of links that a field may hold. Each reports what leads nowhere. */
ResourceRef compile_resource_ref(Compile* compile, const Source* source, u32 offset,
                                 JsonString text, ResourceType type);
u32         compile_entity_ref(Compile* compile, const Source* source, u32 offset, JsonString text,
                               u32 scope);
u32         compile_name_ref(Compile* compile, const Source* source, u32 offset, JsonString text);

/* The entity at a path, also one that is in a group and may be absent. */
u32 compile_entity_named(Compile* compile, const Source* source, u32 offset, JsonString text,
                         u32 scope);

/* compile_resource_ref for a name that stands in a longer text, which the caller notes. */
ResourceRef compile_resource_named(Compile* compile, const Source* source, u32 offset, Text name,
                                   ResourceType type);

/* Notes a place that names a resource, when links are wanted. `text` is all that stands there. */
void compile_link(Compile* compile, LinkKind kind, const Source* source, u32 offset,
                  JsonString text, Text name, ResourceType type);

/* The id of a name that is hashed; two names with one id are reported. */
u32 compile_name_id(Compile* compile, const Source* source, u32 offset, Text name);

/* Finishes a blob; false, with a diagnostic, when it would be too large. */
bool compile_finish(Compile* compile, Output* out, u8** bytes, size_t* size);

/* Puts a resource into the blob's table of references; it is named at that place, or comes along
 * with what stands there. */
ResourceRef compile_reference(Compile* compile, const char* name, ResourceType type,
                              const Source* source, u32 offset);

/* The reference with this id that was put there; or NULL. */
const CompileReference* compile_reference_find(const Compile* compile, u64 id);

/* Adds the reference sections; only those of groups stand behind them. */
void compile_write_references(Compile* compile, Output* out);

#endif
