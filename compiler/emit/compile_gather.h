/* compile_gather.h - which instances an entity has: the components of all of its layers, lowest first.
 * Of each instance, the values that are read into it. */
#ifndef ENTC_COMPILE_GATHER_H
#define ENTC_COMPILE_GATHER_H

#include "compile.h"
#include "flat.h"

/* One layer of one instance. */
typedef struct Piece {
    const DocComponent* component; /* NULL: an item of an array */
    const JsonToken*    value;     /* NULL: a record, or one that was read early */
    Asset*              asset;
    u32                 scope, offset, next;
    u32                 override; /* in the asset's doc, or NONE */
    u32                 item;     /* of a list in a component: Instance.item; or NONE */
} Piece;

typedef struct Gathered {
    u32  type;
    u32  first, last; /* pieces */
    bool removed;     /* replaced or removed by a higher layer */
} Gathered;

/* The instances of one entity; reused from entity to entity. */
typedef struct Gather {
    Compile* c;
    bool     report;                                               /* the first of two passes */
    u32      stamp[REGISTRY_TYPES_MAX], count[REGISTRY_TYPES_MAX]; /* of the current entity */
    ARRAY(Piece) pieces;
    ARRAY(Gathered) gathered;
} Gather;

/* Fills pieces and gathered with those of an entity. */
void gather_entity(Gather* gather, u32 entity);

#endif
