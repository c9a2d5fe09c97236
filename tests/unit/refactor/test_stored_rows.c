/* test_stored_rows.c - every rule of the references in a build database: a part that violates one, with a
 * valid checksum, is not used, and reading it is linear in its bytes. */
#include <stdio.h>
#include <stdlib.h>

#include "assets.h"
#include "compile.h"
#include "database_links.h"
#include "test.h"
#include "test_links_part.h"

/* Stored references that a change may modify. */
typedef struct Rows {
    u8*            bytes; /* [size] */
    size_t         size;
    StoredHead*    head;
    StoredFile*    files;
    StoredPlace*   places;
    StoredProduct* products;
    StoredTarget*  targets;
    StoredBeside*  besides;
    char*          text;
} Rows;

static void project_write(const char* folder) {
    static const struct {
        const char *name, *text;
    } sources[] = {
        {"src/all.package.json", "{ \"roots\": [\"levels/yard.level\", \"props/*.entity\"] }\n"},
        {"src/levels/yard.level.json",
         "{ \"entities\": [ { \"prefab\": \"props/lamp\" }, { \"prefab\": \"props/post\" } ] }\n"},
        {"src/props/lamp.entity.json", "{ \"components\": { \"light\": {} } }\n"},
        {"src/props/lamp.fr.entity.json", "{ \"components\": { \"light\": {} } }\n"},
        {"src/props/post.entity.json",
         "{ \"components\": { \"decal\": { \"color_texture\": \"props/red\" } } }\n"},
        {"src/props/red.texture.json", "{ \"image\": \"../art/red.png\" }\n"},
        {"src/notes.txt", "not a source\n"},
    };
    for (u32 i = 0; i < COUNT_OF(sources); i++)
        test_write_text(folder, sources[i].name, sources[i].text);
    TEST_DONE(folder,
              "mkdir src/art src/models && cp \"$OLDPWD\"/assets/models/*.gltf src/models && cp "
              "\"$OLDPWD/assets/textures/planks.png\" src/art/red.png && entc build src -o out && "
              "entc refs src props/lamp.entity -o out");
}

static void rows_point(Rows* r) {
    StoredHead* h = r->head = (void*)r->bytes;
    r->files = (void*)(h + 1);
    r->places = (void*)(r->files + h->file_count);
    r->products = (void*)(r->places + h->place_count);
    r->targets = (void*)(r->products + h->product_count);
    r->besides = (void*)(r->targets + h->target_count);
    r->text = (void*)(r->besides + h->beside_count);
}

static Rows rows_copy(const u8* bytes, size_t size) {
    Rows r = {.bytes = aligned_alloc(16, align_up(size, 16)), .size = size};
    memcpy(r.bytes, bytes, size);
    rows_point(&r);
    return r;
}

static bool rows_are_used(Rows* r) {
    Stored     stored = {0};
    const Text part = {(const char*)r->bytes, (u32)r->size};
    stored_seal(part);
    return stored_open(&stored, part);
}

/* --- rows with a property --- */

static StoredFile* file_with(Rows* r, const char* path) {
    u32 i = 0;
    while (strcmp(r->text + r->files[i].path, path) != 0) {
        assert_true(++i < r->head->file_count);
    }
    return &r->files[i];
}

static StoredPlace* place_of(Rows* r, LinkKind kind) {
    u32 i = 0;
    while (r->places[i].kind != (u32)kind) assert_true(++i < r->head->place_count);
    return &r->places[i];
}

/* The second of two references in one file. */
static StoredPlace* second_place(Rows* r) {
    u32 i = 1;
    while (r->places[i].file != r->places[i - 1].file || r->places[i].kind != LINK_PREFAB)
        assert_true(++i < r->head->place_count);
    return &r->places[i];
}

static u32 file_number(Rows* r, const char* path) { return (u32)(file_with(r, path) - r->files); }

static StoredProduct* product_below_model(Rows* r) {
    u32 i = 0;
    while (strlen(r->text + r->products[i].name) <=
           strlen(r->text + r->files[r->products[i].file].name))
        assert_true(++i < r->head->product_count);
    return &r->products[i];
}

static StoredProduct* product_with(Rows* r, const char* name) {
    u32 i = 0;
    while (strcmp(r->text + r->products[i].name, name) != 0)
        assert_true(++i < r->head->product_count);
    return &r->products[i];
}

#define LAMP  file_with(r, "props/lamp.entity.json")
#define NOTES file_with(r, "notes.txt")

/* X(name, change): each change violates exactly one rule. */
#define CHANGES(X)                                                                                 \
    X(first_text_not_empty, r->text[0] = 'x')                                                      \
    X(last_text_not_ended, r->text[r->head->text_bytes - 1] = 'x')                                 \
    X(text_that_no_row_has, memmove(r->text, r->text, 1), r->products[0].name++)                   \
    X(path_out_of_range, LAMP->path = UINT32_MAX)                                                  \
    X(path_shared, r->files[1].path = r->files[0].path)                                            \
    X(path_empty, r->text[NOTES->path] = 0)                                                        \
    X(paths_not_in_order, r->text[r->files[0].path] = '~')                                         \
    X(kind_of_file, NOTES->kind = FILE_OTHER + 1)                                                  \
    X(link_of_file, NOTES->link = 2)                                                               \
    X(spare_of_file, NOTES->spare = 1)                                                             \
    X(type_of_other, NOTES->type = RESOURCE_ENTITY)                                                \
    X(form_of_other, NOTES->form = ASSET_GLB)                                                      \
    X(image_of_other, NOTES->image_offset = 1)                                                     \
    X(name_out_of_range, LAMP->name = UINT32_MAX)                                                  \
    X(source_is_folder, LAMP->kind = FILE_FOLDER)                                                  \
    X(source_without_hash, memset(&LAMP->hash, 0, sizeof(Hash128)))                                \
    X(image_of_entity, LAMP->image_offset = 3)                                                     \
    X(type_none, LAMP->type = RESOURCE_NONE)                                                       \
    X(type_of_another, LAMP->type = RESOURCE_LEVEL)                                                \
    X(type_out_of_range, LAMP->type = RESOURCE_COUNT)                                              \
    X(form_of_glb, LAMP->form = ASSET_GLB)                                                         \
    X(form_of_file, LAMP->form = ASSET_FILE)                                                       \
    X(form_out_of_range, LAMP->form = ASSET_SETTINGS + 1)                                          \
    X(name_of_another, r->text[LAMP->name] = 'q')                                                  \
    X(place_of_no_file, r->places[0].file = r->head->file_count)                                   \
    X(place_of_no_source, r->places[0].file = file_number(r, "notes.txt"))                         \
    X(place_kind, r->places[r->head->place_count - 1].kind = LINK_KINDS)                           \
    X(place_type_none, r->places[0].type = RESOURCE_NONE)                                          \
    X(place_type, r->places[0].type = RESOURCE_COUNT)                                              \
    X(place_line, r->places[0].line = 0)                                                           \
    X(place_column, r->places[0].column = 0)                                                       \
    X(place_bytes, place_of(r, LINK_PATTERN)->bytes = 1)                                           \
    X(place_offset, r->places[r->head->place_count - 1].offset = UINT32_MAX)                       \
    X(place_end, r->places[r->head->place_count - 1].bytes = UINT32_MAX)                           \
    X(place_name_out_of_range, r->places[0].name = UINT32_MAX)                                     \
    X(place_name, r->text[r->places[0].name] = 'Q')                                                \
    X(places_not_in_order, second_place(r)->offset = 0)                                            \
    X(places_equal, second_place(r)->offset = second_place(r)[-1].offset)                          \
    X(places_overlap, second_place(r)[-1].bytes = 1000)                                            \
    X(product_of_no_file, r->products[0].file = r->head->file_count)                               \
    X(product_of_no_source, r->products[0].file = file_number(r, "notes.txt"))                     \
    X(product_of_another, r->products[0].file = file_number(r, "props/post.entity.json"))          \
    X(product_type_none, product_below_model(r)->type = RESOURCE_NONE)                             \
    X(product_type, product_below_model(r)->type = RESOURCE_COUNT)                                 \
    X(product_type_of_another, product_with(r, "props/post")->type = RESOURCE_LEVEL)               \
    X(product_name_out_of_range, r->products[0].name = UINT32_MAX)                                 \
    X(product_name, r->text[r->products[0].name] = 'Q')                                            \
    X(product_beside_model,                                                                        \
      r->text[product_below_model(r)->name +                                                       \
              strlen(r->text + r->files[product_below_model(r)->file].name)] = '-')                \
    X(products_equal, product_with(r, "props/lamp")[1].file = product_with(r, "props/lamp")->file) \
    X(target_of_no_source, r->targets[0].file = file_number(r, "notes.txt"))                       \
    X(target_path, r->targets[0].path = UINT32_MAX)                                                \
    X(target_empty, r->text[r->targets[0].path] = 0)                                               \
    X(beside_of_no_source, r->besides[0].file = file_number(r, "notes.txt"))                       \
    X(beside_of_no_file, r->besides[0].file = r->head->file_count)                                 \
    X(beside_out_of_range, r->besides[0].other = r->head->file_count)                              \
    X(beside_without_hash, r->besides[0].other = file_number(r, "notes.txt"))                      \
    X(beside_is_folder, r->files[r->besides[0].other].kind = FILE_FOLDER)

#define CHANGE(name, ...)                                                                          \
    static void change_##name(Rows* r) { __VA_ARGS__; }
CHANGES(CHANGE)

static void part_that_violates_any_rule_is_not_used(void** state) {
    static const struct {
        const char* name;
        void (*change)(Rows* r);
    } changes[] = {
#define ROW(name, ...) {#name, change_##name},
        CHANGES(ROW)};
    const char* folder = test_folder("stored_rows");
    size_t      size;
    UNUSED(state);
    project_write(folder);
    u8* bytes = links_part_read(folder, &size);
    assert_non_null(bytes);
    for (u32 i = 0; i < COUNT_OF(changes); i++) {
        Rows r = rows_copy(bytes, size);
        assert_true(rows_are_used(&r));
        changes[i].change(&r);
        if (rows_are_used(&r)) fail_msg("%s is not noticed", changes[i].name);
        free(r.bytes);
    }
    free(bytes);
}

/* The commands compile the folder then, with the same result. */
static void commands_ignore_a_part_that_violates_any_rule(void** state) {
    static void (*const changes[])(Rows * r) = {change_path_out_of_range, change_form_of_glb,
                                                change_type_none, change_product_type_none,
                                                change_place_line};
    const char* folder = test_folder("stored_rows_commands");
    size_t      size;
    UNUSED(state);
    project_write(folder);
    TEST_DONE(folder, "entc refs src props/lamp.entity > refs; entc mv src props/lamp.entity "
                      "props/torch.entity --dry-run > moved");
    u8* bytes = links_part_read(folder, &size);
    for (u32 i = 0; i < COUNT_OF(changes); i++) {
        Rows r = rows_copy(bytes, size);
        changes[i](&r);
        rows_are_used(&r);
        links_part_write(folder, r.bytes, r.size);
        TEST_DONE(folder, "entc mv src props/lamp.entity props/torch.entity --dry-run -o out > m; "
                          "cmp m moved");
        links_part_write(folder, r.bytes, r.size);
        TEST_DONE(folder, "entc refs src props/lamp.entity -o out > r; cmp r refs");
        free(r.bytes);
    }
    free(bytes);
}

/* A position that is not that of a name: the source is compiled before it is changed. */
static void move_ignores_positions_that_are_not_those_of_names(void** state) {
    const char* folder = test_folder("stored_rows_positions");
    size_t      size;
    UNUSED(state);
    project_write(folder);
    TEST_DONE(folder, "entc mv src props/lamp.entity props/torch.entity --dry-run > moved; entc mv "
                      "src art drawings --dry-run > drawn");
    u8* bytes = links_part_read(folder, &size);
    for (u32 i = 0; i < 6; i++) {
        Rows         r = rows_copy(bytes, size);
        StoredPlace* p = second_place(&r) - 1; /* "props/lamp" in the level */
        StoredFile*  image = file_with(&r, "props/red.texture.json");
        switch (i) {
        case 0: p->offset = 2; break;
        case 1: p->bytes--; break;
        case 2: p->offset--; break;
        case 3: image->image_offset = 2; break;
        case 4: image->image_offset = 1u << 29; break;
        case 5: second_place(&r)->offset = 1u << 29; break;
        }
        assert_true(rows_are_used(&r));
        links_part_write(folder, r.bytes, r.size);
        TEST_DONE(folder,
                  "entc mv src props/lamp.entity props/torch.entity --dry-run -o out > m; cmp m "
                  "moved && entc mv src art drawings --dry-run -o out > d && cmp d drawn");
        free(r.bytes);
    }
    free(bytes);
}

/* What they state is believed, which shows that they are used. */
static void stored_references_that_fit_their_sources_are_used(void** state) {
    const char* folder = test_folder("stored_rows_used");
    size_t      size;
    UNUSED(state);
    project_write(folder);
    u8*          bytes = links_part_read(folder, &size);
    Rows         r = rows_copy(bytes, size);
    StoredPlace* p = second_place(&r) - 1; /* "props/lamp" in the level */
    p->line = 99;
    p->kind = LINK_COMPOSED;
    assert_true(rows_are_used(&r));
    links_part_write(folder, r.bytes, r.size);
    EXPECT(folder, 0, "src/levels/yard.level.json:99:", "entc refs src props/lamp.entity -o out");
    EXPECT(folder, 3, "a plugin generates a reference to \"props/lamp.entity\"",
           "entc mv src props/lamp.entity props/torch.entity --dry-run -o out");
    free(r.bytes);
    free(bytes);
}

/* Each position of a text is stored as that of a name and of an image; 0 would state that there is no image, and what
 * is left out cannot be noticed. */
static void no_position_but_the_right_one_is_used(void** state) {
    static const char level[] = "{ \"entities\" : [ { \"name\": \"lamb\", \"prefab\" :\n\"lamp\" },"
                                " { \"name\": \"prefab\" } ] }";
    static const char texture[] = "{ \"$comment\" : \"image\", \"image\"\t:\n \"art/red.png\" ,"
                                  " \"usage\":\"color\" }";
    const char*       folder = test_folder("stored_rows_each");
    size_t            size;
    UNUSED(state);
    test_write_text(folder, "src/yard.level.json", level);
    test_write_text(folder, "src/red.texture.json", texture);
    test_write_text(folder, "src/lamp.entity.json", "{}");
    TEST_DONE(folder,
              "mkdir src/art && cp \"$OLDPWD/assets/textures/planks.png\" src/art/red.png && "
              "entc build src -o out && entc refs src lamp.entity -o out && "
              "entc mv src lamp.entity torch.entity --dry-run > moved && "
              "entc mv src art drawings --dry-run > drawn");
    u8* bytes = links_part_read(folder, &size);
    for (u32 at = 1; at < sizeof texture + 2; at += test_step(1, 5)) {
        Rows r = rows_copy(bytes, size);
        file_with(&r, "red.texture.json")->image_offset = at;
        place_of(&r, LINK_PREFAB)->offset = at;
        assert_true(rows_are_used(&r));
        links_part_write(folder, r.bytes, r.size);
        TEST_DONE(folder,
                  "entc mv src lamp.entity torch.entity --dry-run -o out > m && cmp m moved && "
                  "entc mv src art drawings --dry-run -o out > d && cmp d drawn");
        free(r.bytes);
    }
    free(bytes);
}

/* Another program stored them, or another variant of the project. */
static void references_of_another_identity_are_not_used(void** state) {
    const char* folder = test_folder("stored_rows_identity");
    size_t      size;
    UNUSED(state);
    project_write(folder);
    u8*  bytes = links_part_read(folder, &size);
    Rows r = rows_copy(bytes, size);
    (second_place(&r) - 1)->line = 99;
    ((u8*)&r.head->identity)[0] ^= 1;
    assert_true(rows_are_used(&r));
    links_part_write(folder, r.bytes, r.size);
    EXPECT(folder, 0, "src/levels/yard.level.json:1:", "entc refs src props/lamp.entity -o out");
    free(r.bytes);
    free(bytes);
}

/* The place of an edit in one file is not that of a reference in the file before it. */
static void stored_reference_at_an_edit_of_another_file_keeps_its_length(void** state) {
    const char* folder = test_folder("stored_rows_edits");
    UNUSED(state);
    test_write_text(folder, "src/lamp.entity.json", "{ \"components\": { \"light\": {} } }\n");
    test_write_text(folder, "src/post.entity.json", "{}\n");
    test_write_text(folder, "src/a.entity.json",
                    "{ \"children\": [ { \"prefab\": \"lamp\" }, { \"prefab\": \"post\" } ] }\n");
    test_write_text(folder, "src/b.entity.json",
                    "{ \"children\": [ {                  }, { \"prefab\": \"lamp\" } ] }\n");
    TEST_DONE(folder, "entc build src -o out && entc mv src lamp.entity lantern.entity -o out && "
                      "entc refs src post.entity --json -o out > a && entc refs src post.entity "
                      "--json > b && cmp a b && grep -q '\"bytes\": 6' a");
}

TEST_SUITE(stored_rows) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(part_that_violates_any_rule_is_not_used),
        cmocka_unit_test(commands_ignore_a_part_that_violates_any_rule),
        cmocka_unit_test(move_ignores_positions_that_are_not_those_of_names),
        cmocka_unit_test(stored_references_that_fit_their_sources_are_used),
        cmocka_unit_test(no_position_but_the_right_one_is_used),
        cmocka_unit_test(references_of_another_identity_are_not_used),
        cmocka_unit_test(stored_reference_at_an_edit_of_another_file_keeps_its_length),
    };
    return TEST_RUN("stored_rows", tests);
}
