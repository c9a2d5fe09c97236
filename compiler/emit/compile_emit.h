/* compile_emit.h - reads the layers of instances into records, and writes these to the blob: each value
 * once, to its final address. */
#ifndef ENTC_COMPILE_EMIT_H
#define ENTC_COMPILE_EMIT_H

#include "compile_gather.h"
#include "compile_hooks.h"

typedef struct EmitColumn {
    u8* to;
    u32 bytes, offset; /* of a value, and in a record */
} EmitColumn;

/* A type that has instances. */
typedef struct EmitType {
    const ComponentCompiler* compiler;
    const u8*                defaults;
    const CompileHooks*      hooks;
    Instance                 instance; /* the one that is being read */
    u32*                     owners; /* NULL: the blob is too large; only diagnostics are needed */
    u32                      column_count;
    EmitColumn               column[COMPONENT_COLUMNS_MAX];
} EmitType;

typedef struct Emit {
    Compile*              c;
    Output*               out;
    struct KnownResource* known; /* names of resources that were resolved; NULL: none */
    JsonTokens            again; /* of a component that was read early, when its text is needed */
    u32                   row[REGISTRY_TYPES_MAX];  /* the next one of each type */
    EmitType*             type[REGISTRY_TYPES_MAX]; /* NULL: no instances */
} Emit;

/* Prepares the types of which there are instances, after their sections were added to the blob. */
void emit_begin(Emit* emit, const u32* instances);

void emit_end(Emit* emit);

/* Writes an instance of an entity to the next row of its type. */
void emit_instance(Emit* emit, const Gather* gather, const Gathered* gathered, u32 entity);

/* The same for a component of a node that is the only layer of its entity. */
void emit_only_layer(Emit* emit, Asset* asset, const DocComponent* component, u32 scope,
                     u32 entity);

#endif
