/* rows.h - rows of the built-in types, over which systems iterate.
 *
 * EntXxxRows ent_xxx_rows(world): count, entity[], and record[] of a type that is an array of
 * structures, one array per field of one that is a structure of arrays. Valid until rows are added or
 * removed.
 *
 *     const EntLightRows lights = ent_light_rows(world);
 *     for (uint32_t i = 0; i < lights.count; i++) total += lights.record[i].intensity;
 *
 * Cost     a call and some loads.
 *
 * The installed header of this name is generated from the field tables by header_write.c. */
#ifndef ENT_ROWS_H
#define ENT_ROWS_H

#include "records.h"
#include "shared.h"
#include "world.h"

#define ROWS_COLUMN(R, Type, name, fallback, lo, hi, unit, argument, text) Type* name;
#define ROWS_ASSIGN(R, Type, name, fallback, lo, hi, unit, argument, text)                         \
    rows.name = (Type*)m->column[column++];

#define ROWS_BY_RECORD(name, Type, NAME)                                                           \
    typedef struct Ent##Type##Rows {                                                               \
        u32           count;                                                                       \
        const Entity* entity;                                                                      \
        Type##Record* record;                                                                      \
    } Ent##Type##Rows;                                                                             \
    typedef Ent##Type##Rows  Type##Rows;                                                           \
    static inline Type##Rows ent_##name##_rows(World* world) {                                     \
        EntManager* m = ent_world_built_in(world, COMPONENT_##NAME);                               \
        Type##Rows  rows = {m->count, m->entity, (Type##Record*)m->column[0]};                     \
        return rows;                                                                               \
    }

#define ROWS_BY_FIELD(name, Type, NAME)                                                            \
    typedef struct Ent##Type##Rows {                                                               \
        u32           count;                                                                       \
        const Entity* entity;                                                                      \
        NAME##_FIELDS(ROWS_COLUMN, 0)                                                              \
    } Ent##Type##Rows;                                                                             \
    typedef Ent##Type##Rows  Type##Rows;                                                           \
    static inline Type##Rows ent_##name##_rows(World* world) {                                     \
        EntManager* m = ent_world_built_in(world, COMPONENT_##NAME);                               \
        u32         column = 0;                                                                    \
        Type##Rows  rows;                                                                          \
        rows.count = m->count;                                                                     \
        rows.entity = m->entity;                                                                   \
        NAME##_FIELDS(ROWS_ASSIGN, 0) return rows;                                                 \
    }

#define ROWS(name, Type, NAME, order, several, columns, lookup) ROWS_##columns(name, Type, NAME)
COMPONENT_LIST(ROWS)
#undef ROWS

#endif
