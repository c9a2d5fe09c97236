/* database.h - the build database: what the last build of an output folder read and wrote, and the
 * places of all references (database_links.h). For `out` it is `.out.entc/database` beside it, so
 * that the folder holds outputs and nothing else; or within, as `.entc/database`, when nothing can be
 * written beside it.
 *
 * It only saves work. A database that is missing, damaged or of another version is ignored; if
 * another build replaced it in the meantime, the stamps and hashes show whether it matches the
 * files. Tables of fixed rows, indices into each other, and one text; read in place.
 *
 * A program that builds repeatedly appends what has changed (draft_append); the next program to start writes one
 * database again.
 *
 * The stamp of a file and the hash of its content are stored once. Which content the last build read,
 * and from which content references were read, is stored beside it as a hash. */
#ifndef ENTC_DATABASE_H
#define ENTC_DATABASE_H

#include "file.h"
#include "hash.h"
#include "memory.h"
#include "resources.h"
#include "tree.h"

/* Instead of a hash: a file that the last build did not read, as a source of another variant. */
#define DATABASE_UNREAD ((Hash128){UINT64_MAX, UINT64_MAX})

/* The same of a file that no build has listed, but from which references were read. */
#define DATABASE_UNLISTED ((Hash128){UINT64_MAX, 0})

/* Instead of the type of a resource: the name in a field, of which a blob contains the id. */
#define TYPE_OF_NAME ((ResourceType)RESOURCE_COUNT)

/* A pattern of a package: the number of resources that it matched, a space and the pattern. */
#define TYPE_OF_PATTERN ((ResourceType)(RESOURCE_COUNT + 1))

/* A model refers to it, and spells its path in another way. */
#define DATABASE_ALIKE 1u
/* Its resource has another name than the file. */
#define DATABASE_RENAMED    2u
#define DATABASE_FILE_FLAGS 3u /* all of them */

/* A file of the source folder. */
typedef struct DatabaseFile {
    u32       path; /* in the text; below the source folder */
    u32       flags;
    FileStamp stamp;
    Hash128   hash;  /* of the content with this stamp; 0: not known */
    Hash128   built; /* of the content that the last build read, or DATABASE_UNREAD .. */
} DatabaseFile;

static inline bool database_is_read(const DatabaseFile* file) {
    return !hash_equal(file->built, DATABASE_UNREAD) && !hash_equal(file->built, DATABASE_UNLISTED);
}

/* The position of a name in a source. */
typedef struct DatabasePlace {
    u32 file; /* or NONE */
    u32 line, column;
} DatabasePlace;

/* A source of a product. */
typedef struct DatabaseRead {
    u32           file;
    u32           name; /* in the text: the name of the resource by which it was found; NONE: by its
                       * path */
    u32           type;
    DatabasePlace place;
    u64           bytes; /* that it added to the blob */
} DatabaseRead;

/* A resource that a product needs at runtime, and that must exist; with type RESOURCE_NONE, the
 * path of a file that a model refers to and that entc does not read; with TYPE_OF_NAME, a name in
 * it; with TYPE_OF_PATTERN, a pattern in it. */
typedef struct DatabaseNeed {
    u32           name; /* in the text */
    u32           type;
    DatabasePlace place;
} DatabaseNeed;

/* Warnings were reported for it, which the next build must report again. */
#define DATABASE_WARNED 1u
/* It was not written because of errors; its output is that of an earlier build, or there is none. */
#define DATABASE_FAILED    2u
#define DATABASE_NO_OUTPUT 4u
/* A file belonged to its source because of its name: Asset.content_file. */
#define DATABASE_CONTENT_FILE 8u
#define DATABASE_FLAGS        15u /* all of them */

typedef struct DatabaseProduct {
    u32       name; /* in the text */
    u32       type;
    u32       file;                   /* its source */
    u32       first_read, read_count; /* the source itself comes first */
    u32       first_need, need_count;
    u32       reason; /* in the text: why it was last compiled */
    u32       map;    /* its source map, or NONE */
    u32       flags;  /* DATABASE_WARNED .. */
    FileStamp stamp;  /* of the output */
    Hash128   hash;
    u64       blob_hash; /* that is in the header of the output */
} DatabaseProduct;

typedef struct DatabaseMap {
    FileStamp stamp;
    Hash128   hash;
} DatabaseMap;

typedef struct DatabaseHead {
    char    magic[8];
    u32     version, row_bytes; /* sum of the sizes of the rows */
    Hash128 hash;               /* of everything after the hash */
    Hash128 index;              /* of the index of the outputs, which is written afterwards */
    u64     scanned_ns;         /* a source that is not older may have been changed after it was
                                 * read */
    u64     written_ns;         /* the same for outputs */
    u32     file_count, read_count, need_count, product_count, map_count, text_bytes;
    u32     file_slots, product_slots; /* powers of two */
    u32     environment, boot;         /* in the text */
    u32     source;                    /* in the text: the absolute path of the source folder */
    u32     links_bytes;               /* of the part with the references; 0: there is none */
    u32     text_used;                 /* bytes of the text when it last contained no unused text */
    u32     invalid;                   /* 1: there were errors */
} DatabaseHead;

typedef struct Database {
    const DatabaseHead*    head; /* NULL: there is none */
    const DatabaseFile*    files;
    const DatabaseRead*    reads;
    const DatabaseNeed*    needs;
    const DatabaseProduct* products;
    const DatabaseMap*     maps;
    Slots                  file_slots;    /* of the files, by path; only read */
    Slots                  product_slots; /* of the products, by name and type; only read */
    const char*            text;
    Text                   links; /* the part with the references, which is not validated yet */
    FileView               view;
    u64                    bytes; /* of the file */
    Hash128                last;  /* hash of the last part of the file */
    bool is_extended;             /* there are parts, or something invalid, behind the database */
    struct DatabaseRows* rows; /* the rows, if they have changed since they were written; or NULL */
    bool                 within;      /* it is in the output folder, not beside it */
    bool                 is_rebooted; /* the machine was restarted after it was written */
} Database;

/* What is validated, and may be read. The rest may still be written again. */
typedef enum DatabaseScope {
    DATABASE_FILES, /* head, files and their slots */
    DATABASE_ALL
} DatabaseScope;

/* A database that is damaged or was written by another version is ignored: then there is none.
 * Returns a status other than ENT_OK, with errno, when there may be one that could not be read. */
MUST_CHECK ent_status database_open(Database* database, const char* out, DatabaseScope scope);
void                  database_close(Database* database);

/* Limit for the bytes of text; a build that exceeds it has no database and compiles everything each
 * time. */
#define DATABASE_TEXT_MAX (1u << 30)

/* Is every index, count, position and text in it valid? In database_validate.c. */
bool database_validate(const Database* database, DatabaseScope scope);

/* Returns the end of the rows and the text, of which the head contains the hash. The part with the
 * references follows at the next multiple of DATABASE_LINKS_ALIGN, when there is one. */
u64 database_rows_end(const DatabaseHead* head);
#define DATABASE_LINKS_ALIGN 16u

/* Returns the number of slots of the hash table for so many rows. */
u32 database_slots(u32 count);

/* Removes temporary files of killed builds beside the database. */
void database_sweep(const char* out);

/* Return the row with a path, or with a name and type; NONE when there is none. */
u32 database_file(const Database* database, const char* path);
u32 database_product(const Database* database, Text name, ResourceType type);

static inline const char* database_text(const Database* database, u32 at) {
    return database->text + at;
}

/* Does the stamp of a file prove that its content is the one that is stored? */
bool database_is_settled(const Database* database, const FileStamp* stored, const FileStamp* now,
                         u64 stored_ns);

/* --- writing --- */

typedef struct DatabaseDraft {
    const Database* before;
    u32             kept; /* bytes of its text with which the new text begins: all of it, or 0 */
    ARRAY(DatabaseFile) files;
    ARRAY(DatabaseRead) reads;
    ARRAY(DatabaseNeed) needs;
    ARRAY(DatabaseProduct) products;
    ARRAY(DatabaseMap) maps;
    ARRAY(char) text;   /* the text after these */
    const char* source; /* NULL: unknown */
    Text        links;  /* the part with the references; at first that of `before` */
    Hash128     index;  /* of the index of the outputs */
    bool        invalid;
} DatabaseDraft;

/* Creates a draft with capacity for so many products, mostly equal to those of `before`, which may
 * be empty and must stay open. */
void draft_begin(DatabaseDraft* draft, const Database* before, u32 products);

u32 draft_text(DatabaseDraft* draft, const char* text);

/* Returns a text of the previous database, which is at `at` in its own text. */
u32 draft_text_again(DatabaseDraft* draft, u32 at);

static inline const char* draft_text_at(const DatabaseDraft* draft, u32 at) {
    return at < draft->kept ? draft->before->text + at : draft->text.at + (at - draft->kept);
}

/* What is known about a file of the source folder. */
typedef struct DatabaseSeen {
    const char* path; /* below the folder */
    FileStamp   stamp;
    Hash128     hash; /* of the content with this stamp */
} DatabaseSeen;

/* Writes a database again, with another part of references, and with the stamps and hashes of files;
 * `count` 0: with those that it has. `scanned_ns`: when the folder was listed. Does nothing when
 * another process has replaced the database in the meantime. */
MUST_CHECK ent_status database_renew(const Database* database, const char* out, Text links,
                                     const DatabaseSeen* seen, u32 count, u64 scanned_ns);

/* Writes it and frees the draft. Returns ENT_IO with errno on failure. */
MUST_CHECK ent_status draft_write(DatabaseDraft* draft, const char* out, const char* environment,
                                  u64 scanned_ns);

/* Is the file in the output folder still the one that was read, with what was appended to it? */
bool database_is_current(const Database* database, const char* out);

/* Copies the rows to memory in which draft_append can change them, which it does otherwise. */
void database_rows_copy(Database* database);

/* Appends a draft that contains only some products, and the files that they read, to the file of a database, frees the
 * draft and changes the rows of the database accordingly. Each row must be one that the database has already; the
 * draft may use no text of it (`kept` is 0). ENT_NOT_FOUND: the file is not the one that was read, or there is no
 * room for its texts: then nothing was recorded. */
MUST_CHECK ent_status draft_append(DatabaseDraft* draft, Database* database, const char* out);

#endif
