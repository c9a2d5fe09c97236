/* clip_events.h - the events of clips: named moments, such as a footstep, which the animation has as a custom
 * property `events`.
 *
 *     if (ent_skins_advance(skins, seconds) != ENT_OK) return 1;
 *     uint32_t            count;
 *     const EntClipEvent* event = ent_skins_events(skins, &count);
 *     for (uint32_t i = 0; i < count; i++) printf("%s\n", event[i].name);
 *
 * A call that moves times reports each event of a clip once for each pass over it: also in a long step that
 * passes it several times, and backwards. An event at the end of a clip, or at its beginning, is passed when the
 * clip ends or begins. Animators of one entity that play a clip at the same time report its events once. Of two clips that are blended, the one that has no influence reports nothing. */
#ifndef ENT_CLIP_EVENTS_H
#define ENT_CLIP_EVENTS_H

#include "entity.h"

#define ENT_CLIP_EVENTS_MAX 1048576 /* of one call; later ones are reported to the log, together */

typedef struct EntClipEvent {
    EntEntity      entity; /* that has the skin or the animator */
    EntResourceRef clip;
    const char*    name;   /* as in the file */
    float          time_s; /* in the clip */
} EntClipEvent;

#endif
