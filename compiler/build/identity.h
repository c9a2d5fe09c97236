/* identity.h - all that decides about a build's bytes besides its sources, as text, a line for each
 * thing: what it holds, two builds must have in common to share results. */
#ifndef ENTC_IDENTITY_H
#define ENTC_IDENTITY_H

#include "assets.h"
#include "output.h"

/* Lines "what\tvalue": the program and its libraries by their build ids, every record's layout,
 * every option that reaches the bytes; at its end what the project declares. Nothing in it depends
 * on a path. Freed with free. */
char* identity_text(const Registry* registry, Target target, bool strip, Variant variant);

/* Calls `each` for the lines of one text that the other has not, or has with another value: ""
 * stands for none. */
void identity_compare(const char* before, const char*                                   now,
                      void (*each)(void* user, Text what, Text before, Text now), void* user);

#endif
