/* test_database.c - the build database, written and read without a build: every row that a build does
 * not write is refused although the checksum matches, a database that is written again keeps its
 * text, and no link is followed. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "exit_codes.h"
#include "database.h"
#include "temporary_internal.h"
#include "test.h"

#define HASHED_FROM (offsetof(DatabaseHead, hash) + sizeof(Hash128))

static const Database no_database;

/* No database of another process has it. */
static const char* environment(void) {
    static char text[40];
    snprintf(text, sizeof text, "environment %ld", (long)getpid());
    return text;
}

/* --- a build database without a build --- */

static DatabasePlace no_place(void) { return (DatabasePlace){NONE, 0, 0}; }

static void read_add(DatabaseDraft* d, u32 file, const char* name, u32 type) {
    *array_push(&d->reads) = (DatabaseRead){.file = file,
                                            .name = name ? draft_text(d, name) : NONE,
                                            .type = type,
                                            .place = {file, 1, 1}};
}

static void need_add(DatabaseDraft* d, const char* name, u32 type) {
    *array_push(&d->needs) = (DatabaseNeed){draft_text(d, name), type, {0, 1, 1}};
}

static void file_add(DatabaseDraft* d, const char* path) {
    *array_push(&d->files) = (DatabaseFile){.path = draft_text(d, path)};
}

static void product_add(DatabaseDraft* d, const char* name, u32 type, u32 file, u32 reads,
                        u32 needs) {
    *array_push(&d->products) = (DatabaseProduct){.name = draft_text(d, name),
                                                  .type = type,
                                                  .file = file,
                                                  .first_read = d->reads.count - reads,
                                                  .read_count = reads,
                                                  .first_need = d->needs.count - needs,
                                                  .need_count = needs,
                                                  .reason = draft_text(d, "it is new"),
                                                  .map = NONE};
}

/* Four files; two products with one name, and one with two reads, two needs and a map. */
static DatabaseDraft draft_new(void) {
    DatabaseDraft d;
    draft_begin(&d, &no_database, 3);
    file_add(&d, "a.material.json");
    file_add(&d, "b.gltf");
    file_add(&d, "b data.bin");
    file_add(&d, "what nothing reads");
    read_add(&d, 0, "a", RESOURCE_MATERIAL);
    product_add(&d, "a", RESOURCE_ENTITY, 0, 1, 0);
    read_add(&d, 0, "a", RESOURCE_MATERIAL);
    product_add(&d, "a", RESOURCE_MATERIAL, 0, 1, 0);
    read_add(&d, 1, "b/c", RESOURCE_ENTITY);
    read_add(&d, 2, NULL, RESOURCE_NONE);
    need_add(&d, "b/mesh", RESOURCE_MESH);
    need_add(&d, "b/texture.png", RESOURCE_NONE);
    product_add(&d, "b/c", RESOURCE_ENTITY, 1, 2, 2);
    d.products.at[2].map = 0;
    *array_push(&d.maps) = (DatabaseMap){.hash = {1, 2}};
    return d;
}

typedef struct Forged {
    u8*              bytes;
    size_t           size;
    DatabaseHead*    head;
    DatabaseFile*    files;
    DatabaseProduct* products;
    DatabaseMap*     maps;
    DatabaseRead*    reads;
    DatabaseNeed*    needs;
    u32 *            file_slot, *product_slot;
    char*            text;
} Forged;

static void forged_locate(Forged* f) {
    f->head = (DatabaseHead*)(void*)f->bytes;
    f->files = (DatabaseFile*)(void*)(f->head + 1);
    f->products = (DatabaseProduct*)(void*)(f->files + f->head->file_count);
    f->maps = (DatabaseMap*)(void*)(f->products + f->head->product_count);
    f->reads = (DatabaseRead*)(void*)(f->maps + f->head->map_count);
    f->needs = (DatabaseNeed*)(void*)(f->reads + f->head->read_count);
    f->file_slot = (u32*)(void*)(f->needs + f->head->need_count);
    f->product_slot = f->file_slot + f->head->file_slots;
    f->text = (char*)(f->product_slot + f->head->product_slots);
}

typedef struct Way {
    const char* name;
    void (*draft)(DatabaseDraft* d); /* changes the rows before they are written */
    void (*bytes)(Forged* f);        /* and the bytes after writing */
    bool keep_hash;
} Way;

static char* path_in(const char* folder, const char* name) {
    static char path[2][2048];
    static u32  turn;
    snprintf(path[++turn % 2], sizeof path[0], "%s/%s", folder, name);
    return path[turn % 2];
}

static bool opens(const char* out) {
    Database db;
    assert_int_equal(database_open(&db, out, DATABASE_ALL), ENT_OK);
    const bool opens = db.head != NULL;
    database_close(&db);
    return opens;
}

static bool opens_when_forged(const char* folder, const Way* way) {
    DatabaseDraft d = draft_new();
    Forged        f;
    if (way->draft) way->draft(&d);
    assert_int_equal(draft_write(&d, path_in(folder, "out"), environment(), 7), ENT_OK);
    f.bytes = test_read(path_in(folder, ".out.entc/database"), &f.size);
    assert_non_null(f.bytes);
    forged_locate(&f);
    if (way->bytes) way->bytes(&f);
    const u64     end = database_rows_end(f.head);
    const Hash128 hash =
        hash_content(f.bytes + HASHED_FROM, (size_t)MIN_OF(end, f.size) - HASHED_FROM);
    if (!way->keep_hash) f.head->hash = hash;
    test_write(folder, ".out.entc/database", f.bytes, f.size);
    free(f.bytes);
    return opens(path_in(folder, "out"));
}

/* --- heads --- */

static void another_magic(Forged* f) { f->head->magic[7] ^= 1; }
static void another_version(Forged* f) { f->head->version--; }
static void rows_of_other_sizes(Forged* f) { f->head->row_bytes++; }
static void a_changed_byte(Forged* f) { f->files[0].hash.low ^= 1; }
/* As of a program that was killed while it appended. */
static void bytes_at_the_end(Forged* f) {
    f->bytes = realloc(f->bytes, f->size + 16);
    memset(f->bytes + f->size, 0, 16);
    f->size += 16;
    forged_locate(f);
}
static void fewer_bytes(Forged* f) { f->size -= 16; }
static void without_text(Forged* f) {
    f->size -= f->head->text_bytes;
    f->head->text_bytes = f->head->text_used = 0;
}
static void more_text_in_use(Forged* f) { f->head->text_used = f->head->text_bytes + 1; }
static void no_end_of_the_text(Forged* f) { f->text[f->head->text_bytes - 1] = 'x'; }
static void no_environment(Forged* f) { f->head->environment = f->head->text_bytes; }
static void no_boot(Forged* f) { f->head->boot = f->head->text_bytes; }
static void no_source(Forged* f) { f->head->source = f->head->text_bytes; }

/* --- texts --- */

static const char* long_text(u32 bytes) {
    static char text[5000];
    memset(text, 'a', sizeof text);
    text[bytes] = 0;
    return text;
}

static void long_path(DatabaseDraft* d) { d->files.at[0].path = draft_text(d, long_text(4095)); }
static void too_long_path(DatabaseDraft* d) {
    d->files.at[0].path = draft_text(d, long_text(4096));
}
static void path_above(DatabaseDraft* d) { d->files.at[0].path = draft_text(d, "../a"); }
static void path_above_last(DatabaseDraft* d) { d->files.at[2].path = draft_text(d, "../a"); }
static void path_behind_the_text(Forged* f) { f->files[0].path = f->head->text_bytes; }

/* Few bytes, which many rows use as their name. */
static void much_named_text(DatabaseDraft* d) {
    const u32 path = draft_text(d, long_text(4000));
    for (u32 i = 0; i < 200; i++) *array_push(&d->files) = (DatabaseFile){.path = path};
}

/* --- reads and needs --- */

static void long_read(DatabaseDraft* d) { d->reads.at[0].name = draft_text(d, long_text(255)); }
static void too_long_read(DatabaseDraft* d) { d->reads.at[0].name = draft_text(d, long_text(256)); }
static void read_behind_the_text(Forged* f) { f->reads[0].name = f->head->text_bytes; }
static void read_of_no_file(DatabaseDraft* d) { d->reads.at[3].file = d->files.count; }
static void read_at_no_file(DatabaseDraft* d) { d->reads.at[0].place.file = d->files.count; }
static void read_at_no_place(DatabaseDraft* d) { d->reads.at[0].place = no_place(); }
static void read_without_a_type(DatabaseDraft* d) { d->reads.at[0].type = RESOURCE_NONE; }
static void read_of_no_type(DatabaseDraft* d) { d->reads.at[0].type = RESOURCE_COUNT; }
static void read_of_a_path_with_a_type(DatabaseDraft* d) { d->reads.at[3].type = RESOURCE_MESH; }
static void long_need(DatabaseDraft* d) { d->needs.at[0].name = draft_text(d, long_text(255)); }
static void too_long_need(DatabaseDraft* d) { d->needs.at[0].name = draft_text(d, long_text(256)); }
static void need_at_no_file(DatabaseDraft* d) { d->needs.at[0].place.file = d->files.count; }
static void need_at_no_place(DatabaseDraft* d) { d->needs.at[0].place = no_place(); }
static void needs_of_names_and_patterns(DatabaseDraft* d) {
    d->needs.at[0].type = TYPE_OF_NAME, d->needs.at[1].type = TYPE_OF_PATTERN;
}
static void need_of_no_type(DatabaseDraft* d) { d->needs.at[0].type = TYPE_OF_PATTERN + 1; }
static void need_of_a_path_above(DatabaseDraft* d) { d->needs.at[1].name = draft_text(d, "../x"); }
static void need_of_a_path_first(DatabaseDraft* d) {
    d->needs.at[0] = (DatabaseNeed){draft_text(d, "../x"), RESOURCE_NONE, no_place()};
}

/* --- products --- */

static void product_without_a_type(DatabaseDraft* d) { d->products.at[0].type = RESOURCE_NONE; }
static void product_of_no_type(DatabaseDraft* d) { d->products.at[2].type = RESOURCE_COUNT; }
static void product_behind_the_text(Forged* f) { f->products[0].name = f->head->text_bytes; }
static void product_without_a_canonical_name(DatabaseDraft* d) {
    d->products.at[0].name = draft_text(d, "A");
}
static void products_of_one_name_and_type(DatabaseDraft* d) {
    d->products.at[0].type = RESOURCE_MATERIAL;
}
static void product_with_unknown_flags(DatabaseDraft* d) {
    d->products.at[0].flags = DATABASE_FLAGS + 1;
}
static void products_out_of_order(DatabaseDraft* d) { d->products.at[1].name = draft_text(d, "c"); }
static void names_out_of_order(DatabaseDraft* d) { d->products.at[0].name = draft_text(d, "c"); }
static void types_out_of_order(DatabaseDraft* d) {
    d->products.at[0].type = RESOURCE_MATERIAL, d->products.at[1].type = RESOURCE_ENTITY;
}
static void no_reason(Forged* f) { f->products[0].reason = f->head->text_bytes; }
static void no_reason_in_the_middle(Forged* f) { f->products[1].reason = f->head->text_bytes; }
static void one_reason_for_all(DatabaseDraft* d) {
    d->products.at[1].reason = d->products.at[2].reason = d->products.at[0].reason;
}
/* Before the first product is the hash of a file. */
static void reason_of_what_is_before(Forged* f) {
    u32* const before = &f->products[-1].reason;
    assert_true((u8*)before >= (u8*)&f->files[2].hash && (u8*)before < (u8*)&f->files[4]);
    f->products[0].reason = *before = f->head->text_bytes + 1;
}
static void reads_of_another(DatabaseDraft* d) { d->products.at[1].first_read = 0; }
static void needs_of_another(DatabaseDraft* d) { d->products.at[1].first_need = 1; }
static void no_reads(DatabaseDraft* d) {
    d->products.at[0].read_count = 0;
    d->products.at[1].first_read = 0, d->products.at[1].read_count = 2;
}
static void too_many_reads(DatabaseDraft* d) { d->products.at[2].read_count = 3; }
static void too_few_reads(DatabaseDraft* d) { d->products.at[2].read_count = 1; }
static void too_many_needs(DatabaseDraft* d) { d->products.at[2].need_count = 3; }
static void too_few_needs(DatabaseDraft* d) { d->products.at[2].need_count = 1; }
/* Counts whose sum is valid again in 32 bits. */
static void reads_beyond_all(DatabaseDraft* d) {
    d->products.at[0].read_count = UINT32_MAX;
    d->products.at[1].first_read = UINT32_MAX, d->products.at[1].read_count = 3;
    d->products.at[2].first_read = 2;
}
static void needs_beyond_all(DatabaseDraft* d) {
    d->products.at[0].need_count = UINT32_MAX;
    d->products.at[1].first_need = UINT32_MAX, d->products.at[1].need_count = 1;
}
static void path_as_source(DatabaseDraft* d) {
    d->reads.at[2].name = NONE, d->reads.at[2].type = RESOURCE_NONE;
}
static void another_source(DatabaseDraft* d) { d->products.at[2].file = 2; }
static void map_of_another(DatabaseDraft* d) { d->products.at[2].map = 1; }
static void map_without_a_product(DatabaseDraft* d) { d->products.at[2].map = NONE; }

/* --- hash tables --- */

static void slot_fill(u32* slot) {
    while (*slot) slot++;
    *slot = 1;
}
static void duplicate_row(Forged* f) { slot_fill(f->file_slot); }
static void duplicate_product(Forged* f) { slot_fill(f->product_slot); }
static void row_out_of_range(Forged* f) {
    u32 i = 0;
    while (!f->file_slot[i]) i++;
    f->file_slot[i] = f->head->file_count + 1;
}
static void no_free_slot(Forged* f) {
    for (u32 i = 0; i < f->head->file_slots; i++) f->file_slot[i] = 1;
}
static void fewer_slots(Forged* f) {
    u32 *const from = f->file_slot + f->head->file_slots, *const to = f->file_slot + 8;
    u32 filled = 0;
    memset(f->file_slot, 0, 8 * sizeof(u32));
    while (filled < f->head->file_count) f->file_slot[filled * 2] = filled + 1, filled++;
    memmove(to, from, (size_t)(f->bytes + f->size - (u8*)from));
    f->size -= (f->head->file_slots - 8) * sizeof(u32);
    f->head->file_slots = 8;
}
static void many_files(DatabaseDraft* d) {
    for (u32 i = 0; i < 1100; i++) {
        char path[32];
        snprintf(path, sizeof path, "%u", i);
        file_add(d, path);
    }
}
/* `count` rows without a free slot between them. */
static void files_in_chain(Forged* f, u32 count) {
    u32* const slot = f->file_slot;
    memset(slot, 0, sizeof(u32) * f->head->file_slots);
    for (u32 i = 0, at = 1; i < f->head->file_count; i++) {
        slot[at] = i + 1;
        at += i + 1 == count ? 2 : 1;
    }
}
static void a_long_chain(Forged* f) { files_in_chain(f, 1024); }
static void too_long_a_chain(Forged* f) { files_in_chain(f, 1025); }

/* One chain across the end and the beginning of the table. */
static void too_long_a_chain_around_the_end(Forged* f) {
    const u32  count = f->head->file_count, slots = f->head->file_slots;
    u32* const slot = f->file_slot;
    assert_true(count > 1100);
    memset(slot, 0, sizeof(u32) * slots);
    for (u32 i = 0; i < count; i++) slot[(slots - 550 + i + (i >= 1100)) & (slots - 1)] = i + 1;
}

static const Way ways[] = {
#define BYTES(way)                                                                                 \
    { #way, NULL, way, false }
#define DRAFT(way)                                                                                 \
    { #way, way, NULL, false }
    BYTES(another_magic),
    BYTES(another_version),
    BYTES(rows_of_other_sizes),
    BYTES(fewer_bytes),
    BYTES(without_text),
    BYTES(more_text_in_use),
    BYTES(no_end_of_the_text),
    BYTES(no_environment),
    BYTES(no_boot),
    BYTES(no_source),
    {"a_changed_byte", NULL, a_changed_byte, true},
    DRAFT(too_long_path),
    DRAFT(path_above),
    DRAFT(path_above_last),
    BYTES(path_behind_the_text),
    DRAFT(much_named_text),
    DRAFT(too_long_read),
    BYTES(read_behind_the_text),
    DRAFT(read_of_no_file),
    DRAFT(read_at_no_file),
    DRAFT(read_without_a_type),
    DRAFT(read_of_no_type),
    DRAFT(read_of_a_path_with_a_type),
    DRAFT(too_long_need),
    DRAFT(need_at_no_file),
    DRAFT(need_of_no_type),
    DRAFT(need_of_a_path_above),
    DRAFT(need_of_a_path_first),
    DRAFT(product_without_a_type),
    DRAFT(product_of_no_type),
    BYTES(product_behind_the_text),
    DRAFT(product_without_a_canonical_name),
    DRAFT(products_of_one_name_and_type),
    DRAFT(product_with_unknown_flags),
    DRAFT(products_out_of_order),
    DRAFT(names_out_of_order),
    DRAFT(types_out_of_order),
    BYTES(no_reason),
    BYTES(no_reason_in_the_middle),
    BYTES(reason_of_what_is_before),
    DRAFT(reads_of_another),
    DRAFT(needs_of_another),
    DRAFT(no_reads),
    DRAFT(too_many_reads),
    DRAFT(too_few_reads),
    DRAFT(too_many_needs),
    DRAFT(too_few_needs),
    DRAFT(reads_beyond_all),
    DRAFT(needs_beyond_all),
    DRAFT(path_as_source),
    DRAFT(another_source),
    DRAFT(map_of_another),
    DRAFT(map_without_a_product),
    BYTES(duplicate_row),
    BYTES(duplicate_product),
    BYTES(row_out_of_range),
    BYTES(no_free_slot),
    BYTES(fewer_slots),
    {"too_long_a_chain", many_files, too_long_a_chain, false},
    {"too_long_a_chain_around_the_end", many_files, too_long_a_chain_around_the_end, false}};
static const Way valid[] = {{"unchanged", NULL, NULL, false},
                            DRAFT(long_path),
                            DRAFT(long_read),
                            DRAFT(read_at_no_place),
                            DRAFT(long_need),
                            DRAFT(need_at_no_place),
                            DRAFT(needs_of_names_and_patterns),
                            DRAFT(one_reason_for_all),
                            DRAFT(many_files),
                            BYTES(bytes_at_the_end),
                            {"a_long_chain", many_files, a_long_chain, false}};
#undef BYTES
#undef DRAFT

static void build_database_with_any_invalid_row_is_refused(void** state) {
    char* folder = strdup(test_folder("database"));
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(valid); i++)
        if (!opens_when_forged(folder, &valid[i])) fail_msg("%s", valid[i].name);
    for (u32 i = 0; i < COUNT_OF(ways); i++)
        if (opens_when_forged(folder, &ways[i])) fail_msg("%s", ways[i].name);
    free(folder);
}

/* --- lookup and writing again --- */

static void expect_found(const Database* db) {
    for (u32 i = 0; i < db->head->file_count; i++)
        assert_int_equal(database_file(db, database_text(db, db->files[i].path)), i);
    for (u32 i = 0; i < db->head->product_count; i++) {
        const DatabaseProduct* p = &db->products[i];
        const Text             name = text_of(database_text(db, p->name));
        assert_int_equal(database_product(db, name, (ResourceType)p->type), i);
    }
    for (u32 i = 0; i < 100; i++) { /* also where other rows occupy slots */
        char name[16];
        snprintf(name, sizeof name, "none/%u", i);
        assert_int_equal(database_file(db, name), NONE);
        assert_int_equal(database_product(db, text_of(name), RESOURCE_ENTITY), NONE);
    }
    assert_int_equal(database_file(&no_database, "a"), NONE);
    assert_int_equal(database_product(&no_database, text_of("a"), RESOURCE_ENTITY), NONE);
    assert_int_equal(database_product(db, text_of("a"), RESOURCE_MESH), NONE);
}

/* The rows of the previous database, with the texts at their places. */
static void draft_repeat(DatabaseDraft* d, const Database* before) {
    const DatabaseHead* h = before->head;
    draft_begin(d, before, h->product_count);
    for (u32 i = 0; i < h->file_count; i++) {
        DatabaseFile f = before->files[i];
        f.path = draft_text_again(d, f.path);
        *array_push(&d->files) = f;
    }
    for (u32 i = 0; i < h->read_count; i++) *array_push(&d->reads) = before->reads[i];
    for (u32 i = 0; i < h->need_count; i++) *array_push(&d->needs) = before->needs[i];
    for (u32 i = 0; i < h->product_count; i++) *array_push(&d->products) = before->products[i];
    for (u32 i = 0; i < h->map_count; i++) *array_push(&d->maps) = before->maps[i];
}

static void another_file(DatabaseDraft* d) { file_add(d, "z.bin"); }
static void one_file_less(DatabaseDraft* d) { d->files.count--; }
static void one_product_less(DatabaseDraft* d) {
    d->products.count--, d->maps.count--, d->reads.count -= 2, d->needs.count -= 2;
}
static void one_file_renamed(DatabaseDraft* d) { d->files.at[1].path = draft_text(d, "z.gltf"); }
static void all_files_renamed(DatabaseDraft* d) {
    static const char* const names[] = {"w", "x", "y", "z"};
    for (u32 i = 0; i < COUNT_OF(names); i++) d->files.at[i].path = draft_text(d, names[i]);
}
static void another_product(DatabaseDraft* d) {
    read_add(d, 0, "z", RESOURCE_MATERIAL);
    product_add(d, "z", RESOURCE_MATERIAL, 0, 1, 0);
}
static void one_product_renamed(DatabaseDraft* d) { d->products.at[2].name = draft_text(d, "z"); }
static void all_products_renamed(DatabaseDraft* d) {
    static const char* const names[] = {"x", "y", "z"};
    for (u32 i = 0; i < COUNT_OF(names); i++) d->products.at[i].name = draft_text(d, names[i]);
}
static void one_type_changed(DatabaseDraft* d) { d->products.at[2].type = RESOURCE_LEVEL; }
static void all_types_changed(DatabaseDraft* d) {
    for (u32 i = 0; i < 3; i++) d->products.at[i].type = i == 1 ? RESOURCE_PACKAGE : RESOURCE_LEVEL;
}

static void rows_changed_in_build_database_are_found_after_rewrite(void** state) {
    static void (*const changes[])(DatabaseDraft * d) = {
        another_file,      one_file_less,       one_product_less,    one_file_renamed,
        all_files_renamed, another_product,     one_product_renamed, one_type_changed,
        all_types_changed, all_products_renamed};
    const char* place = path_in(test_folder("database_again"), "out");
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(changes); i++) {
        Database      before, l;
        DatabaseDraft d = draft_new();
        assert_int_equal(draft_write(&d, place, environment(), 7), ENT_OK);
        assert_int_equal(database_open(&before, place, DATABASE_ALL), ENT_OK);
        expect_found(&before);
        draft_repeat(&d, &before);
        changes[i](&d);
        assert_int_equal(draft_write(&d, place, environment(), 7), ENT_OK);
        assert_int_equal(database_open(&l, place, DATABASE_ALL), ENT_OK);
        if (!l.head) fail_msg("way %u", i);
        expect_found(&l);
        database_close(&l);
        database_close(&before);
    }
}

/* Unchanged rows keep their places, and the text does not grow. */
static void build_database_rewritten_keeps_its_unchanged_texts(void** state) {
    const char* place = path_in(test_folder("database_text"), "out");
    UNUSED(state);
    Database      before, l;
    DatabaseDraft d = draft_new();
    assert_int_equal(draft_write(&d, place, environment(), 7), ENT_OK);
    assert_int_equal(database_open(&before, place, DATABASE_ALL), ENT_OK);
    for (u32 i = 0; i < 3; i++) {
        draft_repeat(&d, &before);
        const char* now = i < 2 ? environment() : "another one";
        assert_int_equal(draft_write(&d, place, now, 7), ENT_OK);
        assert_int_equal(database_open(&l, place, DATABASE_ALL), ENT_OK);
        const u32 more = i < 2 ? 0 : (u32)sizeof "another one";
        assert_int_equal(l.head->text_bytes, before.head->text_bytes + more);
        assert_int_equal(l.head->text_used, before.head->text_used);
        assert_string_equal(database_text(&l, l.head->environment), now);
        assert_int_equal(l.files[1].path, before.files[1].path);
        database_close(&l);
    }
    /* Twice the size that is used: written without the unused text. */
    draft_begin(&d, &before, 0);
    assert_int_equal(d.kept, before.head->text_bytes);
    const u32 name_again = draft_text_again(&d, before.files[0].path);
    assert_string_equal(draft_text_at(&d, name_again), "a.material.json");
    assert_int_equal(draft_write(&d, place, environment(), 7), ENT_OK);
    database_close(&before);
}

static void build_database_with_text_beyond_2_gib_is_refused(void** state) {
    int status = 0;
    UNUSED(state);
    fflush(stdout);
    fflush(stderr);
    const pid_t child = fork();
    if (child == 0) {
        DatabaseDraft d = {.before = &no_database, .kept = (1u << 31) - 4};
        if (!freopen("/dev/null", "w", stderr)) _exit(99);
        draft_text(&d, "abc"); /* to the last byte */
        draft_text(&d, "");
        _exit(98);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), EXIT_LIMIT);
}

/* --- locations --- */

static u8*    complete;
static size_t complete_bytes;

/* The bytes of a build database, created once. */
static void database_bytes(void) {
    DatabaseDraft d = draft_new();
    const char*   folder = test_folder("database_put");
    assert_int_equal(draft_write(&d, path_in(folder, "out"), environment(), 7), ENT_OK);
    free(complete);
    complete = test_read(path_in(folder, ".out.entc/database"), &complete_bytes);
}

static void database_put(const char* name) { test_write(".", name, complete, complete_bytes); }

/* Changes to a new empty folder, when there is a database to put there; returns the previous one. */
static int folder_enter(const char* name) {
    database_bytes();
    return test_enter(test_folder(name));
}

static void build_database_is_found_beside_or_inside_output_folder(void** state) {
    static const struct {
        const char *out, *database;
        bool        opens;
    } rows[] = {
        {"out", ".out.entc/database", true},     {"out", "out/.entc/database", true},
        {"out//", ".out.entc/database", true},   {"a", ".a.entc/database", true},
        {"a/out", "a/.out.entc/database", true}, {".a", "..a.entc/database", true},
        {".ab", "..ab.entc/database", true},     {"..b", "...b.entc/database", true},
        {".", ".entc/database", true},           {"", "..entc/database", false},
        {".", "...entc/database", false},        {"..", "....entc/database", false},
        {"a/.", "a/...entc/database", false},    {"a/..", "a/....entc/database", false},
    };
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(rows); i++) {
        const int here = folder_enter("database_places");
        database_put(rows[i].database);
        Database db; /* a database of another program in "/.entc" must not be used */
        assert_int_equal(database_open(&db, rows[i].out, DATABASE_ALL), ENT_OK);
        const bool opens =
            db.head && strcmp(database_text(&db, db.head->environment), environment()) == 0;
        database_close(&db);
        test_leave(here);
        if (opens != rows[i].opens) fail_msg("%s, %s", rows[i].out, rows[i].database);
    }
}

static void build_database_behind_link_is_not_opened(void** state) {
    Database  db;
    const int here = folder_enter("database_links");
    UNUSED(state);
    database_put("elsewhere/database");
    assert_int_equal(symlink("elsewhere", ".out.entc"), 0);
    assert_false(opens("out"));
    DatabaseDraft d = draft_new();
    assert_int_equal(unlink("elsewhere/database"), 0);
    assert_int_equal(draft_write(&d, "out", environment(), 7), ENT_OK);
    assert_int_equal(access("elsewhere/database", F_OK), -1);
    assert_int_equal(access("out/.entc/database", F_OK), 0);
    assert_true(opens("out"));
    assert_int_equal(system("rm -r out/.entc && ln -s ../elsewhere out/.entc"), 0);
    assert_false(opens("out"));
    d = draft_new();
    assert_int_equal(draft_write(&d, "out", environment(), 7), ENT_IO);
    assert_int_equal(errno, ELOOP);
    assert_int_equal(access("elsewhere/database", F_OK), -1);
    /* A path that is no folder is no link either. */
    assert_int_equal(system("rm .out.entc && touch .out.entc && rm out/.entc"), 0);
    assert_int_equal(database_open(&db, "out", DATABASE_ALL), ENT_OK);
    assert_null(db.head);
    test_leave(here);
}

/* A database that exists and cannot be read is not treated as missing; the first reason is
 * reported. */
static void build_database_that_cannot_be_read_is_reported(void** state) {
    Database  db;
    const int here = folder_enter("database_unread");
    UNUSED(state);
    assert_int_equal(system("mkdir -p .out.entc/database out/.entc"), 0);
    assert_int_equal(database_open(&db, "out", DATABASE_ALL), ENT_IO);
    assert_int_equal(errno, EISDIR);
    assert_int_equal(symlink("database", "out/.entc/database"), 0); /* to itself */
    assert_int_equal(database_open(&db, "out", DATABASE_ALL), ENT_IO);
    assert_int_equal(errno, EISDIR);
    assert_int_equal(system("rm -r .out.entc"), 0);
    assert_int_equal(database_open(&db, "out", DATABASE_ALL), ENT_IO);
    assert_int_equal(errno, ELOOP);
    assert_int_equal(unlink("out/.entc/database"), 0);
    database_put("out/.entc/database");
    assert_int_equal(system("mkdir -p .out.entc/database"), 0);
    assert_true(opens("out"));
    test_leave(here);
}

/* A name that becomes too long by its prefix and suffix, and a path that is too long. */
static void build_database_with_too_long_path_is_not_opened(void** state) {
    char      name[256], path[6000];
    Database  db;
    const int here = folder_enter("database_long");
    UNUSED(state);
    memset(name, 'a', sizeof name);
    name[252] = 0;
    DatabaseDraft d = draft_new();
    assert_int_equal(database_open(&db, name, DATABASE_ALL), ENT_IO);
    assert_int_equal(errno, ENAMETOOLONG);
    assert_int_equal(draft_write(&d, name, environment(), 7), ENT_OK);
    assert_true(opens(name));
    for (u32 i = 0; i < sizeof path - 1; i++) path[i] = i % 200 == 199 ? '/' : 'a';
    path[sizeof path - 2] = 'a', path[sizeof path - 1] = 0;
    assert_int_equal(database_open(&db, path, DATABASE_ALL), ENT_OK);
    assert_null(db.head);
    d = draft_new();
    assert_int_equal(draft_write(&d, path, environment(), 7), ENT_IO);
    assert_int_equal(errno, ENAMETOOLONG);
    test_leave(here);
}

/* A file in a folder as a killed process leaves it. */
static void orphaned_temporary(const char* folder, char* path, size_t bytes) {
    Temporary* t;
    char       beside[300], place[16] = "";
    snprintf(beside, sizeof beside, "%s/x", folder);
    const int fd = temporary_open(AT_FDCWD, beside, &t);
    assert_true(fd >= 0);
    assert_int_equal(sscanf(strstr(t->path, ".entc.") + 6, "%8[0-9a-f]", place), 1);
    close(fd);
    temporary_close(t, false);
    snprintf(path, bytes, "%s/.entc.%s.2147483646.1.0.tmp", folder, place);
    test_write_text(".", path, "");
}

static void temporary_files_of_killed_builds_are_removed(void** state) {
    static const char* const folders[] = {".out.entc", "out/.entc", "elsewhere"};
    char                     path[3][400];
    const int                here = folder_enter("database_sweep");
    UNUSED(state);
    database_sweep("out"); /* there is no folder yet */
    assert_int_equal(system("mkdir -p .out.entc out/.entc elsewhere"), 0);
    for (u32 i = 0; i < COUNT_OF(folders); i++)
        orphaned_temporary(folders[i], path[i], sizeof path[i]);
    assert_int_equal(symlink("elsewhere", ".link.entc"), 0);
    database_sweep("link");
    for (u32 i = 0; i < COUNT_OF(folders); i++) assert_int_equal(access(path[i], F_OK), 0);
    database_sweep("out");
    for (u32 i = 0; i < COUNT_OF(folders); i++)
        assert_int_equal(access(path[i], F_OK), i < 2 ? -1 : 0);
    test_leave(here);
}

TEST_SUITE(database) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(build_database_with_any_invalid_row_is_refused),
        cmocka_unit_test(rows_changed_in_build_database_are_found_after_rewrite),
        cmocka_unit_test(build_database_rewritten_keeps_its_unchanged_texts),
        cmocka_unit_test(build_database_with_text_beyond_2_gib_is_refused),
        cmocka_unit_test(build_database_is_found_beside_or_inside_output_folder),
        cmocka_unit_test(build_database_behind_link_is_not_opened),
        cmocka_unit_test(build_database_that_cannot_be_read_is_reported),
        cmocka_unit_test(build_database_with_too_long_path_is_not_opened),
        cmocka_unit_test(temporary_files_of_killed_builds_are_removed),
    };
    return TEST_RUN("database", tests);
}
