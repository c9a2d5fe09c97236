/* inspect_text.h - what verify, info, dump, diff and annotate share: a buffered writer, a file that
 * may be of either byte order, the tables of a blob at hand, and the one function that turns the
 * words of a field into text. Private to inspect*.c, verify.c, info.c, dump.c, diff.c and
 * annotate.c. */
#ifndef ENTC_INSPECT_TEXT_H
#define ENTC_INSPECT_TEXT_H

#include "exit_codes.h"
#include "file.h"
#include "inspect.h"
#include "memory.h"
#include "sections.h"
#include "source_map.h"

/* --- writer --- */

typedef enum TextForm { TEXT_PLAIN, TEXT_JSON } TextForm;

/* Text on its way to a file. Begin it with writer_begin: `text` is too large to be cleared. */
typedef struct Writer {
    FILE*    file;
    TextForm form;
    u64      flushed; /* bytes that went to the file */
    u32      used;
    char     text[1u << 15];
} Writer;

void writer_begin(Writer* w, FILE* file, TextForm form);
/* Hands everything to the file. EXIT_OK, or EXIT_IO after saying that it could not be written. */
int writer_end(Writer* w);

void put_bytes(Writer* w, const char* text, size_t bytes);
void put(Writer* w, const char* text);
void put_u64(Writer* w, u64 value);
void put_hex(Writer* w, u64 value, u32 digits); /* 0x00ff; in JSON a string */
void put_f32(Writer* w, f32 value);             /* the shortest that reads back */
void put_format(Writer* w, const char* format, ...) PRINTF_LIKE(2, 3); /* up to 1023 bytes */
void put_column(Writer* w, u64 line_start, u32 column); /* spaces up to there, one at least */
static inline u64 writer_at(const Writer* w) { return w->flushed + w->used; }

/* What a name may hold and a line may not becomes \x2f, so that no two names look alike; names of
 * the house never need it. `slash` lets '/' stand: in resource names and file paths. */
void put_name(Writer* w, const char* name, bool slash);

/* --- files --- */

/* Component types that the blob's own project declares. */
typedef struct OwnTypes {
    Arena                 arena;
    const ComponentType** types;    /* those of the caller, and then these */
    const char*           problem;  /* why one was not found; or NULL */
    const char*           searched; /* where else it was not found; or NULL */
    BlobFault             stale;    /* one is another than the blob was compiled with; or ENT_OK */
    const char*           unread;   /* path of one that exists and could not be read; or NULL */
    int                   unread_why;
} OwnTypes;

typedef struct BlobFile {
    const char* path;        /* as the user typed it */
    const u8*   bytes;       /* [size] as the file has them */
    size_t      size;        /* */
    FileView    view;        /* of a file */
    u8*         copy;        /* of standard input */
    u8*         swapped;     /* of a blob in the other byte order */
    bool        other_order; /* */
    Blob        blob;        /* in this machine's order; good after blob_file_prove said ENT_OK */
    BlobFault   fault;       /* when it did not */
    /* Opens a declaration that the blob refers to; NULL: from the output folder that it lies in. */
    bool (*declaration)(void* user, const char* name, struct BlobFile* out);
    void* user;

    BlobOptions known; /* the caller's types and the project's own: what the blob's instances are */
    OwnTypes*   own;   /* or NULL */
} BlobFile;

/* Reads the bytes; "-" is standard input. Returns an exit code, after telling what is wrong. */
int        blob_file_read(BlobFile* file, const char* path);
ent_status blob_file_prove(BlobFile* file, const BlobOptions* options);
/* Opens the declarations that a proved blob refers to. True when types became known: then the blob
 * has to be proved again. What is missing is
 * told by own_types_tell, in a note. */
bool own_types_find(BlobFile* file);
/* An exit code, after a message: a declaration exists and could not be read. */
int  own_types_read(const BlobFile* file);
void own_types_tell(const BlobFile* file);
void own_types_drop(OwnTypes* own);
/* Tells why the blob was refused and returns the exit code of it; the same about any fault. */
int fault_tell(const char* path, const BlobFault* fault);
int blob_file_tell(const BlobFile* file, const char* path);
/* Reads, proves and tells; the file is closed when it does not return EXIT_OK. */
int         blob_file_open(BlobFile* file, const char* path, const BlobOptions* options);
void        blob_file_close(BlobFile* file);
const char* byte_order_text(bool other_order);

/* Paths of the files below a folder whose suffix is a resource type, relative to it, sorted. What
 * has such a name and is no regular file, and a link to a folder, which may hold such files, are
 * errors: no resource is left out without a message. */
typedef struct PathList {
    Arena arena;
    ARRAY(const char*) paths;
} PathList;
int  paths_collect(PathList* list, const char* folder);
void paths_drop(PathList* list);

/* Exit code of `diff` and `conform` where a file cannot be compared: 1 means that two differ. */
static inline int uncompared(int code) { return code == EXIT_LIMIT ? EXIT_LIMIT : EXIT_IO; }

/* Calls for every one of them with its whole path; the worst exit code wins. */
int paths_each(const char* folder, int (*visit)(void* user, const char* path), void* user);

/* --- blobs --- */

/* The instances of a component type that is known. */
typedef struct Instances {
    const ComponentType* type;
    const BlobSection*   section;
    const u32*           owner;                         /* [section->count] rising */
    const u8*            column[COMPONENT_COLUMNS_MAX]; /* one per field, or [0] only */
} Instances;

typedef struct NameTable NameTable;

/* Where everything stands in a blob that is open; arrays are NULL when it has none. */
typedef struct BlobTables {
    const Blob*            blob;
    u32                    count;           /* of elements */
    const u32*             parent;          /* [count] */
    const u32*             name_offset;     /* [count] into names */
    const char*            names;           /* */
    const ReferenceRecord* reference;       /* [reference_count] ids rising */
    u32                    reference_count; /* */
    const char*            reference_names; /* */
    const char*            texts;           /* of a declaration */
    Groups                 groups;          /* */
    Instances*             component;       /* [component_count] in the blob's order */
    u32                    component_count; /* */
    NameTable*             ids;             /* names and entities by their ids */
} BlobTables;

BlobTables tables_open(const Blob* blob, const BlobOptions* options);
void       tables_close(BlobTables* tables);

NameTable* names_create(void);
void       names_destroy(NameTable* names);
/* The name in the blob that has this id, or NULL. */
const char* name_find(const BlobTables* tables, u32 id);
/* The entity of the blob that has this persistent id, or NONE. */
u32 persistent_find(const BlobTables* tables, u32 id);

/* The types that `options` stands for: built-in ones when it names none. */
u32                  known_type_count(const BlobOptions* options);
const ComponentType* known_type(const BlobOptions* options, u32 index);
const ComponentType* known_type_find(const BlobOptions* options, u32 identifier);

static inline const u8* instance_field(const Instances* c, u32 row, u32 field) {
    const Field* f = &c->type->record.fields[field];
    if (c->type->columns == BY_FIELD) return c->column[field] + (size_t)row * f->bytes;
    return c->column[0] + (size_t)row * c->type->record.bytes + f->offset;
}

/* "" when it has none. */
const char* element_name(const BlobTables* tables, u32 index);
/* "entities", "vertices", ..: what element_count counts in a resource of this type. */
const char* element_noun(u32 resource_type, u64 count);

/* "house_3/lamp"; an entity without a name is "#12". Shows PATH_LEVELS_MAX names at most and then
 * begins with the number of the next one. Without quotes. */
#define PATH_LEVELS_MAX 64
void put_path(Writer* w, const BlobTables* tables, u32 entity);
/* The group of an entity: `cellar`, or its id when names were stripped; the base is `(base)`. In
 * JSON a string or null. */
void put_group(Writer* w, const BlobTables* tables, u32 group);
/* How many entities each of them has, if there are any. */
void groups_print(const Blob* blob);
/* "props/lamp.mesh" when the table says so and the id is the hash of it, else the id. */
void put_resource(Writer* w, const BlobTables* tables, ResourceRef ref);
/* A line of text in quotes, as JSON writes it. */
void put_text(Writer* w, const char* text);
/* THE text of a field's words. `tables` may be NULL: then links stay numbers. */
void put_field(Writer* w, const BlobTables* tables, const Field* field, const void* words);

/* --- sources --- */

/* The source map beside a blob that was read; false: there is none that could be used. */
bool sources_open(SourceMap* map, const BlobFile* file);

/* "props/lamp.entity.json:7:40"; in JSON an object. */
void put_place(Writer* w, const SourceMap* map, const SourcePlace* place);
/* Behind it the prefabs that led there: ` in the prefab "props/lamp" instanced at
 * FILE:LINE:COLUMN`, and so on outwards. */
void put_chain(Writer* w, const SourceMap* map, SourcePlace place);

/* Tells, of a blob that was refused, where what is wrong in it came from, when that is known. */
void sources_tell_fault(const BlobFile* file, const BlobOptions* options);

/* Is it a source map, by its name? Then: is it whole, and that of the blob beside it? */
bool sources_named(const char* path);
int  sources_verify(const char* path, bool quiet);

/* Every byte range of a file, explained; of a refused one as far as it makes sense. */
int annotate_file(Writer* w, const BlobFile* file, bool good);

#endif
