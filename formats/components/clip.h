/* clip.h - the sections of a clip resource. A track moves one channel of one node; its keys are
 * times [key_count] and values. Values that are not packed are in key_value: 3 floats a key, 4 for
 * rotations; cubic keys hold three of these: in-tangent, value, out-tangent, as in glTF. Packed ones
 * are in key_packed, two words a key: clip_packing.h describes them. A channel without a track keeps
 * the rest pose of the node. */
#ifndef ENT_CLIP_H
#define ENT_CLIP_H

#include "record.h"

#define CLIP_CHANNEL(X)                                                                            \
    X(CLIP_TRANSLATION, "translation")                                                             \
    X(CLIP_ROTATION, "rotation")                                                                   \
    X(CLIP_SCALE, "scale")

/* What a clip animates of lights and cameras. */
#define CLIP_PROPERTY(X)                                                                           \
    X(CLIP_LIGHT_INTENSITY, "light_intensity")                                                     \
    X(CLIP_LIGHT_COLOR, "light_color")                                                             \
    X(CLIP_VERTICAL_FOV, "vertical_fov")

#define CLIP_INTERPOLATION(X)                                                                      \
    X(CLIP_STEP, "step")                                                                           \
    X(CLIP_LINEAR, "linear")                                                                       \
    X(CLIP_CUBIC, "cubic")

#define CLIP_PACKING(X)                                                                            \
    X(CLIP_FLOATS, "floats")                                                                       \
    X(CLIP_PACKED, "packed")

#define CLIP_INFO_FIELDS(F, R)                                                                     \
    F(R, f32, duration_s, REQUIRED, 0, 1e6, "s", PLAIN, "time of the last key")

#define TRACK_FIELDS(F, R)                                                                         \
    F(R, NameRef, node, REQUIRED, 1, ALL, "", PLAIN, "hash of the node's path, as in joints")      \
    F(R, Enum32, channel, REQUIRED, 0, 0, "", ENUM(CLIP_CHANNEL),                                  \
      "property of the node that is animated")                                                     \
    F(R, Enum32, interpolation, REQUIRED, 0, 0, "", ENUM(CLIP_INTERPOLATION),                      \
      "interpolation between keys")                                                                \
    F(R, Enum32, packing, REQUIRED, 0, 0, "", ENUM(CLIP_PACKING),                                  \
      "section with its values: key_value or key_packed; cubic ones are not packed")               \
    F(R, u32, first_time, REQUIRED, 0, ALL, "", PLAIN, "index of its first time")                  \
    F(R, u32, key_count, REQUIRED, 1, ALL, "", PLAIN, "number of keys, at least one")              \
    F(R, u32, first_value, REQUIRED, 0, ALL, "", PLAIN,                                            \
      "index of its first value, in floats or words")

#define KEY_TIME_FIELDS(F, R)                                                                      \
    F(R, f32, time_s, REQUIRED, 0, 1e6, "s", PLAIN, "strictly ascending in a track")
#define KEY_VALUE_FIELDS(F, R) F(R, f32, value, REQUIRED, LOW, HIGH, "", PLAIN, "")

#define KEY_PACKED_FIELDS(F, R) F(R, u32, word, REQUIRED, 0, ALL, "", PLAIN, "")

/* A track of the weights of morph targets: each value is target_count floats, cubic keys as above. */
#define MORPH_TRACK_FIELDS(F, R)                                                                   \
    F(R, NameRef, node, REQUIRED, 1, ALL, "", PLAIN, "hash of the path of the node with the mesh") \
    F(R, u32, target_count, REQUIRED, 1, ALL, "", PLAIN, "morph targets of that mesh")             \
    F(R, Enum32, interpolation, REQUIRED, 0, 0, "", ENUM(CLIP_INTERPOLATION),                      \
      "interpolation between keys")                                                                \
    F(R, u32, first_time, REQUIRED, 0, ALL, "", PLAIN, "index of its first time")                  \
    F(R, u32, key_count, REQUIRED, 1, ALL, "", PLAIN, "number of keys, at least one")              \
    F(R, u32, first_value, REQUIRED, 0, ALL, "", PLAIN, "index of its first value, in floats")

#define MORPH_TIME_FIELDS(F, R)                                                                    \
    F(R, f32, time_s, REQUIRED, 0, 1e6, "s", PLAIN, "strictly ascending in a track")
#define MORPH_WEIGHTS_FIELDS(F, R) F(R, f32, weight, REQUIRED, LOW, HIGH, "", PLAIN, "")

/* A track of a property of a light or camera, and so of all nodes that have it: 3 floats a value for colors, 1 for
 * others, cubic keys as above. The tracks are in the order of properties and targets. */
#define PROPERTY_TRACK_FIELDS(F, R)                                                                \
    F(R, NameRef, target, REQUIRED, 1, ALL, "", PLAIN, "hash of the name of the light or camera")  \
    F(R, Enum32, property, REQUIRED, 0, 0, "", ENUM(CLIP_PROPERTY), "what is animated")            \
    F(R, Enum32, interpolation, REQUIRED, 0, 0, "", ENUM(CLIP_INTERPOLATION),                      \
      "interpolation between keys")                                                                \
    F(R, u32, first_time, REQUIRED, 0, ALL, "", PLAIN, "index of its first time")                  \
    F(R, u32, key_count, REQUIRED, 1, ALL, "", PLAIN, "number of keys, at least one")              \
    F(R, u32, first_value, REQUIRED, 0, ALL, "", PLAIN, "index of its first value, in floats")

#define PROPERTY_TIME_FIELDS(F, R)                                                                 \
    F(R, f32, time_s, REQUIRED, 0, 1e6, "s", PLAIN, "strictly ascending in a track")
#define PROPERTY_VALUE_FIELDS(F, R) F(R, f32, value, REQUIRED, LOW, HIGH, "", PLAIN, "")

/* A named moment of the clip, in the order of the times. */
#define CLIP_EVENT_FIELDS(F, R)                                                                    \
    F(R, f32, time_s, REQUIRED, 0, 1e6, "s", PLAIN, "not after the end of the clip")               \
    F(R, u32, name, REQUIRED, 0, ALL, "", TEXT_IN(EVENT_NAME), "its name")

RECORD_ENUM(TrackChannel, CLIP_CHANNEL)
RECORD_ENUM(ClipProperty, CLIP_PROPERTY)
RECORD_ENUM(TrackInterpolation, CLIP_INTERPOLATION)
RECORD_ENUM(TrackPacking, CLIP_PACKING)
RECORD(ClipInfoRecord, CLIP_INFO_FIELDS)
RECORD(TrackRecord, TRACK_FIELDS)
RECORD(KeyTimeRecord, KEY_TIME_FIELDS)
RECORD(KeyValueRecord, KEY_VALUE_FIELDS)
RECORD(KeyPackedRecord, KEY_PACKED_FIELDS)
RECORD(MorphTrackRecord, MORPH_TRACK_FIELDS)
RECORD(MorphTimeRecord, MORPH_TIME_FIELDS)
RECORD(MorphWeightsRecord, MORPH_WEIGHTS_FIELDS)
RECORD(PropertyTrackRecord, PROPERTY_TRACK_FIELDS)
RECORD(PropertyTimeRecord, PROPERTY_TIME_FIELDS)
RECORD(PropertyValueRecord, PROPERTY_VALUE_FIELDS)
RECORD(ClipEventRecord, CLIP_EVENT_FIELDS)

/* Floats of a value of a property. */
#define CLIP_PROPERTY_WORDS(property) ((property) == CLIP_LIGHT_COLOR ? 3u : 1u)

#endif
