/* point_place.h - puts point masses whose position is not stated where their entity is, and warns of bodies that are to be in two places. */
#ifndef ENTC_POINT_PLACE_H
#define ENTC_POINT_PLACE_H

#include "compile_hooks.h"

extern const CompileHooks point_mass_compile_hooks;

#endif
