/* input_list.h - reads the list of inputs with which single resources are compiled without the rest of their folder.
 *
 * Each line is `file PATH`, a file below the source folder, `resource NAME.TYPE`, a resource that has to exist and is not
 * read, or `part NAME.TYPE`, such a resource in a model. The order of the lines is not significant. */
#ifndef ENTC_INPUT_LIST_H
#define ENTC_INPUT_LIST_H

#include "blob.h"
#include "file.h"
#include "memory.h"
#include "slots.h"
#include "source_text.h"
#include "tree.h"

#define INPUT_LIST_BYTES_MAX (1u << 30)

/* A line without its first word. */
typedef struct InputLine {
    Text         text;    /* the path, or the name of the resource */
    ResourceType type;    /* RESOURCE_NONE: it is a file */
    bool         is_part; /* it is a resource in a model, which no pattern matches */
    u32          offset;  /* of the line */
} InputLine;

typedef struct InputList {
    Source   source; /* path NULL: there is no list */
    FileView view;
    ARRAY(InputLine) lines;
    Slots slots; /* of the lines, by type and text */
} InputList;

/* Reads the list at `path`, and adds the files in it to `tree`, which tree_begin has created; none of them is opened.
 * Reports each invalid line. Returns ENT_OK also when there are some, or ENT_IO with errno: the list cannot be read. */
MUST_CHECK ent_status input_list_read(InputList* list, const char* path, Tree* tree,
                                      Diagnostics* diag);
void                  input_list_drop(InputList* list);

/* The line of a file, by its path below the source folder, or of a resource; NULL: there is none. */
const InputLine* input_list_file(const InputList* list, const char* path);
const InputLine* input_list_resource(const InputList* list, Text name, ResourceType type);

/* Can the path of a file be written to a list? */
bool input_list_can_have(const char* path);

#endif
