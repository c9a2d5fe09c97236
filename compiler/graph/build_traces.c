/* build_traces.c - the products that were compiled for one variant, with all their inputs: another variant that
 * selects the same inputs does not compile them again. */
#include "build_internal.h"

static u32* trace_slot(const Traces* t, u64 id) {
    u32* slot = slots_first(&t->slots, id);
    while (*slot && t->traces.at[*slot - 1].id != id) slot = slots_next(&t->slots, slot);
    return slot;
}

static bool trace_fits(const Build* b, const Trace* trace) {
    bool fits = trace->declarations == b->traces->declarations;
    for (u32 i = 0; i < trace->count && fits; i++) {
        const TraceRow* row = &trace->rows[i];
        const Text      name = text_of(row->name);
        const Asset*    asset = row->path ? assets_file(&b->assets, name, row->type) : NULL;
        fits = row->path ? asset && strcmp(asset->source.path, row->path) == 0
                         : product_find(b, name, row->type) != NULL;
    }
    return fits;
}

bool trace_holds(const Build* b, const Product* p) {
    const Traces* t = b->traces;
    if (!t->slots.count) return false;
    for (u32 at = *trace_slot(t, p->id); at; at = t->traces.at[at - 1].next) {
        if (trace_fits(b, &t->traces.at[at - 1])) return true;
    }
    return false;
}

static void traces_grow(Traces* t) {
    slots_grow(&t->slots, 1024);
    for (u32 i = 0; i < t->traces.count; i++) *trace_slot(t, t->traces.at[i].id) = i + 1;
}

static void trace_add(Traces* t, const Product* p) {
    const Compiled* compiled = p->compiled;
    Trace           trace = {.id = p->id, .declarations = t->declarations};
    trace.rows = ARENA_NEW(&t->arena, TraceRow, compiled->edge_count);
    for (u32 i = 0; i < compiled->edge_count; i++) {
        const Edge* e = &compiled->edges[i];
        if (e->type == RESOURCE_NONE || e->type >= RESOURCE_COUNT) continue;
        const char* path = e->need ? NULL : arena_text(&t->arena, text_of(e->asset->source.path));
        trace.rows[trace.count++] =
            (TraceRow){arena_text(&t->arena, text_of(e->name)), e->type, path};
    }
    if (slots_are_full(&t->slots, t->traces.count)) traces_grow(t);
    u32* slot = trace_slot(t, p->id);
    trace.next = *slot;
    *array_push(&t->traces) = trace;
    *slot = t->traces.count;
}

/* A product with errors has no edges, and is compiled in each variant. */
void traces_add(Traces* t, const Build* b) {
    for (u32 i = 0; i < b->products.count; i++) {
        const Product* p = &b->products.at[i];
        if (p->compiled && p->compiled->edge_count) trace_add(t, p);
    }
}

void traces_drop(Traces* t) {
    array_drop(&t->traces);
    slots_drop(&t->slots);
    arena_drop(&t->arena);
}
