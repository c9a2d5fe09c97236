/* diag_place.c - the places of diagnostics in their sources, and the characters of texts. */
#include "diag_internal.h"

#include "utf8.h"

bool diag_place_is_shown(const Source* source, DiagCode code) {
    if (!source) return false;
    const bool is_grammar = code <= E0105 || code == E0109;
    return is_grammar || !source_is_binary(source);
}

static Text line_at(const Source* source, u32 start) {
    const char *line = source->text + start, *end = line;
    while (end < source->text + source_file_bytes(source) && *end != '\n' && *end != '\r') end++;
    return (Text){line, (u32)(end - line)};
}

Place diag_place(Walk* w, const Source* source, u32 offset) {
    const u32 stop = MIN_OF(offset, source_file_bytes(source));
    if (w->source != source || stop < w->offset)
        *w = (Walk){.source = source, .place = {1, 1, line_at(source, 0)}};
    const char* line = w->place.text.at;
    for (; w->offset < stop; w->offset++) {
        const u8 c = (u8)source->text[w->offset];
        w->characters += (c & 0xc0) != 0x80;
        if (c == '\n') w->place.line++, line = source->text + w->offset + 1, w->characters = 0;
    }
    if (line != w->place.text.at) w->place.text = line_at(source, (u32)(line - source->text));
    w->place.column = (u32)(source->text + stop - line) + 1;
    return w->place;
}

u32 diag_character_print(FILE* out, const char* at, const char* end) {
    const u8   c = (u8)*at;
    const u32  bytes = utf8_length(at, end);
    const bool steers = c < 0x20 || c == 0x7f || (c == 0xc2 && (u8)at[1] < 0xa0);
    if (bytes == 0 || steers)
        fputc(c == '\t' ? ' ' : '?', out);
    else
        fwrite(at, 1, bytes, out);
    return MAX_OF(bytes, 1u);
}
