/* fluid_start.h - warns of fluids that begin where they cannot be: in a collider, or in another fluid; and of those that do not meet. */
#ifndef ENTC_FLUID_START_H
#define ENTC_FLUID_START_H

#include "compile_hooks.h"

/* Of fluids that are boxes, and whose component is in the source of the resource. What follows a joint is left out. */
extern const CompileHooks fluid_compile_hooks;

/* How many particles the fluid of a row has at the start; negative: it is not known here. */
f64 fluid_start_count(const Compile* compile, Output* out, u32 row);

#endif
