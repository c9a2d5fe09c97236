/* inspect_text.h - what verify, info, dump, diff and annotate share: a buffered writer, a file that
 * may be of either byte order, the tables of a blob, and the only function that converts the words
 * of a field to text. Private to inspect*.c, verify.c, info.c, dump.c, diff.c and annotate.c. */
#ifndef ENTC_INSPECT_TEXT_H
#define ENTC_INSPECT_TEXT_H

#include "exit_codes.h"
#include "file.h"
#include "inspect.h"
#include "memory.h"
#include "sections.h"
#include "map_file.h"

/* --- writer --- */

typedef enum TextForm { TEXT_PLAIN, TEXT_JSON } TextForm;

/* Buffered text for a file. Initialise it with writer_begin: `text` is too large to be cleared. */
typedef struct Writer {
    FILE*    file;
    TextForm form;
    u64      flushed; /* bytes that were written to the file */
    u32      used;
    char     text[1u << 15];
} Writer;

void writer_begin(Writer* w, FILE* file, TextForm form);
/* Writes everything to the file. Returns EXIT_OK, or EXIT_IO after reporting that it could not be
 * written. */
int writer_end(Writer* w);

void put_bytes(Writer* w, const char* text, size_t bytes);
void put(Writer* w, const char* text);
void put_u64(Writer* w, u64 value);
void put_hex(Writer* w, u64 value, u32 digits); /* 0x00ff; in JSON a string */
void put_f32(Writer* w, f32 value);             /* the shortest that reads back */
void put_format(Writer* w, const char* format, ...) PRINTF_LIKE(2, 3); /* up to 1023 bytes */
void put_column(Writer* w, u64 line_start, u32 column); /* spaces up to there, one at least */
static inline u64 writer_at(const Writer* w) { return w->flushed + w->used; }

/* Characters that are valid in a name but not in a line become \x2f, so that different names remain
 * different; names that entc accepts never need this. `slash` keeps '/': for resource names and
 * file paths. */
void put_name(Writer* w, const char* name, bool slash);

/* --- files --- */

/* Component types that the project of the blob declares. */
typedef struct OwnTypes {
    Arena                 arena;
    const ComponentType** types;    /* those of the caller, followed by these */
    const char*           problem;  /* the reason why one was not found; or NULL */
    const char*           searched; /* the other places where it was not found; or NULL */
    BlobFault             stale;    /* one differs from that with which the blob was compiled; or
                                     * ENT_OK */
    const char*           unread;   /* path of one that exists and could not be read; or NULL */
    int                   unread_why;
} OwnTypes;

typedef struct BlobFile {
    const char* path;        /* as the user specified it */
    const u8*   bytes;       /* [size] as they are in the file */
    size_t      size;        /* */
    FileView    view;        /* of a file */
    u8*         copy;        /* of standard input */
    u8*         swapped;     /* of a blob in the other byte order */
    bool        other_order; /* */
    Blob        blob;        /* in the byte order of this machine; valid after blob_file_validate
                              * returned ENT_OK */
    BlobFault   fault;       /* the error when it did not */
    /* Opens a declaration to which the blob refers; NULL: from the output folder that contains
     * it. */
    bool (*declaration)(void* user, const char* name, struct BlobFile* out);
    void* user;

    BlobOptions known; /* the types of the caller and of the project */
    OwnTypes*   own;   /* or NULL */
} BlobFile;

/* Reads the bytes; "-" is standard input. Returns an exit code, after reporting an error. */
int        blob_file_read(BlobFile* file, const char* path);
ent_status blob_file_validate(BlobFile* file, const BlobOptions* options);

/* The same without the types that the blob or its project declares. */
ent_status blob_file_validate_alone(BlobFile* file, const BlobOptions* options);
/* Opens the declarations to which a validated blob refers. Returns true when types were added: then
 * the blob must be validated again. Missing ones are reported by own_types_report, in a note. */
bool own_types_find(BlobFile* file);
/* Returns an exit code, after a message, when a declaration exists and could not be read. */
int  own_types_read(const BlobFile* file);
void own_types_report(const BlobFile* file);
void own_types_drop(OwnTypes* own);
/* Reports why the blob is invalid and returns the exit code; the same for any fault. */
int fault_report(const char* path, const BlobFault* fault);
int unreadable_report(const char* path, ent_status status); /* with errno */
int blob_file_report(const BlobFile* file, const char* path);
/* Reads, validates and reports; the file is closed when it does not return EXIT_OK. */
int         blob_file_open(BlobFile* file, const char* path, const BlobOptions* options);
void        blob_file_close(BlobFile* file);
const char* byte_order_text(bool other_order);

/* Collects the sorted relative paths of the files in a folder with the suffix of a resource type.
 * An entry with such a name that is not a regular file, and a symbolic link to a folder, which may
 * contain such files, are errors: no resource is omitted without a message. */
typedef struct PathList {
    Arena arena;
    ARRAY(const char*) paths;
} PathList;
int  paths_collect(PathList* list, const char* folder);
void paths_drop(PathList* list);

/* Exit code of `diff` and `conform` where a file cannot be compared: 1 means that two differ. */
static inline int uncompared(int code) { return code == EXIT_LIMIT ? EXIT_LIMIT : EXIT_IO; }

/* Calls the function for every one of them with its complete path; returns the worst exit code. */
int paths_each(const char* folder, int (*visit)(void* user, const char* path), void* user);

/* --- blobs --- */

/* The instances of a component type that is known. */
typedef struct Instances {
    const ComponentType* type;
    const BlobSection*   section;
    const u32*           owner;                         /* [section->count] ascending */
    const u8*            column[COMPONENT_COLUMNS_MAX]; /* one per field, or [0] only */
} Instances;

typedef struct NameTable NameTable;

/* The parts of an open blob; arrays are NULL when it has none. */
typedef struct BlobTables {
    const Blob*            blob;
    u32                    count;           /* of elements */
    const u32*             parent;          /* [count] */
    const u32*             name_offset;     /* [count] into names */
    const char*            names;           /* */
    const ReferenceRecord* reference;       /* [reference_count] ids ascending */
    u32                    reference_count; /* */
    const char*            reference_names; /* */
    const char*            texts;           /* of declarations */
    const char*            strings;         /* of text fields */
    Groups                 groups;          /* */
    Instances*             component;       /* [component_count] in the order of the blob */
    u32                    component_count; /* */
    NameTable*             ids;             /* names and entities by their ids */
} BlobTables;

BlobTables tables_open(const Blob* blob, const BlobOptions* options);
void       tables_close(BlobTables* tables);

/* The text section that the field is an offset into; NULL when it is no such field, or there is
 * none. */
const char* tables_texts(const BlobTables* tables, const Field* field);

NameTable* names_create(void);
void       names_destroy(NameTable* names);
/* Returns the name in the blob that has this id, or NULL. */
const char* name_find(const BlobTables* tables, u32 id);
/* Returns the entity of the blob that has this persistent id, or NONE. */
u32 persistent_find(const BlobTables* tables, u32 id);

/* Returns the types of `options`: the built-in ones when it has none. */
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
/* Prints the number of entities of each group, if there are groups. */
void groups_print(const Blob* blob);
/* The same as the array "groups" of JSON; the name of the base is null. */
struct Pretty;
void groups_json(struct Pretty* w, const Blob* blob);
/* "props/lamp.mesh" when the table says so and the id is the hash of it, else the id. */
void put_resource(Writer* w, const BlobTables* tables, ResourceRef ref);
/* A line of text in quotes, as JSON writes it. */
void put_text(Writer* w, const char* text);
/* Writes the text of a field. `tables` may be NULL: then references remain numbers. */
void put_field(Writer* w, const BlobTables* tables, const Field* field, const void* words);

/* --- sources --- */

/* Reads the source map beside a blob; returns false when there is no usable one. */
bool sources_open(SourceMap* map, const BlobFile* file);

/* "props/lamp.entity.json:7:40"; in JSON an object. */
void put_place(Writer* w, const SourceMap* map, const SourcePlace* place);
/* Then the prefabs through which it was reached: ` in the prefab "props/lamp" instanced at
 * FILE:LINE:COLUMN`, and so on outwards. */
void put_chain(Writer* w, const SourceMap* map, SourcePlace place);

/* Reports the source position of the error in an invalid blob, if it is known. */
void sources_report_fault(const BlobFile* file, const BlobOptions* options);

/* Is it a source map, by its name? Then checks that it is complete and belongs to the blob beside
 * it. */
bool sources_named(const char* path);
int  sources_verify(const char* path, bool quiet);

/* Describes every byte range of a file; of an invalid one as far as possible. */
int annotate_file(Writer* w, const BlobFile* file, bool is_valid);

/* Writes only the row that contains the byte at an offset. */
int annotate_byte(Writer* w, const BlobFile* file, bool is_valid, u64 offset);

#endif
