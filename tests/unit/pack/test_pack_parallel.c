/* test_pack_parallel.c - packing and unpacking by several threads: equal bytes with any number of them, the level that
 * is chosen by size, memory that does not grow with the bundle, and processes that are killed. */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>

#include "file.h"

/* Small resources of two types, large ones of which some can be compressed, and one that cannot. */
static char* world_new(const char* name) {
    char* folder = strdup(test_folder(name));
    TEST_DONE(
        folder,
        "python3 - <<'END'\n"
        "import json, os, random\n"
        "rng = random.Random(5)\n"
        "def write(path, value):\n"
        "    os.makedirs(os.path.dirname(path), exist_ok=True)\n"
        "    json.dump(value, open(path, 'w'))\n"
        "def place(): return {'position': [round(rng.uniform(-50, 50), 3) for i in range(3)]}\n"
        "for i in range(120):\n"
        "    write('src/crates/c%%d.entity.json' %% i,\n"
        "          {'components': {'transform': place(), 'name': {'id': 'crate %%d' %% i}}})\n"
        "    write('src/paints/p%%d.material.json' %% i, {'roughness': round(rng.random(), 2)})\n"
        "for n, count in enumerate((3000, 6000)):\n"
        "    write('src/levels/l%%d.level.json' %% n, {'entities': [\n"
        "        {'name': 'e%%d' %% i, 'components': {'transform': place()}} for i in "
        "range(count)]})\n"
        "write('src/entc.json', {'data': {'files': ['*.bin', '*.text']}})\n"
        "open('src/noise.bin', 'wb').write(rng.randbytes(400000))\n"
        "open('src/even.text', 'w').write('the same words again and again\\n' * 20000)\n"
        "END\n"
        "entc build src -o out -q");
    return folder;
}

static void bundle_has_equal_bytes_by_any_number_of_threads(void** state) {
    static const char* const levels[] = {"", "--level 0", "--level 3"};
    char*                    folder = world_new("pack_parallel_equal");
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(levels); i++) {
        TEST_DONE(folder,
                  "entc pack out -o 1.pak -j1 %s && for j in 2 7; do\n"
                  "entc pack out -o $j.pak -j$j %s && cmp 1.pak $j.pak || exit 1; done\n"
                  "entc verify 1.pak -q && rm -rf un && entc unpack 1.pak -o un -j1 && diff -r out "
                  "un &&\n"
                  "rm -rf un && entc unpack 1.pak -o un -j5 && diff -r out un",
                  levels[i], levels[i]);
    }
    free(folder);
}

static u64 bytes_at_level(const char* folder, const char* options) {
    char     path[1200];
    FileView view;
    TEST_DONE(folder, "entc pack out -o sized.pak %s", options);
    snprintf(path, sizeof path, "%s/sized.pak", folder);
    assert_int_equal(file_map(&view, path), ENT_OK);
    const u64 bytes = view.size;
    file_unmap(&view);
    return bytes;
}

/* Against bundles in which all resources have the same level. */
static void chosen_levels_are_near_the_smallest_of_all(void** state) {
    static const char* const levels[] = {"--level 3", "--level 9", "--level 18", "--level 19"};
    char*                    folder = world_new("pack_parallel_levels");
    u64                      smallest = UINT64_MAX, largest = 0;
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(levels); i++) {
        const u64 bytes = bytes_at_level(folder, levels[i]);
        smallest = MIN_OF(smallest, bytes);
        largest = MAX_OF(largest, bytes);
    }
    const u64 chosen = bytes_at_level(folder, "");
    assert_true(chosen <= smallest + smallest / 50);
    assert_true(chosen < largest); /* or the choice would not matter */
    free(folder);
}

/* 190 MB of resources, of which 64 MB may be in memory. They are read, not mapped, so that all count that are open.
 * Sanitizers need more. */
static void memory_of_packing_does_not_grow_with_the_bundle(void** state) {
    char* folder = strdup(test_folder("pack_parallel_memory"));
    UNUSED(state);
    TEST_DONE(folder,
              "python3 - <<'END'\n"
              "import json, os, random\n"
              "os.makedirs('src')\n"
              "json.dump({'data': {'files': ['*.bin']}}, open('src/entc.json', 'w'))\n"
              "for i in range(%u):\n"
              "    open('src/d%%d.bin' %% i, 'wb').write(random.Random(i).randbytes(190000))\n"
              "END\n"
              "entc build src -o out -q --max-output 1G -j1",
              SANITIZED ? 100 : 1000);
    EXPECT(folder, 0, "peak is bounded",
           "python3 - <<'END'\n"
           "import resource, subprocess\n"
           "subprocess.run(['entc', 'pack', 'out', '-o', 'a.pak', '-j2', '--level', '1'], "
           "check=True)\n"
           "subprocess.run(['entc', 'unpack', 'a.pak', '-o', 'un', '-j2'], check=True)\n"
           "peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024\n"
           "print('peak is bounded' if peak < %u else 'peak is %%d MiB' %% peak)\n"
           "END\n"
           "diff -r out un",
           SANITIZED ? 1000 : 160);
    TEST_DONE(folder, "rm -rf src out un a.pak");
    free(folder);
}

/* At any moment, the bundle is either the old one or the new one, and the next command removes what is left. */
static void killed_pack_leaves_a_complete_bundle(void** state) {
    char*     folder = world_new("pack_parallel_killed");
    const u32 rounds = getenv("TEST_FULL") ? 200 : SANITIZED ? 3 : 6;
    UNUSED(state);
    EXPECT(folder, 0, "ok",
           "entc pack out -o old.pak --level 1 && entc pack out -o new.pak && python3 - <<'END'\n"
           "import os, random, shutil, subprocess, time\n"
           "old, new = (open(name, 'rb').read() for name in ('old.pak', 'new.pak'))\n"
           "assert old != new\n"
           "start = time.monotonic()\n"
           "subprocess.run(['entc', 'pack', 'out', '-o', 'a.pak', '-j3'], check=True)\n"
           "length = time.monotonic() - start\n"
           "rng = random.Random(7)\n"
           "killed = 0\n"
           "for round in range(%u):\n"
           "    shutil.copy('old.pak', 'a.pak')\n"
           "    process = subprocess.Popen(['entc', 'pack', 'out', '-o', 'a.pak', '-j3'])\n"
           "    try: process.wait(rng.random() * length)\n"
           "    except subprocess.TimeoutExpired: process.kill()\n"
           "    killed += process.wait() != 0\n"
           "    assert open('a.pak', 'rb').read() in (old, new), round\n"
           "subprocess.run(['entc', 'pack', 'out', '-o', 'a.pak', '-j3'], check=True)\n"
           "assert open('a.pak', 'rb').read() == new\n"
           "left = [name for name in os.listdir('.') if name.endswith('.tmp')]\n"
           "assert not left, left\n"
           "assert killed, 'none was killed'\n"
           "print('ok')\n"
           "END\ntrue",
           rounds);
    free(folder);
}

/* Repetitions that are farther apart than the low levels search. */
static void far_repetitions_are_found_without_a_level(void** state) {
    char* folder = strdup(test_folder("pack_parallel_far"));
    UNUSED(state);
    EXPECT(folder, 0, "found",
           "python3 - <<'END'\n"
           "import json, os, random, subprocess\n"
           "os.makedirs('src')\n"
           "json.dump({'data': {'files': ['*.bin']}}, open('src/entc.json', 'w'))\n"
           "open('src/far.bin', 'wb').write(random.Random(1).randbytes(2200000) * 2)\n"
           "subprocess.run(['entc', 'build', 'src', '-o', 'out', '-q'], check=True)\n"
           "subprocess.run(['entc', 'pack', 'out', '-o', 'a.pak'], check=True)\n"
           "print('found' if os.path.getsize('a.pak') < 2300000 else 'not')\n"
           "END\ntrue");
    free(folder);
}

static void bundle_is_written_to_pipes_and_full_devices(void** state) {
    char* folder = world_new("pack_parallel_devices");
    UNUSED(state);
    TEST_DONE(folder, "entc pack out -o a.pak && entc pack out -o /dev/stdout | cmp - a.pak");
    EXPECT(folder, 2, "cannot write \"/dev/full\"", "entc pack out -o /dev/full");
    EXPECT(folder, 2, "cannot write", "mkdir folder && entc pack out -o folder");
    TEST_DONE(folder, "entc pack out -o new/folders/a.pak && cmp a.pak new/folders/a.pak");
    free(folder);
}

TEST_SUITE(pack_parallel) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bundle_has_equal_bytes_by_any_number_of_threads),
        cmocka_unit_test(chosen_levels_are_near_the_smallest_of_all),
        cmocka_unit_test(memory_of_packing_does_not_grow_with_the_bundle),
        cmocka_unit_test(killed_pack_leaves_a_complete_bundle),
        cmocka_unit_test(far_repetitions_are_found_without_a_level),
        cmocka_unit_test(bundle_is_written_to_pipes_and_full_devices),
    };
    return TEST_RUN("pack_parallel", tests);
}
