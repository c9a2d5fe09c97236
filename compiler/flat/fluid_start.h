/* fluid_start.h - warns of fluids that begin where they cannot be: in a collider, or in another fluid. */
#ifndef ENTC_FLUID_START_H
#define ENTC_FLUID_START_H

#include "compile_hooks.h"

/* Of fluids that are boxes, and whose component is in the source of the resource. What follows a joint is left out. */
extern const CompileHooks fluid_compile_hooks;

#endif
