/* reload.h - updates a spawned level when its folder is built again. */
#ifndef ENTRUN_RELOAD_H
#define ENTRUN_RELOAD_H

#include "base.h"
#include "ent.h"
#include "frames.h"

typedef struct Reload {
    const char* folder;  /* as `entc build` writes it, or a bundle */
    const char* level;   /* without its type */
    bool        verbose; /* prints each difference in a line */
    bool        strict;  /* rejects a level with component types that are not in the world */
    World*      world;   /* */
    Library*    library; /* in which the level is open */
    const Blob* blob;    /* the level */
    Entity*
        entities; /* [blob->header->element_count] from malloc, as spawned; of a mesh not used */
    FramesOpen* pictures; /* draws the picture again after each change; NULL: there is none */
    const char* png;      /* its file */
} Reload;

/* Follows the builds of the folder and patches the world whenever the level has changed. Prints to
 * stdout, each line without buffering:
 *
 *     watching out/levels/town.level                     changes are detected from here on
 *     reloaded: 2 added, 1 removed, 0 re-parented, 3 changed, 0.21 ms
 *     read: 2 resources, 0.30 ms                         other than the level
 *     not reloaded: "out/levels/town.level": the blob ends before the end of its data
 *     drawn: town.png, 41.30 ms                          with a picture, after each change
 *     not drawn: "town.png" cannot be written: No space left on device
 *
 * The counts are numbers of entities, except the last, which counts changed fields and instances
 * that were added to or removed from entities. Verbose output precedes it, in the format of
 * `entc diff`:
 *
 *     + entity square/lamp_2
 *     - entity square/lamp
 *     > entity square/sign: is house_2/sign
 *     ~ square: transform.position: 0 0 0 -> 4 0 0
 *     + square: light[1]
 *
 * and of other resources: ~ textures/wood.texture when it was replaced, + one that is new, - one that was removed.
 * Instances of component types that are declared in another way are converted, and types that are new are registered.
 * Replaces entities. A folder that is removed is a problem that is reported like any other: the world stays, and
 * follows it when it exists again. Ends with EXIT_OK on SIGINT, SIGTERM and SIGHUP; with EXIT_IO when
 * stdout cannot be written; with EXIT_DEVICE when the device is lost. */
int reload_watch(Reload* reload);

#endif
