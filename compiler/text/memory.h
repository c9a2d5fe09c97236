/* memory.h - the memory of the compiler: arenas that are freed completely, and growing arrays.
 *
 * entc is a program: when memory is exhausted, it reports this and exits with EXIT_LIMIT, so
 * callers need no check. All memory is zeroed. */
#ifndef ENTC_MEMORY_H
#define ENTC_MEMORY_H

#include "base.h"
#include "slots.h"

typedef struct Arena {
    struct ArenaBlock* last;
    size_t             used;
} Arena;

/* [bytes], zeroed, aligned to 16; valid until arena_drop. */
void* arena_alloc(Arena* arena, size_t bytes);
char* arena_text(Arena* arena, Text text); /* copy with a NUL */
char* arena_print(Arena* arena, const char* format, ...) PRINTF_LIKE(2, 3);
void  arena_drop(Arena* arena);
u64   arena_bytes(const Arena* arena);          /* of all its blocks */
void  arena_absorb(Arena* arena, Arena* other); /* adopts all memory of another one */

#define ARENA_NEW(arena, Type, count) ((Type*)arena_alloc((arena), sizeof(Type) * (size_t)(count)))

/* ARRAY(Node) nodes = {0}; *array_push(&nodes) = node; nodes.at[i], nodes.count; array_drop(&nodes)
 */
#define ARRAY(Type)                                                                                \
    struct {                                                                                       \
        Type* at;                                                                                  \
        u32   count, capacity;                                                                     \
    }

#define array_reserve(array, n)                                                                    \
    ((array)->at = array_grow_((array)->at, &(array)->capacity, (n), sizeof *(array)->at))
#define array_push(array)                                                                          \
    ((array)->count == (array)->capacity ? (void)array_reserve((array), (array)->count + 1)        \
                                         : (void)0,                                                \
     &(array)->at[(array)->count++])
#define array_append(array, items, n)                                                              \
    (array_reserve((array), (array)->count + (n)),                                                 \
     (n) ? (void)memcpy((array)->at + (array)->count, (items), sizeof *(array)->at * (n))          \
         : (void)0,                                                                                \
     (void)((array)->count += (n)))
#define array_drop(array)                                                                          \
    (memory_free((array)->at), (array)->at = NULL, (array)->count = (array)->capacity = 0)

#define ARRAY_BYTES(array) ((u64)(array).capacity * sizeof *(array).at)

void* array_grow_(void* at, u32* capacity, u32 need, size_t element);
void* memory_alloc(size_t bytes);

/* The same for memory of which only a part may be used: the rest is not touched. */
void* memory_alloc_sparse(size_t bytes);

/* The same, but not zeroed: for memory that libraries write before they read it. */
void* memory_alloc_raw(size_t bytes);

/* Zeroes memory by writing it. For a large table that is read before it is written: reading new
 * memory and then writing it causes two faults per page, and the second interrupts other
 * threads. */
void memory_touch(void* at, size_t bytes);

/* Provides the pages of memory that is written next, with one call instead of a fault for each. */
void memory_prepare(void* at, size_t bytes);

/* Before an element is appended to an array that is filled to about its capacity: does so for the next
 * ARRAY_WINDOW elements. */
#define ARRAY_WINDOW 8192u
#define array_prepare(array)                                                                       \
    ((array)->count % ARRAY_WINDOW == 0 && (array)->capacity - (array)->count >= ARRAY_WINDOW      \
         ? memory_prepare((array)->at + (array)->count, sizeof *(array)->at * ARRAY_WINDOW)        \
         : (void)0)

/* Returns memory that was freed, and that the heaps of all threads keep, to the system. */
void memory_trim(void);

/* Before a thread allocates many small blocks, of so many bytes together: threads then wait less for each other. */
void memory_reserve(size_t bytes);

void* memory_shrink(void* at, size_t bytes); /* releases memory after the first bytes; may move */
void  memory_free(void* bytes);

/* Tables without rows: of so many slots; of twice as many as before, but at least `least`. The
 * caller enters the rows again. */
void slots_alloc(Slots* slots, u32 count);
void slots_grow(Slots* slots, u32 min);
void slots_drop(Slots* slots);

/* Reports that memory is exhausted and exits with EXIT_LIMIT. */
_Noreturn void memory_exhausted(size_t bytes);

#endif
