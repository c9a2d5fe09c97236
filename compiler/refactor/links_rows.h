/* links_rows.h - the layout of the file of saved references: a head, four arrays of rows, and text.
 *
 * Rows are in the order of their sorts: files by path, places by file and offset, products by name,
 * type and file, targets by file and path. The text is an empty string, then the paths of the files,
 * the names of those that are sources, the names of places and products, and the paths of targets,
 * each in the order of its rows. So no two rows share a text, and reading all of them is linear in
 * the bytes of the file. */
#ifndef ENTC_LINKS_ROWS_H
#define ENTC_LINKS_ROWS_H

#include "file.h"
#include "hash.h"
#include "links.h"

#define SAVED_MAGIC   "entc.lnk"
#define SAVED_VERSION 2u
#define NO_NAME_TEXT  0u /* in the text: the empty one */

/* A file of the folder; one with a name is a source. */
typedef struct SavedFile {
    u32       path, name, type, kind, link, form, image_offset, spare;
    FileStamp stamp;
    Hash128   hash; /* of the content; 0: not known */
} SavedFile;

typedef struct SavedPlace {
    u32 file, kind, offset, bytes, line, column, name, type;
} SavedPlace;

typedef struct SavedProduct {
    u32 file, name, type;
} SavedProduct;

typedef struct SavedTarget {
    u32 file, path;
} SavedTarget;

typedef struct SavedHead {
    char    magic[8];
    u32     version, row_bytes;
    Hash128 hash;       /* of everything after it */
    Hash128 identity;   /* of the program and the variant */
    u64     scanned_ns; /* see LinksSaved */
    u32     file_count, place_count, product_count, target_count, text_bytes, spare;
} SavedHead;

#define ROW_BYTES                                                                                  \
    ((u32)(sizeof(SavedHead) + sizeof(SavedFile) + sizeof(SavedPlace) + sizeof(SavedProduct) +     \
           sizeof(SavedTarget)))
#define HASHED_FROM (offsetof(SavedHead, hash) + sizeof(Hash128))

typedef struct Saved {
    const SavedHead*    head;
    const SavedFile*    files;
    const SavedPlace*   places;
    const SavedProduct* products;
    const SavedTarget*  targets;
    const char*         text;
} Saved;

static inline bool has_hash(const SavedFile* file) {
    return !hash_equal(file->hash, (Hash128){0, 0});
}

/* Finds the parts of a file and validates every row, once. Returns false when the file is not valid:
 * then it is not used. What it states about the folder is compared with the folder later. */
bool links_rows_open(Saved* saved, const FileView* view);

#endif
