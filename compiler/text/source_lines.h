/* source_lines.h - the line and column of any offset in a text, after its lines were counted. */
#ifndef ENTC_SOURCE_LINES_H
#define ENTC_SOURCE_LINES_H

#include "memory.h"
#include "source_text.h"

/* The state at the first byte of a block of the text. */
typedef struct LineMark {
    u32 line;  /* 1-based */
    u32 start; /* offset of the line */
} LineMark;

typedef struct SourceLines {
    const Source* source;
    LineMark*     marks; /* one for each block */
} SourceLines;

/* 1-based; columns count bytes, as in diagnostics. */
typedef struct LinePlace {
    u32 line, column;
} LinePlace;

/* One pass over the text, which must remain valid. Memory: 3 % of its size. */
void source_lines_count(SourceLines* lines, const Source* source);
void source_lines_drop(SourceLines* lines);

/* Cost: reads less than a block of the text, however long its lines are. */
LinePlace source_lines_at(const SourceLines* lines, u32 offset);

#endif
