/* test_characters.h - a spawned level of models that move: a walker with three clips, a worm with 257 bones, a
 * ball with morph targets, and a ball in the walker's hand. */
#ifndef TEST_CHARACTERS_H
#define TEST_CHARACTERS_H

#include "test.h"

#include "ent.h"

/* A folder with the compiled levels in "out": one, walker, worm, ball, torch, crowd. */
const char* characters_folder(void);

typedef struct Characters {
    Library library;
    World*  world;
    Skins*  skins;
} Characters;

void characters_open(Characters* characters, const char* level);
void characters_open_in(Characters* characters, const char* level, const WorldDesc* desc);
void characters_close(Characters* characters);

/* The entity in a row of skins. */
Entity characters_entity(const Characters* characters, u32 row);
/* The blob of a resource of the level. */
const Blob* characters_blob(const Characters* characters, const char* name, u32 type);

#endif
