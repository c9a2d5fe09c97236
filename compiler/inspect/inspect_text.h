/* inspect_text.h - what verify, info, dump, diff and annotate share: a buffered writer, and the only
 * function that converts the words of a field to text. Private to inspect*.c, verify.c, info.c, dump.c, diff.c and
 * annotate.c. */
#ifndef ENTC_INSPECT_TEXT_H
#define ENTC_INSPECT_TEXT_H

#include "blob_folder.h"
#include "blob_tables.h"
#include "exit_codes.h"
#include "inspect.h"
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

/* --- blobs --- */

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
