/* blob_file.h - a blob that a command reads from a file: it may be of either byte order, and have component types that
 * its project declares. */
#ifndef ENTC_BLOB_FILE_H
#define ENTC_BLOB_FILE_H

#include "blob.h"
#include "file.h"
#include "memory.h"

/* Component types that the project of the blob declares. */
typedef struct FileTypes {
    Arena                 arena;
    const ComponentType** types;    /* those of the caller, followed by these */
    const char*           problem;  /* the reason why one was not found; or NULL */
    const char*           searched; /* the other places where it was not found; or NULL */
    BlobFault             stale;    /* one differs from that with which the blob was compiled; or
                                     * ENT_OK */
    const char*           unread;   /* path of one that exists and could not be read; or NULL */
    int                   unread_reason;
} FileTypes;

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

    BlobOptions known;      /* the types of the caller and of the project */
    FileTypes*  file_types; /* or NULL */
} BlobFile;

/* Reads the bytes; "-" is standard input. Returns an exit code, after reporting an error. */
int        blob_file_read(BlobFile* file, const char* path);
ent_status blob_file_validate(BlobFile* file, const BlobOptions* options);

/* The same without the types that the blob or its project declares. */
ent_status blob_file_validate_alone(BlobFile* file, const BlobOptions* options);
/* The rest of it, with these types, when it returned ENT_OK. One thread at a time. */
ent_status blob_file_validate_types(BlobFile* file, const BlobOptions* options);
/* Opens the declarations to which a validated blob refers. Returns true when types were added: then
 * the blob must be validated again. Missing ones are reported by file_types_report, in a note. */
bool file_types_find(BlobFile* file);
/* Returns an exit code, after a message, when a declaration exists and could not be read. */
int  file_types_read(const BlobFile* file);
void file_types_report(const BlobFile* file);
void file_types_drop(FileTypes* file_types);
/* Reports why the blob is invalid and returns the exit code; the same for any fault. */
int fault_report(const char* path, const BlobFault* fault);
int unreadable_report(const char* path, ent_status status); /* with errno */
int blob_file_report(const BlobFile* file, const char* path);
/* Reads, validates and reports; the file is closed when it does not return EXIT_OK. */
int blob_file_open(BlobFile* file, const char* path, const BlobOptions* options);
/* The rest of it, of a file for which blob_file_validate_alone returned ENT_OK. */
int         blob_file_open_types(BlobFile* file, const char* path, const BlobOptions* options);
void        blob_file_close(BlobFile* file);
const char* byte_order_text(bool other_order);

/* Returns the types of `options`: the built-in ones when it has none. */
u32                  known_type_count(const BlobOptions* options);
const ComponentType* known_type(const BlobOptions* options, u32 index);
const ComponentType* known_type_find(const BlobOptions* options, u32 identifier);

#endif
