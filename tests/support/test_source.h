/* test_source.h - sources of levels in memory: trees of named entities that are edited at random or
 * written by hand, and compiled. */
#ifndef TEST_SOURCE_H
#define TEST_SOURCE_H

#include "test_scene.h"

#define NODES_MAX   80
#define SEVERAL_MAX 3

typedef struct Node {
    u32  id;     /* the value of references to it */
    u32  parent; /* an earlier node, or NONE */
    char name[8];
    u32  count[ALL_TYPES];
    u8   record[ALL_TYPES][SEVERAL_MAX][RECORD_MAX];
} Node;

typedef struct Source {
    Node node[NODES_MAX]; /* [count] parents first */
    u32  count, next_id;
} Source;

typedef struct Compiled {
    Bytes bytes;
    Blob  blob;
} Compiled;

/* Type `t` of all_types, and the type of a given name. */
const ComponentType* type_of(u32 t);
u32                  type_index(const char* name);

u32 node_by_id(const Source* s, u32 id); /* or NONE */
u32 node_named(const Source* s, const char* name);

/* With random components, and a name that no sibling has, from a small set, so that cousins share
 * names. */
Node* node_add(Random* r, Source* s, u32 parent);

/* One more, with random fields; no effect when the node has the maximum. */
void instance_add(Random* r, const Source* s, Node* n, u32 t);

/* Another order of the same, parents first. */
void source_shuffle(Random* r, Source* s);

void source_random(Random* r, Source* s, u32 count);

/* One edit of any kind; at least one node is left, and siblings have different names. */
void source_edit(Random* r, Source* s);

/* "a(b c(d)) e": each word a name, each with a transform of integers. Valid for some calls. */
const Source* forest(const char* text);

/* A source as a scene; the caller closes it. */
void source_scene(Scene* scene, const Source* s, ResourceType resource, bool names);
/* Free c->bytes. */
void compile(Compiled* c, const Source* s);
void compile_as(Compiled* c, const Source* s, ResourceType resource, bool names);

#endif
