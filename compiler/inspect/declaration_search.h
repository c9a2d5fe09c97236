/* declaration_search.h - declarations of component types that do not lie beside the blob that needs
 * them: what git hands to a program is a temporary file, alone in its folder.
 *
 * They are looked for in the folders of --declarations; without these in the git repository around
 * the working directory: tracked files as they are in the working tree, then as they are in the
 * index, then in all commits, the newest first. When git tracks no declaration of that name,
 * untracked files are looked at. Compiled declarations (NAME.component) and sources
 * (NAME.component.json) both serve. A declaration is taken only when its layout is the one that the
 * blob was compiled with. */
#ifndef ENTC_DECLARATION_SEARCH_H
#define ENTC_DECLARATION_SEARCH_H

#include "blob.h"
#include "memory.h"

/* What somebody who needs a declaration says of one that was found. */
typedef enum SearchVerdict {
    SEARCH_OTHER,  /* it declares another layout */
    SEARCH_NEARLY, /* the layout is right, but values in the blob lie outside of its bounds */
    SEARCH_FITS,
} SearchVerdict;

typedef struct SearchQuery {
    const char* name;   /* of the resource: gameplay/health */
    u32         layout; /* of the blob's section */
    SearchVerdict (*verdict)(void* user, const ComponentType* type);
    void* user;
} SearchQuery;

/* The folders of --declarations, for the whole run. EXIT_OK, or EXIT_IO after saying which of them
 * cannot be read. */
int declaration_search_in(const char* const* folders, u32 count);

/* The first type that fits, else the first that nearly does; NULL: there is none, and `why` says
 * where was looked; `unread` is the errno of a call that failed meanwhile, so that there may be one
 * all the same, or 0. What was found lives until declaration_search_end. */
const ComponentType* declaration_search(const SearchQuery* query, const char** why, int* unread);

/* Gives back what was found. */
void declaration_search_end(void);

/* --- for its parts --- */

typedef struct Search Search;

/* Bytes of a candidate: a blob, or with `json` a source. True: it fits, and no more are needed. */
bool search_try(Search* search, const void* bytes, size_t size, bool json);
/* The same with a file; false also when there is none. */
bool search_try_file(Search* search, const char* path, bool json);

/* A call failed, so that what there is was not all seen. */
void search_unread(Search* search, int why);

/* Asks git. True: search_try said so. `why` says where was looked, or why it could not be. */
bool search_git(Search* search, const char* name, const char** why);

#endif
