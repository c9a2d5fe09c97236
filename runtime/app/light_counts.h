/* light_counts.h - what the shadow maps of lights have cost: a printed table, and a CSV file. */
#ifndef ENTRUN_LIGHT_COUNTS_H
#define ENTRUN_LIGHT_COUNTS_H

#include <stdio.h>

#include "ent.h"
#include "shadow_counts.h"

#define LIGHT_COUNTS_SHOWN 20u

/* The names that the author of a level gave its entities. */
typedef struct EntityNames {
    const Blob*   blob;     /* NULL: they have none */
    const Entity* entities; /* [blob->header->element_count] as they were spawned */
} EntityNames;

typedef struct LightCounts {
    const EntShadowCounts* at; /* [count] */
    u32                    count;
} LightCounts;

/* The lights whose maps were redrawn most often, at most LIGHT_COUNTS_SHOWN. Nothing without lights. */
void light_counts_print(LightCounts lights, const EntityNames* names, FILE* out);

/* A line for each light; the first one names the columns. ENT_OK, ENT_IO with errno, ENT_NO_MEMORY. */
MUST_CHECK ent_status light_counts_write(LightCounts lights, const EntityNames* names,
                                         const char* path);

#endif
