/* watch_internal.h - how the library reports changes of rows to the watches of a manager. */
#ifndef ENT_WATCH_INTERNAL_H
#define ENT_WATCH_INTERNAL_H

#include "base.h"
#include "manager_watch.h"

/* A row has other contents. Needs    watches, at least one. */
void watch_row(ManagerWatch* watches, u32 row);

/* Rows [first, end) have other contents. */
void watch_rows(ManagerWatch* watches, u32 first, u32 end);

/* Entities got, lost or changed rows. */
void watch_moves(ManagerWatch* watches);

#endif
