/* compile.h - the common part of compiling a resource: references to others, names, and the end of
 * a blob. */
#ifndef ENTC_COMPILE_H
#define ENTC_COMPILE_H

#include "assets.h"
#include "output.h"

/* A resource that is needed at runtime, and the position of the first reference. */
typedef struct CompileReference {
    u64           id;
    ResourceType  type;
    const char*   name;
    const Source* source;
    u32           offset;
} CompileReference;

/* A source that was read and whose nodes are held, and the position of the first reference; the own source of the
 * resource has none. */
typedef struct CompileRead {
    Asset*        asset;
    const Source* source;
    u32           offset;
    u64           bytes;   /* that it added to the entities and components of the blob */
    bool          is_held; /* false: it has changed, which was reported */
} CompileRead;

/* When a source was last read, as the number of the resource that a thread compiles, and its row in
 * the reads. */
typedef struct CompileStamp {
    u32 stamp, row;
} CompileStamp;

/* The form of a reference to a resource. */
typedef enum LinkKind {
    LINK_PREFAB,    /* "prefab": "props/lamp" */
    LINK_RESOURCE,  /* a field of a component or a material */
    LINK_ROOT,      /* of a package: with its type */
    LINK_COMPONENT, /* the key of a component that the project declares */
    LINK_COMPOSED,  /* a plugin generated the name from the text at this position */
    LINK_MODEL,     /* a mesh, skeleton, clip, material or texture of the same model, which is not a
                     * name in a text */
    LINK_PATTERN,   /* a pattern of a package that matches it */
    LINK_PROPERTY,  /* in the custom property of a model at this position */
    LINK_KINDS
} LinkKind;

/* Is the reference a string in the source, which has the name or a pattern? */
static inline bool link_kind_is_text(LinkKind kind) {
    return kind < LINK_COMPOSED || kind == LINK_PATTERN;
}

/* A reference to a resource in the own source of the resource, recorded on request. References in
 * its prefabs are recorded by these prefabs, which are resources too. */
typedef struct CompileLink {
    LinkKind     kind;
    u32          offset, bytes; /* of the text including its quotes */
    Text         name;
    ResourceType type;
} CompileLink;

/* What an override of the own source replaces in a component, recorded on request. */
typedef struct CompileWas {
    u32         override; /* in Doc.overrides */
    u32         type;
    const char* text; /* JSON: an object of fields, or null: there is no such component */
} CompileWas;

/* A text of the own source that contains the name of an entity that is renamed. */
typedef struct CompileRename {
    u32         offset, bytes; /* of the text including its quotes */
    const char* text;          /* the new one */
} CompileRename;

/* A name that was hashed, and its position: two names with the same hash are an error. */
typedef struct CompileName {
    u32           id;
    const char*   text;
    const Source* source;
    u32           offset;
} CompileName;

/* An entity that needs a persistent id, and the position in a source that refers to it. */
typedef struct CompilePersistent {
    u32           entity;
    const Source* source;
    u32           offset, bytes;
} CompilePersistent;

/* A component of an entity that is compared with others. */
typedef struct CompilePlace {
    u32           entity;
    u64           type; /* its id */
    const Source* source;
    u32           offset, bytes;
} CompilePlace;

/* A pattern of names, and how many resources it matches now. */
typedef struct CompilePattern {
    const char*   text;
    const Source* source;
    u32           offset;
    u32           matches;
} CompilePattern;

/* What the bytes of an output depend on, beside its sources. */
typedef struct CompileOptions {
    Target target;
    f32    clip_error; /* of joints, as a share of the skeleton's extent; 0: clips are exact */
    bool   strip;      /* omit entity names and declarations */
    bool   source_map; /* also make the source map of an entity or level */
} CompileOptions;

typedef struct Compile {
    Assets*         assets;
    const Registry* registry;
    Diagnostics*    diag;
    CompileOptions  options;
    bool has_errors;       /* a source has errors, which were reported; references may be unresolved
                          * for this reason */
    bool unlinked;         /* a reference into a model with errors, which are reported for the
                              * model */
    bool incomplete;       /* a prefab is missing, which was reported; its entities are missing
                              * for this reason */
    const char*  unusable; /* why the image of a texture without settings cannot be decoded, which
                           * was reported; or NULL */
    Asset*       asset;    /* of the resource that is compiled */
    const char*  name;     /* of the resource */
    ResourceType type;
    u32          index; /* in the arrays of its model, or NONE */
    Arena        arena;
    struct Flat* flat;   /* while an entity or level is compiled */
    u32          entity; /* with the components that are read */
    ARRAY(CompileRead) reads;
    CompileStamp* read_stamp;  /* [assets.count] of this thread: `stamp` where it was read */
    u64*          asset_bytes; /* [assets.count] of this thread: the bytes that each source added */
    u32           stamp;
    ARRAY(CompileLink) links;
    ARRAY(CompileWas) was;
    ARRAY(CompileRename) renames;
    const struct EntityRename* rename; /* NULL: no entity is renamed */
    bool                       needs_links, needs_was;
    struct MapDraft*           map; /* while an entity or level with a requested source map is
                                * compiled */
    char* map_text;                 /* [map_bytes] the source map; owned by the caller, or freed by
                                * compile_end */
    u32   map_bytes;
    ARRAY(CompileReference) references;
    Slots reference_slots; /* of the references, by id */
    ARRAY(CompilePattern) patterns;
    ARRAY(CompileName) names;
    Slots name_slots;                          /* of the names, by id */
    ARRAY(const char*) texts;                  /* of text fields; 0: "" */
    Slots text_slots;                          /* of the texts, by their content */
    ARRAY(CompilePersistent) persistent_ids;   /* components that define an id, by entity */
    ARRAY(CompilePersistent) persistent_paths; /* paths that are written instead of an id */
    ARRAY(CompilePlace) checked; /* instances that a hook compares with others, by entity */
} Compile;

/* One Compile for each resource. It must be zeroed before its first use; when it is used again, it
 * keeps its memory. */
void compile_begin(Compile* compile, Assets* assets, Diagnostics* diag,
                   const CompileOptions* options);
void compile_end(Compile* compile);

/* Sets the resource that is compiled next. */
static inline void compile_choose(Compile* c, Asset* asset, const char* name, ResourceType type,
                                  u32 index) {
    c->asset = asset, c->name = name, c->type = type, c->index = index;
}

/* Stores in every read the bytes that its source added. */
void compile_estimate(Compile* compile);

/* The entity that is compiled. */
static inline Prefab compile_prefab(const Compile* c) {
    return (Prefab){c->asset, c->asset->content->parts ? c->index : NONE};
}

/* Calls asset_read, and records that this resource depends on that source. */
bool compile_read(Compile* compile, Asset* asset, const Source* source, u32 offset);

/* Adopts the references, links and names of another one for the same resource; contradictions are
 * reported. */
void compile_join(Compile* compile, Compile* other);

/* Removes all references and names. */
void compile_drop(Compile* compile);

/* The references to resources and names that a field may contain. Each function reports an unresolved
 * reference. */
ResourceRef compile_resource_ref(Compile* compile, const Source* source, u32 offset,
                                 JsonString text, ResourceType type);
u32         compile_name_ref(Compile* compile, const Source* source, u32 offset, JsonString text);

/* compile_resource_ref for a name in a longer text; the caller records the reference. */
ResourceRef compile_resource_named(Compile* compile, const Source* source, u32 offset, Text name,
                                   ResourceType type);

/* Would a name be that of a part of a model with errors, which are reported for the model? */
bool compile_is_in_invalid_model(Compile* compile, Text name);

/* Records a reference to a resource in `source`, when links are requested. Its name must remain until
 * compile_end. */
void compile_link(Compile* compile, const Source* source, CompileLink link);

/* The decoded text, in the arena if it differs. */
static inline Text compile_text(Compile* compile, JsonString text) {
    return text.escaped ? text_of(json_decode(text, &compile->arena)) : text.raw;
}

/* Returns the id of a name; two names with the same id are reported. */
u32 compile_name_id(Compile* compile, const Source* source, u32 offset, Text name);

/* The text of a name, or NULL. */
const char* compile_name_text(const Compile* compile, u32 id);

/* Returns the number of a text of a text field; until compile_write_texts numbers those that the blob
 * contains. */
u32 compile_string(Compile* compile, Text text);

/* The text with this number. */
const char* compile_string_of(const Compile* compile, u32 text);

/* Renumbers the texts of the rows [first[t], end[t]) of each type t, which are numbers of `part`, as
 * numbers of `compile`. */
void compile_strings_join(Compile* compile, const Compile* part, Output* out, const u32* first,
                          const u32* end);

/* Numbers the texts in the order in which the sections contain them, and adds the sections of
 * strings, after all other sections. */
void compile_write_texts(Compile* compile, Output* out);

/* Completes a blob; returns false, with a diagnostic, when it would be too large. */
bool compile_finish(Compile* compile, Output* out, u8** bytes, size_t* size);

/* Adds a resource to the table of references of the blob, for a reference at this position. */
ResourceRef compile_reference(Compile* compile, const char* name, ResourceType type,
                              const Source* source, u32 offset);

/* Returns the reference with this id, or NULL. */
const CompileReference* compile_reference_find(const Compile* compile, u64 id);

/* Adds the reference sections; only those of groups may follow. */
void compile_write_references(Compile* compile, Output* out);

#endif
