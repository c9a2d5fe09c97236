/* database_internal.h - the bytes of a build database, and the parts behind it. Private to this folder. */
#ifndef ENTC_DATABASE_INTERNAL_H
#define ENTC_DATABASE_INTERNAL_H

#include "database.h"
#include "database_links.h"

#define DATABASE_VERSION 9
#define DATABASE_MAGIC   "entc.led"

#define DATABASE_ROW_BYTES                                                                         \
    ((u32)(sizeof(DatabaseFile) + sizeof(DatabaseRead) + sizeof(DatabaseNeed) +                    \
           sizeof(DatabaseProduct) + sizeof(DatabaseMap) + sizeof(DatabaseHead)) +                 \
     STORED_ROW_BYTES)

/* The hash of a head is that of everything behind it, up to the end of the text. */
#define DATABASE_HASHED_FROM (offsetof(DatabaseHead, hash) + sizeof(Hash128))

/* --- database_layout.c --- */

/* What is behind the head, in this order. The references have a hash of their own. */
typedef struct DatabaseLayout {
    u64 files, reads, needs, products, maps, file_slot, product_slot, text, text_end, links, end;
} DatabaseLayout;

DatabaseLayout database_layout(const DatabaseHead* head);

/* Finds the rows of a database at the beginning of these bytes, aligned to 16. False: there is no complete one whose
 * hash is right. The rows are not validated yet. */
bool database_rows_find(Database* database, const u8* bytes, u64 size);

u64 database_product_hash(Text name, u32 type);

/* --- database_parts.c --- */

/* Frees the copy that database_rows_copy has made. */
void database_rows_drop(Database* database);

/* Replaces the products and files of a database that a part contains; both are valid. False: the part has others, or
 * too much text, and nothing has changed. */
bool database_apply(Database* database, const Database* part);
bool database_fits_part(const Database* database, const Database* part); /* without changing it */

/* Applies the parts behind a database in its file, up to the first one that is invalid. */
void database_parts_read(Database* database);

/* A part begins at the next multiple of this, with the hash in the head of what it follows. */
#define DATABASE_PART_ALIGN 16u
typedef Hash128 DatabasePartLink;
static_assert(sizeof(DatabasePartLink) == DATABASE_PART_ALIGN, "the part behind it is aligned too");

#endif
