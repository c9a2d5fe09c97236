/* follow_host.h - what a host changed in a running world that was spawned from the level of a town, as a plain table; and what
 * is left of that when the sources change.
 *
 * A value that the sources change afterwards is not that of the host any more. What the host destroyed stays destroyed, with
 * what the sources add below it. */
#ifndef FOLLOW_HOST_H
#define FOLLOW_HOST_H

#include "follow_town.h"
#include "entity.h"

#define TOWN_CREATED_MAX 12

/* An entity that the host created, with an instance of health. */
typedef struct Created {
    Entity entity;
    bool   alive;
    u32    parent; /* an entity of the level, or NONE */
    u32    value[TOWN_FIELDS];
} Created;

typedef struct Host {
    bool    absent[TOWN_ENTITIES]; /* destroyed, or added by the sources below one that is absent */
    bool    removed[TOWN_ENTITIES][TOWN_PARTS];
    bool    marked[TOWN_ENTITIES]; /* received a marker */
    bool    set[TOWN_ENTITIES][TOWN_PARTS][TOWN_FIELDS];
    u32     value[TOWN_ENTITIES][TOWN_PARTS][TOWN_FIELDS];
    Created created[TOWN_CREATED_MAX];
    u32     created_count;
} Host;

/* The running world: a fresh start with the changes of the host. */
void town_run(const Flat* fresh, const Host* host, Flat* out);

/* Is it the same entity in both? */
bool town_same(const Flat* before, const Flat* after, u32 entity);

/* The world has followed the sources from one table to the other. */
void town_host_follow(Host* host, const Flat* before, const Flat* after);

#endif
