/* gltf_image.c - the images of a glTF file: embedded images must have the declared type. Only their
 * headers are read here. */
#include "gltf_internal.h"

#include "diag_codes.h"
#include "relative.h"

#define MAGIC_BYTES 14u /* no image is shorter */
#define WEBP_BYTES  30u

typedef enum Format { UNKNOWN, JPEG, PNG, WEBP, KTX2, FORMAT_COUNT } Format;

static const char* const mime_types[FORMAT_COUNT] = {"", "image/jpeg", "image/png", "image/webp",
                                                     "image/ktx2"};

typedef struct Bytes {
    const u8* at; /* or NULL: not in this file, or it was reported */
    u64       count;
} Bytes;

static u32 big_u32(const u8* at) {
    return (u32)at[0] << 24 | (u32)at[1] << 16 | (u32)at[2] << 8 | (u32)at[3];
}

static Format format_of(Bytes b) {
    if (b.count < MAGIC_BYTES) return UNKNOWN;
    if (memcmp(b.at, "\xff\xd8\xff", 3) == 0) return JPEG;
    if (memcmp(b.at, "\x89PNG\r\n\x1a\n", 8) == 0) return PNG;
    if (memcmp(b.at, "RIFF", 4) == 0 && memcmp(b.at + 8, "WEBPVP", 6) == 0) return WEBP;
    if (memcmp(b.at, "\xabKTX 20\xbb\r\n\x1a\n", 12) == 0) return KTX2;
    return UNKNOWN;
}

/* --- headers: the error, or NULL --- */

static bool jpeg_is_frame(u8 marker) {
    return ((marker & 0xf0) == 0xc0 && marker != 0xc4 && marker != 0xc8 && marker != 0xcc) ||
           marker == 0xde;
}

/* The bytes after 0xff that do not begin a segment: fill bytes, restarts, start, end. */
static bool jpeg_is_alone(u8 marker) {
    return marker == 0x01 || (marker & 0xf8) == 0xd0 || marker == 0xd8 || marker == 0xd9 ||
           marker == 0xff;
}

static const char* jpeg_fault(Bytes b) {
    for (u64 i = 0; i < b.count;) {
        if (b.at[i] == 0xff || jpeg_is_alone(b.at[i])) { /* up to the marker of a segment */
            i++;
            continue;
        }
        const u8 marker = b.at[i++];
        if (b.count - i < 2) break;
        const u32 length = (u32)(b.at[i] << 8 | b.at[i + 1]);
        if (length < 2) return "has a segment whose length is less than 2";
        if (length > b.count - i) break;
        if (jpeg_is_frame(marker)) {
            if (length < 8) return "has a frame header that is too short";
            const u8 channels = b.at[i + 7]; /* 4: CMYK */
            return channels == 1 || channels == 3 || channels == 4
                       ? NULL
                       : "has neither 1, 3 nor 4 channels";
        }
        i += length;
    }
    return "is truncated: it ends before its frame header";
}

static const char* png_fault(Bytes b) {
    static const struct {
        const char* name;
        u32         length;
    } fixed[] = {{"IHDR", 13}, {"cHRM", 32}, {"sRGB", 1}, {"pHYs", 9}, {"gAMA", 4}};
    bool header = false;
    for (u64 i = 8; b.count - i >= 8;) {
        const u32 length = big_u32(b.at + i);
        const u8* name = b.at + i + 4;
        for (u32 k = 0; k < COUNT_OF(fixed); k++) {
            if (memcmp(name, fixed[k].name, 4) != 0) continue;
            if (length != fixed[k].length) return "has a chunk of the wrong length";
            header |= k == 0;
        }
        if (memcmp(name, "IDAT", 4) == 0)
            return header ? NULL : "has no header chunk (IHDR) before its data";
        if ((u64)length + 12 > b.count - i) break;
        i += (u64)length + 12;
    }
    return "is truncated: it ends before its data";
}

static const char* webp_fault(Bytes b) {
    const bool lossless = b.count >= 25 && b.at[15] == 'L';
    if (b.count < WEBP_BYTES && !lossless) return "is truncated: it ends inside its header";
    if (b.at[15] == ' ' || b.at[15] == 'L' || b.at[15] == 'X') return NULL;
    return "has a header that is not that of WebP";
}

static const char* image_fault(Format format, Bytes b) {
    switch (format) {
    case JPEG: return jpeg_fault(b);
    case PNG: return png_fault(b);
    case WEBP: return webp_fault(b);
    default: return NULL;
    }
}

/* --- images --- */

/* Base64 as in RFC 4648: unpadded and URL-safe forms are used too. */
static Bytes decode_base64(Gltf* g, const GltfDataUri* data) {
    Bytes bytes = {0};
    char* plain = arena_alloc(g->arena, data->bytes + 4);
    u64   n = 0;
    for (; n < data->bytes; n++) {
        const char c = data->at[n];
        plain[n] = c == '-' ? '+' : c == '_' ? '/' : c;
    }
    while (n % 4) plain[n++] = '=';
    bytes.at = gltf_base64(g, plain, n, &bytes.count);
    return bytes;
}

/* The bytes of a data URI; its type must be that of the data. */
static Bytes read_data(Gltf* g, const JsonToken* uri) {
    GltfDataUri data;
    if (!gltf_data_uri(g, uri, &data)) return (Bytes){0};
    const Bytes bytes =
        data.is_base64 ? decode_base64(g, &data) : (Bytes){(const u8*)data.at, data.bytes};
    if (!bytes.at) {
        gltf_error(g, E0405, uri, "contains data that is not valid base64");
        return bytes;
    }
    const Format format = format_of(bytes);
    const bool   typed = data.type.bytes > 0; /* it may be omitted */
    if (format != UNKNOWN && typed && !gltf_same_letters(data.type, mime_types[format]))
        gltf_remark(g, REMARK_IMAGES, "", uri, "has the type \"%.*s\", but its data is %s",
                    (int)MIN_OF(data.type.bytes, 64u), data.type.at, mime_types[format]);
    return bytes;
}

static Bytes read_bytes(Gltf* g, const JsonToken* image, const JsonToken* uri) {
    const JsonToken* at = json_get(image, "bufferView");
    const JsonToken* list = json_get(image, "extensions");
    if (json_first(list)) return (Bytes){0}; /* an extension may define its type */
    if (uri) return gltf_is_data_uri(uri) ? read_data(g, uri) : (Bytes){0};
    const u32       index = at ? gltf_index_of(g, at, &g->lists.views) : NONE;
    const GltfView* view = index == NONE ? NULL : gltf_view(g, index);
    if (!view) return (Bytes){0};
    gltf_claim_view(g, at, index, USE_IMAGE);
    return (Bytes){view->at, view->bytes};
}

/* Another file is recorded as a file to which a model refers, also if no material uses it. */
static void image_name(Gltf* g, const char* uri) {
    const char* path = uri_has_scheme(uri) ? NULL : uri_decode(g->arena, uri);
    if (path) g->files->named(g->files->user, path);
}

static bool is_plain(const char* type) {
    return strcmp(type, mime_types[JPEG]) == 0 || strcmp(type, mime_types[PNG]) == 0;
}

/* Of an image that is used, or, in the mode for it, of one that is not. */
static void read_image(Gltf* g, const JsonToken* image, GltfImage* out) {
    const JsonToken* uri = gltf_member(g, image, "uri", JSON_STRING);
    const JsonToken* view = json_get(image, "bufferView");
    const JsonToken* mime = json_get(image, "mimeType");
    if (!json_get(image, "uri") == !view)
        gltf_error(g, E0403, image, "must have either a \"uri\" or a \"bufferView\"%s",
                   view ? ", not both" : "");
    if (view && !mime)
        gltf_remark(g, REMARK_IMAGES, "", image, "has a \"bufferView\" but no \"mimeType\"");
    if (uri && *gltf_text(g, uri) == ':')
        gltf_error(g, E0405, uri, "is \"%.128s\", which is not a valid URI", gltf_text(g, uri));
    if (!json_token_is(mime, JSON_STRING)) mime = NULL;
    const Bytes  bytes = read_bytes(g, image, uri);
    const Format format = bytes.at ? format_of(bytes) : UNKNOWN;
    const char*  fault = image_fault(format, bytes);
    const bool   is_named = format == JPEG || format == PNG || format == WEBP;
    const char*  name = is_named ? mime_types[format] : NULL;
    if (fault)
        gltf_error(g, E0403, uri ? uri : view, "contains data that is not valid %s: it %s", name,
                   fault);
    if (!fault && mime && name && !json_token_equals(mime, name))
        gltf_remark(g, REMARK_IMAGES, "", mime, "is \"%.64s\", but the data is %s",
                    gltf_text(g, mime), name);
    if (!name && mime) name = gltf_text(g, mime);
    /* An extension may define another type. */
    const bool known = bytes.at ? format == PNG || format == JPEG : !name || is_plain(name);
    const bool plain = known && !json_get(image, "extensions");
    out->at = bytes.at, out->bytes = bytes.count, out->plain = plain;
}

bool gltf_image_is_known(const u8* bytes, u64 size) {
    const Format format = format_of((Bytes){bytes, size});
    return format == PNG || format == JPEG;
}

const GltfImage* gltf_image(Gltf* g, u32 index) {
    GltfImage* image = &g->images[index];
    if (!image->is_read && json_token_is(g->lists.images.at[index], JSON_OBJECT))
        read_image(g, g->lists.images.at[index], image);
    image->is_read = true;
    return image;
}

/* Other files are recorded, whether something uses them or not. */
void gltf_read_images(Gltf* g) {
    g->images = ARENA_NEW(g->arena, GltfImage, g->lists.images.count);
    for (u32 i = 0; i < g->lists.images.count; i++) {
        const JsonToken* uri = json_get(g->lists.images.at[i], "uri");
        if (json_token_is(uri, JSON_STRING)) image_name(g, gltf_text(g, uri));
    }
}
