/* edits_diff.c - prints the changes of a move as a diff that git accepts. */
#include "edits.h"

#define CONTEXT 3 /* lines around a change */

/* No splice contains a line break, so line numbers do not change. */
typedef struct Lines {
    const FileMove* move;
    u32*            start; /* [count + 1] offset of each line, then the end */
    u32             count;
    u32*            splice; /* [count] first splice that is not before the line */
} Lines;

static void lines_read(Lines* l, Arena* arena) {
    const Text text = l->move->text;
    u32        count = 0;
    for (u32 i = 0; i < text.bytes; i++) count += text.at[i] == '\n';
    l->start = ARENA_NEW(arena, u32, count + 3);
    for (u32 i = 0; i < text.bytes; i++) {
        if (text.at[i] == '\n') l->start[++l->count] = i + 1;
    }
    if (text.bytes > l->start[l->count]) l->start[++l->count] = text.bytes;
    l->splice = ARENA_NEW(arena, u32, l->count + 1);
    u32 at = 0;
    for (u32 i = 0; i <= l->count; i++) {
        while (at < l->move->splice_count && l->move->splices[at].offset < l->start[i]) at++;
        l->splice[i] = at;
    }
}

static bool line_changes(const Lines* l, u32 line) {
    return line < l->count && l->splice[line] != l->splice[line + 1];
}

static void line_end_print(FILE* out, const Lines* l, u32 line) {
    if (l->move->text.at[l->start[line + 1] - 1] != '\n')
        fputs("\n\\ No newline at end of file\n", out);
}

static void line_print(FILE* out, const Lines* l, u32 line, char mark) {
    fputc(mark, out);
    fwrite(l->move->text.at + l->start[line], 1, l->start[line + 1] - l->start[line], out);
    line_end_print(out, l, line);
}

static void line_print_after(FILE* out, const Lines* l, u32 line) {
    u32 at = l->start[line];
    fputc('+', out);
    for (u32 i = l->splice[line]; i < l->splice[line + 1]; i++) {
        const Splice* s = &l->move->splices[i];
        fwrite(l->move->text.at + at, 1, s->offset - at, out);
        fwrite(s->after.at, 1, s->after.bytes, out);
        at = s->offset + s->before.bytes;
    }
    fwrite(l->move->text.at + at, 1, l->start[line + 1] - at, out);
    line_end_print(out, l, line);
}

static void hunk_print(FILE* out, const Lines* l, u32 first, u32 end) {
    fprintf(out, "@@ -%u,%u +%u,%u @@\n", first + 1, end - first, first + 1, end - first);
    for (u32 line = first; line < end;) {
        u32 last = line;
        while (line_changes(l, last) && last < end) last++;
        for (u32 i = line; i < last; i++) line_print(out, l, i, '-');
        for (u32 i = line; i < last; i++) line_print_after(out, l, i);
        for (line = last; line < end && !line_changes(l, line); line++)
            line_print(out, l, line, ' ');
    }
}

static void hunks_print(FILE* out, const FileMove* move) {
    Arena arena = {0};
    Lines l = {.move = move};
    lines_read(&l, &arena);
    for (u32 line = 0; line < l.count;) {
        while (line < l.count && !line_changes(&l, line)) line++;
        if (line == l.count) break;
        u32 last = line; /* changed, with at most twice the context to the next one */
        for (u32 i = line + 1; i < l.count && i <= last + 2 * CONTEXT + 1; i++) {
            if (line_changes(&l, i)) last = i;
        }
        hunk_print(out, &l, line > CONTEXT ? line - CONTEXT : 0,
                   MIN_OF(last + CONTEXT + 1, l.count));
        line = last + CONTEXT + 1;
    }
    arena_drop(&arena);
}

/* A path in the form of git: one with special bytes is quoted. */
static void path_print(FILE* out, const char* side, const char* prefix, const char* path) {
    const char* const parts[] = {side, prefix, path};
    bool              odd = false;
    for (u32 i = 0; i < COUNT_OF(parts); i++) {
        for (const char* at = parts[i]; *at; at++)
            odd |= (u8)*at < 0x20 || *at == '"' || *at == '\\' || *at == 0x7f;
    }
    if (odd) fputc('"', out);
    for (u32 i = 0; i < COUNT_OF(parts); i++) {
        for (const char* at = parts[i]; *at; at++) {
            if ((u8)*at < 0x20 || *at == 0x7f)
                fprintf(out, "\\%03o", (unsigned)*at);
            else
                fprintf(out, "%s%c", *at == '"' || *at == '\\' ? "\\" : "", *at);
        }
    }
    if (odd) fputc('"', out);
}

/* A name with a space ends with a tab, where something else might follow. */
static void side_print(FILE* out, const char* mark, const char* side, const char* prefix,
                       const char* path) {
    fputs(mark, out);
    path_print(out, side, prefix, path);
    fputs(strchr(prefix, ' ') || strchr(path, ' ') ? "\t\n" : "\n", out);
}

void file_move_print(FILE* out, const char* prefix, const FileMove* move) {
    const bool moves = strcmp(move->from, move->to) != 0;
    if (moves || !move->binary) {
        fputs("diff --git ", out);
        path_print(out, "a/", prefix, move->from);
        fputc(' ', out);
        path_print(out, "b/", prefix, move->to);
        fputc('\n', out);
    }
    if (moves) {
        fputs("rename from ", out);
        path_print(out, "", prefix, move->from);
        fputs("\nrename to ", out);
        path_print(out, "", prefix, move->to);
        fputc('\n', out);
    }
    if (move->splice_count == 0) return;
    if (move->binary) {
        fprintf(out, "%s%s: %u %s in its JSON\n", prefix, move->from, move->places,
                move->places == 1 ? "place changes" : "places change");
        return;
    }
    side_print(out, "--- ", "a/", prefix, move->from);
    side_print(out, "+++ ", "b/", prefix, move->to);
    hunks_print(out, move);
}
