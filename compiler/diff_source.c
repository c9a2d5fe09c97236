/* diff_source.c - where in the sources a difference stands. */
#include "diff_internal.h"

/* Where one side of a change stands in the sources. */
static bool change_place(const Diff* d, const Change* c, bool in_b, SourcePlace* place) {
    const Side*     side = in_b ? &d->b : &d->a;
    const RowField* row = in_b ? &c->row_b : &c->row_a;
    u32             entity = c->entity;
    if (!side->map.text || c->sign == (in_b ? '-' : '+')) return false;
    if (row->component)
        return source_map_field(&side->map, row->component, row->row, row->field, place);
    if (c->side && c->side != side) entity = d->match[entity];
    if (c->side) return source_map_entity(&side->map, entity, place);
    *place = side->map.source;
    return c->field != NULL;
}

static bool place_equal(const Diff* d, const SourcePlace* a, const SourcePlace* b) {
    return a->line == b->line && a->column == b->column &&
           text_equal(d->a.map.files.at[a->file].path, d->b.map.files.at[b->file].path);
}

void change_put_sources(Diff* d, const Change* c) {
    Writer*     w = d->out;
    SourcePlace a, b;
    const bool  in_a = change_place(d, c, false, &a), in_b = change_place(d, c, true, &b);
    if (w->form == TEXT_JSON) {
        if (in_a) put(w, ", \"source_a\": "), put_place(w, &d->a.map, &a);
        if (in_b) put(w, ", \"source_b\": "), put_place(w, &d->b.map, &b);
        return;
    }
    if (in_a || in_b) put(w, "    ");
    if (in_a) put_place(w, &d->a.map, &a);
    if (in_a && in_b && place_equal(d, &a, &b)) return;
    if (in_a && c->sign == '~') put(w, in_b ? " -> " : " -> ?");
    if (in_b) put_place(w, &d->b.map, &b);
}
