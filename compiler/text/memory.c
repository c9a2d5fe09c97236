/* memory.c - arenas and growing arrays over calloc. */
#include "memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "exit_codes.h"
#include "pages.h"

#define ARENA_FIRST_BYTES 112u /* many arenas contain little */
#define ARRAY_FIRST_BYTES 64u  /* and so do many arrays */
#define ARENA_BLOCK_BYTES (64u << 10)

typedef struct ArenaBlock {
    struct ArenaBlock* previous;
    size_t             bytes;
} ArenaBlock;

#define ARENA_HEAD align_up(sizeof(ArenaBlock), 16)

_Noreturn void memory_exhausted(size_t bytes) {
    fprintf(stderr, "entc: error: out of memory (%zu bytes were requested)\n", bytes);
    exit(EXIT_LIMIT);
}

void* memory_alloc_sparse(size_t bytes) {
    void* at = calloc(1, bytes ? bytes : 1);
    if (!at) memory_exhausted(bytes);
    return at;
}

void* memory_alloc(size_t bytes) {
    void* at = memory_alloc_sparse(bytes);
    pages_advise(at, bytes);
    return at;
}

void* memory_alloc_raw(size_t bytes) {
    void* at = malloc(bytes ? bytes : 1);
    if (!at) memory_exhausted(bytes);
    pages_advise(at, bytes);
    return at;
}

void memory_touch(void* at, size_t bytes) { memset(at, 0, bytes); }

void memory_prepare(void* at, size_t bytes) { pages_populate(at, bytes); }

void memory_trim(void) { pages_trim(); }

void memory_reserve(size_t bytes) { pages_reserve(bytes); }

/* If a short block stayed at the start of a long one, the free memory behind it would be too short for the next long
 * one. */
#define SHRINK_COPY_BYTES ((size_t)16 << 10)

void* memory_shrink(void* at, size_t bytes) {
    void* copy = bytes <= SHRINK_COPY_BYTES ? malloc(bytes ? bytes : 1) : NULL;
    if (copy) {
        memcpy(copy, at, bytes);
        free(at);
        return copy;
    }
    void* shrunk = realloc(at, bytes ? bytes : 1);
    return shrunk ? shrunk : at;
}

void memory_free(void* bytes) { free(bytes); }

void* arena_alloc(Arena* arena, size_t bytes) {
    const size_t need = align_up(bytes, 16);
    if (need < bytes) memory_exhausted(bytes);
    if (!arena->last || arena->last->bytes - arena->used < need) {
        const size_t grown = arena->last ? arena->last->bytes * 2 : ARENA_FIRST_BYTES;
        const size_t room = MAX_OF(need, MIN_OF(grown, (size_t)ARENA_BLOCK_BYTES));
        ArenaBlock*  block = memory_alloc(ARENA_HEAD + room);
        block->previous = arena->last;
        block->bytes = room;
        arena->last = block;
        arena->used = 0;
    }
    void* at = (u8*)arena->last + ARENA_HEAD + arena->used;
    arena->used += need;
    return at;
}

char* arena_text(Arena* arena, Text text) {
    char* copy = arena_alloc(arena, (size_t)text.bytes + 1);
    if (text.bytes) memcpy(copy, text.at, text.bytes);
    return copy;
}

char* arena_print(Arena* arena, const char* format, ...) {
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    const int bytes = vsnprintf(NULL, 0, format, arguments);
    assert(bytes >= 0);
    char* text = arena_alloc(arena, (size_t)bytes + 1);
    vsnprintf(text, (size_t)bytes + 1, format, again);
    va_end(again);
    va_end(arguments);
    return text;
}

void arena_absorb(Arena* arena, Arena* other) {
    ArenaBlock* oldest = other->last;
    if (!oldest) return;
    while (oldest->previous) oldest = oldest->previous;
    if (arena->last) {
        oldest->previous = arena->last->previous;
        arena->last->previous = other->last;
    } else {
        *arena = *other;
    }
    *other = (Arena){0};
}

void arena_drop(Arena* arena) {
    for (ArenaBlock* block = arena->last; block;) {
        ArenaBlock* previous = block->previous;
        memory_free(block);
        block = previous;
    }
    *arena = (Arena){0};
}

u64 arena_bytes(const Arena* arena) {
    u64 bytes = 0;
    for (const ArenaBlock* block = arena->last; block; block = block->previous)
        bytes += block->bytes;
    return bytes;
}

/* Grows by half of the capacity, so that n pushes cost O(n) and less than twice the memory is
 * used. A new array has the room that was reserved, or that for a few elements: 4 to 16. */
void* array_grow_(void* at, u32* capacity, u32 need, size_t element) {
    const u32 old = *capacity;
    if (need <= old) return at;
    const u64 few = MAX_OF(MIN_OF(ARRAY_FIRST_BYTES / element, (size_t)16), (size_t)4);
    const u64 min = old == 0 && need > 1 ? need : few;
    const u64 room = MAX_OF((u64)need, MAX_OF((u64)old + old / 2, min));
    if (room > UINT32_MAX) memory_exhausted(room * element);
    u8* grown = realloc(at, room * element);
    if (!grown) memory_exhausted(room * element);
    *capacity = (u32)room;
    return grown;
}

void slots_alloc(Slots* slots, u32 count) {
    memory_free(slots->at);
    *slots = (Slots){memory_alloc(sizeof(u32) * count), count};
}

void slots_grow(Slots* slots, u32 min) {
    slots_alloc(slots, slots->count ? slots->count * 2 : min);
}

void slots_drop(Slots* slots) {
    memory_free(slots->at);
    *slots = (Slots){0};
}
