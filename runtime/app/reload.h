/* reload.h - a spawned level that follows the files of its folder. */
#ifndef ENTRUN_RELOAD_H
#define ENTRUN_RELOAD_H

#include "base.h"
#include "ent.h"

typedef struct Reload {
    const char* folder;   /* as `entc build` writes it */
    const char* level;    /* without its type */
    bool        verbose;  /* each difference in a line of its own */
    bool        strict;   /* a level with component types that the world does not know is refused */
    World*      world;    /* */
    Library*    library;  /* in which the level is open */
    const Blob* blob;     /* the level */
    Entity*     entities; /* [blob->header->element_count] from malloc, as spawned */
} Reload;

/* Waits for changes of the folder and patches the world whenever the level is another one. On
 * stdout, each line at once:
 *
 *     watching out/levels/town.level                     changes are seen from here on
 *     reloaded: 2 added, 1 removed, 0 re-parented, 3 changed, 0.21 ms
 *     not reloaded: "out/levels/town.level": the blob ends before its data does
 *
 * The counts are of entities, but the last, which is of fields and of instances that entities
 * gained or lost. Verbose, before it, as `entc diff` tells them:
 *
 *     + entity square/lamp_2
 *     - entity square/lamp
 *     > entity square/sign: is house_2/sign
 *     ~ square: transform.position: 0 0 0 -> 4 0 0
 *     + square: light[1]
 *
 * Replaces library, blob and entities. Ends with EXIT_OK on SIGINT, SIGTERM and SIGHUP; with
 * EXIT_IO when the folder went or nobody reads. */
int reload_watch(Reload* reload);

#endif
