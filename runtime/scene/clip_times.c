/* clip_times.c - times of clips, and the events between two of them. */
#include "clip_times_internal.h"

#include <math.h>

#include "playing.h"
#include "clip.h"
#include "sections.h"
#include "world_internal.h"

f32 clip_time_inside(f32 time_s, f32 duration_s, u32 end) {
    if (!(duration_s > 0) || isnan(time_s)) return 0;
    if (end != PLAYING_LOOP) return MIN_OF(MAX_OF(time_s, 0), duration_s);
    if (time_s >= 0 && time_s <= duration_s) return time_s;
    if (isinf(time_s)) return 0;
    const f32 rest = fmodf(time_s, duration_s);
    return rest < 0 ? rest + duration_s : rest;
}

/* --- events --- */

void clip_events_begin(ClipEvents* e) {
    e->count = 0;
    e->lost = 0;
}

void clip_events_end(ClipEvents* e, const PoseLibrary* p) {
    if (e->lost)
        world_log(p->world, LOG_WARNING,
                  "%llu events of clips are not reported: the limit of one step is %u",
                  (unsigned long long)e->lost, (u32)ENT_CLIP_EVENTS_MAX);
}

void clip_events_free(ClipEvents* e, const PoseLibrary* p) {
    pose_library_return(p, e->at, e->room * sizeof *e->at);
    *e = (ClipEvents){0};
}

static ent_status event_add(ClipEvents* e, const PoseLibrary* p, EntClipEvent event) {
    if (e->count == ENT_CLIP_EVENTS_MAX) {
        e->lost++;
        return ENT_OK;
    }
    if (e->count == e->room) {
        const u32     room = MAX_OF(e->room * 2, 64u);
        EntClipEvent* grown = pose_library_take(p, room * sizeof *grown);
        if (!grown) return ENT_NO_MEMORY;
        if (e->count) memcpy(grown, e->at, e->count * sizeof *grown);
        pose_library_return(p, e->at, e->room * sizeof *e->at);
        e->at = grown;
        e->room = room;
    }
    e->at[e->count++] = event;
    return ENT_OK;
}

/* The events of a clip, and where they are reported. */
typedef struct Track {
    const ClipEventRecord* event; /* [count] by time */
    const char*            text;
    u32                    count;
    f32                    duration_s;
    ClipEvents*            events;
    const PoseLibrary*     poses;
    Entity                 entity;
    ResourceRef            clip;
} Track;

static Track track_of(const PoseLibrary* p, u32 clip, const Playing* playing, ResourceRef ref,
                      ClipEvents* events) {
    const Blob*        blob = p->tables.clip[clip].blob;
    const BlobSection* rows = ent_blob_section(blob, SECTION_CLIP_EVENT);
    const BlobSection* text = ent_blob_section(blob, SECTION_EVENT_NAME);
    return (Track){.event = rows ? ent_blob_data(blob, rows) : NULL,
                   .text = text ? ent_blob_data(blob, text) : NULL,
                   .count = rows ? rows->count : 0,
                   .duration_s = p->tables.clip[clip].duration_s,
                   .events = events,
                   .poses = p,
                   .entity = playing->entity,
                   .clip = ref};
}

/* Is an end of a stretch of times part of it? */
typedef enum StretchEnds { ENDS_LOW = 1, ENDS_HIGH = 2 } StretchEnds;

/* Reports the events from `low` to `high`. */
static ent_status stretch_report(const Track* t, f64 low, f64 high, u32 ends, bool backwards) {
    for (u32 k = 0; k < t->count; k++) {
        const ClipEventRecord* event = &t->event[backwards ? t->count - 1 - k : k];
        const f64              at = (f64)event->time_s;
        if ((ends & ENDS_LOW ? at < low : at <= low) || (ends & ENDS_HIGH ? at > high : at >= high))
            continue;
        const EntClipEvent passed = {t->entity, t->clip, t->text + event->name, event->time_s};
        TRY(event_add(t->events, t->poses, passed));
    }
    return ENT_OK;
}

/* Complete passes between the first and the last one: those that exceed the limit are only counted. */
static ent_status passes_report(const Track* t, f64 passes, bool backwards) {
    for (; passes >= 1 && t->events->count < ENT_CLIP_EVENTS_MAX; passes--)
        TRY(stretch_report(t, 0, (f64)t->duration_s, ENDS_LOW | ENDS_HIGH, backwards));
    if (passes >= 1) t->events->lost += (u64)MIN_OF(passes * t->count, 1e18);
    return ENT_OK;
}

/* The events on the way from a time to another one, which is `to` in the clip. A step begins with its first time and
 * ends before its last one, so that the next step begins there; a pass that ends contains its end. */
static ent_status way_report(const Track* t, f32 from, f32 moved, f32 to, bool backwards, u32 end) {
    const f64  length = (f64)t->duration_s, start = (f64)from, aim = (f64)moved;
    const bool ends = end == PLAYING_LOOP ? (backwards ? aim < 0 : aim > length)
                                          : (backwards ? aim <= 0 : aim >= length);
    if (t->count == 0 || !isfinite(aim)) return ENT_OK;
    if (!ends) /* from the start to the aim, without the aim */
        return backwards ? stretch_report(t, aim, start, ENDS_HIGH, true)
                         : stretch_report(t, start, aim, ENDS_LOW, false);
    if (end != PLAYING_LOOP && (backwards ? from <= 0 : from >= t->duration_s))
        return ENT_OK; /* it has ended before */
    TRY(backwards ? stretch_report(t, 0, start, ENDS_LOW | ENDS_HIGH, true)
                  : stretch_report(t, start, length, ENDS_LOW | ENDS_HIGH, false));
    if (end != PLAYING_LOOP) return ENT_OK;
    const f64 passes = floor((backwards ? (f64)to - aim : aim - (f64)to) / length + 0.5);
    TRY(passes_report(t, passes - 1, backwards));
    return backwards ? stretch_report(t, (f64)to, length, ENDS_HIGH, true)
                     : stretch_report(t, 0, (f64)to, ENDS_LOW, false);
}

/* --- times --- */

/* Moves a time; removes the clip when it has ended and is to stop. */
static ent_status time_move(const Playing* playing, const PoseLibrary* p, u32 row, f32* time_s,
                            ResourceRef* clip, f32 step_s, bool is_heard, ClipEvents* events) {
    const f32  duration_s = p->tables.clip[row].duration_s;
    const f32  from = clip_time_inside(*time_s, duration_s, playing->end);
    const f32  moved = from + step_s;
    const bool ends = step_s > 0 ? moved >= duration_s : step_s < 0 && moved <= 0;
    *time_s = clip_time_inside(moved, duration_s, playing->end);
    if (is_heard && duration_s > 0) {
        const Track track = track_of(p, row, playing, *clip, events);
        TRY(way_report(&track, from, moved, *time_s, step_s < 0, playing->end));
    }
    if (ends && playing->end == PLAYING_STOP) *clip = (ResourceRef){0, 0};
    return ENT_OK;
}

ent_status clip_times_move(const Playing* playing, const PoseLibrary* p, u32 clip, u32 clip_2,
                           f32 seconds, ClipEvents* events, bool* moves) {
    const f32 step_s = seconds * playing->speed;
    *moves = step_s != 0 && (clip != NONE || clip_2 != NONE);
    if (*moves && clip != NONE)
        TRY(time_move(playing, p, clip, playing->time_s, playing->clip, step_s,
                      playing->blend < 1 && !(playing->quiet & 1), events));
    if (*moves && clip_2 != NONE)
        TRY(time_move(playing, p, clip_2, playing->second_time_s, playing->second_clip, step_s,
                      playing->blend > 0 && !(playing->quiet & 2), events));
    return ENT_OK;
}
