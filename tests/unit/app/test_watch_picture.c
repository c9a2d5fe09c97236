/* test_watch_picture.c - `entrun --watch --png`: after each build the picture equals that of a program that begins then, and a
 * file or a picture that cannot be used leaves the former one. */
#include "test_gpu_support.h"

#include <stdlib.h>

#define LEVEL(x, color, more)                                                                      \
    "{ 'entities': [ { 'name': 'eye', 'components': { 'camera': {},\n"                             \
    "    'transform': { 'position': [" x ", 1, 6] } } },\n"                                        \
    "  { 'name': 'box', 'components': { 'transform': {}, 'mesh': { 'resource': 'models/box/box' "  \
    "} } },\n"                                                                                     \
    "  { 'name': 'sun', 'components': { 'transform': { 'position': [2, 3, 2] },\n"                 \
    "    'light': { 'color': " color " } } }" more " ] }\n"

/* Shell functions; `same`: the picture equals one of a program that begins now, and is not the one before. */
static const char words[] =
    "watchers=\n"
    "trap '[ -z \"$watchers\" ] || kill -9 $watchers' EXIT\n"
    "await() {\n"
    "    for i in $(seq 1200); do\n"
    "        [ $(grep -cs -- \"$2\" \"$1\") -ge $3 ] && return 0\n"
    "        sleep 0.05\n"
    "    done\n"
    "    echo \"$1 has not $3 of $2:\"; cat \"$1\" err; exit 99\n"
    "}\n"
    "run() { env --default-signal=INT entrun out --level yard --watch --png p.png --size 64x48 \\\n"
    "        >printed 2>err &\n"
    "    running=$!; watchers=$running; await printed '^watching' 1; cp p.png last.png; drawn=0; "
    "}\n"
    "edit() { cp $1 src/yard.level.json; entc build src -o out -q || exit 97; }\n"
    "same() {\n"
    "    drawn=$((drawn + 1)); await printed '^drawn: p.png, ' $drawn\n"
    "    entrun out --level yard --png q.png --size 64x48 >fresh 2>&1 || exit 96\n"
    "    cmp p.png q.png || { cat printed err; exit 95; }\n"
    "    ! cmp -s p.png last.png || { echo \"$1: the picture is the former one\"; exit 94; }\n"
    "    cp p.png last.png; }\n"
    "stop() { kill -INT $running; wait $running; code=$?; watchers=; }\n";

/* entrun unloads the driver before leaks are searched for, so that they cannot be attributed. */
static char* project(const char* name) {
    char* folder = strdup(test_folder(name));
    if (SANITIZED) setenv("LSAN_OPTIONS", "detect_leaks=0", 1);
    test_write_text(folder, "words.sh", words);
    test_write_box(folder, "src");
    test_write_quoted(folder, "one", LEVEL("0", "[1, 1, 1]", ""));
    test_write_quoted(folder, "two", LEVEL("1", "[1, 0.2, 0.1]", ""));
    test_write_quoted(
        folder, "three",
        LEVEL("1", "[1, 0.2, 0.1]",
              ",\n  { 'name': 'sea', 'components': { 'transform': { 'position': [0, 1, 2] },\n"
              "    'fluid': { 'half_extent_m': [1, 0.5, 0.5], 'spacing_m': 0.25,\n"
              "      'smoothing_radius_m': 0.5, 'draw': 'balls' } } }"));
    test_write_quoted(
        folder, "four",
        LEVEL("1", "[1, 0.2, 0.1]",
              ",\n  { 'name': 'sea', 'components': { 'transform': { 'position': [0, 1, 2] },\n"
              "    'fluid': { 'half_extent_m': [0.5, 0.5, 0.5], 'spacing_m': 0.25,\n"
              "      'smoothing_radius_m': 0.5, 'draw': 'balls' } } }"));
    return folder;
}

static void picture_follows_each_build(void** state) {
    char* folder = project("watch_picture");
    UNUSED(state);
    TEST_NEEDS_RASTER;
    TEST_DONE(folder, ". ./words.sh; edit one; run\n"
                      "edit two; same camera\n"
                      "edit three; same 'the first fluid'\n"
                      "edit four; same 'another fluid'\n"
                      "edit one; same 'without a fluid'\n"
                      "stop; [ $code = 0 ] || exit 93\n"
                      "[ $(grep -c '^reloaded' printed) = 4 ] || exit 92; ! ls | grep -v '^p.png$' "
                      "| grep '^p.png'");
    free(folder);
}

static void former_picture_stays_when_something_cannot_be_used(void** state) {
    char* folder = project("watch_refused");
    UNUSED(state);
    TEST_NEEDS_RASTER;
    TEST_DONE(folder,
              ". ./words.sh; edit one; run\n"
              "entc build src -o good -q; cp two src/yard.level.json; entc build src -o next -q\n"
              "head -c 200 next/yard.level >half; mv half out/yard.level\n"
              "cp next/.entc.index half; mv half out/.entc.index\n"
              "await printed '^not reloaded' 1; cmp p.png last.png || exit 91\n"
              "edit two; same repaired\n"
              /* A folder in the place of the picture. */
              "rm p.png; mkdir -p p.png/x; edit one; await printed '^not drawn: .p.png. cannot be "
              "written' 1\n"
              "rm -r p.png; edit three; same 'a place for the picture'\n"
              "stop; [ $code = 0 ] || exit 93");
    free(folder);
}

TEST_SUITE(watch_picture) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(picture_follows_each_build),
        cmocka_unit_test(former_picture_stays_when_something_cannot_be_used)};
    const int failed = gpu_suite_end(TEST_RUN("watch_picture", tests));
    if (SANITIZED) unsetenv("LSAN_OPTIONS");
    return failed;
}
