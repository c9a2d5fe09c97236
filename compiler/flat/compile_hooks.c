/* compile_hooks.c - which built-in types have hooks that run when they are compiled. */
#include "compile_hooks.h"

#include "emission_check.h"
#include "fluid_start.h"
#include "material_names.h"
#include "persistent.h"
#include "point_place.h"

static const CompileHooks nothing;

static const CompileHooks* const built_in_hooks[COMPONENT_COUNT] = {
    [COMPONENT_PERSISTENT_ID] = &persistent_id_compile_hooks,
    [COMPONENT_POINT_MASS] = &point_mass_compile_hooks,
    [COMPONENT_FLUID] = &fluid_compile_hooks,
    [COMPONENT_MESH_MATERIAL] = &mesh_material_compile_hooks,
    [COMPONENT_EMITTER] = &emitter_compile_hooks,
    [COMPONENT_SINK] = &sink_compile_hooks,
};

const CompileHooks* compile_hooks_of(const ComponentType* type) {
    const ComponentType* built_in = ent_component_types();
    for (u32 i = 0; i < COMPONENT_COUNT; i++) {
        if (built_in[i].id == type->id && built_in_hooks[i]) return built_in_hooks[i];
    }
    return &nothing;
}

void compile_hooks_finish(Compile* c, Output* out) {
    for (u32 i = 0; i < COMPONENT_COUNT; i++) {
        if (built_in_hooks[i] && built_in_hooks[i]->finish) built_in_hooks[i]->finish(c, out);
    }
}
