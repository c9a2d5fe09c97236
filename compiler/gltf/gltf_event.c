/* gltf_event.c - the events of an animation, which are custom properties of it: named times in seconds.
 *
 *     "extras": { "events": { "step": [0.25, 0.75], "end": 1 } }
 *     "extras": { "events": "{ \"step\": 0.25 }" }     the same as a text of JSON
 *     "extras": { "events.step": [0.25, 0.75] }        one name */
#include <stdlib.h>

#include "diag_codes.h"
#include "diag_print.h"
#include "gltf_internal.h"

#define EVENTS_MAX    65535u
#define NAME_MAX      63u
#define TIME_ROUNDING 1e-4 /* s: frames that an exporter rounds in another way than keys */

/* The events of an animation that are being read. */
typedef struct Events {
    Gltf*            g;
    const JsonToken* at; /* of messages: the value, or the property whose text contains it */
    bool             in_text;
    GltfClip*        out;
    u32              room;
} Events;

/* The name that `prefix` precedes in the key of a property, or NULL. */
static const char* key_behind(const Gltf* g, const JsonToken* item, const char* prefix) {
    const char*  key = gltf_key(g, item);
    const size_t bytes = strlen(prefix);
    return strncmp(key, prefix, bytes) == 0 ? key + bytes : NULL;
}

static u32 numbers_of(const JsonToken* value) {
    return json_token_is(value, JSON_ARRAY) ? json_token_count(value) : 1;
}

/* The place of messages about a value. */
static void place_set(Events* e, const JsonToken* value) {
    if (!e->in_text) e->at = value;
}

static bool name_check(Events* e, const char* name) {
    const size_t bytes = strlen(name);
    bool         valid = bytes > 0 && bytes <= NAME_MAX;
    for (const char* at = name; *at; at++) valid &= (u8)*at >= 0x20 && *at != 0x7f;
    if (!valid)
        gltf_error(e->g, E0403, e->at,
                   "has an event \"%.64s\"; its name must have 1 to %u bytes, and no control "
                   "characters",
                   name, NAME_MAX);
    return valid;
}

static void time_add(Events* e, const char* name, const JsonToken* number) {
    const f64 time_s = json_token_is(number, JSON_NUMBER) ? json_token_number(number) : -1;
    if (!(time_s >= 0)) {
        gltf_error(
            e->g, E0403, e->at,
            "has an event \"%s\" whose value must be a time in seconds, or an array of times, "
            "from 0 to the end of the animation",
            name);
    } else if (time_s > (f64)e->out->duration_s + TIME_ROUNDING) {
        gltf_error(e->g, E0403, e->at,
                   "has an event \"%s\" at %g s, but \"%s\" ends at %g s; move the event, or give "
                   "the animation a key behind it",
                   name, time_s, e->out->name, (f64)e->out->duration_s);
    } else if (e->out->duration_s <= 0) {
        gltf_remark(e->g, REMARK_EXTRAS, "events", e->at,
                    "is never passed: \"%s\" has no length; give it a key behind the first one",
                    e->out->name);
    } else if (e->out->event_count < e->room) {
        e->out->events[e->out->event_count++] =
            (GltfEvent){name, MIN_OF((f32)time_s, e->out->duration_s)};
    }
}

static void times_add(Events* e, const char* name, const JsonToken* value) {
    if (!name_check(e, name)) return;
    if (!json_token_is(value, JSON_ARRAY)) {
        time_add(e, name, value);
        return;
    }
    for (const JsonToken* item = json_first(value); item; item = json_next(item)) {
        place_set(e, item);
        time_add(e, name, item);
    }
}

/* Makes room for so many more events; false after reporting that there are too many. */
static bool room_make(Events* e, u64 more) {
    GltfClip* out = e->out;
    if (out->event_count + more > EVENTS_MAX) {
        gltf_error(e->g, E0309, e->at, "defines %llu events; the limit of an animation is %u",
                   (unsigned long long)(out->event_count + more), EVENTS_MAX);
        return false;
    }
    if (out->event_count + more <= e->room) return true;
    e->room = MAX_OF(e->room * 2, out->event_count + (u32)more);
    GltfEvent* grown = ARENA_NEW(e->g->arena, GltfEvent, e->room);
    if (out->event_count) memcpy(grown, out->events, sizeof *grown * out->event_count);
    out->events = grown;
    return true;
}

static void object_add(Events* e, const JsonToken* object) {
    u64 more = 0;
    if (!json_token_is(object, JSON_OBJECT)) {
        gltf_remark(e->g, REMARK_EXTRAS, "events", e->at,
                    "is not compiled: it must be an object with the times of each event, such as "
                    "{ \"step\": 0.25 }");
        return;
    }
    for (const JsonToken* item = json_first(object); item; item = json_next(item))
        more += numbers_of(item);
    if (!room_make(e, more)) return;
    for (const JsonToken* item = json_first(object); item; item = json_next(item)) {
        place_set(e, item);
        times_add(e, gltf_key(e->g, item), item);
    }
}

/* Tools without a type for objects write a text. */
static void text_add(Events* e, const char* text) {
    const Source source = source_of("", text, (u32)strlen(text));
    Diagnostics* ignored = diag_create();
    JsonTokens   tokens;
    e->in_text = true;
    if (json_tokens_open(&tokens, &source, ignored))
        object_add(e, json_tokens_root(&tokens));
    else
        gltf_remark(e->g, REMARK_EXTRAS, "events", e->at,
                    "is not compiled: its text must be an object as JSON, with the times of each "
                    "event, such as { \"step\": 0.25 }");
    json_tokens_close(&tokens);
    diag_destroy(ignored);
}

static int event_order(const void* a, const void* b) {
    const GltfEvent *x = a, *y = b;
    if (x->time_s != y->time_s) return x->time_s < y->time_s ? -1 : 1;
    return strcmp(x->name, y->name);
}

void gltf_read_events(Gltf* g, const JsonToken* animation, GltfClip* out) {
    Events           e = {.g = g, .out = out};
    const JsonToken* extras = json_get(animation, "extras");
    const bool       moves = out->track_count + out->morph_count + out->property_count > 0;
    const GltfMode   mode = gltf_mode(g, moves ? g->mode : GLTF_UNCOMPILED);
    if (!json_token_is(extras, JSON_OBJECT)) extras = NULL;
    for (const JsonToken* item = json_first(extras); item; item = json_next(item)) {
        const char* name = key_behind(g, item, "events.");
        e.at = item;
        e.in_text = false;
        if (name && room_make(&e, numbers_of(item)))
            times_add(&e, name, item);
        else if (!name && !json_key_is(item, "events"))
            gltf_remark(g, REMARK_EXTRAS, gltf_key(g, item), item,
                        "is not compiled: a property of an animation must be \"events\"");
        else if (!name && json_token_is(item, JSON_STRING))
            text_add(&e, gltf_text(g, item));
        else if (!name)
            object_add(&e, item);
    }
    gltf_mode(g, mode);
    if (out->event_count) qsort(out->events, out->event_count, sizeof *out->events, event_order);
}
