/* links.h - every place of a source folder that names a resource, and all that can be named.
 *
 * The whole folder is compiled in memory, so that nobody but the compiler says what a reference is:
 * the plain files first, then, where it is wanted, what only a language or a platform reads. A
 * folder with errors has no links: some of them might be missed. */
#ifndef ENTC_LINKS_H
#define ENTC_LINKS_H

#include "build.h"
#include "project.h"

/* A source. Of one that several variants of the folder read, the asset is that of the first. */
typedef struct LinkFile {
    Asset*      asset;
    const char* path; /* below the folder */
    bool        link; /* it is a symbolic one */
    bool        reached;
} LinkFile;

typedef struct LinkPlace {
    const LinkFile* file;
    LinkKind        kind;
    u32             offset, bytes; /* in the asset's source, with quotes; of LINK_MODEL no bytes */
    const char*     name;
    ResourceType    type;
} LinkPlace;

/* What a resource needs at runtime. */
typedef struct LinkNeed {
    const char*  name;
    ResourceType type;
} LinkNeed;

/* A resource; one that several variants have stands here once for each of their files. */
typedef struct LinkProduct {
    const char*     name;
    ResourceType    type;
    LinkFile*       file;
    const char**    made_of; /* [made_of_count] paths below the folder */
    const LinkNeed* needs;   /* [need_count] */
    u32             made_of_count, need_count;
    bool            listed; /* by deps */
} LinkProduct;

typedef struct Links {
    const char* root; /* as the user typed it, without a slash at its end */
    Arena       arena;
    ARRAY(Project*) projects; /* the plain one, then one for each variant */
    ARRAY(LinkFile*) files;
    Slots file_slots;            /* of the files, by path */
    ARRAY(LinkPlace) places;     /* by path, then offset */
    ARRAY(LinkProduct) products; /* by name, type, path */
} Links;

/* Reads the source folder of `options` in their variant, or with `every` in all; `use` is for
 * project_open. Returns an exit
 * code, after telling what is wrong; close it in any case. */
int  links_open(Links* links, const BuildOptions* options, bool every, JournalUse use);
void links_close(Links* links);

/* The first resource of that name and type, or NULL; the others follow it. */
LinkProduct* links_find(const Links* links, Text name, ResourceType type);

/* What "props/lamp.entity" names. NULL, and why is told, when there is no such thing: then `code`
 * is the exit code. */
LinkProduct* links_named(Links* links, const char* resource, int* code);

/* Is it of the file's own name, and not one that a model holds? */
static inline bool product_is_own(const LinkProduct* p) {
    return p->type == p->file->asset->type && strcmp(p->name, p->file->asset->name) == 0;
}

/* "NAME.TYPE"; false, which is told, when it is not that. */
bool resource_parse(const char* resource, Text* name, ResourceType* type);

/* Line and column of a place, both from 1. Lines are counted on from the place before. */
typedef struct LinkCursor {
    const LinkFile* file;
    u32             offset, line, line_start;
    u32             column;
} LinkCursor;
void links_locate(LinkCursor* cursor, const LinkPlace* place);

const char* link_kind_name(LinkKind kind);

#endif
