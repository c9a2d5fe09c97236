/* follow_town.h - the sources of a small project as a plain model, which is edited at random and written as files; and what a
 * fresh start of its level contains, as a plain table.
 *
 *     Town town;
 *     Flat  flat;
 *     town_begin(&town, seed);
 *     town_edit(&town, TOWN_RENAME);
 *     town_write(&town, folder);
 *     town_flatten(&town, &flat);
 *
 * A name is never used again: what has the same name is the same entity or field, unless its parent was replaced. */
#ifndef FOLLOW_TOWN_H
#define FOLLOW_TOWN_H

#include "test_worlds_support.h"

#define TOWN_NODES     16
#define TOWN_ENTITIES  (2 * TOWN_NODES) /* node i, and behind all nodes the child of its prefab */
#define TOWN_FIELDS    8                /* of a component */
#define TOWN_PREFABS   3                /* the last one is a model */
#define TOWN_CHILD     1000             /* refers to the child of the same prefab */
#define TOWN_MATERIALS 2

/* A value is a number, whatever the type of its field is. */
typedef enum TownKind {
    TOWN_U32,
    TOWN_F32,
    TOWN_BOOL,
    TOWN_ENUM,
    TOWN_TEXT,
    TOWN_MATERIAL, /* 0: none */
    TOWN_ENTITY,   /* 0: none; or 1 + index of the entity */
    TOWN_DECLARED, /* the kinds above are those of declarations */
    TOWN_POSITION = TOWN_DECLARED,
    TOWN_NUMBER, /* of 32 bits, without a fraction */
    TOWN_MESH
} TownKind;

/* Components; of tag, an entity may have two. The sources have no marker. */
typedef enum TownPart {
    TOWN_TRANSFORM,
    TOWN_LIGHT,
    TOWN_MESHES,
    TOWN_HEALTH,
    TOWN_TAG,
    TOWN_TAG_2,
    TOWN_MARKER,
    TOWN_PARTS
} TownPart;

typedef struct TownField {
    u32  serial; /* 0: does not exist */
    u32  kind, fallback;
    char name[16];
    char former[64]; /* "\"n7\", \"n3\"": its older names */
} TownField;

typedef struct TownLayer {
    bool has[TOWN_PARTS];
    bool set[TOWN_PARTS][TOWN_FIELDS];
    u32  value[TOWN_PARTS][TOWN_FIELDS];
} TownLayer;

typedef struct TownNode {
    bool      exists;
    u32       name, parent, prefab; /* a node, a prefab; or NONE */
    TownLayer layer, child;         /* child: what it overrides in the child of its prefab */
} TownNode;

typedef struct TownPrefab {
    u32       child_name;
    TownLayer root, child;
} TownPrefab;

typedef struct Town {
    Random     random;
    u32        next; /* name or serial */
    TownField  field[TOWN_PARTS][TOWN_FIELDS];
    TownNode   node[TOWN_NODES];
    TownPrefab prefab[TOWN_PREFABS];
    bool avoided[TOWN_NODES]; /* the running world lacks these: no node becomes a child of them */
    u32  moods, first_mood;   /* the texts of all enums, and their order */
    u32  roughness[TOWN_MATERIALS], shade, width, lods, notes;
} Town;

/* All kinds of edits. */
#define TOWN_EDITS(X)                                                                              \
    X(VALUE, "a value of a node")                                                                  \
    X(OVERRIDE, "a value of the child of a node's prefab")                                         \
    X(PREFAB, "a value of a prefab")                                                               \
    X(PART, "a component of a node, added or removed")                                             \
    X(PREFAB_PART, "a component of a prefab, added or removed")                                    \
    X(ADD, "an added node")                                                                        \
    X(REMOVE, "a removed node")                                                                    \
    X(RENAME, "a renamed node")                                                                    \
    X(MOVE, "a node with another parent")                                                          \
    X(CHILD, "the renamed child of a prefab")                                                      \
    X(SWAP, "a node with another prefab")                                                          \
    X(FIELD, "an added field of a declaration")                                                    \
    X(FIELD_REMOVE, "a removed field of a declaration")                                            \
    X(FIELD_RENAME, "a renamed field of a declaration")                                            \
    X(FALLBACK, "another default of a declaration")                                                \
    X(MOOD, "another order of the texts of enums")                                                 \
    X(PAINT, "a material")                                                                         \
    X(IMAGE, "an image")                                                                           \
    X(MODEL, "the vertices of a model")                                                            \
    X(LODS, "the settings of a model")                                                             \
    X(SETTINGS, "the settings of the project")

#define TOWN_EDIT_KIND(name, text) TOWN_EDIT_##name,
typedef enum TownEditKind { TOWN_EDITS(TOWN_EDIT_KIND) TOWN_EDIT_COUNT } TownEditKind;

extern const char* const town_edit_texts[TOWN_EDIT_COUNT];

/* --- what a fresh start contains --- */

typedef struct FlatEntity {
    bool exists;
    u32  name, parent; /* parent: an entity, or NONE */
    bool has[TOWN_PARTS];
    u32  value[TOWN_PARTS][TOWN_FIELDS];
} FlatEntity;

typedef struct Flat {
    FlatEntity entity[TOWN_ENTITIES];
    TownField  field[TOWN_PARTS][TOWN_FIELDS];
    u32        moods;
} Flat;

void town_begin(Town* town, u64 seed);
void town_edit(Town* town, TownEditKind kind);
/* Below "src" in the folder. */
void town_write(const Town* town, const char* folder);
/* Writes what is no valid source over one of these files. */
void town_spoil(Town* town, const char* folder);
void town_flatten(const Town* town, Flat* flat);

/* Another value for a field, which may be the same one. ENTITY: an existing entity of the table. */
u32 town_value(Random* random, const Flat* flat, u32 kind);

const char* town_part_name(u32 part);
/* "e3/c7" */
void town_path(const Flat* flat, u32 entity, char path[static 128]);

#endif
