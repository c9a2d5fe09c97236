/* world_text.c - the texts of a world: each is stored once, in memory that does not move. */
#include "hash.h"
#include "utf8.h"
#include "world_internal.h"

#define TEXTS_FIRST       64u
#define CHUNK_BYTES_FIRST 4096u
#define TEXTS_MAX         (1u << 31)

const char* ent_world_text(const World* w, TextRef text) {
    assert((text == 0 || text < w->texts.count) && "the text is of another world");
    return text ? w->texts.text[text] : "";
}

static bool text_is(const char* stored, const char* text, size_t bytes) {
    return strncmp(stored, text, bytes) == 0 && stored[bytes] == 0;
}

/* The text has no NUL before its end. */
static u32* text_slot(const WorldTexts* t, const char* text, size_t bytes) {
    u64 at = hash_bytes(text, bytes, 0) & (t->slot_count - 1);
    while (t->slot[at] && !text_is(t->text[t->slot[at]], text, bytes))
        at = (at + 1) & (t->slot_count - 1);
    return &t->slot[at];
}

TextRef world_text_find(const World* w, const char* text, size_t bytes) {
    return bytes && w->texts.slot_count ? *text_slot(&w->texts, text, bytes) : 0;
}

/* Ensures room for one more text in both tables. */
static ent_status tables_grow(World* w) {
    WorldTexts* t = &w->texts;
    if (t->count + 1 < t->capacity) return ENT_OK;
    if (t->capacity >= TEXTS_MAX) return ENT_LIMIT;
    const u32    capacity = t->capacity ? t->capacity * 2 : TEXTS_FIRST, slots = capacity * 2;
    const char** text = world_keep(w, sizeof(char*) * capacity);
    u32*         slot = world_keep(w, sizeof(u32) * slots);
    if (!text || !slot) {
        world_drop(w, text);
        world_drop(w, slot);
        return ENT_NO_MEMORY;
    }
    if (t->count) memcpy(text, t->text, sizeof(char*) * t->count);
    memset(slot, 0, sizeof(u32) * slots);
    world_drop(w, t->text);
    world_drop(w, t->slot);
    t->text = text, t->slot = slot;
    t->capacity = capacity, t->slot_count = slots;
    t->count = MAX_OF(t->count, 1u);
    for (u32 i = 1; i < t->count; i++) *text_slot(t, text[i], strlen(text[i])) = i;
    return ENT_OK;
}

/* Every chunk is twice as large as the one before it, so that there are few. */
static ent_status chunk_grow(World* w, size_t more) {
    WorldTexts* t = &w->texts;
    if (more <= t->chunk_bytes - t->chunk_used) return ENT_OK;
    const size_t bytes = MAX_OF(MAX_OF(t->chunk_bytes * 2, more), (size_t)CHUNK_BYTES_FIRST);
    char*        chunk = world_keep(w, bytes);
    if (!chunk) return ENT_NO_MEMORY;
    t->chunk = chunk;
    t->chunk_bytes = bytes;
    t->chunk_used = 0;
    return ENT_OK;
}

ent_status world_text_intern(World* w, const char* text, size_t bytes, TextRef* out) {
    WorldTexts* t = &w->texts;
    *out = 0;
    if (bytes == 0) return ENT_OK;
    TRY(tables_grow(w));
    u32* slot = text_slot(t, text, bytes);
    if (*slot == 0) {
        TRY(chunk_grow(w, bytes + 1));
        t->text[t->count] = memcpy(t->chunk + t->chunk_used, text, bytes);
        t->chunk[t->chunk_used + bytes] = 0;
        t->chunk_used += bytes + 1;
        *slot = t->count++;
    }
    *out = *slot;
    return ENT_OK;
}

ent_status ent_world_text_add(World* w, const char* text, TextRef* out) {
    const char* end = text + strlen(text);
    for (const char* at = text; at < end;) {
        const u32 length = utf8_length(at, end);
        if (length == 0) return ENT_BAD_FIELD;
        at += length;
    }
    return world_text_intern(w, text, (size_t)(end - text), out);
}

ent_status world_texts_of(World* w, const Blob* blob, TextRef** out) {
    const BlobSection* offsets = ent_blob_section(blob, SECTION_STRING_OFFSET);
    *out = NULL;
    if (!offsets) return ENT_OK;
    TextRef* texts = world_keep(w, sizeof(TextRef) * offsets->count);
    if (!texts) return ENT_NO_MEMORY;
    for (u32 i = 0; i < offsets->count; i++) {
        const char*      text = ent_blob_text(blob, i);
        const ent_status status = world_text_intern(w, text, strlen(text), &texts[i]);
        if (status == ENT_OK) continue;
        world_drop(w, texts);
        return status;
    }
    *out = texts;
    return ENT_OK;
}
