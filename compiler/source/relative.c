/* relative.c - relative paths and their URIs (RFC 3986, section 2.1). */
#include "relative.h"

#include <stdio.h>

const char* path_beside(Arena* arena, const char* path, const char* relative) {
    const char* slash = strrchr(path, '/');
    char*       full = arena_print(arena, "%.*s%s", (int)(slash + 1 - path), path, relative);
    char*       to = full + (slash + 1 - path);
    char*       from = to;
    for (bool more = true; more;) {
        const size_t bytes = strcspn(from, "/");
        more = from[bytes] == '/';
        const bool up = bytes == 2 && from[0] == '.' && from[1] == '.';
        if (up && to > full + 1) { /* removes the slash, then the name */
            for (to--; to > full && to[-1] != '/';) to--;
        } else if (bytes > 0 && !(bytes == 1 && from[0] == '.')) {
            memmove(to, from, bytes);
            to += bytes;
            *to++ = '/';
        }
        from += bytes + more;
    }
    if (to > full) to--;
    *to = 0;
    return full;
}

const char* path_between(Arena* arena, const char* from, const char* to) {
    size_t common = 0, at = 0;
    for (; from[at] && from[at] == to[at]; at++) {
        if (from[at] == '/') common = at + 1;
    }
    size_t ups = 0;
    for (const char* rest = from + common; (rest = strchr(rest, '/')); rest++) ups++;
    char* text = arena_alloc(arena, ups * 3 + strlen(to + common) + 1);
    for (size_t i = 0; i < ups; i++) memcpy(text + i * 3, "../", 3);
    strcpy(text + ups * 3, to + common);
    return text;
}

bool path_is_below(Text path) {
    const char* end = path.at + path.bytes;
    if (path.bytes == 0 || path.at[0] == '/') return false;
    for (const char* segment = path.at; segment;) {
        const char* slash = memchr(segment, '/', (size_t)(end - segment));
        if ((slash ? slash : end) - segment == 2 && segment[0] == '.' && segment[1] == '.')
            return false;
        segment = slash ? slash + 1 : NULL;
    }
    return true;
}

bool uri_has_scheme(const char* uri) {
    const size_t letters = strspn(uri, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                       "0123456789+-.");
    return letters > 1 && uri[letters] == ':';
}

static int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

const char* uri_decode(Arena* arena, const char* uri) {
    char* text = arena_text(arena, text_of(uri));
    char* to = text;
    for (const char* from = text; *from; from++) {
        if (*from != '%') {
            *to++ = *from;
            continue;
        }
        const int high = hex_digit(from[1]), low = high < 0 ? -1 : hex_digit(from[2]);
        if (low < 0 || (high | low) == 0) return NULL;
        *to++ = (char)(high << 4 | low);
        from += 2;
    }
    *to = '\0';
    return text;
}

/* The spelling of a segment in `model`; nothing when it has no such segment. */
static Text segment_in(Arena* arena, const char* model, Text segment) {
    while (*model) {
        const Text  written = {model, (u32)strcspn(model, "/")};
        const char* plain = uri_decode(arena, arena_text(arena, written));
        if (plain && text_equal(text_of(plain), segment)) return written;
        model += written.bytes + (model[written.bytes] == '/');
    }
    return (Text){0};
}

static bool is_plain_in_uri(char c) {
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')) return true;
    return (u8)c >= 0x80 || strchr("-._~!$&'()*+,;=@", c);
}

const char* uri_encode(Arena* arena, const char* path, const char* model) {
    char* text = arena_alloc(arena, strlen(path) * 3 + strlen(model) + 1);
    char* to = text;
    while (*path) {
        const Text segment = {path, (u32)strcspn(path, "/")};
        const Text written = segment_in(arena, model, segment);
        if (written.at) memcpy(to, written.at, written.bytes);
        to += written.bytes;
        for (u32 i = 0; !written.at && i < segment.bytes; i++) {
            if (is_plain_in_uri(segment.at[i]))
                *to++ = segment.at[i];
            else
                to += sprintf(to, "%%%02X", (u8)segment.at[i]);
        }
        path += segment.bytes;
        if (*path) *to++ = *path++;
    }
    *to = 0;
    return text;
}
