/* test_record_early.c - a component that is read early is exactly what the reader of records reads, without
 * a message; whatever that one reports is not read early. */
#include <math.h>

#include "diag_print.h"
#include "hash.h"
#include "fields.h"
#include "record_early.h"
#include "registry.h"
#include "test.h"
#include "test_input.h"

#define TEXT_BYTES 4096

static u64 random_state = 0x9e3779b97f4a7c15ull;

/* splitmix64, S. Vigna 2015 */
static u32 random_below(u32 limit) {
    u64 z = random_state += 0x9e3779b97f4a7c15ull;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return (u32)((z ^ z >> 31) % limit);
}

static const char* random_of(const char* const* texts, u32 count) {
    return texts[random_below(count)];
}

/* --- a random component --- */

static void text_add(char* text, const char* more) {
    assert(strlen(text) + strlen(more) < TEXT_BYTES);
    strcat(text, more);
}

static void space_add(char* text) {
    static const char* const spaces[] = {"", "", "", "", "", " ", "\n  ", "\t"};
    text_add(text, random_of(spaces, COUNT_OF(spaces)));
}

static void number_add(char* text) {
    static const char* const unusual[] = {"0",
                                          "-0",
                                          "-0.0",
                                          "1e1",
                                          "01",
                                          "1.",
                                          "-",
                                          "16777217",
                                          "1e400",
                                          ".5",
                                          "0.50",
                                          "12345678.5",
                                          "null",
                                          "-1",
                                          "255",
                                          "1e-3",
                                          "0.123456789012345678",
                                          "4294967296",
                                          "true"};
    char                     number[40];
    snprintf(number, sizeof number, "%s%u.%u", random_below(3) ? "" : "-", random_below(2),
             random_below(10000));
    text_add(text, random_below(12) ? number : random_of(unusual, COUNT_OF(unusual)));
}

static void numbers_add(char* text, u32 count) {
    static const char* const unit[] = {"0,0,0,1", "0.6,0,-0.8,0", "0.5,0.5,0.5,0.5",
                                       "0.1,0.2,0.3,0.9273"};
    if (count == 1) {
        number_add(text);
        return;
    }
    if (random_below(20) == 0) count++;
    text_add(text, "[");
    if (count == 4 && random_below(2)) {
        text_add(text, random_of(unit, COUNT_OF(unit)));
        count = 0;
    }
    for (u32 i = 0; i < count; i++) {
        if (i) text_add(text, ",");
        space_add(text);
        number_add(text);
    }
    text_add(text, "]");
}

static void value_add(char* text, const Field* f) {
    static const char* const names[] = {"\"kit/lamp\"", "\"kit/guard_10\"", "\"a\"", "\"\"",
                                        "\"a\\u0062\"", "\"\xc3\xa4\"",     "null",  "7",
                                        "\"lamp/bulb\""};
    static const char* const truth[] = {"true", "false", "true", "false", "null", "tru", "1"};
    if (field_has_numbers(f) && !field_is_array(f)) {
        numbers_add(text, field_words(f));
    } else if (field_form(f) == FORM_BOOL) {
        text_add(text, random_of(truth, COUNT_OF(truth)));
    } else if (field_form(f) == FORM_ENUM && random_below(8)) {
        text_add(text, "\"");
        text_add(text, random_of(f->texts, f->text_count));
        text_add(text, "\"");
    } else {
        text_add(text, random_of(names, COUNT_OF(names)));
    }
}

static void component_fill(char* text, const RecordType* type) {
    const u32 count = random_below(type->field_count + 1);
    u32       f = random_below(4) ? 0 : random_below(type->field_count);
    strcpy(text, "{");
    for (u32 i = 0; i < count; i++, f = random_below(8) ? f + 1 : f) {
        const Field* field = &type->fields[f % type->field_count];
        if (i) text_add(text, ",");
        space_add(text);
        text_add(text, "\"");
        text_add(text, random_below(60) ? field->name : "$comment");
        text_add(text, "\"");
        space_add(text);
        text_add(text, ":");
        space_add(text);
        value_add(text, field);
        space_add(text);
    }
    text_add(text, random_below(80) ? "}" : "");
}

/* --- both readers --- */

static ResourceRef resource_stub(Instance* in, u32 offset, JsonString name, ResourceType type) {
    UNUSED(in), UNUSED(offset), UNUSED(type);
    return resource_ref(hash_bytes(name.raw.at, name.raw.bytes, 7) | 1);
}

static u32 text_stub(Instance* in, u32 offset, JsonString text) {
    UNUSED(in), UNUSED(offset), UNUSED(text);
    return 1;
}

/* Resolves the references of a record that was read early. */
static void resources_resolve(const EarlyType* type, u32 given, const Source* source, u8* record) {
    for (u32 f = 0; f < type->count; f++) {
        if (!(given & type->resources & 1u << f)) continue;
        u32 offset;
        memcpy(&offset, record + type->field[f].offset, sizeof offset);
        assert_int_equal(source->text[offset], '"');
        const char*       name = source->text + offset + 1;
        const u32         bytes = (u32)(strchr(name, '"') - name);
        const ResourceRef ref = resource_ref(hash_bytes(name, bytes, 7) | 1);
        memcpy(record + type->field[f].offset, &ref, sizeof ref);
    }
}

/* The same component with numbers that have an exponent, so that each is read by the general functions. */
static void exponents_add(const char* text, char* to) {
    bool in_string = false;
    for (; *text; text++) {
        const bool is_digit = *text >= '0' && *text <= '9';
        const bool goes_on = text[1] == '.' || (text[1] >= '0' && text[1] <= '9');
        in_string ^= *text == '"';
        *to++ = *text;
        if (!in_string && is_digit && !goes_on) *to++ = 'e', *to++ = '0';
    }
    *to = 0;
}

/* Returns whether the component was read early. */
static bool component_check(const ComponentCompiler* c, const char* text, u32 rest) {
    static const InstanceLinks links = {resource_stub, text_stub, text_stub,
                                        text_stub,     text_stub, NULL};
    _Alignas(16) u8            early[EARLY_BYTES_MAX] = {0}, record[EARLY_BYTES_MAX] = {0};
    u64                        slots[16] = {0};
    char                       complete[TEXT_BYTES + 100];
    const size_t               bytes = strlen(text);
    memcpy(complete, text, bytes);
    memset(complete + bytes, ' ', rest);
    Input             input = input_open(complete, bytes + rest);
    EarlyTexts        texts = {input.source.text, input.source.bytes, slots, COUNT_OF(slots)};
    u32               given;
    const char* const first = input.source.text;
    const char* const end =
        record_read_early(&c->early, first, first + input.source.bytes, &texts, early, &given);
    if (end) {
        char general[3 * TEXT_BYTES];
        exponents_add(text, general);
        Input      other = input_open(general, strlen(general));
        JsonTokens tokens;
        Instance   in = {.links = &links,
                         .item = NONE,
                         .asset_source = &other.source,
                         .type = &c->type,
                         .source = &other.source,
                         .scope = NONE,
                         .diag = other.diag,
                         .record = record};
        Json       json = json_open(&input.source, 0, input.diag);
        if (!json_skip(&json) || diag_report_count(input.diag)) fail_msg("reported: %s", text);
        assert_ptr_equal(json.at, end);
        record_defaults(&c->type.record, record);
        assert_true(json_tokens_open(&tokens, &other.source, other.diag));
        instance_set(&in, json_tokens_root(&tokens));
        c->compile(&in);
        if (diag_report_count(other.diag)) fail_msg("reported: %s", general);
        json_tokens_close(&tokens);
        input_close(&other);
        assert_true(in.given == given);
        resources_resolve(&c->early, given, &input.source, early);
        if (memcmp(early, record, c->type.record.bytes) != 0) fail_msg("other values: %s", text);
    }
    input_close(&input);
    return end != NULL;
}

static void components_read_early_are_those_of_the_reader_of_records(void** state) {
    static Registry registry;
    char            text[TEXT_BYTES];
    Diagnostics*    diag = diag_create();
    u32             types = 0, early = 0, other = 0;
    UNUSED(state);
    assert_true(registry_init(&registry, diag));
    for (u32 t = 0; t < registry.count; t++) {
        const ComponentCompiler* c = &registry.compiler[t];
        if (!c->early.fields || c->type.record.field_count == 0) continue;
        types++;
        for (u32 i = 0; i < 10000; i++) {
            component_fill(text, &c->type.record);
            if (component_check(c, text, i % 2 ? 90 : 0))
                early++;
            else
                other++;
        }
    }
    assert_true(types > 10);
    assert_true(early > types * 1000 && other > types * 1000);
    diag_destroy(diag);
}

static void equal_strings_are_represented_by_one(void** state) {
    static Registry          registry;
    Diagnostics*             diag = diag_create();
    u64                      slots[16] = {0};
    _Alignas(16) u8          record[EARLY_BYTES_MAX];
    static const char* const names[] = {"kit/a", "kit/b", "kit/a", "kit/ab", "kit/b"};
    static const u32         same[] = {0, 1, 0, 3, 1};
    char                     text[1024] = "";
    u32                      at[COUNT_OF(names)], place, given;
    UNUSED(state);
    assert_true(registry_init(&registry, diag));
    u32 mesh = 0;
    while (strcmp(registry.names[mesh], "mesh") != 0) mesh++;
    for (u32 i = 0; i < COUNT_OF(names); i++) {
        at[i] = (u32)strlen(text);
        snprintf(text + at[i], sizeof text - at[i], "{\"resource\":\"%s\"}", names[i]);
    }
    const u32 bytes = (u32)strlen(text) + 100;
    memset(text + bytes - 100, ' ', 100);
    EarlyTexts texts = {text, bytes, slots, COUNT_OF(slots)};
    for (u32 i = 0; i < COUNT_OF(names); i++) {
        const EarlyType* type = &registry.compiler[mesh].early;
        assert_non_null(
            record_read_early(type, text + at[i], text + bytes, &texts, record, &given));
        memcpy(&place, record + type->field[trailing_zeros(type->resources)].offset, sizeof place);
        assert_int_equal(place, at[same[i]] + strlen("{\"resource\":"));
    }
    diag_destroy(diag);
}

TEST_SUITE(record_early) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(components_read_early_are_those_of_the_reader_of_records),
        cmocka_unit_test(equal_strings_are_represented_by_one),
    };
    return TEST_RUN("record_early", tests);
}
