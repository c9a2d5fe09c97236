/* version.c - the version of the linked library. */
#include "version.h"

const char* ent_version(void) { return ENT_VERSION; }
