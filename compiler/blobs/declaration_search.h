/* declaration_search.h - finds declarations of component types that are not in the output folder of
 * the blob: git passes a temporary file, which is alone in its folder, to a program.
 *
 * They are searched in the folders of --declarations; without these in the git repository that
 * contains the working directory: tracked files as they are in the working tree, then as they are
 * in the index, then in all commits, newest first. When git tracks no declaration of that name,
 * untracked files are searched. Both compiled declarations (NAME.component) and sources
 * (NAME.component.json) are used. A declaration is used only if its layout is the one with which
 * the blob was compiled. */
#ifndef ENTC_DECLARATION_SEARCH_H
#define ENTC_DECLARATION_SEARCH_H

#include "blob.h"
#include "memory.h"

/* The result of comparing a declaration with the blob. */
typedef enum SearchVerdict {
    SEARCH_OTHER,  /* it declares another layout */
    SEARCH_NEARLY, /* the layout matches, but values in the blob are out of range */
    SEARCH_FITS,
} SearchVerdict;

typedef struct SearchQuery {
    const char* name;   /* of the resource: gameplay/health */
    u32         layout; /* of the blob's section */
    SearchVerdict (*verdict)(void* user, const ComponentType* type);
    void* user;
} SearchQuery;

/* Sets the folders of --declarations for the complete run. Returns EXIT_OK, or EXIT_IO after
 * reporting which of them cannot be read. */
int declaration_search_in(const char* const* folders, u32 count);

/* Returns the first type that matches, otherwise the first with a matching layout; NULL when there
 * is none, and `why` describes where it was searched. `unread` is the errno of a call that failed,
 * so that there may be one nevertheless, or 0. The result is valid until declaration_search_end. */
const ComponentType* declaration_search(const SearchQuery* query, const char** reason, int* unread);

/* Frees all results. */
void declaration_search_end(void);

#endif
