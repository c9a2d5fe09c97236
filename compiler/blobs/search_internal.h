/* search_internal.h - one search for a declaration; shared by declaration_search.c, search_try.c and
 * search_git.c. */
#ifndef ENTC_SEARCH_INTERNAL_H
#define ENTC_SEARCH_INTERNAL_H

#include "declaration_search.h"
#include "memory.h"

typedef struct Search {
    const SearchQuery*   query;
    Arena*               arena; /* of all results */
    const ComponentType* fits;
    const ComponentType* nearly;
    const char*          unreadable; /* the first file that cannot be read, and the reason; or
                                      * NULL */
    int                  unread;     /* errno of the first call that failed, or 0 */
    u32                  others;     /* declarations of that name with another layout */
} Search;

/* Examines the bytes of a candidate: a blob, or with `json` a source. Returns true when it matches
 * and the search can end. */
bool search_try(Search* search, const void* bytes, size_t size, bool json);
/* The same for a file; returns false also when there is none. */
bool search_try_file(Search* search, const char* path, bool json);

/* Records that a call failed, so that the search is incomplete. */
void search_unread(Search* search, int reason);

/* Searches with git. Returns true when search_try returned true. `why` describes where it was
 * searched, or why this was not possible. */
bool search_git(Search* search, const char* name, const char** reason);

#endif
