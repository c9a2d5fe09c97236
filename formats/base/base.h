/* base.h - the basic macros and types that every C file of the project may use. Private: no public
 * header includes it. */
#ifndef ENT_BASE_H
#define ENT_BASE_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "shared.h"
#include "status.h"

typedef uint8_t  u8;
typedef uint16_t u16;
typedef uint64_t u64;
typedef double   f64;

/* Forwards a failure to the caller: TRY(ent_world_reserve(w, n)); */
#define TRY(call)                                                                                  \
    do {                                                                                           \
        const ent_status try_status_ = (call);                                                     \
        if (try_status_ != ENT_OK) return try_status_;                                             \
    } while (0)

#define COUNT_OF(array) (sizeof(array) / sizeof(array)[0])
#define MIN_OF(a, b)    ((a) < (b) ? (a) : (b))
#define MAX_OF(a, b)    ((a) > (b) ? (a) : (b))
#define UNUSED(x)       ((void)(x))

#if defined(__GNUC__)
#define PRINTF_LIKE(text, first) __attribute__((format(printf, text, first)))
/* gcc takes a function that only prefetches for one without effect, and removes its calls. */
#define PREFETCH(at)                                                                               \
    (__extension__({                                                                               \
        __builtin_prefetch(at);                                                                    \
        __asm__ volatile("");                                                                      \
    }))
#else
#define PRINTF_LIKE(text, first)
#define PREFETCH(at) ((void)(at))
#endif

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define HOST_IS_LITTLE 0
#else
#define HOST_IS_LITTLE 1
#endif

/* For a word that is not 0. */
static inline u32 trailing_zeros(u64 v) { return (u32)__builtin_ctzll(v); }

#define NONE UINT32_MAX /* no entity, no row, no parent */

/* Rounds up to a multiple of a power of two. */
static inline u64 align_up(u64 n, u64 to) { return (n + to - 1) & ~(to - 1); }

/* A text that is not owned and has no NUL. */
typedef struct Text {
    const char* at;
    u32         bytes;
} Text;

/* A part of a content that is written or hashed as one sequence of bytes. */
typedef struct FilePart {
    const void* at;
    size_t      bytes;
} FilePart;

/* Arguments of the command line, or the values of an option that may be repeated. They are valid as
 * long as the command runs. */
typedef struct Words {
    const char** at; /* [count] */
    u32          count;
} Words;

static inline bool text_equal(Text a, Text b) {
    return a.bytes == b.bytes && (a.bytes == 0 || memcmp(a.at, b.at, a.bytes) == 0);
}
static inline Text text_of(const char* s) {
    const Text t = {s, (u32)strlen(s)};
    return t;
}

#endif
