/* follow_host.c - the changes of a host, after changes of the sources. */
#include "follow_host.h"

void town_run(const Flat* fresh, const Host* host, Flat* out) {
    *out = *fresh;
    for (u32 i = 0; i < TOWN_ENTITIES; i++) {
        FlatEntity* e = &out->entity[i];
        e->exists &= !host->absent[i];
        for (u32 part = 0; part < TOWN_PARTS; part++) {
            e->has[part] &= !host->removed[i][part];
            if (part == TOWN_MARKER) e->has[part] |= host->marked[i];
            for (u32 f = 0; f < TOWN_FIELDS; f++)
                if (host->set[i][part][f]) e->value[part][f] = host->value[i][part][f];
        }
    }
}

/* --- what the sources change afterwards --- */

/* A renamed parent is another entity, and then so are its children. */
static bool parent_was_replaced(const Flat* before, const Flat* after, u32 entity) {
    const u32 former = before->entity[entity].parent, now = after->entity[entity].parent;
    return former != NONE && now != NONE && !town_same(before, after, former) &&
           !town_same(before, after, now);
}

bool town_same(const Flat* before, const Flat* after, u32 entity) {
    const FlatEntity *a = &before->entity[entity], *b = &after->entity[entity];
    return a->exists && b->exists && a->name == b->name &&
           !parent_was_replaced(before, after, entity);
}

static bool absent_in(const Host* host, const Flat* before, const Flat* after, u32 entity) {
    const u32 parent = after->entity[entity].parent;
    if (!after->entity[entity].exists) return false;
    if (town_same(before, after, entity)) return host->absent[entity];
    return parent != NONE && absent_in(host, before, after, parent);
}

/* The reference of a source to an entity that was replaced is another one. */
static bool value_changed(const Flat* before, const Flat* after, u32 entity, u32 part, u32 f) {
    const FlatEntity *a = &before->entity[entity], *b = &after->entity[entity];
    const u32         value = b->value[part][f];
    if (before->field[part][f].serial != after->field[part][f].serial) return true;
    if (a->has[part] != b->has[part] || a->value[part][f] != value) return true;
    return after->field[part][f].kind == TOWN_ENTITY && value &&
           !town_same(before, after, value - 1);
}

static void field_follow(Host* host, const Flat* before, const Flat* after, u32 i, u32 part,
                         u32 f) {
    const TownField* field = &after->field[part][f];
    u32*             value = &host->value[i][part][f];
    bool*            set = &host->set[i][part][f];
    if (part != TOWN_MARKER) {
        if (value_changed(before, after, i, part, f)) *set = false;
    } else if (before->field[part][f].serial != field->serial) {
        *set = host->marked[i] && field->serial; /* a new field has its default, which then stays */
        *value = field->fallback;
    }
    if (*set && field->kind == TOWN_ENTITY && *value && !town_same(before, after, *value - 1))
        *value = 0;
}

static void entity_forget(Host* host, u32 entity) {
    memset(host->removed[entity], 0, sizeof host->removed[entity]);
    memset(host->set[entity], 0, sizeof host->set[entity]);
    host->marked[entity] = false;
}

static void created_follow(Created* c, const Flat* before, const Flat* after) {
    if (c->parent != NONE && !town_same(before, after, c->parent)) c->parent = NONE;
    for (u32 f = 0; f < TOWN_FIELDS; f++) {
        const TownField* field = &after->field[TOWN_HEALTH][f];
        if (before->field[TOWN_HEALTH][f].serial != field->serial) c->value[f] = field->fallback;
    }
}

void town_host_follow(Host* host, const Flat* before, const Flat* after) {
    bool absent[TOWN_ENTITIES];
    for (u32 i = 0; i < TOWN_ENTITIES; i++) absent[i] = absent_in(host, before, after, i);
    for (u32 i = 0; i < TOWN_ENTITIES; i++) {
        if (!town_same(before, after, i)) entity_forget(host, i);
        for (u32 part = 0; part < TOWN_PARTS; part++) {
            host->removed[i][part] &= after->entity[i].has[part];
            for (u32 f = 0; f < TOWN_FIELDS; f++) field_follow(host, before, after, i, part, f);
        }
    }
    memcpy(host->absent, absent, sizeof absent);
    for (u32 i = 0; i < host->created_count; i++) created_follow(&host->created[i], before, after);
}
