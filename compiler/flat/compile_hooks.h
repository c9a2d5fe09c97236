/* compile_hooks.h - what a built-in component type does while an entity or a level is compiled,
 * beyond reading its fields and checking its rule.
 *
 * compile_entity.c names no type: it calls what the type supplies. Zero means: nothing special. */
#ifndef ENTC_COMPILE_HOOKS_H
#define ENTC_COMPILE_HOOKS_H

#include "compile.h"
#include "output.h"

typedef struct CompileHooks {
    /* A layer of an entity was read: in->given_here says which fields it gave. Layers of one entity
     * are read one after the other. */
    void (*layer)(Compile* compile, const Instance* in, u32 entity);

    /* All instances of all types are written. Called once, by one thread, also where the resource
     * has no instance of the type. */
    void (*finish)(Compile* compile, Output* out);
} CompileHooks;

/* The hooks of a type; of one that has none, or is not built in, those that do nothing. */
const CompileHooks* compile_hooks_of(const ComponentType* type);

/* Calls `finish` of all types. */
void compile_hooks_finish(Compile* compile, Output* out);

#endif
