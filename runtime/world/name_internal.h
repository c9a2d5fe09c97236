/* name_internal.h - what the type `name` supplies to a world. */
#ifndef ENT_NAME_INTERNAL_H
#define ENT_NAME_INTERNAL_H

#include "hooks_internal.h"

extern const ComponentHooks name_hooks;

#endif
