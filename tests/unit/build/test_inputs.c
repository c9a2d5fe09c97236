/* test_inputs.c - `entc compile --inputs`, `entc deps --inputs` and `entc compile` of several resources.
 *
 * Invariants: each resource of the samples compiles to the bytes of a build in a folder that contains only the files
 * of its list, and there only these are opened; a batch that is killed, or does not fit on the disk, leaves each
 * output old or new. */
#include <stdio.h>
#include <stdlib.h>

#include "test.h"

#define ASSETS "../../../../assets"

/* ACTION NAME: compiles one resource where only links to its inputs are. */
#define ACTION_SH                                                                                  \
    "cat >action.sh <<'END'\n"                                                                     \
    "rm -rf box && mkdir box && entc deps " ASSETS " $1 --inputs list || exit 1\n"                 \
    "grep '^file ' list | while IFS= read -r line; do path=${line#file }\n"                        \
    "mkdir -p \"box/$(dirname \"$path\")\" && "                                                    \
    "ln -s \"$(realpath " ASSETS ")/$path\" \"box/$path\" || exit 1; done\n"                       \
    "entc compile box $1 --inputs list -o one && cmp one out/$1\n"                                 \
    "END\n"

static void each_resource_compiles_where_only_its_inputs_are(void** state) {
    char* folder = strdup(test_folder("inputs_alone"));
    UNUSED(state);
    TEST_DONE(folder,
              ACTION_SH
              "entc build " ASSETS " -o out -q && "
              "(cd out && find . -type f ! -name '.*' | sed 's,^./,,') | LC_ALL=C sort >all && "
              "test $(wc -l <all) -gt 60 && awk 'NR %% %u == 0' all >names && test -s names && "
              "while read -r name; do sh action.sh $name || { echo $name; exit 1; }; done <names",
              test_step(1, 8));
    /* an input that is missing has an effect */
    TEST_DONE(folder,
              "sh action.sh levels/mill.level && "
              "grep -v 'file models/wheel.gltf' list >less && ! entc compile box levels/mill.level "
              "--inputs less -o one 2>err && grep -q 'list of inputs \"less\"' err");
    free(folder);
}

/* In the complete folder. */
static void compile_with_inputs_opens_only_listed_files(void** state) {
    UNUSED(state);
    TEST_NEEDS("strace");
    if (SANITIZED) TEST_SKIP("a program with sanitizers cannot be traced");
    char* folder = strdup(test_folder("inputs_opened"));
    TEST_DONE(folder,
              "cp -r " ASSETS " src && echo '{ \"languages\": [\"fr\"] }' >src/entc.json && "
              "for name in levels/mill.level models/walker.entity models/house/house.mesh "
              "textures/planks.texture; do entc deps src $name --inputs list && "
              "strace -f -o trace -e trace=getdents64,openat,open,readlink,newfstatat,stat "
              "entc compile src $name --inputs list -o one && ! grep getdents trace && "
              "sed -n 's/^file /src\\//p' list | sort >listed && "
              "grep -o '\"src/[^\"]*\"' trace | tr -d '\"' | sort -u >opened && "
              "test -s opened && ! comm -23 opened listed | grep . || exit 1; done");
    free(folder);
}

/* Files with names that a list must not break. */
static void paths_with_unusual_characters_are_listed(void** state) {
    char* folder = strdup(test_folder("inputs_paths"));
    UNUSED(state);
    test_write_box(folder, "src");
    TEST_DONE(folder, "mkdir -p 'src/models/A b' && mv 'src/models/box data.bin' "
                      "'src/models/A b/#1 $x\\y.bin' && "
                      "sed -i 's,box%%20data.bin,A%%20b/%%231%%20$x%%5Cy.bin,; "
                      "s,box data.bin,A%%20b/%%231%%20$x%%5Cy.bin,' src/models/box.gltf && "
                      "entc deps src models/box/box.mesh --inputs list && "
                      "grep -qxF 'file models/A b/#1 $x\\y.bin' list && entc build src -o out && "
                      "entc compile src models/box/box.mesh --inputs list -o one && "
                      "cmp one out/models/box/box.mesh");
    free(folder);
}

#define ENTITIES_PY                                                                                \
    "cat >entities.py <<'END'\n"                                                                   \
    "import os, sys\n"                                                                             \
    "folder, range_m = sys.argv[1:3]\n"                                                            \
    "os.makedirs(folder, exist_ok=True)\n"                                                         \
    "for i in range(40):\n"                                                                        \
    "    child = ', '.join('{ \"name\": \"c%%d\", \"components\": { \"light\": { \"range_m\": "    \
    "%%s } "                                                                                       \
    "} }' %% (k, range_m) for k in range(i * 20))\n"                                               \
    "    open('%%s/e%%02d.entity.json' %% (folder, i), 'w').write('{ \"children\": [ %%s ] }\\n' " \
    "%% "                                                                                          \
    "child)\n"                                                                                     \
    "END\n"
#define NAMES "$(cd one && ls | sed 's/.json$//')"

/* Each output is the old or the new one, and a later command removes what is left. */
static void killed_batch_leaves_each_output_old_or_new(void** state) {
    char* folder = strdup(test_folder("inputs_killed"));
    UNUSED(state);
    TEST_NEEDS("python3");
    TEST_DONE(
        folder,
        ENTITIES_PY
        "python3 entities.py one 3 && python3 entities.py two 4 && "
        "entc build one -o first -q && entc build two -o second -q && "
        "rm first/.entc* second/.entc* && "
        "ls two | sed 's/^/file /' >list && cat >kill.py <<'END'\n"
        "import filecmp, os, random, shutil, signal, subprocess, sys, time\n"
        "rng = random.Random(5)\n"
        "names = [n[:-5] for n in sorted(os.listdir('two'))]\n"
        "command = ['entc', 'compile', 'two', *names, '--inputs', 'list', '-o', 'out', '-j2']\n"
        "begin = time.monotonic()\n"
        "subprocess.run(command, check=True)\n"
        "lasts = time.monotonic() - begin\n"
        "for n in range(int(sys.argv[1])):\n"
        "    shutil.rmtree('out', True)\n"
        "    shutil.copytree('first', 'out')\n"
        "    entc = subprocess.Popen(command)\n"
        "    time.sleep(lasts * rng.random())\n"
        "    entc.send_signal(rng.choice([signal.SIGKILL, signal.SIGTERM]))\n"
        "    entc.wait()\n"
        "    for name in names:\n"
        "        now = os.path.join('out', name)\n"
        "        assert any(filecmp.cmp(now, os.path.join(old, name), False) for old in "
        "('first', 'second')), now\n"
        "subprocess.run(['entc', 'compile', 'two', *names, '-o', 'out'], check=True)\n"
        "END\n"
        "python3 kill.py %d && diff -r second out",
        getenv("TEST_FULL") ? 200 : 10);
    free(folder);
}

/* What does not fit stays as it was, here because of a limit of the size of files; the others are written. */
static void output_of_a_batch_that_does_not_fit_stays(void** state) {
    char* folder = strdup(test_folder("inputs_full"));
    UNUSED(state);
    TEST_NEEDS("python3");
    TEST_DONE(folder, ENTITIES_PY "python3 entities.py one 3 && entc build one -o first -q && "
                                  "python3 entities.py one 4 && entc build one -o second -q && "
                                  "rm first/.entc* second/.entc* && cp -r first out && "
                                  "(trap '' XFSZ; ulimit -f 40; entc compile one " NAMES
                                  " -o out 2>err; test $? = 2) && "
                                  "grep -q 'cannot write \"out/e[0-9]*.entity\"' err && "
                                  "cmp out/e39.entity first/e39.entity && "
                                  "cmp out/e02.entity second/e02.entity && "
                                  "test $(ls -A out | wc -l) = 40");
    free(folder);
}

/* An image that cannot be decoded, one that is used and cannot be decoded, and others. */
static void batch_with_images_that_cannot_be_decoded_is_that_of_a_build(void** state) {
    char* folder = strdup(test_folder("inputs_images"));
    UNUSED(state);
    test_write_text(folder, "src/photo.png", "no image");
    test_write_text(folder, "src/used.png", "no image");
    test_write_text(folder, "src/a.entity.json", "{}");
    TEST_DONE(folder, "entc compile src a.entity photo.texture -o out 2>err && "
                      "grep -q 'W0412' err && test -s out/a.entity && "
                      "test $(ls -A out | wc -l) = 1");
    test_write_text(folder, "src/m.material.json",
                    "{ \"textures\": { \"base_color\": { \"texture\": \"used\" } } }");
    TEST_DONE(folder,
              "rm -r out; entc compile src a.entity photo.texture used.texture -o out 2>err; "
              "test $? = 3 && grep -q 'W0412' err && grep -q 'used.png.*E0412' err && "
              "test -s out/a.entity && test $(ls -A out | wc -l) = 1");
    TEST_DONE(folder, "cd src && ls | sed 's/^/file /' >../list && cd .. && rm -r out && "
                      "entc compile src a.entity photo.texture --inputs list -o out 2>err && "
                      "grep -q 'W0412' err && test $(ls -A out | wc -l) = 1");
    free(folder);
}

TEST_SUITE(inputs) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_resource_compiles_where_only_its_inputs_are),
        cmocka_unit_test(compile_with_inputs_opens_only_listed_files),
        cmocka_unit_test(paths_with_unusual_characters_are_listed),
        cmocka_unit_test(killed_batch_leaves_each_output_old_or_new),
        cmocka_unit_test(output_of_a_batch_that_does_not_fit_stays),
        cmocka_unit_test(batch_with_images_that_cannot_be_decoded_is_that_of_a_build),
    };
    return TEST_RUN("inputs", tests);
}
