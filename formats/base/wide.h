/* wide.h - loops over bytes and floats that are compiled a second time for wider vectors, which the
 * processor may have. Both have equal results: they only compare.
 *
 *     static inline WIDE_BODY bool in(...) { loop }
 *     WIDE_TARGET static bool in_wide(...) { return in(...); }
 *     wide_is_available() ? in_wide(...) : in(...) */
#ifndef ENT_WIDE_H
#define ENT_WIDE_H

#include "base.h"

#define WIDE_BODY __attribute__((always_inline))

#if defined(__x86_64__) && !defined(__AVX2__)
#define WIDE_TARGET __attribute__((target("avx2")))
static inline bool wide_is_available(void) { return __builtin_cpu_supports("avx2") != 0; }
#else
#define WIDE_TARGET
static inline bool wide_is_available(void) { return false; }
#endif

#endif
