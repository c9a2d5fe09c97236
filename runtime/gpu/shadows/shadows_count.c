/* shadows_count.c - what the maps of each light have cost. Maps are counted when a picture is recorded, casters by the
 * kernels that find them: each map that is drawn has a tally, which is uploaded with what it is of and read back when
 * the frame is complete. */
#include <stdlib.h>

#include "gpu_frame_internal.h"
#include "shadows.h"

const char* ent_shadow_cause_text(EntShadowCause cause) {
    static const char* const text[ENT_SHADOW_CAUSES] = {"new", "light", "camera", "size", "moved"};
    return text[cause];
}

/* --- lights --- */

#define COUNTED_MAX (1u << 16) /* lights; more are counted together */

static ent_status counts_add(ShadowsCounts* c, Entity entity) {
    if (c->count == c->room) {
        const u32        room = c->room * 2 + 16;
        EntShadowCounts* grown = realloc(c->at, room * sizeof *grown);
        if (!grown) return ENT_NO_MEMORY;
        c->at = grown;
        c->room = room;
    }
    c->at[c->count++] = (EntShadowCounts){.entity = entity};
    return ENT_OK;
}

ent_status shadows_counted_find(ShadowsCounts* c, Entity entity, u32* which) {
    if (*which < c->count && c->at[*which].entity == entity) return ENT_OK;
    for (*which = 0; *which < c->count && c->at[*which].entity != entity;) (*which)++;
    if (*which < c->count) return ENT_OK;
    if (c->count < COUNTED_MAX) return counts_add(c, entity);
    *which = COUNTED_MAX - 1;
    c->at[*which].entity = ENTITY_NULL;
    return ENT_OK;
}

/* --- maps --- */

static void kept_count(ShadowsCounts* c, u32 light, u32 map) {
    ShadowsMapCount* const m = &c->map[map];
    if (m->is_known)
        c->at[light].casters_kept += m->standing;
    else
        m->pending[m->drawn % SHADOWS_TALLIES]++;
}

/* What stands is kept in a map, or drawn again. */
static ShadowsTally map_count(Shadows* s, u32 light, u32 map, bool is_drawn) {
    EntShadowCounts* const    sum = &s->counts.at[light];
    ShadowsMapCount* const    m = &s->counts.map[map];
    const ShadowsShown* const shown = &s->shown[map];
    const bool                is_redrawn = shown->map.side == 0;
    if (is_redrawn) {
        sum->maps_redrawn++;
        sum->redrawn_for[shown->cause]++;
        m->is_known = false;
        m->pending[++m->drawn % SHADOWS_TALLIES] = 0;
    } else {
        kept_count(&s->counts, light, map);
        *(is_drawn ? &sum->maps_copied : &sum->maps_kept) += 1;
    }
    return (ShadowsTally){.light = light, .map = map, .drawn = m->drawn, .is_redrawn = is_redrawn};
}

ent_status shadows_counts_begin(Shadows* s, GpuFrame* frame) {
    const ShadowsHead* const head = &s->table.head;
    ShadowsTally             tally[SHADOWS_MAPS_MAX];
    u32                      place[SHADOWS_MAPS_MAX] = {0}; /* 1 + that of a map in `tally` */
    for (u32 i = 0; i < head->now_count; i++) {
        assert(head->now[i] < SHADOWS_MAPS_MAX);
        place[head->now[i]] = i + 1;
    }
    for (u32 i = 0; i < s->lights.count; i++) {
        const ShadowsLight* const l = &s->lights.at[i];
        EntShadowCounts* const    sum = &s->counts.at[l->counted];
        sum->kind = l->kind;
        sum->map_count = l->count;
        sum->maps_dropped += l->refused;
        for (u32 map = l->first; map < l->first + l->count; map++) {
            const ShadowsTally counted = map_count(s, l->counted, map, place[map] != 0);
            assert(place[map] <= SHADOWS_MAPS_MAX);
            if (place[map]) tally[place[map] - 1] = counted;
        }
    }
    s->counts.is_counting = head->now_count > 0;
    if (!s->counts.is_counting) return ENT_OK;
    return gpu_frame_upload(frame, &s->counts.tallies, 0, tally, head->now_count * sizeof *tally);
}

/* --- casters --- */

/* Commands that a host has not run leave other numbers there. */
static void tally_add(ShadowsCounts* c, const ShadowsTally* t) {
    if (t->light >= c->count || t->map >= SHADOWS_MAPS_MAX) return;
    EntShadowCounts* const sum = &c->at[t->light];
    ShadowsMapCount* const map = &c->map[t->map];
    sum->casters_redrawn += t->standing;
    sum->casters_copied += t->moving;
    sum->casters_small += t->small;
    sum->casters_unseen += t->unseen;
    if (!t->is_redrawn) return;
    sum->casters_kept += (u64)t->standing * map->pending[t->drawn % SHADOWS_TALLIES];
    map->pending[t->drawn % SHADOWS_TALLIES] = 0;
    if (map->drawn != t->drawn) return; /* it was drawn again since */
    map->standing = t->standing;
    map->is_known = true;
}

static void tallies_add(void* user, const void* bytes, u64 count) {
    Shadows* const            s = user;
    const ShadowsTally* const tally = bytes;
    for (u64 i = 0; i < count / sizeof *tally; i++) tally_add(&s->counts, &tally[i]);
}

ent_status shadows_counts_end(Shadows* s, GpuFrame* frame) {
    if (!s->counts.is_counting) return ENT_OK;
    s->counts.is_counting = false;
    return gpu_frame_count(frame, &s->counts.tallies,
                           s->table.head.now_count * sizeof(ShadowsTally), tallies_add, s);
}
