/* compile_strings.c - the strings of text fields: each is in a blob once. */
#include "compile.h"
#include "fields.h"
#include "hash.h"

static u32* text_slot(const Compile* c, Text text) {
    u32* slot = slots_first(&c->text_slots, hash_bytes(text.at, text.bytes, 0));
    while (*slot && !text_equal(text_of(c->texts.at[*slot]), text)) {
        slot = slots_next(&c->text_slots, slot);
    }
    return slot;
}

static void texts_grow(Compile* c) {
    slots_grow(&c->text_slots, 64);
    for (u32 i = 1; i < c->texts.count; i++) *text_slot(c, text_of(c->texts.at[i])) = i;
}

u32 compile_string(Compile* c, Text text) {
    if (text.bytes == 0) return 0;
    if (c->texts.count == 0) *array_push(&c->texts) = "";
    if (slots_are_full(&c->text_slots, c->texts.count)) texts_grow(c);
    u32* slot = text_slot(c, text);
    if (*slot == 0) {
        *slot = c->texts.count;
        *array_push(&c->texts) = arena_text(&c->arena, text);
    }
    return *slot;
}

const char* compile_string_of(const Compile* c, u32 text) {
    assert(text == 0 || text < c->texts.count);
    return text ? c->texts.at[text] : "";
}

/* --- the rows of a blob --- */

/* Calls `number` for the word of every text in the rows [first, end) of a type. */
static void words_renumber(Output* out, const ComponentType* type, u32 first, u32 end,
                           u32 (*number)(void* user, u32 word), void* user) {
    for (u32 f = 0; f < type->record.field_count; f++) {
        const Field* field = &type->record.fields[f];
        const u32    column = type->columns == BY_FIELD ? f : 0;
        if (field_form(field) != FORM_TEXT) continue;
        const u32 stride = ent_component_column_bytes(type, column);
        u8*       at = output_column(out, type, column);
        if (!at) return;
        at += field->offset - ent_component_column_offset(type, column);
        for (u32 row = first; row < end; row++) {
            for (u32 e = 0; e < field->bytes; e += 4) {
                u32 word;
                memcpy(&word, at + (size_t)row * stride + e, 4);
                word = number(user, word);
                memcpy(at + (size_t)row * stride + e, &word, 4);
            }
        }
    }
}

typedef struct Join {
    Compile*       c;
    const Compile* part;
} Join;

static u32 join_number(void* user, u32 word) {
    const Join* join = user;
    return compile_string(join->c, text_of(compile_string_of(join->part, word)));
}

void compile_strings_join(Compile* c, const Compile* part, Output* out, const u32* first,
                          const u32* end) {
    Join join = {c, part};
    if (part->texts.count == 0) return;
    for (u32 t = 0; t < c->registry->count; t++) {
        words_renumber(out, c->registry->types[t], first[t], end[t], join_number, &join);
    }
}

typedef struct Order {
    u32* string; /* [texts] of each text; 0: it has none yet */
    ARRAY(u32) texts;
    u32            bytes;
    const Compile* c;
} Order;

static u32 order_number(void* user, u32 word) {
    Order* order = user;
    if (word == 0 || order->string[word]) return word ? order->string[word] : 0;
    *array_push(&order->texts) = word;
    order->bytes += (u32)strlen(compile_string_of(order->c, word)) + 1;
    return order->string[word] = order->texts.count;
}

void compile_write_texts(Compile* c, Output* out) {
    Order order = {.c = c, .bytes = 1};
    if (c->texts.count == 0) return;
    order.string = memory_alloc(sizeof(u32) * c->texts.count);
    for (u32 t = 0; t < c->registry->count; t++) {
        const ComponentType* type = c->registry->types[t];
        words_renumber(out, type, 0, output_count(out, type), order_number, &order);
    }
    if (order.texts.count) {
        u32* offset = memory_alloc(sizeof(u32) * (order.texts.count + 1));
        for (u32 i = 0, at = 1; i < order.texts.count; i++) {
            offset[i + 1] = at;
            at += (u32)strlen(compile_string_of(c, order.texts.at[i])) + 1;
        }
        output_section(out, SECTION_STRING_OFFSET, offset, order.texts.count + 1);
        char* text = output_section(out, SECTION_STRING, NULL, order.bytes);
        for (u32 i = 0; i < order.texts.count && text; i++) {
            strcpy(text + offset[i + 1], compile_string_of(c, order.texts.at[i]));
        }
        memory_free(offset);
    }
    array_drop(&order.texts);
    memory_free(order.string);
}
