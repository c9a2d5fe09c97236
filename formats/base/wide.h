/* wide.h - loops over bytes and words that are compiled a second time for wider vectors, which the
 * processor may have. Both have equal results: no operation on floats is fused or moved. With vectors
 * of 64 bytes, opening a level took 10 % longer than with those of 32 (Zen 5).
 *
 *     static inline WIDE_BODY bool in_body(const u8* at, u32 count) { loop }
 *     WIDE_VERSIONS(bool, in, (const u8* at, u32 count), (at, count))
 *     in(at, count) */
#ifndef ENT_WIDE_H
#define ENT_WIDE_H

#include "base.h"

#define WIDE_BODY __attribute__((always_inline))

#if defined(__x86_64__) && !defined(__AVX2__)
#define WIDE_TARGET __attribute__((target("avx2")))
static inline bool wide_is_available(void) { return __builtin_cpu_supports("avx2") != 0; }
#define WIDE_VERSIONS(Type, name, parameters, arguments)                                               \
    WIDE_TARGET static Type name##_wide parameters { return name##_body arguments; }                   \
    static Type name                    parameters {                                                   \
        return wide_is_available() ? name##_wide arguments : name##_body arguments; \
    }
#else
#define WIDE_VERSIONS(Type, name, parameters, arguments)                                           \
    static Type name parameters { return name##_body arguments; }
#endif

#endif
