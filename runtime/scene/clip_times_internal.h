/* clip_times_internal.h - moves the times of what plays clips, and reports the events that they pass. */
#ifndef ENT_CLIP_TIMES_INTERNAL_H
#define ENT_CLIP_TIMES_INTERNAL_H

#include "clip_events.h"
#include "pose_library_internal.h"

/* The events of a call, in the order in which they were passed. */
typedef struct ClipEvents {
    EntClipEvent* at; /* [count] */
    u32           count, room;
    u64           lost; /* that exceeded the limit */
} ClipEvents;

void clip_events_begin(ClipEvents* events);
/* Reports to the log what exceeded the limit. */
void clip_events_end(ClipEvents* events, const PoseLibrary* poses);
void clip_events_free(ClipEvents* events, const PoseLibrary* poses);

/* The state of a component that plays clips. */
typedef struct Playing {
    ResourceRef *clip, *second_clip;
    f32 *        time_s, *second_time_s;
    f32          speed, blend;
    u32          end; /* PLAYING_END */
    Entity       entity;
    u32 quiet; /* 1: another row reports the events of the clip; 2: those of the second one */
} Playing;

#define PLAYING_OF(record, owner)                                                                  \
    ((Playing){&(record)->clip, &(record)->second_clip, &(record)->time_s,                         \
               &(record)->second_time_s, (record)->speed, (record)->blend, (record)->end, (owner), \
               0})

/* A time of a clip, in the clip. What a host wrote to a record, or a product that overflows, may not be finite: it must
 * not stay. */
f32 clip_time_inside(f32 time_s, f32 duration_s, u32 end);

/* Moves both times; removes a clip that has ended and is to stop. `clip` and `clip_2` are rows of the tables, or NONE.
 * `moves` receives whether anything changed. */
MUST_CHECK ent_status clip_times_move(const Playing* playing, const PoseLibrary* poses, u32 clip,
                                      u32 clip_2, f32 seconds, ClipEvents* events, bool* moves);

#endif
