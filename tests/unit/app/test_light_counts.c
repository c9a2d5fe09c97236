/* test_light_counts.c - the table of lights: the most redrawn ones first, with why, and all of them in a file. */
#include <stdio.h>
#include <stdlib.h>

#include "libc.h"
#include "light_counts.h"
#include "temporary.h"
#include "file.h"
#include "test.h"

enum { LIGHTS = 25 };

static void lights_fill(EntShadowCounts* light) {
    for (u32 i = 0; i < LIGHTS; i++)
        light[i] = (EntShadowCounts){.entity = 100 + i,
                                     .map_count = 1 + i % 6,
                                     .maps_redrawn = i * 7 % LIGHTS,
                                     .redrawn_for = {[ENT_SHADOW_CAUSE_SIZE] = i},
                                     .casters_small = 1000 + i};
}

static char* printed(const EntShadowCounts* light, u32 count) {
    const EntityNames names = {0};
    static char*      text;
    static size_t     bytes;
    FILE*             out = memory_stream(&text, &bytes);
    light_counts_print((LightCounts){light, count}, &names, out);
    assert_int_equal(fclose(out), 0);
    return text;
}

static u32 lines_of(const char* text) {
    u32 lines = 0;
    for (; *text; text++) lines += *text == '\n';
    return lines;
}

static void table_has_twenty_lights_in_the_order_of_redrawn_maps(void** state) {
    EntShadowCounts light[LIGHTS];
    UNUSED(state);
    lights_fill(light);
    char* text = printed(light, LIGHTS);
    u32   before = LIGHTS;
    char* line = strchr(text + 1, '\n') + 1;
    for (u32 i = 0; i < LIGHT_COUNTS_SHOWN; i++, line = strchr(line, '\n') + 1) {
        u32  entity, redrawn, dropped, size = 0;
        char kept[16], copied[16];
        if (sscanf(line, "light %u %15s %15s %u %u size %u", &entity, kept, copied, &redrawn,
                   &dropped, &size) < 5)
            fail_msg("%s", line);
        assert_int_equal(redrawn, (entity - 100) * 7 % LIGHTS);
        assert_int_equal(size, entity - 100);
        assert_true(redrawn < before);
        before = redrawn;
    }
    assert_non_null(strstr(text, "\nand 5 more lights: --csv writes all\n"));
    assert_non_null(strstr(text, "1003"));
    assert_int_equal(lines_of(text), 2 * (2 + LIGHT_COUNTS_SHOWN) + 1);
    free(text);
    text = printed(light, 0);
    assert_string_equal(text, "");
    free(text);
}

static void file_has_all_lights_and_a_name_for_each_column(void** state) {
    const EntityNames names = {0};
    EntShadowCounts   light[LIGHTS];
    char              path[1100], *text;
    UNUSED(state);
    lights_fill(light);
    snprintf(path, sizeof path, "%s/new/lights.csv", test_folder("light_counts"));
    assert_int_equal(light_counts_write((LightCounts){light, LIGHTS}, &names, path), ENT_OK);
    FileView file;
    assert_int_equal(file_map(&file, path), ENT_OK);
    text = strdup((const char*)file.bytes);
    file_unmap(&file);
    assert_int_equal(lines_of(text), 1 + LIGHTS);
    u32 commas = 0;
    for (const char* c = text; *c; c++) {
        commas += *c == ',';
        if (*c != '\n') continue;
        assert_int_equal(commas, 15);
        commas = 0;
    }
    assert_non_null(strstr(text, "\n\"light 103\",4,0,0,21,0,0,0,0,3,0,0,0,0,1003,0\n"));
    free(text);
}

TEST_SUITE(light_counts) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table_has_twenty_lights_in_the_order_of_redrawn_maps),
        cmocka_unit_test(file_has_all_lights_and_a_name_for_each_column),
    };
    return TEST_RUN("light_counts", tests);
}
