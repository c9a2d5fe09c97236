/* ledger.h - what the last build of an output folder read and wrote. For `out` it is
 * `.out.entc/ledger` beside it, so that the folder holds outputs and nothing else; or within, as
 * `.entc/ledger`, when nothing can be written beside it.
 *
 * It only saves work. One that is missing, damaged or of another kind is as good as none; one that
 * another build replaced meanwhile fits the files or does not, which their stamps and hashes tell.
 * Tables of fixed rows, indices into each other, and one text; read in place. */
#ifndef ENTC_LEDGER_H
#define ENTC_LEDGER_H

#include "file.h"
#include "hash.h"
#include "memory.h"
#include "resources.h"
#include "tree.h"

/* In place of a hash: a file that would be a source in another variant, and was not read. */
#define LEDGER_UNREAD ((Hash128){UINT64_MAX, UINT64_MAX})

/* A file of the source folder. */
typedef struct LedgerFile {
    u32       path; /* in the text; below the source folder */
    u32       spare;
    FileStamp stamp;
    Hash128   hash; /* of the content */
} LedgerFile;

/* Where something is named. */
typedef struct LedgerPlace {
    u32 file; /* or NONE */
    u32 line, column;
} LedgerPlace;

/* A source that a product is made of. */
typedef struct LedgerRead {
    u32         file;
    u32         name; /* in the text: the resource by whose name it was found; NONE: by its path */
    u32         type;
    LedgerPlace place;
    u64         bytes; /* that it brought into the blob */
} LedgerRead;

/* A resource that a product needs at runtime, and that has to exist; of type RESOURCE_NONE the path
 * of a file that a model names, which entc does not read. */
typedef struct LedgerNeed {
    u32         name; /* in the text */
    u32         type;
    LedgerPlace place;
} LedgerNeed;

typedef struct LedgerProduct {
    u32       name; /* in the text */
    u32       type;
    u32       file;                   /* its source */
    u32       first_read, read_count; /* the source itself comes first */
    u32       first_need, need_count;
    u32       why;    /* in the text: why it was compiled the last time */
    u32       map;    /* its source map, or NONE */
    u32       warned; /* 1: warnings were told of it, which the next build tells again */
    FileStamp stamp;  /* of the output */
    Hash128   hash;
} LedgerProduct;

typedef struct LedgerMap {
    FileStamp stamp;
    Hash128   hash;
} LedgerMap;

typedef struct LedgerHead {
    char    magic[8];
    u32     version, row_bytes; /* sum of the sizes of the rows */
    Hash128 hash;               /* of all that follows the hash */
    u64     scanned_ns;         /* a source that is not older was perhaps changed after a look */
    u64     written_ns;         /* the same for outputs */
    u32     file_count, read_count, need_count, product_count, map_count, text_bytes;
    u32     file_slots, product_slots; /* powers of two */
    u32     environment, boot;         /* in the text */
    u32     text_used; /* bytes of the text when it last had nothing in it without use */
    u32     spare;
} LedgerHead;

typedef struct Ledger {
    const LedgerHead*    head; /* NULL: there is none */
    const LedgerFile*    files;
    const LedgerRead*    reads;
    const LedgerNeed*    needs;
    const LedgerProduct* products;
    const LedgerMap*     maps;
    Slots                file_slots;    /* of the files, by path; only read */
    Slots                product_slots; /* of the products, by name and type; only read */
    const char*          text;
    FileView             view;
} Ledger;

/* A ledger that is damaged, or was written by another version, is passed over: then there is none.
 * Another status than ENT_OK, with errno: there may be one, and it could not be read. */
MUST_CHECK ent_status ledger_open(Ledger* ledger, const char* out);
void                  ledger_close(Ledger* ledger);

/* Bytes of text in a ledger that is read; a build that has more of it starts anew each time. */
#define LEDGER_TEXT_MAX (1u << 30)

/* Is every index, count, place and text in it one that may be used? In ledger_prove.c. */
bool ledger_prove(const Ledger* ledger);

/* How many slots the hash table of so many rows has. */
u32 ledger_slots(u32 count);

/* Removes what killed builds left beside the ledger. */
void ledger_sweep(const char* out);

/* Rows by path, and by name and type; NONE when there is none. */
u32 ledger_file(const Ledger* ledger, const char* path);
u32 ledger_product(const Ledger* ledger, Text name, ResourceType type);

static inline const char* ledger_text(const Ledger* ledger, u32 at) { return ledger->text + at; }

/* --- writing --- */

typedef struct LedgerDraft {
    const Ledger* before;
    u32           kept; /* bytes of its text that the new one begins with: all of it, or 0 */
    ARRAY(LedgerFile) files;
    ARRAY(LedgerRead) reads;
    ARRAY(LedgerNeed) needs;
    ARRAY(LedgerProduct) products;
    ARRAY(LedgerMap) maps;
    ARRAY(char) text; /* what comes behind those */
} LedgerDraft;

/* A draft that has room for so many products, mostly as `before` has them; that one may be none,
 * and has to stay open. */
void draft_begin(LedgerDraft* draft, const Ledger* before, u32 products);

u32 draft_text(LedgerDraft* draft, const char* text);

/* A text of the ledger before, that stands in its own at `at`. */
u32 draft_text_again(LedgerDraft* draft, u32 at);

static inline const char* draft_text_at(const LedgerDraft* draft, u32 at) {
    return at < draft->kept ? draft->before->text + at : draft->text.at + (at - draft->kept);
}

/* Writes it and forgets the draft. ENT_IO with errno. */
MUST_CHECK ent_status draft_write(LedgerDraft* draft, const char* out, const char* environment,
                                  u64 scanned_ns);

#endif
