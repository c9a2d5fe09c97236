/* test_bundle.c - packing, listing and unpacking; the validation of bundles with every kind of
 * damage; and the equality of what a host reads from a bundle and from a folder. */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define ZSTD_STATIC_LINKING_ONLY
#include <zstd.h>

#include "bundle_internal.h"
#include "ent.h"
#include "file.h"
#include "hash.h"
#include "sections.h"
#include "test_worlds_support.h"
#include "world_internal.h"

#define TOWN_PACKAGE "{ \"roots\": [\"levels/town.level\"] }"
#define LAMP_PACKAGE "{ \"roots\": [\"models/lamp.entity\", \"props/lamp_pair.entity\"] }"

/* --- bundles to test with --- */

/* assets/ with two packages, built into out/. The caller frees the name of the folder. */
static char* town_new(const char* name) {
    char  here[1000];
    char* folder = strdup(test_folder(name));
    assert_non_null(getcwd(here, sizeof here));
    EXPECT(folder, 0, "", "cp -r '%s/assets' src", here);
    test_write_text(folder, "src/town.package.json", TOWN_PACKAGE);
    test_write_text(folder, "src/lamps.package.json", LAMP_PACKAGE);
    EXPECT(folder, 0, "", "entc build src -o out");
    return folder;
}

#define CRATES 40

/* Many similar small resources of two types: a dictionary for each reduces the size. */
static void crates_write(const char* folder) {
    char text[400], name[60];
    for (u32 i = 0; i < CRATES; i++) {
        snprintf(text, sizeof text,
                 "{ \"components\": { \"transform\": { \"position\": [%u, %u.5, 3] }, \"name\": { "
                 "\"id\": \"crate %u\" }, \"point_mass\": { \"mass\": %u.25 } } }",
                 i * 7, i * 3, i, i + 1);
        snprintf(name, sizeof name, "src/crates/c%u.entity.json", i);
        test_write_text(folder, name, text);
        snprintf(text, sizeof text, "{ \"base_color\": [0.%02u, 0.5, 0.25], \"roughness\": 0.%u }",
                 i, i + 1);
        snprintf(name, sizeof name, "src/paints/p%u.material.json", i);
        test_write_text(folder, name, text);
    }
}

typedef struct Pak {
    u8*    at;
    size_t size;
    Bundle bundle;
} Pak;

static Pak pak_read(const char* folder, const char* name) {
    Pak  pak;
    char path[1200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    pak.at = test_read(path, &pak.size);
    assert_non_null(pak.at);
    assert_int_equal(ent_bundle_open(&pak.bundle, pak.at, pak.size, NULL), ENT_OK);
    return pak;
}

/* One resource, as the library opens it, with no readable memory after its last byte. NULL:
 * refused. */
static u8* row_open(const Bundle* bundle, const BundleResource* row, Blob* blob, BlobFault* fault) {
    BundleDecoder decoder;
    void*         room = aligned_alloc(64, bundle_decoder_bytes(bundle) + 64);
    u8*           bytes = aligned_alloc(16, row->size);
    bundle_decoder_init(&decoder, bundle, bundle_decoder_bytes(bundle) ? room : NULL);
    ent_status status = bundle_piece_validate(bundle, row, fault);
    if (status == ENT_OK && row->codec == BUNDLE_ZSTD) {
        status = bundle_head_validate(&decoder, bundle, row, fault);
        if (status == ENT_OK) status = bundle_decode(&decoder, bundle, row, bytes, fault);
    } else if (status == ENT_OK) {
        memcpy(bytes, bundle_piece(bundle, row), row->size);
    }
    if (status == ENT_OK) status = ent_blob_open(blob, bytes, row->size, NULL, fault);
    if (status == ENT_OK) status = bundle_blob_validate(blob, row, fault);
    free(room);
    if (status == ENT_OK) return bytes;
    assert_int_equal(fault->status, status);
    assert_true(fault->field[0] && fault->reason[0]);
    free(bytes);
    return NULL;
}

static bool row_opens(const Bundle* bundle, u32 row) {
    Blob      blob;
    BlobFault fault;
    u8*       bytes = row_open(bundle, &bundle->resource[row], &blob, &fault);
    free(bytes);
    return bytes != NULL;
}

/* --- pack, list, unpack --- */

static void bundle_unpacked_equals_the_packed_folder(void** state) {
    static const char* const levels[] = {"", "--level 0", "--level 1", "--level 22"};
    char*                    folder = town_new("bundle_round");
    UNUSED(state);
    crates_write(folder);
    EXPECT(folder, 0, "",
           "rm src/*.package.json && rm -r out && entc build src -o out && "
           "entc build src -o big --target big");
    for (u32 i = 0; i < COUNT_OF(levels); i++) {
        EXPECT(folder, 0, "resources", "entc pack out -o a%u.pak %s -v", i, levels[i]);
        EXPECT(folder, 0, "", "entc unpack a%u.pak -o un%u && diff -r out un%u", i, i, i);
        EXPECT(folder, 0, "ok (bundle, ", "entc verify a%u.pak", i);
        EXPECT(folder, 0, "", "entc pack un%u -o b.pak %s && cmp a%u.pak b.pak", i, levels[i], i);
    }
    EXPECT(folder, 0, "",
           "entc pack big -o big.pak && entc unpack big.pak -o ung && diff -r big ung");
    EXPECT(folder, 0, "other byte order", "entc verify big.pak");
    EXPECT(folder, 0, "unchanged",
           "entc unpack big.pak -o ung -v | grep -v wrote; entc pack big -o big.pak -v");
    EXPECT(folder, 0, "", "entc info out >a && entc info a0.pak >b && cmp a b");
    EXPECT(folder, 0, "", "entc info big >a && entc info big.pak >b && cmp a b");
    EXPECT(folder, 0, "", "entc verify - <a0.pak || test $? = 3");
    free(folder);
}

/* Another folder, filled in reverse order and at another time, at another path. */
static void bundles_of_equal_content_have_equal_bytes(void** state) {
    char* folder = town_new("bundle_same");
    UNUSED(state);
    EXPECT(folder, 0, "", "entc pack out -o a.pak");
    EXPECT(folder, 0, "",
           "(cd out && find . -type f | LC_ALL=C sort -r) | while read -r f; do "
           "mkdir -p \"other/place/$(dirname $f)\"; cp \"out/$f\" \"other/place/$f\"; "
           "touch -d 2001-01-01 \"other/place/$f\"; done");
    EXPECT(folder, 0, "", "cd other/place && TZ=UTC+9 LC_ALL=C entc pack . -o ../../b.pak");
    EXPECT(folder, 0, "", "cmp a.pak b.pak");
    EXPECT(folder, 0, "", "! grep -q place b.pak && ! grep -q out a.pak");
    EXPECT(folder, 0, "",
           "touch -d 2001-01-01 a.pak && entc pack out -o a.pak && "
           "test a.pak -ot out/levels/town.level");
    free(folder);
}

/* What the named package needs, as the library finds it in the folder. */
static void bundle_of_package_contains_only_what_its_roots_need(void** state) {
    char*       folder = town_new("bundle_roots");
    char        out[1200];
    Library     library;
    const Blob* blob;
    UNUSED(state);
    EXPECT(folder, 0, "",
           "entc pack out --package town -o town.pak && "
           "entc pack out --package lamps -o lamps.pak && "
           "entc pack out --package lamps --package=town -o both.pak && "
           "entc pack out -o all.pak && cmp all.pak both.pak");
    EXPECT(folder, 0, "", "rm out/*.package && entc index out && entc pack out -o folder.pak");
    Pak town = pak_read(folder, "town.pak"), lamps = pak_read(folder, "lamps.pak");
    Pak both = pak_read(folder, "both.pak"), complete = pak_read(folder, "folder.pak");
    snprintf(out, sizeof out, "%s/out", folder);
    assert_int_equal(ent_library_open(&library, out, NULL), ENT_OK);
    assert_int_equal(ent_library_load(&library, "levels/town", RESOURCE_LEVEL, &blob), ENT_OK);
    assert_true(library.count > 5);
    assert_int_equal(town.bundle.header->resource_count, library.count + 1); /* the package */
    for (u32 i = 0; i < library.count; i++) {
        assert_non_null(ent_bundle_find(&town.bundle, ent_library_entry(&library, i)->id));
    }
    ent_library_close(&library);
    const ResourceRef grass = ent_resource_ref("models/ground/grass", RESOURCE_MATERIAL);
    const ResourceRef lamp = ent_resource_ref("models/lamp", RESOURCE_ENTITY);
    const ResourceRef package = ent_resource_ref("lamps", RESOURCE_PACKAGE);
    assert_non_null(ent_bundle_find(&town.bundle, grass));
    assert_null(ent_bundle_find(&town.bundle, lamp));
    assert_null(ent_bundle_find(&lamps.bundle, grass));
    assert_non_null(ent_bundle_find(&lamps.bundle, lamp));
    assert_non_null(ent_bundle_find(&lamps.bundle, package));
    assert_null(ent_bundle_find(&town.bundle, package));
    assert_non_null(ent_bundle_find(&both.bundle, lamp));
    assert_non_null(ent_bundle_find(&both.bundle, grass));
    EXPECT(folder, 0, "", "entc unpack folder.pak -o un && diff -r out un");
    assert_true(complete.bundle.header->resource_count > both.bundle.header->resource_count - 2);
    free(town.at), free(lamps.at), free(both.at), free(complete.at);
    free(folder);
}

static void bundle_has_dictionary_only_where_it_reduces_size(void** state) {
    char* folder = strdup(test_folder("bundle_dictionary"));
    u64   with = 0;
    UNUSED(state);
    crates_write(folder);
    EXPECT(folder, 0, "",
           "entc build src -o out && entc pack out -o many.pak && "
           "rm out/*/*[1-9].* && entc pack out -o few.pak");
    Pak many = pak_read(folder, "many.pak"), few = pak_read(folder, "few.pak");
    assert_int_equal(few.bundle.header->dictionary_count, 0);
    assert_int_equal(many.bundle.header->resource_count, 2 * CRATES);
    assert_true(many.bundle.header->dictionary_count >= 1);
    for (u32 i = 0; i < many.bundle.header->resource_count; i++) {
        with += many.bundle.resource[i].dictionary != BUNDLE_NO_DICTIONARY;
        assert_true(row_opens(&many.bundle, i));
    }
    assert_true(with > CRATES / 2);
    EXPECT(folder, 0, "\"dictionary\": true", "entc list many.pak --json");
    EXPECT(folder, 0, "dictionary of ", "entc list many.pak");
    EXPECT(folder, 0, "", "entc list many.pak --json | python3 -m json.tool >json");
    free(many.at), free(few.at);
    free(folder);
}

static void list_of_bundle_prints_every_resource_and_size(void** state) {
    char* folder = town_new("bundle_list");
    UNUSED(state);
    EXPECT(folder, 0, "", "entc pack out -o a.pak --package town && entc unpack a.pak -o un");
    EXPECT(
        folder, 0, "",
        "entc list a.pak --json | python3 -c 'import json, os, sys\n"
        "b = json.load(sys.stdin)\n"
        "names = sorted(\"un/%%s.%%s\" %% (r[\"name\"], r[\"type\"]) for r in b[\"resources\"])\n"
        "found = sorted(os.path.join(d, f) for d, _, fs in os.walk(\"un\") for f in fs"
        " if f != \".entc.index\")\n"
        "assert names == found, (names, found)\n"
        "assert all(os.path.getsize(\"un/%%s.%%s\" %% (r[\"name\"], r[\"type\"])) == r[\"size\"]"
        " for r in b[\"resources\"])\n"
        "assert b[\"bytes\"] == os.path.getsize(\"a.pak\")'");
    EXPECT(folder, 0, "levels/town.level ", "entc list a.pak | grep -c . ; entc list a.pak");
    free(folder);
}

/* --- errors of packing --- */

static void pack_of_invalid_folder_or_options_reports_error(void** state) {
    char* folder = town_new("bundle_errors");
    UNUSED(state);
    EXPECT(folder, 1, "-o is required: the path to write to", "entc pack out");
    EXPECT(folder, 1, "-o is required: the path to write to", "entc unpack a.pak");
    EXPECT(folder, 1, "invalid value for --level: \"23\"", "entc pack out -o a.pak --level 23");
    EXPECT(folder, 1, "invalid value for --level: \"x\"", "entc pack out -o a.pak --level=x");
    EXPECT(folder, 2, "nosuch", "entc pack nosuch -o a.pak");
    EXPECT(folder, 2, "nosuch.pak: error: no such file", "entc list nosuch.pak");
    EXPECT(folder, 2, "there is no package \"twon\" in \"out\"; did you mean \"town\"?",
           "entc pack out -o a.pak --package twon");
    EXPECT(folder, 3, "no resources to pack", "mkdir empty; entc pack empty -o a.pak");
    EXPECT(folder, 2, "cannot write \"out/a.pak/b\": Not a directory",
           "touch out/a.pak; entc pack out -o out/a.pak/b; c=$?; rm out/a.pak; exit $c");
    EXPECT(folder, 3,
           "out/models/lamp/head.mesh: error: the file does not exist\n"
           "entc: note: \"levels/town.level\" refers to it\n",
           "mv out/models/lamp/head.mesh kept; entc pack out -o a.pak --package town");
    EXPECT(folder, 3, "out/models/lamp/head.mesh: error: header.",
           "head -c 200 kept >out/models/lamp/head.mesh; entc pack out -o a.pak --package town");
    EXPECT(folder, 3, "entc: note: \"levels/town.level\" refers to it",
           "entc pack out -o a.pak --package town");
    EXPECT(folder, 3, "the blob belongs to another resource",
           "cp out/models/lamp/pole.mesh out/models/lamp/head.mesh; entc pack out -o a.pak");
    EXPECT(folder, 3, "build all of them with the same --target",
           "entc build src -o big --target big; cp big/models/lamp/head.mesh out/models/lamp; "
           "entc pack out -o a.pak --package town");
    EXPECT(folder, 3, "its name is not a valid resource name",
           "cp kept out/models/lamp/head.mesh; cp kept out/Kept.mesh; rm out/*.package; "
           "entc pack out -o a.pak");
    EXPECT(folder, 1, "", "test -e a.pak"); /* none of them wrote anything */
    EXPECT(folder, 0, "", "rm out/Kept.mesh; entc pack out -o a.pak");
    EXPECT(folder, 3, "header.magic at offset 0: the first four bytes are not ENTP",
           "entc list kept");
    EXPECT(folder, 5, "header.version",
           "printf '\\002' | dd of=a.pak bs=1 seek=8 conv=notrunc 2>dd; entc list a.pak");
    free(folder);
}

/* --- damage --- */

/* A bundle of a few resources with a dictionary, of a few thousand bytes. */
static Pak small_pak(const char* folder, const char* more) {
    crates_write(folder);
    test_write_text(folder, "src/odd.entity.json", "{}"); /* names end where no piece may begin */
    EXPECT(folder, 0, "",
           "rm -r src/paints && rm src/crates/c2?.entity.json && entc build src -o out "
           "&& entc pack out -o small.pak %s",
           more);
    return pak_read(folder, "small.pak");
}

static void bundle_truncated_at_any_byte_is_refused(void** state) {
    Pak    pak = small_pak(test_folder("bundle_short"), "");
    Bundle bundle;
    UNUSED(state);
    assert_int_equal(pak.bundle.header->dictionary_count, 1);
    for (size_t size = 0; size < pak.size; size++) {
        u8* bytes = aligned_alloc(16, align_up(size + 1, 16));
        /* as close to the end as alignment allows: sanitizers detect reads after it */
        memcpy(bytes, pak.at, size);
        BlobFault fault;
        assert_int_not_equal(ent_bundle_open(&bundle, bytes, size, &fault), ENT_OK);
        assert_true(fault.field[0] && fault.reason[0]);
        free(bytes);
    }
    u8* longer = aligned_alloc(16, align_up(pak.size + 16, 16));
    memcpy(longer, pak.at, pak.size);
    assert_int_equal(ent_bundle_open(&bundle, longer, pak.size + 1, NULL), ENT_BAD_FIELD);
    free(longer);
    free(pak.at);
}

/* A byte of the index: nothing opens. A byte after it: the index opens, the resource of the byte is
 * refused, and so are all that use a dictionary that contains it; every other resource opens. */
static void bundle_with_any_changed_byte_refuses_its_resource(void** state) {
    static const char* const packed[] = {"", "--level 0"};
    UNUSED(state);
    for (u32 p = 0; p < COUNT_OF(packed); p++) {
        Pak       pak = small_pak(test_folder("bundle_flipped"), packed[p]);
        const u64 index = bundle_index_bytes(pak.bundle.header);
        const u32 count = pak.bundle.header->resource_count;
        assert_true(p == 0 || index % 16); /* there is padding that can be changed */
        for (u64 at = 0; at < pak.size; at += test_step(1, 7)) {
            Bundle   bundle;
            u32      refused = 0;
            const u8 kept = pak.at[at];
            const u8 changes[] = {1, 0x80, 0xff};
            for (u32 k = 0; k < (at < index ? 3u : 1u); k++) {
                pak.at[at] = (u8)(kept ^ changes[k]);
                const ent_status status = ent_bundle_open(&bundle, pak.at, pak.size, NULL);
                assert_true((status == ENT_OK) == (at >= index));
            }
            for (u32 i = 0; at >= index && i < count; i++) {
                const BundleResource* r = &pak.bundle.resource[i];
                const u64             start = bundle_u64(r->offset_lo, r->offset_hi);
                const u64             before =
                    i == 0 ? index : bundle_u64(r[-1].offset_lo, r[-1].offset_hi) + r[-1].stored;
                const bool in_dictionary = p == 0 && at < index + pak.bundle.dictionary[0].bytes;
                const bool mine =
                    in_dictionary ? r->dictionary == 0 : at >= before && at < start + r->stored;
                if (at % 16 && !mine) continue; /* the others are tried at every 16th byte */
                if (row_opens(&pak.bundle, i) == mine) fail_msg("byte %u, resource %u", (u32)at, i);
                refused += mine;
            }
            assert_true(at < index || refused);
            pak.at[at] = kept;
        }
        free(pak.at);
    }
}

/* Words of the index are changed, with matching checksums: whatever the validator accepts is
 * refused later or opened, and never reads or writes elsewhere (which sanitizers detect). */
static void bundle_damaged_with_matching_checksum_is_refused_or_usable(void** state) {
    static const u32 words[] = {0,  1,   2,    15,         16,         17,
                                64, 255, 4096, 0x7fffffff, 0x80000000, UINT32_MAX};
    Pak              pak = small_pak(test_folder("bundle_hashed"), "");
    const u64        index = bundle_index_bytes(pak.bundle.header);
    Random           random = {test_seed("bundle damage", 4)};
    u32              opened = 0, refused = 0;
    u8*              bytes = aligned_alloc(16, align_up(pak.size, 16));
    UNUSED(state);
    for (u32 round = 0; round < 20000 / test_step(1, 10); round++) {
        Bundle bundle;
        memcpy(bytes, pak.at, pak.size);
        const u32 at = random_below(&random, (u32)index / 4) * 4;
        const u32 word =
            round % 2 ? words[random_below(&random, COUNT_OF(words))] : random_next(&random);
        u32 old;
        memcpy(&old, bytes + at, 4);
        const u32 fresh = round % 3 ? word : old + random_below(&random, 64) - 32;
        memcpy(bytes + at, &fresh, 4);
        if (bundle_validate(&bundle, bytes, bytes, pak.size, true, NULL) != ENT_OK) {
            refused++;
            continue;
        }
        opened++;
        for (u32 i = 0; i < bundle.header->resource_count; i++) {
            BundleResource row = bundle.resource[i];
            if (row.stored > 1u << 20 || row.size > 1u << 24) continue;
            ((BundleResource*)(bytes + sizeof(BundleHeader)))[i].hash =
                resource_ref(hash_bytes(bundle_piece(&bundle, &row), row.stored, 0));
            row_opens(&bundle, i);
        }
    }
    assert_true(refused > 10000 / test_step(1, 10) && opened > 10 / test_step(1, 10));
    free(bytes);
    free(pak.at);
}

/* Two resources are exchanged, and every checksum matches. */
static void bundle_with_two_exchanged_resources_is_refused(void** state) {
    Pak             pak = small_pak(test_folder("bundle_swapped"), "--level 0");
    BundleResource* rows = (BundleResource*)(pak.at + sizeof(BundleHeader));
    u32             other = 1;
    UNUSED(state);
    while (rows[other].size != rows[0].size || rows[other].type != rows[0].type) other++;
    u8 *a = (u8*)(uintptr_t)bundle_piece(&pak.bundle, &rows[0]),
       *b = (u8*)(uintptr_t)bundle_piece(&pak.bundle, &rows[other]);
    for (u32 i = 0; i < rows[0].size; i++) {
        const u8 kept = a[i];
        a[i] = b[i], b[i] = kept;
    }
    const ResourceRef hash = rows[0].hash;
    rows[0].hash = rows[other].hash, rows[other].hash = hash;
    for (u32 i = 0; i < pak.bundle.header->resource_count; i++) {
        Blob      blob;
        BlobFault fault;
        u8*       bytes = row_open(&pak.bundle, &rows[i], &blob, &fault);
        assert_true((bytes == NULL) == (i == 0 || i == other));
        if (!bytes) assert_string_equal(fault.field, "header.resource");
        free(bytes);
    }
    free(pak.at);
}

/* The frames themselves are damaged, with matching checksums. */
static void bundle_with_damaged_frame_is_refused(void** state) {
    Pak    pak = small_pak(test_folder("bundle_frames"), "");
    Random random = {test_seed("frame damage", 5)};
    u32    refused = 0;
    UNUSED(state);
    BundleResource* rows = (BundleResource*)(pak.at + sizeof(BundleHeader));
    for (u32 round = 0; round < 20000 / test_step(1, 10); round++) {
        const u32         i = random_below(&random, pak.bundle.header->resource_count);
        u8*               piece = (u8*)(uintptr_t)bundle_piece(&pak.bundle, &rows[i]);
        const u32         at = random_below(&random, rows[i].stored);
        const u8          kept = piece[at];
        const ResourceRef hash = rows[i].hash;
        piece[at] = (u8)random_next(&random);
        rows[i].hash = resource_ref(hash_bytes(piece, rows[i].stored, 0));
        if (!row_opens(&pak.bundle, i)) refused++;
        piece[at] = kept;
        rows[i].hash = hash;
    }
    assert_true(refused > 18000 / test_step(1, 10)); /* the same byte again is no damage */
    free(pak.at);
}

/* --- frames that expand too much --- */

/* A bundle of one frame, whose row states `size`. */
typedef struct Bomb {
    u8             bytes[4096];
    Bundle         bundle;
    BundleResource row;
} Bomb;

static void bomb_make(Bomb* bomb, const void* frame, size_t stored, u32 size) {
    *bomb = (Bomb){.row = {.type = RESOURCE_LEVEL,
                           .stored = (u32)stored,
                           .size = size,
                           .codec = BUNDLE_ZSTD,
                           .dictionary = BUNDLE_NO_DICTIONARY}};
    const char   name[] = "a";
    BundleHeader header = {.magic = {'E', 'N', 'T', 'P'},
                           .byte_order = BLOB_BYTE_ORDER,
                           .version = BUNDLE_VERSION,
                           .resource_count = 1,
                           .name_bytes = sizeof name};
    const u64    index = bundle_index_bytes(&header);
    assert_true(index + stored <= sizeof bomb->bytes);
    header.bytes_lo = (u32)(index + stored);
    bomb->row.id = ent_resource_ref("a", RESOURCE_LEVEL);
    bomb->row.offset_lo = (u32)index;
    bomb->row.hash = resource_ref(hash_bytes(frame, stored, 0));
    memcpy(bomb->bytes, &header, sizeof header);
    memcpy(bomb->bytes + sizeof header, &bomb->row, sizeof bomb->row);
    memcpy(bomb->bytes + sizeof header + sizeof bomb->row, name, sizeof name);
    memcpy(bomb->bytes + index, frame, stored);
    header.hash = resource_ref(bundle_hash(bomb->bytes, index));
    memcpy(bomb->bytes, &header, sizeof header);
}

static u32 zeros_frame(u8* frame, size_t room, size_t size, bool reported) {
    u8*        zeros = calloc(1, size);
    ZSTD_CCtx* context = ZSTD_createCCtx();
    ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, reported);
    const size_t frame_bytes = ZSTD_compress2(context, frame, room, zeros, size);
    assert_false(ZSTD_isError(frame_bytes));
    ZSTD_freeCCtx(context);
    free(zeros);
    return (u32)frame_bytes;
}

static void bomb_is_refused(Bomb* bomb, const char* field, const char* reason) {
    static _Alignas(16) u8 bytes[4096 + sizeof(Bomb)];
    BlobFault              fault;
    Blob                   blob;
    Bundle                 bundle;
    memcpy(bytes, bomb->bytes, sizeof bomb->bytes);
    const u64 size = bomb->row.offset_lo + bomb->row.stored;
    if (ent_bundle_open(&bundle, bytes, size, &fault) == ENT_OK) {
        assert_null(row_open(&bundle, &bundle.resource[0], &blob, &fault));
    }
    assert_string_equal(fault.field, field);
    if (!strstr(fault.reason, reason)) fail_msg("%s", fault.reason);
}

static void bundle_with_frame_of_wrong_size_is_refused(void** state) {
    Bomb bomb;
    u8   frame[3000];
    UNUSED(state);
    /* The frame states more than the index: refused before any memory is allocated. */
    u32 frame_bytes = zeros_frame(frame, sizeof frame, 1u << 26, true);
    bomb_make(&bomb, frame, frame_bytes, 1u << 20);
    bomb_is_refused(&bomb, "resource[0].size", "the size in the index");
    /* The index states more than a frame of that size can contain: refused before any memory is
     * allocated. */
    bomb_make(&bomb, frame, 100, 0xfffffff0u);
    bomb_is_refused(&bomb, "resource[0].size", "a frame of 100 bytes cannot expand to");
    /* The frame does not state its size. */
    frame_bytes = zeros_frame(frame, sizeof frame, 1u << 20, false);
    bomb_make(&bomb, frame, frame_bytes, 1u << 20);
    bomb_is_refused(&bomb, "resource[0].size", "the size in the index");
    /* Frame and index agree on less than the actual size. The size is in 4 bytes after magic and
     * descriptor. */
    frame_bytes = zeros_frame(frame, sizeof frame, 1u << 20, true);
    const u32 less = 1u << 17;
    assert_int_equal(frame[4] >> 6, 2);
    memcpy(frame + 5, &less, 4);
    bomb_make(&bomb, frame, frame_bytes, less);
    bomb_is_refused(&bomb, "resource[0].stored", "");
    /* Two frames, a frame with a checksum, one that can be skipped. */
    frame_bytes = zeros_frame(frame, sizeof frame, 4096, true);
    memcpy(frame + frame_bytes, frame, frame_bytes);
    bomb_make(&bomb, frame, 2 * frame_bytes, 4096);
    bomb_is_refused(&bomb, "resource[0].size", "the end of its zstd frame differs");
    frame[4] |= 4;
    bomb_make(&bomb, frame, frame_bytes, 4096);
    bomb_is_refused(&bomb, "resource[0].size", "must not be skippable");
    memcpy(frame, "\x50\x2a\x4d\x18\x08\0\0\0\1\2\3\4\5\6\7\x08", 16);
    bomb_make(&bomb, frame, 16, 64);
    bomb_is_refused(&bomb, "resource[0].size", "must not be skippable");
    /* Zeros are no blob. */
    frame_bytes = zeros_frame(frame, sizeof frame, 4096, true);
    bomb_make(&bomb, frame, frame_bytes, 4096);
    bomb_is_refused(&bomb, "header.magic", "ENTB");
    /* The commands report the same, and write nothing. */
    const char* folder = test_folder("bundle_bomb");
    test_write(folder, "bomb.pak", bomb.bytes, bomb.row.offset_lo + bomb.row.stored);
    EXPECT(folder, 3, "bomb.pak: a.level: error: header.magic", "entc verify bomb.pak");
    EXPECT(folder, 3, "bomb.pak: a.level: error: header.magic", "entc unpack bomb.pak -o un");
    EXPECT(folder, 1, "", "test -e un");
    EXPECT(folder, 3, "\"a.level\" in \"bomb.pak\": header.magic at offset 0",
           "entrun bomb.pak --level a");
}

/* The validator refuses a name that refers to a place outside the folder. */
static void bundle_with_name_outside_the_folder_is_refused(void** state) {
    static const char* const names[] = {"../a", "/a", "a//b", "a/", "A", "a.b", "", "..", "a/../b"};
    static _Alignas(16) u8   bytes[512];
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(names); i++) {
        const u32      name_bytes = (u32)strlen(names[i]) + 1;
        BundleHeader   header = {.magic = {'E', 'N', 'T', 'P'},
                                 .byte_order = BLOB_BYTE_ORDER,
                                 .version = BUNDLE_VERSION,
                                 .resource_count = 1,
                                 .name_bytes = name_bytes};
        const u32      index = (u32)bundle_index_bytes(&header), at = (u32)align_up(index, 16);
        BundleResource row = {.id = ent_resource_ref(names[i], RESOURCE_LEVEL),
                              .type = RESOURCE_LEVEL,
                              .offset_lo = at,
                              .stored = 64,
                              .size = 64,
                              .dictionary = BUNDLE_NO_DICTIONARY};
        BlobFault      fault;
        Bundle         bundle;
        header.bytes_lo = at + 64;
        memset(bytes, 0, sizeof bytes);
        memcpy(bytes, &header, sizeof header);
        memcpy(bytes + sizeof header, &row, sizeof row);
        memcpy(bytes + sizeof header + sizeof row, names[i], name_bytes);
        assert_int_equal(bundle_validate(&bundle, bytes, bytes, at + 64, true, &fault),
                         ENT_BAD_FIELD);
        assert_string_equal(fault.field, "resource[0].name");
    }
}

/* --- the library --- */

static ent_status library_at(Library* library, const char* folder, const char* name,
                             const LibraryDesc* desc) {
    char path[1200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return ent_library_open(library, path, desc);
}

static void worlds_are_equal(World* a, World* b) {
    assert_int_equal(ent_entity_count(a), ent_entity_count(b));
    for (u32 i = 0; i < a->manager_count; i++) {
        const Manager *m = &a->manager[i], *n = &b->manager[i];
        assert_int_equal(m->count, n->count);
        for (u32 c = 0; c < ent_component_column_count(&m->desc.type); c++) {
            const u32 bytes = ent_component_column_bytes(&m->desc.type, c);
            if (m->count) assert_memory_equal(m->column[c], n->column[c], (size_t)bytes * m->count);
        }
    }
}

static void level_spawned_from_bundle_equals_level_from_folder(void** state) {
    static const char* const paks[] = {"town.pak", "plain.pak"};
    char*                    folder = town_new("bundle_spawn");
    UNUSED(state);
    EXPECT(folder, 0, "", "entc pack out -o town.pak && entc pack out -o plain.pak --level 0");
    EXPECT(folder, 0, "",
           "entrun out --level levels/town >a && entrun town.pak --level levels/town >b "
           "&& cmp a b && entrun plain.pak --level levels/town --stats >c");
    EXPECT(folder, 0, "props/lamp_pair: ", "entrun town.pak --level props/lamp_pair");
    EXPECT(folder, 2, "there is no levels/nosuch.level in \"town.pak\"",
           "entrun town.pak --level levels/nosuch");
    EXPECT(folder, 3, "the first four bytes are not ENTP", "entrun out/town.package --level a");
    for (u32 i = 0; i < COUNT_OF(paks); i++) {
        Library     from_folder, from_bundle;
        const Blob *a, *b;
        World *     x, *y;
        assert_int_equal(library_at(&from_folder, folder, "out", NULL), ENT_OK);
        assert_int_equal(library_at(&from_bundle, folder, paks[i], NULL), ENT_OK);
        assert_int_equal(ent_library_load(&from_folder, "levels/town", RESOURCE_LEVEL, &a), ENT_OK);
        assert_int_equal(ent_library_load(&from_bundle, "levels/town", RESOURCE_LEVEL, &b), ENT_OK);
        assert_int_equal(from_folder.count, from_bundle.count);
        assert_int_equal(from_folder.bytes, from_bundle.bytes);
        for (u32 k = 0; k < from_folder.count; k++) {
            const LibraryEntry* entry = ent_library_entry(&from_folder, k);
            const Blob*         other = ent_library_find(&from_bundle, entry->id);
            assert_non_null(other);
            assert_int_equal(other->size, entry->resource.blob.size);
            assert_memory_equal(other->bytes, entry->resource.blob.bytes, other->size);
        }
        assert_int_equal(ent_world_create(&x, NULL), ENT_OK);
        assert_int_equal(ent_world_create(&y, NULL), ENT_OK);
        assert_int_equal(ent_world_spawn(x, a, NULL, NULL), ENT_OK);
        assert_int_equal(ent_world_spawn(y, b, NULL, NULL), ENT_OK);
        worlds_are_equal(x, y);
        ent_world_destroy(x);
        ent_world_destroy(y);
        ent_library_close(&from_folder);
        ent_library_close(&from_bundle);
    }
    free(folder);
}

/* Every other resource is damaged, the ones between are not: each opens alone. */
static void resource_in_bundle_opens_although_others_are_damaged(void** state) {
    char* folder = town_new("bundle_alone");
    UNUSED(state);
    EXPECT(folder, 0, "", "entc pack out -o town.pak");
    Pak       pak = pak_read(folder, "town.pak");
    const u32 count = pak.bundle.header->resource_count;
    assert_int_equal(pak.bundle.header->dictionary_count, 0);
    for (u32 valid = 0; valid < count; valid++) {
        const BundleResource* r = &pak.bundle.resource[valid];
        const u64             start = bundle_u64(r->offset_lo, r->offset_hi);
        const u64             index = bundle_index_bytes(pak.bundle.header);
        u8*                   bytes = aligned_alloc(16, align_up(pak.size, 16));
        Library               library;
        const Blob*           blob;
        memcpy(bytes, pak.at, pak.size);
        memset(bytes + index, 0xa5, start - index);
        memset(bytes + start + r->stored, 0xa5, pak.size - start - r->stored);
        test_write(folder, "damaged.pak", bytes, pak.size);
        assert_int_equal(library_at(&library, folder, "damaged.pak", NULL), ENT_OK);
        for (u32 i = 0; i < count; i++) {
            const BundleResource* row = &pak.bundle.resource[i];
            const ent_status      status =
                ent_library_resource(&library, ent_bundle_name(&pak.bundle, row), row->type, &blob);
            assert_int_equal(status, i == valid ? ENT_OK : ENT_BAD_HASH);
            if (i != valid) assert_non_null(strstr(library.problem, "changed or damaged"));
        }
        assert_int_equal(library.count, 1);
        ent_library_close(&library);
        free(bytes);
    }
    free(pak.at);
    free(folder);
}

/* From a folder, from a bundle with and without compression, and empty. */
static void library_returns_bytes_of_files_of_type_data(void** state) {
    static const char* const places[] = {"out", "town.pak", "plain.pak"};
    char*                    folder = strdup(test_folder("library_data"));
    Library                  library;
    const void*              bytes;
    u32                      count;
    UNUSED(state);
    test_write_text(folder, "src/audio/theme.ogg", "OggS, and so on and so on and so on and so on");
    test_write_text(folder, "src/audio/theme.ogg.data.json", "{}");
    test_write_text(folder, "src/empty.txt", "");
    test_write_text(folder, "src/entc.json", "{ \"data\": { \"files\": [\"*.txt\"] } }");
    EXPECT(folder, 0, "",
           "entc build src -o out && entc pack out -o town.pak && "
           "entc pack out -o plain.pak --level 0");
    for (u32 i = 0; i < COUNT_OF(places); i++) {
        assert_int_equal(library_at(&library, folder, places[i], NULL), ENT_OK);
        assert_int_equal(ent_library_data(&library, "audio/theme", &bytes, &count), ENT_OK);
        assert_int_equal(count, 45);
        assert_memory_equal(bytes, "OggS, and so on and so on and so on and so on", 45);
        assert_int_equal((uintptr_t)bytes % 16, 0);
        const Blob* blob =
            ent_library_find(&library, ent_resource_ref("audio/theme", RESOURCE_DATA));
        assert_ptr_equal(ent_blob_contents(blob, &count), bytes);
        assert_int_equal(ent_library_data(&library, "empty", &bytes, &count), ENT_OK);
        assert_int_equal(count, 0);
        assert_non_null(bytes);
        assert_int_equal(ent_library_data(&library, "audio/theme.ogg", &bytes, &count),
                         ENT_NOT_FOUND);
        ent_library_close(&library);
    }
    free(folder);
}

static void library_of_bundle_allocates_only_with_the_host_allocator(void** state) {
    char*             folder = town_new("bundle_memory");
    CountingAllocator counting = {0};
    LibraryDesc       desc = {.allocator = counting_allocator(&counting)};
    Library           library;
    const Blob*       blob;
    UNUSED(state);
    EXPECT(folder, 0, "", "entc pack out -o town.pak && entc pack out -o plain.pak --level 0");
    /* One allocation for a compressed resource, none for a plain one. */
    assert_int_equal(library_at(&library, folder, "town.pak", &desc), ENT_OK);
    assert_int_equal(ent_library_resource(&library, "lamps", RESOURCE_PACKAGE, &blob), ENT_OK);
    u32 calls = counting.allocations;
    assert_int_equal(ent_library_resource(&library, "levels/town", RESOURCE_LEVEL, &blob), ENT_OK);
    assert_int_equal(counting.allocations, calls + 1);
    assert_int_equal(ent_library_resource(&library, "levels/town", RESOURCE_LEVEL, &blob), ENT_OK);
    assert_int_equal(counting.allocations, calls + 1);
    ent_library_close(&library);
    assert_int_equal(counting.live_bytes, 0);
    assert_int_equal(library_at(&library, folder, "plain.pak", &desc), ENT_OK);
    assert_int_equal(ent_library_resource(&library, "lamps", RESOURCE_PACKAGE, &blob), ENT_OK);
    calls = counting.allocations;
    assert_int_equal(ent_library_load(&library, "levels/town", RESOURCE_LEVEL, &blob), ENT_OK);
    assert_int_equal(counting.allocations, calls);
    for (u32 i = 0; i < library.count; i++) {
        const u8* at = ent_library_entry(&library, i)->resource.blob.bytes;
        assert_true(at > library.bundle.bytes && at < library.bundle.bytes + library.bundle.size);
        assert_int_equal((uintptr_t)at % 16, 0);
    }
    ent_library_close(&library);
    assert_int_equal(counting.live_bytes, 0);
    /* Every allocation fails in turn. */
    for (u32 limit = 1, done = 0; !done; limit++) {
        counting = (CountingAllocator){.fail_at = limit};
        ent_status status = library_at(&library, folder, "town.pak", &desc);
        if (status == ENT_OK) {
            status = ent_library_load(&library, "levels/town", RESOURCE_LEVEL, &blob);
            if (status != ENT_OK) assert_non_null(strstr(library.problem, "out of memory"));
            ent_library_close(&library);
        }
        assert_true(status == ENT_OK || status == ENT_NO_MEMORY);
        assert_int_equal(counting.live_bytes, 0);
        done = status == ENT_OK;
        assert_true(!done || limit > 10);
    }
    free(folder);
}

static void library_loads_each_resource_of_bundle_once(void** state) {
    char*       folder = strdup(test_folder("bundle_library"));
    Library     library;
    const Blob *first, *blob, *held[CRATES];
    char        name[60];
    UNUSED(state);
    crates_write(folder);
    test_write_text(folder, "src/all.package.json",
                    "{ \"roots\": [\"crates/c1.entity\", \"part.package\"] }");
    test_write_text(folder, "src/part.package.json",
                    "{ \"roots\": [\"paints/p1.material\", \"all.package\"] }");
    EXPECT(folder, 0, "",
           "entc build src -o out && cp -r out whole && rm whole/*.package && "
           "entc pack whole -o whole.pak && entc pack out -o all.pak");
    static const char* const both[] = {"whole", "whole.pak"};
    for (u32 k = 0; k < COUNT_OF(both); k++) {
        assert_int_equal(library_at(&library, folder, both[k], NULL), ENT_OK);
        for (u32 i = 0; i < CRATES; i++) {
            snprintf(name, sizeof name, "crates/c%u", i);
            assert_int_equal(ent_library_resource(&library, name, RESOURCE_ENTITY, &held[i]),
                             ENT_OK);
            snprintf(name, sizeof name, "paints/p%u", i);
            assert_int_equal(ent_library_load(&library, name, RESOURCE_MATERIAL, &blob), ENT_OK);
        }
        assert_int_equal(library.count, 2 * CRATES);
        for (u32 i = 0; i < CRATES; i++) {
            snprintf(name, sizeof name, "crates/c%u", i);
            const ResourceRef id = ent_resource_ref(name, RESOURCE_ENTITY);
            assert_ptr_equal(ent_library_find(&library, id), held[i]);
            assert_int_equal(resource_id(held[i]->header->resource), resource_id(id));
        }
        assert_int_equal(ent_library_resource(&library, "crates/c99", RESOURCE_ENTITY, &blob),
                         ENT_NOT_FOUND);
        assert_non_null(strstr(library.problem, "c99.entity"));
        assert_int_equal(
            ent_library_resource(&library, "../whole/crates/c1", RESOURCE_ENTITY, &blob),
            ENT_NOT_FOUND);
        assert_non_null(strstr(library.problem, "no name that a resource may have"));
        ent_library_clear(&library);
        assert_int_equal(library.count, 0);
        assert_int_equal(library.bytes, 0);
        assert_null(ent_library_find(&library, ent_resource_ref("crates/c1", RESOURCE_ENTITY)));
        assert_int_equal(ent_library_resource(&library, "crates/c1", RESOURCE_ENTITY, &blob),
                         ENT_OK);
        ent_library_close(&library);
    }
    /* A cycle of packages; what was opened alone before is followed when it is needed. */
    assert_int_equal(library_at(&library, folder, "all.pak", NULL), ENT_OK);
    assert_int_equal(ent_library_resource(&library, "part", RESOURCE_PACKAGE, &first), ENT_OK);
    assert_int_equal(library.count, 1);
    assert_int_equal(ent_library_load(&library, "all", RESOURCE_PACKAGE, &blob), ENT_OK);
    assert_int_equal(library.count, 4);
    assert_ptr_equal(ent_library_find(&library, first->header->resource), first);
    ent_library_close(&library);
    EXPECT(folder, 3, "it was renamed",
           "cp out/crates/c1.entity out/crates/c2.entity; entrun out --level crates/c2");
    assert_int_equal(library_at(&library, folder, "nosuch.pak", NULL), ENT_NOT_FOUND);
    assert_non_null(strstr(library.problem, "nosuch.pak\": no such file"));
    EXPECT(folder, 3, "the file has the other byte order",
           "entc build src -o big --target big && entc pack big -o big.pak && "
           "entrun big.pak --level crates/c1");
    free(folder);
}

TEST_SUITE(bundle) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bundle_unpacked_equals_the_packed_folder),
        cmocka_unit_test(bundles_of_equal_content_have_equal_bytes),
        cmocka_unit_test(bundle_of_package_contains_only_what_its_roots_need),
        cmocka_unit_test(bundle_has_dictionary_only_where_it_reduces_size),
        cmocka_unit_test(list_of_bundle_prints_every_resource_and_size),
        cmocka_unit_test(pack_of_invalid_folder_or_options_reports_error),
        cmocka_unit_test(bundle_truncated_at_any_byte_is_refused),
        cmocka_unit_test(bundle_with_any_changed_byte_refuses_its_resource),
        cmocka_unit_test(bundle_damaged_with_matching_checksum_is_refused_or_usable),
        cmocka_unit_test(bundle_with_two_exchanged_resources_is_refused),
        cmocka_unit_test(bundle_with_damaged_frame_is_refused),
        cmocka_unit_test(bundle_with_frame_of_wrong_size_is_refused),
        cmocka_unit_test(bundle_with_name_outside_the_folder_is_refused),
        cmocka_unit_test(level_spawned_from_bundle_equals_level_from_folder),
        cmocka_unit_test(resource_in_bundle_opens_although_others_are_damaged),
        cmocka_unit_test(library_returns_bytes_of_files_of_type_data),
        cmocka_unit_test(library_of_bundle_allocates_only_with_the_host_allocator),
        cmocka_unit_test(library_loads_each_resource_of_bundle_once),
    };
    return TEST_RUN("bundle", tests);
}
