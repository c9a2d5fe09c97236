/* lights_lists.h - lists of the elements of tiles, as LightsSettings.method: measurements compare bits with them. */
#ifndef ENT_LIGHTS_LISTS_H
#define ENT_LIGHTS_LISTS_H

#include "lights.h"

extern const LightsMethod lights_lists;

#endif
