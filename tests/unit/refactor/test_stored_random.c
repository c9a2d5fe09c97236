/* test_stored_random.c - random references in a build database, whose texts are always consistent: they are
 * used exactly if a plain statement of every rule holds. */
#include <stdlib.h>

#include "assets.h"
#include "compile.h"
#include "database_links.h"
#include "test.h"

enum { FILES_MAX = 8, ROWS_MAX = 6 };

typedef struct Row {
    u32         file, kind, offset, bytes, line, column, type;
    const char* name;
} Row;

typedef struct PartModel {
    struct FileModel {
        const char *path, *name; /* "": none */
        u32         type, form, kind, link, image, spare;
        bool        hash;
    } files[FILES_MAX];
    Row          places[ROWS_MAX], products[ROWS_MAX], targets[ROWS_MAX];
    StoredBeside besides[ROWS_MAX];
    u32          file_count, place_count, product_count, target_count, beside_count;
    bool         more_text;  /* that no row has */
    u32          more_bytes; /* behind the text */
} PartModel;

static u32 state_of_dice;

static u32 roll(u32 sides) {
    state_of_dice = state_of_dice * 1664525u + 1013904223u;
    return (state_of_dice >> 12) % sides;
}

static bool rarely(void) { return roll(40) == 0; }

/* --- the rules, stated plainly --- */

/* What each path of these tests is. */
static const struct Known {
    const char *path, *name;
    u32         type, form;
} known[] = {
    {"B.entity.json", "", 0, 0}, /* no canonical name */
    {"a.entity.json", "a", RESOURCE_ENTITY, ASSET_JSON},
    {"a.level.json", "a", RESOURCE_LEVEL, ASSET_JSON},
    {"a.model.json", "", 0, 0},
    {"a.png", "a", RESOURCE_TEXTURE, ASSET_IMAGE},
    {"a.texture.json", "a", RESOURCE_TEXTURE, ASSET_JSON},
    {"b.glb", "b", RESOURCE_ENTITY, ASSET_GLB},
    {"b.gltf", "b", RESOURCE_ENTITY, ASSET_GLTF},
    {"c.data.json", "", 0, 0},
    {"notes.txt", "notes", RESOURCE_DATA, ASSET_FILE},
    {"p/a.entity.json", "p/a", RESOURCE_ENTITY, ASSET_JSON},
};

static bool is_typed(u32 type) { return type > RESOURCE_NONE && type < RESOURCE_COUNT; }

static bool is_source(const PartModel* m, u32 file) {
    return file < m->file_count && *m->files[file].name;
}

static bool is_canonical(const char* name) {
    return *name && strchr(name, 'Q') == NULL && name[strlen(name) - 1] != '/';
}

static bool file_holds(const PartModel* m, u32 i) {
    const struct FileModel* f = &m->files[i];
    bool holds = *f->path && f->kind <= FILE_OTHER && f->link <= 1 && f->spare == 0;
    if (i && strcmp(f[-1].path, f->path) >= 0) holds = false;
    if (!*f->name) return holds && f->type == 0 && f->form == 0 && f->image == 0;
    bool matches = false;
    for (u32 k = 0; k < COUNT_OF(known); k++)
        matches |= strcmp(known[k].path, f->path) == 0 && strcmp(known[k].name, f->name) == 0 &&
                   known[k].type == f->type && known[k].form == f->form;
    const bool may_have_image = f->type == RESOURCE_TEXTURE && f->form == ASSET_JSON;
    return holds && matches && f->hash && f->kind == FILE_REGULAR && (may_have_image || !f->image);
}

static bool is_text(u32 kind) {
    return kind == LINK_PREFAB || kind == LINK_RESOURCE || kind == LINK_ROOT ||
           kind == LINK_COMPONENT || kind == LINK_PATTERN;
}

static int compared(u32 a, u32 b) { return a < b ? -1 : a > b; }

static bool place_holds(const PartModel* m, u32 i) {
    const Row* p = &m->places[i];
    if (!is_source(m, p->file) || p->kind >= LINK_KINDS || !is_typed(p->type)) return false;
    const u32 form = m->files[p->file].form;
    if (form == ASSET_IMAGE || form == ASSET_FILE || p->line == 0 || p->column == 0) return false;
    if (is_text(p->kind) && p->bytes < 2) return false;
    if (p->offset > SOURCE_BYTES_MAX || p->bytes > SOURCE_BYTES_MAX || !is_canonical(p->name))
        return false;
    for (u32 k = 0; k < i; k++) {
        const Row* q = &m->places[k];
        int        order = compared(q->file, p->file);
        if (!order) order = compared(q->offset, p->offset);
        if (!order) order = compared(q->kind, p->kind);
        if (!order) order = strcmp(q->name, p->name);
        if (!order) order = compared(q->type, p->type);
        if (order >= 0) return false;
        const bool patterns = q->kind == LINK_PATTERN && p->kind == LINK_PATTERN &&
                              q->offset == p->offset && q->bytes == p->bytes;
        bool between = false; /* only neighbours among the texts are compared */
        for (u32 n = k + 1; n < i; n++) between |= is_text(m->places[n].kind);
        if (!between && q->file == p->file && is_text(q->kind) && is_text(p->kind) && !patterns &&
            p->offset < q->offset + q->bytes)
            return false;
    }
    return true;
}

static bool product_holds(const PartModel* m, u32 i) {
    const Row* p = &m->products[i];
    if (!is_source(m, p->file) || !is_typed(p->type) || !*p->name) return false;
    const struct FileModel* f = &m->files[p->file];
    const size_t            name_bytes = strlen(f->name);
    if (strncmp(p->name, f->name, name_bytes) != 0) return false;
    const bool below = (f->form == ASSET_GLTF || f->form == ASSET_GLB) &&
                       p->name[name_bytes] == '/' && is_canonical(p->name);
    if (p->name[name_bytes] ? !below : p->type != f->type) return false;
    if (i == 0) return true;
    int order = strcmp(p[-1].name, p->name);
    if (!order) order = compared(p[-1].type, p->type);
    if (!order) order = compared(p[-1].file, p->file);
    return order < 0;
}

static bool target_holds(const PartModel* m, u32 i) {
    const Row* t = &m->targets[i];
    if (!is_source(m, t->file) || !*t->name) return false;
    return i == 0 || t[-1].file < t->file ||
           (t[-1].file == t->file && strcmp(t[-1].name, t->name) <= 0);
}

static bool beside_holds(const PartModel* m, u32 i) {
    const StoredBeside* b = &m->besides[i];
    if (!is_source(m, b->file) || b->other >= m->file_count) return false;
    if (m->files[b->other].kind != FILE_REGULAR || !m->files[b->other].hash) return false;
    return i == 0 || b[-1].file < b->file || (b[-1].file == b->file && b[-1].other < b->other);
}

static bool model_holds(const PartModel* m) {
    bool holds = !m->more_text && !m->more_bytes;
    for (u32 i = 0; i < m->file_count; i++) holds &= file_holds(m, i);
    for (u32 i = 0; i < m->place_count; i++) holds &= place_holds(m, i);
    for (u32 i = 0; i < m->product_count; i++) holds &= product_holds(m, i);
    for (u32 i = 0; i < m->target_count; i++) holds &= target_holds(m, i);
    for (u32 i = 0; i < m->beside_count; i++) holds &= beside_holds(m, i);
    return holds;
}

/* --- random ones, most of which hold --- */

static u32 type_roll(void) {
    static const u32 types[] = {RESOURCE_ENTITY, RESOURCE_LEVEL, RESOURCE_MESH, RESOURCE_TEXTURE};
    return rarely() ? RESOURCE_NONE + roll(2) * RESOURCE_COUNT : types[roll(COUNT_OF(types))];
}

static void files_make(PartModel* m) {
    for (u32 k = 0; k < COUNT_OF(known) && m->file_count < FILES_MAX; k++) {
        if (roll(3) == 0) continue;
        const struct Known* from = &known[rarely() ? roll(COUNT_OF(known)) : k];
        const bool          other = from->form == ASSET_FILE && roll(2);
        struct FileModel*   f = &m->files[m->file_count++];
        *f = (struct FileModel){.path = from->path,
                                .name = other ? "" : from->name,
                                .type = other ? 0 : from->type,
                                .form = other ? 0 : from->form,
                                .kind = FILE_REGULAR,
                                .link = roll(2),
                                .hash = *from->name || roll(2)};
        if (f->type == RESOURCE_TEXTURE && f->form == ASSET_JSON) f->image = roll(3);
        switch (roll(300)) {
        case 0: f->path = ""; break;
        case 1: f->name = roll(2) ? "Q" : "p/a"; break;
        case 2: f->type = roll(RESOURCE_COUNT + 1); break;
        case 3: f->form = roll(ASSET_SETTINGS + 2); break;
        case 4: f->kind = roll(FILE_OTHER + 2); break;
        case 5: f->link = 2; break;
        case 6: f->image = 1; break;
        case 7: f->spare = 1; break;
        case 8: f->hash = false; break;
        case 9: f->name = ""; break;
        case 10: f->name = roll(2) ? "b" : "p"; break;
        case 11: /* as data, although the path states a type */
            f->name = "a.entity", f->type = RESOURCE_DATA, f->form = ASSET_FILE;
            f->hash = true;
            break;
        case 12: /* what is no source */
            f->name = from->path[0] == 'B' ? "B" : from->path[0] == 'a' ? "a" : "c";
            f->type = roll(2) ? RESOURCE_ENTITY : RESOURCE_DATA;
            f->form = from->path[2] == 'm' ? ASSET_SETTINGS : ASSET_JSON;
            f->hash = true;
            break;
        default: break;
        }
    }
}

static int file_order(const void* a, const void* b) {
    const struct FileModel *x = a, *y = b;
    return strcmp(x->path, y->path);
}

static int place_order(const void* a, const void* b) {
    const Row *x = a, *y = b;
    int        order = compared(x->file, y->file);
    if (!order) order = compared(x->offset, y->offset);
    if (!order) order = compared(x->kind, y->kind);
    if (!order) order = strcmp(x->name, y->name);
    return order ? order : compared(x->type, y->type);
}

static int product_order(const void* a, const void* b) {
    const Row *x = a, *y = b;
    int        order = strcmp(x->name, y->name);
    if (!order) order = compared(x->type, y->type);
    return order ? order : compared(x->file, y->file);
}

static int target_order(const void* a, const void* b) {
    const Row *x = a, *y = b;
    const int  order = compared(x->file, y->file);
    return order ? order : strcmp(x->name, y->name);
}

static int beside_order(const void* a, const void* b) {
    const StoredBeside *x = a, *y = b;
    const int           order = compared(x->file, y->file);
    return order ? order : compared(x->other, y->other);
}

/* A source, mostly of some form. */
static u32 file_roll(const PartModel* m) {
    u32 file = roll(m->file_count + 1);
    for (u32 i = 0; m->file_count && i < 20 && !is_source(m, file) && !rarely(); i++)
        file = roll(m->file_count);
    return file;
}

static const char* name_roll(void) {
    static const char* const names[] = {"a", "b", "b/x", "p/a"};
    return rarely() ? (roll(2) ? "Q" : "") : names[roll(COUNT_OF(names))];
}

static void places_make(PartModel* m) {
    for (u32 n = roll(ROWS_MAX); m->place_count < n; m->place_count++) {
        Row* p = &m->places[m->place_count];
        *p = (Row){.file = file_roll(m),
                   .kind = roll(3) ? LINK_PATTERN : roll(LINK_KINDS),
                   .offset = roll(4) * 3,
                   .bytes = 2 + roll(3),
                   .line = 1,
                   .column = 1,
                   .type = type_roll(),
                   .name = name_roll()};
        switch (roll(120)) {
        case 0: p->kind = LINK_KINDS; break;
        case 1: p->line = 0; break;
        case 2: p->column = 0; break;
        case 3: p->bytes = roll(2); break;
        case 4: p->offset = SOURCE_BYTES_MAX + roll(2); break;
        case 5: p->bytes = SOURCE_BYTES_MAX + roll(2); break;
        case 6: p->bytes += 3; break;
        default: break;
        }
    }
}

/* Of its file, or below a model. */
static const char* product_roll(const PartModel* m, u32 file, u32* type) {
    static const char* const below[] = {"b/x", "b/y", "b/Q", "bx", "b/", "a/x"};
    if (!is_source(m, file) || rarely()) return name_roll();
    *type = rarely() ? type_roll() : m->files[file].type;
    if (form_is_model((AssetForm)m->files[file].form) && roll(2)) {
        *type = type_roll();
        return below[rarely() ? roll(COUNT_OF(below)) : roll(2)];
    }
    return rarely() ? "a/x" : m->files[file].name;
}

static void others_make(PartModel* m) {
    static const char* const paths[] = {"a.png", "b.bin", "c.bin", "c.bin"};
    for (u32 n = roll(ROWS_MAX); m->product_count < n; m->product_count++) {
        Row* p = &m->products[m->product_count];
        *p = (Row){.file = file_roll(m), .type = type_roll()};
        p->name = product_roll(m, p->file, &p->type);
    }
    for (u32 n = roll(ROWS_MAX); m->target_count < n; m->target_count++)
        m->targets[m->target_count] =
            (Row){.file = file_roll(m), .name = rarely() ? "" : paths[roll(COUNT_OF(paths))]};
    for (u32 n = roll(ROWS_MAX); m->beside_count < n; m->beside_count++)
        m->besides[m->beside_count] =
            (StoredBeside){file_roll(m), rarely() ? m->file_count : file_roll(m)};
}

#define SORTED(array, count, order)                                                                \
    if (!rarely()) qsort(array, count, sizeof *(array), order)

static void model_make(PartModel* m) {
    *m = (PartModel){.more_text = roll(200) == 0, .more_bytes = roll(200) == 0 ? 16 : 0};
    files_make(m);
    SORTED(m->files, m->file_count, file_order);
    places_make(m);
    others_make(m);
    SORTED(m->places, m->place_count, place_order);
    SORTED(m->products, m->product_count, product_order);
    SORTED(m->targets, m->target_count, target_order);
    SORTED(m->besides, m->beside_count, beside_order);
}

/* --- as bytes --- */

typedef struct Bytes {
    _Alignas(16) u8 at[4096];
    u32  count;
    char text[2048];
    u32  text_bytes;
} Bytes;

static void row_put(Bytes* b, const void* row, size_t size) {
    assert_true(b->count + size <= sizeof b->at);
    memcpy(b->at + b->count, row, size);
    b->count += (u32)size;
}

static u32 text_put(Bytes* b, const char* text) {
    const u32 at = b->text_bytes;
    assert_true(at + strlen(text) < sizeof b->text);
    strcpy(b->text + at, text);
    b->text_bytes += (u32)strlen(text) + 1;
    return at;
}

static Text model_bytes(const PartModel* m, Bytes* b) {
    u32 paths[FILES_MAX];
    b->count = 0, b->text_bytes = 1, b->text[0] = 0;
    row_put(b, &(StoredHead){.text_bytes = 0}, sizeof(StoredHead));
    for (u32 i = 0; i < m->file_count; i++) paths[i] = text_put(b, m->files[i].path);
    for (u32 i = 0; i < m->file_count; i++) {
        const struct FileModel* f = &m->files[i];
        const u32               name = *f->name ? text_put(b, f->name) : STORED_NO_NAME;
        const StoredFile        row = {paths[i], name,     f->type,  f->kind,     f->link,
                                       f->form,  f->image, f->spare, {f->hash, 0}};
        row_put(b, &row, sizeof row);
    }
    for (u32 i = 0; i < m->place_count; i++) {
        const Row*        p = &m->places[i];
        const StoredPlace row = {
            p->file, p->kind, p->offset, p->bytes, p->line, p->column, text_put(b, p->name),
            p->type};
        row_put(b, &row, sizeof row);
    }
    for (u32 i = 0; i < m->product_count; i++) {
        const Row* p = &m->products[i];
        row_put(b, &(StoredProduct){p->file, text_put(b, p->name), p->type}, sizeof(StoredProduct));
    }
    for (u32 i = 0; i < m->target_count; i++) {
        const Row* t = &m->targets[i];
        row_put(b, &(StoredTarget){t->file, text_put(b, t->name)}, sizeof(StoredTarget));
    }
    if (m->more_text) text_put(b, "x");
    row_put(b, m->besides, sizeof *m->besides * m->beside_count);
    row_put(b, b->text, b->text_bytes);
    const StoredHead head = {.file_count = m->file_count,
                             .place_count = m->place_count,
                             .product_count = m->product_count,
                             .target_count = m->target_count,
                             .beside_count = m->beside_count,
                             .text_bytes = b->text_bytes};
    memcpy(b->at, &head, sizeof head);
    row_put(b, (const u8[16]){0}, m->more_bytes);
    return (Text){(const char*)b->at, b->count};
}

static void rows_print(const char* what, const Row* rows, u32 count) {
    for (u32 i = 0; i < count; i++)
        print_message("%s: file %u, kind %u, offset %u, bytes %u, at %u:%u, type %u, \"%s\"\n",
                      what, rows[i].file, rows[i].kind, rows[i].offset, rows[i].bytes, rows[i].line,
                      rows[i].column, rows[i].type, rows[i].name);
}

static void model_print(const PartModel* m) {
    for (u32 i = 0; i < m->file_count; i++) {
        const struct FileModel* f = &m->files[i];
        print_message(
            "file %u: \"%s\", \"%s\", type %u, form %u, kind %u, link %u, image %u, spare %u, "
            "%s hash\n",
            i, f->path, f->name, f->type, f->form, f->kind, f->link, f->image, f->spare,
            f->hash ? "with" : "without");
    }
    rows_print("place", m->places, m->place_count);
    rows_print("product", m->products, m->product_count);
    rows_print("target", m->targets, m->target_count);
    for (u32 i = 0; i < m->beside_count; i++)
        print_message("beside: file %u, other %u\n", m->besides[i].file, m->besides[i].other);
}

static void random_references_are_used_exactly_if_every_rule_holds(void** state) {
    const u32 count = test_step(1, 4) == 1 ? 400000 : 100000;
    PartModel m;
    Bytes     b;
    Stored    stored;
    u32       used = 0;
    UNUSED(state);
    state_of_dice = 5;
    for (u32 i = 0; i < count; i++) {
        model_make(&m);
        const bool holds = model_holds(&m);
        const Text part = model_bytes(&m, &b);
        stored_seal(part);
        const bool opens = stored_open(&stored, part);
        if (opens != holds) model_print(&m);
        if (opens != holds) fail_msg("number %u: %s", i, holds ? "is refused" : "is used");
        used += opens;
    }
    assert_in_range(used, count / 10, count / 10 * 9);
}

TEST_SUITE(stored_random) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_references_are_used_exactly_if_every_rule_holds),
    };
    return TEST_RUN("stored_random", tests);
}
