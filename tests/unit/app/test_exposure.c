/* test_exposure.c - entrun exposes a picture to the light that reaches its surfaces: levels with any kind of light, of
 * any intensity and range, have lit surfaces of the stated median luminance, and almost none that are white. */
#include <math.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>

#include "test_gpu_support.h"

#define WIDE 96u
#define HIGH 64u

/* A wall, seen from 5 m, that fills the picture. */
#define WALL                                                                                       \
    "{ \"components\": { \"transform\": { \"position\": [-20, -20, 0], \"scale\": [80, 80, 1] },"  \
    " \"mesh\": { \"resource\": \"models/box/box\" } } },\n"                                       \
    "{ \"components\": { \"transform\": { \"position\": [0, 0, 5] }, \"camera\": {} } }"
#define LIGHT(x, z, fields)                                                                        \
    ",\n{ \"components\": { \"transform\": { \"position\": [" x ", 0.2, " z "] }, \"light\": "     \
    "{ " fields " } } }"
#define LEVEL(name, lights)                                                                        \
    { name ".level.json", "{ \"entities\": [ " WALL lights " ] }" }
#define POINT(intensity, range)                                                                    \
    LIGHT("0.3", "2", "\"intensity\": " intensity ", \"range_m\": " range)
#define SPOT(x)                                                                                    \
    LIGHT(x, "4",                                                                                  \
          "\"kind\": \"spot\", \"intensity\": 800, \"range_m\": 100, "                             \
          "\"inner_angle_rad\": 0.1, \"outer_angle_rad\": 0.25")
#define SUN(intensity) LIGHT("0", "0", "\"kind\": \"directional\", \"intensity\": " intensity)

static const TestFile sources[] = {
    LEVEL("point", POINT("50", "20")),
    LEVEL("far", POINT("50", "1e6")),
    LEVEL("weak", POINT("0.003", "20")),
    LEVEL("strong", POINT("1e8", "1e5")),
    LEVEL("spots", SPOT("-1") SPOT("0.8")),
    LEVEL("sun", SUN("3")),
    LEVEL("noon", SUN("100000")),
    LEVEL("close", LIGHT("0.1", "0.2", "\"intensity\": 54351, \"range_m\": 2000")),
    LEVEL("day", POINT("50", "20") SUN("1000")),
    LEVEL("behind", LIGHT("0", "-3", "\"intensity\": 50, \"range_m\": 20")),
    LEVEL("off", LIGHT("0", "3", "\"intensity\": 0")),
};

/* All tests use the same folder. */
static const char* project(void) {
    static char folder[1024];
    if (*folder) return folder;
    gpu_for_test();
    if (SANITIZED) setenv("LSAN_OPTIONS", "detect_leaks=0", 1); /* the driver is unloaded */
    snprintf(folder, sizeof folder, "%s", test_folder("exposure"));
    test_write_files(folder, "src", sources, COUNT_OF(sources));
    test_write_box(folder, "src");
    TEST_DONE(folder, "entc build src -o out -q");
    return folder;
}

typedef struct Picture {
    u8  pixel[WIDE * HIGH][4];
    f64 median;    /* luminance of the lit pixels, linear */
    u32 lit;       /* pixels brighter than the sky of the night makes them */
    u32 saturated; /* pixels with a channel of 255 */
    f64 ev;        /* as entrun reports it */
} Picture;

/* The measured pictures of levels, which several tests need. */
static Picture measured[COUNT_OF(sources)];

static f64 linear_of(u8 byte) {
    const f64 c = byte / 255.0;
    return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

static int f64_order(const void* a, const void* b) {
    const f64 x = *(const f64*)a, y = *(const f64*)b;
    return (x > y) - (x < y);
}

static void picture_weigh(Picture* p) {
    static f64 lit[WIDE * HIGH];
    p->lit = p->saturated = 0;
    for (u32 i = 0; i < WIDE * HIGH; i++) {
        const u8* c = p->pixel[i];
        const f64 luminance =
            0.2126 * linear_of(c[0]) + 0.7152 * linear_of(c[1]) + 0.0722 * linear_of(c[2]);
        if (luminance > 0.02) lit[p->lit++] = luminance;
        p->saturated += c[0] == 255 || c[1] == 255 || c[2] == 255;
    }
    qsort(lit, p->lit, sizeof *lit, f64_order);
    p->median = p->lit ? lit[p->lit / 2] : 0;
}

static Picture picture_of(const char* level, const char* options) {
    const char* folder = project();
    Picture     p;
    char        path[2048];
    png_image   image = {.version = PNG_IMAGE_VERSION};
    TestRun run = test_command(folder, "entrun out --level %s --png %s.png --size %ux%u %s", level,
                               level, WIDE, HIGH, options);
    if (run.code != 0) fail_msg("%s: %s", level, run.err);
    const char* ev = strstr(run.out, "exposure in EV");
    p.ev = ev ? strtod(ev + strlen("exposure in EV"), NULL) : 0;
    test_run_free(&run);
    snprintf(path, sizeof path, "%s/%s.png", folder, level);
    if (!png_image_begin_read_from_file(&image, path)) fail_msg("%s: %s", path, image.message);
    image.format = PNG_FORMAT_RGBA;
    assert_int_equal(PNG_IMAGE_SIZE(image), sizeof p.pixel);
    assert_true(png_image_finish_read(&image, NULL, p.pixel, 0, NULL));
    picture_weigh(&p);
    return p;
}

static const Picture* picture(const char* level) {
    u32 i = 0;
    while (strncmp(sources[i].name, level, strlen(level)) != 0 ||
           sources[i].name[strlen(level)] != '.')
        i++;
    if (measured[i].ev == 0) measured[i] = picture_of(level, "");
    return &measured[i];
}

static void lit_surfaces_have_the_stated_median_luminance(void** state) {
    static const char* const levels[] = {"point", "far",  "weak", "strong", "spots",
                                         "close", "noon", "sun",  "day"};
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(levels); i++) {
        const Picture* p = picture(levels[i]);
        const bool     is_day = i >= 6;
        print_message("%-8s median %.3f of %u pixels, %u saturated, EV %.2f\n", levels[i],
                      p->median, p->lit, p->saturated, p->ev);
        assert_true(p->median > (is_day ? 0.19 : 0.1) && p->median < (is_day ? 0.23 : 0.2));
        assert_true(p->lit > WIDE * HIGH / 20);
        assert_true(p->saturated < WIDE * HIGH / 100);
    }
}

static u32 difference_max(const Picture* a, const Picture* b) {
    u32 max = 0;
    for (u32 i = 0; i < WIDE * HIGH; i++)
        for (u32 k = 0; k < 3; k++) max = MAX_OF(max, (u32)abs(a->pixel[i][k] - b->pixel[i][k]));
    return max;
}

/* Neither the unit in which an author thinks nor the range of a lamp changes a picture. */
static void intensity_and_range_do_not_change_the_picture(void** state) {
    UNUSED(state);
    assert_in_range(difference_max(picture("point"), picture("far")), 0, 2);
    assert_in_range(difference_max(picture("point"), picture("weak")), 0, 2);
    assert_in_range(difference_max(picture("far"), picture("strong")), 0, 2);
    assert_in_range(difference_max(picture("sun"), picture("noon")), 0, 2);
    const f64 stops = log2(50 / 0.003), more = picture("point")->ev - picture("weak")->ev;
    assert_true(fabs(stops - more) < 0.03);
}

static void night_is_darker_than_the_same_place_by_day(void** state) {
    UNUSED(state);
    assert_true(picture("point")->median <= 0.75 * picture("day")->median);
}

static void still_frames_have_equal_pictures(void** state) {
    UNUSED(state);
    EXPECT(project(), 0, "a",
           "entrun out --level spots --png a.png --size 96x64 && entrun out --level spots --frames "
           "3 --every 1 --png "
           "c.png --size 96x64 && cmp c_0001.png a.png && cmp c_0001.png c_0003.png && echo a");
}

static void set_exposure_replaces_the_measured_one(void** state) {
    char option[64];
    UNUSED(state);
    const f64 ev = picture("point")->ev, median = picture("point")->median;
    Picture   set[3];
    for (int i = 0; i < 3; i++) {
        snprintf(option, sizeof option, "--exposure %.3f", ev + i - 1);
        set[i] = picture_of("point", option);
        assert_true(fabs(set[i].ev - (ev + i - 1)) < 0.006);
    }
    assert_true(fabs(set[1].median / median - 1) < 0.02);
    assert_true(set[0].median > 1.5 * set[1].median && set[2].median < 0.7 * set[1].median);
}

/* Lights that reach nothing visible: the picture is dark, and nothing fails. */
static void light_that_reaches_nothing_visible_changes_nothing(void** state) {
    UNUSED(state);
    assert_int_equal(picture("behind")->lit, 0);
    assert_int_equal(picture("off")->lit, 0);
}

TEST_SUITE(exposure) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lit_surfaces_have_the_stated_median_luminance),
        cmocka_unit_test(intensity_and_range_do_not_change_the_picture),
        cmocka_unit_test(night_is_darker_than_the_same_place_by_day),
        cmocka_unit_test(still_frames_have_equal_pictures),
        cmocka_unit_test(set_exposure_replaces_the_measured_one),
        cmocka_unit_test(light_that_reaches_nothing_visible_changes_nothing),
    };
    return TEST_RUN("exposure", tests);
}
