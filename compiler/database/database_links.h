/* database_links.h - the part of a build database with the places of all references of a folder, in all of
 * its variants: what `refs`, `unused` and `mv` need besides the contents of sources. A build neither
 * reads nor changes it, unless it finds all references itself; it is copied when a database is written.
 *
 * It states for each file the hash of the content from which it was made, and has no stamps: those of
 * the database show which contents are unchanged.
 *
 * A head, five arrays of rows, and text. Rows are in the order of their sorts: files by path, places by
 * file and offset, products by name, type and file, targets by file and path, files beside sources by
 * source and file. The text is an empty string, then the paths of the files, the names of those that are
 * sources, the names of places and products, and the paths of targets, each in the order of its rows.
 * So no two rows share a text, and reading all of them is linear in the bytes of the part. */
#ifndef ENTC_DATABASE_LINKS_H
#define ENTC_DATABASE_LINKS_H

#include "base.h"
#include "hash.h"

#define STORED_NO_NAME 0u /* in the text: the empty one */

/* A file of the folder; one with a name is a source. */
typedef struct StoredFile {
    u32     path, name, type, kind, link, form, image_offset, spare;
    Hash128 hash; /* of the content; 0: the references do not depend on it */
} StoredFile;

typedef struct StoredPlace {
    u32 file, kind, offset, bytes, line, column, name, type;
} StoredPlace;

typedef struct StoredProduct {
    u32 file, name, type;
} StoredProduct;

typedef struct StoredTarget {
    u32 file, path;
} StoredTarget;

/* A file that is read with a source. */
typedef struct StoredBeside {
    u32 file, other;
} StoredBeside;

typedef struct StoredHead {
    Hash128 hash;     /* of everything after it */
    Hash128 identity; /* identity_program */
    u32     file_count, place_count, product_count, target_count, beside_count, text_bytes;
} StoredHead;

#define STORED_ROW_BYTES                                                                           \
    ((u32)(sizeof(StoredHead) + sizeof(StoredFile) + sizeof(StoredPlace) + sizeof(StoredProduct) + \
           sizeof(StoredTarget) + sizeof(StoredBeside)))

typedef struct Stored {
    const StoredHead*    head;
    const StoredFile*    files;
    const StoredPlace*   places;
    const StoredProduct* products;
    const StoredTarget*  targets;
    const StoredBeside*  besides;
    const char*          text;
} Stored;

static inline bool stored_has_hash(const StoredFile* file) {
    return !hash_equal(file->hash, (Hash128){0, 0});
}

/* Finds the rows of the part and validates each of them, once. Returns false when there is no valid one:
 * then it is not used. What it states about the folder is compared with the folder later. */
bool stored_open(Stored* stored, Text part);

/* Completes the head of a part that is about to be written. */
void stored_seal(Text part);

/* The row of the file with a path, or NONE: rows are in the order of their paths. */
u32 stored_file_find(const Stored* stored, const char* path);

#endif
