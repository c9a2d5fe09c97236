/* gltf_uri.c - data URIs (RFC 2397): bytes in the text of a glTF file. */
#include "diag_codes.h"
#include "gltf_internal.h"

static int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

static int base64_digit(char c) {
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    if (c == '+') return 62;
    if (c == '/') return 63;
    return -1;
}

const u8* gltf_base64(Gltf* g, const char* text, u64 length, u64* bytes) {
    if (length % 4) return NULL;
    const u32 padding = length && text[length - 1] == '=' ? 1u + (text[length - 2] == '=') : 0;
    u8*       out = arena_alloc(g->arena, length / 4 * 3 + 1);
    u32       bits = 0, held = 0;
    u64       n = 0;
    length -= padding;
    for (u64 i = 0; i < length; i++) {
        const int digit = base64_digit(text[i]);
        if (digit < 0) return NULL;
        bits = (bits << 6 | (u32)digit) & 0xffff;
        held += 6;
        if (held >= 8) {
            held -= 8;
            out[n++] = (u8)(bits >> held & 0xff);
        }
    }
    if (bits & ((1u << held) - 1)) return NULL;
    *bytes = n;
    return out;
}

bool gltf_same_letters(Text text, const char* lower) {
    for (u32 i = 0; i < text.bytes; i++) {
        const char c = text.at[i];
        if ((c >= 'A' && c <= 'Z' ? c + 32 : c) != lower[i]) return false;
    }
    return lower[text.bytes] == '\0';
}

bool gltf_is_data_uri(const JsonToken* uri) {
    const Text text = json_token_string(uri).raw;
    return text.bytes > 4 && text.at[4] == ':' && gltf_same_letters((Text){text.at, 4}, "data");
}

/* What follows "data:". A long text without escapes is not copied. */
static Text after_scheme(const Gltf* g, const JsonToken* uri) {
    const Text text = uri->escaped ? text_of(gltf_text(g, uri)) : json_token_string(uri).raw;
    return (Text){text.at + 5, text.bytes - 5};
}

/* Replaces %41 and similar escapes; returns false, after reporting it, at a character that a URI
 * must not contain. Base64 without escapes, which is the usual case, is not copied, because
 * decoding validates every character. */
static bool decode_percents(Gltf* g, const JsonToken* uri, GltfDataUri* data) {
    const char* end = data->at + data->bytes;
    if (data->is_base64 && !memchr(data->at, '%', data->bytes)) return true;
    char* to = arena_alloc(g->arena, data->bytes);
    char* first = to;
    for (const char* at = data->at; at < end; at++) {
        const u8 c = (u8)*at;
        if (c <= ' ' || c >= 0x7f || c == '#') {
            gltf_error(g, E0405, uri,
                       "contains byte 0x%02x in its data, which must be written as %%%02X", c, c);
            return false;
        }
        if (c != '%') {
            *to++ = *at;
            continue;
        }
        const int high = hex_digit(at[1]), low = high < 0 ? -1 : hex_digit(at[2]);
        if (low < 0) {
            gltf_error(g, E0405, uri,
                       "contains a %% that is not followed by two hexadecimal digits");
            return false;
        }
        *to++ = (char)(high << 4 | low);
        at += 2;
    }
    data->at = first;
    data->bytes = (u64)(to - first);
    return true;
}

/* Parameters have a value, except the last one when it is ";base64". Returns false after reporting
 * an error. */
static bool check_parameters(Gltf* g, const JsonToken* uri, Text head) {
    for (u32 at = 0; at < head.bytes;) {
        const Text part = {head.at + at, (u32)strcspn(head.at + at, ";,")};
        if (at && !memchr(part.at, '=', part.bytes)) {
            gltf_error(g, E0405, uri,
                       "has \";%.*s\" without a value; only \";base64\" directly before the ',' "
                       "may have none",
                       (int)MIN_OF(part.bytes, 64u), part.at);
            return false;
        }
        at += part.bytes + 1;
    }
    return true;
}

bool gltf_data_uri(Gltf* g, const JsonToken* uri, GltfDataUri* data) {
    static const char base64[] = ";base64";
    const u32         mark = sizeof base64 - 1;
    const Text        text = after_scheme(g, uri);
    const char* const head = text.at;
    const char* const comma = memchr(head, ',', text.bytes);
    if (!comma) {
        gltf_error(g, E0405, uri,
                   "has no ',' before its data; expected a form such as \"data:;base64,AAAA\"");
        return false;
    }
    u32 bytes = (u32)(comma - head);
    *data = (GltfDataUri){.type = {head, (u32)strcspn(head, ";,")},
                          .at = comma + 1,
                          .bytes = text.bytes - (u32)(comma + 1 - head),
                          .is_base64 = bytes >= mark &&
                                       gltf_same_letters((Text){comma - mark, mark}, base64)};
    bytes -= data->is_base64 ? mark : 0;
    if (bytes > data->type.bytes)
        gltf_remark(g, REMARK_DATA_URIS, "", uri,
                    "has a parameter after its type, which is ignored");
    else if (!data->is_base64 || memchr(data->at, '%', data->bytes))
        gltf_remark(g, REMARK_DATA_URIS, "", uri, "contains %s; glTF expects plain base64",
                    data->is_base64 ? "%-escapes in its base64 data" : "data that is not base64");
    return check_parameters(g, uri, (Text){head, bytes}) && decode_percents(g, uri, data);
}
