/* emission_check.h - warns of emitters for which there is no room, and of emitters and sinks that belong to nothing. */
#ifndef ENTC_EMISSION_CHECK_H
#define ENTC_EMISSION_CHECK_H

#include "compile_hooks.h"

extern const CompileHooks emitter_compile_hooks, sink_compile_hooks;

#endif
