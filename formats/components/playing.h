/* playing.h - the fields of what plays clips: a skin, and an animator. */
#ifndef ENT_PLAYING_H
#define ENT_PLAYING_H

#include "record.h"

#define PLAYING_END(X)                                                                             \
    X(PLAYING_LOOP, "loop")                                                                        \
    X(PLAYING_HOLD, "hold")                                                                        \
    X(PLAYING_STOP, "stop")

#define PLAYING_FIELDS(F, R)                                                                       \
    F(R, f32, time_s, V1(0), 0, 1e6, "s", PLAIN, "time in the clip")                               \
    F(R, f32, second_time_s, V1(0), 0, 1e6, "s", PLAIN, "time in the second clip")                 \
    F(R, f32, speed, V1(1), -100, 100, "", PLAIN,                                                  \
      "speed of playback: clip seconds per second; of both clips")                                 \
    F(R, f32, blend, V1(0), 0, 1, "", PLAIN, "0: only the clip; 1: only the second clip")          \
    F(R, Enum32, end, V1(0), 0, 0, "", ENUM(PLAYING_END),                                          \
      "behind the last key, \"loop\" begins again, \"hold\" keeps it, and \"stop\" removes the "   \
      "clip")

RECORD_ENUM(PlayingEnd, PLAYING_END)

#endif
