/* test_glb.c - the container of binary glTF files.
 *
 * Invariants: a file that violates its layout is refused at the offset of the violation; what glTF does
 * not allow and has no effect is a fault, stated once; the JSON and the BIN chunk are found. */
#include <stdlib.h>

#include "diag.h"
#include "diag_print.h"
#include "gltf.h"
#include "test.h"

#define BYTES_MAX 256

typedef struct Glb {
    _Alignas(16) u8 bytes[BYTES_MAX + 16];
    u32 size;
} Glb;

static void word_put(Glb* glb, u32 at, u32 word) {
    for (u32 i = 0; i < 4; i++) glb->bytes[at + i] = (u8)(word >> 8 * i);
}

static void chunk_add(Glb* glb, const char* type, const char* data, u32 bytes) {
    word_put(glb, glb->size, bytes);
    memcpy(glb->bytes + glb->size + 4, type, 4);
    memcpy(glb->bytes + glb->size + 8, data, bytes);
    glb->size += 8 + bytes;
    word_put(glb, 8, glb->size);
}

static Glb glb_begin(void) {
    Glb glb = {.size = 12};
    memcpy(glb.bytes, "glTF", 4);
    word_put(&glb, 4, 2);
    return glb;
}

static Glb glb_usual(void) {
    Glb glb = glb_begin();
    chunk_add(&glb, "JSON", "{\"a\":1} ", 8);
    chunk_add(&glb, "BIN\0", "abcd", 4);
    return glb;
}

typedef struct Opened {
    GltfFile file;
    u32      errors;
    char     fault[400]; /* all of them, each after a '|' */
    char     chunk[16];
    char*    reported;
} Opened;

static Opened glb_opened(const Glb* glb, bool binary) {
    Opened       o = {.errors = 0};
    Arena        arena = {0};
    Diagnostics* diag = diag_create();
    Source       source = source_of("m.glb", (const char*)glb->bytes, glb->size);
    size_t       bytes;
    const bool   is_open = gltf_open(&o.file, &source, binary, &arena, diag);
    assert_true(is_open == o.file.is_open);
    o.errors = diag_error_count(diag);
    assert_true(o.file.has_errors == (o.errors > 0));
    for (u32 i = 0; i < o.file.fault_count; i++)
        snprintf(o.fault + strlen(o.fault), sizeof o.fault - strlen(o.fault), "|%s",
                 o.file.faults[i]);
    if (o.file.chunk)
        snprintf(o.chunk, sizeof o.chunk, "%.*s", (int)o.file.chunk_bytes,
                 (const char*)o.file.chunk);
    FILE* out = open_memstream(&o.reported, &bytes);
    diag_print(diag, out, DIAG_JSON, false);
    fclose(out);
    if (is_open) assert_non_null(json_get(json_tokens_root(&o.file.tokens), "a"));
    gltf_close(&o.file);
    diag_destroy(diag);
    arena_drop(&arena);
    return o;
}

static void expect_refused(const Glb* glb, const char* reason) {
    const Opened o = glb_opened(glb, true);
    if (o.file.is_open || o.errors != 1 || !strstr(o.reported, reason))
        fail_msg("%s: %s", reason, o.reported);
    free(o.reported);
}

static void expect_open(const Glb* glb, const char* faults, const char* chunk) {
    const Opened o = glb_opened(glb, true);
    if (!o.file.is_open || o.errors) fail_msg("%s", o.reported);
    assert_string_equal(o.fault, faults);
    assert_string_equal(o.chunk, chunk);
    free(o.reported);
}

static void file_with_any_length_of_header_is_refused(void** state) {
    UNUSED(state);
    for (u32 size = 0; size < 20; size++) {
        Glb glb = glb_usual();
        glb.size = size;
        expect_refused(&glb, size < 4 ? "must begin with the letters" : "ends inside its header");
    }
}

static void header_that_states_something_wrong_is_refused(void** state) {
    UNUSED(state);
    Glb glb = glb_usual();
    glb.bytes[0] = 'G';
    expect_refused(&glb, "must begin with the letters");
    glb = glb_usual();
    word_put(&glb, 4, 1);
    expect_refused(&glb, "unsupported version");
    glb = glb_usual();
    word_put(&glb, 8, glb.size + 1);
    expect_refused(&glb, "shorter than its header states");
    glb = glb_usual();
    word_put(&glb, 8, 19);
    expect_refused(&glb, "too short for a chunk");
}

static void chunks_in_another_order_are_refused_or_faults(void** state) {
    UNUSED(state);
    Glb glb = glb_begin();
    chunk_add(&glb, "BIN\0", "abcd", 4);
    expect_refused(&glb, "the first chunk must be the JSON chunk");
    glb = glb_begin();
    chunk_add(&glb, "JSON", "", 0);
    expect_refused(&glb, "the JSON chunk is empty");
    glb = glb_usual();
    chunk_add(&glb, "JSON", "{}  ", 4);
    expect_refused(&glb, "duplicate JSON chunk");
    glb = glb_usual();
    word_put(&glb, 12, 100);
    expect_refused(&glb, "longer than the file");
    glb = glb_usual();
    expect_open(&glb, "", "abcd");
    glb = glb_begin();
    chunk_add(&glb, "JSON", "{\"a\":1} ", 8);
    expect_open(&glb, "", "");
    chunk_add(&glb, "XYZW", "1234", 4);
    chunk_add(&glb, "BIN\0", "efgh", 4);
    expect_open(&glb, "|has a BIN chunk that is not the second chunk", "efgh");
    glb = glb_usual();
    chunk_add(&glb, "BIN\0", "efgh", 4);
    chunk_add(&glb, "BIN\0", "ijkl", 4);
    expect_open(
        &glb,
        "|has a BIN chunk that is not the second chunk|has several BIN chunks; the first one "
        "is compiled",
        "abcd");
}

static void bytes_behind_the_last_chunk_are_faults(void** state) {
    UNUSED(state);
    Glb glb = glb_usual();
    glb.size += 4; /* the header states less */
    expect_open(&glb, "|has bytes behind the length that its header states", "abcd");
    for (u32 more = 1; more < 8; more++) {
        glb = glb_usual();
        glb.size += more;
        word_put(&glb, 8, glb.size);
        expect_open(&glb, "|has bytes behind its last chunk", "abcd");
    }
    glb = glb_usual();
    glb.size += 8; /* a chunk without bytes of an unknown type */
    word_put(&glb, 8, glb.size);
    expect_open(&glb, "", "abcd");
}

/* The next chunk begins directly behind it, or at the next multiple of 4. */
static void chunk_with_any_length_is_followed_by_the_next(void** state) {
    static const char text[] = "{\"a\":1}     ";
    UNUSED(state);
    for (u32 bytes = 7; bytes < 12; bytes++) {
        for (u32 padded = 0; padded < 2; padded++) {
            Glb glb = glb_begin();
            chunk_add(&glb, "JSON", text, bytes);
            if (padded) glb.size = (u32)align_up(glb.size, 4);
            chunk_add(&glb, "BIN\0", "abcd", 4);
            expect_open(&glb, bytes % 4 ? "|has a chunk whose length is not a multiple of 4" : "",
                        "abcd");
        }
        Glb glb = glb_begin();
        chunk_add(&glb, "JSON", text, bytes);
        const u32 rest = (u32)align_up(glb.size, 4) - glb.size;
        glb.size += rest; /* padding alone */
        word_put(&glb, 8, glb.size);
        expect_open(&glb,
                    rest ? "|has a chunk whose length is not a multiple of 4|has bytes behind its "
                           "last chunk"
                         : "",
                    "");
    }
}

static void text_and_container_with_the_name_of_the_other_are_refused(void** state) {
    UNUSED(state);
    const Glb glb = glb_usual();
    Opened    o = glb_opened(&glb, false);
    assert_true(!o.file.is_open && strstr(o.reported, "its name must end in .glb"));
    free(o.reported);
    Glb text = {.size = 8};
    memcpy(text.bytes, "{\"a\": 1}", 8);
    o = glb_opened(&text, false);
    assert_true(o.file.is_open && o.errors == 0);
    free(o.reported);
    expect_refused(&text, "must begin with the letters");
}

/* Duplicate keys are an error, and the file can be read in order to find others. */
static void text_with_errors_is_open_if_it_has_tokens(void** state) {
    UNUSED(state);
    Glb glb = glb_begin();
    chunk_add(&glb, "JSON", "{\"a\":1,\"a\":2}   ", 16);
    Opened o = glb_opened(&glb, true);
    assert_true(o.file.is_open && o.errors == 1);
    free(o.reported);
    glb = glb_begin();
    chunk_add(&glb, "JSON", "{\"a\":1", 6);
    o = glb_opened(&glb, true);
    assert_true(!o.file.is_open && o.errors == 1);
    free(o.reported);
}

/* The short form for the commands that change sources. */
static void json_of_container_is_found_without_its_other_chunks(void** state) {
    UNUSED(state);
    Text text;
    Glb  glb = glb_usual();
    assert_true(glb_json(glb.bytes, glb.size, &text));
    assert_true(text_equal(text, text_of("{\"a\":1} ")));
    for (u32 size = 0; size < 28; size++) assert_false(glb_json(glb.bytes, size, &text));
    assert_true(glb_json(glb.bytes, 28, &text));
    glb.bytes[3] = 'f';
    assert_false(glb_json(glb.bytes, glb.size, &text));
    glb = glb_usual();
    glb.bytes[16] = 'j';
    assert_false(glb_json(glb.bytes, glb.size, &text));
    glb = glb_usual();
    word_put(&glb, 12, 0);
    assert_false(glb_json(glb.bytes, glb.size, &text));
}

TEST_SUITE(glb) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(file_with_any_length_of_header_is_refused),
        cmocka_unit_test(header_that_states_something_wrong_is_refused),
        cmocka_unit_test(chunks_in_another_order_are_refused_or_faults),
        cmocka_unit_test(bytes_behind_the_last_chunk_are_faults),
        cmocka_unit_test(chunk_with_any_length_is_followed_by_the_next),
        cmocka_unit_test(text_and_container_with_the_name_of_the_other_are_refused),
        cmocka_unit_test(text_with_errors_is_open_if_it_has_tokens),
        cmocka_unit_test(json_of_container_is_found_without_its_other_chunks),
    };
    return TEST_RUN("glb", tests);
}
