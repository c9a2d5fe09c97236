/* id_table_internal.h - a hash table over the rows of a manager whose first column is an id of 32 bits, in
 * memory of the manager: Manager.list holds the first row of each bucket, extra columns the rows before
 * and behind a row. There are up to twice as many buckets as the capacity, so that the table grows with the rows and
 * needs memory only when they do. Any number of rows may have the same id: each enters, moves and
 * leaves in constant time. */
#ifndef ENT_ID_TABLE_INTERNAL_H
#define ENT_ID_TABLE_INTERNAL_H

#include "manager_internal.h"

/* Columns. A type with the table may have more columns from ID_MORE on. */
enum { ID_COLUMN, ID_NEXT, ID_PREVIOUS, ID_ENTERED, ID_MORE };

/* Adds the extra columns, and functions that keep the table: `spawn` stays that of the type. It needs hooks with
 * list_each 2. */
void id_table_describe(ManagerDesc* desc);

/* Enters the rows from `first` on, which a spawner has appended. */
void id_table_enter(Manager* manager, u32 first);

/* The id of a row was written. */
void id_table_changed(Manager* manager, u32 row);

/* Visits the rows with an id and all rows of the manager at the same time, so that whichever way is
 * shorter decides:
 *
 *     for (IdSearch s = id_search(m, id); id_search_next(&s);)
 *         if (is_wanted(s.at)) id_search_found(&s);
 *
 * s.found is then the first row that is wanted, or MANAGER_NO_ROW. */
typedef struct IdSearch {
    const Manager* manager;
    u32            id;
    u32            chained;  /* the next row of the bucket */
    u32            row;      /* the next of all rows */
    bool           in_order; /* `at` is one of all rows, not of the bucket */
    u32            at, found;
} IdSearch;

IdSearch id_search(const Manager* manager, u32 id);
bool     id_search_next(IdSearch* search);
void     id_search_found(IdSearch* search);

/* The first row with this id, or MANAGER_NO_ROW. */
u32 id_table_find(const Manager* manager, u32 id);

#endif
