/* database_links.c - validates the places of references, in time linear in their bytes. */
#include "asset_name.h"
#include "assets.h"
#include "compile.h"
#include "database_links.h"
#include "sections.h"
#include "search.h"

/* The texts of a file, each of which one row has. */
typedef struct Texts {
    const Stored* stored;
    u32           next; /* where the text of the next row begins */
} Texts;

static bool text_take(Texts* texts, u32 at, Text* text) {
    if (at != texts->next || at >= texts->stored->head->text_bytes) return false;
    *text = text_of(texts->stored->text + at);
    texts->next += text->bytes + 1;
    return text->bytes > 0;
}

static Text stored_text(const Stored* s, u32 at) { return text_of(s->text + at); }

static bool type_is_valid(u32 type) { return type != RESOURCE_NONE && type < RESOURCE_COUNT; }

static bool is_source(const Stored* s, u32 file) {
    return file < s->head->file_count && s->files[file].name != STORED_NO_NAME;
}

/* --- files --- */

/* Name, type and form of a source are those that its path states; any path that does not state a
 * type may be of the type data, because of the settings of the project. */
static bool name_is_that_of_path(const StoredFile* f, Text path, Text name) {
    const char*  slash = strrchr(path.at, '/');
    const Text   base = text_of(slash ? slash + 1 : path.at);
    const Suffix plain = suffix_of(base);
    const bool   is_data = f->form == ASSET_FILE && !suffix_is_typed(plain);
    const Suffix suffix = is_data ? suffix_of_data(base) : plain;
    const char*  reason;
    char         fixed[256];
    return suffix.kind == SUFFIX_VALID && suffix.form != ASSET_SETTINGS &&
           (u32)suffix.type == f->type && (u32)suffix.form == f->form &&
           text_equal(source_name(path.at, &suffix, fixed, &reason), name) &&
           resource_name_is_canonical(name);
}

static bool source_is_valid(const Stored* s, const StoredFile* f, Texts* texts) {
    const bool has_image = f->type == RESOURCE_TEXTURE && f->form == ASSET_JSON;
    Text       name;
    return text_take(texts, f->name, &name) && stored_has_hash(f) && f->kind == FILE_REGULAR &&
           (has_image || f->image_offset == 0) &&
           name_is_that_of_path(f, stored_text(s, f->path), name);
}

static bool paths_are_valid(const Stored* s, Texts* texts) {
    const char* before = "";
    for (u32 i = 0; i < s->head->file_count; i++) {
        const StoredFile* f = &s->files[i];
        Text              path;
        if (!text_take(texts, f->path, &path) || strcmp(before, path.at) >= 0) return false;
        if (f->kind > FILE_OTHER || f->link > 1 || f->spare != 0) return false;
        before = path.at;
    }
    return true;
}

static bool sources_are_valid(const Stored* s, Texts* texts) {
    for (u32 i = 0; i < s->head->file_count; i++) {
        const StoredFile* f = &s->files[i];
        const bool        valid = f->name == STORED_NO_NAME
                                      ? f->type == 0 && f->form == 0 && f->image_offset == 0
                                      : source_is_valid(s, f, texts);
        if (!valid) return false;
    }
    return true;
}

/* --- what they contain --- */

static int place_order(const Stored* s, const StoredPlace* a, const StoredPlace* b) {
    if (a->file != b->file) return a->file < b->file ? -1 : 1;
    if (a->offset != b->offset) return a->offset < b->offset ? -1 : 1;
    if (a->kind != b->kind) return a->kind < b->kind ? -1 : 1;
    const int name = strcmp(s->text + a->name, s->text + b->name);
    return name ? name : a->type < b->type ? -1 : a->type > b->type;
}

/* Texts of one file do not overlap; a pattern is one for each resource that it matches. */
static bool places_are_apart(const StoredPlace* a, const StoredPlace* b) {
    const bool are_one = a->offset == b->offset && a->kind == LINK_PATTERN &&
                         b->kind == LINK_PATTERN && a->bytes == b->bytes;
    return a->file != b->file || are_one || b->offset - a->offset >= a->bytes;
}

static bool place_is_valid(const Stored* s, const StoredPlace* p, Texts* texts) {
    Text name;
    if (!is_source(s, p->file) || p->kind >= LINK_KINDS || !type_is_valid(p->type)) return false;
    if (form_is_bytes((AssetForm)s->files[p->file].form) || p->line == 0 || p->column == 0)
        return false;
    if (link_kind_is_text((LinkKind)p->kind) && p->bytes < 2) return false;
    return p->offset <= SOURCE_BYTES_MAX && p->bytes <= SOURCE_BYTES_MAX &&
           text_take(texts, p->name, &name) && resource_name_is_canonical(name);
}

static bool places_are_valid(const Stored* s, Texts* texts) {
    const StoredPlace* text = NULL; /* the previous one that is a text */
    for (u32 i = 0; i < s->head->place_count; i++) {
        const StoredPlace* p = &s->places[i];
        if (!place_is_valid(s, p, texts)) return false;
        if (i && place_order(s, p - 1, p) >= 0) return false;
        if (!link_kind_is_text((LinkKind)p->kind)) continue;
        if (text && !places_are_apart(text, p)) return false;
        text = p;
    }
    return true;
}

static int product_order(const Stored* s, const StoredProduct* a, const StoredProduct* b) {
    const int name = strcmp(s->text + a->name, s->text + b->name);
    if (name) return name;
    if (a->type != b->type) return a->type < b->type ? -1 : 1;
    return a->file < b->file ? -1 : a->file > b->file;
}

/* A resource has the name and type of its file, or is below the name of a model. */
static bool product_is_of_file(const Stored* s, const StoredProduct* p, Text name) {
    const StoredFile* f = &s->files[p->file];
    const Text        file_name = stored_text(s, f->name);
    if (name.bytes < file_name.bytes || memcmp(name.at, file_name.at, file_name.bytes) != 0)
        return false;
    if (name.bytes == file_name.bytes) return p->type == f->type;
    return form_is_model((AssetForm)f->form) && name.at[file_name.bytes] == '/' &&
           resource_name_is_canonical(name);
}

static bool products_are_valid(const Stored* s, Texts* texts) {
    for (u32 i = 0; i < s->head->product_count; i++) {
        const StoredProduct* p = &s->products[i];
        Text                 name;
        if (!is_source(s, p->file) || !type_is_valid(p->type)) return false;
        if (!text_take(texts, p->name, &name) || !product_is_of_file(s, p, name)) return false;
        if (i && product_order(s, p - 1, p) >= 0) return false;
    }
    return true;
}

static bool targets_are_valid(const Stored* s, Texts* texts) {
    for (u32 i = 0; i < s->head->target_count; i++) {
        const StoredTarget* t = &s->targets[i];
        Text                path;
        if (!is_source(s, t->file) || !text_take(texts, t->path, &path)) return false;
        if (i == 0) continue;
        if (t[-1].file > t->file) return false;
        if (t[-1].file == t->file && strcmp(s->text + t[-1].path, path.at) > 0) return false;
    }
    return true;
}

static bool besides_are_valid(const Stored* s) {
    for (u32 i = 0; i < s->head->beside_count; i++) {
        const StoredBeside* b = &s->besides[i];
        if (!is_source(s, b->file) || b->other >= s->head->file_count) return false;
        if (s->files[b->other].kind != FILE_REGULAR || !stored_has_hash(&s->files[b->other]))
            return false;
        if (i && (b[-1].file > b->file || (b[-1].file == b->file && b[-1].other >= b->other)))
            return false;
    }
    return true;
}

static bool rows_are_valid(const Stored* s) {
    const u32 bytes = s->head->text_bytes;
    Texts     texts = {s, 1};
    return bytes > 0 && s->text[0] == 0 && s->text[bytes - 1] == 0 && paths_are_valid(s, &texts) &&
           sources_are_valid(s, &texts) && places_are_valid(s, &texts) &&
           products_are_valid(s, &texts) && targets_are_valid(s, &texts) && texts.next == bytes &&
           besides_are_valid(s);
}

/* Behind the hash. */
static Text hashed_of(Text part) {
    const u32 from = (u32)(offsetof(StoredHead, hash) + sizeof(Hash128));
    return (Text){part.at + from, part.bytes - from};
}

bool stored_open(Stored* s, Text part) {
    const StoredHead* head = s->head = (const void*)part.at;
    if (part.bytes < sizeof *head) return false;
    const u64  places = sizeof *head + (u64)head->file_count * sizeof(StoredFile);
    const u64  products = places + (u64)head->place_count * sizeof(StoredPlace);
    const u64  targets = products + (u64)head->product_count * sizeof(StoredProduct);
    const u64  besides = targets + (u64)head->target_count * sizeof(StoredTarget);
    const u64  text = besides + (u64)head->beside_count * sizeof(StoredBeside);
    const Text hashed = hashed_of(part);
    if (text + head->text_bytes != part.bytes ||
        !hash_equal(hash_content(hashed.at, hashed.bytes), head->hash))
        return false;
    s->files = (const void*)(part.at + sizeof *head);
    s->places = (const void*)(part.at + places);
    s->products = (const void*)(part.at + products);
    s->targets = (const void*)(part.at + targets);
    s->besides = (const void*)(part.at + besides);
    s->text = part.at + text;
    return rows_are_valid(s);
}

void stored_seal(Text part) {
    const Text        hashed = hashed_of(part);
    StoredHead* const head = (void*)part.at;
    head->hash = hash_content(hashed.at, hashed.bytes);
}

u32 stored_file_find(const Stored* s, const char* path) {
    const u32 count = s->head->file_count;
    Search    at = search_between(0, count);
    while (search_continues(&at))
        search_narrow(&at, strcmp(s->text + s->files[at.middle].path, path) < 0);
    return at.first < count && strcmp(s->text + s->files[at.first].path, path) == 0 ? at.first
                                                                                    : NONE;
}
