/* persistent_internal.h - what the type `persistent_id` supplies to a world. */
#ifndef ENT_PERSISTENT_INTERNAL_H
#define ENT_PERSISTENT_INTERNAL_H

#include "hooks_internal.h"

extern const ComponentHooks persistent_id_hooks;

#endif
