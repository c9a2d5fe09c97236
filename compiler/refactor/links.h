/* links.h - all references to resources in a source folder, and all resources.
 *
 * The complete folder is compiled in memory, so that only the compiler defines what a reference is:
 * first the default variant, then, if requested, the files that only a language or a platform
 * reads. A folder with errors is rejected, because some references might be missed. */
#ifndef ENTC_LINKS_H
#define ENTC_LINKS_H

#include "build.h"
#include "project.h"

/* A source. If several variants of the folder read it, the asset is that of the first. */
typedef struct LinkFile {
    Asset*      asset;
    const char* path; /* below the folder */
    bool        link; /* it is a symbolic one */
    bool        reached;
    Hash128     hash; /* of the content from which stored references were read: see links_load */
    u32         row;  /* of links_part */
    /* How it was reached first: */
    const char*             root;    /* "levels/town.level": it is a root itself; or NULL */
    const struct LinkPlace* by;      /* of another file that was reached before; or NULL */
    u32                     by_line; /* */
    u32                     by_column;
} LinkFile;

typedef struct LinkPlace {
    const LinkFile* file;
    LinkKind        kind;
    u32             offset, bytes; /* in the source of the asset, including quotes; of LINK_MODEL no
                                    * bytes */
    const char*     name;
    ResourceType    type;
    u32             line, column; /* of references that were not read from the source; or 0 */
} LinkPlace;

/* A file of the folder to which a model or a texture refers by a relative path; only of stored
 * references. */
typedef struct LinkTarget {
    LinkFile*   file;
    const char* path; /* below the folder; it need not exist */
} LinkTarget;

/* A file of the folder that is read with a source; only of stored references. */
typedef struct LinkBeside {
    LinkFile*   file;
    const char* path; /* below the folder */
    Hash128     hash;
} LinkBeside;

/* What an override replaces in a component: see CompileWas. */
typedef struct LinkWas {
    const LinkFile* file;
    u32             override;
    const char *    key, *text;
} LinkWas;

/* An entity of a resource that gets another name; variants of the resource may define it too. */
typedef struct LinkRename {
    const char * resource, *path, *name;
    ResourceType type;
    u32          found; /* number of variants that define the entity */
} LinkRename;

/* A text that contains the name of the entity. */
typedef struct LinkText {
    const LinkFile* file;
    u32             offset, bytes;
    const char*     text; /* the new one */
} LinkText;

/* A resource that is needed at runtime. */
typedef struct LinkNeed {
    const char*  name;
    ResourceType type;
} LinkNeed;

/* A resource; if several variants have it, there is one entry for each of their files. */
typedef struct LinkProduct {
    const char*     name;
    ResourceType    type;
    LinkFile*       file;
    const char**    compiled_from; /* [made_of_count] paths below the folder */
    const LinkNeed* needs;         /* [need_count] */
    u32             compiled_from_count, need_count;
    bool            listed; /* by deps */
} LinkProduct;

typedef struct Links {
    const char* root; /* as the user specified it, without a trailing slash */
    Arena       arena;
    JobPool*    pool;         /* reads sources; NULL: one thread */
    ARRAY(Project*) projects; /* the default variant, then the others */
    const Assets* assets;     /* of the default variant */
    Diagnostics*  diag;       /* */
    ARRAY(LinkFile*) files;
    Slots file_slots;            /* of the files, by path */
    ARRAY(LinkPlace) places;     /* by path, then offset */
    ARRAY(LinkProduct) products; /* by name, type, path */
    ARRAY(LinkTarget) targets;   /* by path of the file */
    ARRAY(LinkBeside) besides;   /* by path of the file, then of the other one */
    bool stored;                 /* not compiled: see link_store.h */
    bool needs_project;          /* of stored ones; set by the caller before they are opened */
    ARRAY(LinkWas) was;          /* if the caller set `needs_was` before links_open */
    bool needs_was;
    bool is_tolerant;        /* if the caller set it: only sources that cannot be read are errors */
    ARRAY(LinkText) renames; /* if the caller set `rename` before links_open */
    LinkRename*         rename;
    const struct Links* selection; /* if the caller set it: only the files are compiled that were
                                    * reached in these references */
} Links;

/* Reads the source folder of `options` in their variant, or with `every` in all variants; `use` is
 * for project_open. Returns an exit code, after reporting errors; always close it. */
int  links_open(Links* links, const BuildOptions* options, bool every, JournalUse use);
void links_close(Links* links);

/* Sorts places and products, after their names, paths or positions changed. */
void links_sort(Links* links);

/* Sorts the files by their paths. */
void links_sort_files(Links* links);

/* Returns the file with a path below the folder, when the files are in the order of their paths; or
 * NULL. */
LinkFile* links_file(const Links* links, const char* path);

/* The row of the first reference in a file; references are in the order of the paths of their
 * files. */
u32 links_first_place(const Links* links, const LinkFile* file);

/* Reaches all files that refer to a resource of a file that was reached, directly or through
 * others. */
void links_reach_dependents(Links* links);

/* Returns the first resource of that name and type, or NULL; the others follow it. */
LinkProduct* links_find(const Links* links, Text name, ResourceType type);

/* Returns the resource "props/lamp.entity". Returns NULL after reporting an error: then `code` is
 * the exit code. */
LinkProduct* links_named(Links* links, const char* resource, int* code);

/* Does it have the name of the file, so that it is not a resource of a model? */
static inline bool product_is_of_file(const LinkProduct* p) {
    return p->type == p->file->asset->type && strcmp(p->name, p->file->asset->name) == 0;
}

/* Returns the line and column of a reference, both from 1. Lines are counted from the previous
 * position. */
typedef struct LinkCursor {
    const LinkFile* file;
    u32             offset, line, line_start;
    u32             column;
} LinkCursor;
void links_locate(LinkCursor* cursor, const LinkPlace* place);

const char* link_kind_name(LinkKind kind);

#endif
