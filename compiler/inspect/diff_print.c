/* diff_print.c - prints differences as text, as JSON or only as counts, each with its position in
 * the sources. */
#include "diff_internal.h"

/* --- counts, for DIFF_STAT --- */

Count* count_of(Diff* d, const char* table) {
    for (u32 i = 0; i < d->counts.count; i++) {
        if (strcmp(d->counts.at[i].table, table) == 0) return &d->counts.at[i];
    }
    Count* count = array_push(&d->counts);
    *count = (Count){0};
    snprintf(count->table, sizeof count->table, "%s", table);
    return count;
}

static void count_change(Diff* d, const Change* c) {
    Count* count = count_of(d, c->table ? c->table : c->side ? "entities" : "blobs");
    if (c->sign == '-')
        count->removed++;
    else if (c->sign == '+')
        count->added++;
    else
        count->changed++;
}

void counts_print(Diff* d) {
    if (d->shown_before == 0) return;
    put_format(d->out, "%-24s %10s %10s %10s\n", "", "added", "removed", "changed");
    for (u32 i = 0; i < d->counts.count; i++) {
        const Count* c = &d->counts.at[i];
        if (c->added + c->removed + c->changed == 0) continue;
        put_format(d->out, "%-24s %10llu %10llu %10llu\n", c->table, (unsigned long long)c->added,
                   (unsigned long long)c->removed, (unsigned long long)c->changed);
    }
}

/* --- positions --- */

/* The source position of one side of a change. */
static bool change_place(const Diff* d, const Change* c, bool in_b, SourcePlace* place) {
    const Side*     side = in_b ? &d->b : &d->a;
    const RowField* row = in_b ? &c->row_b : &c->row_a;
    u32             entity = c->entity;
    if (!side->map.reader.text || c->sign == (in_b ? '-' : '+')) return false;
    if (row->component)
        return ent_source_map_field(&side->map.reader, row->component, row->row, row->field, place);
    if (c->side && c->side != side) entity = d->match[entity];
    if (c->side) return ent_source_map_entity(&side->map.reader, entity, place);
    *place = side->map.reader.source;
    return c->field != NULL;
}

static bool place_equal(const Diff* d, const SourcePlace* a, const SourcePlace* b) {
    return a->line == b->line && a->column == b->column &&
           text_equal(source_map_path(&d->a.map, a->file), source_map_path(&d->b.map, b->file));
}

static void put_sources(Diff* d, const Change* c) {
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

/* --- changes --- */

static void put_value(Diff* d, const Side* side, const Field* f, const u8* words,
                      const char* text) {
    if (f)
        put_field(d->out, &side->tables, f, words);
    else if (!text)
        put_group(d->out, &side->tables, NONE);
    else if (d->form == DIFF_JSON)
        put(d->out, "\""), put_name(d->out, text, true), put(d->out, "\"");
    else
        put_name(d->out, text, true);
}

static void print_text(Diff* d, const Change* c) {
    Writer* w = d->out;
    if (d->file && d->shown == 1) put_name(w, d->file, true), put(w, ":\n");
    if (c->sign) put_bytes(w, &c->sign, 1), put(w, " ");
    if (c->side) {
        put(w, c->table || c->note ? "" : "entity ");
        put_path(w, &c->side->tables, c->entity);
        put(w, c->table || c->note ? ": " : "");
    }
    if (c->table) put(w, c->table);
    if (c->table && c->row != NONE) put_format(w, "[%u]", c->row);
    /* A record of one field is its value. */
    if (c->field && (c->side || strcmp(c->table, c->field->name) != 0)) {
        put(w, ".");
        put(w, c->field->name);
    }
    if (c->field || c->text_a || c->text_b) {
        put(w, ": ");
        put_value(d, &d->a, c->field, c->a, c->text_a);
        put(w, " -> ");
        put_value(d, &d->b, c->field_b ? c->field_b : c->field, c->b, c->text_b);
    }
    if (c->name) put(w, ": "), put_name(w, c->name, true);
    if (c->note) put_format(w, "%s%s", c->table ? ": " : "", c->note);
    put_sources(d, c);
    put(w, "\n");
}

static void print_json(Diff* d, const Change* c) {
    Writer*    w = d->out;
    const bool first = d->shown + d->shown_before == 1;
    put(w, first ? "\n  {\"change\": " : ",\n  {\"change\": ");
    put(w, c->sign == '-' ? "\"removed\"" : c->sign == '+' ? "\"added\"" : "\"changed\"");
    if (d->file) put(w, ", \"file\": "), put_value(d, NULL, NULL, NULL, d->file);
    if (c->side) {
        put(w, ", \"entity\": \"");
        put_path(w, &c->side->tables, c->entity);
        put(w, "\"");
    }
    if (c->table) put_format(w, ", \"table\": \"%s\"", c->table);
    if (c->table && c->row != NONE) put_format(w, ", \"row\": %u", c->row);
    if (c->field) put_format(w, ", \"field\": \"%s\"", c->field->name);
    if (c->field || c->text_a || c->text_b) {
        put(w, ", \"a\": ");
        put_value(d, &d->a, c->field, c->a, c->text_a);
        put(w, ", \"b\": ");
        put_value(d, &d->b, c->field_b ? c->field_b : c->field, c->b, c->text_b);
    }
    if (c->name) put(w, ", \"name\": "), put_value(d, NULL, NULL, NULL, c->name);
    if (c->note) put_format(w, ", \"note\": \"%s\"", c->note);
    put_sources(d, c);
    put(w, "}");
}

void change_print(Diff* d, Change c) {
    d->shown++;
    if (d->form == DIFF_STAT)
        count_change(d, &c);
    else if (d->form == DIFF_JSON)
        print_json(d, &c);
    else
        print_text(d, &c);
}

void change_print_texts(Diff* d, const char* table, u32 row, const char* a, const char* b) {
    change_print(d, (Change){.sign = '~', .table = table, .row = row, .text_a = a, .text_b = b});
}

void change_print_note(Diff* d, char sign, const char* table, const char* note) {
    change_print(d, (Change){.sign = sign, .table = table, .row = NONE, .note = note});
}

void change_print_name(Diff* d, char sign, const char* table, const char* name) {
    change_print(d, (Change){.sign = sign, .table = table, .row = NONE, .name = name});
}

void lone_report(Diff* d, const char* path, bool in_a) {
    d->file = path;
    if (d->form == DIFF_TEXT) {
        d->shown++;
        put(d->out, in_a ? "only in A: " : "only in B: ");
        put_name(d->out, path, true);
        put(d->out, "\n");
    } else {
        change_print(d, (Change){.sign = in_a ? '-' : '+', .row = NONE});
    }
    d->shown_before += d->shown;
    d->shown = 0;
}
