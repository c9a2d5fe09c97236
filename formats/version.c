/* version.c - the version that is linked. */
#include "version.h"

const char* ent_version(void) { return ENT_VERSION; }
