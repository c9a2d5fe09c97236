/* source_lines.c - lines of a text by blocks of it. */
#include "source_lines.h"

#define BLOCK_BYTES 256u

void source_lines_count(SourceLines* lines, const Source* source) {
    const u32 blocks = source_file_bytes(source) / BLOCK_BYTES + 1;
    u32       block = 0;
    *lines = (SourceLines){source, memory_alloc(sizeof(LineMark) * blocks)};
    for (LineMark at = {1, 0}; block < blocks; at.line++) {
        const char* rest = source->text + at.start;
        const char* newline = memchr(rest, '\n', source_file_bytes(source) - at.start);
        const u32   end = newline ? (u32)(newline - source->text) : source_file_bytes(source);
        while (block < blocks && block * BLOCK_BYTES <= end) lines->marks[block++] = at;
        at.start = end + 1;
    }
}

void source_lines_drop(SourceLines* lines) {
    memory_free(lines->marks);
    *lines = (SourceLines){0};
}

LinePlace source_lines_at(const SourceLines* lines, u32 offset) {
    const char* text = lines->source->text;
    const u32   position = source_position(lines->source, offset);
    const u32 stop = MIN_OF(position, source_file_bytes(lines->source)), block = stop / BLOCK_BYTES;
    LineMark  at = lines->marks[block];
    u32       from = block * BLOCK_BYTES;
    for (const char* end; (end = memchr(text + from, '\n', stop - from));) {
        from = at.start = (u32)(end - text) + 1;
        at.line++;
    }
    return (LinePlace){at.line, stop - at.start + 1};
}
