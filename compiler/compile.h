/* compile.h - what compiling any resource needs: links to others, names, and the end of a blob. */
#ifndef ENTC_COMPILE_H
#define ENTC_COMPILE_H

#include "assets.h"
#include "output.h"

typedef struct CompileReference {
    u64          id;
    ResourceType type;
    const char*  name;
} CompileReference;

/* A name that was hashed, and where it stood: two names with one hash are an error. */
typedef struct CompileName {
    u32           id;
    const char*   text;
    const Source* source;
    u32           offset;
} CompileName;

typedef struct Compile {
    Assets*         assets;
    const Registry* registry;
    Diagnostics*    diag;
    Target          target;
    bool            strip; /* leave entity names out */
    bool         faulty; /* a source has errors, which were told: links may lead nowhere for that */
    bool         incomplete; /* a prefab is missing, which was told: so may be what is in it */
    Asset*       asset;      /* of the resource that is compiled */
    const char*  name;       /* of the resource */
    Arena        arena;
    struct Flat* flat; /* while an entity or level is compiled */
    ARRAY(CompileReference) references;
    u32* reference_slot; /* hash table; index + 1 */
    u32  reference_slots;
    ARRAY(CompileName) names;
    u32* name_slot; /* hash table by id; index + 1 */
    u32  name_slots;
} Compile;

/* One Compile for each resource: what it gathers is that resource's. */
void compile_begin(Compile* compile, Assets* assets, Target target, bool strip);
void compile_end(Compile* compile);

/* The three kinds of links that a field may hold. Each reports what leads nowhere. */
ResourceRef compile_resource_ref(Compile* compile, const Source* source, u32 offset,
                                 JsonString text, ResourceType type);
u32         compile_entity_ref(Compile* compile, const Source* source, u32 offset, JsonString text,
                               u32 scope);
u32         compile_name_ref(Compile* compile, const Source* source, u32 offset, JsonString text);

/* The id of a name that is hashed; two names with one id are reported. */
u32 compile_name_id(Compile* compile, const Source* source, u32 offset, Text name);

/* Finishes a blob; false, with a diagnostic, when it would be too large. */
bool compile_finish(Compile* compile, Output* out, u8** bytes, size_t* size);

/* Puts a resource into the blob's table of references. */
ResourceRef compile_reference(Compile* compile, const char* name, ResourceType type);

/* Adds the reference sections; the last ones of a blob. */
void compile_write_references(Compile* compile, Output* out);

#endif
