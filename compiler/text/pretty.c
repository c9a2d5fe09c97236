/* pretty.c - writes JSON with indentation. */
#include "pretty.h"

#include <stdlib.h>

static void text_put(FILE* out, const char* text) {
    fputc('"', out);
    for (; *text; text++) {
        const u8 c = (u8)*text;
        if (c == '"' || c == '\\')
            fprintf(out, "\\%c", c);
        else if (c < 0x20 || c == 0x7f)
            fprintf(out, "\\u%04x", c);
        else
            fputc(c, out);
    }
    fputc('"', out);
}

const char* number_text(f64 value, char text[32]) {
    snprintf(text, 32, "%.15g", value);
    return text;
}

static void number_put(FILE* out, f64 value) {
    char text[32];
    fputs(number_text(value, text), out);
}

/* Prepares the output of the next value, including its key. */
static void value_begin(Pretty* w, const char* key) {
    if (w->filled) fputc(',', w->out);
    if (w->depth) fprintf(w->out, "\n%*s", (int)w->depth * 2, "");
    if (key) {
        text_put(w->out, key);
        fputs(": ", w->out);
    }
    w->filled = true;
}

static void enter(Pretty* w, const char* key, const char brackets[2]) {
    assert(w->depth < PRETTY_DEPTH_MAX);
    value_begin(w, key);
    fputc(brackets[0], w->out);
    w->close[w->depth++] = brackets[1];
    w->filled = false;
}

void pretty_object(Pretty* w, const char* key) { enter(w, key, "{}"); }
void pretty_array(Pretty* w, const char* key) { enter(w, key, "[]"); }

void pretty_end(Pretty* w) {
    assert(w->depth > 0);
    w->depth--;
    if (w->filled) fprintf(w->out, "\n%*s", (int)w->depth * 2, "");
    fputc(w->close[w->depth], w->out);
    if (w->depth == 0) fputc('\n', w->out);
    w->filled = true;
}

void pretty_text(Pretty* w, const char* key, const char* text) {
    value_begin(w, key);
    text_put(w->out, text);
}

void pretty_number(Pretty* w, const char* key, f64 value) {
    value_begin(w, key);
    number_put(w->out, value);
}

void pretty_number_exact(Pretty* w, const char* key, f64 value) {
    char text[32];
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value) break;
    }
    value_begin(w, key);
    fputs(text, w->out);
}

void pretty_null(Pretty* w, const char* key) {
    value_begin(w, key);
    fputs("null", w->out);
}

void pretty_bool(Pretty* w, const char* key, bool value) {
    value_begin(w, key);
    fputs(value ? "true" : "false", w->out);
}

void pretty_texts(Pretty* w, const char* key, const char* const* texts, u32 count) {
    value_begin(w, key);
    for (u32 i = 0; i < count; i++) {
        fputs(i ? ", " : "[", w->out);
        text_put(w->out, texts[i]);
    }
    fputs(count ? "]" : "[]", w->out);
}

void pretty_numbers(Pretty* w, const char* key, const f64* values, u32 count) {
    value_begin(w, key);
    for (u32 i = 0; i < count; i++) {
        fputs(i ? ", " : "[", w->out);
        number_put(w->out, values[i]);
    }
    fputs(count ? "]" : "[]", w->out);
}
