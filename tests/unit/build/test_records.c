/* test_records.c - what earlier builds left is input like any other: the build database of an
 * output folder and the entries of a cache, each with a matching checksum. Whatever they contain, a
 * build ends, writes what a clean build writes, and changes nothing else. An output that cannot be
 * read is not taken as absent. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "blob.h"
#include "hash.h"
#include "database.h"
#include "test.h"
#include "test_links_part.h"

/* 6 resources: 4 of JSON, and a model of two with a separate file. */
static char* tree_new(const char* name) {
    static const TestFile files[] = {
        {"levels/yard.level.json",
         "{ \"entities\": [ { \"name\": \"gate\", \"prefab\": \"props/gate\" },\n"
         "    { \"components\": { \"mesh\": { \"resource\": \"models/box/box\" } } } ] }\n"},
        {"props/gate.entity.json",
         "{ \"children\": [ { \"name\": \"lamp\", \"prefab\": \"props/lamp\" } ] }\n"},
        {"props/lamp.entity.json", "{ \"components\": { \"light\": { \"range_m\": 7 } } }\n"},
        {"mud.material.json", "{ \"roughness\": 0.9 }\n"},
        {"readme.txt", "what no database has, but every build looks for there\n"},
    };
    char* folder = strdup(test_folder(name));
    test_write_files(folder, "src", files, COUNT_OF(files));
    test_write_box(folder, "src");
    return folder;
}

/* --- the build database --- */

/* A build database as a writable copy, with the offsets of its tables. */
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

static Forged forged_open(const char* folder) {
    char   path[1200];
    Forged f;
    snprintf(path, sizeof path, "%s/.out.entc/database", folder);
    links_part_write(folder, NULL, 0);
    f.bytes = test_read(path, &f.size);
    assert_non_null(f.bytes);
    forged_locate(&f);
    assert_ptr_equal((u8*)f.text + f.head->text_bytes, f.bytes + f.size);
    return f;
}

/* Writes it with the matching checksum. */
static void forged_close(const char* folder, Forged* f) {
    const size_t from = offsetof(DatabaseHead, hash) + sizeof f->head->hash;
    f->head->hash = hash_content(f->bytes + from, f->size - from);
    test_write(folder, ".out.entc/database", f->bytes, f->size);
    free(f->bytes);
}

/* Removes slots from the table of files. */
static void file_slots_cut(Forged* f, u32 slots) {
    u8* from = (u8*)(f->file_slot + f->head->file_slots);
    memmove(f->file_slot + slots, from, f->size - (size_t)(from - f->bytes));
    f->size -= sizeof(u32) * (f->head->file_slots - slots);
    f->head->file_slots = slots;
    forged_locate(f);
}

static DatabaseProduct* product_named(const Forged* f, const char* name) {
    DatabaseProduct* p = f->products;
    while (strcmp(f->text + p->name, name) != 0) p++;
    return p;
}

static DatabaseFile* file_named(const Forged* f, const char* path) {
    DatabaseFile* file = f->files;
    while (strcmp(f->text + file->path, path) != 0) file++;
    return file;
}

static void rename_text(Forged* f, u32 at, const char* to) {
    assert_int_equal(strlen(f->text + at), strlen(to));
    strcpy(f->text + at, to);
}

static void full_file_slots(Forged* f) {
    for (u32 i = 0; i < f->head->file_slots; i++) f->file_slot[i] |= !f->file_slot[i];
}
static void full_product_slots(Forged* f) {
    for (u32 i = 0; i < f->head->product_slots; i++) f->product_slot[i] |= !f->product_slot[i];
}
static void no_file_slots(Forged* f) { file_slots_cut(f, 0); }
static void one_file_slot(Forged* f) { file_slots_cut(f, 1); }
static void slots_of_no_power_of_two(Forged* f) { file_slots_cut(f, 13); }
static void slot_out_of_range(Forged* f) { f->file_slot[0] = f->file_slot[1] = UINT32_MAX; }
static void read_of_file_out_of_range(Forged* f) { f->reads[0].file = f->head->file_count; }
static void read_of_unknown_type(Forged* f) { f->reads[0].type = 77; }
static void unterminated_name(Forged* f) { f->text[f->head->text_bytes - 1] = 'x'; }
static void name_out_of_range(Forged* f) { f->products[0].name = f->head->text_bytes; }
static void product_without_type(Forged* f) { f->products[0].type = RESOURCE_NONE; }
static void reads_of_another_product(Forged* f) { f->products[1].first_read = 0; }
static void read_count_out_of_range(Forged* f) { f->products[5].read_count += 1000; }
static void missing_map(Forged* f) { f->products[0].map = 0; }

/* The row of the model refers to another source, and its own path is not in the database. */
static void model_without_its_source(Forged* f) {
    DatabaseProduct* box = product_named(f, "models/box");
    DatabaseProduct* mud = product_named(f, "mud");
    f->reads[box->first_read] = f->reads[mud->first_read];
    box->file = mud->file;
    rename_text(f, file_named(f, "models/box.gltf")->path, "models/bax.gltf");
}

/* A resource of the model would be written beside the output folder. */
static void name_outside_the_output_folder(Forged* f) {
    DatabaseProduct* mesh = product_named(f, "models/box/box");
    mesh->type = RESOURCE_ENTITY;
    rename_text(f, mesh->name, "../evil/boxbox");
}
static void resource_that_no_model_contains(Forged* f) {
    rename_text(f, product_named(f, "models/box/box")->name, "models/box/bax");
}
static void resource_named_like_that_of_another_model(Forged* f) {
    rename_text(f, product_named(f, "models/box/box")->name, "modelz/box/box");
}
static void resource_of_another_source(Forged* f) {
    DatabaseProduct* mesh = product_named(f, "models/box/box");
    mesh->type = RESOURCE_MATERIAL;
    mesh->name = product_named(f, "mud")->name;
}

/* The sum of all outputs is bounded, but only by their actual sizes. */
static void output_of_too_many_bytes(Forged* f) { f->products[0].stamp.size = 1ull << 62; }

/* A file that a user put into the output folder is recorded as an output of entc. */
static void foreign_file_recorded_as_output(Forged* f) {
    DatabaseProduct* mud = product_named(f, "mud");
    mud->hash = hash_content("mine\n", 5);
    rename_text(f, mud->name, "max");
}

/* Whatever a build database contains: the build ends, writes what a clean build writes, and changes
 * nothing else. */
static void build_database_forged_in_any_field_builds_as_clean(void** state) {
    static const struct {
        const char* name;
        void (*forge)(Forged* f);
    } ways[] = {
#define WAY(forge) {#forge, forge}
        WAY(full_file_slots),
        WAY(full_product_slots),
        WAY(no_file_slots),
        WAY(one_file_slot),
        WAY(slots_of_no_power_of_two),
        WAY(slot_out_of_range),
        WAY(read_of_file_out_of_range),
        WAY(read_of_unknown_type),
        WAY(unterminated_name),
        WAY(name_out_of_range),
        WAY(product_without_type),
        WAY(reads_of_another_product),
        WAY(read_count_out_of_range),
        WAY(missing_map),
        WAY(model_without_its_source),
        WAY(name_outside_the_output_folder),
        WAY(resource_that_no_model_contains),
        WAY(resource_named_like_that_of_another_model),
        WAY(resource_of_another_source),
        WAY(output_of_too_many_bytes),
        WAY(foreign_file_recorded_as_output),
#undef WAY
    };
    char* folder = tree_new("hostile_databases");
    UNUSED(state);
    test_write_text(folder, "out/max.material", "mine\n");
    EXPECT(folder, 0, "", "entc build src -o out && cp -r out valid && cp -r .out.entc kept");
    for (u32 i = 0; i < COUNT_OF(ways); i++) {
        for (u32 run = 0; run < 3; run++) {
            static const char* const options[] = {"", "--force", "--source-map"};
            TEST_DONE(folder, "rm -rf out .out.entc && cp -r valid out && cp -r kept .out.entc");
            Forged f = forged_open(folder);
            ways[i].forge(&f);
            forged_close(folder, &f);
            TestRun built = test_command(folder,
                                         "$BOUNDED entc build src -o out %s && "
                                         "diff -r -x '*.map' valid out && ! test -e evil",
                                         options[run]);
            if (built.code != 0)
                fail_msg("%s %s: %d: %s%s", ways[i].name, options[run], built.code, built.out,
                         built.err);
            test_run_free(&built);
        }
        TEST_DONE(folder, "$BOUNDED entc why src -o out >/dev/null");
    }
    free(folder);
}

/* The structure of a build database can be validated, its contents cannot: they are used as they
 * are. */
static void build_database_with_control_character_prints_it_as_question_mark(void** state) {
    char* folder = tree_new("forged_database");
    UNUSED(state);
    EXPECT(folder, 0, "", "entc build src -o out");
    Forged           f = forged_open(folder);
    DatabaseProduct* mud = product_named(&f, "mud");
    mud->reason = f.head->boot;
    f.text[f.head->boot] = '\033'; /* what would control the terminal is shown as '?' */
    forged_close(folder, &f);
    EXPECT(folder, 0, "last compiled because:\n    ?", "entc why src mud.material -o out");
    free(folder);
}

/* --- the cache --- */

typedef struct ForgedEntry {
    char    magic[8];
    u32     version, spare;
    u64     manifest_bytes, notes_bytes, size;
    Hash128 hash;
} ForgedEntry;

/* A file of the cache that a test changes. */
typedef struct CacheEntry {
    ForgedEntry head;
    char        name[600]; /* in the folder of the test */
    u8*         bytes;     /* [size] the head too */
    size_t      size;
} CacheEntry;

/* The entry with this line, in folder/cache. */
static CacheEntry entry_open(const char* folder, const char* line) {
    CacheEntry entry;
    char       path[1200];
    TestRun    found = test_command(folder, "grep -rlaE '^%s$' cache | tr -d '\n'", line);
    assert_true(found.out_bytes > 0 && found.out_bytes < sizeof entry.name);
    snprintf(entry.name, sizeof entry.name, "%s", found.out);
    snprintf(path, sizeof path, "%s/%s", folder, entry.name);
    entry.bytes = test_read(path, &entry.size);
    memcpy(&entry.head, entry.bytes, sizeof entry.head);
    test_run_free(&found);
    return entry;
}

/* Writes the entry with a head whose checksum matches. */
static void entry_close(const char* folder, CacheEntry* entry) {
    const size_t head = sizeof entry->head;
    entry->head.hash = hash_content(entry->bytes + head, entry->size - head);
    memcpy(entry->bytes, &entry->head, head);
    test_write(folder, entry->name, entry->bytes, entry->size);
    free(entry->bytes);
}

/* In the notes of the cache entry of a product or model, replaces one text by another; NULL:
 * removes the last byte. */
static void entry_forge(const char* folder, const char* of, const char* from, const char* to) {
    CacheEntry   entry = entry_open(folder, of);
    const size_t first = sizeof entry.head + entry.head.manifest_bytes;
    const size_t end = first + entry.head.notes_bytes;
    const size_t gone = from ? strlen(from) : 1, more = strlen(to);
    size_t       at = end - 1;
    if (from) {
        for (at = first; at < end && memcmp(entry.bytes + at, from, MIN_OF(gone, end - at)) != 0;)
            at++;
        if (at + gone > end) fail_msg("the notes of %s have no \"%s\"", of, from);
    }
    u8* forged = calloc(1, entry.size + more);
    memcpy(forged, entry.bytes, at);
    memcpy(forged + at, to, more);
    memcpy(forged + at + more, entry.bytes + at + gone, entry.size - at - gone);
    free(entry.bytes);
    entry.bytes = forged;
    entry.size += more - gone;
    entry.head.notes_bytes += more - gone;
    entry_close(folder, &entry);
}

/* Replacements in the notes of cache entries, and what a build reports then. */

#define GATE  "product props/gate.entity"
#define MODEL "model models/box.entity"
#define LISTS "reads of props/gate.entity" /* of which 8 are looked at */
#define SEVEN "mesh a\n\nmesh b\n\nmesh c\n\nmesh d\n\nmesh e\n\nmesh f\n\nmesh g\n\n"
static const struct ForgedText {
    const char *of, *from, *to, *wanted;
} forged_entries[] = {
    {GATE, NULL, "", " 0 compiled, 7 from the cache"}, /* the last line has no end */
    {GATE, NULL, "\nread entity props/lamp 1 1 0 x", "1 compiled, 6 from the cache"},
    {GATE, NULL, "\nread entity props/lamp 1 1 0 x\n", "1 compiled, 6 from the cache"},
    {GATE, "read entity props/lamp", "need entity props/lamp 1 1 0 x\nread entity props/lamp",
     "1 compiled, 6 from the cache"},
    {GATE, "read entity props/lamp", "read entity models/box", "1 compiled, 6 from the cache"},
    {GATE, "read entity props/lamp", "read material props/lamp", "1 compiled, 6 from the cache"},
    {GATE, "read entity props/lamp 1 45 48 props/gate.entity.json\n", "",
     "1 compiled, 6 from the cache"},
    {GATE, " 1 45 48 ", " 1 45 x ", "1 compiled, 6 from the cache"},
    {GATE, "read", "need", "1 compiled, 6 from the cache"},
    {GATE, "read", "seen", "1 compiled, 6 from the cache"},
    {GATE, "read entity props/gate", "read entity props/lamp", "1 compiled, 6 from the cache"},
    {GATE, " 1 45 ", " 1 45x ", "1 compiled, 6 from the cache"},
    {GATE, " 1 45 ", " 1  ", "1 compiled, 6 from the cache"},
    {GATE, " 1 45 ", " 01 45 ", "1 compiled, 6 from the cache"},
    {GATE, " 1 45 ", " 4294967296 45 ", "1 compiled, 6 from the cache"},
    {GATE, " 1 45 ", " 18446744073709551617 45 ", "1 compiled, 6 from the cache"},
    {GATE, " 1 45 ", " 1 4/ ", "1 compiled, 6 from the cache"},
    {GATE, "read entity props/lamp", "read nothing props/lamp", "1 compiled, 6 from the cache"},
    {GATE, NULL, "\nfile - - 0 0 0 x\n", " 0 compiled, 7 from the cache"},
    {GATE, NULL, "\nfile - - 0 0 0 ../x\n", "1 compiled, 6 from the cache"},
    {GATE, NULL, "\nfile - - 0 0 0\n", "1 compiled, 6 from the cache"},
    {LISTS, "lamp\n\n", "lamp", " 0 compiled, 7 from the cache"},
    {LISTS, "lamp\n\n", "lamp\n\nmesh a\n\n", " 0 compiled, 7 from the cache"},
    {"product mud.material", "read material mud 0 0 0 \n", "", "1 compiled, 6 from the cache"},
    {LISTS, "entity", SEVEN "entity", " 0 compiled, 7 from the cache"},
    {LISTS, "entity",
     SEVEN "mesh x\n\n"
           "entity",
     "1 compiled, 6 from the cache"},
    {GATE, "props/gate.entity.json", "../gate.entity.json", "1 compiled, 6 from the cache"},
    {GATE, "props/gate.entity.json", "/etc/passwd", "1 compiled, 6 from the cache"},
    {GATE, "read entity props/lamp", "read material mud", "1 compiled, 6 from the cache"},
    {MODEL, " models/box data.bin", " models/../../other", "7 from the cache"},
    {MODEL, "beside ", "beside 0", "7 from the cache"},
    {MODEL, "mesh models/box/box", "mesh ../evil/box", "7 from the cache"},
    {MODEL, " models/box data.bin", " models/none", "7 from the cache"},
    {MODEL, "mesh models/box/box", "mesh modelx/box/box", "7 from the cache"},
    {MODEL, "mesh models/box/box", "mesh models/boxxbox", "7 from the cache"},
    {MODEL, "mesh models/box/box", "mesh models/box/BOX", "7 from the cache"},
    {MODEL, "mesh models/box/box", "entity models/box/box", "7 from the cache"},
    {MODEL, "mesh models/box/box", "mesh models/box/bax", "7 compiled, 0 from the cache"},
    {MODEL, "mesh models/box/box\n", "", "7 compiled, 0 from the cache"},
    {MODEL, "mesh models/box/box\n", "mesh models/box/box\nmesh ../evil/box\n", "7 from the cache"},
    {MODEL, "mesh models/box/box", "mesh models/box/box\nmesh models/box/box",
     "7 compiled, 0 from the cache"},
};

/* An entry that entc cannot have written is treated as missing. */
static void cache_entry_forged_in_any_field_is_recompiled(void** state) {
    char* folder = tree_new("hostile_entries");
    UNUSED(state);
    test_write_text(folder, "src/props/lamp.material.json", "{}");
    test_write_text(folder, "other", "");
    EXPECT(folder, 0, "", "entc build src -o valid --cache kept");
    for (u32 i = 0; i < COUNT_OF(forged_entries); i++) {
        TEST_DONE(folder, "rm -rf out .out.entc cache && cp -r kept cache");
        const struct ForgedText* way = &forged_entries[i];
        entry_forge(folder, way->of, way->from, way->to);
        TestRun built = test_command(folder, "$BOUNDED entc build src -o out --cache cache -v && "
                                             "diff -r valid out && ! test -e evil");
        if (built.code != 0 || !strstr(built.err, way->wanted))
            fail_msg("%s, %s -> %s: %d: %s%s", way->of, way->from, way->to, built.code, built.out,
                     built.err);
        test_run_free(&built);
        EXPECT(folder, 0, "7 from the cache",
               "entc build src -o new --cache cache -v; rm -r new .new.entc");
    }
    free(folder);
}

/* The bytes of a product in the cache, forged in the header, with a matching checksum. */
static void cached_blob_forged_in_its_header_is_recompiled(void** state) {
    static const struct {
        const char* name;
        u32         at, flip, cut;
    } ways[] = {
        {"magic", 0, 1, 0},
        {"resource", offsetof(BlobHeader, resource), 1, 0},
        {"size", offsetof(BlobHeader, blob_bytes), 16, 0},
        {"a header that is not complete", 0, 0, 63},
    };
    char* folder = tree_new("hostile_blobs");
    UNUSED(state);
    EXPECT(folder, 0, "", "entc build src -o valid --cache kept");
    for (u32 i = 0; i < COUNT_OF(ways); i++) {
        TEST_DONE(folder, "rm -rf out .out.entc cache && cp -r kept cache");
        CacheEntry   entry = entry_open(folder, "product mud.material");
        ForgedEntry* head = &entry.head;
        const size_t blob = sizeof *head + head->manifest_bytes + head->notes_bytes;
        entry.bytes[blob + ways[i].at] ^= (u8)ways[i].flip;
        if (ways[i].cut) { /* the file ends with a page: what follows cannot be read */
            u8* page = calloc(1, 8192);
            memcpy(page, entry.bytes, blob);
            free(entry.bytes);
            entry.bytes = page, entry.size = 4096;
            head->size = ways[i].cut;
            head->notes_bytes = entry.size - head->size - head->manifest_bytes - sizeof *head;
        }
        entry_close(folder, &entry);
        EXPECT(folder, 0, "1 compiled, 5 from the cache",
               "entc build src -o out --cache cache -v && diff -r valid out");
    }
    EXPECT(folder, 0, " 0 compiled, 6 from the cache",
           "entc build src -o a --target big --cache kept && "
           "entc build src -o b --target big --cache kept -v && diff -r a b");
    free(folder);
}

/* A changed file of a model, and the sources that an entity reads at different times. */
static void cached_products_follow_every_file_that_they_read(void** state) {
    char* folder = tree_new("cache_follows");
    UNUSED(state);
    TEST_DONE(folder,
              "entc build src -o a --cache cache && cp -r src new && "
              "printf '\\077' | dd of='new/models/box data.bin' bs=1 seek=27 "
              "conv=notrunc 2>/dev/null && entc build new -o valid && ! diff -rq a valid && "
              "entc build new -o b --cache cache && diff -r valid b");
    TEST_DONE(folder,
              "echo '{\"prefab\": \"one\"}' > src/props/lamp.entity.json && "
              "echo '{}' > src/one.entity.json && cp src/one.entity.json src/two.entity.json "
              "&& entc build src -o c --cache cache && "
              "sed -i s/one/two/ src/props/lamp.entity.json && "
              "entc build src -o d --cache cache && "
              "sed -i s/two/one/ src/props/lamp.entity.json");
    EXPECT(folder, 0, " 0 compiled, ", "entc build src -o e --cache cache -v && diff -r c e");
    EXPECT(folder, 0, " 0 compiled, ",
           "sed -i 's/^{/{ \"images\": [ { \"uri\": \"wood.png\" } ],/' src/models/box.gltf && "
           "echo '{\"models\": {\"accept\": [\"unused\"]}}' > src/entc.json && "
           "entc build src -o f --cache cache && entc build src -o g --cache cache -v && "
           "diff -r f g");
    free(folder);
}

/* A single product is found in the cache only while the resources that it refers to exist. */
static void single_product_is_found_with_what_it_needs(void** state) {
    static const char compile[] = "strace -f -o log -e trace=openat entc compile src "
                                  "levels/yard.level -o one --cache cache";
    UNUSED(state);
    TEST_NEEDS("strace");
    if (SANITIZED) TEST_SKIP("a sanitizer's program cannot be traced");
    char* folder = tree_new("cache_single");
    TEST_DONE(folder,
              "%s && %s && test $(grep -c 'cache/.*= [0-9]' log) -ge 2 && "
              "! grep 'cache/.*O_CREAT' log",
              compile, compile);
    entry_forge(folder, "product levels/yard.level", "need mesh models/box/box",
                "need mesh models/box/bax");
    TEST_DONE(folder, "%s && grep -q 'cache/.*O_CREAT' log", compile);
    free(folder);
}

/* A source map with a wrong end or head is not used, although the checksum of the entry matches. */
static void cached_map_damaged_inside_a_valid_entry_is_recompiled(void** state) {
    static const char* const commands[] = {"s/mud.material/max.material/", "s/ [0-9]*:/ 7:/"};
    char*                    folder = tree_new("hostile_maps");
    UNUSED(state);
    TEST_DONE(folder, "entc build src -o valid --source-map --cache kept");
    for (u32 i = 0; i < COUNT_OF(commands); i++) {
        const char* of = "source map of mud.material";
        TEST_DONE(folder, "rm -rf out .out.entc cache && cp -r kept cache");
        TEST_DONE(folder, "LC_ALL=C sed -i '/^entc source map/,$ %s' $(grep -rlE '^%s$' cache)",
                  commands[i], of);
        CacheEntry         entry = entry_open(folder, of);
        const ForgedEntry* head = &entry.head;
        assert_int_equal(head->manifest_bytes + head->notes_bytes + head->size,
                         entry.size - sizeof *head);
        entry_close(folder, &entry);
        EXPECT(folder, 0, "1 compiled, 5 from the cache",
               "entc build src -o out --source-map --cache cache -v && diff -r valid out");
    }
    free(folder);
}

/* Models with every type of resource come from the cache; one that cannot be read does not. */
static void cached_model_with_every_resource_type_is_used(void** state) {
    char  here[1000];
    char* folder = tree_new("model_cache");
    UNUSED(state);
    assert_non_null(getcwd(here, sizeof here));
    TEST_DONE(folder,
              "cp -r '%s/assets' town && entc build town -o a --cache c && "
              "for type in skeleton clip material mesh; do "
              "test -n \"$(find a -mindepth 3 -name '*.'$type)\" || exit 1; done",
              here);
    EXPECT(folder, 0, " 0 compiled, ", "entc build town -o b --cache c -v && diff -r a b");
    EXPECT(folder, 3, "src/models/box.gltf:1:",
           "echo '{ \"asset\": 7 }' > src/models/box.gltf; entc build src -o out --cache c");
    free(folder);
}

/* The list of a model is recalled from the build database, with the content of its buffers: its
 * outputs are found in the cache under the same key as after reading it. */
static void unchanged_model_is_recalled_with_its_buffers(void** state) {
    char* folder = tree_new("model_recall");
    UNUSED(state);
    TEST_DONE(folder, "entc build src -o out --cache cache && cp -r out valid");
    EXPECT(folder, 0, " 0 compiled, 2 from the cache",
           "rm out/models/box/box.mesh out/models/box.entity; "
           "entc build src -o out --cache cache -v && diff -r valid out");
    free(folder);
}

/* A level that uses an unchanged model is compiled without opening the model. The build waits
 * because the time of a file written just before it does not identify the content. */
static void unchanged_model_is_not_opened(void** state) {
    UNUSED(state);
    TEST_NEEDS("strace");
    if (SANITIZED) TEST_SKIP("a sanitizer's program cannot be traced");
    char* folder = tree_new("model_unopened");
    TEST_DONE(folder,
              "sleep 0.05; entc build src -o out && "
              "sed -i 's/\"gate\", \"prefab\"/\"door\", \"prefab\"/' src/levels/yard.level.json");
    EXPECT(folder, 0, "1 compiled", "strace -f -o log -e trace=openat entc build src -o out -v");
    TEST_DONE(folder, "grep -q yard.level.json log && ! grep -q src/models/box log");
    free(folder);
}

/* A model with an error is not stored: whoever uses it gets the error each time. */
static void model_with_an_error_is_reported_again_from_a_cache(void** state) {
    char* folder = tree_new("model_error");
    UNUSED(state);
    TEST_DONE(folder, "sed -i 's/\"nodes\": *\\[ *{/&\"extras\":{\"components\":{\"light\":7}},/' "
                      "src/models/box.gltf && grep -q extras src/models/box.gltf");
    for (u32 i = 0; i < 2; i++) {
        EXPECT(folder, 3,
               "models/box.gltf:", "entc compile src levels/yard.level -o one --cache cache");
    }
    free(folder);
}

/* With --check and --dry-run nothing is stored. */
static void cache_stays_empty_without_output(void** state) {
    static const char* const options[] = {"--check", "--dry-run"};
    char*                    folder = tree_new("model_check");
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(options); i++) {
        TEST_DONE(folder,
                  "entc build src -o out %s --cache cache; "
                  "test -z \"$(find cache -type f 2>/dev/null)\"",
                  options[i]);
    }
    free(folder);
}

/* --- outputs that cannot be read --- */

/* A stale output remains only where a build reports the reason. */
static void output_that_cannot_be_read_is_reported(void** state) {
    static const char* const files[] = {"mud.material.map", "levels/yard.level",
                                        "levels/yard.level.map"};
    UNUSED(state);
    TEST_NEEDS("strace");
    if (SANITIZED) TEST_SKIP("a sanitizer's program cannot be traced");
    char* folder = tree_new("unread");
    TEST_DONE(folder, "entc build src -o out --source-map && rm src/levels/yard.level.json && "
                      "entc compile src mud.material -o one --source-map");
    TEST_DONE(folder, "cp -r out kept");
    for (u32 i = 0; i < COUNT_OF(files); i++) {
        TEST_DONE(folder,
                  "rm -r out .out.entc; cp -r kept out; " /* without a record they are read */
                  "strace -f -o log -P out/%s -e trace=openat -e inject=openat:error=EIO "
                  "entc build src -o out 2> said; test $? = 2 && test -e out/%s && "
                  "grep -q 'cannot read \"out/%s\": Input/output error' said",
                  files[i], files[i], files[i]);
        TEST_DONE(folder, "entc build src -o out && ! test -e out/%s", files[i]);
    }
    TEST_DONE(folder, "strace -f -o log -P one.map -e trace=openat -e inject=openat:error=EACCES "
                      "entc compile src mud.material -o one 2> said; test $? = 2 && "
                      "test -e one.map && grep -q 'cannot read \"one.map\": Permission' said");
    free(folder);
}

/* Where nothing can be written beside the output folder, the build database is written inside. */
static void build_database_refused_beside_output_is_written_within(void** state) {
    static const char* const errors[] = {"EACCES", "EPERM", "EROFS", "EIO"};
    UNUSED(state);
    TEST_NEEDS("strace");
    if (SANITIZED) TEST_SKIP("a sanitizer's program cannot be traced");
    const char* folder = test_folder("database_refused");
    test_write_text(folder, "src/a.material.json", "{}");
    for (u32 i = 0; i < COUNT_OF(errors); i++) {
        const bool within = i < 3;
        TEST_DONE(folder,
                  "rm -rf out .out.entc; strace -f -o log -P .out.entc -e trace=mkdir,mkdirat "
                  "-e inject=mkdir,mkdirat:error=%s entc build src -o out -q; test $? = %u && "
                  "! test -e .out.entc && test %u = $(ls out/.entc/database | wc -l)",
                  errors[i], within ? 0u : 2u, within);
    }
    TEST_DONE(folder, "rm -rf out; ! $BOUNDED strace -f -o log -P .out.entc -P out/.entc -e "
                      "trace=mkdir,mkdirat -e inject=mkdir,mkdirat:error=EPERM "
                      "entc build src -o out -q; test -e out/a.material");
}

/* A file of a model is recorded by its path below the source folder: it must have one, even when a
 * link outside leads back into it. */
static void model_file_linked_through_outside_folder_is_refused(void** state) {
    char* folder = tree_new("out_and_back");
    UNUSED(state);
    TEST_DONE(folder, "mv 'src/models/box data.bin' src/models/y && ln -s src/models/y x && "
                      "sed -i 's,box%%20data.bin,../../x,' src/models/box.gltf");
    EXPECT(folder, 3, "it is outside the asset folder", "entc build src -o out --cache cache");
    free(folder);
}

/* A blob refers to the declaration of its components by the path of its file. */
static void source_map_from_cache_is_that_of_the_declaration_that_was_moved(void** state) {
    char* folder = strdup(test_folder("map_cache_moved"));
    UNUSED(state);
    test_write_text(folder, "src/health.component.json",
                    "{ \"fields\": { \"points\": { \"type\": \"u32\", \"default\": 3 } } }\n");
    test_write_text(folder, "src/a.level.json",
                    "{ \"entities\": [ { \"name\": \"a\", "
                    "\"components\": { \"health\": {} } } ] }\n");
    TEST_DONE(folder, "entc build src -o out --cache c --source-map");
    TEST_DONE(folder, "mkdir src/rules && mv src/health.component.json src/rules");
    TEST_DONE(folder, "entc build src -o out --cache c && rm -r out .out.entc");
    TEST_DONE(folder, "entc build src -o out --cache c --source-map && "
                      "entc build src -o clean --source-map && diff -r out clean");
    free(folder);
}

/* Which resources the pattern of a package matches depends on the files of the folder. */
static void source_map_from_cache_is_that_of_the_resources_of_a_package(void** state) {
    char* folder = strdup(test_folder("map_cache_package"));
    UNUSED(state);
    test_write_text(folder, "src/all.package.json", "{ \"roots\": [ \"*.material\" ] }\n");
    test_write_text(folder, "src/a.material.json", "{}\n");
    TEST_DONE(folder, "entc build src -o out --cache c --source-map");
    test_write_text(folder, "src/b.material.json", "{}\n");
    TEST_DONE(folder, "entc build src -o out --cache c && rm -r out .out.entc");
    TEST_DONE(folder, "entc build src -o out --cache c --source-map && "
                      "entc build src -o clean --source-map && diff -r out clean");
    free(folder);
}

TEST_SUITE(records) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(build_database_forged_in_any_field_builds_as_clean),
        cmocka_unit_test(build_database_with_control_character_prints_it_as_question_mark),
        cmocka_unit_test(cache_entry_forged_in_any_field_is_recompiled),
        cmocka_unit_test(output_that_cannot_be_read_is_reported),
        cmocka_unit_test(model_file_linked_through_outside_folder_is_refused),
        cmocka_unit_test(cached_map_damaged_inside_a_valid_entry_is_recompiled),
        cmocka_unit_test(cached_blob_forged_in_its_header_is_recompiled),
        cmocka_unit_test(cached_products_follow_every_file_that_they_read),
        cmocka_unit_test(single_product_is_found_with_what_it_needs),
        cmocka_unit_test(cached_model_with_every_resource_type_is_used),
        cmocka_unit_test(unchanged_model_is_recalled_with_its_buffers),
        cmocka_unit_test(unchanged_model_is_not_opened),
        cmocka_unit_test(model_with_an_error_is_reported_again_from_a_cache),
        cmocka_unit_test(cache_stays_empty_without_output),
        cmocka_unit_test(build_database_refused_beside_output_is_written_within),
        cmocka_unit_test(source_map_from_cache_is_that_of_the_declaration_that_was_moved),
        cmocka_unit_test(source_map_from_cache_is_that_of_the_resources_of_a_package),
    };
    return TEST_RUN("records", tests);
}
