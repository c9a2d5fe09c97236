/* material_names.h - the names of materials that a mesh lists to replace them. */
#ifndef ENTC_MATERIAL_NAMES_H
#define ENTC_MATERIAL_NAMES_H

#include "compile_hooks.h"

extern const CompileHooks mesh_material_compile_hooks;

#endif
